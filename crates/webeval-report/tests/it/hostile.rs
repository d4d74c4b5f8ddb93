//! Recorded text that tries to become part of the page.

use scraper::Html;
use webeval_evidence::*;

use crate::page::{all, check_closed, check_links, text};
use crate::sample;

const ATTACK: &str = "\"'></style></title></textarea></svg><script>document.title='owned'</script><img src=x onerror=alert(1)><a href=\"javascript:alert(1)\">x</a>{{7*7}}<!--";

/// A run in which every text that a page, a model or a file could have chosen is [`ATTACK`].
pub(crate) fn run(root: &std::path::Path) -> RunDir {
    let bad = || ATTACK.to_owned();
    let mut record = sample::record();
    record.app = AppSource::Url { url: format!("javascript:{ATTACK}") };
    record.requirement = Some(bad());
    record.webeval = bad();
    record.settings.model = Some(bad());
    record.environment = Some(Environment { browser: bad(), driver: bad(), system: bad() });
    record.stages.get_mut(&Stage::States).unwrap().status = StageStatus::Failed;
    record.stages.get_mut(&Stage::States).unwrap().failure =
        Some(StageFailure { message: bad(), whose: FailureOwner::App });
    if let Some(how) = &mut record.deployment {
        (how.framework, how.grounds, how.entry) = (bad(), bad(), bad());
        how.skipped = vec![
            SkippedScript { path: bad(), reason: bad(), third_party: false },
            SkippedScript { path: bad(), reason: bad(), third_party: true },
        ];
        how.commands = vec![CommandStep {
            command: bad(),
            exit: None,
            seconds: 1.0,
            tail: bad(),
            repair: Some(bad()),
            ..CommandStep::default()
        }];
    }
    let run = RunDir::create(root, &record).unwrap();
    let mut steps = sample::steps(&run);
    for step in &mut steps {
        (step.title, step.url, step.reason) = (bad(), format!("javascript:{ATTACK}"), Some(bad()));
        step.outcome.detail = Some(bad());
        step.outcome.effects = vec![
            Effect::LeftApp { url: bad() },
            Effect::Dialog { kind: bad(), message: bad(), accepted: true },
            Effect::Download { name: bad() },
        ];
        if let Some(target) = &mut step.action.target {
            (target.role, target.name, target.selector, target.reference) = (bad(), bad(), bad(), bad());
        }
        step.console = vec![ConsoleMessage { level: ConsoleLevel::Error, text: bad() }];
        step.errors = vec![PageError { kind: PageErrorKind::Rejection, message: bad(), location: Some(bad()) }];
        step.network = vec![NetworkFailure { url: bad(), status: None, error: Some(bad()) }];
    }
    let mut log = run.trace_log().unwrap();
    for step in &steps {
        log.append(&TraceLine::Step(Box::new(step.clone()))).unwrap();
    }
    log.append(&TraceLine::Hint(Hint { after: 3, advisor: bad(), text: bad() })).unwrap();
    let lines = || vec![bad()];
    let closing = Summary { tester: bad(), functionality: lines(), interactions: lines(), failures: lines() };
    log.append(&TraceLine::Summary(closing)).unwrap();
    run.write_states(&hostile_states(&steps)).unwrap();
    run.write_file(
        "coverage.json",
        sample::coverage(ATTACK).to_string().replace("\"add\"", "\"</code><script>\"").as_bytes(),
    )
    .unwrap();
    run.write_scores(&hostile_scores(&steps)).unwrap();
    hostile_judgement(&run);
    run
}

fn hostile_states(steps: &[Step]) -> StatesFile {
    let mut states = serde_json::to_value(sample::states(steps)).unwrap();
    for state in states["graph"]["states"].as_array_mut().unwrap() {
        (state["title"], state["url"]) = (ATTACK.into(), ATTACK.into());
    }
    for edge in states["graph"]["transitions"].as_array_mut().unwrap() {
        edge["action"] = format!("{} {ATTACK}", edge["action"]).into();
    }
    serde_json::from_value(states).unwrap()
}

