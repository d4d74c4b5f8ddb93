//! A class list: which of its tokens each level keeps.

use super::text::{self, Place};
use super::{classes, vocabulary};

/// A class list, analysed once a page.
#[derive(Debug, Clone, Default)]
pub(super) struct ClassList {
    pub(super) exact: String,
    /// What level 2 keeps of it: on parts in general, on controls, on items.
    pub(super) structure: String,
    pub(super) control: String,
    pub(super) item: String,
    /// The token that names what the element is, or nothing.
    pub(super) base: String,
    /// The tokens that say that something is open, edited or wrong.
    pub(super) telling: String,
    pub(super) hides: bool,
    /// It says that this one of several is chosen.
    pub(super) selected: bool,
}

/// A class token and what it is.
struct ClassToken<'t> {
    text: &'t str,
    names: bool,
    state: bool,
    tells: bool,
}

impl ClassList {
    pub(super) fn analyse(value: &str) -> Self {
        let styled = value.starts_with("sc-") || value.contains(" sc-");
        let mut tokens: Vec<&str> = value
            .split_ascii_whitespace()
            .filter(|t| !(styled && classes::is_styled_hash(t)))
            .filter_map(classes::stable)
            .collect();
        tokens.sort_unstable();
        tokens.dedup();
        let exact = joined(tokens.iter().copied());
        let all: Vec<ClassToken<'_>> = tokens
            .iter()
            .map(|&text| ClassToken {
                text,
                names: classes::names_part(text),
                state: vocabulary::is_state_class(text),
                tells: vocabulary::is_telling_class(text),
            })
            .collect();
        // Of several names the shortest is the base, the others its variants: `btn btn-primary`.
        let base = all
            .iter()
            .filter(|t| t.names && !t.state)
            .map(|t| t.text)
            .min_by_key(|t| (!vocabulary::is_item_class(t), t.len()))
            .unwrap_or("");
        let parts = || all.iter().filter(|t| t.names && !vocabulary::is_hiding_class(t.text));
        Self {
            structure: joined(parts().map(|t| t.text)),
            control: joined(parts().filter(|t| !t.state || t.tells).map(|t| t.text)),
            item: joined(parts().filter(|t| t.text == base || t.tells).map(|t| t.text)),
            base: base.to_owned(),
            telling: joined(parts().filter(|t| t.tells).map(|t| t.text)),
            hides: vocabulary::hides(&tokens),
            selected: parts().any(|t| t.state && vocabulary::is_selected_class(t.text)),
            exact,
        }
    }
}

fn joined<'t>(tokens: impl Iterator<Item = &'t str>) -> String {
    let mut joined = String::new();
    for token in tokens {
        if !joined.is_empty() {
            joined.push(' ');
        }
        text::canonical(token, Place::Attribute, &mut joined);
    }
    joined
}
