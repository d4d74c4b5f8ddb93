//! Evaluators as data.

use std::collections::BTreeMap;

use image::{Rgb, RgbImage};
use serde_json::{Value, json};
use webeval_evidence::ScoreStatus;
use webeval_judges::liveeval::{
    ColourDeficiency, ColourVision, CriterionRuns, InputProfile, Registry, ToolKind, evaluator_schema, import_agent,
    score, simulate,
};
use webeval_stats::criteria::Verdict::{self, Failed, NotApplicable, Passed, Unable};

const MINIMAL: &str = r#"{
  "format": 1,
  "id": "tester",
  "name": "Tester",
  "persona": "You test.",
  "criteria": [
    {"id": "looks", "name": "Looks", "instruction": "Whether it looks good.", "points": 10}
  ],
  "tools": [
    "screenshot",
    "hover"
  ],
  "points": 10
}"#;

#[test]
fn the_jury_has_the_papers_weights() {
    let jury = Registry::jury().unwrap();
    let points: Vec<_> = jury
        .iter()
        .map(|e| (e.id.as_str(), e.points, e.criteria.iter().map(|c| c.points).collect::<Vec<_>>(), e.query_criteria))
        .collect();
    let expected = [
        ("build", 15.0, vec![15.0], false),
        ("code", 30.0, vec![15.0, 15.0], false),
        ("ui", 45.0, vec![22.5, 22.5], true),
    ];
    assert_eq!(points, expected);
    assert_eq!(jury.merged().points, 90.0);
    assert_eq!(jury.merged().criteria.iter().map(|item| item.points).sum::<f64>(), 90.0);
    // Who stands in for an end user sees no code.
    let tester = jury.get("ui").unwrap();
    assert!(tester.tools.iter().all(|tool| !tool.is_behind_the_scenes()));
}

#[test]
fn three_more_are_shipped() {
    let shipped = Registry::shipped().unwrap();
    assert_eq!(shipped.iter().count(), 6);
    let touch = shipped.get("mobile-touch").unwrap();
    assert_eq!((touch.input, touch.viewport.unwrap().width), (InputProfile::Touch, 390));
    assert!(!touch.tools.contains(&ToolKind::Key) && !touch.tools.contains(&ToolKind::ReadFile));
    let reader = shipped.get("screen-reader").unwrap();
    assert!(reader.tools.contains(&ToolKind::AccessibilityTree) && !reader.tools.contains(&ToolKind::Screenshot));
    assert_eq!(shipped.get("colour-blind").unwrap().colour_vision.unwrap().kind, ColourDeficiency::Deutan);
}

