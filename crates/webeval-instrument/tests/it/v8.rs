//! Counts of V8 against counters, in the same program and the same run of events.

use webeval_instrument::coverage::{FileCoverage, V8Function, V8Source};
use webeval_instrument::{Kind, Options, instrument};

use crate::node;

/// Everything that V8 and counters could disagree about, short of exceptions: V8 does not count what comes after a call
/// that throws apart from what comes before it.
const PROGRAM: &str = r#"
let waiting = [];
function pause() { return new Promise((done) => waiting.push(done)); }
async function load(items) {
  await pause();
  const doubled = items.map((item) => item * 2);
  const never = () => { return doubled.length; };
  if (doubled.length > 9) { return never; }
  await pause();
  for (const one of doubled) { if (one > 2) handle(one); }
  return doubled;
}
function handle(value, scale = factor()) { return value > 3 ? value * scale : () => value; }
function factor() { return 2; }
const pick = (flag) => flag ? () => 1 : (value) => value;
class Counter {
  #count = start();
  step = () => { this.#count += 1; return this.#count; };
  get count() { return this.#count || this.none(); }
  none() { return "none"; }
  static of(n) { const made = new Counter(); while (n-- > 0) made.step(); return made; }
}
function start() { return 0; }
function* few(n) { for (let i = 0; i < n; i++) { if (i % 2) continue; yield i; } }
function kind(value) { switch (typeof value) { case "number": return 1; case "string": return 2; default: return 3; } }
function outer() { function inner() { return () => "deep"; } return inner; }
var kept;
"#;

/// What happens one after the other; V8 is read after each.
const EVENTS: &[&str] = &[
    "load([1, 2])",
    "waiting.shift()()",
    "waiting.shift()()",
    "pick(true); pick(false)(1)",
    "new Counter().count; Counter.of(3).count",
    "[...few(4)]; kind(1)",
    "kind('a'); kept = outer()",
    "kept()()",
    "handle(5)",
];

fn options() -> Options {
    let mut options = Options::default();
    options.kind = Some(Kind::Script);
    options
}

/// Runs a program and the events in Node; `then` is evaluated after each, and a line is printed for each value.
fn run(code: &str, before: &str, then: &str) -> Vec<String> {
    let text = serde_json::to_string(code).unwrap();
    let events = serde_json::to_string(EVENTS).unwrap();
    let script = format!(
        "const {{ Session }} = require('inspector'); const vm = require('vm'); const inspector = new Session();
        inspector.connect(); const ask = (what, how) => new Promise((done) => inspector.post(what, how, (_, got) => done(got)));
        (async () => {{ {before}
        const show = async () => {{ await new Promise(setImmediate); console.log(JSON.stringify(await (async () => {then})())); }};
        vm.runInThisContext({text}, {{ filename: 'file:///app.js' }}); await show();
        for (const event of {events}) {{ vm.runInThisContext(event); await show(); }} }})();"
    );
    node::run(&script).lines().map(str::to_owned).collect()
}

/// The coverage by V8's counts, added up over the readings.
fn by_v8() -> FileCoverage {
    let start = "await ask('Profiler.enable'); await ask('Profiler.startPreciseCoverage', { callCount: true, detailed: true });";
    let take = "(await ask('Profiler.takePreciseCoverage')).result.filter((one) => one.url === 'file:///app.js')";
    let source = V8Source::new(PROGRAM, "app.js", &options()).unwrap();
    let mut coverage = source.coverage().clone();
    for line in run(PROGRAM, start, take) {
        let scripts: Vec<serde_json::Value> = serde_json::from_str(&line).unwrap();
        for script in scripts {
            let functions: Vec<V8Function> = serde_json::from_value(script["functions"].clone()).unwrap();
            coverage.apply(&source.count(0, &functions));
        }
    }
    coverage
}

#[test]
fn readings_of_v8_add_up_to_what_counters_count() {
    let counted = instrument(PROGRAM, "app.js", &options()).unwrap();
    let last = run(&counted.code, "", "globalThis.__coverage__['app.js']").pop().unwrap();
    let by_counters: FileCoverage = serde_json::from_str(&last).unwrap();
    let by_v8 = by_v8();
    // Known beforehand: the two that nobody calls.
    let silent: Vec<&str> = by_v8
        .f
        .iter()
        .filter(|(_, hits)| **hits == 0)
        .filter_map(|(id, _)| by_v8.fn_map.get(id).map(|function| function.name.as_str()))
        .collect();
    assert_eq!(silent.len(), 3, "{silent:?}");
    let differing = |kind: &str, v8: Vec<u64>, counters: Vec<u64>| {
        let pairs = v8.iter().zip(&counters).enumerate();
        pairs.filter(|(_, (a, b))| a != b).map(|(at, (a, b))| format!("{kind} {at}: {a}, counters {b}")).collect()
    };
    let list = |file: &FileCoverage| file.s.values().copied().collect::<Vec<u64>>();
    let mut different: Vec<String> = differing("statement", list(&by_v8), list(&by_counters));
    let list = |file: &FileCoverage| file.f.values().copied().collect::<Vec<u64>>();
    different.extend::<Vec<String>>(differing("function", list(&by_v8), list(&by_counters)));
    let list = |file: &FileCoverage| file.b.values().flatten().copied().collect::<Vec<u64>>();
    different.extend::<Vec<String>>(differing("arm", list(&by_v8), list(&by_counters)));
    assert!(different.is_empty(), "{different:#?}");
}

/// What Chromium 156 reported for this page after a click on the second button.
#[test]
fn scripts_and_handlers_of_a_document_are_programs_of_their_own() {
    let page = "<!doctype html><button onclick=\"go()\">A</button><button onclick='go(&quot;x&quot;)'>B</button>\n<script>\nfunction go(to) { return to; }\n</script><script type=text/babel>let a = <b/>;</script>";
    let mut options = Options::default();
    options.kind = Some(Kind::Html);
    let source = V8Source::new(page, "page", &options).unwrap();
    let programs: Vec<(&str, u32)> = source.programs().collect();
    assert_eq!(programs, [("go()", 4), ("go(\"x\")", 7), ("\nfunction go(to) { return to; }\n", 32)]);
    let function = |start, end, count| {
        let text =
            format!(r#"{{"functionName":"","ranges":[{{"startOffset":{start},"endOffset":{end},"count":{count}}}]}}"#);
        serde_json::from_str::<V8Function>(&text).unwrap()
    };
    let mut coverage = source.coverage().clone();
    coverage.apply(&source.count(2, &[function(0, 32, 1), function(1, 31, 0)]));
    coverage.apply(&source.count(1, &[function(0, 7, 1)]));
    coverage.apply(&source.count(2, &[function(1, 31, 1)]));
    // Functions: the two handlers, then `go`. Statements: one in each.
    assert_eq!(coverage.f.values().copied().collect::<Vec<_>>(), [0, 1, 1]);
    assert_eq!(coverage.s.values().copied().collect::<Vec<_>>(), [0, 1, 1]);
    assert!(source.count(9, &[function(0, 4, 1)]).counters.is_empty());
}

/// A module goes on after its `await`: what it then makes has not run, though V8 does not say so again.
#[test]
fn what_a_module_goes_on_to_make_has_not_run() {
    let module = "await ready;\nexport const later = () => called();\n";
    let mut options = Options::default();
    options.kind = Some(Kind::Module);
    let source = V8Source::new(module, "module.js", &options).unwrap();
    let text = r#"{"functionName":"","ranges":[{"startOffset":0,"endOffset":50,"count":0},{"startOffset":11,"endOffset":50,"count":1}]}"#;
    let function: V8Function = serde_json::from_str(text).unwrap();
    assert_eq!(module.len(), 50);
    let mut coverage = source.coverage().clone();
    coverage.apply(&source.count(0, &[function]));
    // `await ready`, `later`, and `called()`.
    assert_eq!(coverage.s.values().copied().collect::<Vec<_>>(), [0, 1, 0]);
    assert_eq!(coverage.f.values().copied().collect::<Vec<_>>(), [0]);
}
