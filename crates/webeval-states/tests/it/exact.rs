//! Level 0: what goes, what is renamed, what stays.

use webeval_states::{Level, MUTABLE_ATTRIBUTES, Options, normalize};

use crate::exact;

#[test]
fn scripts_and_styles_go() {
    assert_eq!(
        exact("<!DOCTYPE html><div><script>if (a < b) { '</div>' }</script><style>p{}</style>a<!-- c --></div>"),
        "<div>a</div>"
    );
    assert_eq!(exact("<SCRIPT>x</SCRIPT><link rel=stylesheet href=x><noscript><p>no</p></noscript>b"), "b");
    assert_eq!(exact(r#"<a href="x" onclick="go()">b</a>"#), r#"<a href="x">b</a>"#);
}

#[test]
fn text_around_comments_and_removed_elements_is_one() {
    // React separates adjacent texts by empty comments.
    assert_eq!(exact("<p>3<!-- --> minutes<script></script> ago</p>"), "<p>{time}</p>");
}

#[test]
fn attributes_are_sorted_and_spelled_one_way() {
    let one = exact(r#"<INPUT TYPE=text name='a' data-x="1 &gt; 0" required>"#);
    let two = exact(r#"<input required="" data-x="1 > 0" name="a" type="text">"#);
    assert_eq!(one, two);
    assert_eq!(one, r#"<input data-x="1 &gt; 0" name="a" required="" type="text">"#);
}

#[test]
fn classes_are_a_set() {
    assert_eq!(exact(r#"<p class="b  a b">x</p>"#), exact(r#"<p class="a b">x</p>"#));
}

#[test]
fn white_space_counts_only_where_it_shows() {
    assert_eq!(exact("<div>\n  <p>a\n  b </p>\n</div>"), "<div><p>a b</p></div>");
    assert_eq!(exact("<pre>a\n  b</pre>"), "<pre>a\n  b</pre>");
}

#[test]
fn every_default_mutable_attribute_goes_and_can_be_kept() {
    for pattern in MUTABLE_ATTRIBUTES {
        let name = pattern.replace('*', "1x2");
        let page = format!(r#"<p {name}="v">x</p>"#);
        assert_eq!(exact(&page), "<p>x</p>", "{pattern}");
        let mut options = Options::default();
        options.keep_attribute(pattern);
        if !options.drops(&name) {
            let kept = normalize(&page, Level::Exact, &options).expect("small");
            assert_eq!(kept, page, "{pattern}");
        }
    }
}

#[test]
fn inline_style_goes_but_for_what_hides() {
    assert_eq!(exact(r#"<p style="color: red">x</p>"#), "<p>x</p>");
    assert_eq!(exact(r#"<p style="color: red; display: none">x</p>"#), r#"<p hidden="">x</p>"#);
    assert_eq!(exact(r#"<p style="display:none !important">x</p>"#), exact("<p hidden>x</p>"));
    assert_eq!(exact(r#"<p style="display: block">x</p>"#), "<p>x</p>");
}

#[test]
fn generated_ids_are_renamed_with_their_references() {
    let form = r##"<label for="webeval-id-1">a</label><input aria-describedby="webeval-id-2 help" id="webeval-id-1"><a href="#webeval-id-2">b</a>"##;
    for (a, b) in [
        (":r1:", ":r2:"),
        ("«r7»", "«r8»"),
        ("_r_1_", "_r_2_"),
        ("radix-:r3:", "radix-:r4:"),
        ("mui-123", "mui-124"),
        ("mat-input-0", "mat-input-1"),
        ("ember432", "ember433"),
        ("headlessui-menu-button-:r1:", "headlessui-menu-items-:r2:"),
        ("ui-id-4", "ui-id-5"),
        ("550e8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-446655440001"),
        ("todo-1764468018123", "todo-1764468018124"),
    ] {
        let page =
            format!(r##"<label for="{a}">a</label><input aria-describedby="{b} help" id="{a}"><a href="#{b}">b</a>"##);
        assert_eq!(exact(&page), form, "{a}");
    }
    // Ids that people or data chose stay.
    for id in ["main", "item-42", "section-2", "todo-list", "h1", "user-1234"] {
        let page = format!(r#"<p id="{id}">x</p>"#);
        assert_eq!(exact(&page), page);
    }
}

#[test]
fn hashed_classes_lose_their_hashes() {
    for (before, after) in [
        ("css-1q2w3e", ""),
        ("css-1q2w3e-Button", "Button"),
        ("sc-bdVaJa fTzTfK card", "card"),
        ("Button_root__a1B2c", "Button_root"),
        ("_root_1x2y3_5", "root"),
        ("svelte-1tky8bj", ""),
        ("astro-j7pv25f6", ""),
        ("jsx-2871293847", ""),
        ("makeStyles-root-12", "makeStyles-root"),
        ("ng-star-inserted ng-tns-c12-3 ng-dirty list", "list"),
        ("fade-enter-active box", "box"),
        ("Header-sc-1a2b3c", "Header"),
        // Names that only look odd.
        ("btn-primary col-md-6 h264 mp3player item123", "btn-primary col-md-6 h264 item123 mp3player"),
        ("block__element--modifier", "block__element--modifier"),
        ("card__title", "card__title"),
    ] {
        let expected = if after.is_empty() { "<p>x</p>".to_owned() } else { format!(r#"<p class="{after}">x</p>"#) };
        assert_eq!(exact(&format!(r#"<p class="{before}">x</p>"#)), expected, "{before}");
    }
}

#[test]
fn addresses_of_local_servers_lose_their_origin() {
    assert_eq!(exact(r#"<img src="http://127.0.0.1:41234/a.png">"#), r#"<img src="/a.png">"#);
    assert_eq!(exact(r#"<img src="https://example.com/a.png">"#), r#"<img src="https://example.com/a.png">"#);
    assert_eq!(exact(r#"<img src="blob:http://localhost:1/4-5">"#), r#"<img src="blob:">"#);
}

#[test]
fn end_tags_that_may_be_left_out_are_supplied() {
    assert_eq!(exact("<ul><li>a<li>b</ul>"), "<ul><li>a</li><li>b</li></ul>");
    assert_eq!(
        exact("<table><tr><td>a<td>b<tr><td>c</table>"),
        "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>"
    );
    assert_eq!(exact("<p>a<p>b"), "<p>a</p><p>b</p>");
    assert_eq!(exact("<svg><path d='M0'/><g/></svg>"), r#"<svg><path d="M0"></path><g></g></svg>"#);
    assert_eq!(exact("a</b>c"), "ac");
}
