//! The rule judge, against scores worked out by hand.

use serde_json::json;
use webeval_evidence::{
    ActionKind, AppSource, ConsoleLevel, ConsoleMessage, FailureOwner, NetworkFailure, Outcome, OutcomeStatus, RunDir,
    RunRecord, ScoreEntry, ScoreStatus, Settings, Severity, Stage, StageFailure, StageRecord, StageStatus,
};
use webeval_judges::{Error, rules};

use crate::runs::{Made, covered, target, thrown, todo};

const PAGE: &str = "<h1>Todo</h1>";

fn value(entry: &ScoreEntry, dimension: &str) -> f64 {
    entry.dimensions[dimension].value.unwrap()
}

fn found(entry: &ScoreEntry) -> Vec<(&str, Severity, u32)> {
    entry.findings.iter().map(|f| (f.rule.as_str(), f.severity, f.count)).collect()
}

#[test]
fn what_no_model_judged_is_said_plainly() {
    let made = todo();
    let entry = rules::judge(&made.run).unwrap();
    for dimension in ["aesthetics", "usability", "alignment.functional", "alignment.content", "alignment.visual"] {
        let score = &entry.dimensions[dimension];
        assert_eq!((score.status, score.value), (ScoreStatus::NotJudged, None), "{dimension}");
        assert!(score.grounds.contains("no model judged"));
    }
    assert!(entry.notes[0].starts_with("No model judged this run."));
    assert!(
        entry.notes.contains(
            &"Coverage reached: statements 30.0 % (60 of 200), functions 75.0 % (3 of 4), \
        branches none to cover."
                .to_owned()
        )
    );
    assert!(entry.criteria.is_empty());
    assert_eq!(made.run.scores().unwrap().entries, std::slice::from_ref(&entry));
    assert_eq!(rules::judge(&made.run).unwrap(), entry);
    assert_eq!(made.run.scores().unwrap().entries.len(), 1);
    assert!(webeval_evidence::schema::validate(made.run.root()).unwrap().is_empty());
}

#[test]
fn a_control_that_never_does_anything_is_dead() {
    let mut made = Made::new();
    made.load(PAGE);
    made.click("button", "Add", |step| step.changed = true);
    for _ in 0..2 {
        made.click("button", "Save", |step| covered(step, 50, 0));
    }
    made.click("button", "Undo", |step| covered(step, 51, 1));
    made.click("button", "Broken", |step| step.errors.push(thrown("x is undefined")));
    made.click("button", "Under", |step| {
        step.outcome = Outcome::failed(OutcomeStatus::Blocked, "covered by div.banner");
    });
    made.click("textbox", "Name", |_| {});
    made.click("generic", "box", |_| {});
    made.step(ActionKind::Type { text: "x".into() }, Some(target("textbox", "Readonly")), |step| covered(step, 51, 0));
    let entry = rules::judge(&made.run).unwrap();
    // Add and Undo answered; Save, Broken and Readonly did not; Under was in the way of something once, which proves
    // nothing; clicking into a field and onto a bare box are no tries.
    assert_eq!(value(&entry, "rules.interaction"), 40.0);
    assert!(entry.dimensions["rules.interaction"].grounds.starts_with("2 of 5 controls answered; median answer"));
    let expected = [
        ("dead-control", Severity::Major, 2),
        ("uncaught-error", Severity::Major, 1),
        ("dead-control", Severity::Major, 1),
        ("covered-control", Severity::Note, 1),
    ];
    assert_eq!(found(&entry), expected);
    assert_eq!(
        entry.findings[0].message,
        "button \"Save\" did nothing in all 2 tries: no change of the page, no navigation, no dialog, no new code ran"
    );
    assert_eq!((entry.findings[0].place.step, entry.findings[0].place.selector.as_deref()), (Some(2), Some("#Save")));
}

#[test]
fn a_button_that_says_copied_for_a_while_is_not_dead() {
    let mut made = Made::new();
    let page = |text: &str| format!("<h1>Todo</h1><button id=b>{text}</button>");
    let (before, after) = (made.html(&page("Copy")), made.html(&page("Copied!")));
    made.step(ActionKind::Load { url: "app:/".into() }, None, |step| step.snapshot = before);
    let mut copy = target("button", "Copy");
    copy.selector = "#b".into();
    let copied = webeval_evidence::Target { name: "Copied!".into(), ..copy.clone() };
    for (target, changed) in [(copy, true), (copied, false)] {
        let snapshot = after.clone();
        made.step(ActionKind::Click { at: None }, Some(target), |step| {
            (step.snapshot, step.changed) = (snapshot, changed);
            covered(step, 50, 0);
        });
    }
    let entry = rules::judge(&made.run).unwrap();
    assert_eq!((value(&entry, "rules.interaction"), found(&entry)), (100.0, vec![]));
}

