//! The same maps, hashes and counts as `istanbul-lib-instrument` 6.0.3, which recorded them in the fixtures.
use std::path::PathBuf;

use serde_json::Value;
use webeval_instrument::{Options, instrument};

use crate::node::run;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/instrument/istanbul")
}

fn read(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).unwrap()
}

#[track_caller]
fn compare(name: &str, report_logic: bool) {
    let source = read(name);
    let recorded: Value =
        serde_json::from_str(&read(&format!("{name}{}", if report_logic { ".logic.json" } else { ".json" }))).unwrap();
    let mut options = Options::default();
    options.report_logic = report_logic;
    let done = instrument(&source, name, &options).unwrap();
    let mut ours = serde_json::to_value(&done.coverage).unwrap();
    let ours = ours.as_object_mut().unwrap();
    assert_eq!(ours.remove("hash").unwrap(), recorded["hash"], "hash of {name}");
    assert_eq!(ours.remove("_coverageSchema").unwrap(), "1a1c01bbd47fc00a2c39e90264f33305004495a9");
    let theirs = recorded["coverage"].as_object().unwrap();
    for (key, value) in theirs {
        assert_eq!(ours.get(key), Some(value), "{key} of {name}");
    }
    assert_eq!(ours.keys().collect::<Vec<_>>(), theirs.keys().collect::<Vec<_>>(), "order of keys");
    let Some(counts) = recorded.get("counts") else {
        return;
    };
    let code = Value::from(done.code);
    let printed = run(&format!(
        "const c = require('vm').createContext({{}}); require('vm').runInContext({code}, c);
         const {{s, f, b, bT}} = c.__coverage__[{name:?}]; console.log(JSON.stringify([c.result, {{s, f, b, bT}}]))"
    ));
    let [result, ran]: [Value; 2] = serde_json::from_str(&printed).unwrap();
    assert_eq!(&ran, counts, "counts of {name}");
    // Istanbul takes names away, so only what does not show any is compared.
    if let (Value::Array(ours), Value::Array(theirs)) = (&result, &recorded["result"]) {
        let unnamed = |list: &[Value]| list.iter().filter(|value| !value.is_string()).cloned().collect::<Vec<_>>();
        assert_eq!(unnamed(ours), unnamed(theirs), "result of {name}");
    }
}

macro_rules! compared {
    ($($test:ident $name:literal),*) => {
        $(#[test]
        fn $test() {
            compare($name, false);
            compare($name, true);
        })*
    };
}

compared!(
    statements "statements.js", branches "branches.js", classes "classes.js", hints "hints.js", unicode "unicode.js",
    module "module.mjs", types "types.ts", view "view.tsx"
);

/// `var name = cov_` and 48 bits of the path's SHA-1 in base 36, as Istanbul names it: found by
/// `node -e "console.log('cov_' + parseInt(crypto.createHash('sha1').update('a.js').digest('hex').slice(0,12), 16).toString(36))"`.
#[test]
fn the_variable_is_named_as_istanbul_names_it() {
    let code = instrument("a()", "a.js", &Options::default()).unwrap().code;
    assert!(code.starts_with("var cov_9vn73fe89="), "{code}");
}
