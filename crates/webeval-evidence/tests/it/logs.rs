use std::io::Write;

use webeval_evidence::{ActionKind, Error, Hint, RunDir, Summary, TraceLine};

use crate::{record, step};

fn run() -> (tempfile::TempDir, RunDir) {
    let base = tempfile::tempdir().unwrap();
    let run = RunDir::create(base.path().join("run"), &record()).unwrap();
    (base, run)
}

fn write_raw(run: &RunDir, bytes: &[u8]) {
    let path = run.root().join("trace.jsonl");
    std::fs::OpenOptions::new().append(true).create(true).open(path).unwrap().write_all(bytes).unwrap();
}

#[test]
fn steps_hints_and_the_summary_are_told_apart() {
    let (_base, run) = run();
    let mut log = run.trace_log().unwrap();
    log.append(&TraceLine::Step(Box::new(step(0)))).unwrap();
    log.append(&TraceLine::Hint(Hint { after: 0, advisor: "built-in".into(), text: "press Delete".into() })).unwrap();
    log.append(&TraceLine::Step(Box::new(step(1)))).unwrap();
    log.append(&TraceLine::Summary(Summary { tester: "built-in".into(), ..Summary::default() })).unwrap();
    let trace = run.trace().unwrap();
    assert_eq!(trace.steps.iter().map(|s| s.index).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(trace.hints[0].text, "press Delete");
    assert_eq!(trace.summary.unwrap().tester, "built-in");
}

#[test]
fn a_line_is_the_documented_json() {
    let line = serde_json::to_value(TraceLine::Step(Box::new(step(3)))).unwrap();
    assert_eq!(line["type"], "step");
    assert_eq!(line["action"]["kind"], "click");
    assert_eq!(line["outcome"]["status"], "performed");
}

#[test]
fn actions_with_fields_of_a_steps_names_come_back() {
    let (_base, run) = run();
    for kind in [ActionKind::Load { url: "app:/a".into() }, ActionKind::SwitchTab { index: 7 }] {
        let mut step = step(3);
        step.action.kind = kind;
        run.trace_log().unwrap().append(&TraceLine::Step(Box::new(step.clone()))).unwrap();
        assert_eq!(run.trace().unwrap().steps.pop().unwrap(), step);
    }
}

#[test]
fn a_torn_last_line_is_passed_over_and_cut_by_the_next_writer() {
    let (_base, run) = run();
    run.trace_log().unwrap().append(&TraceLine::Step(Box::new(step(0)))).unwrap();
    write_raw(&run, br#"{"type":"step","index":1,"ki"#);
    assert_eq!(run.trace().unwrap().steps.len(), 1);
    run.trace_log().unwrap().append(&TraceLine::Step(Box::new(step(1)))).unwrap();
    assert_eq!(run.trace().unwrap().steps.iter().map(|s| s.index).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn a_broken_line_in_the_middle_is_named() {
    let (_base, run) = run();
    run.trace_log().unwrap().append(&TraceLine::Step(Box::new(step(0)))).unwrap();
    write_raw(&run, b"not json\n");
    write_raw(&run, b"\n");
    let error = run.trace().unwrap_err();
    assert!(matches!(error, Error::Json { line: Some(2), .. }), "{error}");
}
