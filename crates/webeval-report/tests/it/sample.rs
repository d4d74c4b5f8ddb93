//! Run directories made by hand, of a to-do list whose every figure is known.

use std::sync::OnceLock;

use image::{Rgb, RgbImage};
use serde_json::json;
use webeval_evidence::*;
use webeval_states::{Observation, Options, StateGraph, StateId, identify};

/// The app's source. Of its eight statements six run, of its two functions one, of its four branch arms two.
pub(crate) const SOURCE: &str = "\
const list = [];
function add(text) {
  if (!text) {
    return false;
  }
  list.push(text);
  return true;
}
function clear() {
  list.length = 0;
}
const label = list.length ? 'some' : 'none';
add('milk');
";

/// `coverage.json` of [`SOURCE`], counted by hand.
pub(crate) fn coverage(path: &str) -> serde_json::Value {
    let range = |line: u32, from: u32, to: u32| json!({"start": {"line": line, "column": from}, "end": {"line": line, "column": to}});
    let block = |from: u32, to: u32, end: u32| json!({"start": {"line": from, "column": 2}, "end": {"line": to, "column": end}});
    json!({path: {
        "path": path,
        "statementMap": {
            "0": range(1, 13, 15), "1": block(3, 5, 3), "2": range(4, 4, 17), "3": range(6, 2, 18),
            "4": range(7, 2, 14), "5": range(10, 2, 18), "6": range(12, 14, 43), "7": range(13, 0, 12)
        },
        "fnMap": {
            "0": {"name": "add", "decl": range(2, 9, 12), "loc": range(2, 19, 20), "line": 2},
            "1": {"name": "clear", "decl": range(9, 9, 14), "loc": range(9, 17, 18), "line": 9}
        },
        "branchMap": {
            "0": {"type": "if", "loc": block(3, 5, 3), "line": 3,
                  "locations": [block(3, 5, 3), {"start": {}, "end": {}}]},
            "1": {"type": "cond-expr", "loc": range(12, 14, 43), "line": 12,
                  "locations": [range(12, 28, 34), range(12, 37, 43)]}
        },
        "s": {"0": 1, "1": 3, "2": 0, "3": 3, "4": 3, "5": 0, "6": 1, "7": 1},
        "f": {"0": 3, "1": 0},
        "b": {"0": [0, 3], "1": [0, 1]}
    }})
}

/// A screenshot of a to-do list with `items`, drawn as a page of boxes; `accent` tells pages apart.
pub(crate) fn screenshot(items: u32, accent: [u8; 3], noise: bool) -> Vec<u8> {
    let mut picture = RgbImage::from_pixel(1280, 800, Rgb([243, 245, 248]));
    let mut fill = |x: u32, y: u32, w: u32, h: u32, colour: [u8; 3]| {
        for (px, py) in (x..x + w).flat_map(|px| (y..y + h).map(move |py| (px, py))) {
            picture.put_pixel(px, py, Rgb(colour));
        }
    };
    fill(370, 48, 540, 110 + 62 * items.min(9), [255, 255, 255]);
    fill(402, 72, 130, 26, [28, 36, 48]);
    fill(402, 112, 380, 30, [225, 230, 236]);
    fill(796, 112, 82, 30, accent);
    for item in 0..items.min(9) {
        let y = 168 + 62 * item;
        fill(402, y, 24, 24, [123, 135, 148]);
        fill(442, y + 4, 160 + 40 * (item % 4), 16, [60, 70, 84]);
        fill(806, y, 72, 26, [170, 17, 17]);
    }
    if noise {
        // A photograph is as hard to compress as noise; a cheap generator makes some.
        let mut seed = u32::from(accent[0]) * 65_536 + items + 1;
        for (x, y) in (40..340u32).flat_map(|x| (300..560u32).map(move |y| (x, y))) {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let [a, b, c, _] = seed.to_be_bytes();
            picture.put_pixel(x, y, Rgb([a, b, c]));
        }
    }
    let mut png = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut png, image::ImageFormat::Png).unwrap();
    png.into_inner()
}

pub(crate) fn target(reference: &str, role: &str, name: &str, selector: &str) -> Option<Target> {
    let rect = Some(Rect { x: 796.0, y: 112.0, width: 82.0, height: 30.0 });
    Some(Target { reference: reference.into(), role: role.into(), name: name.into(), selector: selector.into(), rect })
}

