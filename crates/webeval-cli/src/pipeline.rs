//! The five stages, one function each: what each reads from the run directory, does, and writes there.

use std::time::Duration;

use webeval_browser::{Driver, DriverOptions, Session, SessionOptions};
use webeval_deploy::{App, Running};
use webeval_evidence::{FailureOwner, RunDir, Stage, StatesFile};
use webeval_explore::{BuiltIn, Cancel, Cast, Ended, Events, Probe, Tester};
use webeval_instrument::coverage::COLLECT_DELTA;
use webeval_judges::{Task, rules, webcraft};

use crate::failure::Failure;
use crate::model::Model;
use crate::probe::VisualChecks;
use crate::stage::Sitting;

/// Starts the driver, or finds the one that runs elsewhere. A driver or browser that is missing or does not match is
/// bad input: nothing has been written yet.
pub(crate) async fn driver(webdriver: Option<&str>) -> Result<Driver, Failure> {
    if let Some(url) = webdriver {
        return Ok(Driver::at(url));
    }
    let missing = |error: webeval_browser::Error| {
        let message = Failure::input(error);
        Failure::Input(format!("{message} (scripts/setup installs what is missing; webeval doctor says what that is)"))
    };
    let driver = Driver::start(&DriverOptions::default()).await.map_err(missing)?;
    // A session that is opened and closed is the only proof that browser and driver fit together.
    let trial = Session::open(&driver, SessionOptions::new("http://127.0.0.1")).await.map_err(missing)?;
    trial.close().await.map_err(missing)?;
    Ok(driver)
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

/// Explores the running app, or goes on with an exploration that was left unfinished.
pub(crate) async fn explore(
    run: &RunDir,
    running: &Running,
    driver: &Driver,
    model: Option<&Model>,
    events: &mut dyn Events,
    cancel: &Cancel,
) -> Result<(), Failure> {
    let sitting = Sitting::begin(run, Stage::Explore, false)?;
    match explore_in(run, running, driver, model, events, cancel).await {
        Ok((Ended::Cancelled, _)) => {
            sitting.interrupted()?;
            Err(Failure::Interrupted(format!(
                "interrupted; go on with --resume, or webeval explore {}",
                run.root().display()
            )))
        }
        Ok((_, environment)) => sitting.done(|run| run.environment = Some(environment)),
        Err(failure) => Err(sitting.failed(FailureOwner::Tool, failure)),
    }
}

async fn explore_in(
    run: &RunDir,
    running: &Running,
    driver: &Driver,
    model: Option<&Model>,
    events: &mut dyn Events,
    cancel: &Cancel,
) -> Result<(Ended, webeval_evidence::Environment), Failure> {
    let settings = run.run().map_err(Failure::failed)?.settings;
    let mut session_options = SessionOptions::new(running.origin());
    session_options.viewport = settings.viewport;
    session_options.limit = Duration::from_millis(settings.step_timeout_ms);
    session_options.collect = running.coverage.is_some().then(|| COLLECT_DELTA.to_owned());
    let mut session = Session::open(driver, session_options).await.map_err(Failure::failed)?;
    let environment = session.environment();

    let mut tester: Box<dyn Tester> = match model {
        Some(_) => return Err(Failure::Failed("no model tester yet".into())),
        None => Box::new(BuiltIn::new(settings.seed)),
    };
    let mut probe = VisualChecks::default();
    let cast = Cast { tester: tester.as_mut(), advisor: None, probes: vec![&mut probe as &mut dyn Probe] };
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
        let bare = Task::new("requirement", record.requirement.unwrap_or_default());
        let task = task.unwrap_or(&bare);
        let options = webcraft::Options::default().with_seed(record.settings.seed);
        let events = |event| tracing::debug!(?event, "judging");
        webcraft::judge(run, task, model.chat.as_ref(), &options, &events).await.map_err(Failure::failed)?;
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
