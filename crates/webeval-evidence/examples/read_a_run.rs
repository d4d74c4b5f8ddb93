//! Lists the steps of a run directory.
use webeval_evidence::{AppSource, RunDir, RunRecord, Settings};

fn main() -> Result<(), webeval_evidence::Error> {
    let root = std::env::temp_dir().join(format!("webeval-example-{}", std::process::id()));
    let app = AppSource::HtmlFile { path: "todo.html".into() };
    RunDir::create(&root, &RunRecord::new(app, Some("a to-do list".into()), Settings::default()))?;

    let run = RunDir::open(&root)?;
    for step in run.trace()?.steps {
        println!("{:>3} {} -> {:?}", step.index, step.action.kind.name(), step.outcome.status);
    }
    assert_eq!(run.run()?.settings.steps, 100);
    let _ = std::fs::remove_dir_all(root);
    Ok(())
}
