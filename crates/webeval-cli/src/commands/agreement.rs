//! `webeval agreement`: do the scores agree with people's votes, and do two judges agree with each other?

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use webeval_stats::agreement::RaterAgreement;
use webeval_stats::bradley_terry::{self, Strength};
use webeval_stats::compare::{JudgeComparison, judges};
use webeval_stats::pairwise::TABLE_4_BANDS;
use webeval_stats::render::{Grid, agreement_svg};
use webeval_stats::votes::{self, Vote, VoteAgreement};
use webeval_stats::{Bootstrap, Leaderboard};

use crate::failure::Failure;
use crate::files::read_text;
use crate::scores::{Scores, ScoresArgs, in_file};
use crate::tables::{Table, Told};

#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("with").required(true).multiple(true).args(["votes", "judges"])))]
pub(crate) struct AgreementArgs {
    #[command(flatten)]
    scores: ScoresArgs,
    /// People's votes between two models' apps for a task, as CSV or JSON lines (docs/stats.md)
    #[arg(long, value_name = "FILE")]
    votes: Option<PathBuf>,
    /// Two judges whose scores to compare
    #[arg(long, num_args = 2, value_names = ["JUDGE", "JUDGE"])]
    judges: Option<Vec<String>>,
    /// Whose scores to hold against the votes, where several judges gave some
    #[arg(long, value_name = "NAME", requires = "votes")]
    judge: Option<String>,
    /// Lower ends of the bands of differences between scores, the first 0
    #[arg(long, value_name = "N,N…", value_delimiter = ',', default_values_t = TABLE_4_BANDS)]
    bands: Vec<f64>,
    /// Seed of the resampling behind the strengths' intervals
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Also write agreement.json, .md, .svg and a .csv for each table into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
}

/// Everything that was computed.
#[derive(Serialize)]
struct Results {
    /// The scores against the votes.
    #[serde(skip_serializing_if = "Option::is_none")]
    votes: Option<VoteAgreement>,
    /// What the votes alone say of the models.
    #[serde(skip_serializing_if = "Option::is_none")]
    strengths: Option<Vec<Strength>>,
    /// One judge's ranking against the other's.
    #[serde(skip_serializing_if = "Option::is_none")]
    judges: Option<JudgeComparison>,
    /// One judge's verdicts on acceptance criteria against the other's.
    #[serde(skip_serializing_if = "Option::is_none")]
    criteria: Option<RaterAgreement>,
}

pub(crate) fn run(args: &AgreementArgs) -> Result<(), Failure> {
    let scores = Scores::read(&args.scores)?;
    let mut results = Results { votes: None, strengths: None, judges: None, criteria: None };
    if let Some(path) = &args.votes {
        hold_against_votes(args, &scores, &read_votes(path)?, &mut results)?;
    }
    if let Some([first, second]) = args.judges.as_deref() {
        compare_judges(args, &scores, first, second, &mut results)?;
    }
    let plot = results.votes.as_ref().map(|found| agreement_svg(&found.agreement));
    Told { name: "agreement", results: &results, tables: tables(&results), plot }
        .publish(args.out.as_deref(), args.json)
}

fn hold_against_votes(
    args: &AgreementArgs,
    scores: &Scores,
    votes: &[Vote],
    results: &mut Results,
) -> Result<(), Failure> {
    let table = scores.table(args.judge.as_deref())?;
    let settings = args.scores.settings()?;
    results.votes = Some(votes::agreement(votes, &table, &settings, &args.bands).map_err(Failure::input)?);
    // Votes that all go one way, or that do not connect the models, have no strengths.
    match bradley_terry::fit(votes, Some(&Bootstrap::new(args.seed))) {
        Ok(strengths) => results.strengths = Some(strengths),
        Err(error) => eprintln!("webeval: no strengths from the votes: {error}"),
    }
    Ok(())
}

fn compare_judges(
    args: &AgreementArgs,
    scores: &Scores,
    first: &str,
    second: &str,
    results: &mut Results,
) -> Result<(), Failure> {
    let settings = args.scores.settings()?;
    let board = |judge| Leaderboard::new(&scores.table(Some(judge))?, &settings).map_err(Failure::input);
    results.judges = Some(judges(&board(first)?, &board(second)?).map_err(Failure::input)?);
    let (ours, theirs) = (scores.verdicts(first)?, scores.verdicts(second)?);
    let both: BTreeMap<_, _> = ours.iter().filter_map(|(key, met)| Some((key, (met, theirs.get(key)?)))).collect();
    if !both.is_empty() {
        let (a, b): (Vec<bool>, Vec<bool>) = both.values().map(|(a, b)| (**a, **b)).unzip();
        results.criteria = Some(RaterAgreement::new(&a, &b, 2).map_err(Failure::input)?);
    }
    Ok(())
}

fn tables(results: &Results) -> Vec<Table> {
    let mut tables = Vec::new();
    if let Some(found) = &results.votes {
        tables.push(Table::new("votes", "Scores against votes, by difference of the scores", Grid::votes(found)));
    }
    if let Some(strengths) = &results.strengths {
        tables.push(Table::new(
            "strengths",
            "Strengths by the votes alone (Bradley–Terry)",
            Grid::strengths(strengths),
        ));
    }
    if let Some(found) = &results.judges {
        tables.push(Table::new("judges", "The judges' rankings", Grid::judges(found)));
    }
    if let Some(found) = &results.criteria {
        tables.push(Table::new("criteria", "The judges' verdicts on acceptance criteria", Grid::raters(found)));
    }
    tables
}

/// JSON lines where the text begins with an object, CSV otherwise.
fn read_votes(path: &Path) -> Result<Vec<Vote>, Failure> {
    let text = read_text(path)?;
    let lines = text.trim_start().starts_with('{');
    let parse = if lines { votes::from_json_lines } else { votes::from_csv };
    let votes = parse(&text).map_err(in_file(path))?;
    if votes.is_empty() {
        return Err(Failure::Input(format!("{} holds no votes", path.display())));
    }
    Ok(votes)
}