#[test]
fn mistakes_are_named_by_file_line_and_field() {
    let mut registry = Registry::default();
    for (right, wrong, expected) in [
        ("\"hover\"", "\"teleport\"", "t.json:11: tools[1]: unknown variant `teleport`"),
        ("\"hover\"", "\"screenshot\"", "t.json:10: tools[1]: screenshot is named twice"),
        ("\"points\": 10}", "\"points\": 11}", "t.json:7: points: the criteria add up to 11 points, over the 10"),
        ("Whether it looks good.", "  ", "t.json:7: criteria[0].instruction: criterion \"looks\" has no text"),
        ("\"persona\": \"You test.\",", "", "t.json:14: missing field `persona`"),
        ("\"name\": \"Tester\"", "\"nmae\": \"Tester\"", "t.json:4: nmae: unknown field `nmae`"),
        ("\"format\": 1", "\"format\": 9", "t.json:2: format: format 9 is newer than 1"),
        (
            "\"points\": 10\n",
            "\"points\": 10, \"input\": \"touch\"\n",
            "t.json:11: tools[1]: a touch screen has no hover",
        ),
        ("\"points\": 10\n", "\"points\": \"ten\"\n", "t.json:13: points: invalid type: string \"ten\""),
        ("\"tools\": [", "\"tools\": [,", "t.json:9: tools[0]: expected value"),
    ] {
        let error = registry.add("t.json", &MINIMAL.replace(right, wrong)).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
    registry.add("t.json", MINIMAL).unwrap();
    let error = registry.add("u.json", MINIMAL).unwrap_err().to_string();
    assert_eq!(error, "u.json:3: id: there is an evaluator \"tester\" already");
}

#[test]
fn a_file_dropped_into_the_folder_is_an_evaluator() {
    let folder = tempfile::tempdir().unwrap();
    let error = Registry::read(folder.path()).unwrap_err().to_string();
    assert!(error.ends_with("there is no evaluator in it (no .json file)"), "{error}");
    std::fs::write(folder.path().join("b.json"), MINIMAL).unwrap();
    std::fs::write(folder.path().join("a.json"), MINIMAL.replace("\"tester\"", "\"other\"")).unwrap();
    std::fs::write(folder.path().join("README.md"), "not one").unwrap();
    let registry = Registry::read(folder.path()).unwrap();
    assert_eq!(registry.iter().map(|e| e.id.as_str()).collect::<Vec<_>>(), ["other", "tester"]);
    assert_eq!(evaluator_schema()["properties"]["tools"]["type"], "array");
}

#[test]
fn live_eval_benchs_own_files_are_imported() {
    let dimension = |id: &str, weight: f64, subcriteria: Value| {
        json!({"id": id, "name": id, "instruction": "Judge it.", "weight": weight, "scoring": {"method": "hybrid",
               "checks": [{"id": "c", "name": "Check", "instruction": "Look."}], "subcriteria": subcriteria}})
    };
    let agent = json!({
        "version": "1.0.0", "id": "ui_tester", "name": "UI Tester", "role": "evaluator", "stage": "evaluate",
        "depends_on": ["build_engineer"], "description": "d", "system_prompt": "You are a tester.",
        "rubric": {"scoring_mode": "pass_fail_na", "dimensions": [
            dimension("visual", -1.0, json!([{"id": "s"}])), dimension("speed", 0.5, json!([])), dimension("feel", -1.0, json!([]))
        ]},
        "allowed_tools": ["navigate", "reload_page", "inspect_last_screenshot", "action_sequence", "read_file", "submit_verdict"],
        "runtime": {"max_steps": 40}, "output": {"require_evidence": true}, "enabled": true, "tags": ["ui"],
        "scoring": {"max_score": 45, "task_aggregation_mode": "strict"}, "free_task_count": 5
    });
    let imported = import_agent("ui_tester.json", &agent.to_string()).unwrap();
    let evaluator = imported.evaluator;
    let points: Vec<_> = evaluator.criteria.iter().map(|c| (c.id.as_str(), c.points)).collect();
    assert_eq!(points, [("visual", 11.25), ("speed", 22.5), ("feel", 11.25)]);
    assert_eq!(evaluator.criteria[0].instruction, "Judge it.\n- Check: Look.");
    let tools = [
        ToolKind::Navigate,
        ToolKind::Screenshot,
        ToolKind::InspectLastScreenshot,
        ToolKind::ListFiles,
        ToolKind::ReadFile,
    ];
    assert_eq!(
        (&evaluator.tools[..], evaluator.query_criteria, evaluator.persona.as_str()),
        (&tools[..], true, "You are a tester.")
    );
    let unmapped = [
        "tool action_sequence",
        "1 rated subcriteria of visual: criteria pass or fail",
        "field depends_on",
        "field runtime",
        "field output",
    ];
    assert_eq!(imported.unmapped, unmapped);
    let mut registry = Registry::default();
    registry.add("round.json", &serde_json::to_string(&evaluator).unwrap()).unwrap();
    assert!(import_agent("x.json", "{}").unwrap_err().to_string().starts_with("x.json:1: missing field"));
}

#[test]
fn imported_files_stand_beside_our_own_in_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let agent = |id: &str, role: &str, stage: &str, points: f64| {
        json!({"version": "1.0.0", "id": id, "name": id, "role": role, "stage": stage, "system_prompt": "You review.",
            "rubric": {"dimensions": [{"id": "smooth", "name": "Smooth", "instruction": "Judge it.", "weight": 1.0}]},
            "allowed_tools": ["local_fs_read", "local_exec_run"], "scoring": {"max_score": points}})
    };
    let write = |name: &str, text: String| std::fs::write(folder.path().join(name), text).unwrap();
    write("builder.json", agent("builder", "builder", "build", 0.0).to_string());
    write("reviewer.json", agent("reviewer", "evaluator", "review", 15.0).to_string());
    write("tester.json", MINIMAL.to_owned());
    let registry = Registry::read(folder.path()).unwrap();
    assert_eq!(registry.iter().map(|e| e.id.as_str()).collect::<Vec<_>>(), ["reviewer", "tester"]);
    // Who judges a build reads its record.
    assert!(registry.get("reviewer").unwrap().tools.contains(&ToolKind::BuildRecord));
    let notes = registry.notes().join("\n");
    assert!(notes.contains("builder.json: not mapped: role builder"), "{notes}");
    assert!(notes.contains("reviewer.json: not mapped: tool local_exec_run"), "{notes}");
}

