//! The loop: look, decide, act, account, record.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use webeval_browser::{Observation, Session, Stepped};
use webeval_evidence::{
    Action, ActionKind, BlobKind, BlobRef, CoverageCounts, CoverageIncrement, Hint, Log, Outcome, OutcomeStatus,
    RunDir, Step, StepCoverage, Summary, Timings, Trace, TraceLine,
};
use webeval_instrument::coverage::{CoverageMap, Origins};
use webeval_states::{Identity, StateId, identify};

use crate::coverage::{Gained, Ledger};
use crate::tester::{Advisor, Decision, Feedback, Plight, Probe, Situation, Tester};
use crate::v8::{Foreign, Witness};
use crate::{Cancel, Error, Events, Sources};

/// The application as it is served.
#[derive(Clone, Debug, Default)]
pub struct App {
    /// Path and query of the first page, such as `/index.html`.
    pub entry: String,
    /// Coverage of every staged file with all counters at zero; none where the app has no counters. What it runs is then
    /// counted by V8, in a session that was opened for that ([`webeval_browser::SessionOptions::v8`]).
    pub coverage: Option<CoverageMap>,
}

/// How an exploration is done.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Most interactions (WebCraftBench §4.2: 100). Loading the page is none.
    pub steps: u32,
    /// Interactions without newly covered statements that make a plateau (§4.2: 3).
    pub plateau: u32,
    /// Whether a screenshot is taken with every step.
    pub screenshots: bool,
    /// Most states that are probed.
    pub probes: u32,
    /// Tells scripts that the app's author only uses, by their paths: V8's counts of those are left out.
    pub foreign: Option<Foreign>,
    /// Where the counters come from, for an app that counts in its bundles and not in the sources that its coverage is of.
    pub origins: Option<Arc<Origins>>,
    /// Steps in a row that may end with a lost browser before the exploration is given up.
    pub crashes: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self { steps: 100, plateau: 3, screenshots: true, probes: 12, foreign: None, origins: None, crashes: 5 }
    }
}

/// Why an exploration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ended {
    /// The tester said that it was done.
    Finished,
    /// All interactions were used.
    Budget,
    /// It was asked to stop; another call goes on from there.
    Cancelled,
    /// The app took the browser down more often than it is started anew. What was seen until then stands.
    Lost,
}

/// What came of an exploration. Everything else is in the run directory.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Explored {
    /// Why it ended.
    pub ended: Ended,
    /// Interactions in the trace, those of earlier sittings included.
    pub interactions: u32,
    /// Coverage reached; none of an app without counters in a session where V8 does not count.
    pub coverage: Option<CoverageCounts>,
    /// Time of this sitting.
    pub time: Duration,
}

/// Those who take part.
#[derive(Debug)]
pub struct Cast<'a> {
    /// Decides.
    pub tester: &'a mut dyn Tester,
    /// Gives hints after a plateau.
    pub advisor: Option<&'a dyn Advisor>,
    /// Measure new states.
    pub probes: Vec<&'a mut dyn Probe>,
}

/// Explores an application and records everything in the run directory. A directory that holds an unfinished trace is
/// gone on from: the app is opened again, steps are numbered on, coverage is added to.
///
/// # Errors
/// When the browser is lost for good, the disk refuses, or the tester cannot go on. What was recorded stays.
pub async fn explore<'a>(
    session: &'a mut Session,
    app: &App,
    dir: &'a RunDir,
    options: &'a Options,
    cast: Cast<'a>,
    events: &'a mut dyn Events,
    cancel: &Cancel,
) -> Result<Explored, Error> {
    let start = Instant::now();
    let trace = dir.trace()?;
    let mut explorer = Explorer::new(session, app, dir, options, cast, events, &trace)?;
    let ended = explorer.run(app, &trace, cancel).await;
    // Coverage is written however it ended.
    explorer.write_coverage()?;
    let ended = ended?;
    Ok(Explored {
        ended,
        interactions: explorer.interactions,
        coverage: explorer.ledger.as_ref().map(Ledger::counts),
        time: start.elapsed(),
    })
}

