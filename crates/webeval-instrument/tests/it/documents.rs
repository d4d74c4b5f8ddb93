//! Documents that hold scripts.
use webeval_instrument::{Error, Kind, Options, instrument};

fn options(kind: Kind) -> Options {
    let mut options = Options::default();
    options.kind = Some(kind);
    options
}

/// The output without what was put in for counting.
fn stripped(code: &str) -> String {
    let counter = "cov_";
    let mut text = code.to_owned();
    for (open, close) in [
        ("<script>var cov_", "remove()</script>"),
        ("<script context=\"module\">var cov_", "</script>"),
        ("<script module>var cov_", "</script>"),
        ("<script lang=\"ts\">var cov_", "</script>"),
    ] {
        if let Some(start) = text.find(open) {
            let end = start + text[start..].find(close).unwrap() + close.len();
            text.replace_range(start..end, "");
        }
    }
    while let Some(start) = text.find("++cov_") {
        let end = start + text[start..].find(']').unwrap() + 1;
        let before = text[..start].ends_with('(');
        let end = end + usize::from(text[end..].starts_with([';', ',']));
        text.replace_range(start - usize::from(before)..end, "");
    }
    assert!(!text.contains(counter), "{text}");
    text
}

#[test]
fn only_code_is_touched_in_html() {
    let page = "<!DOCTYPE html>\n<html><head><title>a && b</title>\n<script type=\"importmap\">{\"imports\": {}}</script>\n<script type=\"application/json\">{\"x\": 1}</script>\n<script src=\"a.js\">ignored()</script></head>\n<body data-onclick=\"no()\" once=\"no()\">\n<!-- <script>no()</script> --><textarea><script>no()</script></textarea>\n<script>yes()</script>\n<script type=module>import './x.js'; yes()</script>\n<button onclick=\"yes()\" onmouseover='a &amp;&lt; b'>&amp;</button>\n</body></html>";
    let done = instrument(page, "p.html", &options(Kind::Html)).unwrap();
    assert_eq!(stripped(&done.code), page);
    // Two scripts and two handlers; the handlers are functions.
    assert_eq!(done.coverage.s.len(), 3, "{:?}", done.skipped);
    assert_eq!(done.skipped.len(), 1, "`a &< b` is no code");
    let names: Vec<&str> = done.coverage.fn_map.values().map(|function| function.name.as_str()).collect();
    assert_eq!(names, ["onclick"]);
    let handler = done.coverage.fn_map.get(0).unwrap();
    assert_eq!((handler.decl.start.line, handler.decl.start.column, handler.loc.start.column), (10, 8, 17));
    assert!(done.code.contains("<head><script>var cov_") && done.code.contains("];yes()\" onmouseover"));
}

#[test]
fn references_in_handlers_are_read_and_kept() {
    let page = "<p onclick=\"if (a &amp;&amp; b) say(&quot;hi&quot;)\">x</p>";
    let done = instrument(page, "p.html", &options(Kind::Html)).unwrap();
    let name = done.code.split_once("var ").unwrap().1.split('=').next().unwrap().to_owned();
    let expected = format!(
        "<p onclick=\"++{name}[0];if (a &amp;&amp; (++{name}[3],b)) {{++{name}[1];say(&quot;hi&quot;)}}else ++{name}[2];\">x</p>"
    );
    assert!(done.code.ends_with(&expected), "{}\n{expected}", done.code);
}

#[test]
fn a_page_without_code_stays_and_one_with_only_broken_code_is_an_error() {
    let plain = "<p>nothing</p>";
    let done = instrument(plain, "p.html", &Options::default()).unwrap();
    assert_eq!((done.code.as_str(), done.coverage.counters()), (plain, 0));
    let broken = "<p>\n<script>let x = ;</script>";
    let error = instrument(broken, "p.html", &Options::default()).unwrap_err();
    assert!(matches!(error, Error::Syntax { line: 2, .. }), "{error}");
}

#[test]
fn babel_scripts_keep_their_jsx() {
    let page = "<script type=\"text/babel\">const A = () => <b>{x && <i/>}</b>;</script>";
    let done = instrument(page, "p.html", &Options::default()).unwrap();
    assert_eq!(stripped(&done.code).replace("x)", "x").replace("<i/>)", "<i/>").replace("</b>);", "</b>;"), page);
}

