//! Open tags: which attributes stay at which level, in which order and spelling.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use super::address::{bust, strip_local_origin};
use super::class_list::ClassList;
use super::clock;
use super::facts::{Attribute, Facts, Meaning, has_route};
use super::ids::{GeneratedIds, RENAMED, is_generated};
use super::page::{Page, flag};
use super::tag::Tag;
use super::text::{self, Place};
use super::token::RawAttribute;
use super::vocabulary;

use crate::options::reaches;
use crate::{Level, Options};

/// What the builder has to know about an open tag that was written.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct OpenTag {
    pub(super) flags: u8,
    /// See [`Node::kind`](super::page::Node::kind).
    pub(super) kind: u64,
    /// Bytes of the level-2 open tag.
    pub(super) skeleton: (u32, u32),
    /// The content is not part of the page: it was marked as changing by itself, or its value stands for it.
    pub(super) discard_content: bool,
    /// The same text gives the same tag wherever it stands on the page.
    pub(super) repeats: bool,
    /// But only within the same container, for which it may be named.
    pub(super) in_container: bool,
}

#[derive(Debug)]
pub(super) struct Attributes<'o, 'h> {
    options: &'o Options,
    list: Vec<Attribute<'h>>,
    classes: FxHashMap<&'h str, ClassList>,
    uncached: ClassList,
    pub(super) ids: GeneratedIds,
    scratch: String,
}

impl<'o, 'h> Attributes<'o, 'h> {
    pub(super) fn new(options: &'o Options) -> Self {
        Self {
            options,
            list: Vec::with_capacity(16),
            classes: FxHashMap::default(),
            uncached: ClassList::default(),
            ids: GeneratedIds::default(),
            scratch: String::new(),
        }
    }

