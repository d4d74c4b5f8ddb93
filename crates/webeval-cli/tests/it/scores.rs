//! `webeval leaderboard` and `webeval agreement` on score files whose figures are worked out by hand.

use std::path::Path;

use serde_json::{Value, json};

use crate::command::{outcome, webeval};

const DIMENSIONS: [&str; 5] =
    ["aesthetics", "usability", "alignment.functional", "alignment.content", "alignment.visual"];

/// An entry by a judge; `criteria` are the verdicts on c0, c1, …
fn entry(judge: &str, scores: [f64; 5], criteria: &[bool]) -> Value {
    let dimensions: serde_json::Map<String, Value> = DIMENSIONS
        .iter()
        .zip(scores)
        .map(|(name, value)| ((*name).to_owned(), json!({"status": "judged", "value": value, "grounds": "given"})))
        .collect();
    let verdict = |(at, met): (usize, &bool)| json!({"id": format!("c{at}"), "kind": "functional", "text": "t", "met": met, "analysis": "a"});
    let criteria: Vec<Value> = criteria.iter().enumerate().map(verdict).collect();
    json!({"method": "webcraft", "judge": judge, "repeat": 0, "dimensions": dimensions, "criteria": criteria})
}

fn write(root: &Path, model: &str, task: &str, entries: &[Value]) {
    let folder = root.join(model).join(task);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("scores.json"), json!({"format": 1, "entries": entries}).to_string()).unwrap();
}

/// Two models: each lies one deviation above or below their mean, ada above in all but usability.
fn pair(root: &Path) {
    write(root, "ada", "todo", &[entry("judge", [80.0, 70.0, 90.0, 100.0, 50.0], &[])]);
    write(root, "bob", "todo", &[entry("judge", [60.0, 75.0, 50.0, 80.0, 40.0], &[])]);
}

fn result(command: &str, root: &Path, options: &[&str]) -> Value {
    let (code, stdout, stderr) = outcome(webeval().arg(command).arg(root).arg("--json").args(options));
    assert_eq!(code, 0, "{stderr}");
    serde_json::from_str(&stdout).unwrap()
}

fn close(value: &Value, expected: f64) {
    let value = value.as_f64().unwrap_or_else(|| panic!("not a number: {value}"));
    assert!((value - expected).abs() < 1e-9, "{value} is not {expected}");
}

#[test]
fn a_leaderboard_of_two() {
    let base = tempfile::tempdir().unwrap();
    let root = base.path().join("runs");
    pair(&root);
    let board = &result("leaderboard", &root, &[])["leaderboard"];
    assert_eq!(board["standings"][0]["model"], "ada");
    // (1 − 1 + 1) / 3, and its negative.
    close(&board["standings"][0]["total"]["value"], 1.0 / 3.0);
    close(&board["standings"][1]["total"]["value"], -1.0 / 3.0);
}

#[test]
fn what_a_leaderboard_writes() {
    let base = tempfile::tempdir().unwrap();
    let (root, out) = (base.path().join("runs"), base.path().join("board"));
    pair(&root);
    let labels = base.path().join("labels.csv");
    std::fs::write(&labels, "task,difficulty\ntodo,easy\n").unwrap();
    let (reference, at) = (base.path().join("spring.json"), |path: &Path| path.display().to_string());
    let options =
        ["--labels", &at(&labels), "--compare", "ada", "bob", "--write-reference", &at(&reference), "--out", &at(&out)];
    let (code, stdout, stderr) = outcome(webeval().arg("leaderboard").arg(&root).args(options));
    assert_eq!(code, 0, "{stderr}");
    for said in ["Leaderboard", "+0.333", "Totals by difficulty", "easy (n=1)", "ada against bob"] {
        assert!(stdout.contains(said), "{said:?} is not in {stdout}");
    }
    let text = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    assert!(text("leaderboard.md").contains("| 1 | ada |"));
    assert!(text("leaderboard.csv").starts_with("rank,"));
    assert!(text("leaderboard.svg").starts_with("<svg"));
    assert!(text("by-difficulty.csv").contains("easy"));
    // Standardised by the pool's own reference, the figures stay as they are.
    let again = result("leaderboard", &root, &["--reference", &at(&reference)]);
    close(&again["leaderboard"]["standings"][0]["total"]["value"], 1.0 / 3.0);
}

#[test]
fn a_missing_score_is_for_the_user_to_decide() {
    let base = tempfile::tempdir().unwrap();
    pair(base.path());
    write(base.path(), "ada", "notes", &[entry("judge", [10.0; 5], &[])]);
    let (code, stdout, stderr) = outcome(webeval().arg("leaderboard").arg(base.path()));
    assert_eq!((code, stdout.as_str()), (2, ""), "{stderr}");
    assert!(stderr.contains("bob") && stderr.contains("notes") && stderr.contains("--missing"), "{stderr}");
    // Without the task that bob lacks, it is the board of two again.
    let board = result("leaderboard", base.path(), &["--missing", "drop-task"]);
    close(&board["leaderboard"]["standings"][0]["total"]["value"], 1.0 / 3.0);
    assert_eq!(board["leaderboard"]["dropped_tasks"], json!(["notes"]));
}