struct Explorer<'a> {
    session: &'a mut Session,
    dir: &'a RunDir,
    options: &'a Options,
    cast: Cast<'a>,
    events: &'a mut dyn Events,
    log: Log<TraceLine>,
    increments: Log<CoverageIncrement>,
    ledger: Option<Ledger>,
    /// Where V8 counts.
    witness: Option<Witness>,
    sources: Sources,
    next: u32,
    interactions: u32,
    without_gain: u32,
    hints: Vec<Hint>,
    /// What the advisor said last.
    advised: Option<String>,
    exact: Option<StateId>,
    structures: HashSet<StateId>,
    probed: u32,
    crashes: u32,
}

/// The page after a step.
struct Now {
    page: Observation,
    state: Option<Identity>,
    feedback: Option<Feedback>,
}

impl<'a> Explorer<'a> {
    fn new(
        session: &'a mut Session,
        app: &App,
        dir: &'a RunDir,
        options: &'a Options,
        cast: Cast<'a>,
        events: &'a mut dyn Events,
        trace: &Trace,
    ) -> Result<Self, Error> {
        let ledger = app.coverage.clone().map(Ledger::new);
        let mut ledger = ledger.map(|ledger| ledger.with_origins(options.origins.clone()));
        let earlier = dir.coverage_log()?;
        let mut witness = None;
        if ledger.is_none() && session.counts_by_v8() {
            let mut empty = Ledger::new(CoverageMap::default());
            witness = Some(Witness::new(dir, !earlier.is_empty(), options.foreign, &mut empty));
            ledger = Some(empty);
        }
        if let Some(ledger) = &mut ledger {
            for increment in earlier {
                ledger.apply(&increment.deltas);
            }
        }
        let interactions = trace.steps.iter().filter(|step| counts(step)).count();
        Ok(Self {
            log: dir.trace_log()?,
            increments: dir.open_coverage_log()?,
            session,
            dir,
            options,
            cast,
            events,
            ledger,
            witness,
            sources: Sources::in_folder(dir.root().join("sources")),
            next: trace.steps.last().map_or(0, |step| step.index + 1),
            interactions: u32::try_from(interactions).unwrap_or(u32::MAX),
            without_gain: 0,
            hints: Vec::new(),
            advised: trace.hints.last().map(|hint| hint.text.clone()),
            exact: None,
            structures: HashSet::new(),
            probed: u32::try_from(trace.steps.iter().filter(|step| step.probe.is_some()).count()).unwrap_or(u32::MAX),
            crashes: 0,
        })
    }

    async fn run(&mut self, app: &App, trace: &Trace, cancel: &Cancel) -> Result<Ended, Error> {
        if trace.summary.is_some() {
            return Ok(Ended::Finished);
        }
        let entry = if app.entry.starts_with('/') { app.entry.clone() } else { format!("/{}", app.entry) };
        let load = Action { kind: ActionKind::Load { url: format!("app:{entry}") }, target: None };
        let mut now = self.step(load, None).await?;
        let ended = loop {
            if cancel.is_cancelled() {
                return Ok(Ended::Cancelled);
            }
            if self.interactions >= self.options.steps {
                break Ended::Budget;
            }
            let plateau = self.without_gain >= self.options.plateau && self.ledger.is_some();
            if plateau {
                tokio::select! {
                    asked = self.ask_advisor(&now) => asked?,
                    () = cancel.cancelled() => return Ok(Ended::Cancelled),
                }
                self.without_gain = 0;
            }
            let situation = self.situation(&now, plateau);
            let hints = std::mem::take(&mut self.hints);
            let situation = Situation { hints: &hints, ..situation };
            let decision = tokio::select! {
                decision = self.cast.tester.decide(situation) => decision?,
                () = cancel.cancelled() => return Ok(Ended::Cancelled),
            };
            if decision.action.kind == ActionKind::Finish {
                break Ended::Finished;
            }
            let Decision { action, reason } = decision;
            now = match self.step(action, reason).await {
                Ok(now) => now,
                Err(Error::Browser(error)) if error.is_fatal() => {
                    self.events
                        .trouble(&format!("given up after the app took the browser down again and again: {error}"));
                    break Ended::Lost;
                }
                Err(error) => return Err(error),
            };
            self.interactions += 1;
        };
        let situation = self.situation(&now, false);
        let summary: Summary = self.cast.tester.summarize(situation).await?;
        self.log.append(&TraceLine::Summary(summary))?;
        Ok(ended)
    }

