//! Files that cannot be instrumented, and files that are hard to.
use webeval_instrument::{Error, Kind, Options, instrument, instrument_bytes};

fn fails(source: &str, path: &str) -> Error {
    instrument(source, path, &Options::default()).unwrap_err()
}

#[test]
fn each_kind_of_failure_has_its_error() {
    let error = fails("ok();\nlet x = ;", "a.js");
    assert_eq!((error.kind(), error.position()), ("syntax", Some((2, 8))));
    assert!(matches!(fails("a", "a.css"), Error::NotCode { .. }));
    assert!(matches!(
        fails("// @flow\nfunction f(a: ?number) { return (a: any) }", "a.js"),
        Error::UnsupportedDialect { .. }
    ));
    let binary = instrument_bytes(b"\x89PNG\r\n\x1a\n\0\0", "a.js", &Options::default()).unwrap_err();
    assert!(matches!(binary, Error::Binary { offset: 0, .. }));
    let coffee = fails("square = (x) -> x * x", "a.js");
    assert_eq!(coffee.kind(), "syntax");
}

#[test]
fn instrumented_files_are_recognised() {
    let once = instrument("a()", "a.js", &Options::default()).unwrap().code;
    let twice = fails(&once, "a.js");
    assert!(matches!(twice, Error::AlreadyInstrumented { line: 1, .. }));
    // Under another name as well, and when another instrumenter did it.
    assert!(matches!(fails(&once, "b.js"), Error::AlreadyInstrumented { .. }));
    let theirs = "function cov_x(){var coverageData={_coverageSchema:\"1a1c01bbd47fc00a2c39e90264f33305004495a9\"}}";
    assert!(matches!(fails(theirs, "c.js"), Error::AlreadyInstrumented { .. }));
}

#[test]
fn options_and_maps_are_checked() {
    let mut options = Options::default();
    options.input_source_map = Some("{\"version\":3,\"sources\":[],\"mappings\":\"AAAA\"}".into());
    assert!(matches!(instrument("a()", "a.js", &options), Err(Error::SourceMap { .. })));
    options.input_source_map = Some("no".into());
    assert!(matches!(instrument("a()", "a.js", &options), Err(Error::SourceMap { .. })));
    options.input_source_map = None;
    options.coverage_global_scope = "a\nb".into();
    assert!(matches!(instrument("a()", "a.js", &options), Err(Error::Option { option: "coverageGlobalScope", .. })));
}

#[test]
fn ignored_files_stay_as_they_are() {
    for hint in ["istanbul", "c8", "v8"] {
        let source = format!("/* {hint} ignore file */ a()");
        let done = instrument(&source, "a.js", &Options::default()).unwrap();
        assert_eq!((done.code.as_str(), done.coverage.counters()), (source.as_str(), 0));
    }
}

#[test]
fn empty_and_comment_only_files_are_fine() {
    for source in ["", "// nothing", "/* nothing */\n", "\u{feff}", "#!/bin/node\n", "'use strict'"] {
        let done = instrument(source, "a.js", &Options::default()).unwrap();
        assert_eq!(done.coverage.counters(), 0);
        assert_eq!(done.code.matches('\n').count(), source.matches('\n').count(), "{source:?}");
    }
}

#[test]
fn odd_characters_are_kept() {
    let source = "var a = '\0', b = '\\ud800', c = `\u{2028}`, d = /[\\p{L}--a]/v;";
    let done = instrument(source, "a.js", &Options::default()).unwrap();
    assert!(done.code.contains("'\0'") && done.code.contains("'\\ud800'"));
}

#[test]
fn deep_nesting_is_no_crash() {
    let deep = 10_000;
    let sources = [
        format!("{}1{}", "(".repeat(deep), ")".repeat(deep)),
        format!("x = {}1{}", "[".repeat(deep), "]".repeat(deep)),
        format!("x = {}1", "!".repeat(deep)),
        format!("x = {}1", "() => ".repeat(deep)),
        format!("x = 1{}", " + 1".repeat(deep)),
        format!("x = {}1{}", "a ? b : ".repeat(deep), ""),
        format!("{}b();", "if (a) ".repeat(deep)),
        format!("{}{}", "{".repeat(deep), "}".repeat(deep)),
        format!("if (a) b();{}", " else if (a) b();".repeat(deep)),
    ];
    for source in sources {
        instrument(&source, "a.js", &Options::default()).unwrap();
    }
}

