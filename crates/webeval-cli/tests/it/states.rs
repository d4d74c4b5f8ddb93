//! `webeval states` on DOM files. What it does with a run is checked on the fixture apps.

use serde_json::Value;

use crate::command::{outcome, webeval};

const MORNING: &str = "<html><body><h1>Tea</h1><p>Saved 09:41</p><ul><li>Green</li></ul></body></html>";
const NOON: &str = "<html><body><h1>Tea</h1><p>Saved 12:00</p><ul><li>Green</li></ul></body></html>";
const MORE: &str = "<html><body><h1>Tea</h1><p>Saved 12:00</p><ul><li>Green</li><li>Black</li></ul></body></html>";

#[test]
fn a_line_of_hashes_a_file() {
    let base = tempfile::tempdir().unwrap();
    let path = |name: &str, html: &str| {
        let path = base.path().join(name);
        std::fs::write(&path, html).unwrap();
        path
    };
    let files = [path("a.html", MORNING), path("b.html", NOON), path("c.html", MORE)];
    let (code, stdout, stderr) = outcome(webeval().args(["states", "hash"]).args(&files));
    assert_eq!(code, 0, "{stderr}");
    let lines: Vec<Value> = stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0]["file"], files[0].to_str().unwrap());
    let same = |a: usize, b: usize, level: &str| lines[a][level] == lines[b][level];
    assert!(same(0, 1, "level0"), "a clock makes no state");
    assert!(!same(1, 2, "level0") && !same(1, 2, "level1"), "an item does");
    assert!(same(1, 2, "level2"), "though not a structure");

    // A file that cannot be read costs itself only.
    let (code, stdout, stderr) =
        outcome(webeval().args(["states", "hash"]).arg(base.path().join("none.html")).arg(&files[0]));
    assert_eq!((code, stdout.lines().count()), (2, 1));
    assert!(stderr.contains("none.html"), "{stderr}");
}

#[test]
fn a_normal_form_is_its_own() {
    let base = tempfile::tempdir().unwrap();
    let (page, form) = (base.path().join("page.html"), base.path().join("form.html"));
    std::fs::write(&page, MORNING).unwrap();
    let normal = |path: &std::path::Path| outcome(webeval().args(["states", "normalize", "--level", "0"]).arg(path)).1;
    let first = normal(&page);
    assert!(first.contains("Saved {time}"), "{first}");
    std::fs::write(&form, first.trim_end_matches('\n')).unwrap();
    assert_eq!(normal(&form), first);
    let (code, _, stderr) = outcome(webeval().args(["states", "normalize", "--level", "7"]).arg(&page));
    assert_eq!(code, 2);
    assert!(stderr.contains('7'), "{stderr}");
}

#[test]
fn a_difference_is_told() {
    let base = tempfile::tempdir().unwrap();
    let (before, after) = (base.path().join("before.html"), base.path().join("after.html"));
    std::fs::write(&before, NOON).unwrap();
    std::fs::write(&after, MORE).unwrap();
    let told = |a: &std::path::Path, b: &std::path::Path| outcome(webeval().args(["states", "diff"]).arg(a).arg(b)).1;
    let added = told(&before, &after);
    assert!(added.starts_with("+ ") && added.contains("<li>Black</li>"), "{added}");
    assert_eq!(added.lines().count(), 1);
    let removed = told(&after, &before);
    assert!(removed.starts_with("- ") && removed.contains("<li>"), "{removed}");
    assert_eq!(told(&before, &before), "");
}
