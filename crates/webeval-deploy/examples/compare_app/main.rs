//! Brings an app up without counters and with them, does the same things to both, and prints as JSON how they compare:
//! pictures, errors, what the commands printed, times, functions counted. `scripts/deploy-compare` makes tables of it.
//!
//! usage: `compare_app APP [--steps N] [--rounds N] [--pictures DIR]`: N actions (6), N deployments of each kind (1),
//! and a folder for the pictures where they differ.

mod looks;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use serde::Serialize;
use webeval_browser::{Driver, DriverOptions};
use webeval_deploy::{App, Error, Options, Running};
use webeval_evidence::{Deployment, StepKind};

use looks::{Difference, Run};

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

/// Most plain runs that are made to find out which pixels are restless.
const MOST_RUNS: usize = 4;

#[derive(Serialize)]
struct Report {
    framework: String,
    rounds: Vec<Round>,
    pictures: Vec<Difference>,
    plain_runs: usize,
    /// Why the actions could not all be repeated: in the plain runs, and with counters.
    stopped: Vec<Option<String>>,
    /// Errors and warnings of each run, the last one's with counters.
    errors: Vec<Vec<String>>,
    /// Functions counted, by file.
    functions: BTreeMap<String, usize>,
}

/// One deployment.
#[derive(Serialize)]
struct Round {
    counters: bool,
    /// From the beginning until it answers, in seconds.
    seconds: f64,
    /// The part of it in which none of the app's commands ran.
    beside: f64,
    record: Deployment,
}

#[tokio::main]
async fn main() -> Fallible<()> {
    let mut given = std::env::args().skip(1);
    let (mut path, mut steps, mut rounds, mut folder) = (None, 6, 1, None);
    while let Some(word) = given.next() {
        match word.as_str() {
            "--steps" => steps = given.next().unwrap_or_default().parse()?,
            "--rounds" => rounds = given.next().unwrap_or_default().parse()?,
            "--pictures" => folder = given.next(),
            _ => path = Some(word),
        }
    }
    let path = path.ok_or("usage: compare_app APP [--steps N] [--rounds N] [--pictures DIR]")?;
    let app = webeval_deploy::locate(&path)?;

    let (first, plain) = bring_up(&app, false).await?;
    let (second, counted) = bring_up(&app, true).await?;
    let mut report = Report {
        framework: first.record.framework.clone(),
        rounds: vec![first, second],
        pictures: Vec::new(),
        plain_runs: 0,
        stopped: Vec::new(),
        errors: Vec::new(),
        functions: BTreeMap::new(),
    };
    if let Some(coverage) = counted.as_ref().and_then(|running| running.coverage.as_ref()) {
        report.functions = coverage.files().map(|file| (file.path.clone(), file.fn_map.len())).collect();
    }
    if let (Some(plain), Some(counted)) = (&plain, &counted) {
        photograph(plain, counted, steps, folder.as_deref().map(Path::new), &mut report).await?;
    }
    for running in [plain, counted].into_iter().flatten() {
        running.stop().await;
    }
    for _ in 1..rounds {
        for counters in [false, true] {
            let (round, running) = bring_up(&app, counters).await?;
            report.rounds.push(round);
            if let Some(running) = running {
                running.stop().await;
            }
        }
    }
    println!("{}", serde_json::to_string(&report)?);
    Ok(())
}

/// Brings it up once; none where it does not come up.
async fn bring_up(app: &App, counters: bool) -> Fallible<(Round, Option<Running>)> {
    let mut options = Options::default();
    options.counters = counters;
    let began = Instant::now();
    let (record, running) = match webeval_deploy::deploy(app, &options).await {
        Ok(running) => (running.record.clone(), Some(running)),
        Err(Error::Undeployable { record }) => (*record, None),
        Err(error) => return Err(error.into()),
    };
    let seconds = began.elapsed().as_secs_f64();
    let commands: f64 =
        record.commands.iter().filter(|step| step.kind != StepKind::Repair).map(|step| step.seconds).sum();
    Ok((Round { counters, seconds, beside: seconds - commands, record }, running))
}

/// Does the same things to both and compares what is to be seen.
async fn photograph(
    plain: &Running,
    counted: &Running,
    steps: usize,
    folder: Option<&Path>,
    report: &mut Report,
) -> Fallible<()> {
    let driver = Driver::start(&DriverOptions::default()).await?;
    let first = looks::run(&driver, plain, None, steps).await?;
    let ours = looks::run(&driver, counted, Some(&first.looks), steps).await?;
    let again = looks::run(&driver, plain, Some(&first.looks), steps).await?;
    let mut runs = vec![first, again];
    report.pictures = looks::compare(&runs, &ours);
    // A page can be restless in more ways than two runs show.
    while runs.len() < MOST_RUNS && report.pictures.iter().any(|one| one.differing > 0) {
        let again = looks::run(&driver, plain, Some(&runs[0].looks), steps).await?;
        runs.push(again);
        report.pictures = looks::compare(&runs, &ours);
    }
    if let Some(folder) = folder {
        keep(folder, &runs, &ours, &report.pictures)?;
    }
    report.plain_runs = runs.len();
    runs.push(ours);
    report.stopped = runs.iter().map(|run| run.stopped.clone()).collect();
    report.errors = runs.into_iter().map(|run| run.errors).collect();
    Ok(())
}

/// Keeps the pictures of actions after which they differ.
fn keep(folder: &Path, plain: &[Run], counted: &Run, pictures: &[Difference]) -> Fallible<()> {
    std::fs::create_dir_all(folder)?;
    for at in (0..pictures.len()).filter(|at| pictures[*at].differing + pictures[*at].restless > 0) {
        for (run, look) in plain.iter().enumerate().filter_map(|(run, one)| Some((run, one.looks.get(at)?))) {
            look.picture.save(folder.join(format!("{at}-plain-{run}.png")))?;
        }
        counted.looks[at].picture.save(folder.join(format!("{at}-counted.png")))?;
    }
    Ok(())
}
