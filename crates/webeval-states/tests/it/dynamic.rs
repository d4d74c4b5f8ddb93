//! State that markup alone does not show, and how far it reaches.

use webeval_states::Level::{Content, Exact, Structure};
use webeval_states::{DynamicState, Level, Options, normalize};

use crate::at;

fn differ(level: Level, a: &str, b: &str) -> bool {
    at(level, a) != at(level, b)
}

type Switch = fn(&mut DynamicState) -> &mut Option<Level>;

/// Pairs of pages that differ in one kind of state, the switch for it, and the coarsest level where it counts.
fn pairs() -> Vec<(&'static str, &'static str, Switch, Level)> {
    vec![
        (r#"<input data-webeval-value="a">"#, r#"<input data-webeval-value="b">"#, |d| &mut d.values, Content),
        (
            r#"<textarea data-webeval-value="a">old</textarea>"#,
            r#"<textarea data-webeval-value="b">old</textarea>"#,
            |d| &mut d.values,
            Content,
        ),
        (
            r#"<input type="checkbox" data-webeval-checked="true">"#,
            r#"<input type="checkbox" checked data-webeval-checked="false">"#,
            |d| &mut d.checked,
            Content,
        ),
        (
            r#"<select><option data-webeval-selected>a</option></select>"#,
            r#"<select><option>a</option></select>"#,
            |d| &mut d.checked,
            Content,
        ),
        (
            r#"<canvas data-webeval-canvas="11"></canvas>"#,
            r#"<canvas data-webeval-canvas="22"></canvas>"#,
            |d| &mut d.canvas,
            Content,
        ),
        ("<dialog open></dialog>", "<dialog></dialog>", |d| &mut d.open, Structure),
        ("<details open></details>", "<details></details>", |d| &mut d.open, Structure),
        (
            r#"<x-a><template shadowrootmode="open"><button>a</button></template></x-a>"#,
            r#"<x-a><template shadowrootmode="open"><ul></ul></template></x-a>"#,
            |d| &mut d.shadow_roots,
            Structure,
        ),
        (
            "<iframe><template data-webeval-frame><button>a</button></template></iframe>",
            "<iframe><template data-webeval-frame><ul></ul></template></iframe>",
            |d| &mut d.frames,
            Structure,
        ),
    ]
}

#[test]
fn each_kind_counts_up_to_its_default_level() {
    for (a, b, _, coarsest) in pairs() {
        for level in Level::ALL {
            assert_eq!(differ(level, a, b), level <= coarsest, "{a} at {level}");
        }
    }
}

#[test]
fn each_kind_can_be_switched_to_every_level_or_off() {
    for (a, b, switch, _) in pairs() {
        for reach in [None, Some(Exact), Some(Content), Some(Structure)] {
            let mut options = Options::default();
            *switch(&mut options.dynamic) = reach;
            for level in Level::ALL {
                let form = |html| normalize(html, level, &options).expect("small");
                let expected = reach.is_some_and(|coarsest| level <= coarsest);
                assert_eq!(form(a) != form(b), expected, "{a} at {level}, reach {reach:?}");
            }
        }
    }
}

#[test]
fn markup_speaks_where_the_snapshot_is_silent() {
    assert!(differ(Exact, r#"<input type="checkbox" checked>"#, r#"<input type="checkbox">"#));
    assert!(differ(Exact, r#"<input value="a">"#, r#"<input value="b">"#));
    assert!(!differ(Exact, r#"<input value="a" data-webeval-value="b">"#, r#"<input value="b">"#));
}

#[test]
fn labels_of_buttons_are_no_values() {
    let mut options = Options::default();
    options.dynamic.values = None;
    let form = |html| normalize(html, Exact, &options).expect("small");
    assert_ne!(form(r#"<input type="submit" value="Save">"#), form(r#"<input type="submit" value="Send">"#));
    assert_eq!(form(r#"<input type="text" value="Save">"#), form(r#"<input type="text" value="Send">"#));
}

#[test]
fn what_changes_by_itself_counts_nowhere() {
    let canvas = |hash: &str| format!(r#"<canvas data-webeval-volatile data-webeval-canvas="{hash}"></canvas>"#);
    let ticker =
        |text: &str| format!(r#"<div id="t" data-webeval-volatile class="{text}"><b>{text}</b></div><p>x</p>"#);
    for level in Level::ALL {
        assert!(!differ(level, &canvas("1"), &canvas("2")));
        assert!(!differ(level, &ticker("a"), &ticker("b")));
    }
    assert!(differ(Exact, &ticker("a"), "<p>x</p>"));
}

#[test]
fn what_style_sheets_hide_is_hidden_where_the_snapshot_says_so() {
    let form = |html| normalize(html, Exact, &Options::default()).expect("small");
    assert_eq!(form("<p data-webeval-hidden>x</p>"), "<p hidden=\"\">x</p>");
    assert!(!differ(Structure, "<form data-webeval-hidden><input></form><ul></ul>", "<ul></ul>"));
}

#[test]
fn ticked_items_are_structure_by_default() {
    let list = |ticked: &str| format!(r#"<ul><li><input type="checkbox" data-webeval-checked="{ticked}"></li></ul>"#);
    assert!(differ(Structure, &list("true"), &list("false")));
    let mut options = Options::default();
    options.dynamic.checked_items = Some(Content);
    let form = |html: &str| normalize(html, Structure, &options).expect("small");
    assert_eq!(form(&list("true")), form(&list("false")));
}
