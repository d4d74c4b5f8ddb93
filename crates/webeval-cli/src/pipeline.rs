//! The five stages, one function each: what each reads from the run directory, does, and writes there.

use std::sync::Arc;
use std::time::Duration;

use webeval_browser::{Driver, DriverOptions, Session, SessionOptions};
use webeval_deploy::{App, Running};
use webeval_evidence::{Environment, FailureOwner, RunDir, Settings, Stage, StatesFile};
use webeval_explore::{Advisor, BuiltIn, BuiltInAdvisor, Cancel, Cast, Ended, Events, ModelTester, Probe, Tester};
use webeval_instrument::coverage::COLLECT_DELTA;
use webeval_judges::{Task, rules, webcraft};

use crate::commands::doctor;
use crate::failure::Failure;
use crate::model::Model;
use crate::stage::Sitting;
use webeval_sections::VisualProbe;

/// Starts the driver, or finds the one that runs elsewhere. A driver that is missing or does not match the browser is bad
/// input: nothing has been written yet.
pub(crate) async fn driver(webdriver: Option<&str>) -> Result<Driver, Failure> {
    if let Some(url) = webdriver {
        return Ok(Driver::at(url));
    }
    if let Some(mismatch) = doctor::mismatch().await {
        return Err(Failure::Input(mismatch));
    }
    Driver::start(&DriverOptions::default()).await.map_err(browser_failure)
}

/// A browser or driver that is not there, or not the right one, is bad input and has a cure.
pub(crate) fn browser_failure(error: webeval_browser::Error) -> Failure {
    use webeval_browser::Error::{BrowserMissing, DriverMissing, VersionMismatch};
    match error {
        DriverMissing { .. } | BrowserMissing { .. } | VersionMismatch { .. } => Failure::Input(format!(
            "{} (scripts/setup installs both; webeval doctor says what is missing)",
            Failure::input(error)
        )),
        error => Failure::failed(error),
    }
}

/// Brings the app up, with its uninstrumented sources beside the evidence.
pub(crate) async fn deploy(run: &RunDir, app: &App) -> Result<Running, Failure> {
    let sitting = Sitting::begin(run, Stage::Deploy, false)?;
    match webeval_deploy::deploy(app, Some(&run.root().join("sources"))).await {
        Ok(running) => {
            let record = running.record.clone();
            sitting.done(|run| run.deployment = Some(record))?;
            Ok(running)
        }
        Err(error) => {
            let whose = owner(&error);
            Err(sitting.failed(whose, Failure::failed(error)))
        }
    }
}

fn owner(error: &webeval_deploy::Error) -> FailureOwner {
    match error {
        webeval_deploy::Error::NoPage { .. } | webeval_deploy::Error::TooLarge { .. } => FailureOwner::App,
        webeval_deploy::Error::NeedsBuild { .. } => FailureOwner::Tool,
        _ => FailureOwner::Environment,
    }
}

/// What an exploration needs.
pub(crate) struct Exploration<'a> {
    pub(crate) run: &'a RunDir,
    pub(crate) running: &'a Running,
    pub(crate) driver: &'a Driver,
    pub(crate) model: Option<&'a Model>,
}

/// Explores the running app, or goes on with an exploration that was left unfinished.
pub(crate) async fn explore(
    exploration: &Exploration<'_>,
    events: &mut dyn Events,
    cancel: &Cancel,
) -> Result<(), Failure> {
    let run = exploration.run;
    let sitting = Sitting::begin(run, Stage::Explore, false)?;
    match explore_in(exploration, events, cancel).await {
        Ok((Ended::Cancelled, _)) => {
            sitting.interrupted()?;
            let run = run.root().display();
            Err(Failure::Interrupted(format!("interrupted; go on with --resume, or with webeval explore {run}")))
        }
        Ok((_, environment)) => sitting.done(|run| run.environment = Some(environment)),
        Err(failure) => Err(sitting.failed(FailureOwner::Tool, failure)),
    }
}

async fn explore_in(
    exploration: &Exploration<'_>,
    events: &mut dyn Events,
    cancel: &Cancel,
) -> Result<(Ended, Environment), Failure> {
    let Exploration { run, running, driver, model } = exploration;
    let settings = run.run().map_err(Failure::failed)?.settings;
    let mut session = Session::open(driver, session_options(&settings, running)).await.map_err(browser_failure)?;
    let environment = session.environment();

    let mut tester: Box<dyn Tester> = match model {
        Some(model) => Box::new(ModelTester::new(Arc::clone(model), settings.seed)),
        None => Box::new(BuiltIn::new(settings.seed)),
    };
    let advisor = BuiltInAdvisor::default();
    let mut probe = VisualProbe::default();
    let cast = Cast {
        tester: tester.as_mut(),
        advisor: settings.guidance.then_some(&advisor as &dyn Advisor),
        probes: vec![&mut probe as &mut dyn Probe],
    };
    let app = webeval_explore::App { entry: running.record.entry.clone(), coverage: running.coverage.clone() };
    let mut options = webeval_explore::Options::default();
    options.steps = settings.steps;
    let explored = webeval_explore::explore(&mut session, &app, run, &options, cast, events, cancel).await;
    // A browser that cannot be closed politely goes with the driver.
    if let Err(error) = session.close().await {
        tracing::debug!(%error, "the session was not closed");
    }
    Ok((explored.map_err(Failure::failed)?.ended, environment))
}

fn session_options(settings: &Settings, running: &Running) -> SessionOptions {
    let mut options = SessionOptions::new(running.origin());
    options.viewport = settings.viewport;
    options.limit = Duration::from_millis(settings.step_timeout_ms);
    options.collect = running.coverage.is_some().then(|| COLLECT_DELTA.to_owned());
    options
}

/// Abstracts the recorded snapshots to states.
pub(crate) fn states(run: &RunDir) -> Result<(), Failure> {
    let sitting = Sitting::begin(run, Stage::States, true)?;
    let built =
        StatesFile::build(run, &webeval_states::Options::default()).and_then(|states| run.write_states(&states));
    match built {
        Ok(()) => sitting.done(|_| {}),
        Err(error) => Err(sitting.failed(FailureOwner::Tool, Failure::failed(error))),
    }
}

/// Scores the run: always by rules, and by the model where there is one.
pub(crate) async fn judge(run: &RunDir, task: Option<&Task>, model: Option<&Model>) -> Result<(), Failure> {
    let sitting = Sitting::begin(run, Stage::Judge, false)?;
    match judge_in(run, task, model).await {
        Ok(()) => sitting.done(|_| {}),
        Err(failure) => Err(sitting.failed(FailureOwner::Tool, failure)),
    }
}

async fn judge_in(run: &RunDir, task: Option<&Task>, model: Option<&Model>) -> Result<(), Failure> {
    rules::judge(run).map_err(Failure::failed)?;
    if let Some(model) = model {
        let record = run.run().map_err(Failure::failed)?;
        let bare = record.requirement.map(|requirement| Task::new("requirement", requirement));
        let task = task.or(bare.as_ref());
        let options = webcraft::Options::default().with_seed(record.settings.seed);
        let events = |event| tracing::debug!(?event, "judging");
        webcraft::judge(run, task, model.as_ref(), &options, &events).await.map_err(Failure::failed)?;
    }
    Ok(())
}

/// Writes `report.html`.
pub(crate) fn report(run: &RunDir) -> Result<(), Failure> {
    let sitting = Sitting::begin(run, Stage::Report, true)?;
    // The report says of itself that it is done: it is only there when it is.
    sitting.done(|_| {})?;
    webeval_report::write(run).map(drop).map_err(Failure::failed)
}
