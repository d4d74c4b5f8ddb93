//! The scores of many runs as one table, as leaderboards and comparisons of judges read them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use rayon::prelude::*;
use serde::Deserialize;
use walkdir::WalkDir;
use webeval_evidence::{DimensionScore, FailureOwner, RunRecord, ScoreStatus, Stage};
use webeval_stats::leaderboard::{Missing, NotDeployed};
use webeval_stats::{Cell, Combine, Dimension, ModelName, Reference, Row, Scheme, ScoreTable, Settings, TaskName};

use crate::failure::Failure;
use crate::files::read_text;

/// Which scores to read, and what to make of those that are not there.
#[derive(Clone, Debug, Args)]
pub(crate) struct ScoresArgs {
    /// Folders with run directories as MODEL/TASK, at any depth, or .csv tables of scores
    #[arg(required = true, value_name = "DIR")]
    dirs: Vec<PathBuf>,
    /// By which method the scores were given
    #[arg(long, value_enum, default_value_t = Method::Webcraft)]
    method: Method,
    /// What to do about a score that is missing
    #[arg(long, value_enum, default_value_t = MissingPolicy::Error)]
    missing: MissingPolicy,
    /// What an app counts that could not be deployed
    #[arg(long, value_enum, default_value_t = NotDeployedPolicy::Worst)]
    not_deployed: NotDeployedPolicy,
    /// Standardise by the means and deviations in this file (--write-reference writes one), not by those of the pool
    #[arg(long, value_name = "FILE")]
    reference: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Method {
    /// WebCraftBench: aesthetics, usability, alignment
    Webcraft,
    /// LiveEvalBench: the default jury's five criteria
    Liveeval,
    /// WebGen-V: nine metrics
    Sections,
    /// The rules that measure without a model
    Rules,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum MissingPolicy {
    /// Stop, and say which one
    Error,
    /// Leave it out of its model's mean
    DropCell,
    /// Leave the task out for all models
    DropTask,
    /// Count the worst score
    Worst,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum NotDeployedPolicy {
    /// The worst score
    Worst,
    /// Nothing: it is left out of the means
    Exclude,
}

impl Method {
    fn name(self) -> &'static str {
        match self {
            Self::Webcraft => "webcraft",
            Self::Liveeval => "liveeval",
            Self::Sections => "sections",
            Self::Rules => "rules",
        }
    }
}

impl ScoresArgs {
    /// The policies as the statistics take them.
    pub(crate) fn settings(&self) -> Result<Settings, Failure> {
        let missing = match self.missing {
            MissingPolicy::Error => Missing::Error,
            MissingPolicy::DropCell => Missing::DropCell,
            MissingPolicy::DropTask => Missing::DropTask,
            MissingPolicy::Worst => Missing::Worst,
        };
        let settings = Settings::new(missing).with_not_deployed(match self.not_deployed {
            NotDeployedPolicy::Worst => NotDeployed::Worst,
            NotDeployedPolicy::Exclude => NotDeployed::Exclude,
        });
        let Some(path) = &self.reference else { return Ok(settings) };
        let reference = Reference::from_json(&read_text(path)?).map_err(in_file(path))?;
        Ok(settings.with_reference(reference))
    }
}

/// A verdict's place: the app and the criterion.
pub(crate) type CriterionKey = (ModelName, TaskName, String);

/// What was read.
pub(crate) struct Scores {
    scheme: Scheme,
    method: &'static str,
    runs: Vec<Run>,
    rows: Vec<Row>,
}

struct Run {
    model: ModelName,
    task: TaskName,
    /// The app could not be brought up, by its own fault.
    undeployed: bool,
    entries: Vec<Entry>,
}

/// What a leaderboard needs of `scores.json`.
#[derive(Deserialize)]
struct ScoresFile {
    format: u32,
    entries: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    method: String,
    judge: String,
    dimensions: BTreeMap<String, DimensionScore>,
    #[serde(default)]
    criteria: Vec<Verdict>,
}

#[derive(Deserialize)]
struct Verdict {
    id: String,
    met: Option<bool>,
}

impl Scores {
    /// Reads all score files that `args` name.
    pub(crate) fn read(args: &ScoresArgs) -> Result<Self, Failure> {
        let mut runs = Vec::new();
        let mut tables = Vec::new();
        for path in &args.dirs {
            if path.is_dir() {
                runs.extend(run_directories(path)?);
            } else if path.extension().is_some_and(|extension| extension == "csv") && path.is_file() {
                tables.push(path);
            } else {
                let what = path.display();
                return Err(Failure::Input(format!("{what} is neither a folder of run directories nor a .csv table")));
            }
        }
        let method = args.method.name();
        let runs = runs.par_iter().map(|folder| Run::read(folder, method)).collect::<Result<Vec<_>, _>>()?;
        let scheme = scheme(args.method, &runs)?;
        let mut rows = Vec::new();
        for path in tables {
            let table = ScoreTable::from_csv(scheme.clone(), &read_text(path)?).map_err(in_file(path))?;
            rows.extend(table.rows().filter(|row| row.cell != Cell::Missing));
        }
        let scores = Self { scheme, method, runs, rows };
        if scores.judges().is_empty() && scores.rows.is_empty() {
            let found = scores.runs.len();
            return Err(Failure::Input(format!(
                "no scores by the method {method} in {found} run directories; webeval judge gives them, --method takes others"
            )));
        }
        Ok(scores)
    }

    /// The table of one judge's scores; of the only judge's where none is named.
    pub(crate) fn table(&self, judge: Option<&str>) -> Result<ScoreTable, Failure> {
        let judge = self.judge(judge)?;
        let mut rows = self.rows.clone();
        for run in &self.runs {
            rows.extend(run.rows(&self.scheme, judge));
        }
        ScoreTable::new(self.scheme.clone(), rows).map_err(Failure::input)
    }

    /// Every verdict of a judge on an acceptance criterion, by repeat 0's answer.
    pub(crate) fn verdicts(&self, judge: &str) -> Result<BTreeMap<CriterionKey, bool>, Failure> {
        let judge = self.judge(Some(judge))?;
        let mut verdicts = BTreeMap::new();
        for run in &self.runs {
            for verdict in run.by(judge).flat_map(|entry| &entry.criteria) {
                if let Some(met) = verdict.met {
                    verdicts.entry((run.model.clone(), run.task.clone(), verdict.id.clone())).or_insert(met);
                }
            }
        }
        Ok(verdicts)
    }

    fn judge<'a>(&'a self, named: Option<&'a str>) -> Result<&'a str, Failure> {
        let judges = self.judges();
        let known = || judges.iter().copied().collect::<Vec<_>>().join(", ");
        match named {
            Some(name) if judges.contains(name) => Ok(name),
            Some(name) => Err(Failure::Input(format!(
                "no scores by {name} with the method {}; there are: {}",
                self.method,
                known()
            ))),
            None if judges.len() > 1 => {
                Err(Failure::Input(format!("several judges gave scores: {}; choose one with --judge", known())))
            }
            None => Ok(judges.first().copied().unwrap_or_default()),
        }
    }

    fn judges(&self) -> BTreeSet<&str> {
        self.runs.iter().flat_map(|run| &run.entries).map(|entry| entry.judge.as_str()).collect()
    }
}

impl Run {
    fn read(folder: &Path, method: &str) -> Result<Self, Failure> {
        let (model, task) = names(folder)?;
        let path = folder.join("scores.json");
        let entries = if path.is_file() {
            let file: ScoresFile = serde_json::from_str(&read_text(&path)?)
                .map_err(|error| Failure::Input(format!("{} is no score file: {error}", path.display())))?;
            if file.format > webeval_evidence::FORMAT {
                return Err(Failure::Input(format!("{} is of a newer format than this webeval reads", path.display())));
            }
            file.entries.into_iter().filter(|entry| entry.method == method).collect()
        } else {
            Vec::new()
        };
        let undeployed = entries.is_empty() && failed_to_deploy(folder);
        Ok(Self { model: model.into(), task: task.into(), undeployed, entries })
    }

    fn by<'a>(&'a self, judge: &'a str) -> impl Iterator<Item = &'a Entry> {
        self.entries.iter().filter(move |entry| entry.judge == judge)
    }

    fn rows(&self, scheme: &Scheme, judge: &str) -> Vec<Row> {
        let row = |dimension: &Dimension| {
            let given = self.by(judge).flat_map(|entry| &entry.dimensions);
            let given: Vec<&DimensionScore> =
                given.filter(|(name, _)| plain(name) == dimension.name().as_str()).map(|(_, score)| score).collect();
            let cell = if self.undeployed { Cell::NotDeployed } else { cell(&given, dimension) };
            Row { model: self.model.clone(), task: self.task.clone(), dimension: dimension.name().clone(), cell }
        };
        scheme.dimensions().iter().map(row).collect()
    }
}

/// Repeats by the same judge become their mean.
fn cell(given: &[&DimensionScore], dimension: &Dimension) -> Cell {
    let all = |status| !given.is_empty() && given.iter().all(|score| score.status == status);
    if all(ScoreStatus::NotApplicable) {
        return Cell::NotApplicable;
    }
    if all(ScoreStatus::Undeployable) {
        return Cell::NotDeployed;
    }
    // Recorded scores run from 0 to 100 whatever the method's own scale is.
    let scaled = |value: f64| dimension.low() + value / 100.0 * (dimension.high() - dimension.low());
    let ends: Vec<(f64, f64)> = given.iter().filter_map(|score| score.bounds.or(score.value.map(|v| (v, v)))).collect();
    if ends.is_empty() {
        return Cell::Missing;
    }
    let n = ends.len() as f64;
    let low = scaled(ends.iter().map(|end| end.0).sum::<f64>() / n);
    let high = scaled(ends.iter().map(|end| end.1).sum::<f64>() / n);
    if low < high { Cell::Incomplete { low, high } } else { Cell::Score(low) }
}

/// A dimension without the group it is recorded in. Of LiveEvalBench's criteria only the default jury's are ranked:
/// those of other evaluators keep their group, and with it a name that the scheme does not have.
fn plain(recorded: &str) -> &str {
    match recorded.split_once('.') {
        Some(("alignment" | "build" | "code" | "ui" | "text" | "media" | "layout", name)) => name,
        _ => recorded,
    }
}

fn scheme(method: Method, runs: &[Run]) -> Result<Scheme, Failure> {
    match method {
        Method::Webcraft => Ok(Scheme::webcraftbench()),
        Method::Liveeval => Ok(Scheme::liveevalbench()),
        Method::Sections => Ok(Scheme::webgen_v()),
        Method::Rules => {
            let names = runs.iter().flat_map(|run| &run.entries).flat_map(|entry| entry.dimensions.keys());
            let measured: BTreeSet<&String> = names.filter(|name| name.starts_with("rules.")).collect();
            let component = |name: &String| {
                Ok((name.clone(), vec![Dimension::new(name.as_str(), 0.0, 100.0).map_err(Failure::input)?]))
            };
            let components = measured.into_iter().map(component).collect::<Result<Vec<_>, Failure>>()?;
            Scheme::new("rules", Combine::Mean, components)
                .map_err(|_| Failure::Input("no run directory here has scores by the rules".to_owned()))
        }
    }
}

/// The run directories at or below a folder.
fn run_directories(root: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    let mut walk = WalkDir::new(root).sort_by_file_name().into_iter();
    while let Some(entry) = walk.next() {
        let entry = entry.map_err(Failure::input)?;
        let is_run = ["scores.json", "run.json"].iter().any(|name| entry.path().join(name).is_file());
        if entry.file_type().is_dir() && is_run {
            found.push(entry.into_path());
            walk.skip_current_dir();
        }
    }
    Ok(found)
}

/// Model and task: the names of the run directory's parent and of itself.
fn names(folder: &Path) -> Result<(String, String), Failure> {
    let whole = std::path::absolute(folder).map_err(Failure::failed)?;
    let name = |path: Option<&Path>| path.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    match (name(whole.parent()), name(Some(&whole))) {
        (Some(model), Some(task)) => Ok((model, task)),
        _ => Err(Failure::Input(format!("{} does not lie in MODEL/TASK folders", folder.display()))),
    }
}

fn failed_to_deploy(folder: &Path) -> bool {
    let record = std::fs::read(folder.join("run.json")).ok();
    let record = record.and_then(|bytes| serde_json::from_slice::<RunRecord>(&bytes).ok());
    let failure = record.and_then(|record| record.stages.get(&Stage::Deploy).and_then(|stage| stage.failure.clone()));
    failure.is_some_and(|failure| failure.whose == FailureOwner::App)
}

/// An error in what a file holds, with the file's name.
pub(crate) fn in_file(path: &Path) -> impl Fn(webeval_stats::StatsError) -> Failure + '_ {
    move |error| Failure::Input(format!("{}: {}", path.display(), Failure::input(error)))
}
