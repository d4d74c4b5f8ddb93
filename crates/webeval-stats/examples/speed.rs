//! Times a leaderboard of the paper's size, 17 models × 369 tasks × 5 dimensions, with intervals:
//! `cargo run --release -p webeval-stats --example speed [RESAMPLES]`.
#![allow(clippy::print_stdout)]

use std::time::Instant;
use webeval_stats::leaderboard::Missing;
use webeval_stats::rng::SplitMix64;
use webeval_stats::{Bootstrap, Leaderboard, Row, Scheme, ScoreTable, Settings};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let resamples = std::env::args().nth(1).map_or(Ok(2_000), |n| n.parse())?;
    let scheme = Scheme::webcraftbench();
    let mut rng = SplitMix64::new(1);
    let mut rows = Vec::new();
    for model in 0..17 {
        for task in 0..369 {
            for dimension in scheme.dimensions() {
                let score = (30 + model + rng.below(50)) as f64;
                let name = dimension.name().clone();
                rows.push(Row::score(format!("model-{model}"), format!("task-{task}"), name, score));
            }
        }
    }
    let cells = rows.len();
    let started = Instant::now();
    let table = ScoreTable::new(scheme, rows)?;
    let laid_out = started.elapsed();
    let bootstrap = Bootstrap::new(1).with_resamples(resamples)?;
    let settings = Settings::new(Missing::Error).with_bootstrap(bootstrap);
    let board = Leaderboard::new(&table, &settings)?;
    println!(
        "{cells} cells laid out in {laid_out:.0?}, ranked with {resamples} resamples in {:.0?} on {} threads; first: {}",
        started.elapsed() - laid_out,
        rayon::current_num_threads(),
        board.standings[0].model
    );
    Ok(())
}
