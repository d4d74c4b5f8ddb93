//! Measures a run without any model.
use webeval_evidence::{Action, ActionKind, AppSource, Outcome, RunDir, RunRecord, Settings, Step, Timings, TraceLine};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = std::env::temp_dir().join(format!("webeval-rules-{}", std::process::id()));
    let app = AppSource::HtmlFile { path: "todo.html".into() };
    let run = RunDir::create(&root, &RunRecord::new(app, None, Settings::default()))?;
    let load = Action { kind: ActionKind::Load { url: "app:/".into() }, target: None };
    run.trace_log()?.append(&TraceLine::Step(Box::new(Step {
        index: 0,
        action: load,
        reason: None,
        outcome: Outcome::performed(),
        url: "app:/".into(),
        title: "Todo".into(),
        changed: true,
        coverage: None,
        snapshot: None,
        screenshot: None,
        probe: None,
        console: vec![],
        errors: vec![],
        network: vec![],
        timings: Timings::default(),
    })))?;

    let entry = webeval_judges::rules::judge(&run)?;
    assert_eq!(entry.dimensions["rules.stability"].value, Some(100.0));
    assert_eq!(entry.dimensions["aesthetics"].value, None);
    println!("{}", entry.notes.join("\n"));
    std::fs::remove_dir_all(root)?;
    Ok(())
}
