//! Diffs: replayable, short, with references that stay.

use webeval_states::{Dom, Error, Operation, Options, apply, diff};

fn dom(html: &str) -> Dom {
    Dom::parse(html, &Options::default()).expect("small")
}

fn steps(a: &str, b: &str) -> String {
    let (a, b) = (dom(a), dom(b));
    let change = diff(&a, &b);
    assert_eq!(apply(&a, &change).expect("applies"), b);
    change.to_string()
}

#[test]
fn steps_are_the_ones_a_person_would_name() {
    let list = "<ul><li>a</li><li>b</li><li>c</li></ul>";
    assert_eq!(steps(list, list), "");
    assert_eq!(steps(list, "<ul><li>a</li><li>c</li></ul>"), "- e4\n");
    assert_eq!(
        steps(list, "<ul><li>a</li><li>b</li><li>x <b>y</b></li><li>c</li></ul>"),
        "+ e1[2] <li>x<b>y</b></li>\n"
    );
    assert_eq!(steps(list, "<ul><li>c</li><li>a</li><li>b</li></ul>"), "> e6 [0]\n");
    assert_eq!(steps(list, "<ul><li>a</li><li class=done>b</li><li>c</li></ul>"), "~ e4 <li class=\"done\">\n");
    assert_eq!(steps(list, "<ul><li>a</li><li>z</li><li>c</li></ul>"), "~ e5 z\n");
}

#[test]
fn a_page_with_nothing_in_common_is_replaced() {
    assert_eq!(steps("<p>a</p>", "<ul><li>b</li></ul>"), "- e1\n+ e0[0] <ul><li>b</li></ul>\n");
}

#[test]
fn one_change_in_a_long_page_is_one_short_step() {
    let row = |i: usize, text: &str| format!("<tr><td>{i}</td><td class=\"n\">{text}</td></tr>");
    let table = |changed: &str| -> String {
        let rows: String = (0..500).map(|i| row(i, if i == 250 { changed } else { "same" })).collect();
        format!("<main><table>{rows}</table></main>")
    };
    let change = steps(&table("old"), &table("new"));
    assert!(change.len() < 20, "{change}");
}

#[test]
fn references_stay_with_their_nodes() {
    let a = dom("<ul><li>a</li><li>b</li></ul>");
    let reference = |dom: &Dom, text: &str| {
        let html = dom.to_annotated_html();
        let before = html.split(text).next().expect("there").to_owned();
        let start = before.rfind("ref=\"").expect("annotated") + 5;
        before[start..].split('"').next().expect("closed").to_owned()
    };
    let b_was = reference(&a, ">b");
    let mut page = a.clone();
    for next in ["<ul><li>n</li><li>a</li><li>b</li></ul>", "<ul><li>b</li><li>a</li></ul>", "<ul><li>b</li></ul>"] {
        page = apply(&page, &diff(&page, &dom(next))).expect("applies");
        assert_eq!(page, dom(next));
        assert_eq!(reference(&page, ">b"), b_was);
    }
    // A reference is not given away again.
    let with_new = apply(&page, &diff(&page, &dom("<ul><li>b</li><li>q</li></ul>"))).expect("applies");
    assert!(with_new.elements().all(|(r, _)| r.to_string() != reference(&a, ">a")));
}

#[test]
fn a_diff_fits_only_its_own_page() {
    let (a, b) = (dom("<p>a</p><i>x</i>"), dom("<p>b</p><i>x</i>"));
    let change = diff(&a, &b);
    assert!(matches!(apply(&b, &change), Err(Error::DiffBase { .. })));
    let mut damaged = change.clone();
    damaged.operations = vec![Operation::Remove { node: webeval_states::NodeRef::PAGE }];
    assert!(matches!(apply(&a, &damaged), Err(Error::DiffDamaged { operation: 0 })));
    let json = serde_json::to_string(&change).expect("json");
    assert_eq!(serde_json::from_str::<webeval_states::TreeDiff>(&json).expect("reads"), change);
}

#[test]
fn depth_costs_no_stack() {
    let deep = |leaf: &str| "<div>".repeat(20_000) + leaf;
    assert_eq!(steps(&deep("a"), &deep("b")), "~ e20001 b\n");
}
