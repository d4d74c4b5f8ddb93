//! Generated programs: what comes out parses, has the same lines, strips back to what went in, and runs alike.
use proptest::prelude::*;
use webeval_instrument::{Kind, Options, instrument};

use crate::check::check;
use crate::node::run;

fn expression() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("a".to_owned()),
        Just("n".to_owned()),
        (0..9u32).prop_map(|n| n.to_string()),
        Just("'s'".to_owned()),
        Just("[]".to_owned()),
        Just("f".to_owned()),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            (inner.clone(), prop::sample::select(vec!["&&", "||", "+", "<", ","]), inner.clone())
                .prop_map(|(a, operator, b)| format!("({a} {operator} {b})")),
            (inner.clone(), inner.clone(), inner.clone()).prop_map(|(a, b, c)| format!("({a} ? {b} : {c})")),
            inner.clone().prop_map(|a| format!("(({a}) ?? 1)")),
            inner.clone().prop_map(|a| format!("(() => {a})()")),
            inner.clone().prop_map(|a| format!("((x = {a}) => x)()")),
            inner.clone().prop_map(|a| format!("(function () {{ return {a} }})()")),
            inner.clone().prop_map(|a| format!("new (class {{ p = {a} }})().p")),
            inner.clone().prop_map(|a| format!("`${{{a}}}`")),
            inner.prop_map(|a| format!("[{a}]?.[0]")),
        ]
    })
}

fn statement() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        expression().prop_map(|e| format!("a = {e}\n")),
        expression().prop_map(|e| format!("{{ let b = {e}, c = () => b; log(c.name, c()) }}")),
        expression().prop_map(|e| format!("log({e});")),
        Just(";".to_owned()),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            (expression(), inner.clone()).prop_map(|(e, s)| format!("if ({e}) {s}\n")),
            (expression(), inner.clone(), inner.clone()).prop_map(|(e, s, t)| format!("if ({e}) {s}\nelse {t}\n")),
            inner.clone().prop_map(|s| format!("for (var i = 0; i < 2; i++) {s}\n")),
            inner.clone().prop_map(|s| format!("do {{ {s}\n if (n) break }} while (n++ < 2)\n")),
            expression().prop_map(|e| format!("l: {{ a = {e}; if (a) break l; n++ }}")),
            (expression(), inner.clone()).prop_map(|(e, s)| format!("switch ({e}) {{ case 1: {s}\n default: {s}\n }}")),
            inner.clone().prop_map(|s| format!("try {{ {s}\n throw 1 }} catch {{ {s}\n }}")),
            prop::collection::vec(inner, 1..4).prop_map(|list| format!("{{ {} }}", list.join("\n"))),
        ]
    })
}

fn program() -> impl Strategy<Value = String> {
    prop::collection::vec(statement(), 1..6).prop_map(|list| list.join("\n"))
}

const BEFORE: &str = "var a = 0, n = 0, out = []; function log(...x) { out.push(x.map(v => typeof v === 'function' ? 'fn' + v.name : v)) } function f() { return a || n } f.toString = () => 'f'\n";

fn instrumented(source: &str) -> String {
    let mut options = Options::default();
    options.kind = Some(Kind::Script);
    instrument(source, "p.js", &options).unwrap_or_else(|error| panic!("{error}\n{source}")).code
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn the_output_keeps_its_lines_and_is_recognised(source in program()) {
        let code = instrumented(&source);
        prop_assert_eq!(code.matches('\n').count(), source.matches('\n').count());
        prop_assert!(instrument(&code, "q.js", &Options::default()).is_err());
    }

    #[test]
    fn no_text_makes_it_panic(source in "\\PC{0,80}", kind in prop::sample::select(vec!["a.js", "a.tsx", "a.html", "a.vue", "a.svelte", "a.astro"])) {
        let _ = instrument(&source, kind, &Options::default());
    }

    #[test]
    fn no_bytes_break_what_holds_for_all(name: u8, map: bool, bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        check(name, map, &bytes);
    }

    #[test]
    fn programs_of_any_kind_keep_their_lines(name: u8, map: bool, source in program()) {
        check(name, map, source.as_bytes());
        check(3, map, format!("<p onclick=\"a()\">\n<script>{source}</script>").as_bytes());
    }

    #[test]
    fn no_piece_of_a_program_makes_it_panic(source in program(), cut in 0.0..1.0f64) {
        let mut end = (source.len() as f64 * cut) as usize;
        while !source.is_char_boundary(end) { end -= 1 }
        let _ = instrument(&source[..end], "a.ts", &Options::default());
        let _ = instrument(&format!("<script>{}", &source[..end]), "a.html", &Options::default());
    }
}

/// All generated programs in one process, since starting Node takes longest.
#[test]
fn programs_run_alike() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let mut pairs = Vec::new();
    for _ in 0..150 {
        let source =
            format!("{BEFORE}{}\n;JSON.stringify([out, a, n])", program().new_tree(&mut runner).unwrap().current());
        pairs.push((instrumented(&source), source));
    }
    let pairs = serde_json::to_string(&pairs).unwrap();
    let printed = run(&format!(
        "const vm = require('vm'); let same = 0;
         const go = code => {{ const c = vm.createContext({{}}); try {{ return [vm.runInContext(code, c, {{timeout: 2000}}), c] }} catch (e) {{ return [e.name + e.message, c] }} }};
         for (const [code, source] of {pairs}) {{ const [x] = go(source), [y, c] = go(code);
         if (x !== y) {{ console.error(source, '\\n', x, '\\n', y); process.exit(1) }}
         const counted = Object.values(c.__coverage__['p.js'].s).some(n => n > 0); if (counted) same++ }}
         console.log(same)"
    ));
    assert_eq!(printed, "150\n");
}