pub(crate) fn step(index: u32, kind: ActionKind, target: Option<Target>) -> Step {
    Step {
        index,
        action: Action { kind, target },
        reason: None,
        outcome: Outcome::performed(),
        url: "app:/index.html".into(),
        title: "To-do".into(),
        changed: true,
        coverage: None,
        snapshot: None,
        screenshot: None,
        probe: None,
        console: Vec::new(),
        errors: Vec::new(),
        network: Vec::new(),
        timings: Timings {
            total: 100.0 + 10.0 * f64::from(index),
            act: 40.0,
            settle: 12.0,
            observe: 9.0,
            screenshot: 31.0,
            model: 0.0,
            own: 2.0 + f64::from(index),
        },
    }
}

fn counts(statements: u32) -> CoverageCounts {
    let count = |covered, total| Count { covered, total };
    CoverageCounts {
        statements: count(statements, 8),
        functions: count(u32::from(statements > 3), 2),
        branches: count(statements / 3, 4),
        lines: count(statements, 8),
    }
}

/// Settings, stages and deployment of a run that went well.
pub(crate) fn record() -> RunRecord {
    let mut record = RunRecord::new(
        AppSource::Folder { path: "apps/todo".into() },
        Some("A to-do list: add, tick and delete items, filter them, and keep them over a reload.".into()),
        Settings { seed: 7, ..Settings::default() },
    );
    record.environment = Some(Environment {
        browser: "Chromium 140.0.7339.16".into(),
        driver: "ChromeDriver 140.0.7339.16".into(),
        system: "linux x86_64".into(),
    });
    record.deployment = Some(Deployment {
        mode: DeployMode::Instrumented,
        framework: "static".into(),
        grounds: "index.html at the top and no package.json".into(),
        entry: "index.html".into(),
        instrumented: vec!["app.js".into()],
        skipped: vec![SkippedScript {
            path: "legacy.js".into(),
            reason: "line 3, column 14: expected `)`".into(),
            third_party: false,
        }],
        ..Deployment::default()
    });
    for (stage, seconds) in [(Stage::Deploy, 0.5), (Stage::Explore, 2.0), (Stage::States, 0.25), (Stage::Judge, 61.25)]
    {
        let record_of =
            StageRecord { status: StageStatus::Done, started_ms: 1_709_251_199_000, seconds, failure: None };
        record.stages.insert(stage, record_of);
    }
    record
}

/// The steps of the run: nine, the first load among them, of which one was blocked, one threw, one lost a request.
pub(crate) fn steps(run: &RunDir) -> Vec<Step> {
    static DRAWN: OnceLock<[Vec<u8>; 3]> = OnceLock::new();
    let (blue, green) = ([31, 95, 191], [31, 150, 90]);
    let drawn = || [screenshot(0, blue, false), screenshot(1, blue, false), screenshot(0, green, false)];
    let drawn = DRAWN.get_or_init(drawn);
    let shot = |picture: usize| Some(run.store(BlobKind::Screenshot, &drawn[picture]).unwrap());
    let add = || target("e2", "button", "Add", "#new > button");
    let mut steps = vec![
        step(0, ActionKind::Load { url: "app:/index.html".into() }, None),
        step(1, ActionKind::Type { text: "Buy milk".into() }, target("e1", "textbox", "What needs doing?", "#text")),
        step(2, ActionKind::Click { at: None }, add()),
        step(3, ActionKind::Check { checked: true }, target("e5", "checkbox", "Done: Buy milk", "#items > li > input")),
        step(4, ActionKind::Click { at: None }, target("e8", "button", "Open", "nav > button:nth-of-type(2)")),
        step(5, ActionKind::Click { at: None }, target("e9", "button", "Clear done", "#clear")),
        step(6, ActionKind::Reload, None),
        step(7, ActionKind::Click { at: None }, target("e10", "link", "Export", "#export")),
        step(8, ActionKind::Click { at: None }, add()),
    ];
    let statements = [4, 4, 6, 6, 6, 6, 6, 6, 6];
    for (index, step) in steps.iter_mut().enumerate() {
        let before = if index == 0 { 0 } else { statements[index - 1] };
        let after = statements[index];
        step.coverage = Some(StepCoverage { before: counts(before), after: counts(after), gain: after - before });
    }
    for (step, picture) in steps.iter_mut().zip([0, 0, 1, 1, 2, 0, 1, 1, 1]) {
        step.screenshot = shot(picture);
    }
    steps[2].reason = Some("The field is filled; submitting it should add an item.".into());
    steps[5].outcome = Outcome::failed(OutcomeStatus::Blocked, "div.toast lies over it");
    steps[5].changed = false;
    steps[6].outcome.effects.push(Effect::Navigated { url: "app:/index.html".into() });
    steps[7].errors.push(PageError {
        kind: PageErrorKind::Uncaught,
        message: "TypeError: exporter is undefined".into(),
        location: Some("app.js:41:7".into()),
    });
    steps[7].console.push(ConsoleMessage { level: ConsoleLevel::Error, text: "export failed".into() });
    steps[7].console.push(ConsoleMessage { level: ConsoleLevel::Info, text: "trying to export".into() });
    steps[8].network.push(NetworkFailure { url: "app:/api/items".into(), status: Some(404), error: None });
    steps
}

