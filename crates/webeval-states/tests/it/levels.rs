//! Levels 1 and 2, worked by hand.

use webeval_states::Level::{Content, Structure};
use webeval_states::{Options, identify};

use crate::at;

fn same(level: webeval_states::Level, a: &str, b: &str) -> bool {
    at(level, a) == at(level, b)
}

#[test]
fn order_and_repetition_of_items_fold_at_level_1() {
    let a = "<ul><li>a</li><li>b</li><li>a</li></ul>";
    let b = "<ul><li>b</li><li>a</li></ul>";
    assert!(same(Content, a, b));
    assert!(!same(Content, a, "<ul><li>a</li></ul>"));
    // Cards are a list by their class, cells are none.
    let card = |x: &str| format!(r#"<div class="card"><h3>{x}</h3></div>"#);
    assert!(same(
        Content,
        &(card("x") + &card("y")),
        &(card("y") + &card("x"))
    ));
    assert!(!same(
        Content,
        "<table><tr><td>a</td><td>b</td></tr></table>",
        "<table><tr><td>b</td><td>a</td></tr></table>"
    ));
    assert!(!same(Content, "<p>a</p><p>b</p>", "<p>b</p><p>a</p>"));
}

#[test]
fn generated_ids_do_not_order_level_1() {
    let item = |id: &str, text: &str| {
        format!(r#"<li><input id="{id}"><label for="{id}">{text}</label></li>"#)
    };
    let a = format!("<ul>{}{}</ul>", item(":r1:", "a"), item(":r2:", "b"));
    let b = format!("<ul>{}{}</ul>", item(":r1:", "b"), item(":r2:", "a"));
    assert!(same(Content, &a, &b));
}

#[test]
fn text_is_no_structure() {
    let page = |name: &str| {
        format!("<main><h1>{name}</h1><p>About <b>{name}</b>.</p><button>Buy</button></main>")
    };
    assert!(same(Structure, &page("Tea"), &page("Coffee")));
    assert!(!same(Content, &page("Tea"), &page("Coffee")));
}

#[test]
fn lists_of_any_length_are_one_structure_but_empty_ones_are_not() {
    let list = |n: usize| {
        format!(
            "<ul class=\"todo-list\">{}</ul>",
            "<li><button>x</button></li>".repeat(n)
        )
    };
    assert!(same(Structure, &list(1), &list(7)));
    assert!(!same(Structure, &list(0), &list(1)));
}

#[test]
fn open_dialogs_and_details_are_structure() {
    assert!(!same(
        Structure,
        "<dialog open><p>a</p></dialog>",
        "<dialog><p>a</p></dialog>"
    ));
    assert!(!same(
        Structure,
        "<details open><p>a</p></details>",
        "<details><p>a</p></details>"
    ));
}

#[test]
fn ids_of_all_levels_are_those_of_the_normal_forms() {
    let page = "<ul><li>b</li><li>a</li></ul><p>x</p>";
    let identity = identify(page, &Options::default()).expect("small");
    for level in webeval_states::Level::ALL {
        assert_eq!(
            identity.at(level),
            webeval_states::StateId::of_normal_form(&at(level, page), level)
        );
    }
}