#[test]
fn what_the_machine_cannot_reach_is_not_the_apps_fault() {
    let mut made = Made::new();
    let lost = |url: &str, error: &str| NetworkFailure { url: url.into(), status: None, error: Some(error.into()) };
    made.step(ActionKind::Load { url: "app:/".into() }, None, |step| {
        step.errors.push(thrown("TypeError: x.y is not a function"));
    });
    made.step(ActionKind::Reload, None, |step| {
        step.network.push(lost("https://cdn.example/chart.js", "net::ERR_NAME_NOT_RESOLVED"));
        step.errors.push(thrown("ReferenceError: Chart is not defined"));
        step.console.push(ConsoleMessage { level: ConsoleLevel::Error, text: "TypeError: Failed to fetch".into() });
    });
    made.step(ActionKind::Reload, None, |step| {
        step.network.push(lost("app:/data.json", "net::ERR_CONNECTION_REFUSED"));
        step.network.push(NetworkFailure { url: "https://cdn.example/x".into(), status: Some(404), error: None });
        step.errors.push(thrown("RangeError: too deep"));
    });
    let entry = rules::judge(&made.run).unwrap();
    // Steps 0 and 2 of 3 are faulty, with two distinct errors: the first came before anything was missing. Two failed
    // requests count, the app's own and the one that was answered.
    assert!((value(&entry, "rules.stability") - (100.0 / 3.0 - 20.0 - 6.0)).abs() < 1e-9);
    let notes: Vec<_> =
        entry.findings.iter().filter(|f| f.severity == Severity::Note).map(|f| f.rule.as_str()).collect();
    assert_eq!(notes, ["console-error", "uncaught-error", "unreachable-host"]);
    assert!(entry.notes.iter().any(|note| note.starts_with("3 failed requests and errors are not counted")));
}

#[test]
fn without_coverage_one_silent_try_proves_nothing() {
    let mut made = Made::new();
    made.load(PAGE);
    made.click("button", "Undo", |_| {});
    let entry = rules::judge(&made.run).unwrap();
    assert_eq!((value(&entry, "rules.interaction"), found(&entry)), (100.0, vec![("dead-control", Severity::Note, 1)]));
    // From another state, silent again: now it counts.
    let other = made.html("<h1>Todo</h1><p>more</p>");
    made.click("button", "More", |step| (step.snapshot, step.changed) = (other, true));
    made.click("button", "Undo", |_| {});
    let entry = rules::judge(&made.run).unwrap();
    assert_eq!((value(&entry, "rules.interaction"), found(&entry)), (50.0, vec![("dead-control", Severity::Minor, 2)]));
    assert!(entry.notes.iter().any(|note| note.contains("black box")));
}

#[test]
fn stability_counts_steps_and_distinct_faults() {
    let mut made = Made::new();
    made.load(PAGE);
    for _ in 0..2 {
        made.click("button", "Go", |step| step.errors.push(thrown("x is undefined")));
    }
    made.click("button", "Loop", |step| step.outcome = Outcome::failed(OutcomeStatus::TimedOut, "no answer"));
    for status in [404, 404, 500] {
        made.click("button", "Get", |step| {
            step.changed = true;
            step.network.push(NetworkFailure { url: "app:/data.json".into(), status: Some(status), error: None });
        });
    }
    made.click("button", "Log", |step| {
        step.changed = true;
        step.console.push(ConsoleMessage { level: ConsoleLevel::Error, text: "bad".into() });
        step.console.push(ConsoleMessage { level: ConsoleLevel::Info, text: "fine".into() });
    });
    let entry = rules::judge(&made.run).unwrap();
    // 8 steps, 3 of them faulty: 62.5; two distinct faults: -20; two failed requests and a console error: -9.
    assert_eq!(value(&entry, "rules.stability"), 33.5);
    let expected = [
        ("hang", Severity::Critical, 1),
        ("uncaught-error", Severity::Major, 2),
        ("failed-request", Severity::Minor, 2),
        ("failed-request", Severity::Minor, 1),
        ("console-error", Severity::Minor, 1),
    ];
    assert_eq!(found(&entry), expected);
    assert_eq!(entry.findings[1].message, "x is undefined at app.js:3:7");
}