    /// Writes the open tag of an element in all its forms. `container` is the level-2 open tag of the part that it is in,
    /// as bytes of [`Page::skeleton`], or nothing inside items.
    pub(super) fn write(
        &mut self,
        tag: Tag,
        name: u32,
        raw: &[RawAttribute<'h>],
        container: Option<(u32, u32)>,
        page: &mut Page,
    ) -> OpenTag {
        let mut open = OpenTag::default();
        let checked = match container {
            Some(_) => self.options.dynamic.checked,
            None => self.options.dynamic.checked_items,
        };
        self.collect(tag, raw, checked, &mut open);
        if self.list.len() > 1 {
            self.list.sort_by(|a, b| a.name.cmp(&b.name));
            self.list.dedup_by(|b, a| a.name == b.name);
        }
        open.repeats = !open.discard_content
            && self.list.iter().all(|a| matches!(a.meaning, Meaning::Plain | Meaning::Word | Meaning::Class));
        page.exact.push('<');
        page.exact.push_str(page.names.get(name));
        self.emit(Level::Exact, &mut page.exact, &mut open);
        page.exact.push('>');
        if open.flags & flag::CONTENT_TAG != 0 {
            let start = page.content.len();
            page.content.push('<');
            page.content.push_str(page.names.get(name));
            let mut content = std::mem::take(&mut page.content);
            self.emit(Level::Content, &mut content, &mut open);
            content.push('>');
            page.content = content;
            page.content_tags.insert(page.nodes.len() as u32, (start as u32, page.content.len() as u32));
        }
        self.skeleton(tag, name, container.unwrap_or_default(), page, &mut open);
        open
    }

    /// Reads the attributes into `self.list`, leaving out what no level keeps.
    fn collect(&mut self, tag: Tag, raw: &[RawAttribute<'h>], checked: Option<Level>, open: &mut OpenTag) {
        self.list.clear();
        let dynamic = self.options.dynamic;
        let is_field = tag == Tag::INPUT || tag == Tag::TEXTAREA || tag == Tag::SELECT;
        let mut live_value = None;
        let mut live_checked = None;
        for attribute in raw {
            let name = lower(attribute.name);
            let value = attribute.value;
            let meaning = match &*name {
                "class" => Meaning::Class,
                "id" => Meaning::Id,
                "for" | "aria-labelledby" | "aria-describedby" | "aria-controls" | "aria-owns" | "aria-details"
                | "aria-errormessage" | "aria-flowto" | "list" | "form" | "headers" | "popovertarget"
                | "commandfor" | "name" => Meaning::References,
                "href" | "src" | "action" | "formaction" | "srcset" | "poster" | "data" | "xlink:href" | "usemap"
                | "clip-path" | "mask" | "filter" | "fill" | "stroke" | "d" | "points" | "viewbox" | "transform" => {
                    Meaning::Link
                }
                "role" | "type" | "contenteditable" | "aria-label" | "aria-expanded" | "aria-modal"
                | "aria-invalid" => Meaning::Word,
                "style" => {
                    if hides(value) {
                        self.push(Cow::Borrowed("hidden"), "", Meaning::Presence);
                    }
                    continue;
                }
                "hidden" => {
                    let until_found = value.eq_ignore_ascii_case("until-found");
                    self.push(name, if until_found { "until-found" } else { "" }, Meaning::Presence);
                    continue;
                }
                "open" if tag == Tag::DIALOG || tag == Tag::DETAILS => {
                    self.push(name, "", Meaning::State(dynamic.open));
                    continue;
                }
                "value" if is_field => Meaning::State(self.value_reach(tag, raw)),
                "checked" if tag == Tag::INPUT => {
                    self.push(name, "", Meaning::State(checked));
                    continue;
                }
                "selected" if tag == Tag::OPTION => {
                    self.push(name, "", Meaning::State(dynamic.checked));
                    continue;
                }
                "shadowrootmode" if tag == Tag::TEMPLATE => {
                    apply_reach(dynamic.shadow_roots, open);
                    Meaning::Presence
                }
                special if special.starts_with("data-webeval-") => match &special[13..] {
                    "value" => {
                        live_value = Some(value);
                        continue;
                    }
                    "checked" | "selected" => {
                        live_checked = Some(!value.eq_ignore_ascii_case("false"));
                        continue;
                    }
                    "hidden" => {
                        self.push(Cow::Borrowed("hidden"), "", Meaning::Presence);
                        continue;
                    }
                    "canvas" => Meaning::State(dynamic.canvas),
                    "frame" => {
                        apply_reach(dynamic.frames, open);
                        Meaning::Presence
                    }
                    "volatile" => {
                        open.discard_content = true;
                        Meaning::Plain
                    }
                    _ => Meaning::Plain,
                },
                other if other.starts_with("on") && other.len() > 2 => continue,
                other if self.options.drops(other) => continue,
                _ => Meaning::Plain,
            };
            self.push(name, value, meaning);
        }
        if let Some(value) = live_value.filter(|_| is_field) {
            self.list.retain(|a| a.name != "value");
            self.push(Cow::Borrowed("value"), value, Meaning::State(self.value_reach(tag, raw)));
            open.discard_content |= tag == Tag::TEXTAREA;
        } else if tag == Tag::TEXTAREA && self.list.iter().any(|a| a.name == "value") {
            open.discard_content = true;
        }
        let live_name = match tag {
            Tag::OPTION => Some(("selected", dynamic.checked)),
            Tag::INPUT => Some(("checked", checked)),
            _ => None,
        };
        if let (Some(live), Some((name, reach))) = (live_checked, live_name) {
            self.list.retain(|a| a.name != name);
            if live {
                self.push(Cow::Borrowed(name), "", Meaning::State(reach));
            }
        }
        if self.list.iter().any(|a| a.name == "data-webeval-volatile") {
            // What changes by itself says nothing at any level but where it is.
            self.list.retain(|a| matches!(&*a.name, "id" | "role" | "data-webeval-volatile"));
        }
    }

    fn push(&mut self, name: Cow<'h, str>, value: &'h str, meaning: Meaning) {
        let value = if meaning != Meaning::Plain && text::is_special(value) {
            // What is looked into must be in its final spelling.
            let mut canonical = String::with_capacity(value.len());
            text::canonical(value, Place::Attribute, &mut canonical);
            Cow::Owned(canonical)
        } else {
            Cow::Borrowed(value)
        };
        self.list.push(Attribute { name, value, meaning });
    }

    /// How far the value of a field reaches: that of a button is its label, that of a checkbox its name.
    fn value_reach(&self, tag: Tag, raw: &[RawAttribute<'h>]) -> Option<Level> {
        let fixed = tag == Tag::INPUT
            && raw.iter().find(|a| a.name.eq_ignore_ascii_case("type")).is_some_and(|kind| {
                let mut value = String::new();
                text::canonical(kind.value, Place::Attribute, &mut value);
                ["button", "submit", "reset", "image", "hidden", "checkbox", "radio"]
                    .iter()
                    .any(|k| value.trim().eq_ignore_ascii_case(k))
            });
        if fixed { Some(Level::Content) } else { self.options.dynamic.values }
    }

    /// Appends the attributes that `level` keeps.
    fn emit(&mut self, level: Level, out: &mut String, open: &mut OpenTag) {
        let list = std::mem::take(&mut self.list);
        for attribute in &list {
            if let Meaning::State(reach) = attribute.meaning {
                if !reaches(reach, Level::Content) {
                    open.flags |= flag::CONTENT_TAG;
                }
                if !reaches(reach, level) {
                    continue;
                }
            }
            let mark = out.len();
            out.push(' ');
            out.push_str(&attribute.name);
            out.push_str("=\"");
            let start = out.len();
            match attribute.meaning {
                Meaning::Class => {
                    out.push_str(&self.classes(attribute).exact);
                    if out.len() == start {
                        out.truncate(mark);
                        continue;
                    }
                }
                Meaning::Id => self.reference(&attribute.value, level, out, open),
                Meaning::References => self.references(&attribute.value, level, out, open),
                Meaning::Link => self.link(&attribute.value, level, out, open),
                Meaning::Plain | Meaning::Word | Meaning::Presence | Meaning::State(_) => {
                    let contents = text::canonical(&attribute.value, Place::Attribute, out);
                    if is_stamp(&attribute.name, &out[start..]) {
                        out.truncate(start);
                        out.push_str(clock::PLACEHOLDER);
                    } else {
                        clock::replace_from(out, start, contents, &mut self.scratch);
                    }
                }
            }
            out.push('"');
        }
        self.list = list;
    }

    fn reference(&mut self, id: &str, level: Level, out: &mut String, open: &mut OpenTag) {
        if !is_generated(id) {
            text::canonical(id, Place::Attribute, out);
            return;
        }
        open.flags |= flag::CONTENT_TAG;
        out.push_str(RENAMED);
        // Numbers go by order of appearance, which level 1 does not look at.
        if level == Level::Exact {
            out.push('-');
            push_number(out, self.ids.number(id));
        }
    }

    fn references(&mut self, value: &str, level: Level, out: &mut String, open: &mut OpenTag) {
        if !value.contains([' ', '\n']) {
            return self.reference(value, level, out, open);
        }
        for (i, id) in value.split_ascii_whitespace().enumerate() {
            if i > 0 {
                out.push(' ');
            }
            self.reference(id, level, out, open);
        }
    }

    /// Links: references to generated ids, local origins, blob addresses and cache-busting parameters.
    fn link(&mut self, value: &str, level: Level, out: &mut String, open: &mut OpenTag) {
        if let Some(id) = value.strip_prefix('#') {
            out.push('#');
            return self.reference(id, level, out, open);
        }
        if let Some(id) = value.strip_prefix("url(#").and_then(|rest| rest.strip_suffix(')')) {
            out.push_str("url(#");
            self.reference(id, level, out, open);
            return out.push(')');
        }
        if value.starts_with("blob:") {
            return out.push_str("blob:");
        }
        let value = strip_local_origin(value);
        match bust(value) {
            Some((head, tail)) => {
                text::canonical(head, Place::Attribute, out);
                out.push_str(clock::PLACEHOLDER);
                text::canonical(tail, Place::Attribute, out);
            }
            None => {
                text::canonical(value, Place::Attribute, out);
            }
        }
    }

    fn classes(&mut self, attribute: &Attribute<'h>) -> &ClassList {
        match &attribute.value {
            Cow::Borrowed(value) => self.classes.entry(value).or_insert_with(|| ClassList::analyse(value)),
            Cow::Owned(value) => {
                self.uncached = ClassList::analyse(value);
                &self.uncached
            }
        }
    }

    /// Writes the level-2 open tag and works out what the element is to its siblings and to level 2.
    fn skeleton(&mut self, tag: Tag, name: u32, container: (u32, u32), page: &mut Page, open: &mut OpenTag) {
        let list = std::mem::take(&mut self.list);
        let mut kind = FxHasher::default();
        name.hash(&mut kind);
        let open_counts = reaches(self.options.dynamic.open, Level::Structure);
        let mut facts = Facts::of(tag, page.names.get(name), open_counts);
        let mut class = None;
        for attribute in &list {
            facts.read(tag, attribute);
            match attribute.meaning {
                Meaning::Class => class = Some(attribute),
                Meaning::Word if attribute.name == "role" => attribute.value.hash(&mut kind),
                _ => {}
            }
        }
        let none = ClassList::default();
        let classes = class.map_or(&none, |class| self.classes(class));
        if !tag.is_item() {
            classes.base.hash(&mut kind);
        }
        let holder = &page.skeleton[container.0 as usize..container.1 as usize];
        if !tag.is_field() && !tag.is_inline() && !classes.base.is_empty() {
            facts.item |= vocabulary::is_item_class(&classes.base);
            open.in_container = !facts.item;
            facts.item |= vocabulary::is_member(&classes.base, holder);
        }
        facts.gone |= classes.hides;
        facts.tells |= !classes.telling.is_empty();
        facts.route |= tag == Tag::A && classes.selected && has_route(&list);
        facts.tells |= facts.route;
        let tokens = if tag.is_item() && tag != Tag::ARTICLE {
            // What a row or list item is, its list says; its own classes are about its data.
            &classes.telling
        } else if facts.item {
            &classes.item
        } else if (tag.is_control() || tag == Tag::LABEL) && !facts.route {
            &classes.control
        } else {
            &classes.structure
        };
        facts.named |= !tokens.is_empty();
        let flags = facts.flags(tag);
        open.flags |= flags;
        open.kind = kind.finish();
        if flags & (flag::PART | flag::TELLS) == 0 {
            // Most elements are transparent at level 2.
            self.list = list;
            return;
        }
        let out = &mut page.skeleton;
        let start = out.len();
        out.push('<');
        out.push_str(page.names.get(name));
        if !tokens.is_empty() {
            out.push_str(" class=\"");
            out.push_str(tokens);
            out.push('"');
        }
        for attribute in &list {
            if facts.keeps(tag, attribute) {
                out.push(' ');
                out.push_str(&attribute.name);
                out.push_str("=\"");
                text::canonical(&attribute.value, Place::Attribute, out);
                out.push('"');
            }
        }
        out.push('>');
        open.skeleton = (start as u32, out.len() as u32);
        self.list = list;
    }
}

/// Notes from which level on the content of an element is left out.
fn apply_reach(reach: Option<Level>, open: &mut OpenTag) {
    match reach {
        None => open.discard_content = true,
        Some(Level::Exact) => open.flags |= flag::NOT_IN_CONTENT | flag::NOT_IN_STRUCTURE,
        Some(Level::Content) => open.flags |= flag::NOT_IN_STRUCTURE,
        Some(Level::Structure) => {}
    }
}

fn lower(name: &str) -> Cow<'_, str> {
    if name.bytes().any(|b| b.is_ascii_uppercase()) {
        Cow::Owned(name.to_ascii_lowercase())
    } else {
        Cow::Borrowed(name)
    }
}

fn push_number(out: &mut String, number: usize) {
    use std::fmt::Write;
    // Writing to a string cannot fail.
    let _ = write!(out, "{number}");
}

/// Whether an inline style takes the element out of sight.
fn hides(style: &str) -> bool {
    style.split(';').any(|declaration| {
        declaration.split_once(':').is_some_and(|(property, value)| {
            let value = value.trim().trim_end_matches("!important").trim_end();
            (property.trim().eq_ignore_ascii_case("display") && value.eq_ignore_ascii_case("none"))
                || (property.trim().eq_ignore_ascii_case("visibility") && value.eq_ignore_ascii_case("hidden"))
        })
    })
}

/// Whether an attribute that is named for a time holds nothing but a large number.
fn is_stamp(name: &str, value: &str) -> bool {
    (10..=16).contains(&value.len())
        && value.bytes().all(|b| b.is_ascii_digit())
        && ["time", "date", "stamp", "-ts", "-at"].iter().any(|part| name.contains(part))
}