#[test]
fn every_kind_has_its_extension() {
    let kinds = [
        ("a/b.mjs", Some(Kind::Module)),
        ("a.test.tsx", Some(Kind::Tsx)),
        ("x.d.ts", None),
        ("Makefile", None),
        ("I.HTML", Some(Kind::Html)),
        ("c.vue", Some(Kind::Vue)),
        ("d.cjs", Some(Kind::CommonJs)),
        ("e.json", None),
    ];
    for (path, kind) in kinds {
        assert_eq!(Kind::from_path(path), kind, "{path}");
    }
}

/// Where a lone statement gets a block for its counters, a function must not: `while (a) function f() {}` is an error,
/// `while (a) { function f() {} }` is none.
#[test]
fn early_errors_are_not_lost() {
    let bodies = ["function f() {}", "l: function f() {}", "a: b: function f() {}"];
    let heads = ["while (0) ", "for (;0;) ", "for (var x in {}) ", "for (var x of []) "];
    let mut programs: Vec<String> =
        heads.iter().flat_map(|head| bodies.iter().map(move |body| format!("{head}{body}"))).collect();
    for body in bodies {
        programs.push(format!("do {body} while (0)"));
        programs.push(format!("with ({{}}) {body}"));
        programs.push(format!("'use strict'; if (0) {body}"));
        programs.push(format!("(function () {{ 'use strict'; if (0) {body} else {body} }})"));
        programs.push(format!("class A {{ m() {{ if (0) {body} }} }}"));
    }
    programs.extend(bodies[1..].iter().map(|body| format!("if (0) {body}")));
    programs.push("if (0) ; else l: function f() {}".to_owned());
    programs.push("/* istanbul ignore if */ if (0) l: function f() {}".to_owned());
    let mut options = Options::default();
    options.kind = Some(Kind::Script);
    // Some of them the parser reports itself; the others are for the engine to refuse.
    let both: Vec<[String; 2]> = programs
        .into_iter()
        .filter_map(|source| instrument(&source, "a.js", &options).ok().map(|done| [source, done.code]))
        .collect();
    assert!(!both.is_empty());
    let printed = crate::node::run(&format!(
        "const parses = text => {{ try {{ new (require('vm').Script)(text); return true }} catch {{ return false }} }};
         for (const [source, code] of {}) if (parses(source) || parses(code)) console.log(source, '=>', code.slice(-80))",
        serde_json::to_string(&both).unwrap()
    ));
    assert_eq!(printed, "");
}

/// What a bundle of that size is mostly made of, data in strings, with code in between.
#[test]
fn a_bundle_of_twenty_megabytes_is_instrumented() {
    let data = "d".repeat(1 << 20);
    let source: String = (0..20).map(|part| format!("var data{part} = '{data}' || f(() => {part});\n")).collect();
    assert!(source.len() > 20 << 20);
    let done = instrument(&source, "bundle.js", &Options::default()).unwrap();
    assert_eq!((done.coverage.s.len(), done.coverage.fn_map.len()), (40, 20));
    assert_eq!(done.code.matches('\n').count(), 20);
}

#[test]
fn lone_surrogates_in_bytes_are_no_text_and_in_escapes_they_are() {
    // U+D800 as three bytes, which UTF-8 does not allow.
    let error = instrument_bytes(b"var a = '\xED\xA0\x80'", "a.js", &Options::default()).unwrap_err();
    assert!(matches!(error, Error::Binary { offset: 9, .. }), "{error:?}");
    let source = "var a = '\\ud800' || \"\\udc00\", \\u{61}b = `\\ud800`;";
    assert_eq!(instrument(source, "a.js", &Options::default()).unwrap().coverage.b.len(), 1);
}
