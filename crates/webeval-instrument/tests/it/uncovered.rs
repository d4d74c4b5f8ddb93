//! What the advisor is told.
use webeval_instrument::coverage::{CoverageMap, FileCoverage};
use webeval_instrument::uncovered::{Distance, Limits, Region, Report, uncovered};
use webeval_instrument::{Options, instrument};

/// The report on one file whose counters the function set.
fn report(path: &str, source: &str, cover: impl FnOnce(&mut FileCoverage), limits: &Limits) -> Report {
    let mut file = instrument(source, path, &Options::default()).unwrap().coverage;
    cover(&mut file);
    uncovered(&[file].into_iter().collect::<CoverageMap>(), |_| Some(source.to_owned()), limits)
}

fn loaded(file: &mut FileCoverage) {
    *file.s.get_mut(0).unwrap() = 1;
}

/// Event and target by the name of the function.
fn handlers(report: &Report) -> Vec<(String, String, String)> {
    let mut found: Vec<_> = report
        .items
        .iter()
        .filter_map(|item| match (&item.region, &item.handler) {
            (Region::Function { name }, Some(handler)) => {
                Some((name.clone(), handler.event.clone(), handler.target.clone()))
            }
            _ => None,
        })
        .collect();
    found.sort();
    found
}

fn triple(name: &str, event: &str, target: &str) -> (String, String, String) {
    (name.into(), event.into(), target.into())
}

#[test]
fn listeners_of_scripts_are_known() {
    let source = "const button = find('b');
button.addEventListener('click', () => { one() });
document.addEventListener('keydown', onKey);
function onKey() { two() }
window.onresize = function () { three() };
const save = () => four();
field.on('input', debounce(save, 300));
class V { init() { this.el.addEventListener('drop', this.dropped.bind(this)) } dropped() { five() } }";
    let report = report("a.js", source, loaded, &Limits::default());
    assert_eq!(
        handlers(&report),
        [
            triple("", "click", "button"),
            triple("dropped", "drop", "this.el"),
            triple("onKey", "keydown", "document"),
            triple("onresize", "resize", "window"),
            triple("save", "input", "field"),
        ]
    );
    assert!(report.items.iter().all(|item| item.distance == Distance::Beside));
    assert!(report.items[0].handler.is_some(), "handlers come first");
}

#[test]
fn handlers_of_jsx_and_markup_are_known() {
    let jsx = "let a = 1; function App() { return <form onSubmit={send}><input onChange={e => { set(e) }} onDoubleClick={() => 1}/></form> }\nfunction send() { go() }";
    let called = |file: &mut FileCoverage| {
        loaded(file);
        *file.f.get_mut(0).unwrap() = 1;
    };
    let found = handlers(&report("a.jsx", jsx, called, &Limits::default()));
    assert_eq!(
        found,
        [triple("", "change", "input"), triple("", "dblclick", "input"), triple("send", "submit", "form")]
    );
    let html = "<button id=go onclick=\"start()\">x</button><script>let a = 1; function start() { run() }</script>";
    let found = handlers(&report("a.html", html, loaded, &Limits::default()));
    assert_eq!(found, [triple("onclick", "click", ""), triple("start", "click", "button#go")]);
    let vue = "<template><a @click.prevent=\"open\" v-on:blur=\"close(1)\"/></template><script setup>let a = 1; function open() { b() } const close = () => { c() }</script>";
    let found = handlers(&report("A.vue", vue, loaded, &Limits::default()));
    assert_eq!(found, [triple("close", "blur", "a"), triple("open", "click", "a")]);
    let svelte = "<script>let a = 1; function up() { b() }</script><button on:click={up}>+</button>";
    let found = handlers(&report("A.svelte", svelte, loaded, &Limits::default()));
    assert_eq!(found, [triple("up", "click", "button")]);
}

#[test]
fn what_is_near_comes_first_and_insides_are_left_out() {
    let source = "function run(a) {\n  if (a) {\n    first();\n    second();\n  } else third();\n  return a && b ? 1 : 2;\n}\nfunction idle() {\n  function inner() { if (x) y() }\n}\n";
    let report = report(
        "a.js",
        source,
        |file| {
            // `run` was called and threw in `third()`.
            *file.f.get_mut(0).unwrap() = 1;
            *file.s.get_mut(0).unwrap() = 1;
            *file.s.get_mut(3).unwrap() = 1;
            *file.b.get_mut(0).unwrap() = vec![0, 1];
        },
        &Limits::default(),
    );
    let regions: Vec<_> =
        report.items.iter().map(|item| (item.range.start.line, item.statements, item.distance)).collect();
    // The `if`'s arm has two statements. `idle` has one within; `inner` and its branches are no items of their own.
    assert_eq!(
        regions,
        [(2, 2, Distance::Beside), (8, 2, Distance::Beside), (6, 0, Distance::Behind), (6, 0, Distance::Behind)]
    );
    assert!(report.items[0].code.starts_with("1: function run(a) {\n2:   if (a) {\n"), "{}", report.items[0].code);
}

#[test]
fn the_budget_is_kept_and_long_code_is_cut() {
    let source = format!(
        "let a = 1;\nfunction long() {{\n{}}}\nfunction short() {{ a() }}\n",
        "  a(); // something to do\n".repeat(400)
    );
    let mut limits = Limits::default();
    limits.tokens = 300;
    let report = report("a.js", &source, loaded, &limits);
    let text: usize = report.items.iter().map(|item| item.code.len()).sum();
    assert!(text <= 300 * 4, "{text}");
    assert_eq!(report.items.len() + report.omitted, 2);
    let long = report.items.iter().find(|item| item.statements == 400).expect("cut, it fits");
    assert!(long.code.contains("lines …") && long.code.lines().count() <= limits.snippet_lines + 1);
}

#[test]
fn files_that_never_loaded_come_last() {
    let one = instrument("function f() { a() }", "a.js", &Options::default()).unwrap().coverage;
    let mut two = instrument("b();\nfunction g() { b() }", "b.js", &Options::default()).unwrap().coverage;
    loaded(&mut two);
    let map: CoverageMap = [one, two].into_iter().collect();
    let source = |path: &str| {
        Some(if path == "a.js" { "function f() { a() }" } else { "b();\nfunction g() { b() }" }.to_owned())
    };
    let report = uncovered(&map, source, &Limits::default());
    let order: Vec<_> = report.items.iter().map(|item| (item.path.as_str(), item.distance)).collect();
    assert_eq!(order, [("b.js", Distance::Beside), ("a.js", Distance::Unloaded)]);
}