/// Four states: the empty list, one item, one item done, the filtered list.
pub(crate) fn states(steps: &[Step]) -> StatesFile {
    let pages = [
        "<main><h1>To-do</h1><ul id=items></ul></main>",
        "<main><h1>To-do</h1><ul id=items><li><input type=checkbox><span>Buy milk</span></ul></main>",
        "<main><h1>To-do</h1><ul id=items><li class=done><input type=checkbox><b>Buy milk</b></ul></main>",
        "<main><h1>To-do</h1><ul id=items></ul><nav><button>Open</button></nav></main>",
    ];
    let visits = [0, 0, 1, 2, 3, 3, 1, 1, 1];
    let mut graph = StateGraph::new();
    let mut ids: Vec<StateId> = Vec::new();
    for (step, &state) in steps.iter().zip(&visits) {
        let mut seen = Observation::new(identify(pages[state], &Options::default()).unwrap(), u64::from(step.index));
        seen.title = format!("To-do, {state} in");
        seen.url = "app:/index.html".into();
        seen.screenshot = step.screenshot.as_ref().map(|shot| shot.as_str().to_owned());
        ids.push(graph.observe(seen));
    }
    for (index, pair) in ids.windows(2).enumerate() {
        let words = [
            "type Buy milk",
            "click Add",
            "tick Buy milk",
            "click Open",
            "click Clear done",
            "reload",
            "click Export",
            "click Add again",
        ];
        graph.transition(pair[0], pair[1], words[index], webeval_states::Outcome::Done, 0).unwrap();
    }
    StatesFile { format: FORMAT, steps: ids.into_iter().map(Some).collect(), graph }
}

/// A rule judge's entry and a model's.
pub(crate) fn scores(steps: &[Step]) -> ScoresFile {
    let judged = |value, grounds: &str| DimensionScore {
        status: ScoreStatus::Judged,
        value: Some(value),
        bounds: None,
        grounds: grounds.into(),
    };
    let mut rules = entry("rules", "rules");
    rules.notes.push("No model judged: these are measurements by fixed rules.".into());
    rules.dimensions.insert("rules.visual".into(), judged(82.5, "Two findings of contrast and overlap over 4 states."));
    rules
        .dimensions
        .insert("rules.stability".into(), judged(0.0, "An uncaught error and a failed request in 8 steps."));
    for dimension in ["aesthetics", "usability"] {
        rules
            .dimensions
            .insert(dimension.into(), DimensionScore::not_judged("This needs a model, and none was given."));
    }
    let place = |step: usize, rect| FindingPlace {
        step: Some(u32::try_from(step).unwrap()),
        selector: Some("#items > li:nth-child(1) > span".into()),
        rect: Some(rect),
        screenshot: steps[step].screenshot.clone(),
    };
    let finding = |rule: &str, severity, message: &str, place| Finding {
        rule: rule.into(),
        severity,
        message: message.into(),
        place,
        count: 3,
    };
    let (item, button) = (
        Rect { x: 442.0, y: 168.0, width: 200.0, height: 24.0 },
        Rect { x: 806.0, y: 168.0, width: 72.0, height: 26.0 },
    );
    rules.findings = vec![
        finding(
            "contrast",
            Severity::Minor,
            "Text contrast is 3.2 : 1, at least 4.5 : 1 is asked for.",
            place(2, item),
        ),
        finding("uncaught-error", Severity::Critical, "TypeError: exporter is undefined", place(7, button)),
        finding("dead-control", Severity::Major, "Clicking “Clear done” did nothing in 3 tries.", place(5, button)),
    ];
    let mut model = entry("webcraft", "demo-model-1");
    model.dimensions.insert("aesthetics".into(), judged(64.0, "Calm and legible, with a flat hierarchy."));
    model.dimensions.insert("usability".into(), judged(58.7, "Adding is easy; clearing is hidden behind a toast."));
    model.dimensions.insert(
        "alignment.functional".into(),
        DimensionScore {
            status: ScoreStatus::Incomplete,
            value: Some(33.3),
            bounds: Some((33.3, 66.7)),
            grounds: "1 of 3 criteria met, 1 not judged.".into(),
        },
    );
    model.criteria = criteria(steps);
    model.usage = TokenUsage { calls: 14, input: 48_210, cached: 12_000, output: 5_120, cost_usd: Some(0.0412) };
    ScoresFile { format: FORMAT, entries: vec![rules, model] }
}

