//! Input that no browser wrote: deep, endless, broken.

use std::time::{Duration, Instant};

use webeval_states::{Level, Options, identify, normalize};

fn within(limit: Duration, name: &str, html: &str) {
    let start = Instant::now();
    let identity = identify(html, &Options::default()).expect("within limits");
    let taken = start.elapsed();
    assert!(taken < limit, "{name} took {taken:?}");
    // The form is what it says, whatever the input was.
    let form = normalize(html, Level::Exact, &Options::default()).expect("within limits");
    assert_eq!(identify(&form, &Options::default()).expect("within limits"), identity, "{name}");
}

/// Debug builds are some thirty times slower than what the limits are about.
const SLOW: u32 = if cfg!(debug_assertions) { 30 } else { 1 };

#[test]
fn depth_costs_no_stack_and_linear_time() {
    let limit = Duration::from_secs(1) * SLOW;
    within(limit, "closed", &("<div>".repeat(100_000) + "x" + &"</div>".repeat(100_000)));
    let deep = if cfg!(debug_assertions) { 20_000 } else { 100_000 };
    within(limit, "unclosed", &"<div>".repeat(deep));
    within(limit, "lists", &"<ul><li>a<li>b".repeat(deep));
    within(limit, "stray ends", &("<b>".repeat(deep) + &"</i>".repeat(deep)));
    within(limit, "crossed ends", &"<b><i></b>".repeat(deep));
    within(limit, "templates", &"<template shadowrootmode=open>".repeat(deep));
    within(limit, "volatile", &"<p data-webeval-volatile><i id=:r1:>".repeat(deep));
    within(limit, "wide", &"<li>a</li>".repeat(deep));
    within(limit, "names", &(0..deep).map(|i| format!("<x-{i} a{i}=1>")).collect::<String>());
}

#[test]
fn garbage_is_read_to_the_end() {
    let limit = Duration::from_secs(1) * SLOW;
    for unit in [
        "<",
        "<a",
        "</",
        "<!--",
        "<!-->",
        "<!",
        "<?",
        "&",
        "&#",
        "&#x110000;",
        "\0",
        "<a b",
        "<a b='",
        "<a b=\"c",
        "<script>",
        "</script",
        "<textarea>",
        "<svg/>",
        "\u{0}<\u{0}>",
        "<title>",
        "=",
        "<=>",
        "1:",
        "12:30:",
        "3 minutes ",
        "Nov ",
        "2026-",
        ":r1:",
        "<p id=':r1:'",
        "é<é",
        "<!--->",
        "{time}",
        "<pre>\n\n",
        "<a a a a a=1>",
    ] {
        within(limit, unit, &unit.repeat(60_000 / unit.len()));
    }
}
