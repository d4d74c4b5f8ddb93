//! Istanbul's options: what each of them changes, as Istanbul 6.0.3 does for the same source.
use serde_json::Value;
use webeval_instrument::{Options, instrument};

use crate::node::run;

fn with(change: impl FnOnce(&mut Options)) -> Options {
    let mut options = Options::default();
    change(&mut options);
    options
}

/// `createInstrumenter({esModules: false, ignoreClassMethods: ['left']})` gave these places for this source.
#[test]
fn ignored_methods_are_those_that_istanbul_ignores() {
    let source = "class A { left() { return 1 } kept() { return 2 } static left() { return 3 } get left() { return 5 } }\nvar o = { left() { return 6 } }, f = function left() { return 7 }, g = function () { return 8 };\nfunction left() { return 9 }\n";
    let done = instrument(source, "a.js", &with(|options| options.ignore_class_methods = vec!["left".into()])).unwrap();
    let functions: Vec<_> = done
        .coverage
        .fn_map
        .values()
        .map(|function| (function.name.as_str(), function.loc.start.line, function.loc.start.column))
        .collect();
    assert_eq!(
        functions,
        [("(anonymous_0)", 1, 37), ("(anonymous_1)", 2, 17), ("(anonymous_2)", 2, 83), ("left", 3, 16)]
    );
    let statements: Vec<_> =
        done.coverage.statement_map.values().map(|place| (place.start.line, place.start.column)).collect();
    assert_eq!(statements, [(1, 39), (2, 8), (2, 19), (2, 37), (2, 71), (2, 85), (3, 18)]);
}

#[test]
fn es_modules_decides_what_js_files_are() {
    let module = "import './b.js'; export default 1";
    assert!(instrument(module, "a.js", &with(|options| options.es_modules = Some(true))).is_ok());
    assert!(instrument(module, "a.js", &Options::default()).is_ok(), "its text tells");
    // Istanbul refuses a script where it expects a module; here the script is found out.
    assert!(instrument("with (a) b", "a.js", &with(|options| options.es_modules = Some(true))).is_ok());
    // In a script a completion value can be seen, in a module not.
    let code = |es_modules| {
        instrument("a: { break a }", "a.js", &with(|options| options.es_modules = es_modules)).unwrap().code
    };
    assert!(code(Some(false)).contains("var{}=++cov_") && !code(Some(true)).contains("var{}=++cov_"));
    // An extension that tells has the last word.
    let module = instrument("a: { break a }", "a.mjs", &with(|options| options.es_modules = Some(false))).unwrap();
    assert!(!module.code.contains("var{}=++cov_"));
}

#[test]
fn a_return_outside_of_functions_is_always_fine() {
    for path in ["a.js", "a.cjs"] {
        assert_eq!(instrument("if (a) return 1", path, &Options::default()).unwrap().coverage.s.len(), 2);
    }
}

/// Whether the scope is found by `new Function`, which this crate never uses, makes no difference.
#[test]
fn the_way_to_the_global_scope_changes_nothing() {
    let code =
        |func| instrument("a()", "a.js", &with(|options| options.coverage_global_scope_func = func)).unwrap().code;
    assert_eq!(code(true), code(false));
    let code = instrument("a()", "a.js", &with(|options| options.coverage_global_scope = "self".into())).unwrap().code;
    assert!(code.contains(",g=self,"), "{code}");
}

/// The data that a program gives is the same, whichever way its maps are written. Its path has what text has to escape.
#[test]
fn maps_as_text_are_the_same_maps() {
    const PATH: &str = r"it's \ here.js";
    let given = |text| {
        let options = with(|options| options.maps_as_text = text);
        let code = instrument("function o(a) { return a ? 1 : 2 } o(0);", PATH, &options).unwrap().code;
        assert_eq!(code.contains("JSON.parse"), text);
        let show = "const [[path, data]] = Object.entries(globalThis.__coverage__);";
        run(&format!("{code}\n{show} console.log(path, JSON.stringify({{...data}}), data.hash)"))
    };
    assert!(given(true).starts_with(PATH), "{}", given(true));
    assert!(given(true).contains(r#""name":"o""#) && given(true).contains(r#""b":{"0":[0,1]}"#), "{}", given(true));
    assert_eq!(given(true), given(false));
}

/// The arm of `?.` counts how often it went on, that of an assignment how often it assigned.
#[test]
fn optional_arms_count_what_went_on() {
    let source = "let o = {m(x) { return x }, n: null}, u, l = 0;
        for (let i = 0; i < 3; i++) { o?.m; u?.m; o.m?.(1); o.q?.(1); o?.['n']; u ??= i; l ||= i; l &&= 5 }
        var out = [u, l]";
    let done = instrument(source, "a.js", &with(|options| options.report_optional = true)).unwrap();
    let printed = run(&format!(
        "const c = require('vm').createContext({{}}); require('vm').runInContext({}, c);
         const {{b, branchMap}} = c.__coverage__['a.js']; console.log(JSON.stringify([c.out, Object.keys(b).map(id => [branchMap[id].type, b[id]])]))",
        Value::from(done.code)
    ));
    let expected = serde_json::json!([
        [0, 5],
        [
            ["optional-chain", [3]],
            // Undefined at first, then 0.
            ["optional-chain", [2]],
            ["optional-chain", [3]],
            ["optional-chain", [0]],
            ["optional-chain", [3]],
            ["logical-assignment", [1]],
            // 0, then 1; from then on it is 5.
            ["logical-assignment", [2]],
            ["logical-assignment", [2]]
        ]
    ]);
    assert_eq!(serde_json::from_str::<Value>(&printed).unwrap(), expected);
}

/// With both, the counters of truth come after all others, and a delta reading has them all.
#[test]
fn truth_is_counted_beside_optional_arms() {
    let source = "var r = []; for (const x of [0, 1, [], {}, [0], null]) r.push((x || x?.y) && x ? 1 : 2)";
    let done = instrument(
        source,
        "a.js",
        &with(|options| {
            options.report_optional = true;
            options.report_logic = true;
        }),
    )
    .unwrap();
    let printed = run(&format!(
        "const c = require('vm').createContext({{}}); require('vm').runInContext({}, c);
         const {{b, bT, branchMap}} = c.__coverage__['a.js']; const at = type => Object.keys(branchMap).find(id => branchMap[id].type === type);
         console.log(JSON.stringify([c.r, b[at('cond-expr')], b[at('binary-expr')], bT[at('binary-expr')], b[at('optional-chain')], Object.keys(bT).length]))",
        Value::from(done.code)
    ));
    // `x` six times, of which 1 and [0] are truthy and not empty; `x?.y` for 0 and null, and goes on for 0; the last
    // operand for 1, [], {} and [0].
    let expected = serde_json::json!([[2, 1, 1, 1, 1, 2], [4, 2], [6, 2, 4], [2, 0, 2], [1], 1]);
    assert_eq!(serde_json::from_str::<Value>(&printed).unwrap(), expected);
}
