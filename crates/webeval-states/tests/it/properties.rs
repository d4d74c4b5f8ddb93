//! What holds of every page.

use proptest::prelude::*;
use webeval_states::{Dom, Level, Options, apply, diff, identify, normalize};

/// Texts that steps of the normal form look at, so that they meet each other.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("a"),
        Just(" "),
        Just("\n"),
        Just("12:30"),
        Just("30s"),
        Just("5"),
        Just("minutes"),
        Just("ago"),
        Just("in"),
        Just("about"),
        Just("Nov"),
        Just("30,"),
        Just("2026"),
        Just("2026-11-30"),
        Just("T"),
        Just("-"),
        Just(":"),
        Just("."),
        Just("p.m."),
        Just("AM"),
        Just("Mon"),
        Just(","),
        Just("GMT"),
        Just("+01:00"),
        Just("(UTC)"),
        Just("{time}"),
        Just("&amp;"),
        Just("&"),
        Just("&nbsp;"),
        Just("&#49;"),
        Just("<"),
        Just(">"),
        Just("\""),
        Just("left"),
        Just("just now"),
        Just("\u{a0}"),
        Just("é"),
        Just("年"),
        Just("<!-- -->"),
        Just("<script>1</script>"),
        Just("v1.2"),
        Just("$"),
        Just("h"),
        Just("3"),
        Just("1764468018123"),
        Just("at"),
        Just("de"),
        Just("/"),
        Just("today"),
        Just("a few"),
        Just("seconds"),
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

