//! Which parts of an HTML document are code.

use super::scan::{Attribute, Bytes, HTML, Tag, tags};
use super::{Block, Part, Plan, Role};
use crate::Kind;
use crate::walk::Offsets;

/// Scripts and event handlers, and a script element with the preamble at the start of the head.
pub(super) fn plan(source: &str) -> Plan<'_> {
    let tags = tags(source, 0, HTML);
    let mut plan = Plan::default();
    for tag in tags.iter().filter(|tag| !tag.end) {
        for attribute in &tag.attributes {
            if let Some(block) = handler(source, attribute) {
                plan.blocks.push(block);
            }
        }
        if let Some(block) = script(source, tag) {
            plan.blocks.push(block);
        }
    }
    plan.blocks.sort_by_key(|block| block.place.start);
    let nonce = tags.iter().find(|tag| tag.name == "script" && tag.content.is_some());
    let nonce = nonce.and_then(|tag| tag.attribute(source, "nonce"));
    let nonce = nonce.filter(|nonce| !nonce.contains('"'));
    let open = nonce.map_or_else(|| "<script>".to_owned(), |nonce| format!("<script nonce=\"{nonce}\">"));
    plan.parts.push(Part {
        at: preamble_place(source, &tags),
        before: open,
        // The document then has the elements it had.
        after: ";document.currentScript.remove()</script>".to_owned(),
    });
    plan
}

/// After the head's start tag, so that the counters are there before any code of the page.
fn preamble_place(source: &str, tags: &[Tag]) -> usize {
    let start = |name: &str| tags.iter().find(|tag| !tag.end && tag.name == name);
    if let Some(tag) = start("head").or_else(|| start("html")) {
        return tag.whole.end;
    }
    after_doctype(source)
}

/// Past the document type, which only comments and white space may precede: without one the start of the document. Before
/// it, a script would put the page into quirks mode.
fn after_doctype(source: &str) -> usize {
    let start = if source.starts_with('\u{feff}') { 3 } else { 0 };
    let mut at = start;
    loop {
        let rest = source[at..].trim_ascii_start();
        at = source.len() - rest.len();
        let past = match rest.strip_prefix("<!--") {
            Some(comment) => comment.find("-->").map(|end| end + 7),
            None if rest.get(..9).is_some_and(|word| word.eq_ignore_ascii_case("<!doctype")) => {
                return rest.find('>').map_or(start, |end| at + end + 1);
            }
            None => None,
        };
        let Some(past) = past else { return start };
        at += past;
    }
}

fn script<'s>(source: &'s str, tag: &Tag) -> Option<Block<'s>> {
    let content = tag.content.clone().filter(|_| tag.name == "script")?;
    if tag.attribute(source, "src").is_some() || source[content.clone()].trim().is_empty() {
        return None;
    }
    let kind = script_kind(source, tag)?;
    Some(Block::script(source, content, kind))
}

/// How the browser, or Babel in the browser, runs a script of that type. `None` for data.
fn script_kind(source: &str, tag: &Tag) -> Option<Kind> {
    let r#type = tag.attribute(source, "type").map(|value| value.trim().to_ascii_lowercase());
    match r#type.as_deref() {
        None => match tag.attribute(source, "language") {
            None | Some("") => Some(Kind::Script),
            Some(language) => is_javascript(&format!("text/{}", language.to_ascii_lowercase())).then_some(Kind::Script),
        },
        Some("") => Some(Kind::Script),
        Some("module") => Some(Kind::Module),
        Some("text/babel" | "text/jsx") => {
            let typed = tag.attribute(source, "data-presets").is_some_and(|presets| presets.contains("typescript"));
            Some(if typed { Kind::Tsx } else { Kind::Jsx })
        }
        Some(other) => is_javascript(other).then_some(Kind::Script),
    }
}

/// The MIME types that HTML takes for JavaScript.
fn is_javascript(mime: &str) -> bool {
    matches!(
        mime,
        "application/ecmascript"
            | "application/javascript"
            | "application/x-ecmascript"
            | "application/x-javascript"
            | "text/ecmascript"
            | "text/javascript"
            | "text/javascript1.0"
            | "text/javascript1.1"
            | "text/javascript1.2"
            | "text/javascript1.3"
            | "text/javascript1.4"
            | "text/javascript1.5"
            | "text/jscript"
            | "text/livescript"
            | "text/x-ecmascript"
            | "text/x-javascript"
    )
}

/// Whether a name is that of an event with a handler attribute.
pub(super) fn is_event(name: &str) -> bool {
    EVENTS.binary_search(&name).is_ok()
}

fn handler<'s>(source: &'s str, attribute: &Attribute) -> Option<Block<'s>> {
    let name = source[attribute.name.clone()].to_ascii_lowercase();
    let event = name.strip_prefix("on")?;
    if !is_event(event) {
        return None;
    }
    let value = attribute.value.clone()?;
    if source[value.clone()].trim().is_empty() {
        return None;
    }
    let (text, offsets) = decode(source, value.clone())?;
    let role = Role::Handler { name, decl: attribute.name.clone(), quoted: attribute.quoted };
    Some(Block { text, kind: Kind::Script, offsets, place: value, role, preamble: false })
}