#[test]
fn visual_faults_come_from_the_probes() {
    let mut made = Made::new();
    let fault = |rule: &str, severity: &str, selector: &str, count: u32| {
        json!({"metric": "TR", "rule": rule, "severity": severity, "message": format!("{rule} is bad"),
               "selector": selector, "rect": {"x": 1, "y": 2, "width": 3, "height": 4}, "value": 2.1, "limit": 4.5,
               "visible_error": true, "count": count})
    };
    let first = made.probe(json!([
        fault("contrast", "minor", "#a", 3),
        fault("contrast", "major", "#b", 1),
        fault("alt", "note", "#c", 1)
    ]));
    let second = made.probe(json!([fault("contrast", "minor", "#a", 5), fault("overlap", "critical", "#d", 1)]));
    let third = made.probe(json!([]));
    for probe in [first.clone(), second, third, first, None] {
        made.step(ActionKind::Reload, None, |step| step.probe = probe);
    }
    let entry = rules::judge(&made.run).unwrap();
    // Pages: 100 - 12 (contrast at its worst), 100 - 4 - 30, 100; the first page's probe counts once.
    assert_eq!(value(&entry, "rules.visual"), (88.0 + 66.0 + 100.0) / 3.0);
    let expected = [
        ("overlap", Severity::Critical, 1),
        ("contrast", Severity::Major, 1),
        ("contrast", Severity::Minor, 5),
        ("alt", Severity::Note, 1),
    ];
    assert_eq!(found(&entry), expected);
    assert_eq!((entry.findings[1].message.as_str(), entry.findings[1].place.step), ("contrast is bad", Some(0)));
    assert_eq!(entry.findings[1].place.rect.unwrap().width, 3.0);
    assert_eq!(entry.dimensions["rules.interaction"].status, ScoreStatus::NotJudged);
}

#[test]
fn a_state_in_which_nothing_does_anything_is_a_dead_end() {
    let mut made = Made::new();
    let (home, trap) = (made.html("<h1>Home</h1>"), made.html("<h2>Trap</h2><p>x</p>"));
    let maze = made.html("<h2>Maze</h2><ol><li>x</li></ol>");
    let in_maze = |step: &mut webeval_evidence::Step| {
        (step.snapshot, step.changed, step.url) = (maze.clone(), true, "app:/maze.html#left".into());
    };
    made.step(ActionKind::Load { url: "app:/".into() }, None, |step| step.snapshot = home.clone());
    made.click("button", "In", |step| (step.snapshot, step.changed) = (trap.clone(), true));
    for name in ["Back", "Close"] {
        made.click("button", name, |step| step.snapshot = trap.clone());
    }
    let rules = |made: &Made| {
        let entry = rules::judge(&made.run).unwrap();
        let reach = |rule: &str| rule == "dead-end" || rule == "no-way-back";
        let found = entry.findings.into_iter().filter(|finding| reach(&finding.rule));
        found.map(|finding| (finding.rule, finding.place.step.unwrap())).collect::<Vec<_>>()
    };
    assert!(rules(&made).is_empty(), "two tries are too few");
    made.click("button", "Home", |step| step.snapshot = trap.clone());
    assert_eq!(rules(&made), [("dead-end".to_owned(), 1)]);
    // Loading anew is the browser's way out, not the app's. The maze leads about in itself, and not home.
    made.step(ActionKind::Reload, None, |step| (step.snapshot, step.changed) = (home, true));
    made.click("button", "Maze", in_maze);
    for name in ["Left", "Right", "On"] {
        made.click("button", name, in_maze);
    }
    assert_eq!(rules(&made), [("dead-end".to_owned(), 1), ("no-way-back".to_owned(), 6)]);
}

#[test]
fn an_app_that_could_not_be_brought_up_scores_zero_and_our_failure_scores_nothing() {
    for (whose, zero) in [(FailureOwner::App, true), (FailureOwner::Environment, false), (FailureOwner::Tool, false)] {
        let folder = tempfile::tempdir().unwrap();
        let mut record = RunRecord::new(AppSource::Folder { path: "x".into() }, None, Settings::default());
        let failure = Some(StageFailure { message: "npm run build failed".into(), whose });
        let stage = StageRecord { status: StageStatus::Failed, started_ms: 0, seconds: 1.0, failure };
        record.stages.insert(Stage::Deploy, stage);
        let run = RunDir::create(folder.path().join("run"), &record).unwrap();
        match rules::judge(&run) {
            Ok(entry) => {
                assert!(zero);
                let score = &entry.dimensions["rules.stability"];
                assert_eq!((score.status, score.value), (ScoreStatus::Undeployable, Some(0.0)));
                assert_eq!(score.grounds, "the app could not be brought up: npm run build failed");
            }
            Err(error) => {
                assert!(!zero && matches!(error, Error::NoEvidence { .. }), "{error}");
                assert!(run.scores().unwrap().entries.is_empty());
            }
        }
    }
}

#[test]
fn a_run_that_was_not_explored_is_not_judged() {
    let made = Made::new();
    let error = rules::judge(&made.run).unwrap_err();
    assert_eq!(error.to_string(), "there is nothing to judge: the trace has no steps; explore the app first");
}