fn attribute() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(r#" class="a b""#.to_owned()),
        Just(r#" class="card active""#.to_owned()),
        Just(r#" class="css-1q2w3e x__y__z1Y2w sc-abc aBcDeF""#.to_owned()),
        Just(r#" class="foo_bar__a1b2c_a1b2c_1 &amp;x &#32;""#.to_owned()),
        Just(r#" id=":r1:""#.to_owned()),
        Just(r#" id=":r2:""#.to_owned()),
        Just(r#" id="main""#.to_owned()),
        Just(r#" for=":r2: :r1:""#.to_owned()),
        Just(r##" href="#:r1:""##.to_owned()),
        Just(r#" style="display:none""#.to_owned()),
        Just(" hidden".to_owned()),
        Just(r#" role="listitem""#.to_owned()),
        Just(r#" role="&#x6c;istitem""#.to_owned()),
        Just(" data-webeval-volatile".to_owned()),
        Just(" data-webeval-value=v".to_owned()),
        Just(" data-webeval-checked=false checked".to_owned()),
        Just(" data-webeval-selected".to_owned()),
        Just(" data-webeval-canvas=1f".to_owned()),
        Just(" shadowrootmode=open".to_owned()),
        Just(" data-webeval-frame".to_owned()),
        Just(" open value=x type=text name=n".to_owned()),
        Just(" src='http://localhost:80/?t=1764468018123'".to_owned()),
        text().prop_map(|t| format!(" title='{}'", t.replace('\'', ""))),
        text().prop_map(|t| format!(" id='{}'", t.replace('\'', ""))),
        text().prop_map(|t| format!(" class='{}'", t.replace('\'', ""))),
        text().prop_map(|t| format!(" href='{}'", t.replace('\'', ""))),
    ]
}

fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "div", "div", "ul", "li", "li", "p", "span", "b", "button", "input", "table", "tr", "td", "select", "option",
        "template", "pre", "textarea", "canvas", "svg", "path", "section", "article", "a", "dialog", "details", "form",
        "label", "x-a", "iframe", "h1", "title", "head", "body", "img", "nav", "br",
    ])
}

fn element() -> impl Strategy<Value = String> {
    text().prop_recursive(5, 60, 6, |inner| {
        let children = prop::collection::vec(inner, 0..6);
        let attributes = prop::collection::vec(attribute(), 0..3);
        (name(), attributes, children, any::<bool>()).prop_map(|(name, attributes, children, closed)| {
            let end = if closed { format!("</{name}>") } else { String::new() };
            format!("<{name}{}>{}{end}", attributes.concat(), children.concat())
        })
    })
}

fn page() -> impl Strategy<Value = String> {
    prop::collection::vec(element(), 1..4).prop_map(|elements| elements.concat())
}

/// Any choice of what dynamic state reaches.
fn options() -> impl Strategy<Value = Options> {
    let reach = || prop::option::of(prop::sample::select(Level::ALL.to_vec()));
    (reach(), reach(), reach(), reach(), reach(), reach()).prop_map(|(a, b, c, d, e, f)| {
        let mut options = Options::default();
        options.dynamic.values = a;
        options.dynamic.checked = b;
        options.dynamic.canvas = c;
        options.dynamic.open = d;
        options.dynamic.shadow_roots = e;
        options.dynamic.frames = f;
        options
    })
}

proptest! {
    #[test]
    fn normalising_a_normal_form_changes_nothing(page in page(), options in options()) {
        for level in Level::ALL {
            let once = normalize(&page, level, &options).expect("small");
            let twice = normalize(&once, level, &options).expect("small");
            prop_assert_eq!(&once, &twice, "level {}", level);
        }
    }

    /// A page and its exact form are equal at every level; so are a page and its level-1 form from there on. With
    /// the forms being functions of each other in this way, equality at one level carries over to the coarser.
    #[test]
    fn levels_nest(page in page(), options in options()) {
        let of = |html: &str| identify(html, &options).expect("small");
        let own = of(&page);
        let exact = normalize(&page, Level::Exact, &options).expect("small");
        prop_assert_eq!(of(&exact), own);
        let content = normalize(&page, Level::Content, &options).expect("small");
        prop_assert_eq!(of(&content).level1, own.level1);
        prop_assert_eq!(of(&content).level2, own.level2);
        let structure = normalize(&page, Level::Structure, &options).expect("small");
        prop_assert_eq!(of(&structure).level2, own.level2);
    }

    /// Folding is about order and repetition, so neither shows at level 1.
    #[test]
    fn items_can_be_shuffled_and_repeated(
        items in prop::collection::vec(element(), 1..5),
        order in prop::collection::vec(any::<prop::sample::Index>(), 1..8),
    ) {
        let list = |items: &[&String]| {
            let body: String = items.iter().map(|item| format!("<li><div>{item}</div></li>")).collect();
            identify(&format!("<ul>{body}</ul>"), &Options::default()).expect("small")
        };
        let balanced = |item: &String| {
            let form = normalize(item, Level::Exact, &Options::default()).expect("small");
            !form.contains("<li") && !form.contains("webeval-id")
        };
        let items: Vec<&String> = items.iter().filter(|item| balanced(item)).collect();
        prop_assume!(!items.is_empty());
        let normal: Vec<String> =
            items.iter().map(|i| normalize(i, Level::Exact, &Options::default()).expect("small")).collect();
        let all: Vec<&String> = normal.iter().collect();
        let mut mixed: Vec<&String> = order.iter().map(|index| index.get(&all)).copied().collect();
        mixed.extend(all.iter().rev());
        let (a, b) = (list(&all), list(&mixed));
        prop_assert_eq!(a.level1, b.level1);
        prop_assert_eq!(a.level2, b.level2);
    }

    #[test]
    fn a_diff_makes_b_of_a(a in page(), b in page(), shared in page()) {
        let read = |html: &str| Dom::parse(html, &Options::default()).expect("small");
        let form = |html: &str| normalize(html, Level::Exact, &Options::default()).expect("small");
        let (a, b, shared) = (form(&a), form(&b), form(&shared));
        let before = read(&format!("<main>{a}{shared}<p>{b}</p></main>"));
        let after = read(&format!("<main>{shared}{b}<p>{a}</p>{a}</main>"));
        let change = diff(&before, &after);
        prop_assert_eq!(&apply(&before, &change).expect("fits"), &after);
        prop_assert_eq!(change.is_empty(), before == after);
    }

    #[test]
    fn any_text_at_all_is_read(page in any::<String>()) {
        let once = normalize(&page, Level::Exact, &Options::default()).expect("small");
        prop_assert_eq!(&normalize(&once, Level::Exact, &Options::default()).expect("small"), &once);
    }
}
