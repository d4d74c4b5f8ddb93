//! What to write into a field: sensible values by what it is for, boundary cases, and wrong ones.

use webeval_browser::{Field, Node};

/// What a field is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Email,
    Url,
    Phone,
    Password,
    Number,
    Date,
    Time,
    DateTime,
    Month,
    Week,
    Color,
    Range,
    Name,
    Address,
    Zip,
    Card,
    Json,
    Html,
    Markdown,
    Code,
    Csv,
    Xml,
    Sql,
    Search,
    Long,
    Text,
}

/// Which words in a field's label, name, id or placeholder tell its meaning; the first that fits counts.
const WORDS: &[(Meaning, &[&str])] = &[
    (Meaning::Email, &["email", "e-mail"]),
    (Meaning::Password, &["password", "passphrase", "secret"]),
    (Meaning::Url, &["url", "website", "homepage", "link", "https://", "http://"]),
    (Meaning::Phone, &["phone", "mobile", "telephone"]),
    (Meaning::Json, &["json", "{\""]),
    (Meaning::Markdown, &["markdown"]),
    (Meaning::Html, &["html", "<div", "<p>"]),
    (Meaning::Xml, &["xml"]),
    (Meaning::Sql, &["sql", "select "]),
    (Meaning::Csv, &["csv", "comma"]),
    (Meaning::Card, &["card number", "credit"]),
    (Meaning::Zip, &["zip", "postal", "postcode"]),
    (Meaning::Date, &["yyyy-mm-dd", "date of"]),
    (Meaning::Address, &["address", "street", "city"]),
    (
        Meaning::Number,
        &[
            "amount", "quantity", "price", "age", "number", "count", "width", "height", "minutes", "seconds", "hours",
            "bushel", "acres",
        ],
    ),
    (Meaning::Search, &["search", "find", "filter", "query"]),
    (Meaning::Code, &["code", "javascript", "css"]),
    (Meaning::Name, &["name", "author", "player"]),
];

fn meaning(node: &Node, field: &Field) -> Meaning {
    match field.kind.as_str() {
        "email" => return Meaning::Email,
        "url" => return Meaning::Url,
        "tel" => return Meaning::Phone,
        "password" => return Meaning::Password,
        "number" => return Meaning::Number,
        "date" => return Meaning::Date,
        "time" => return Meaning::Time,
        "datetime-local" => return Meaning::DateTime,
        "month" => return Meaning::Month,
        "week" => return Meaning::Week,
        "color" => return Meaning::Color,
        "range" => return Meaning::Range,
        _ => {}
    }
    let known = [Some(&node.name), field.placeholder.as_ref(), field.name.as_ref(), field.id.as_ref()];
    let text = known.into_iter().flatten().map(|text| text.to_lowercase()).collect::<Vec<_>>().join(" ");
    let found = WORDS.iter().find(|(_, words)| words.iter().any(|word| text.contains(word)));
    match found {
        Some((meaning, _)) => *meaning,
        None if field.kind == "textarea" || field.kind == "editable" => Meaning::Long,
        None => Meaning::Text,
    }
}