fn hostile_scores(steps: &[Step]) -> ScoresFile {
    let bad = || ATTACK.to_owned();
    let mut entry = sample::entry(ATTACK, ATTACK);
    entry.dimensions.insert(
        bad(),
        DimensionScore { status: ScoreStatus::Judged, value: Some(1e300), bounds: Some((-5.0, 1e300)), grounds: bad() },
    );
    entry.notes.push(bad());
    let place = FindingPlace {
        step: Some(4_000_000),
        selector: Some(bad()),
        rect: Some(Rect { x: -1e300, y: -1e300, width: 1e300, height: -4.0 }),
        screenshot: steps[0].screenshot.clone(),
    };
    entry.findings.push(Finding { rule: bad(), severity: Severity::Critical, message: bad(), place, count: 2 });
    let citations = vec![
        Citation::Step { step: 999 },
        Citation::State { state: bad(), quote: Some(bad()) },
        Citation::Edge { from: bad(), to: bad() },
        Citation::Screenshot { screenshot: format!("javascript:{ATTACK}"), place: Some(bad()) },
    ];
    entry.criteria.push(CriterionVerdict {
        id: bad(),
        kind: CriterionKind::Content,
        text: bad(),
        met: Some(true),
        analysis: bad(),
        confidence: Some(1e300),
        citations,
    });
    ScoresFile { format: FORMAT, entries: vec![entry] }
}

fn hostile_judgement(run: &RunDir) {
    // serde_json reads up to 128 levels.
    let deep = (0..50).fold(serde_json::json!(ATTACK), |inner, _| serde_json::json!([{ATTACK: inner}]));
    let judgement = Judgement {
        request: String::new(),
        method: ATTACK.into(),
        judge: ATTACK.into(),
        repeat: 0,
        dimension: ATTACK.into(),
        role: ATTACK.into(),
        round: u32::MAX - 1,
        prompt: ATTACK.into(),
        verdict: serde_json::json!({"a": ATTACK, ATTACK: [ATTACK], "deep": deep}),
        citations: vec![],
        struck: vec![ATTACK.into()],
        screenshots: vec![BlobRef::of(BlobKind::Screenshot, b"not there")],
        usage: TokenUsage::default(),
        failure: Some(ATTACK.into()),
    };
    let mut log = run.judgement_log().unwrap();
    log.append(&judgement).unwrap();
}

#[test]
fn recorded_text_stays_text() {
    let folder = tempfile::tempdir().unwrap();
    let html = webeval_report::report(&run(&folder.path().join("run"))).unwrap();
    let page = Html::parse_document(&html);
    check_closed(&page);
    check_links(&page);
    assert_eq!(all(&page, "style").len(), 1);
    assert_eq!(all(&page, "title")[0].text().collect::<String>().matches("<script>").count(), 1, "shown as text");
    assert!(!html.contains("<script") && !html.contains("<img"));
    assert!(text(&all(&page, "h1")[0]).contains("document.title='owned'"));
    // The page goes on after the attacks: its last section is where it belongs.
    assert_eq!(all(&page, "main > section").len(), 6);
    assert_eq!(all(&page, "body > footer").len(), 1);
}

#[test]
fn forged_paths_do_not_leave_the_run_directory() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("run");
    let run = sample::complete(&root);
    std::fs::write(folder.path().join("secret.js"), "const secret = 'hunter2';\n").unwrap();
    std::fs::write(root.join("secret.js"), "const secret = 'hunter2';\n").unwrap();
    let outside = folder.path().join("secret.js").display().to_string();
    for path in ["../secret.js", "../../secret.js", outside.as_str(), "a/../../secret.js"] {
        run.write_file("coverage.json", sample::coverage(path).to_string().as_bytes()).unwrap();
        let html = webeval_report::report(&run).unwrap();
        assert!(!html.contains("hunter2"), "{path} was followed");
    }
    let states = serde_json::to_string(&run.states().unwrap()).unwrap().replace("screenshots/", "../../../etc/");
    run.write_file("states.json", states.as_bytes()).unwrap();
    assert!(webeval_report::report(&run).is_ok());
}

#[test]
#[ignore = "writes a run to look at, into the target folder"]
fn write_a_hostile_run_to_look_at() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile-run");
    let _ = std::fs::remove_dir_all(&folder);
    let page = webeval_report::write(&run(&folder)).unwrap();
    eprintln!("{}", page.display());
}
