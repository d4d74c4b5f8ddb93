//! Key names as in `KeyboardEvent.key`, and the characters that WebDriver writes for them.

/// A key with the modifiers that are held meanwhile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chord {
    pub(crate) modifiers: Vec<char>,
    pub(crate) key: char,
}

const NAMED: &[(&str, char)] = &[
    ("Backspace", '\u{E003}'),
    ("Tab", '\u{E004}'),
    ("Clear", '\u{E005}'),
    ("Enter", '\u{E007}'),
    ("Shift", '\u{E008}'),
    ("Control", '\u{E009}'),
    ("Alt", '\u{E00A}'),
    ("Pause", '\u{E00B}'),
    ("Escape", '\u{E00C}'),
    ("Space", ' '),
    ("Spacebar", ' '),
    ("PageUp", '\u{E00E}'),
    ("PageDown", '\u{E00F}'),
    ("End", '\u{E010}'),
    ("Home", '\u{E011}'),
    ("ArrowLeft", '\u{E012}'),
    ("ArrowUp", '\u{E013}'),
    ("ArrowRight", '\u{E014}'),
    ("ArrowDown", '\u{E015}'),
    ("Insert", '\u{E016}'),
    ("Delete", '\u{E017}'),
    ("F1", '\u{E031}'),
    ("F2", '\u{E032}'),
    ("F3", '\u{E033}'),
    ("F4", '\u{E034}'),
    ("F5", '\u{E035}'),
    ("F6", '\u{E036}'),
    ("F7", '\u{E037}'),
    ("F8", '\u{E038}'),
    ("F9", '\u{E039}'),
    ("F10", '\u{E03A}'),
    ("F11", '\u{E03B}'),
    ("F12", '\u{E03C}'),
    ("Meta", '\u{E03D}'),
];

/// The character of a key by its name; a single character is its own key.
fn code(name: &str) -> Option<char> {
    if let Some((_, code)) = NAMED.iter().find(|(known, _)| *known == name) {
        return Some(*code);
    }
    let mut chars = name.chars();
    match (chars.next(), chars.next()) {
        (Some(one), None) => Some(one),
        _ => None,
    }
}

/// Reads `Control+z`, `Enter`, `+`.
pub(crate) fn parse(text: &str) -> Option<Chord> {
    let mut parts: Vec<&str> = if text == "+" { vec!["+"] } else { text.split('+').collect() };
    if text.ends_with("++") {
        parts.truncate(parts.len() - 2);
        parts.push("+");
    }
    let key = code(parts.pop()?)?;
    let modifiers = parts.into_iter().map(|name| match name {
        "Shift" | "Control" | "Alt" | "Meta" => code(name),
        _ => None,
    });
    Some(Chord { modifiers: modifiers.collect::<Option<_>>()?, key })
}

/// `key`, `code` and Windows' number of a key that is likely to be held, as the DevTools protocol wants them.
pub(crate) fn physical(key: char) -> Option<(String, String, u32)> {
    let named = |name: &str, number: u32| Some((name.to_owned(), name.to_owned(), number));
    match key {
        ' ' => Some((" ".to_owned(), "Space".to_owned(), 32)),
        '\u{E007}' => named("Enter", 13),
        '\u{E012}' => named("ArrowLeft", 37),
        '\u{E013}' => named("ArrowUp", 38),
        '\u{E014}' => named("ArrowRight", 39),
        '\u{E015}' => named("ArrowDown", 40),
        'a'..='z' => {
            let upper = key.to_ascii_uppercase();
            Some((key.to_string(), format!("Key{upper}"), u32::from(upper)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_characters_and_chords() {
        assert_eq!(parse("ArrowLeft"), Some(Chord { modifiers: vec![], key: '\u{E012}' }));
        assert_eq!(parse("Control+z"), Some(Chord { modifiers: vec!['\u{E009}'], key: 'z' }));
        assert_eq!(parse("+"), Some(Chord { modifiers: vec![], key: '+' }));
        assert_eq!(parse("Control++"), Some(Chord { modifiers: vec!['\u{E009}'], key: '+' }));
        assert_eq!(parse(" "), Some(Chord { modifiers: vec![], key: ' ' }));
        assert_eq!(parse("NoSuchKey"), None);
        assert_eq!(parse("Hyper+z"), None);
        assert_eq!(parse(""), None);
    }
}
