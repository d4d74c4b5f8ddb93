//! The built-in advisor: uncovered code into hints, without a model.

use std::collections::BTreeSet;

use webeval_instrument::coverage::{FileCoverage, Position, Range};

use crate::Error;
use crate::tester::{Advisor, Plight, Waiting};

/// Most suggestions of one hint.
const MOST: usize = 8;

/// Reads, around the code that has not run, what would make it run: the event that a handler waits for and the element
/// it listens on, the key that a handler asks for, the name of a function that nothing has called.
///
/// A suggestion is a sentence; what it names stands between backquotes.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct BuiltInAdvisor;

impl Advisor for BuiltInAdvisor {
    fn name(&self) -> String {
        "built-in".to_owned()
    }

    fn advise<'a>(&'a self, plight: Plight<'a>) -> Waiting<'a, Result<Option<String>, Error>> {
        let mut suggestions = Vec::new();
        for file in plight.coverage.files() {
            let source = plight.sources.read(&file.path);
            suggest(file, source.as_deref(), &mut suggestions);
        }
        // Those that say how to get there first, then the larger.
        suggestions.sort_by_key(|one: &Suggestion| (one.rank, std::cmp::Reverse(one.lines)));
        let mut seen = BTreeSet::new();
        let lines: Vec<String> =
            suggestions.into_iter().map(|one| one.text).filter(|text| seen.insert(text.clone())).take(MOST).collect();
        Box::pin(async move { Ok((!lines.is_empty()).then(|| lines.join("\n"))) })
    }
}

struct Suggestion {
    rank: u8,
    lines: u32,
    text: String,
}

fn suggest(file: &FileCoverage, source: Option<&str>, list: &mut Vec<Suggestion>) {
    let lines: Vec<&str> = source.map(|source| source.lines().collect()).unwrap_or_default();
    if file.f.iter().any(|(_, hits)| *hits == 0) {
        let known = named_codes(source.unwrap_or_default());
        if !known.is_empty() {
            let keys: Vec<String> = known.iter().map(|key| format!("`{key}`")).collect();
            let text = format!("The code knows the keys {} ({}).", keys.join(", "), file.path);
            list.push(Suggestion { rank: 1, lines: 0, text });
        }
    }
    for (id, hits) in file.f.iter() {
        let Some(function) = file.fn_map.get(id).filter(|_| *hits == 0) else { continue };
        let place = format!("{}:{}", file.path, function.loc.start.line);
        let length = function.loc.end.line.saturating_sub(function.loc.start.line);
        let before = text_before(&lines, function.decl.start);
        let (rank, text) = match handler(&before) {
            Some((event, Some(element))) => {
                (0, format!("The handler for `{event}` on `{element}` has never run ({place})."))
            }
            Some((event, None)) => (0, format!("The handler for `{event}` has never run ({place}).")),
            None if function.name.starts_with("(anonymous") => continue,
            None => (2, format!("The function `{}` has never run ({place}).", function.name)),
        };
        list.push(Suggestion { rank, lines: length, text });
    }
    for (id, arms) in file.b.iter() {
        let Some(branch) = file.branch_map.get(id) else { continue };
        // A branch of a function that never ran is that function's matter.
        if arms.iter().all(|hits| *hits == 0) {
            continue;
        }
        for (arm, hits) in branch.locations.iter().zip(arms) {
            let Some(range) = arm.0.filter(|_| *hits == 0) else { continue };
            for key in keys(&around(&lines, range)) {
                let text = format!("The code for the key `{key}` has never run ({}:{}).", file.path, range.start.line);
                list.push(Suggestion { rank: 1, lines: 1, text });
            }
        }
    }
}

/// The source that stands before a place: its line up to there, and the line above.
fn text_before(lines: &[&str], place: Position) -> String {
    let index = usize::try_from(place.line).unwrap_or(usize::MAX).saturating_sub(1);
    let above = index.checked_sub(1).and_then(|above| lines.get(above)).copied().unwrap_or_default();
    let line = lines.get(index).copied().unwrap_or_default();
    let column = usize::try_from(place.column).unwrap_or(usize::MAX);
    if line.len() > LONG {
        // Minified: what stands before is a piece of the line, which is of ASCII but for a few texts.
        let end = boundary(line, column);
        return line[boundary(line, end.saturating_sub(LONG / 4))..end].to_owned();
    }
    let own: String = line.chars().take(column).collect();
    format!("{above}\n{own}")
}