/// The value of an attribute with its character references replaced. `None` where one is not known.
fn decode(source: &str, value: Bytes) -> Option<(std::borrow::Cow<'_, str>, Offsets)> {
    let raw = &source[value.clone()];
    if !raw.contains('&') {
        return Some((raw.into(), Offsets::From(value.start as u32)));
    }
    let mut text = String::with_capacity(raw.len());
    let mut table = Vec::with_capacity(raw.len() + 1);
    let mut at = 0;
    while let Some(character) = raw[at..].chars().next() {
        let (decoded, length) =
            if character == '&' { reference(&raw[at..])? } else { (character, character.len_utf8()) };
        text.push(decoded);
        table.resize(text.len(), (value.start + at) as u32);
        at += length;
    }
    table.push(value.end as u32);
    Some((text.into(), Offsets::Table(table)))
}

/// The character that a reference stands for, and the reference's length.
fn reference(text: &str) -> Option<(char, usize)> {
    let body = &text[1..];
    if let Some(number) = body.strip_prefix('#') {
        let (digits, radix, skipped) = match number.strip_prefix(['x', 'X']) {
            Some(digits) => (digits, 16, 3),
            None => (number, 10, 2),
        };
        let length = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
        let code = u32::from_str_radix(&digits[..length], radix).ok()?;
        let semicolon = usize::from(digits[length..].starts_with(';'));
        return Some((char::from_u32(code)?, skipped + length + semicolon));
    }
    let length = body.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(body.len());
    let semicolon = usize::from(body[length..].starts_with(';'));
    let decoded = match (&body[..length], semicolon) {
        ("amp" | "AMP", 1) => '&',
        ("lt" | "LT", 1) => '<',
        ("gt" | "GT", 1) => '>',
        ("quot" | "QUOT", 1) => '"',
        ("apos", 1) => '\'',
        ("nbsp", 1) => '\u{a0}',
        // An ampersand that begins no reference stands for itself, as in `a && b`.
        ("", 0) => return Some(('&', 1)),
        _ => return None,
    };
    Some((decoded, 1 + length + semicolon))
}

/// Events that have a handler attribute, in order.
const EVENTS: &[&str] = &[
    "abort",
    "afterprint",
    "animationcancel",
    "animationend",
    "animationiteration",
    "animationstart",
    "auxclick",
    "beforecopy",
    "beforecut",
    "beforeinput",
    "beforematch",
    "beforepaste",
    "beforeprint",
    "beforetoggle",
    "beforeunload",
    "begin",
    "blur",
    "cancel",
    "canplay",
    "canplaythrough",
    "change",
    "click",
    "close",
    "contextlost",
    "contextmenu",
    "contextrestored",
    "copy",
    "cuechange",
    "cut",
    "dblclick",
    "drag",
    "dragend",
    "dragenter",
    "dragleave",
    "dragover",
    "dragstart",
    "drop",
    "durationchange",
    "emptied",
    "end",
    "ended",
    "error",
    "focus",
    "focusin",
    "focusout",
    "formdata",
    "fullscreenchange",
    "fullscreenerror",
    "gotpointercapture",
    "hashchange",
    "input",
    "invalid",
    "keydown",
    "keypress",
    "keyup",
    "languagechange",
    "load",
    "loadeddata",
    "loadedmetadata",
    "loadstart",
    "lostpointercapture",
    "message",
    "messageerror",
    "mousedown",
    "mouseenter",
    "mouseleave",
    "mousemove",
    "mouseout",
    "mouseover",
    "mouseup",
    "mousewheel",
    "offline",
    "online",
    "pagehide",
    "pagereveal",
    "pageshow",
    "pageswap",
    "paste",
    "pause",
    "play",
    "playing",
    "pointercancel",
    "pointerdown",
    "pointerenter",
    "pointerleave",
    "pointermove",
    "pointerout",
    "pointerover",
    "pointerrawupdate",
    "pointerup",
    "popstate",
    "progress",
    "ratechange",
    "rejectionhandled",
    "repeat",
    "reset",
    "resize",
    "scroll",
    "scrollend",
    "search",
    "securitypolicyviolation",
    "seeked",
    "seeking",
    "select",
    "selectionchange",
    "selectstart",
    "slotchange",
    "stalled",
    "storage",
    "submit",
    "suspend",
    "timeupdate",
    "toggle",
    "touchcancel",
    "touchend",
    "touchmove",
    "touchstart",
    "transitioncancel",
    "transitionend",
    "transitionrun",
    "transitionstart",
    "unhandledrejection",
    "unload",
    "volumechange",
    "waiting",
    "webkitanimationend",
    "webkitanimationiteration",
    "webkitanimationstart",
    "webkittransitionend",
    "wheel",
];

#[cfg(test)]
mod tests {
    #[test]
    fn events_are_in_order_so_that_they_can_be_searched() {
        assert!(super::EVENTS.is_sorted());
    }
}
