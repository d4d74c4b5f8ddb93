//! Reading coverage in the page.
use serde_json::Value;
use webeval_instrument::coverage::{COLLECT_DELTA, CoverageMap, Delta};
use webeval_instrument::{Kind, Options, instrument};

use crate::node::{code, run};

const SOURCE: &str = "function f(a) { if (a) return 1; return a || 2 }\nfunction g() {}\n";

/// Runs a page: the source, then `steps`; `read()` is the delta reading, `cov` the file's coverage.
fn page(steps: &str) -> Vec<Value> {
    let code = code(SOURCE, Kind::Script);
    let printed = run(&format!(
        "const vm = require('vm'), page = vm.createContext({{}}), out = []; vm.runInContext({}, page);
         const read = () => JSON.parse(vm.runInContext({}, page)), cov = page.__coverage__['/app/test.js'], {{f, g}} = page;
         const show = v => out.push(JSON.parse(JSON.stringify(v))); {steps}; console.log(JSON.stringify(out))",
        Value::from(code),
        Value::from(COLLECT_DELTA)
    ));
    serde_json::from_str(&printed).unwrap()
}

#[test]
fn deltas_are_what_changed_since_the_last_one() {
    // Statements: if, return 1, return a || 2. Then f and g, then two arms of the if and two of ||.
    let read = page("show(read()); f(1); f(0); show(read()); show(read()); g(); show(read())");
    assert_eq!(read[0], serde_json::json!({}), "declarations count nothing");
    let mut map = CoverageMap::default();
    map.add(instrument(SOURCE, "/app/test.js", &Options::default()).unwrap().coverage);
    let apply = |map: &mut CoverageMap, index: usize| {
        let delta: Delta = serde_json::from_value(read[index].clone()).unwrap();
        map.apply(&delta)
    };
    let gain = apply(&mut map, 1);
    assert_eq!((gain.statements, gain.functions, gain.branches), (3, 1, 4));
    let file = map.get("/app/test.js").unwrap();
    assert_eq!(file.s.values().copied().collect::<Vec<_>>(), [2, 1, 1]);
    assert_eq!(file.b.values().cloned().collect::<Vec<_>>(), [[1, 1], [1, 1]]);
    assert_eq!(read[2], serde_json::json!({}));
    assert_eq!(apply(&mut map, 3).functions, 1);
}

#[test]
fn coverage_reads_as_istanbuls_object() {
    let read = page(
        "f(1); show(Object.keys(cov)); show(Object.keys(cov.s)); show(cov.s); show(structuredClone(cov).b);
         show([Array.isArray(cov.b[0]), cov.statementMap[0].start.line, JSON.parse(JSON.stringify(page.__coverage__))['/app/test.js'].f]);
         show(Object.keys(page.__coverage__)); read(); show(Object.keys(page.__coverage__))",
    );
    let keys = ["path", "statementMap", "fnMap", "branchMap", "s", "f", "b", "_coverageSchema", "hash"];
    assert_eq!(read[0], serde_json::json!(keys));
    assert_eq!(read[1], serde_json::json!(["0", "1", "2"]));
    assert_eq!(read[2], serde_json::json!({"0": 1, "1": 1, "2": 0}));
    assert_eq!(read[3], serde_json::json!({"0": [1, 0], "1": [0, 0]}));
    assert_eq!(read[4], serde_json::json!([true, 1, {"0": 1, "1": 0}]));
    assert_eq!(read[5], read[6], "the reader cannot be come across");
}

#[test]
fn counters_can_be_set_back_and_deltas_stay_exact() {
    let read = page(
        "f(1); read(); cov.s[0] = 0; cov.f = {0: 0, 1: 0}; cov.b[0].fill(0); cov.b[1] = cov.b[1].map(() => 0); show([cov.s, cov.f, cov.b]);
         f(1); show([cov.s, cov.f, cov.b]); show(Object.values(read())[0].n)",
    );
    assert_eq!(read[0], serde_json::json!([{"0": 0, "1": 1, "2": 0}, {"0": 0, "1": 0}, {"0": [0, 0], "1": [0, 0]}]));
    assert_eq!(read[1], serde_json::json!([{"0": 1, "1": 2, "2": 0}, {"0": 1, "1": 0}, {"0": [1, 0], "1": [0, 0]}]));
    assert!(read[2].as_array().unwrap().iter().all(|step| step == 1));
}

#[test]
fn a_file_that_is_loaded_twice_counts_on() {
    let code = code(SOURCE, Kind::Script);
    let printed = run(&format!(
        "const vm = require('vm'), page = vm.createContext({{}}), code = {}; vm.runInContext(code, page); page.f(1);
         vm.runInContext(code, page); page.f(1); console.log(page.__coverage__['/app/test.js'].f[0])",
        Value::from(code)
    ));
    assert_eq!(printed, "2\n");
}

#[test]
fn data_of_istanbul_itself_is_read_too() {
    let printed = run(&format!(
        "globalThis.__coverage__ = {{'x.js': {{hash: 'h', s: {{0: 2}}, f: {{}}, b: {{0: [0, 1]}}}}}};
         const first = eval({0}); __coverage__['x.js'].s[0]++; console.log(first, eval({0}))",
        Value::from(COLLECT_DELTA)
    ));
    assert_eq!(
        printed,
        "{\"x.js\":{\"h\":\"h\",\"i\":[0,2],\"n\":[2,1]}} {\"x.js\":{\"h\":\"h\",\"i\":[0],\"n\":[1]}}\n"
    );
}

#[test]
fn other_variables_and_scopes_are_used() {
    let mut options = Options::default();
    options.coverage_variable = "__mine__".into();
    options.coverage_global_scope = "globalThis.place".into();
    let code = instrument("a()", "a.js", &options).unwrap().code;
    let printed =
        run(&format!("globalThis.place = {{}}; function a() {{}} {code}\nconsole.log(place.__mine__['a.js'].s[0])"));
    assert_eq!(printed, "1\n");
}

#[test]
fn pages_may_take_the_names_of_the_languages_own_objects() {
    let source = "let Array, Object = 1 && 2, Float64Array, JSON; class Map {}";
    let printed = run(&format!(
        "const vm = require('vm'), page = vm.createContext({{}}); vm.runInContext({}, page);
         console.log(vm.runInContext({}, page), JSON.stringify(page.__coverage__['/app/test.js'].b))",
        Value::from(code(source, Kind::Script)),
        Value::from(COLLECT_DELTA)
    ));
    // The declaration's value and both operands.
    assert!(printed.contains(r#""i":[0,1,2],"n":[1,1,1]}} {"0":[1,1]}"#), "{printed}");
}
