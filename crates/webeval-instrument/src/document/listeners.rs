//! Events that a document's markup connects to functions of its scripts.

use super::Listener;
use super::scan::{COMPONENT, HTML, Tag, tags};
use crate::Kind;

/// `onclick="go()"`, `@click="go"`, `v-on:click.prevent="go"`, `on:click={go}`, `onclick={() => go()}`.
pub(super) fn find(source: &str, kind: Kind) -> Vec<Listener> {
    let grammar = if kind == Kind::Html { HTML } else { COMPONENT };
    let mut listeners = Vec::new();
    for tag in tags(source, 0, grammar).iter().filter(|tag| !tag.end) {
        for attribute in &tag.attributes {
            let event = event(&source[attribute.name.clone()]);
            let (Some(event), Some(value)) = (event, attribute.value.clone()) else {
                continue;
            };
            for calls in names(&source[value]) {
                listeners.push(Listener { event: event.clone(), target: target(source, tag), calls });
            }
        }
    }
    listeners
}

fn event(attribute: &str) -> Option<String> {
    let framework = ["v-on:", "on:", "@"].iter().find_map(|prefix| attribute.strip_prefix(prefix));
    let name = framework.or_else(|| attribute.strip_prefix("on").filter(|event| super::is_event(event)))?;
    let event = name.split(['.', '|']).next().unwrap_or(name);
    let plain = !event.is_empty() && event.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    plain.then(|| event.to_ascii_lowercase())
}

/// Names in a handler that may be functions: each identifier that is not a property.
fn names(handler: &str) -> impl Iterator<Item = String> + '_ {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let mut rest = handler;
    std::iter::from_fn(move || {
        loop {
            let start = rest.find(is_part)?;
            let property = rest[..start].ends_with('.');
            let end = rest[start..].find(|c| !is_part(c)).map_or(rest.len(), |end| start + end);
            let word = &rest[start..end];
            rest = &rest[end..];
            if !property && !word.starts_with(|c: char| c.is_ascii_digit()) {
                return Some(word.to_owned());
            }
        }
    })
}

fn target(source: &str, tag: &Tag) -> String {
    match tag.attribute(source, "id") {
        Some(id) if !id.is_empty() => format!("{}#{id}", tag.name),
        _ => tag.name.clone(),
    }
}