#[test]
fn vue_scripts_share_a_module() {
    let component = "<template>\n  <button @click=\"go\">{{ n }}</button>\n</template>\n<script setup lang=\"ts\">\nconst props = withDefaults(defineProps<{ a?: string[] }>(), { a: () => [] });\nlet n = 0;\nfunction go() { n++ }\n</script>\n<style>a { b: c }</style>\n";
    let done = instrument(component, "C.vue", &Options::default()).unwrap();
    // The preamble is in a script of its own, on the same line, in the same language.
    assert!(done.code.contains("</template>\n<script lang=\"ts\">var cov_"), "{}", done.code);
    assert!(done.code.contains("const props = withDefaults("), "macros stay bare");
    assert_eq!(done.code.matches('\n').count(), component.matches('\n').count());
    let both = "<script>export default { name: 'x' }</script>\n<script setup>let a = f()</script>";
    let done = instrument(both, "D.vue", &Options::default()).unwrap();
    assert!(done.code.starts_with("<script>var cov_") && done.code.matches("function cov_").count() == 1);
}

#[test]
fn svelte_runes_stay_bare() {
    let component = "<script>\n  let a = $state(0), b = $derived(a * 2);\n  let { c = $bindable(1), d = 2 } = $props();\n  class K { e = $state(a || 3); f = $state() }\n</script>\n{#if a < b}<p>{a}</p>{/if}";
    let done = instrument(component, "S.svelte", &Options::default()).unwrap();
    assert!(done.code.starts_with("<script module>var cov_"));
    for bare in ["a = $state(", "b = $derived(", "c = $bindable(", "e = $state(", "f = $state("] {
        assert!(done.code.contains(bare), "{bare}: {}", done.code);
    }
}

/// The short form of a module script is not known before Svelte 5, the long one is out of date in components with runes.
#[test]
fn the_module_script_of_svelte_is_as_its_version_wants_it() {
    for (script, short) in [
        ("let a = $state(0);", true),
        ("let a = $state<() => void>(f);", true),
        ("let { a }: P = $props<{ a: Map<string, number> }>();", true),
        ("const a = $derived.by(() => 1);", true),
        ("$effect(() => f());", true),
        // Stores of Svelte 4, and what only looks alike.
        ("let a = $t('key');", false),
        ("let a = $state;", false),
        ("let a = $state < limit;", false),
        ("let a = $stateful(1), b = my$state(2), c = d.$state(3);", false),
        ("let a = 1;", false),
    ] {
        let done =
            instrument(&format!("<script lang=\"ts\">{script}</script>"), "S.svelte", &Options::default()).unwrap();
        let start = if short { "<script module>var cov_" } else { "<script context=\"module\">var cov_" };
        assert!(done.code.starts_with(start), "{script}: {}", done.code);
    }
}

#[test]
fn astro_has_front_matter_and_scripts() {
    let component = "---\nconst a: number = f();\nexport const getStaticPaths = () => [1 || 2];\n---\n<div class={a}>{a && <b/>}</div>\n<script>const b: number = g();</script>\n<script type=\"application/ld+json\">{}</script>\n";
    let done = instrument(component, "A.astro", &Options::default()).unwrap();
    // What is exported is moved out of the component by its compiler, away from the counters.
    assert!(done.code.contains("export const getStaticPaths = () => [1 || 2];\n---\n<div class={a}>{a && <b/>}</div>"));
    assert_eq!(done.code.matches("function cov_").count(), 2);
    assert_eq!(done.coverage.s.len(), 2);
}

#[test]
fn comments_of_scripts_can_be_left_out_and_those_of_markup_stay() {
    let mut options = Options::default();
    options.preserve_comments = false;
    let page = "<!-- markup --><body>\n<script>\n// one\na(/* two\nthree */ 1); // four\n</script>\n<p onclick=\"/* five &amp; */ b() // six\">x</p>\n<script type=\"application/json\">{\"u\": \"http://x\"}</script></body>\n";
    let done = instrument(page, "p.html", &options).unwrap();
    for word in ["one", "two", "three", "four", "five", "six"] {
        assert!(!done.code.contains(word), "{word}: {}", done.code);
    }
    assert!(done.code.contains("<!-- markup -->") && done.code.contains("http://x"));
    assert_eq!(done.code.matches('\n').count(), page.matches('\n').count());
    assert_eq!(done.coverage.s.len(), 2);
    let component = "<script setup>\n/* one */ const a = f() // two\n</script>\n<template><!-- markup --></template>\n";
    let done = instrument(component, "C.vue", &options).unwrap();
    assert!(!done.code.contains("one") && !done.code.contains("two") && done.code.contains("markup"), "{}", done.code);
    assert_eq!(done.code.matches('\n').count(), component.matches('\n').count());
}

