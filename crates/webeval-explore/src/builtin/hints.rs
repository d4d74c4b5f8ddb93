//! What an advisor's hint means for the choice of actions.

use std::collections::{BTreeMap, BTreeSet};

use webeval_evidence::{Action, ActionKind, Hint};

use super::candidates::Candidate;
use crate::advisor::key_name;

/// Words of function names that say nothing about what a user has to do.
const EMPTY: &[&str] = &[
    "handle", "handler", "update", "render", "function", "element", "event", "value", "data", "item", "items", "list",
    "init", "with", "from", "this", "check", "callback", "document", "window", "body", "html", "click", "change",
];

/// What is still to be followed of the hints so far. Each thing named is followed a few times, then it has had its turn.
#[derive(Debug, Default)]
pub(crate) struct Advice {
    keys: BTreeSet<String>,
    /// How often each key was pressed.
    pressed: BTreeMap<String, u32>,
    events: BTreeMap<String, u32>,
    words: BTreeMap<String, u32>,
}

/// How often a word or an event moves the choice.
const TURNS: u32 = 3;

impl Advice {
    /// Takes in hints: what stands between backquotes is a key, an event, an element or a name.
    pub(crate) fn hear(&mut self, hints: &[Hint]) {
        for hint in hints {
            for sentence in hint.text.lines() {
                // A list of keys that the code knows tells less than one key whose code has not run.
                let known = sentence.contains("keys `");
                let keyed = known || sentence.contains("key `") || sentence.contains("press `");
                let enough = if known { 1 } else { TURNS };
                for token in sentence.split('`').skip(1).step_by(2) {
                    match key_name(token).filter(|_| keyed) {
                        Some(key) if self.pressed.get(&key).is_none_or(|times| *times < enough) => {
                            self.keys.insert(key);
                        }
                        Some(_) => {}
                        None => self.hear_name(token),
                    }
                }
            }
        }
    }

    fn hear_name(&mut self, token: &str) {
        if let Some(what) = action_of(token) {
            self.events.entry(what.to_owned()).or_default();
        }
        for word in words(token) {
            self.words.entry(word).or_default();
        }
    }

    /// Keys that were named and have not been pressed since.
    pub(crate) fn keys(&self) -> impl Iterator<Item = Candidate> + '_ {
        self.keys.iter().map(|key| Candidate {
            id: format!("press {key}"),
            family: "press".to_owned(),
            prior: 1.2,
            fade: 1.0,
            action: Action { kind: ActionKind::Key { key: key.clone(), hold_ms: 0 }, target: None },
            then: Vec::new(),
            reason: "a hint names the key".to_owned(),
        })
    }

    /// How much more an action promises because of the hints.
    pub(crate) fn favour(&self, candidate: &Candidate) -> f64 {
        let event = self.events.iter().any(|(what, turns)| *turns < TURNS && candidate.id.starts_with(what.as_str()));
        let id = candidate.id.to_lowercase();
        let word = self.words.iter().any(|(word, turns)| *turns < TURNS && id.contains(word.as_str()));
        match (event, word) {
            (true, true) => 2.5,
            (true, false) | (false, true) => 1.6,
            (false, false) => 1.0,
        }
    }

    /// An action was chosen: what it follows has had a turn.
    pub(crate) fn follow(&mut self, candidate: &Candidate) {
        if let ActionKind::Key { key, .. } = &candidate.action.kind {
            self.keys.remove(key);
            *self.pressed.entry(key.clone()).or_default() += 1;
        }
        let id = candidate.id.to_lowercase();
        for (what, turns) in &mut self.events {
            *turns += u32::from(candidate.id.starts_with(what.as_str()));
        }
        for (word, turns) in &mut self.words {
            *turns += u32::from(id.contains(word.as_str()));
        }
    }
}

/// What the candidates for an event are called.
fn action_of(event: &str) -> Option<&'static str> {
    Some(match event {
        "dblclick" => "double click",
        "contextmenu" => "right click",
        "mouseenter" | "mouseover" | "mousemove" | "mouseleave" | "mouseout" | "pointermove" | "pointerenter" => {
            "hover"
        }
        "keydown" | "keyup" | "keypress" => "press",
        "scroll" => "scroll",
        "wheel" => "wheel",
        "resize" => "resize",
        "dragstart" | "drop" | "dragover" | "dragend" | "mousedown" | "mouseup" | "pointerdown" | "pointerup" => "drag",
        "touchstart" | "touchend" | "touchmove" => "touch",
        "popstate" | "hashchange" => "back",
        "submit" => "fill",
        "input" => "type",
        "blur" | "visibilitychange" => "look away",
        _ => return None,
    })
}

/// The telling words of `restoreItem`, `#clear-all`, `save_as`.
fn words(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    for c in name.chars() {
        if c.is_uppercase() || !c.is_alphanumeric() {
            parts.push(String::new());
        }
        if let (true, Some(last)) = (c.is_alphabetic(), parts.last_mut()) {
            last.extend(c.to_lowercase());
        }
    }
    parts.retain(|part| part.len() >= 4 && !EMPTY.contains(&part.as_str()));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_name_keys_events_and_controls() {
        let text = "The code for the key `Delete` has never run (a.js:3).\nThe handler for `dblclick` on `#list` has never run.\nThe function `restoreItem` has never run.";
        let mut advice = Advice::default();
        advice.hear(&[Hint { after: 1, advisor: "built-in".into(), text: text.into() }]);
        assert_eq!(advice.keys().map(|key| key.id).collect::<Vec<_>>(), ["press Delete"]);
        let candidate = |id: &str| Candidate {
            id: id.into(),
            family: String::new(),
            prior: 1.0,
            fade: 1.0,
            action: Action { kind: ActionKind::Reload, target: None },
            then: Vec::new(),
            reason: String::new(),
        };
        assert!(advice.favour(&candidate("double click label x")) > 1.5);
        let restore = candidate("click button Restore #r");
        assert!(advice.favour(&restore) > 1.5);
        assert!((advice.favour(&candidate("click button Other")) - 1.0).abs() < 1e-9);
        for _ in 0..TURNS {
            advice.follow(&restore);
        }
        assert!((advice.favour(&restore) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn keys_that_were_pressed_are_not_pressed_for_a_mere_list() {
        let hint = |text: &str| [Hint { after: 1, advisor: "built-in".into(), text: text.into() }];
        let mut advice = Advice::default();
        advice.hear(&hint("The code knows the keys `b`, `Shift`."));
        let keys: Vec<Candidate> = advice.keys().collect();
        assert_eq!(keys.iter().map(|key| key.id.as_str()).collect::<Vec<_>>(), ["press Shift", "press b"]);
        advice.follow(&keys[1]);
        advice.hear(&hint("The code knows the keys `b`, `Shift`, `x`."));
        assert_eq!(advice.keys().map(|key| key.id).collect::<Vec<_>>(), ["press Shift", "press x"]);
        advice.hear(&hint("The code for the key `b` has never run."));
        assert_eq!(advice.keys().count(), 3);
    }

    #[test]
    fn names_fall_into_words() {
        assert_eq!(words("restoreItemFromTrash"), ["restore", "trash"]);
        assert_eq!(words("#clear-all"), ["clear"]);
    }
}
