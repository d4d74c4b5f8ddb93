//! `webeval leaderboard`: the scores of many runs, ranked, with how sure the ranking is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use webeval_stats::analysis::{Breakdown, DimensionCorrelations, Losses, Over, dimension_correlations, losses};
use webeval_stats::compare::{Certainty, ModelComparison, models};
use webeval_stats::render::{Grid, json, leaderboard_svg};
use webeval_stats::{Bootstrap, Label, Leaderboard, ScoreTable, Settings, StatsError};

use crate::failure::Failure;
use crate::files::{read_text, write};
use crate::scores::{Scores, ScoresArgs};
use crate::tables::{Table, Told};

#[derive(Debug, Args)]
pub(crate) struct LeaderboardArgs {
    #[command(flatten)]
    scores: ScoresArgs,
    /// Whose scores, where several judges gave some
    #[arg(long, value_name = "NAME")]
    judge: Option<String>,
    /// Also rank by label of the task: a CSV file with a column `task` and a column for each set of labels
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Also compare two models task by task
    #[arg(long, num_args = 2, value_names = ["MODEL", "MODEL"])]
    compare: Option<Vec<String>>,
    /// How often the tasks are drawn again for the intervals; 0 for no intervals
    #[arg(long, value_name = "N", default_value_t = 2000)]
    resamples: usize,
    /// Seed of the drawing
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Write the pool's means and deviations to this file, for --reference
    #[arg(long, value_name = "FILE")]
    write_reference: Option<PathBuf>,
    /// Also write leaderboard.json, .md, .svg and a .csv for each table into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
}

/// Everything that was computed.
#[derive(Serialize)]
struct Results {
    leaderboard: Leaderboard,
    losses: Vec<Losses>,
    #[serde(skip_serializing_if = "Option::is_none")]
    correlations: Option<DimensionCorrelations>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    breakdowns: BTreeMap<String, Breakdown>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<ModelComparison>,
}

pub(crate) fn run(args: &LeaderboardArgs) -> Result<(), Failure> {
    let labels = args.labels.as_deref().map(read_labels).transpose()?.unwrap_or_default();
    let mut settings = args.scores.settings()?;
    if args.resamples > 0 {
        let bootstrap = Bootstrap::new(args.seed).with_resamples(args.resamples).map_err(Failure::input)?;
        settings = settings.with_bootstrap(bootstrap);
    }
    let table = Scores::read(&args.scores)?.table(args.judge.as_deref())?;
    let results = compute(args, &table, &settings, &labels)?;
    if let Some(path) = &args.write_reference {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let reference = results.leaderboard.to_reference(name).map_err(Failure::input)?;
        write(path, &json(&reference).map_err(Failure::failed)?)?;
    }
    let tables = tables(&results);
    let plot = Some(leaderboard_svg(&results.leaderboard));
    Told { name: "leaderboard", results: &results, tables, plot }.publish(args.out.as_deref(), args.json)
}

fn compute(
    args: &LeaderboardArgs,
    table: &ScoreTable,
    settings: &Settings,
    labels: &BTreeMap<String, BTreeMap<String, String>>,
) -> Result<Results, Failure> {
    let leaderboard = Leaderboard::new(table, settings).map_err(unusable)?;
    let breakdown = |(set, by_task): (&String, &BTreeMap<String, String>)| {
        let label =
            |task: &webeval_stats::TaskName| by_task.get(task.as_str()).map(|label| Label::from(label.as_str()));
        Ok((set.clone(), Breakdown::new(table, settings, label).map_err(Failure::input)?))
    };
    let comparison = match args.compare.as_deref() {
        Some([first, second]) => {
            let (first, second) = (first.as_str().into(), second.as_str().into());
            Some(models(table, settings, &first, &second, Certainty::default()).map_err(Failure::input)?)
        }
        _ => None,
    };
    Ok(Results {
        losses: losses(&leaderboard),
        // Two models or fewer have none worth telling.
        correlations: dimension_correlations(table, settings, Over::Models).ok(),
        breakdowns: labels.iter().map(breakdown).collect::<Result<_, Failure>>()?,
        comparison,
        leaderboard,
    })
}

/// A missing score is for the user to decide about.
fn unusable(error: StatsError) -> Failure {
    let cure = match error {
        StatsError::Missing { .. } => "; --missing says what to do about it: drop-cell, drop-task or worst",
        _ => "",
    };
    Failure::Input(format!("{}{cure}", Failure::input(error)))
}

fn tables(results: &Results) -> Vec<Table> {
    let board = &results.leaderboard;
    let mut tables = vec![
        Table::new("leaderboard", "Leaderboard", Grid::leaderboard(board)),
        Table::new("scores", "Mean scores", Grid::raw_scores(board)),
        Table::new("losses", "Points lost", Grid::losses(board, &results.losses)),
    ];
    if let Some(found) = &results.correlations {
        tables.push(Table::new("correlations", "Dimensions together", Grid::correlations(found)));
    }
    for (set, breakdown) in &results.breakdowns {
        let file = format!("by-{}", file_name(set));
        tables.push(Table::new(file, format!("Totals by {set}"), Grid::breakdown(breakdown)));
    }
    if let Some(found) = &results.comparison {
        let title = format!("{} against {}", found.first, found.second);
        tables.push(Table::new("comparison", title, Grid::comparison(found)));
    }
    tables
}

/// A set of labels may be called anything; a file may not.
fn file_name(set: &str) -> String {
    set.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect()
}

/// The label of each task, by set of labels.
fn read_labels(path: &Path) -> Result<BTreeMap<String, BTreeMap<String, String>>, Failure> {
    let text = read_text(path)?;
    let bad = |error: csv::Error| Failure::Input(format!("{}: {error}", path.display()));
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let columns = reader.headers().map_err(bad)?.clone();
    let Some(task) = columns.iter().position(|column| column == "task") else {
        return Err(Failure::Input(format!("{}: there is no column `task`", path.display())));
    };
    let mut labels: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for line in reader.records() {
        let line = line.map_err(bad)?;
        for (at, (set, label)) in columns.iter().zip(&line).enumerate() {
            if at != task && !label.is_empty() {
                labels.entry(set.to_owned()).or_default().insert(line[task].to_owned(), label.to_owned());
            }
        }
    }
    Ok(labels)
}
