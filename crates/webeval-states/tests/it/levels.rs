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
    assert!(same(Content, &(card("x") + &card("y")), &(card("y") + &card("x"))));
    assert!(!same(
        Content,
        "<table><tr><td>a</td><td>b</td></tr></table>",
        "<table><tr><td>b</td><td>a</td></tr></table>"
    ));
    assert!(!same(Content, "<p>a</p><p>b</p>", "<p>b</p><p>a</p>"));
}

#[test]
fn generated_ids_do_not_order_level_1() {
    let item = |id: &str, text: &str| format!(r#"<li><input id="{id}"><label for="{id}">{text}</label></li>"#);
    let a = format!("<ul>{}{}</ul>", item(":r1:", "a"), item(":r2:", "b"));
    let b = format!("<ul>{}{}</ul>", item(":r1:", "b"), item(":r2:", "a"));
    assert!(same(Content, &a, &b));
}

#[test]
fn text_is_no_structure() {
    let page = |name: &str| format!("<main><h1>{name}</h1><p>About <b>{name}</b>.</p><button>Buy</button></main>");
    assert!(same(Structure, &page("Tea"), &page("Coffee")));
    assert!(!same(Content, &page("Tea"), &page("Coffee")));
}

#[test]
fn lists_of_any_length_are_one_structure_but_empty_ones_are_not() {
    let list = |n: usize| format!("<ul class=\"todo-list\">{}</ul>", "<li><button>x</button></li>".repeat(n));
    assert!(same(Structure, &list(1), &list(7)));
    assert!(!same(Structure, &list(0), &list(1)));
}

#[test]
fn open_dialogs_and_details_are_structure() {
    assert!(!same(Structure, "<dialog open><p>a</p></dialog>", "<dialog><p>a</p></dialog>"));
    assert!(!same(Structure, "<details open><p>a</p></details>", "<details><p>a</p></details>"));
}

#[test]
fn ids_of_all_levels_are_those_of_the_normal_forms() {
    let page = "<ul><li>b</li><li>a</li></ul><p>x</p>";
    let identity = identify(page, &Options::default()).expect("small");
    for level in webeval_states::Level::ALL {
        assert_eq!(identity.at(level), webeval_states::StateId::of_normal_form(&at(level, page), level));
    }
}

/// Pages of one state as people see it, in pairs that differ only in data.
#[test]
fn data_does_not_show_at_level_2() {
    let card = |extra: &str| format!(r#"<div class="product-card"><h3>x</h3>{extra}<button>Buy</button></div>"#);
    let page = |cards: &str| format!(r#"<main><div class="grid">{cards}</div></main>"#);
    let plain = page(&card(""));
    // A badge on some of them, another order, a sold-out one.
    assert!(same(Structure, &plain, &page(&(card(r#"<span class="badge">New</span>"#) + &card("<p>Sold out</p>")))));
    // Rows that are marked by what they hold.
    let table = |rows: &str| format!("<table><tbody>{rows}</tbody></table>");
    assert!(same(
        Structure,
        &table(r#"<tr class="overdue"><td>1</td></tr>"#),
        &table("<tr><td><b>2</b></td></tr><tr><td>3</td></tr>")
    ));
    // Which entry of a menu is the present one, how many pages a list has.
    let nav = |a: &str, b: &str| {
        format!(r#"<nav><a class="link {a}" href="/a">A</a><a class="link {b}" href="/b">B</a></nav>"#)
    };
    assert!(same(Structure, &nav("active", ""), &nav("", "active")));
    assert!(same(Structure, "<ul><li>x</li></ul><div class=pagination><a>1</a></div>", "<ul><li>x</li></ul>"));
    // An article with other paragraphs, lists and tables.
    let post = |body: &str| format!(r#"<div class="content"><p>a</p><p>b</p><h2>c</h2>{body}</div>"#);
    assert!(same(Structure, &post(""), &post("<ul><li>x</li></ul><pre>y</pre><table><tr><td>z</td></tr></table>")));
}

#[test]
fn what_people_call_another_state_shows_at_level_2() {
    let list = r#"<ul id="list"><li>a</li></ul>"#;
    for other in [
        // Opened, in error, editing, empty, told, hidden.
        r#"<ul id="list"><li>a</li></ul><div class="modal"><input name="title"><button>Save</button></div>"#,
        r#"<ul id="list"><li>a</li></ul><p class="error" role="alert">No</p>"#,
        r#"<ul id="list"><li class="editing">a<input></li></ul>"#,
        r#"<ul id="list"></ul>"#,
        r#"<ul id="list"><li>a</li></ul><div role="status" class="toast">Saved</div>"#,
        r#"<ul id="list" style="display: none"><li>a</li></ul>"#,
    ] {
        assert!(!same(Structure, list, other), "{other}");
    }
    // Two views in one document, one of them shown.
    let views = |a: &str, b: &str| {
        format!(
            r#"<section id="home" style="display:{a}"><ul></ul></section><section id="edit" style="display:{b}"><form><input></form></section>"#
        )
    };
    assert!(!same(Structure, &views("block", "none"), &views("none", "block")));
}
