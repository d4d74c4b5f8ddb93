//! Progress while exploring: a bar on a terminal, plain lines elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use webeval_evidence::{Hint, OutcomeStatus, Step};
use webeval_explore::Events;

/// How often a plain line is written.
const EVERY: Duration = Duration::from_secs(2);

/// Watches an exploration on the error output, so that the output proper stays for results.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    budget: u32,
    began: Instant,
    spoke: Instant,
}

impl Progress {
    /// `budget`: interactions that may be made.
    pub(crate) fn new(budget: u32) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(budget.into());
            let style = ProgressStyle::with_template("explore {bar:30} {pos}/{len} steps {elapsed} {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        });
        Self { bar, budget, began: Instant::now(), spoke: Instant::now() }
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.println(line),
            None => eprintln!("{line}"),
        }
    }
}

impl Events for Progress {
    fn step(&mut self, step: &Step) {
        let coverage = match &step.coverage {
            Some(coverage) => {
                let count = coverage.after.statements;
                format!("{:.1} % of statements", 100.0 * f64::from(count.covered) / f64::from(count.total.max(1)))
            }
            None => "no coverage".to_owned(),
        };
        if matches!(step.outcome.status, OutcomeStatus::TimedOut | OutcomeStatus::Crashed) {
            let detail = step.outcome.detail.as_deref().unwrap_or("no answer");
            self.say(&format!("step {}: {}: {detail}", step.index, step.action.label()));
        }
        match &self.bar {
            Some(bar) => {
                bar.set_position(step.index.into());
                bar.set_message(coverage);
            }
            None if self.spoke.elapsed() >= EVERY || step.index == self.budget => {
                self.spoke = Instant::now();
                let seconds = self.began.elapsed().as_secs();
                eprintln!("explore: step {}/{}, {coverage}, {seconds} s", step.index, self.budget);
            }
            None => {}
        }
    }

    fn hint(&mut self, hint: &Hint) {
        tracing::debug!(after = hint.after, text = hint.text, "hint");
    }

    fn trouble(&mut self, message: &str) {
        self.say(&format!("explore: {message}"));
    }
}