    fn situation<'s>(&self, now: &'s Now, plateau: bool) -> Situation<'s> {
        Situation {
            step: self.next,
            left: self.options.steps.saturating_sub(self.interactions),
            page: &now.page,
            state: now.state,
            last: now.feedback.as_ref(),
            coverage: self.ledger.as_ref().map(Ledger::counts),
            plateau,
            hints: &[],
        }
    }

    async fn ask_advisor(&mut self, now: &Now) -> Result<(), Error> {
        let (Some(advisor), Some(ledger)) = (self.cast.advisor, &self.ledger) else { return Ok(()) };
        match advisor.advise(Plight { coverage: ledger.map(), sources: &self.sources, page: &now.page }).await {
            // The same words again would tell the tester nothing.
            Ok(Some(text)) if self.advised.as_ref() != Some(&text) => {
                self.advised = Some(text.clone());
                let hint = Hint { after: self.next.saturating_sub(1), advisor: advisor.name(), text };
                self.log.append(&TraceLine::Hint(hint.clone()))?;
                self.events.hint(&hint);
                self.hints.push(hint);
            }
            Ok(_) => {}
            // Hints are a help, not a condition.
            Err(error) => self.events.trouble(&error.to_string()),
        }
        Ok(())
    }

    /// Carries out an action and records it.
    async fn step(&mut self, action: Action, reason: Option<String>) -> Result<Now, Error> {
        let start = Instant::now();
        let waited = self.session.waited();
        let stepped = self.session.step(&action).await?;
        let shot_start = self.session.waited();
        let screenshot = self.screenshot(&stepped.observation).await?;
        let shot = self.session.waited() - shot_start;
        let Stepped { outcome, observation: page, act, observe, .. } = stepped;
        self.watch_crashes(&outcome)?;

        let state = page.html.as_deref().and_then(|html| identify(html, &webeval_states::Options::default()).ok());
        let exact = state.map(|state| state.level0);
        let changed = exact != self.exact;
        self.exact = exact;
        let (gained, coverage) = self.account(&page)?;
        let snapshot =
            page.html.as_deref().map(|html| self.dir.store(BlobKind::Snapshot, html.as_bytes())).transpose()?;
        self.note_uncounted(&page)?;
        let probe = self.probe(state).await?;

        let total = start.elapsed();
        let model = self.cast.tester.model_ms();
        let known = self.session.waited() - waited;
        let timings = Timings {
            total: millis(total) + model,
            act: millis(act),
            settle: page.settled_ms,
            observe: (millis(observe) - page.settled_ms).max(0.0),
            screenshot: millis(shot),
            model,
            own: millis(total.saturating_sub(known)),
        };
        let step = Step {
            index: self.next,
            action: action.clone(),
            reason,
            outcome: outcome.clone(),
            url: page.url.clone(),
            title: page.title.clone(),
            changed,
            coverage,
            snapshot,
            screenshot,
            probe,
            console: page.console.clone(),
            errors: page.errors.clone(),
            network: page.network.clone(),
            timings,
        };
        self.log.append(&TraceLine::Step(Box::new(step.clone())))?;
        self.events.step(&step);
        self.next += 1;
        if counts(&step) {
            self.without_gain = if gained.statements > 0 { 0 } else { self.without_gain + 1 };
        }
        let feedback = Feedback {
            action,
            outcome,
            gain: gained.statements,
            functions: gained.functions,
            changed,
            ran: gained.ran,
        };
        Ok(Now { page, state, feedback: Some(feedback) })
    }

    async fn screenshot(&mut self, page: &Observation) -> Result<Option<BlobRef>, Error> {
        if !self.options.screenshots || page.dialog.is_some() {
            return Ok(None);
        }
        match self.session.screenshot().await {
            Ok(png) => Ok(Some(self.dir.store(BlobKind::Screenshot, &png)?)),
            // The page opened a dialog meanwhile or hangs: the next look deals with it.
            Err(error) => {
                tracing::debug!(%error, "no screenshot");
                Ok(None)
            }
        }
    }

    fn watch_crashes(&mut self, outcome: &Outcome) -> Result<(), Error> {
        if !matches!(outcome.status, OutcomeStatus::Crashed | OutcomeStatus::TimedOut) {
            self.crashes = 0;
            return Ok(());
        }
        self.crashes += 1;
        if self.crashes > self.options.crashes {
            let detail = outcome.detail.clone().unwrap_or_default();
            let source = format!("{} steps in a row ended with a lost browser, the last: {detail}", self.crashes);
            return Err(Error::Tester { tester: self.cast.tester.name(), source: source.into() });
        }
        Ok(())
    }

    fn account(&mut self, page: &Observation) -> Result<(Gained, Option<StepCoverage>), Error> {
        let Some(ledger) = &mut self.ledger else { return Ok((Gained { ran: true, ..Gained::default() }, None)) };
        let before = ledger.counts();
        let (deltas, ran): (Vec<String>, bool) = match &mut self.witness {
            Some(witness) => {
                let deltas = witness.read(&page.executed, ledger)?;
                // An app whose scripts all come from elsewhere runs nothing of its own anywhere.
                let ran = !deltas.is_empty() || ledger.map().is_empty();
                (deltas, ran)
            }
            None => {
                let deltas = page.deltas.iter().filter(|delta| delta.as_str() != "{}").cloned().collect();
                (deltas, ledger.knows(page.deltas.get(page.deltas_left..).unwrap_or_default()))
            }
        };
        let mut gained = ledger.apply(&deltas);
        // Whether the page that is there now runs any of the app's code.
        gained.ran = page.scripts == 0 || ran;
        if !deltas.is_empty() {
            self.increments.append(&CoverageIncrement { step: self.next, deltas })?;
        }
        Ok((gained, Some(StepCoverage { before, after: ledger.counts(), gain: gained.statements })))
    }

    /// Says in the run's record what of the app's code is not counted, once each.
    fn note_uncounted(&self, page: &Observation) -> Result<(), Error> {
        if page.uncounted.is_empty() {
            return Ok(());
        }
        let mut record = self.dir.run()?;
        let known = record.uncounted.len();
        for what in &page.uncounted {
            if !record.uncounted.contains(what) {
                record.uncounted.push(what.clone());
            }
        }
        if record.uncounted.len() > known {
            self.dir.write_run(&record)?;
        }
        Ok(())
    }

    async fn probe(&mut self, state: Option<Identity>) -> Result<Option<BlobRef>, Error> {
        let Some(state) = state else { return Ok(None) };
        if !self.structures.insert(state.level2) || self.probed >= self.options.probes || self.cast.probes.is_empty() {
            return Ok(None);
        }
        self.probed += 1;
        let mut found = Vec::new();
        for probe in &mut self.cast.probes {
            found.extend(probe.inspect(self.session).await);
        }
        // One probe is the rule; several are kept as a list.
        let value = match found.len() {
            0 => return Ok(None),
            1 => found.remove(0),
            _ => serde_json::Value::Array(found),
        };
        Ok(Some(self.dir.store(BlobKind::Probe, value.to_string().as_bytes())?))
    }

    fn write_coverage(&self) -> Result<(), Error> {
        let Some(ledger) = &self.ledger else { return Ok(()) };
        let text = serde_json::to_vec(ledger.map()).map_err(Error::Coverage)?;
        Ok(self.dir.write_file("coverage.json", &text)?)
    }
}

/// Whether a recorded step was an interaction, which the budget counts.
fn counts(step: &Step) -> bool {
    !opens_sitting(step)
}

/// Whether a step is the load that the loop makes itself at the beginning of each sitting: that one has no reason.
pub(crate) fn opens_sitting(step: &Step) -> bool {
    step.reason.is_none() && matches!(step.action.kind, ActionKind::Load { .. })
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