fn criteria(steps: &[Step]) -> Vec<CriterionVerdict> {
    let criterion = |id: &str, kind, text: &str, met, analysis: &str, citations| CriterionVerdict {
        id: id.into(),
        kind,
        text: text.into(),
        met,
        analysis: analysis.into(),
        confidence: met.map(|_| 0.9),
        citations,
    };
    let shot = steps[2].screenshot.as_ref().unwrap().as_str().to_owned();
    vec![
        criterion(
            "F1",
            CriterionKind::Functional,
            "An item can be added.",
            Some(true),
            "After step 2 the list has the item.",
            vec![
                Citation::Step { step: 2 },
                Citation::State { state: "S2".into(), quote: Some("<span>Buy milk</span>".into()) },
                Citation::Edge { from: "S1".into(), to: "S2".into() },
                Citation::Screenshot { screenshot: shot, place: Some("first row".into()) },
            ],
        ),
        criterion(
            "F2",
            CriterionKind::Functional,
            "Done items can be cleared.",
            Some(false),
            "The button is covered.",
            vec![Citation::Step { step: 5 }],
        ),
        criterion(
            "F3",
            CriterionKind::Functional,
            "Items survive a reload.",
            None,
            "The judge ran out of calls.",
            vec![],
        ),
        criterion(
            "V1",
            CriterionKind::Visual,
            "Done items look done.",
            Some(true),
            "Struck through.",
            vec![Citation::State { state: "S3".into(), quote: None }],
        ),
    ]
}

pub(crate) fn entry(method: &str, judge: &str) -> ScoreEntry {
    ScoreEntry {
        method: method.into(),
        judge: judge.into(),
        repeat: 0,
        dimensions: Default::default(),
        findings: vec![],
        criteria: vec![],
        notes: vec![],
        usage: TokenUsage::default(),
    }
}

fn judgements(run: &RunDir, steps: &[Step]) {
    let mut log = run.judgement_log().unwrap();
    for (role, round, struck) in
        [("advocate", 0, vec![]), ("critic", 0, vec!["step 99".to_owned()]), ("final", 0, vec![])]
    {
        log.append(&Judgement {
            request: String::new(),
            method: "webcraft".into(),
            judge: "demo-model-1".into(),
            repeat: 0,
            dimension: "aesthetics".into(),
            role: role.into(),
            round,
            prompt: "4f2a".into(),
            verdict: json!({"base": 3.5, "reasons": ["clear headings", "even spacing"], "aspects": {"colour": 0.25}}),
            citations: vec![Citation::Step { step: 2 }],
            struck,
            screenshots: steps[2].screenshot.iter().cloned().collect(),
            usage: TokenUsage::default(),
            failure: None,
        })
        .unwrap();
    }
}

/// A complete run under `root`.
pub(crate) fn complete(root: &std::path::Path) -> RunDir {
    let run = RunDir::create(root, &record()).unwrap();
    let steps = steps(&run);
    write_trace(&run, &steps, true);
    run.write_states(&states(&steps)).unwrap();
    run.write_file("coverage.json", coverage("app.js").to_string().as_bytes()).unwrap();
    std::fs::create_dir_all(root.join("sources")).unwrap();
    std::fs::write(root.join("sources/app.js"), SOURCE).unwrap();
    run.write_scores(&scores(&steps)).unwrap();
    judgements(&run, &steps);
    run
}

/// Writes a trace with a hint and, when asked for, a closing summary.
pub(crate) fn write_trace(run: &RunDir, steps: &[Step], finished: bool) {
    let mut log = run.trace_log().unwrap();
    for step in steps {
        log.append(&TraceLine::Step(Box::new(step.clone()))).unwrap();
        if step.index == 5 {
            let text = "`clear` (app.js, line 9) has never run: look for a control that empties the list.".into();
            log.append(&TraceLine::Hint(Hint { after: 5, advisor: "built-in".into(), text })).unwrap();
        }
    }
    if finished {
        log.append(&TraceLine::Summary(Summary {
            tester: "built-in".into(),
            functionality: vec!["adding an item".into(), "ticking an item".into()],
            interactions: vec!["5 clicks".into(), "1 text typed".into()],
            failures: vec!["“Export” throws a TypeError".into()],
        }))
        .unwrap();
    }
}

#[test]
#[ignore = "writes a run to look at, into the target folder"]
fn write_a_run_to_look_at() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("sample-run");
    let _ = std::fs::remove_dir_all(&folder);
    let page = webeval_report::write(&complete(&folder)).unwrap();
    eprintln!("{}", page.display());
}
