//! Hashes in a page that vouch for scripts: `integrity` attributes, and those of a content security policy. Scripts with
//! counters have other hashes, so they are computed anew.

use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256, Sha384, Sha512};

/// What a file held, and what it holds now.
type Pair = (Vec<u8>, Vec<u8>);

/// A start tag of a script, link or meta element, and the content of a script.
#[derive(Debug)]
struct Tag {
    name: String,
    whole: Range<usize>,
    content: Range<usize>,
}

/// The page with hashes of the scripts as they are now.
///
/// `before` is the page as it was, `after` the page with counters, and `script` gives the content of a file that the page
/// refers to, as it was and as it is served now. A hash that was wrong stays so: that is the app's own fault.
pub(crate) fn adjust(before: &str, after: &str, script: impl Fn(&str) -> Option<Pair>) -> String {
    let mut page = integrity(after, script);
    let old = inline_scripts(before);
    let new = inline_scripts(&page);
    if old == new {
        return page;
    }
    // An element that was added at the top holds what all the others need.
    let added = new.len().saturating_sub(old.len());
    for kind in ["sha256", "sha384", "sha512"] {
        let pairs = old.iter().zip(new.iter().skip(added));
        let pairs: Vec<(String, String)> =
            pairs.map(|(old, new)| (hash(kind, old.as_bytes()), hash(kind, new.as_bytes()))).collect();
        let first: Vec<String> =
            new.iter().take(added).map(|text| format!("'{}'", hash(kind, text.as_bytes()))).collect();
        page = in_policies(&page, |policy| {
            let mut changed = policy.to_owned();
            let mut any = false;
            for (old, new) in &pairs {
                if changed.contains(old.as_str()) {
                    changed = changed.replace(old.as_str(), new);
                    any = true;
                }
            }
            if any {
                let at = changed.find(&format!("'{kind}-")).unwrap_or(0);
                let more: String = first.iter().map(|one| format!("{one} ")).collect();
                changed.insert_str(at, &more);
            }
            changed
        });
    }
    page
}

fn hash(kind: &str, content: &[u8]) -> String {
    let digest = match kind {
        "sha256" => Sha256::digest(content).to_vec(),
        "sha384" => Sha384::digest(content).to_vec(),
        _ => Sha512::digest(content).to_vec(),
    };
    format!("{kind}-{}", STANDARD.encode(digest))
}

/// Recomputes `integrity` of scripts and preloads that the page's own server hands out.
fn integrity(page: &str, script: impl Fn(&str) -> Option<Pair>) -> String {
    let mut changes: Vec<(Range<usize>, String)> = Vec::new();
    for tag in tags(page).iter().filter(|tag| tag.name == "script" || tag.name == "link") {
        let text = &page[tag.whole.clone()];
        let source = attribute(text, "src").or_else(|| attribute(text, "href"));
        let (Some(value), Some(source)) = (attribute(text, "integrity"), source) else { continue };
        let Some((old, new)) = script(&text[source]) else { continue };
        let anew = |one: &str| {
            let kind = one.split('-').next().unwrap_or_default();
            if hash(kind, &old) == one { hash(kind, &new) } else { one.to_owned() }
        };
        let hashes: Vec<String> = text[value.clone()].split_whitespace().map(anew).collect();
        changes.push((tag.whole.start + value.start..tag.whole.start + value.end, hashes.join(" ")));
    }
    replaced(page, changes)
}

/// Changes the policies that a page sets for itself.
fn in_policies(page: &str, change: impl Fn(&str) -> String) -> String {
    let mut changes = Vec::new();
    for tag in tags(page).iter().filter(|tag| tag.name == "meta") {
        let text = &page[tag.whole.clone()];
        let is_policy =
            attribute(text, "http-equiv").is_some_and(|at| text[at].eq_ignore_ascii_case("content-security-policy"));
        if let Some(value) = attribute(text, "content").filter(|_| is_policy) {
            let new = change(&text[value.clone()]);
            changes.push((tag.whole.start + value.start..tag.whole.start + value.end, new));
        }
    }
    replaced(page, changes)
}

fn replaced(page: &str, changes: Vec<(Range<usize>, String)>) -> String {
    let mut page = page.to_owned();
    for (range, text) in changes.into_iter().rev() {
        page.replace_range(range, &text);
    }
    page
}

fn inline_scripts(page: &str) -> Vec<String> {
    let scripts = tags(page).into_iter().filter(|tag| tag.name == "script");
    let inline = scripts.filter(|tag| attribute(&page[tag.whole.clone()], "src").is_none());
    inline.map(|tag| page[tag.content].to_owned()).collect()
}

/// Where the value of an attribute is in the text of a tag.
fn attribute(tag: &str, name: &str) -> Option<Range<usize>> {
    let lower = tag.to_ascii_lowercase();
    let mut from = 0;
    while let Some(at) = lower.get(from..)?.find(name).map(|at| at + from) {
        from = at + name.len();
        let rest = lower[from..].trim_start();
        if !lower[..at].ends_with(|c: char| c.is_whitespace() || c == '"' || c == '\'') || !rest.starts_with('=') {
            continue;
        }
        let value = rest[1..].trim_start();
        let start = tag.len() - value.len();
        return Some(match value.chars().next() {
            Some(quote @ ('"' | '\'')) => start + 1..start + 1 + value[1..].find(quote)?,
            _ => start..start + value.find(|c: char| c.is_whitespace() || c == '>').unwrap_or(value.len()),
        });
    }
    None
}

/// Start tags of scripts, links and metas, outside of comments and scripts.
fn tags(page: &str) -> Vec<Tag> {
    let lower = page.to_ascii_lowercase();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = lower[at..].find('<').map(|next| next + at) {
        let rest = &lower[next..];
        if rest.starts_with("<!--") {
            at = rest.find("-->").map_or(page.len(), |end| next + end + 3);
            continue;
        }
        let name: String = rest[1..].chars().take_while(char::is_ascii_alphanumeric).collect();
        let end = end_of_tag(rest).map_or(page.len(), |end| next + end);
        at = end.max(next + 1);
        if !matches!(name.as_str(), "script" | "link" | "meta") {
            continue;
        }
        let mut content = end..end;
        if name == "script" {
            content.end = lower[end..].find("</script").map_or(page.len(), |close| end + close);
            at = content.end.max(next + 1);
        }
        found.push(Tag { name, whole: next..end, content });
    }
    found
}

/// One past the `>` that ends a tag, not looking into quotes.
fn end_of_tag(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(at + 1),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}