#[test]
fn an_app_that_could_not_be_deployed_counts_nothing_or_zero() {
    let base = tempfile::tempdir().unwrap();
    pair(base.path());
    write(base.path(), "ada", "notes", &[entry("judge", [10.0; 5], &[])]);
    let mut undeployed = entry("judge", [0.0; 5], &[]);
    for dimension in DIMENSIONS {
        undeployed["dimensions"][dimension]["status"] = json!("undeployable");
    }
    write(base.path(), "bob", "notes", &[undeployed]);
    let mean = |options: &[&str]| {
        let board = result("leaderboard", base.path(), options);
        let bob = board["leaderboard"]["standings"].as_array().unwrap().iter().find(|s| s["model"] == "bob").unwrap();
        bob["dimensions"][0]["mean"]["value"].clone()
    };
    close(&mean(&[]), 30.0);
    close(&mean(&["--not-deployed", "exclude"]), 60.0);
}

#[test]
fn several_judges_are_told_apart() {
    let base = tempfile::tempdir().unwrap();
    let strict = [[50.0; 5], [40.0; 5], [30.0; 5]];
    let mild = [[90.0; 5], [70.0; 5], [80.0; 5]];
    let met = [[true, true], [true, false], [false, false]];
    for (at, model) in ["ada", "bob", "cy"].into_iter().enumerate() {
        let first = entry("strict", strict[at], &met[at]);
        // The two disagree on c1 of bob only.
        let second = entry("mild", mild[at], &if at == 1 { [true, true] } else { met[at] });
        write(base.path(), model, "todo", &[first, second]);
    }
    let (code, _, stderr) = outcome(webeval().arg("leaderboard").arg(base.path()));
    assert_eq!(code, 2);
    assert!(stderr.contains("mild, strict") && stderr.contains("--judge"), "{stderr}");
    let found = result("agreement", base.path(), &["--judges", "strict", "mild"]);
    // bob and cy change places: 2 of 3 pairs keep their order, τ = (2 − 1) / 3.
    close(&found["judges"]["kendall"]["coefficient"], 1.0 / 3.0);
    assert_eq!(found["judges"]["order"]["reversed"].as_array().unwrap().len(), 1);
    assert_eq!(found["criteria"]["agreed"], json!({"n": 6, "agree": 5}));
    // Five of six agree; chance says (3·4 + 3·2) / 36 = 1/2: κ = (5/6 − 1/2) / (1 − 1/2).
    close(&found["criteria"]["kappa"], 2.0 / 3.0);
}

#[test]
fn votes_fall_into_bands() {
    let base = tempfile::tempdir().unwrap();
    let root = base.path().join("runs");
    pair(&root);
    let votes = base.path().join("votes.csv");
    std::fs::write(&votes, "task,left,right,preference\ntodo,ada,bob,left\ntodo,bob,ada,left\ntodo,ada,bob,tie\n")
        .unwrap();
    let votes = votes.display().to_string();
    let found = result("agreement", &root, &["--votes", &votes]);
    // The two apps' totals are 1/3 and −1/3: a difference of 0.67.
    let band = found["votes"]["agreement"]["bands"].as_array().unwrap().iter().find(|band| band["low"] == 0.5).unwrap();
    assert_eq!(band["within"], json!({"n": 2, "agree": 1}));
    assert_eq!(found["votes"]["agreement"]["ties"], 1);
    let out = base.path().join("out");
    let (code, stdout, _) = outcome(webeval().arg("agreement").arg(&root).args(["--votes", &votes, "--out"]).arg(&out));
    assert_eq!(code, 0);
    assert!(stdout.contains("[0.5, 0.75)") && stdout.contains("50.0"), "{stdout}");
    assert!(out.join("agreement.svg").is_file() && out.join("votes.csv").is_file());
}

#[test]
fn bad_input_is_named() {
    let base = tempfile::tempdir().unwrap();
    let says = |path: &Path, words: &[&str]| {
        let (code, stdout, stderr) = outcome(webeval().arg("leaderboard").arg(path));
        assert_eq!((code, stdout.as_str()), (2, ""), "{stderr}");
        assert_eq!(stderr.trim_end().lines().count(), 1, "{stderr}");
        assert!(words.iter().all(|word| stderr.contains(word)), "{words:?}: {stderr}");
    };
    says(&base.path().join("nowhere"), &["nowhere", "neither"]);
    says(base.path(), &["no scores", "0 run directories"]);
    let folder = base.path().join("ada/todo");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("scores.json"), "{").unwrap();
    says(base.path(), &["ada/todo/scores.json", "no score file"]);
    let table = base.path().join("t.csv");
    std::fs::write(&table, "model,task,dimension,score\nada,todo,beauty,1\n").unwrap();
    says(&table, &["t.csv", "beauty"]);
}
