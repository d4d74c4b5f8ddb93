//! Class lists: what is stable in them, and what names a component.

use super::ids::alternations;

/// Strips what a build or a framework put into a class token; `None` where nothing stable is left.
pub(super) fn stable(token: &str) -> Option<&str> {
    let mut token = token;
    loop {
        let next = strip_once(token)?;
        if next.len() == token.len() {
            return Some(token);
        }
        token = next;
    }
}

fn strip_once(token: &str) -> Option<&str> {
    let bytes = token.as_bytes();
    match bytes.first() {
        None => return None,
        Some(b'a') if hashed(token, "astro-", 6) => return None,
        Some(b'c') => {
            if let Some(rest) =
                token.strip_prefix("css-").filter(|rest| is_hash(rest.split('-').next().unwrap_or(""), 5))
            {
                // Emotion may append a label: `css-1x2y3z-Button`.
                return rest.split_once('-').map(|(_, label)| label);
            }
            if token.starts_with("cdk-") && token.ends_with("-focused") {
                return None;
            }
        }
        Some(b'j') if numbered(token, "jsx-", 5) || numbered(token, "jss", 1) || numbered(token, "jquery", 6) => {
            return None;
        }
        Some(b'n') if token.starts_with("ng-") => return None,
        Some(b's') if hashed(token, "svelte-", 5) => return None,
        Some(b's') if token.starts_with("sc-") => return None,
        Some(b'f') if token == "focus-visible" || token == "focus-within" => return None,
        _ => {}
    }
    if is_transition(token) {
        return None;
    }
    // Vite's CSS modules: `_name_hash_line`.
    if let Some(rest) = token.strip_prefix('_')
        && let Some((head, line)) = rest.rsplit_once('_')
        && line.bytes().all(|b| b.is_ascii_digit())
        && let Some((name, hash)) = head.rsplit_once('_')
        && is_hash(hash, 5)
        && !name.is_empty()
    {
        return Some(name);
    }
    // Webpack's CSS modules, styled-components' display names, makeStyles: a hash at the end.
    if let Some(at) = token.rfind(['_', '-'])
        && at > 0
        && at + 1 < token.len()
    {
        let tail = &token[at + 1..];
        let head = token[..at].trim_end_matches(['_', '-']);
        let hash = (token[..at].ends_with('_') && is_module_hash(tail))
            || (tail.len() >= 5 && alternations(tail.as_bytes()) >= 2)
            || (head.contains("makeStyles") && tail.bytes().all(|b| b.is_ascii_digit()));
        if hash && !head.is_empty() {
            return Some(head.strip_suffix("-sc").unwrap_or(head));
        }
    }
    Some(token)
}

/// Whether a list with an `sc-` token (styled-components) has `token` as the generated name beside it.
pub(super) fn is_styled_hash(token: &str) -> bool {
    (5..=7).contains(&token.len())
        && token.bytes().all(|b| b.is_ascii_alphabetic())
        && token.bytes().skip(1).any(|b| b.is_ascii_uppercase())
        && token.bytes().any(|b| b.is_ascii_lowercase())
}

fn hashed(token: &str, prefix: &str, least: usize) -> bool {
    token.strip_prefix(prefix).is_some_and(|rest| is_hash(rest, least))
}

fn numbered(token: &str, prefix: &str, least: usize) -> bool {
    token.strip_prefix(prefix).is_some_and(|r| r.len() >= least && r.bytes().all(|b| b.is_ascii_digit()))
}

/// Lower-case letters and digits only, at least `least`.
fn is_hash(text: &str, least: usize) -> bool {
    text.len() >= least && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
}

/// The last part of `Name_local__hash`: five or more characters of base 64 that are no plain word.
fn is_module_hash(text: &str) -> bool {
    text.len() >= 5
        && text.bytes().all(|b| b.is_ascii_alphanumeric())
        && (text.bytes().any(|b| b.is_ascii_digit()) || text.bytes().skip(1).any(|b| b.is_ascii_uppercase()))
}

/// Classes that a transition puts on for a moment.
fn is_transition(token: &str) -> bool {
    let Some((head, last)) = token.rsplit_once('-') else {
        return false;
    };
    match last {
        "enter" | "leave" | "exit" | "appear" => true,
        "active" | "from" | "to" | "done" => {
            ["-enter", "-leave", "-exit", "-appear"].iter().any(|step| head.ends_with(step))
        }
        _ => false,
    }
}

/// Whether utility classes (Tailwind, Bootstrap and their like), which style and do not name, start so.
fn starts_utility(head: &str) -> bool {
    matches!(
        head,
        "bg" | "text"
            | "border"
            | "p"
            | "px"
            | "py"
            | "pt"
            | "pb"
            | "pl"
            | "pr"
            | "ps"
            | "pe"
            | "m"
            | "mx"
            | "my"
            | "mt"
            | "mb"
            | "ml"
            | "mr"
            | "ms"
            | "me"
            | "w"
            | "h"
            | "min"
            | "max"
            | "gap"
            | "space"
            | "flex"
            | "grid"
            | "items"
            | "justify"
            | "content"
            | "self"
            | "place"
            | "font"
            | "leading"
            | "tracking"
            | "rounded"
            | "shadow"
            | "ring"
            | "opacity"
            | "z"
            | "top"
            | "bottom"
            | "left"
            | "right"
            | "inset"
            | "overflow"
            | "cursor"
            | "select"
            | "transition"
            | "duration"
            | "ease"
            | "delay"
            | "animate"
            | "transform"
            | "scale"
            | "rotate"
            | "translate"
            | "skew"
            | "origin"
            | "object"
            | "fill"
            | "stroke"
            | "from"
            | "to"
            | "via"
            | "divide"
            | "order"
            | "col"
            | "row"
            | "basis"
            | "grow"
            | "shrink"
            | "whitespace"
            | "break"
            | "align"
            | "list"
            | "decoration"
            | "underline"
            | "line"
            | "backdrop"
            | "blur"
            | "filter"
            | "outline"
            | "aspect"
            | "columns"
            | "float"
            | "clear"
            | "size"
            | "d"
            | "fs"
            | "fw"
            | "lh"
            | "g"
            | "gx"
            | "gy"
            | "fa"
            | "fas"
            | "far"
            | "fab"
            | "bi"
            | "icon"
            | "material"
    )
}

/// Whether a class is a utility by itself.
fn is_utility(token: &str) -> bool {
    matches!(
        token,
        "flex"
            | "grid"
            | "block"
            | "inline"
            | "relative"
            | "absolute"
            | "fixed"
            | "sticky"
            | "static"
            | "truncate"
            | "uppercase"
            | "lowercase"
            | "capitalize"
            | "italic"
            | "underline"
            | "border"
            | "rounded"
            | "shadow"
            | "transition"
            | "transform"
            | "antialiased"
            | "inline-block"
            | "inline-flex"
            | "table-cell"
            | "font-bold"
            | "group"
            | "peer"
            | "container"
            | "row"
            | "col"
            | "ring"
            | "outline"
            | "resize"
            | "even"
            | "odd"
            | "first"
            | "last"
    )
}

/// Whether a stable token names a part of the page, rather than styling or numbering it.
pub(super) fn names_part(token: &str) -> bool {
    if token.bytes().any(|b| b.is_ascii_digit() || matches!(b, b':' | b'[' | b'/' | b'!' | b'.' | b'%' | b'#')) {
        return false;
    }
    if is_utility(token) {
        return false;
    }
    match token.split_once('-') {
        Some(("", _)) => false,
        Some((head, rest)) => rest.is_empty() || !starts_utility(head),
        None => true,
    }
}