#[test]
fn the_published_schema_is_the_current_one() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schemas/evaluator.schema.json");
    let published: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let how = "run `webeval evaluators schema > docs/schemas/evaluator.schema.json`";
    assert_eq!(published, evaluator_schema(), "{how}");
}

fn runs(runs: &[&[Verdict]]) -> CriterionRuns {
    CriterionRuns { runs: runs.iter().map(|tasks| tasks.to_vec()).collect() }
}

#[test]
fn any_failed_task_fails_a_run_and_the_majority_of_runs_decides() {
    let mut registry = Registry::default();
    registry.add("t.json", MINIMAL).unwrap();
    let evaluator = registry.get("tester").unwrap();
    for (given, status, value, grounds) in [
        (
            runs(&[&[Passed, Passed], &[Passed], &[Failed, Passed]]),
            ScoreStatus::Judged,
            Some(100.0),
            "passed, 10 points",
        ),
        (runs(&[&[Passed, Failed], &[Passed], &[Failed]]), ScoreStatus::Judged, Some(0.0), "failed, 0 of 10 points"),
        (runs(&[&[Passed], &[Failed], &[Unable]]), ScoreStatus::Judged, Some(0.0), "unresolved: no majority"),
        (runs(&[&[Passed], &[], &[]]), ScoreStatus::Judged, Some(0.0), "unresolved: no majority"),
        (runs(&[&[Unable], &[Unable, Passed], &[Failed]]), ScoreStatus::Incomplete, None, "the evaluator was unable"),
        (runs(&[&[NotApplicable], &[NotApplicable], &[Passed]]), ScoreStatus::NotApplicable, None, "not applicable"),
        (runs(&[&[], &[], &[]]), ScoreStatus::NotJudged, None, "no run gave a verdict"),
    ] {
        let scores = score(evaluator, &BTreeMap::from([("looks".to_owned(), given.clone())]));
        let looks = &scores["looks"];
        assert_eq!((looks.status, looks.value), (status, value), "{given:?}");
        assert!(looks.grounds.starts_with(grounds), "{}", looks.grounds);
    }
}

#[test]
fn red_and_green_look_alike_to_the_colour_blind() {
    let see = |colour: [u8; 3], kind, severity| {
        let picture = RgbImage::from_pixel(1, 1, Rgb(colour));
        simulate(&picture, ColourVision { kind, severity }).get_pixel(0, 0).0
    };
    // By hand from the paper's matrices: red's column, through the sRGB curve. 0.367322 is 163, 0.280085 is 144, …
    assert_eq!(see([255, 0, 0], ColourDeficiency::Deutan, 1.0), [163, 144, 0]);
    assert_eq!(see([255, 0, 0], ColourDeficiency::Protan, 1.0), [109, 95, 0]);
    let deutan = |colour| see(colour, ColourDeficiency::Deutan, 1.0);
    let apart = |a: [u8; 3], b: [u8; 3]| a.iter().zip(b).map(|(a, b)| u32::from(a.abs_diff(b))).sum::<u32>();
    let (red, green) = ([200, 60, 30], [110, 120, 30]);
    assert!(apart(red, green) > 140);
    assert!(apart(deutan(red), deutan(green)) < apart(red, green) / 2);
    for kind in [ColourDeficiency::Protan, ColourDeficiency::Deutan, ColourDeficiency::Tritan] {
        assert_eq!(see(red, kind, 0.0), red);
        // Every row of a matrix sums to one: greys stay grey.
        assert!(see([128, 128, 128], kind, 1.0).iter().all(|channel| channel.abs_diff(128) <= 1));
    }
}
