//! The five stages, one function each: what each reads from the run directory, does, and writes there.

use std::time::Duration;

use webeval_browser::{Driver, DriverOptions, Session, SessionOptions};
use webeval_deploy::{App, Running};
use webeval_evidence::{
    AdvisorKind, CoverageBy, Deployment, Environment, FailureOwner, RunDir, Settings, Stage, StatesFile, TesterKind,
};
use webeval_explore::{
    Advisor, BuiltIn, BuiltInAdvisor, Cancel, Cast, Ended, Events, ModelAdvisor, ModelTester, Probe, RandomTester,
    Tester,
};
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
pub(crate) async fn deploy(run: &RunDir, app: &App, mut options: webeval_deploy::Options) -> Result<Running, Failure> {
    let sitting = Sitting::begin(run, Stage::Deploy, false)?;
    options.sources = Some(run.root().join("sources"));
    match webeval_deploy::deploy(app, &options).await {
        Ok(running) => {
            let record = running.record.clone();
            sitting.done(|run| run.deployment = Some(record))?;
            Ok(running)
        }
        Err(webeval_deploy::Error::Undeployable { record }) => {
            let (whose, message) = match &record.failure {
                Some(failure) => (failure.whose, failure.message.clone()),
                None => (FailureOwner::Tool, "the app is not up".to_owned()),
            };
            let failure = sitting.failed(whose, Failure::Failed(message));
            note_deployment(run, *record)?;
            Err(failure)
        }
        Err(error) => {
            let whose = owner(&error);
            Err(sitting.failed(whose, Failure::failed(error)))
        }
    }
}

/// Puts what is known of the deployment by now into `run.json`.
pub(crate) fn note_deployment(run: &RunDir, deployment: Deployment) -> Result<(), Failure> {
    let mut record = run.run().map_err(Failure::failed)?;
    record.deployment = Some(deployment);
    run.write_run(&record).map_err(Failure::failed)
}

fn owner(error: &webeval_deploy::Error) -> FailureOwner {
    match error {
        webeval_deploy::Error::NoPage { .. } | webeval_deploy::Error::TooLarge { .. } => FailureOwner::App,
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
    note_coverage(run, running, &session)?;

    let (mut tester, advisor) = players(&settings, *model)?;
    let mut probe = VisualProbe::default();
    let cast =
        Cast { tester: tester.as_mut(), advisor: advisor.as_deref(), probes: vec![&mut probe as &mut dyn Probe] };
    let app = webeval_explore::App { entry: running.record.entry.clone(), coverage: running.coverage.clone() };
    let mut options = webeval_explore::Options::default();
    options.steps = settings.steps;
    options.origins = running.origins.clone();
    options.foreign = settings.exclude_external.then_some(webeval_deploy::is_third_party);
    let explored = webeval_explore::explore(&mut session, &app, run, &options, cast, events, cancel).await;
    // A browser that cannot be closed politely goes with the driver.
    if let Err(error) = session.close().await {
        tracing::debug!(%error, "the session was not closed");
    }
    Ok((explored.map_err(Failure::failed)?.ended, environment))
}

/// Puts into `run.json` who counts what the app's code runs.
fn note_coverage(run: &RunDir, running: &Running, session: &Session) -> Result<(), Failure> {
    let mut record = run.run().map_err(Failure::failed)?;
    record.coverage_by = match (&running.coverage, session.counts_by_v8()) {
        (Some(_), _) => Some(CoverageBy::Counters),
        (None, true) => Some(CoverageBy::V8),
        (None, false) => {
            eprintln!("webeval: no coverage: the app has no counters, and the driver does not tell what V8 counts");
            None
        }
    };
    run.write_run(&record).map_err(Failure::failed)
}

/// The tester and the advisor that the settings name.
type Players = (Box<dyn Tester>, Option<Box<dyn Advisor>>);

fn players(settings: &Settings, model: Option<&Model>) -> Result<Players, Failure> {
    let model =
        || model.cloned().ok_or_else(|| Failure::Input("the run wants a model: name one with --model".to_owned()));
    let tester: Box<dyn Tester> = match settings.tester {
        TesterKind::Model => Box::new(ModelTester::new(model()?, settings.seed)),
        TesterKind::Random => Box::new(RandomTester::new(settings.seed)),
        _ => Box::new(BuiltIn::new(settings.seed)),
    };
    let advisor: Option<Box<dyn Advisor>> = match settings.advisor {
        AdvisorKind::Off => None,
        AdvisorKind::Model => Some(Box::new(ModelAdvisor::new(model()?, settings.seed))),
        _ => Some(Box::new(BuiltInAdvisor::default())),
    };
    Ok((tester, advisor))
}

pub(crate) fn session_options(settings: &Settings, running: &Running) -> SessionOptions {
    let mut options = SessionOptions::new(running.origin());
    options.viewport = settings.viewport;
    options.args = running.browser_args();
    options.limit = Duration::from_millis(settings.step_timeout_ms);
    options.collect = running.coverage.is_some().then(|| COLLECT_DELTA.to_owned());
    options.v8 = running.coverage.is_none();
    options.deterministic = settings.deterministic.then_some(settings.seed);
    options.offline = settings.deterministic;
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
    judged(run, async {
        rules::judge(run).map_err(judge_failure)?;
        if let Some(model) = model {
            let record = run.run().map_err(Failure::failed)?;
            let bare = record.requirement.map(|requirement| Task::new("requirement", requirement));
            let options = webcraft::Options::default().with_seed(record.settings.seed);
            let events = |event| tracing::debug!(?event, "judging");
            let judged = webcraft::judge(run, task.or(bare.as_ref()), model.as_ref(), &options, &events);
            judged.await.map_err(judge_failure)?;
        }
        Ok(())
    })
    .await
}

/// Does some judging as the run's judge stage.
pub(crate) async fn judged(run: &RunDir, work: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
    let sitting = Sitting::begin(run, Stage::Judge, false)?;
    match work.await {
        Ok(()) => sitting.done(|_| {}),
        Err(failure) => Err(sitting.failed(FailureOwner::Tool, failure)),
    }
}

/// What is wrong with the files that a judge was given is bad input; nothing has been sent then.
pub(crate) fn judge_failure(error: webeval_judges::Error) -> Failure {
    use webeval_judges::Error::{Evaluator, NoEvidence, Prompt, Screenshot, Task};
    match error {
        Evaluator { .. } | NoEvidence { .. } | Prompt { .. } | Screenshot { .. } | Task { .. } => Failure::input(error),
        error => Failure::failed(error),
    }
}

/// Writes `report.html`.
pub(crate) fn report(run: &RunDir) -> Result<(), Failure> {
    let sitting = Sitting::begin(run, Stage::Report, true)?;
    // The report says of itself that it is done: it is only there when it is.
    sitting.done(|_| {})?;
    webeval_report::write(run).map(drop).map_err(Failure::failed)
}