/// Bytes of a line from which on it is not one that somebody has written.
const LONG: usize = 2000;

/// The last place at or before a byte where a character begins.
fn boundary(line: &str, at: usize) -> usize {
    let at = at.min(line.len());
    (0..=at).rev().find(|&at| line.is_char_boundary(at)).unwrap_or_default()
}

/// The line that an arm begins on, and the one above, where its condition often stands. Nothing of the long lines of
/// compiled code, where a quoted letter is rarely a key.
fn around(lines: &[&str], range: Range) -> String {
    let start = usize::try_from(range.start.line).unwrap_or(usize::MAX).saturating_sub(1);
    let from = start.saturating_sub(1);
    let near = lines.get(from..(start + 1).min(lines.len())).unwrap_or_default();
    if near.iter().map(|line| line.len() + 1).sum::<usize>() > 400 { String::new() } else { near.join("\n") }
}

/// Event and element of the handler that begins after `before`.
fn handler(before: &str) -> Option<(String, Option<String>)> {
    let (at, event) = match before.rfind("addEventListener(") {
        Some(at) => (at, quoted(&before[at..])?),
        None => match before.rfind(".on(") {
            Some(at) => (at, quoted(&before[at..])?),
            None => {
                let line = before.lines().last()?.trim_end();
                let line =
                    line.trim_end_matches(['(', ')', ' ', '=']).trim_end_matches("async").trim_end_matches([' ', '=']);
                let at = line.rfind(".on")?;
                let event = &line[at + 3..];
                let plain = !event.is_empty() && event.chars().all(|c| c.is_ascii_lowercase());
                let offset = before.len() - before.lines().last()?.len();
                plain.then(|| (offset + at, event.to_owned()))?
            }
        },
    };
    // Of `a.b("#x").addEventListener(` the last quoted text or the last word names the element.
    let receiver = before[..at].trim_end_matches(['.', '?', ' ', '\n']);
    let receiver = receiver.lines().last().unwrap_or_default().trim();
    let element = match receiver.ends_with(')') {
        true => receiver.rfind('(').and_then(|open| quoted(&receiver[open..])),
        false => receiver.rsplit(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).next().map(str::to_owned),
    };
    Some((event, element.filter(|element| !element.is_empty())))
}

/// The first quoted text.
fn quoted(text: &str) -> Option<String> {
    let start = text.find(['"', '\'', '`'])?;
    let quote = text[start..].chars().next()?;
    let rest = &text[start + 1..];
    rest.find(quote).map(|end| rest[..end].to_owned()).filter(|found| !found.is_empty() && found.len() < 60)
}

