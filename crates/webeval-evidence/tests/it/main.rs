//! The run directory, as other programs would meet it.

#![allow(clippy::unwrap_used, reason = "a test that fails should stop")]

mod blobs;
mod logs;
mod schemas;
mod vacancy;

use webeval_evidence::{Action, ActionKind, AppSource, Outcome, RunRecord, Settings, Step, Timings};

fn record() -> RunRecord {
    RunRecord::new(AppSource::Folder { path: "/apps/todo".into() }, Some("a to-do list".into()), Settings::default())
}

fn step(index: u32) -> Step {
    Step {
        index,
        action: Action { kind: ActionKind::Click { at: None }, target: None },
        reason: None,
        outcome: Outcome::performed(),
        url: "app:/".into(),
        title: "To-do".into(),
        changed: true,
        coverage: None,
        snapshot: None,
        screenshot: None,
        probe: None,
        console: Vec::new(),
        errors: Vec::new(),
        network: Vec::new(),
        timings: Timings::default(),
    }
}
