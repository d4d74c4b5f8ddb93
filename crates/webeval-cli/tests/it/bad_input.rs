//! Bad input: one clear line, exit code 2, nothing written over.

use std::path::Path;

use crate::command::{app, outcome, webeval};

/// Runs with `arguments`, expects exit code 2 and a single line that contains each of `words`.
fn refuses(arguments: &[&str], words: &[&str]) {
    let (code, stdout, stderr) = outcome(webeval().args(arguments));
    assert_eq!(code, 2, "{arguments:?}: {stderr}");
    assert_eq!(stdout, "", "{arguments:?}");
    let line = stderr.trim_end();
    for word in words {
        assert!(line.contains(word), "{word:?} is not in: {line}");
    }
}

fn refuses_in_one_line(arguments: &[&str], words: &[&str]) {
    refuses(arguments, words);
    let (_, _, stderr) = outcome(webeval().args(arguments));
    assert_eq!(stderr.trim_end().lines().count(), 1, "{stderr}");
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a temporary path is UTF-8")
}

#[test]
fn an_app_that_is_not_there() {
    let base = tempfile::tempdir().unwrap();
    let out = base.path().join("run");
    refuses_in_one_line(&["run", "/no/such/app", "--out", text(&out)], &["/no/such/app", "does not exist"]);
    assert!(!out.exists());
}

#[test]
fn a_folder_without_a_page() {
    let base = tempfile::tempdir().unwrap();
    let (folder, out) = (base.path().join("empty"), base.path().join("run"));
    std::fs::create_dir(&folder).unwrap();
    refuses_in_one_line(&["run", text(&folder), "--out", text(&out)], &["no .html file", text(&folder)]);
    assert!(!out.exists());
}

#[test]
fn a_file_that_is_no_page() {
    let base = tempfile::tempdir().unwrap();
    let file = base.path().join("notes.txt");
    std::fs::write(&file, "text").unwrap();
    refuses_in_one_line(&["run", text(&file), "--out", text(&base.path().join("run"))], &["notes.txt", ".html"]);
}

#[test]
fn an_out_folder_that_is_taken() {
    let base = tempfile::tempdir().unwrap();
    std::fs::write(base.path().join("run.json"), "{}").unwrap();
    let todo = app("todo");
    refuses_in_one_line(&["run", text(&todo), "--out", text(base.path())], &["already holds another run", "--resume"]);
    assert_eq!(std::fs::read_to_string(base.path().join("run.json")).unwrap(), "{}");

    let other = tempfile::tempdir().unwrap();
    std::fs::write(other.path().join("thesis.txt"), "years of work").unwrap();
    refuses_in_one_line(&["run", text(&todo), "--out", text(other.path())], &["already holds other files"]);
    assert_eq!(std::fs::read_dir(other.path()).unwrap().count(), 1);
}

#[test]
fn a_requirement_file_that_is_not_text() {
    let base = tempfile::tempdir().unwrap();
    let file = base.path().join("requirement.txt");
    std::fs::write(&file, b"a list \xff\xfe").unwrap();
    let (todo, out) = (app("todo"), base.path().join("run"));
    let arguments = ["run", text(&todo), "--requirement-file", text(&file), "--out", text(&out)];
    refuses_in_one_line(&arguments, &["requirement.txt", "not UTF-8"]);
    assert!(!out.exists());
}

#[test]
fn no_steps_at_all() {
    let base = tempfile::tempdir().unwrap();
    let todo = app("todo");
    refuses(&["run", text(&todo), "--steps", "0", "--out", text(&base.path().join("run"))], &["--steps", "0"]);
}

#[test]
fn a_driver_that_is_not_there_or_does_not_match() {
    let base = tempfile::tempdir().unwrap();
    let (todo, out) = (app("todo"), base.path().join("run"));
    let (code, _, stderr) = outcome(webeval().args(["run", text(&todo), "--out", text(&out)]).env("PATH", base.path()));
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("chromedriver") && stderr.contains("scripts/setup"), "{stderr}");
    assert!(!out.exists());

    let fake = base.path().join("chromedriver");
    std::fs::write(&fake, "#!/bin/sh\necho 'ChromeDriver 90.0.4430.24 (abc)'\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&fake, mode).unwrap();
    let path = format!("{}:/usr/bin:/bin", base.path().display());
    let (code, _, stderr) = outcome(webeval().args(["run", text(&todo), "--out", text(&out)]).env("PATH", path));
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("90") && stderr.contains("match"), "{stderr}");
    assert!(!out.exists());
}

#[test]
fn a_folder_that_is_no_run() {
    let base = tempfile::tempdir().unwrap();
    for stage in ["explore", "states", "judge", "report", "validate"] {
        refuses_in_one_line(&[stage, text(base.path())], &["not a run directory"]);
    }
}