/// Keys that a condition asks for: `e.key === "Delete"`, `case "ArrowUp":`, `e.code == 'KeyP'`.
fn keys(text: &str) -> Vec<String> {
    let speaks = [".key", ".code", "key ", "case ", "keys["].iter().any(|word| text.contains(word));
    if !speaks {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(['"', '\'']) {
        let quote = rest[start..].chars().next().unwrap_or('"');
        let tail = &rest[start + 1..];
        let Some(end) = tail.find(quote) else { break };
        if let Some(key) = key_name(&tail[..end]) {
            found.push(key);
        }
        rest = &tail[end + 1..];
    }
    found
}

/// Keys that a file names by their codes (`KeyH: "jump"`, `["ShiftLeft", …]`), which nothing but input is named after.
fn named_codes(source: &str) -> BTreeSet<String> {
    let words = source.split(|c: char| !c.is_ascii_alphanumeric());
    let coded = words.filter(|word| {
        let letter =
            word.strip_prefix("Key").is_some_and(|rest| rest.len() == 1 && rest.as_bytes()[0].is_ascii_uppercase());
        let digit = word.strip_prefix("Digit").is_some_and(|rest| rest.len() == 1);
        letter || digit || matches!(*word, "ShiftLeft" | "ShiftRight" | "ControlLeft" | "ControlRight" | "AltLeft")
    });
    coded.filter_map(key_name).take(16).collect()
}

/// The name in `KeyboardEvent.key` of a key or a code.
pub(crate) fn key_name(text: &str) -> Option<String> {
    const NAMED: &[&str] = &[
        "Enter",
        "Escape",
        "Tab",
        "Backspace",
        "Delete",
        "Home",
        "End",
        "PageUp",
        "PageDown",
        "Insert",
        "ArrowLeft",
        "ArrowRight",
        "ArrowUp",
        "ArrowDown",
        "F1",
        "F2",
        "F3",
        "F4",
        "F6",
        "F7",
        "F8",
        "F9",
        "F10",
        "Shift",
        "Control",
        "Alt",
    ];
    if NAMED.contains(&text) {
        return Some(text.to_owned());
    }
    match text {
        "Space" | " " | "Spacebar" => return Some(" ".to_owned()),
        "ShiftLeft" | "ShiftRight" => return Some("Shift".to_owned()),
        "ControlLeft" | "ControlRight" => return Some("Control".to_owned()),
        "AltLeft" | "AltRight" => return Some("Alt".to_owned()),
        _ => {}
    }
    if let Some(letter) = text.strip_prefix("Key").or_else(|| text.strip_prefix("Digit")) {
        return (letter.len() == 1).then(|| letter.to_lowercase());
    }
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(one), None) if one.is_ascii_graphic() => Some(one.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use webeval_instrument::coverage::CoverageMap;

    #[test]
    fn a_handler_is_known_by_what_stands_before_it() {
        let cases = [
            ("document.addEventListener(\"keydown\", ", Some(("keydown", Some("document")))),
            ("$(\"#list\").on('dblclick', ", Some(("dblclick", Some("#list")))),
            ("document.getElementById('go').addEventListener('click', ", Some(("click", Some("go")))),
            ("  box.onmousedown = ", Some(("mousedown", Some("box")))),
            ("button.onclick = async ", Some(("click", Some("button")))),
            ("const add = ", None),
            ("list.map(", None),
        ];
        for (before, wanted) in cases {
            let wanted =
                wanted.map(|(event, element): (&str, Option<&str>)| (event.to_owned(), element.map(str::to_owned)));
            assert_eq!(handler(before), wanted, "{before}");
        }
    }

    #[test]
    fn keys_are_read_from_conditions_only() {
        assert_eq!(keys("if (e.key === \"Delete\") {"), ["Delete"]);
        assert_eq!(keys("case 'KeyP': case 'Space':"), ["p", " "]);
        assert_eq!(keys("say(\"Enter\")"), Vec::<String>::new());
    }

    #[test]
    fn keys_are_known_by_their_codes() {
        let source =
            "const keys = { KeyH: 'jump', ShiftLeft: 'run', Space: 'fire' }; if (held.has(\"Digit1\")) KeyName();";
        assert_eq!(named_codes(source).into_iter().collect::<Vec<_>>(), ["1", "Shift", "h"]);
    }

    #[tokio::test]
    async fn what_never_ran_becomes_a_hint() {
        let source = "function start() {}\nstart();\ndocument.addEventListener('keydown', (e) => {\n  if (e.key === 'Delete') {\n    drop();\n  }\n});\nfunction drop() { gone = 1; }\n";
        let mut done =
            webeval_instrument::instrument(source, "app.js", &webeval_instrument::Options::default()).unwrap();
        // As after loading the page: start has run, the rest has not.
        *done.coverage.f.get_mut(0).unwrap() = 1;
        let coverage: CoverageMap = [done.coverage].into_iter().collect();
        let sources = crate::Sources::texts(BTreeMap::from([("app.js".to_owned(), source.to_owned())]));
        let page = webeval_browser::Observation::default();
        let plight = Plight { coverage: &coverage, sources: &sources, page: &page };
        let hint = BuiltInAdvisor.advise(plight).await.unwrap().unwrap();
        assert_eq!(
            hint,
            "The handler for `keydown` on `document` has never run (app.js:3).\nThe function `drop` has never run (app.js:8)."
        );
    }
}
