//! What a program can observe stays the same: each program prints as much instrumented as it does as written.
use crate::node::{both, code, run};
use webeval_instrument::Kind;

#[track_caller]
fn same(source: &str) {
    let (plain, instrumented) = both(source);
    assert!(!plain.is_empty(), "the program has to show something");
    assert_eq!(instrumented, plain, "{}", code(source, Kind::Script));
}

#[test]
fn functions_keep_the_names_they_take_from_where_they_stand() {
    same("const f = () => 1, g = function () {}, C = class {}; show(f.name, g.name, C.name)");
    same("var a = f(), h = () => 1; function f() {} show(h.name)");
    same("for (let x = 1 + 1, k = () => 1; x < 3; x++) show(k.name)");
    same("const {d = () => 1, e: [r = class {}] = []} = {}; show(d.name, r.name)");
    same("function p(cb = () => 1, {q = function () {}} = {}) { show(cb.name, q.name) } p()");
    same("let z; [z = () => 1] = []; show(z.name); [(z) = () => 1] = []; show(z.name)");
    same("let __proto__; ({__proto__ = () => 1} = {__proto__: null}); show(__proto__.name)");
    same("class A { i = () => 1; static s = function () {}; #p = class {}; p() { return this.#p.name } 'a b' = () => 1; 7 = () => 1 }
          const a = new A; show(a.i.name, A.s.name, a.p(), a['a b'].name, a[7].name)");
    same("const k = Symbol('key'); class A { [k] = () => 1; static [k] = () => 1 } show(new A()[k].name, A[k].name)");
}

#[test]
fn references_keep_their_meaning() {
    same(
        "const o = {m() { return this === o }, n: {m() { return this === o.n }}};
          show(o.m(), (o.m)(), o?.m(), (o?.m)(), (o.x ?? o.m)?.call(o), o.n?.m?.())",
    );
    same("show(typeof undeclared, delete {}.x, void 0)");
    same("function F() { return new.target === F && arguments.length } show(new F(1, 2) instanceof F)");
    same(
        "const s = {a: 1, get b() { return this.a ? 'yes' : 'no' }, set b(v) { this.a = v && 2 }}; s.b = 1; show(s.b, s.a)",
    );
}

#[test]
fn statements_end_where_they_ended() {
    same("let a = 1\nlet b = a\n++b\nshow(a, b)\nif (a) b\nelse a\nshow(b)");
    same("do show(1); while (0) show(2)");
    same(
        "var i = 0\nouter: for (;;) { inner: while (true) { if (i++ > 2) break outer; else continue inner } }\nshow(i)",
    );
    same("function f() { 'use strict'\nreturn this === undefined } show(f())");
    same("function f() { 'use strict' } show(f())");
    same("if (1) if (0) show('a'); else show('b')");
    same("if (0) ; else if (1) show(1)");
    same("switch (2) { case 1: case 2: show('two'); case 3: { show('three') } default: }");
    same("var x = 1, y; for (var p in {a: 1}) for (var q of [1, 2]) y = p + q; show(x, y)");
    same("try { throw 1 } catch { show('caught') } finally { show('finally') }");
}

#[test]
fn completion_values_stay() {
    let values = [
        "1; var x = 2",
        "1; if (false) 2",
        "1; if (true) {}",
        "5; do { break } while (1)",
        "2; let y = () => 1",
        "3; function f() {}",
        "4; switch (1) { case 1: }",
        "6; a: { break a }",
        "1; for (var i of [1, 2]) { var z = i }",
        "7; const p = 1, q = Math.abs(-1)",
        "1 && 2",
        "8; class A { static x = 1 }",
    ];
    for source in values {
        let evaluate = |code: &str| {
            let code = serde_json::Value::from(code).to_string();
            run(&format!("console.log(require('vm').runInNewContext({code}))"))
        };
        assert_eq!(evaluate(&code(source, Kind::Script)), evaluate(source), "{source}");
    }
}

#[test]
fn evaluation_order_and_abrupt_ends_stay() {
    same(
        "const log = []; const f = x => (log.push(x), x);
          const a = f(1), b = f(2) && f(3) || f(4), c = f(0) ?? f(5); show(log, a, b, c)",
    );
    same(
        "function* g() { const x = yield 1; if (x) yield* [x, 2]; else return 3; return (yield 4) || 5 }
          const it = g(); show([it.next(), it.next(7), it.next(), it.next(), it.next(), it.next(0)])",
    );
    same(
        "(async () => { const r = []; for await (const x of [1, Promise.resolve(2)]) r.push(await x || 0); show(r) })()",
    );
    same(
        "class B { constructor(x) { this.x = x } } class D extends B { y = this.x + 1; constructor() { super(...[1]); show(this.y) } } new D",
    );
    same("try { tdz; let tdz = 1 } catch (e) { show(e.name) }");
    same("show((() => { try { return 'a' } finally { show('b') } })())");
    same("show([hoisted(), typeof late]); function hoisted() { return 1 } var late = 2");
}

#[test]
fn functions_given_to_a_tag_are_counted() {
    let counted = code("const t = tag`a${() => go()}b`; const u = `${() => go()}`", Kind::Script);
    let counters: Vec<usize> =
        counted.match_indices("go()").map(|(at, _)| counted[..at].rfind("=>").unwrap_or(0)).collect();
    assert!(counted[counters[0]..].starts_with("=>(++") || counted[counters[0]..].starts_with("=> (++"), "{counted}");
    assert!(counted[counters[1]..].starts_with("=> go()"), "{counted}");
    same("const tag = (parts, f) => f(); show(tag`a${() => 'called'}b`)");
}

#[test]
fn text_that_serves_as_text_stays() {
    same("show(String(() => 1), `${function () { return 1 }}`, (() => { let a = 1 }).toString(), {} + (x => x))");
    same("const o = {[() => 1]: 2}; show(o[() => 1])");
}

#[test]
fn direct_eval_and_with_see_their_scope() {
    same("globalThis.x = 1; function f() { var x = 2; return eval('x') } show(f(), (0, eval)('x'))");
    same("with ({a: 1}) { if (a) show(a) } with ({b: 2}) show(b)");
}

/// The exported function is called before the module that it is in has run.
#[test]
fn an_exported_function_can_be_called_through_a_circular_import() {
    let a = code(
        "import './b.js'; export function early(x = 1 || 2) { return x } export default function () { return 3 }\nfunction listed() { return 4 } export { listed };",
        Kind::Module,
    );
    let script = format!(
        "const vm = require('vm'); const sources = {{'./a.js': {}, './b.js': \"import d, {{early, listed}} from './a.js'; globalThis.got = [early(), d(), listed()]\"}};
         const made = {{}}; const load = n => made[n] ??= new vm.SourceTextModule(sources[n], {{identifier: n}});
         (async () => {{ const m = load('./a.js'); await m.link(load); await m.evaluate(); console.log(JSON.stringify(got), __coverage__['/app/test.js'].f[0]) }})()",
        serde_json::Value::from(a)
    );
    assert_eq!(run(&script), "[1,3,4] 1\n");
}

#[test]
fn nothing_is_evaluated_from_text() {
    let code = code("function f() { return 1 } f()", Kind::Script);
    assert!(!code.contains("new Function") && !code.contains("eval("), "{code}");
}

#[test]
fn directives_and_hashbang_stay_first_and_lines_stay() {
    let source = "#!/usr/bin/env node\n'use client'\n'use strict'\r\n// comment\nimport a from 'a'\n\nexport const b = a ||\n  1,\n  c = b()\n";
    let code = code(source, Kind::Module);
    assert!(code.starts_with("#!/usr/bin/env node\n'use client'\n'use strict'\r\n// comment\nvar cov_"), "{code}");
    assert_eq!(code.matches('\n').count(), source.matches('\n').count());
    assert!(code.contains("];export const b = a ||"), "{code}");
}

#[test]
fn types_and_jsx_are_kept() {
    let source = "type T = { a?: number };\nenum E { A = 1, B }\nnamespace N { export const x: number = 1 }\nabstract class C<T> { constructor(private readonly x: T, public y?: number) {} abstract m(): void; declare z: string; f(a: number): void; f(a: any) {} }\nconst v = { a: 1 } satisfies T as T;\nfunction over(a: string): void;\nfunction over(a: any) { return a! }\nlet g = <T,>(x: T): x is T => !!x;\nconst el = <svg:rect xlink:href='#a'>{v.a && <b/>}</svg:rect>;\n";
    let code = code(source, Kind::Tsx);
    for kept in [
        "type T = { a?: number };",
        "private readonly x: T",
        "abstract m(): void;",
        "satisfies T as T",
        "<svg:rect xlink:href='#a'>",
        "function over(a: string): void;",
    ] {
        assert!(code.contains(kept), "{kept}\n{code}");
    }
}
