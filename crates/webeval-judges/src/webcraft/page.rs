//! A page's HTML as lines to search, read and quote. Scripts and styles are left out: a judge sees what ran, never the
//! source of it.

/// Longest line shown; pictures in data addresses are longer than any page.
const LONGEST: usize = 400;

/// A snapshot in lines, one opening tag to each.
pub(super) fn lines(html: &str) -> Vec<String> {
    let html = without_code(html);
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    let mut chars = html.chars().peekable();
    while let Some(c) = chars.next() {
        let opens = c == '<' && chars.peek().is_some_and(char::is_ascii_alphabetic);
        if (opens || c == '\n') && !line.trim().is_empty() {
            lines.push(shorten(line.trim()));
            line.clear();
        }
        if c != '\n' {
            line.push(c);
        } else {
            line.push(' ');
        }
    }
    if !line.trim().is_empty() {
        lines.push(shorten(line.trim()));
    }
    lines
}

fn shorten(line: &str) -> String {
    match line.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_owned(),
    }
}

/// Whether `quote` stands in the page: in its HTML, or in its text with the tags left out. Blanks and entities do not
/// matter.
pub(super) fn holds(html: &str, quote: &str) -> bool {
    let quote = plain(quote.trim().trim_matches('…'));
    if quote.chars().count() < 3 {
        return false;
    }
    let html = without_code(html);
    plain(&html).contains(&quote) || plain(&text(&html)).contains(&quote)
}

fn plain(text: &str) -> String {
    let mut text = text.to_owned();
    for (entity, c) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " "), ("&amp;", "&")]
    {
        text = text.replace(entity, c);
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text between tags, a blank for each tag.
fn text(html: &str) -> String {
    let mut text = String::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        text.push_str(&rest[..at]);
        text.push(' ');
        rest = match rest[at..].find('>') {
            Some(end) => &rest[at + end + 1..],
            None => "",
        };
    }
    text + rest
}

fn without_code(html: &str) -> String {
    let mut out = html.to_owned();
    for tag in ["script", "style"] {
        out = without(&out, tag);
    }
    out
}

fn without(html: &str, tag: &str) -> String {
    let (open, close) = (format!("<{tag}"), format!("</{tag}"));
    let lower = html.to_ascii_lowercase();
    let mut out = String::with_capacity(html.len());
    let mut at = 0;
    while let Some(begin) = lower[at..].find(&open).map(|found| at + found) {
        out.push_str(&html[at..begin]);
        let Some(end) = lower[begin..].find(&close).map(|found| begin + found) else { return out };
        at = lower[end..].find('>').map_or(html.len(), |found| end + found + 1);
    }
    out.push_str(&html[at..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "<body><SCRIPT>let secret = '<b>1</b>';</SCRIPT><h1>My &amp; list</h1>\n<ul><li>milk</li><li \
                        class=\"done\">bread  and\nbutter</li></ul><style>b{}</style></body>";

    #[test]
    fn lines_hold_one_opening_tag_and_no_code() {
        let expected = [
            "<body>",
            "<h1>My &amp; list</h1>",
            "<ul>",
            "<li>milk</li>",
            "<li class=\"done\">bread  and",
            "butter</li></ul></body>",
        ];
        assert_eq!(lines(PAGE), expected);
    }

    #[test]
    fn quotes_are_found_in_html_and_in_text_and_never_in_code() {
        for quote in ["<li>milk</li>", "bread and butter", "My & list", "My &amp; list milk"] {
            assert!(holds(PAGE, quote), "{quote}");
        }
        for quote in ["secret", "cheese", "", "li", "b{}"] {
            assert!(!holds(PAGE, quote), "{quote}");
        }
    }
}
