//! `webeval instrument`, end to end: what it writes runs in Node and counts.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::command::{outcome, webeval};

/// A tree with every sort of file that matters, and two that cannot be instrumented.
fn tree(root: &Path) {
    let files: &[(&str, &[u8])] = &[
        (
            "app.js",
            b"// starts\nconst { twice } = require('./lib/twice.cjs');\nif (twice(2) > 3) console.log('big');\n",
        ),
        ("lib/twice.cjs", b"exports.twice = (x) => x && x * 2;\nexports.unused = function unused() { return 1; };\n"),
        ("src/view.tsx", b"export const View = (p: { a?: string }) => <b>{p.a ?? 'none'}</b>;\n"),
        ("src/C.vue", b"<script setup>\nconst a = f();\n</script>\n<template><p>{{ a }}</p></template>\n"),
        ("src/S.svelte", b"<script>\nlet n = $state(0);\n</script>\n<p>{n}</p>\n"),
        ("src/P.astro", b"---\nconst a = f();\n---\n<p>{a}</p>\n"),
        ("page.html", b"<!DOCTYPE html><button onclick=\"go()\">go</button>\n"),
        ("types.d.ts", b"declare const a: number;\n"),
        ("style.css", b"a { color: red }\n"),
        ("data.bin", &[0, 255, 1, 254]),
        ("node_modules/dep/index.js", b"module.exports = 1;\n"),
        ("lib.min.js", b"let a=1;\n"),
        (".git/HEAD", b"ref\n"),
        ("broken.js", b"ok();\nlet x = ;\n"),
        ("picture.js", b"\x89PNG\r\n\x1a\n\0\0"),
    ];
    for (name, content) in files {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a temporary path is UTF-8")
}

/// What a script prints with the tree's output as its working directory.
fn node(folder: &Path, script: &str) -> String {
    let output = Command::new("node").current_dir(folder).args(["-e", script]).output().expect("node is there");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_tree_is_mirrored_and_what_fails_is_listed() {
    let base = tempfile::tempdir().unwrap();
    let (from, to, map) = (base.path().join("app"), base.path().join("out"), base.path().join("map.json"));
    tree(&from);
    let arguments = ["instrument", text(&from), "--out", text(&to), "--coverage-map", text(&map), "--format", "json"];
    let (code, stdout, stderr) = outcome(webeval().args(arguments));
    assert_eq!((code, stderr.trim_end().lines().count()), (1, 1), "{stderr}");
    assert!(stderr.contains("2 files"), "{stderr}");

    let done: Value = serde_json::from_str(&stdout).unwrap();
    let counted = ["app.js", "lib/twice.cjs", "page.html", "src/C.vue", "src/P.astro", "src/S.svelte", "src/view.tsx"];
    assert_eq!(done["instrumented"], json!(counted));
    let skipped = done["skipped"].as_array().unwrap();
    assert_eq!(skipped.len(), 2);
    assert_eq!((&skipped[0]["path"], &skipped[0]["kind"]), (&json!("broken.js"), &json!("syntax")));
    assert_eq!((&skipped[0]["line"], &skipped[0]["column"]), (&json!(2), &json!(8)));
    assert_eq!((&skipped[1]["path"], &skipped[1]["kind"]), (&json!("picture.js"), &json!("binary")));

    // What is not counted is there byte for byte.
    for name in
        ["types.d.ts", "style.css", "data.bin", "node_modules/dep/index.js", "lib.min.js", "broken.js", "picture.js"]
    {
        assert_eq!(fs::read(from.join(name)).unwrap(), fs::read(to.join(name)).unwrap(), "{name}");
    }
    assert!(!to.join(".git").exists());

    // app.js: a declaration, an `if` that is true, its body. twice.cjs: two assignments, an arrow that is called.
    let printed = node(
        &to,
        "require('./app.js'); const c = __coverage__; console.log(JSON.stringify([c['app.js'].s, c['app.js'].b, c['lib/twice.cjs'].f, c['lib/twice.cjs'].b]))",
    );
    let printed = printed.strip_prefix("big\n").expect("the program does what it did");
    let expected = json!([{"0": 1, "1": 1, "2": 1}, {"0": [1, 0]}, {"0": 1, "1": 0}, {"0": [1, 1]}]);
    assert_eq!(serde_json::from_str::<Value>(printed).unwrap(), expected);

    // The map has the same files, at zero, and the totals are its own.
    let map: Value = serde_json::from_str(&fs::read_to_string(&map).unwrap()).unwrap();
    let map = map.as_object().unwrap();
    assert_eq!(map.keys().collect::<Vec<_>>(), counted);
    let statements: usize = map.values().map(|file| file["s"].as_object().unwrap().len()).sum();
    assert_eq!(done["statements"], json!(statements));
    assert!(map.values().all(|file| file["s"].as_object().unwrap().values().all(|count| count == 0)));
}

#[test]
fn a_single_file_takes_istanbuls_options() {
    let base = tempfile::tempdir().unwrap();
    let (file, to, map) = (base.path().join("a.js"), base.path().join("out"), base.path().join("map.json"));
    fs::write(&file, "class A { left() { return 1 } kept() { return 2 } } // a comment\nvar r = [] || 0, o = r?.x\n")
        .unwrap();
    let (code, stdout, stderr) = outcome(webeval().args(["instrument", text(&file), "--out", text(&to)]).args([
        "--coverage-variable",
        "__mine__",
        "--coverage-global-scope",
        "globalThis.place",
        "--ignore-class-method",
        "left",
        "--preserve-comments=false",
        "--es-modules=false",
        "--report-logic",
        "--report-optional",
        "--produce-source-map",
        "--coverage-map",
        text(&map),
    ]));
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(stdout.ends_with("1 files with counters: 3 statements, 1 functions, 3 branch arms\n"), "{stdout}");
    let printed = node(
        &to,
        "globalThis.place = {}; require('./a.js'); const c = place.__mine__['a.js']; console.log(JSON.stringify([Object.values(c.fnMap).map(f => f.name), c.b, c.bT, typeof __coverage__]))",
    );
    // `[]` counts as taken, and not as truthy; `r?.x` went on.
    let expected = json!([["(anonymous_0)"], {"0": [1, 0], "1": [1]}, {"0": [0, 0]}, "undefined"]);
    assert_eq!(serde_json::from_str::<Value>(&printed).unwrap(), expected);
    let written = fs::read_to_string(to.join("a.js")).unwrap();
    assert!(!written.contains("a comment") && written.ends_with("\n//# sourceMappingURL=a.js.map\n"), "{written}");
    let source_map: Value = serde_json::from_str(&fs::read_to_string(to.join("a.js.map")).unwrap()).unwrap();
    assert_eq!((&source_map["version"], &source_map["sources"]), (&json!(3), &json!(["a.js"])));

    // The map leads on to what the file was made of.
    let input = base.path().join("in.map");
    fs::write(&input, r#"{"version":3,"sources":["in.ts"],"names":[],"mappings":"AAAA"}"#).unwrap();
    let to = base.path().join("out2");
    let arguments =
        ["instrument", text(&file), "--out", text(&to), "--input-source-map", text(&input), "--produce-source-map"];
    assert_eq!(outcome(webeval().args(arguments)).0, 0);
    let source_map: Value = serde_json::from_str(&fs::read_to_string(to.join("a.js.map")).unwrap()).unwrap();
    assert_eq!(source_map["sources"], json!(["in.ts"]));
}

#[test]
fn bad_input_is_told_in_one_line_before_anything_is_written() {
    let base = tempfile::tempdir().unwrap();
    let (file, to) = (base.path().join("a.js"), base.path().join("out"));
    fs::write(&file, "a()").unwrap();
    let notes = base.path().join("notes.txt");
    fs::write(&notes, "text").unwrap();
    let refuses = |path: &Path, options: &[&str], words: &[&str]| {
        let (code, stdout, stderr) =
            outcome(webeval().args(["instrument", text(path), "--out", text(&to)]).args(options));
        assert_eq!((code, stdout.as_str()), (2, ""), "{stderr}");
        assert_eq!(stderr.trim_end().lines().count(), 1, "{stderr}");
        for word in words {
            assert!(stderr.contains(word), "{word} is not in {stderr}");
        }
        assert!(!to.exists());
    };
    refuses(&base.path().join("none"), &[], &["none", "No such file"]);
    refuses(&notes, &[], &["notes.txt", "not a source file"]);
    refuses(&file, &["--coverage-global-scope", "a\nb"], &["coverageGlobalScope", "one line"]);
    refuses(&file, &["--coverage-variable", ""], &["coverageVariable"]);
    refuses(&file, &["--input-source-map", "/none.map"], &["/none.map"]);
    refuses(base.path(), &["--input-source-map", text(&notes)], &["single file"]);
    fs::create_dir(&to).unwrap();
    fs::write(to.join("thesis.txt"), "years of work").unwrap();
    let (code, _, stderr) = outcome(webeval().args(["instrument", text(&file), "--out", text(&to)]));
    assert!(code == 2 && stderr.contains("not empty"), "{stderr}");
}
