//! Source maps, read back with Node's own reader.
use webeval_instrument::coverage::{CoverageMap, Delta, FileCoverage, Origins, Range};
use webeval_instrument::{Options, instrument};

use crate::node::run;

/// Where each of the words stands in the output, as Node's `SourceMap` traces it: line and column from 0.
fn trace(code: &str, map: &str, words: &[&str]) -> Vec<(String, u32, u32)> {
    let quote = |text: &str| serde_json::Value::from(text).to_string();
    let words = serde_json::to_string(words).unwrap();
    let printed = run(&format!(
        "const {{SourceMap}} = require('module'); const map = new SourceMap(JSON.parse({})), code = {};
         console.log(JSON.stringify({words}.map(w => {{ const at = code.lastIndexOf(w), line = code.slice(0, at).split('\\n').length - 1,
         column = at - code.lastIndexOf('\\n', at - 1) - 1, e = map.findEntry(line, column);
         return [e.originalSource, e.originalLine, e.originalColumn] }})))",
        quote(map),
        quote(code)
    ));
    serde_json::from_str(&printed).unwrap()
}

#[test]
fn every_name_leads_back_to_its_place() {
    let source = "const f = (first, other = 1) => first && other;\nvar é = '😀', last = f(2) || f(3), after = last;\n";
    let mut options = Options::default();
    options.produce_source_map = true;
    let done = instrument(source, "a.js", &options).unwrap();
    let words = ["first && ", "other", "last = ", "after"];
    let expected: Vec<_> = words
        .iter()
        .map(|word| {
            let at = source.rfind(word).unwrap();
            let line = source[..at].matches('\n').count() as u32;
            let column = source[..at].rsplit('\n').next().unwrap().encode_utf16().count() as u32;
            ("a.js".to_owned(), line, column)
        })
        .collect();
    // `other` and `after` occur last where the source has them last.
    assert_eq!(trace(&done.code, &done.source_map.unwrap(), &words), expected);
}

/// `a()\nb()` from `in.ts`, where `a` stands on line 5 and `b` on line 9.
const INPUT: &str = r#"{"version":3,"sources":["../src/in.ts"],"names":[],"mappings":"AAIE;AAIE"}"#;

#[test]
fn maps_are_composed_with_the_map_that_came_in() {
    let mut options = Options::default();
    options.produce_source_map = true;
    options.input_source_map = Some(INPUT.into());
    let done = instrument("a();\nb();\n", "/app/dist/out.js", &options).unwrap();
    let traced = trace(&done.code, done.source_map.as_ref().unwrap(), &["a()", "b()"]);
    assert_eq!(traced, [("../src/in.ts".into(), 4, 2), ("../src/in.ts".into(), 8, 4)]);
    assert!(done.coverage.input_source_map.is_some());
}

#[test]
fn coverage_leads_back_to_the_sources() {
    let mut options = Options::default();
    options.input_source_map = Some(INPUT.into());
    let mut file = instrument("a();\nb();\n", "/app/dist/out.js", &options).unwrap().coverage;
    *file.s.get_mut(1).unwrap() = 3;
    let map: CoverageMap = [file].into_iter().collect();
    let mapped = map.remap().unwrap();
    let source = mapped.get("/app/src/in.ts").expect("taken from the folder of the file");
    let starts: Vec<_> = source.statement_map.values().map(|place| (place.start.line, place.start.column)).collect();
    assert_eq!(starts, [(5, 2), (9, 4)]);
    assert_eq!(source.s.values().copied().collect::<Vec<_>>(), [0, 3]);
}

/// Recorded from istanbul-lib-source-maps 5: see `scripts/instrument-remap.mjs`.
#[test]
fn remapping_agrees_with_istanbul() {
    let folder = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/instrument/remap");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let before: FileCoverage = serde_json::from_str(&read("before.json")).unwrap();
    let after: serde_json::Value = serde_json::from_str(&read("after.json")).unwrap();
    let files = before.remap(&read("bundle.js.map")).unwrap();
    assert_eq!(files.len(), after.as_object().unwrap().len());
    for file in files {
        let theirs = &after[&file.path];
        let ours = serde_json::to_value(&file).unwrap();
        for key in ["statementMap", "s", "f", "b"] {
            assert_eq!(ours[key], theirs[key], "{key} of {}", file.path);
        }
        for (id, function) in file.fn_map.iter() {
            let place: Range = serde_json::from_value(theirs["fnMap"][id.to_string()]["loc"].clone()).unwrap();
            assert_eq!(function.loc, place);
        }
        for (id, branch) in file.branch_map.iter() {
            let theirs = &theirs["branchMap"][id.to_string()];
            assert_eq!(serde_json::to_value(&branch.locations).unwrap(), theirs["locations"]);
        }
    }
}

/// Increments of a bundle, told of its sources, add up to what its remapped coverage says.
#[test]
fn increments_lead_to_the_sources_as_coverage_does() {
    let folder = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/instrument/remap");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let counted: FileCoverage = serde_json::from_str(&read("before.json")).unwrap();
    let map = read("bundle.js.map");
    let expected: CoverageMap = counted.remap(&map).unwrap().into_iter().collect();
    let mut zero = counted.clone();
    zero.reset_hits();
    let hits: Vec<u64> =
        counted.s.values().chain(counted.f.values()).chain(counted.b.values().flatten()).copied().collect();
    assert!(hits.iter().any(|hits| *hits > 0));
    let numbers: Vec<usize> = (0..hits.len()).collect();
    let delta = serde_json::json!({ &counted.path: {"i": numbers, "n": hits} }).to_string();
    let delta = Delta::from_json(&delta).unwrap();

    let origins = Origins::new([(&zero, map.as_str())], |name| Some(name.to_owned())).unwrap();
    let mut told = origins.sources().clone();
    told.apply(&origins.translate(&delta));
    assert_eq!(told, expected);

    // One source alone, under another name.
    let wanted = expected.files().next().unwrap();
    let name = |source: &str| (source == wanted.path).then(|| "wanted".to_owned());
    let origins = Origins::new([(&zero, map.as_str())], name).unwrap();
    let mut told = origins.sources().clone();
    told.apply(&origins.translate(&delta));
    assert_eq!(told.len(), 1);
    assert_eq!(told.get("wanted").unwrap().s, wanted.s);
    assert_eq!(told.get("wanted").unwrap().b, wanted.b);

    // What is not compiled stays as it is.
    let other = Delta::from_json(r#"{"other.js": {"h": "1", "i": [0], "n": [1]}}"#).unwrap();
    assert_eq!(origins.translate(&other), other);
    assert!(Origins::new([(&zero, "{")], |name| Some(name.to_owned())).is_err());
}

#[test]
fn comments_can_be_left_out_without_moving_a_line() {
    let mut options = Options::default();
    options.preserve_comments = false;
    let done = instrument("a(/* one\ntwo */1) // three\nb()", "a.js", &options).unwrap();
    assert!(done.code.contains("a(\n1)"), "{}", done.code);
    assert!(!done.code.contains("three") && done.code.matches('\n').count() == 2);
}
