//! What an element is to level 2, by its tag and its attributes.

use std::borrow::Cow;

use super::page::flag;
use super::tag::Tag;
use super::vocabulary;
use crate::Level;
use crate::options::reaches;

/// One attribute on its way into the normal form.
#[derive(Debug)]
pub(super) struct Attribute<'h> {
    pub(super) name: Cow<'h, str>,
    pub(super) value: Cow<'h, str>,
    pub(super) meaning: Meaning,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    Plain,
    /// Looked at for what the element is.
    Word,
    /// Says whether the element, or what is in it, is there at all.
    Presence,
    Class,
    Id,
    /// Ids separated by spaces.
    References,
    Link,
    /// The value of a field, or whether it is checked: how far it reaches.
    State(Option<Level>),
}

/// What an element is to level 2.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facts {
    pub(super) part: bool,
    pub(super) gone: bool,
    pub(super) item: bool,
    pub(super) named: bool,
    pub(super) tells: bool,
    /// The chosen one of the views of the application, by its link.
    pub(super) route: bool,
}

impl Facts {
    pub(super) fn of(tag: Tag, name: &str, open_counts: bool) -> Self {
        // Custom elements are parts by their names.
        let custom = tag == Tag::OTHER && name.contains('-');
        Self {
            part: tag.is_part() || custom,
            gone: tag.is_gone() || (tag == Tag::DIALOG && open_counts),
            item: tag.is_item() || (custom && vocabulary::is_item_class(name)),
            named: custom,
            tells: tag.is_field(),
            route: false,
        }
    }

    pub(super) fn read(&mut self, tag: Tag, attribute: &Attribute<'_>) {
        if matches!(attribute.meaning, Meaning::Plain | Meaning::Class | Meaning::Link) {
            return;
        }
        let value = &*attribute.value;
        match &*attribute.name {
            "role" => {
                self.item |= vocabulary::is_item_role(value) && !tag.is_field();
                self.named |= !vocabulary::is_silent_role(value);
                self.tells |= vocabulary::is_telling_role(value);
                self.part |= self.named;
            }
            "id" => self.named |= vocabulary::is_stable_name(value) && takes_id(tag),
            "aria-label" => self.gone |= vocabulary::is_paging_label(value),
            "hidden" => self.gone |= value.is_empty(),
            "type" => self.gone |= tag == Tag::INPUT && value.eq_ignore_ascii_case("hidden"),
            "contenteditable" => {
                self.tells |= !value.eq_ignore_ascii_case("false");
                self.part |= self.tells;
            }
            "aria-expanded" | "aria-modal" | "aria-invalid" => self.tells |= value == "true",
            "open" if is_structural(attribute) => {
                self.gone = false;
                self.tells = true;
            }
            "shadowrootmode" | "data-webeval-frame" => {
                self.gone = false;
                self.part = true;
            }
            "value" | "checked" | "selected" | "data-webeval-canvas" => {
                self.tells |= is_structural(attribute);
                self.part |= is_structural(attribute);
            }
            _ => {}
        }
    }

    /// Whether the level-2 open tag has this attribute.
    pub(super) fn keeps(self, tag: Tag, attribute: &Attribute<'_>) -> bool {
        let silent = match attribute.meaning {
            Meaning::Plain | Meaning::Class => true,
            Meaning::Link => !self.route,
            _ => false,
        };
        if silent {
            return false;
        }
        let value = &*attribute.value;
        match &*attribute.name {
            "role" => !vocabulary::is_silent_role(value),
            "id" => !self.item && takes_id(tag) && vocabulary::is_stable_name(value),
            "name" => tag.is_control() && vocabulary::is_stable_name(value),
            "type" => tag == Tag::INPUT || tag == Tag::BUTTON,
            "contenteditable" => !value.eq_ignore_ascii_case("false"),
            "aria-modal" | "aria-invalid" | "aria-expanded" => value == "true",
            "href" => self.route,
            "shadowrootmode" | "data-webeval-frame" => true,
            "open" | "value" | "checked" | "selected" | "data-webeval-canvas" => is_structural(attribute),
            _ => false,
        }
    }

    pub(super) fn flags(self, tag: Tag) -> u8 {
        if self.gone {
            return flag::GONE;
        }
        let part = self.part || self.item || (self.named && !tag.is_inline() && !tag.is_cell());
        let mut flags = 0;
        for (holds, flag) in
            [(self.named, flag::NAMED), (self.item, flag::ITEM), (part, flag::PART), (self.tells, flag::TELLS)]
        {
            if holds {
                flags |= flag;
            }
        }
        flags
    }
}

/// Whether a link leads to a view that was named in the code: `#/active`. What is addressed by data is longer.
pub(super) fn has_route(list: &[Attribute<'_>]) -> bool {
    list.iter().filter(|a| a.name == "href").any(|a| {
        a.value.strip_prefix("#/").is_some_and(|view| view.len() <= 20 && view.bytes().all(|b| b.is_ascii_alphabetic()))
    })
}

/// Whether this is state of a field that level 2 was asked to look at.
fn is_structural(attribute: &Attribute<'_>) -> bool {
    matches!(attribute.meaning, Meaning::State(reach) if reaches(reach, Level::Structure))
}

/// Whether ids of such elements name a place in the page rather than a piece of its data.
fn takes_id(tag: Tag) -> bool {
    !tag.is_item() && !tag.is_prose() && !tag.is_inline() && !matches!(tag, Tag::A | Tag::H1)
}
