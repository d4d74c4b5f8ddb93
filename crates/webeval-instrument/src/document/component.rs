//! Which parts of a Vue, Svelte or Astro component are code.

use super::scan::{COMPONENT, Tag, tags};
use super::{Block, Part, Plan, Role};
use crate::Kind;

fn language(source: &str, tag: &Tag) -> Option<Kind> {
    match tag.attribute(source, "lang") {
        None | Some("" | "js" | "javascript") => Some(Kind::Module),
        Some("ts" | "typescript") => Some(Kind::Ts),
        Some("tsx") => Some(Kind::Tsx),
        Some("jsx") => Some(Kind::Jsx),
        Some(_) => None,
    }
}

/// The scripts that are blocks of the component itself, not part of its markup.
fn top_scripts(source: &str, markup: &[&str]) -> Vec<Tag> {
    let mut depth = 0usize;
    let mut scripts = Vec::new();
    for tag in tags(source, 0, COMPONENT) {
        let self_closing = source[tag.whole.clone()].ends_with("/>");
        if markup.contains(&tag.name.as_str()) && !self_closing {
            depth = if tag.end { depth.saturating_sub(1) } else { depth + 1 };
        } else if tag.name == "script" && depth == 0 && tag.content.is_some() {
            scripts.push(tag);
        }
    }
    scripts
}

fn block<'s>(source: &'s str, tag: &Tag, preamble: bool) -> Option<Block<'s>> {
    if tag.attribute(source, "src").is_some() {
        return None;
    }
    let content = tag.content.clone()?;
    let mut block = Block::script(source, content, language(source, tag)?);
    block.preamble = preamble;
    Some(block)
}

/// A component whose scripts share one module: one of them runs when the module is loaded and gets the preamble. If
/// there is none it is added, on the same line.
fn shared_module<'s>(
    source: &'s str,
    scripts: &[Tag],
    is_module: impl Fn(&Tag) -> bool,
    open: impl Fn(&Tag) -> String,
    svelte: bool,
) -> Plan<'s> {
    let mut plan = Plan::default();
    let has_module = scripts.iter().any(&is_module);
    for tag in scripts {
        if let Some(mut block) = block(source, tag, is_module(tag)) {
            block.role = Role::Component { svelte, skip_exports: false };
            plan.blocks.push(block);
        }
    }
    if let (false, Some(first)) = (has_module, scripts.first()) {
        let part = Part { at: first.whole.start, before: open(first), after: "</script>".to_owned() };
        plan.parts.push(part);
    }
    plan
}

/// `<script>` and `<script setup>`. The latter becomes a function body that runs for each instance, and what Vue's
/// compiler moves out of it (`defineProps` and its defaults) can see the module only.
pub(super) fn vue(source: &str) -> Plan<'_> {
    let scripts = top_scripts(source, &["template"]);
    let is_module = |tag: &Tag| tag.attribute(source, "setup").is_none();
    // Both scripts of a component have to be in one language.
    let open = |tag: &Tag| match tag.attribute(source, "lang") {
        Some(lang) => format!("<script lang=\"{lang}\">"),
        None => "<script>".to_owned(),
    };
    shared_module(source, &scripts, is_module, open, false)
}

/// The instance script and the module script.
pub(super) fn svelte(source: &str) -> Plan<'_> {
    let scripts = top_scripts(source, &["svelte:head", "template", "div", "main", "section"]);
    let is_module =
        |tag: &Tag| tag.attribute(source, "module").is_some() || tag.attribute(source, "context") == Some("module");
    // Svelte 4 and 5 understand the long form, and where there are runes Svelte 5 says that it is out of date.
    let runes = scripts.iter().filter_map(|tag| tag.content.clone()).any(|place| has_runes(&source[place]));
    let open = |_: &Tag| if runes { "<script module>" } else { "<script context=\"module\">" }.to_owned();
    shared_module(source, &scripts, is_module, open, true)
}

/// Whether a rune of Svelte 5 is called, such as `$state(0)`, `$derived.by(f)` or `$props<{ a: string }>()`.
fn has_runes(script: &str) -> bool {
    const RUNES: [&str; 7] = ["state", "derived", "props", "bindable", "effect", "inspect", "host"];
    let is_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
    script.match_indices('$').any(|(at, _)| {
        let rest = &script[at + 1..];
        let end = rest.find(|letter| !is_name(letter)).unwrap_or(rest.len());
        let (name, mut rest) = rest.split_at(end);
        if let Some(member) = rest.strip_prefix('.') {
            rest = member.trim_start_matches(is_name);
        }
        let apart = !script[..at].ends_with(|letter| is_name(letter) || letter == '.');
        apart && RUNES.contains(&name) && (rest.starts_with('(') || rest.starts_with('<') && has_type_arguments(rest))
    })
}

/// Whether what begins with `<` is type arguments of a call.
fn has_type_arguments(rest: &str) -> bool {
    let mut depth = 0;
    let mut before = ' ';
    for (at, letter) in rest.char_indices() {
        match letter {
            '<' => depth += 1,
            '>' if before != '=' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return rest[at + 1..].starts_with('(');
        }
        before = letter;
    }
    false
}

/// The front matter, which runs where the page is built, and the scripts, each of which runs by itself in the page.
pub(super) fn astro(source: &str) -> Plan<'_> {
    let mut plan = Plan::default();
    let from = match front_matter(source) {
        Some(place) => {
            let end = place.end;
            let mut block = Block::script(source, place, Kind::Ts);
            block.preamble = true;
            block.role = Role::Component { svelte: false, skip_exports: true };
            plan.blocks.push(block);
            end
        }
        None => 0,
    };
    for tag in tags(source, from, COMPONENT) {
        let data = tag
            .attribute(source, "type")
            .is_some_and(|r#type| !matches!(r#type, "" | "module" | "text/javascript" | "application/javascript"));
        if tag.end || tag.name != "script" || data {
            continue;
        }
        let Some(mut block) = block(source, &tag, true) else {
            continue;
        };
        let inline = ["is:inline", "define:vars"].iter().any(|name| tag.attribute(source, name).is_some());
        block.kind = if inline { Kind::Script } else { Kind::Ts };
        plan.blocks.push(block);
    }
    plan
}

/// What stands between the two `---` lines at the start.
fn front_matter(source: &str) -> Option<std::ops::Range<usize>> {
    let start = source.find("---")?;
    let before = source[..start].trim_start_matches('\u{feff}');
    if !before.trim().is_empty() && !before.trim().starts_with("<!--") {
        return None;
    }
    let start = start + 3;
    let end = source[start..].find("\n---").or_else(|| source[start..].find("---"))?;
    Some(start..start + end)
}
