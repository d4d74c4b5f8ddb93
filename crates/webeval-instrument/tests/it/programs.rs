//! Programs that check themselves against what the language says: each does so as written and instrumented, sloppy and
//! strict, with every option that changes what is inserted.
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use webeval_instrument::{Instrumented, Kind, Options, instrument};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/instrument/programs")
}

/// The options that lead to other text, by name.
fn ways() -> [(&'static str, Options); 4] {
    let with = |change: fn(&mut Options)| {
        let mut options = Options::default();
        change(&mut options);
        options
    };
    [
        ("default", Options::default()),
        ("reportLogic", with(|options| options.report_logic = true)),
        ("reportOptional", with(|options| options.report_optional = true)),
        ("without comments", with(|options| options.preserve_comments = false)),
    ]
}

fn counted(source: &str, path: &str, kind: Kind, options: &Options) -> Instrumented {
    let mut options = options.clone();
    options.kind = Some(kind);
    instrument(source, path, &options).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// File names, relative to the programs, and texts of those with an extension.
fn files(under: &str, extension: &str) -> BTreeMap<String, String> {
    let list = std::fs::read_dir(folder().join(under)).unwrap();
    let names = list.map(|entry| Path::new(under).join(entry.unwrap().file_name()));
    names
        .filter(|name| name.extension().is_some_and(|found| found == extension))
        .map(|name| (name.to_string_lossy().into_owned(), std::fs::read_to_string(folder().join(&name)).unwrap()))
        .collect()
}

/// Runs the given programs and returns what the runner printed, line by line.
fn run(programs: &[Value]) -> Vec<String> {
    let mut node = Command::new("node")
        .args(["--experimental-vm-modules", "--no-warnings"])
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/programs.js"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    node.stdin.take().unwrap().write_all(&serde_json::to_vec(programs).unwrap()).unwrap();
    let output = node.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[track_caller]
fn all_right(programs: &[Value]) {
    let mut lines = run(programs);
    let right: usize = lines.pop().unwrap().parse().unwrap();
    let skipped: Vec<_> = lines.iter().filter(|line| line.starts_with("skipped")).collect();
    for line in &skipped {
        println!("{line}");
    }
    assert_eq!(right + skipped.len(), programs.len(), "{}", lines.join("\n"));
}

#[test]
fn scripts_check_out_sloppy_and_strict() {
    let mut programs = Vec::new();
    for (name, text) in files("", "js") {
        let first = text.lines().next().unwrap_or_default();
        let needs = first.strip_prefix("// needs ");
        for (way, options) in ways() {
            for (mode, before) in [("sloppy", ""), ("strict", "\"use strict\";\n")] {
                let other = if mode == "sloppy" { "// strict only" } else { "// sloppy only" };
                if first == other {
                    continue;
                }
                let source = format!("{before}{text}");
                let code = counted(&source, &name, Kind::Script, &options).code;
                let way = format!("{mode}, {way}");
                programs.push(json!({"name": name, "way": way, "needs": needs, "source": source, "code": code}));
            }
        }
    }
    assert!(programs.len() > 100);
    all_right(&programs);
}

#[test]
fn modules_check_out() {
    let mut sources = files("", "mjs");
    let mains: Vec<String> = sources.keys().cloned().collect();
    sources.extend(files("parts", "mjs"));
    let mut programs = Vec::new();
    for (way, options) in ways() {
        let codes: BTreeMap<_, _> =
            sources.iter().map(|(name, text)| (name, counted(text, name, Kind::Module, &options).code)).collect();
        for name in &mains {
            programs.push(json!({"name": name, "way": way, "sources": sources, "codes": codes}));
        }
    }
    all_right(&programs);
}

#[test]
fn scripts_end_with_the_value_they_have_to() {
    let list = std::fs::read_to_string(folder().join("completion.tsv")).unwrap();
    let mut programs = Vec::new();
    for line in list.lines() {
        let (source, value) = line.split_once('\t').unwrap();
        for (way, options) in ways() {
            let done = counted(source, "completion.js", Kind::Script, &options);
            let counters = done.coverage.counters() > 0;
            let (name, code) = (source, done.code);
            programs.push(
                json!({"name": name, "way": way, "source": source, "code": code, "value": value, "bare": !counters}),
            );
        }
    }
    all_right(&programs);
}