/// What compilers look for in the text, or move elsewhere, has to be found as it was written.
#[test]
fn what_frameworks_read_without_running_it_stays_bare() {
    let page = "'use client'\nimport localFont from 'next/font/local'\nimport { Inter } from 'next/font/google'\nexport const dynamic = 'force-dynamic', revalidate = 60\nexport const runtime = 'edge'\nexport const config = { api: { bodyParser: false }, matcher: ['/a', '/b'] }\nexport const metadata = { title: 'x' }\nexport const maxDuration = 5\nconst inter = Inter({ subsets: ['latin'] })\nconst own = localFont({ src: './a.woff2' })\nexport const generateStaticParams = async () => [{ id: '1' }]\nexport default function Page() { return <main className={inter.className + own.className}/> }\n";
    let done = instrument(page, "app/page.tsx", &Options::default()).unwrap();
    assert!(
        done.code.starts_with("'use client'\nimport localFont from 'next/font/local'\n")
            || done.code.starts_with("'use client'\nvar cov_")
    );
    for bare in [
        "export const dynamic = 'force-dynamic', revalidate = 60\n",
        "export const runtime = 'edge'\n",
        "export const config = { api: { bodyParser: false }, matcher: ['/a', '/b'] }\n",
        "export const metadata = { title: 'x' }\n",
        "export const maxDuration = 5\n",
        "const inter = Inter({ subsets: ['latin'] })\n",
        "const own = localFont({ src: './a.woff2' })\n",
        "export const generateStaticParams = async () => ",
    ] {
        assert!(done.code.contains(bare), "{bare}\n{}", done.code);
    }
    // Each of the nine initialisers is a statement all the same, as are the two functions' results.
    assert_eq!(done.coverage.s.len(), 11);

    let component = "<script setup lang=\"ts\">\nconst props = withDefaults(defineProps<{ a?: string[] }>(), { a: () => [] })\nconst { b = 1 } = defineProps(['b'])\nconst model = defineModel<string>({ default: 'x' })\nconst emit = defineEmits(['done'])\nconst slots = defineSlots<{ x: any }>()\ndefineOptions({ inheritAttrs: false })\ndefineExpose({ go })\ndefinePageMeta({ layout: 'plain' })\nfunction go() { emit('done') }\n</script>\n";
    let done = instrument(component, "C.vue", &Options::default()).unwrap();
    for bare in [
        "const props = withDefaults(defineProps<{ a?: string[] }>(), { a: () => ",
        "} = defineProps(['b'])",
        "const model = defineModel<string>({ default: 'x' })",
        "const emit = defineEmits(['done'])",
        "const slots = defineSlots<{ x: any }>()",
        ";defineOptions({ inheritAttrs: false })",
        ";defineExpose({ go })",
        ";definePageMeta({ layout: 'plain' })",
    ] {
        assert!(done.code.contains(bare), "{bare}\n{}", done.code);
    }

    let module = "export const count = $state(0)\nexport class Box { value = $state.raw({ a: 1 }); twice = $derived.by(() => this.value.a || 2); empty = $state() }\nexport const ssr = false, csr = true\n";
    let done = instrument(module, "store.svelte.js", &Options::default()).unwrap();
    for bare in [
        "export const count = $state(0)\n",
        "value = $state.raw(",
        "twice = $derived.by(",
        "empty = $state(",
        "export const ssr = false, csr = true\n",
    ] {
        assert!(done.code.contains(bare), "{bare}\n{}", done.code);
    }

    let astro = "---\nexport const prerender = true;\nexport const config = { a: 1 && 2 };\nconst { title = 'x' } = Astro.props;\n---\n<h1>{title}</h1>\n";
    let done = instrument(astro, "A.astro", &Options::default()).unwrap();
    assert!(
        done.code.contains("export const prerender = true;\nexport const config = { a: 1 && 2 };\n"),
        "{}",
        done.code
    );
}

#[test]
fn the_counters_of_a_page_without_head_come_after_its_own_document_type() {
    let place = |page: &str| {
        let code = instrument(page, "page.html", &Options::default()).unwrap().code;
        code.find("<script>var cov_").expect("the page has counters")
    };
    assert_eq!(place("<!doctype html><p>a</p><script>b()</script>"), 15);
    assert_eq!(place("<!-- c --> <!-- <!doctype no> -->\n<!DOCTYPE html><script>b()</script>"), 49);
    // What stands in a script is text, whatever it looks like.
    assert_eq!(place("<p>a</p><script>b(`<!doctype html><p>`)</script>"), 0);
    assert_eq!(place("<!-- c --><script>b(`<!doctype html><p>`)</script>"), 0);
}
