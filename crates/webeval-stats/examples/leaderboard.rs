//! Ranks the models of a score table: `cargo run -p webeval-stats --example leaderboard < scores.csv`,
//! where scores.csv has the columns model, task, dimension and score.
#![allow(clippy::print_stdout)]

use webeval_stats::leaderboard::Missing;
use webeval_stats::render::Grid;
use webeval_stats::{Bootstrap, Leaderboard, Scheme, ScoreTable, Settings};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let csv = std::io::read_to_string(std::io::stdin())?;
    let table = ScoreTable::from_csv(Scheme::webcraftbench(), &csv)?;
    let settings = Settings::new(Missing::Error).with_bootstrap(Bootstrap::new(1));
    let board = Leaderboard::new(&table, &settings)?;
    print!("{}", Grid::leaderboard(&board).text());
    Ok(())
}