/// Values that the field should take, the most usual first.
pub(crate) fn sensible(node: &Node, field: &Field) -> Vec<String> {
    let meaning = meaning(node, field);
    let list: Vec<String> = match meaning {
        Meaning::Number | Meaning::Range => numbers(field),
        Meaning::Email => owned(&["ada@example.com", "grace.hopper@example.org"]),
        Meaning::Url => owned(&["https://example.com/", "https://example.org/path?q=1"]),
        Meaning::Phone => owned(&["555-0123", "+1 202 555 0143"]),
        Meaning::Password => owned(&["Secret123!", "correct horse battery staple"]),
        Meaning::Date => owned(&["2024-06-15", "2030-01-01"]),
        Meaning::Time => owned(&["09:30", "23:59"]),
        Meaning::DateTime => owned(&["2024-06-15T09:30", "2030-01-01T00:00"]),
        Meaning::Month => owned(&["2024-06"]),
        Meaning::Week => owned(&["2024-W24"]),
        Meaning::Color => owned(&["#336699", "#ff0000"]),
        Meaning::Name => owned(&["Ada Lovelace", "Grace Hopper"]),
        Meaning::Address => owned(&["12 Main Street", "Paris"]),
        Meaning::Zip => owned(&["12345"]),
        Meaning::Card => owned(&["4242424242424242"]),
        Meaning::Json => owned(&[r#"{"name": "Ada", "items": [1, 2, {"ok": true}]}"#, "[1, \"two\", null]"]),
        Meaning::Html => owned(&[
            "<h1>Hi</h1><p>One <b>two</b> <a href=\"https://example.com/\">three</a></p><table><tr><td>1</td></tr></table>",
        ]),
        Meaning::Xml => owned(&["<root><item id=\"1\">one</item></root>"]),
        Meaning::Markdown => {
            owned(&["# Title\n\nSome *text* with `code` and [a link](https://example.com/).\n\n- one\n- two"])
        }
        Meaning::Sql => owned(&["select 1 as one, 'a' as letter"]),
        Meaning::Csv => owned(&["name,amount\nApple,3\nPear,5"]),
        Meaning::Code => owned(&["console.log(1 + 2);"]),
        Meaning::Search => owned(&["a", "example"]),
        Meaning::Long => {
            owned(&["First line, with 3 words.\nSecond line: https://example.com/ and \"quotes\"", "One\n\nTwo"])
        }
        Meaning::Text => owned(&["Buy milk", "Call Ada", "Read a book"]),
    };
    limited(list, field)
}

/// Values at the edge of what the field takes.
pub(crate) fn boundary(node: &Node, field: &Field) -> Vec<String> {
    match meaning(node, field) {
        Meaning::Number | Meaning::Range => {
            let mut list: Vec<String> = field.min.iter().chain(&field.max).cloned().collect();
            list.extend(owned(&["0", "-1", "999999"]));
            list
        }
        Meaning::Date => owned(&["2024-02-29", "1900-01-01"]),
        Meaning::Time => owned(&["00:00"]),
        Meaning::DateTime | Meaning::Month | Meaning::Week => Vec::new(),
        Meaning::Color => owned(&["#000000", "#ffffff"]),
        _ => limited(owned(&["   ", "<b>x</b> & \"y\" é 😀", &"long ".repeat(20)]), field),
    }
}

/// A value that the field should refuse, where there is one.
pub(crate) fn wrong(node: &Node, field: &Field) -> Option<String> {
    let value = match meaning(node, field) {
        Meaning::Email => "not an address",
        Meaning::Url => "no url",
        Meaning::Phone => "abc",
        Meaning::Password => "x",
        Meaning::Number | Meaning::Zip | Meaning::Card => "-99999",
        Meaning::Json => "{\"broken\": ",
        Meaning::Xml | Meaning::Html => "<a><b></a>",
        Meaning::Sql => "selec from",
        Meaning::Name
        | Meaning::Text
        | Meaning::Long
        | Meaning::Search
        | Meaning::Address
        | Meaning::Code
        | Meaning::Csv
        | Meaning::Markdown => "",
        _ => return None,
    };
    Some(value.to_owned())
}

fn owned(list: &[&str]) -> Vec<String> {
    list.iter().map(|&text| text.to_owned()).collect()
}

fn numbers(field: &Field) -> Vec<String> {
    let bound = |text: &Option<String>| text.as_ref().and_then(|text| text.parse::<f64>().ok());
    let (min, max) = (bound(&field.min), bound(&field.max));
    let show = |value: f64| if value.fract() == 0.0 { format!("{value:.0}") } else { value.to_string() };
    match (min, max) {
        (Some(min), Some(max)) => vec![show(((min + max) / 2.0).floor().max(min)), show(max), show(min)],
        (Some(min), None) => vec![show(min + 5.0), show(min)],
        (None, Some(max)) => vec![show(max.min(5.0)), show(max)],
        (None, None) => owned(&["5", "42"]),
    }
}

/// A field with a limit takes no more characters than that.
fn limited(list: Vec<String>, field: &Field) -> Vec<String> {
    let Some(limit) = field.max_length else { return list };
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    if limit == 1 {
        // One character a field is how codes are asked for.
        return owned(&["7"]);
    }
    list.into_iter().map(|text| text.chars().take(limit).collect()).collect()
}
