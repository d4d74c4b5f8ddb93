use webeval_evidence::{BlobKind, DimensionScore, RunDir, ScoreEntry, ScoresFile, TokenUsage, TraceLine, schema};

use crate::{record, step};

#[test]
fn what_the_crate_writes_is_valid() {
    let base = tempfile::tempdir().unwrap();
    let run = RunDir::create(base.path().join("run"), &record()).unwrap();
    let mut first = step(0);
    first.snapshot = Some(run.store(BlobKind::Snapshot, b"<html></html>").unwrap());
    run.trace_log().unwrap().append(&TraceLine::Step(Box::new(first))).unwrap();
    let mut scores = ScoresFile::default();
    scores.insert(ScoreEntry {
        method: "rules".into(),
        judge: "rules".into(),
        repeat: 0,
        dimensions: [("aesthetics".to_owned(), DimensionScore::not_judged("no model judged"))].into(),
        findings: Vec::new(),
        criteria: Vec::new(),
        notes: Vec::new(),
        usage: TokenUsage::default(),
    });
    run.write_scores(&scores).unwrap();
    assert_eq!(schema::validate(run.root()).unwrap(), []);
}

#[test]
fn departures_are_named_with_file_line_and_place() {
    let base = tempfile::tempdir().unwrap();
    let run = RunDir::create(base.path().join("run"), &record()).unwrap();
    let mut lost = step(0);
    lost.screenshot = Some(webeval_evidence::BlobRef::of(BlobKind::Screenshot, b"never stored"));
    let mut log = run.trace_log().unwrap();
    log.append(&TraceLine::Step(Box::new(lost))).unwrap();
    drop(log);
    std::fs::write(run.root().join("coverage.json"), r#"{"a.js":{"path":"a.js"}}"#).unwrap();
    std::fs::write(run.root().join("scores.json"), "{").unwrap();
    let found = schema::validate(run.root()).unwrap();
    let text: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert!(text.iter().any(|t| t.starts_with("trace.jsonl:1: screenshots/") && t.ends_with("not there")), "{text:?}");
    assert!(text.iter().any(|t| t.starts_with("coverage.json at /a.js") && t.contains("statementMap")), "{text:?}");
    assert!(text.iter().any(|t| t.starts_with("scores.json: not JSON")), "{text:?}");
}

#[test]
fn the_published_files_are_the_current_schemas() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schemas");
    for published in schema::all() {
        let path = folder.join(published.schema_name());
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let committed: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(committed, published.schema, "run `webeval validate --schemas docs/schemas`");
    }
}
