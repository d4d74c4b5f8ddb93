//! The page as an arena in document order, its exact normal form built on the way.

use rustc_hash::FxHashMap;

use super::attributes::{Attributes, OpenTag};
use super::clock;
use super::tag::Tag;
use super::text::{self, Place};
use super::token::{Token, Tokenizer};
use crate::Options;

/// One element or text. Children follow their parent directly; `next` skips a whole subtree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    /// Bytes of the open tag or text in the exact form.
    pub(super) start: u32,
    pub(super) open_end: u32,
    /// End of the whole element, its end tag included, in the exact form.
    pub(super) end: u32,
    /// Index after the last descendant.
    pub(super) next: u32,
    /// The open tag at level 2, in [`Page::skeleton`].
    pub(super) skeleton: (u32, u32),
    /// What makes siblings repetitions of one thing: equal for the items of a list. Comparable within a page.
    pub(super) kind: u64,
    pub(super) name: u32,
    pub(super) tag: Tag,
    pub(super) flags: u8,
}

/// Flags of [`Node::flags`].
pub(super) mod flag {
    /// The open tag at level 1 differs from the exact one.
    pub(in crate::normal) const CONTENT_TAG: u8 = 1;
    /// Not part of level 1.
    pub(in crate::normal) const NOT_IN_CONTENT: u8 = 2;
    /// Not part of level 2.
    pub(in crate::normal) const NOT_IN_STRUCTURE: u8 = 4;
    /// Its level-2 open tag has a class, an id or a role.
    pub(in crate::normal) const NAMED: u8 = 8;
    /// One of many by its name, role or class.
    pub(in crate::normal) const ITEM: u8 = 16;
    /// A part of the page at level 2; what is no part is transparent.
    pub(in crate::normal) const PART: u8 = 32;
    /// Not to be seen: neither the element nor anything in it is part of level 2.
    pub(in crate::normal) const GONE: u8 = 64;
    /// Told of the item that it is in: it takes input or is open.
    pub(in crate::normal) const TELLS: u8 = 128;
}

/// A parsed page.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(super) nodes: Vec<Node>,
    /// The exact normal form.
    pub(super) exact: String,
    /// Level-2 open tags, one after another.
    pub(super) skeleton: String,
    /// Level-1 open tags that differ from the exact ones, one after another.
    pub(super) content: String,
    /// Where in [`Page::content`] the open tag of a node is.
    pub(super) content_tags: FxHashMap<u32, (u32, u32)>,
    pub(super) names: Names,
}

/// Element names by number; known elements keep the number of their [`Tag`].
#[derive(Debug, Default)]
pub(super) struct Names {
    numbers: FxHashMap<Box<str>, u32>,
    others: Vec<Box<str>>,
    lower: String,
}

impl Names {
    /// The name with this number, in lower case.
    pub(super) fn get(&self, number: u32) -> &str {
        let number = number as usize;
        match number.checked_sub(Tag::count()) {
            Some(other) => self.others.get(other).map_or("", |name| name),
            None => Tag::name(number),
        }
    }

    /// The number and tag of `name`, in any case.
    fn intern(&mut self, name: &str) -> (u32, Tag) {
        let tag = Tag::of(name.as_bytes());
        if tag != Tag::OTHER {
            return (tag.index() as u32, tag);
        }
        let name = if name.bytes().any(|b| b.is_ascii_uppercase()) {
            self.lower.clear();
            self.lower.extend(name.chars().map(|c| c.to_ascii_lowercase()));
            self.lower.as_str()
        } else {
            name
        };
        if let Some(&number) = self.numbers.get(name) {
            return (number, tag);
        }
        let number = (Tag::count() + self.others.len()) as u32;
        self.others.push(name.into());
        self.numbers.insert(name.into(), number);
        (number, tag)
    }
}

/// Builds a [`Page`] from its bytes.
struct Builder<'o, 'h> {
    page: Page,
    attributes: Attributes<'o, 'h>,
    repeated: FxHashMap<&'h str, Repeated>,
    open: Vec<u32>,
    /// Those of them that are parts at level 2, and how many are items.
    parts: Vec<u32>,
    items: u32,
    /// How many elements of each name are open, so that a stray end tag costs nothing.
    open_counts: Vec<u32>,
    /// Text not yet written: comments and removed elements do not end it.
    pending: Pending<'h>,
    scratch: String,
    preformatted: u32,
    foreign: u32,
    /// Open elements whose content is dropped when they end, with what has to be undone then.
    discarding: Vec<Discard>,
}

/// A start tag that was met before.
#[derive(Clone, Copy)]
struct Repeated {
    number: u32,
    tag: Tag,
    open: OpenTag,
    /// Where it was written in [`Page::exact`].
    exact: (u32, u32),
    container: (u32, u32),
}

/// How many different start tags are remembered.
const MAX_REPEATED: usize = 4096;

/// The container inside items.
const NO_CONTAINER: (u32, u32) = (u32::MAX, u32::MAX);

/// An element that is open and will lose its content when it ends.
struct Discard {
    node: u32,
    /// How many generated ids had been met before its content, and what had been written.
    ids: usize,
    content: usize,
    skeleton: usize,
}

enum Pending<'h> {
    None,
    One(&'h str),
    Many(String),
}

pub(crate) fn parse(html: &str, options: &Options) -> Page {
    let mut page = Page::default();
    page.exact.reserve(html.len());
    page.nodes.reserve(html.len() / 32);
    let mut builder = Builder {
        page,
        attributes: Attributes::new(options),
        repeated: FxHashMap::default(),
        open: Vec::with_capacity(64),
        parts: Vec::with_capacity(64),
        items: 0,
        open_counts: vec![0; Tag::count()],
        pending: Pending::None,
        scratch: String::new(),
        preformatted: 0,
        foreign: 0,
        discarding: Vec::new(),
    };
    builder.run(html);
    builder.page
}

impl<'h> Builder<'_, 'h> {
    fn run(&mut self, html: &'h str) {
        let mut tokens = Tokenizer::new(html);
        loop {
            let tag_text = tokens.start_tag_text();
            if let Some(tag_text) = tag_text
                && self.repeat(tag_text)
            {
                tokens.skip(tag_text);
                continue;
            }
            let start = tokens.position();
            match tokens.next() {
                None => break,
                Some(Token::Text(text)) => self.text(text),
                Some(Token::Start { name, self_closing }) => {
                    // A tag may go on after a `>` in quotes.
                    let whole = tag_text.filter(|text| tokens.position() == start + text.len());
                    self.start(name, self_closing, whole, &mut tokens);
                }
                Some(Token::End { name }) => self.end(name),
            }
        }
        self.flush_text();
        while !self.open.is_empty() {
            self.close();
        }
    }

    fn text(&mut self, text: &'h str) {
        self.pending = match std::mem::replace(&mut self.pending, Pending::None) {
            Pending::None => Pending::One(text),
            Pending::One(first) => Pending::Many([first, text].concat()),
            Pending::Many(mut all) => {
                all.push_str(text);
                Pending::Many(all)
            }
        };
    }

    fn flush_text(&mut self) {
        match std::mem::replace(&mut self.pending, Pending::None) {
            Pending::None => {}
            Pending::One(text) => self.write_text(text),
            Pending::Many(text) => self.write_text(&text),
        }
    }

    fn write_text(&mut self, raw: &str) {
        if self.preformatted == 0 && raw.bytes().all(super::token::is_space) {
            return;
        }
        let place = if self.preformatted > 0 { Place::Preformatted } else { Place::Flow };
        let start = self.page.exact.len();
        let contents = text::canonical(raw, place, &mut self.page.exact);
        clock::replace_from(&mut self.page.exact, start, contents, &mut self.scratch);
        let end = self.page.exact.len();
        if end > start {
            self.page.nodes.push(Node {
                start: start as u32,
                open_end: end as u32,
                end: end as u32,
                next: self.page.nodes.len() as u32 + 1,
                skeleton: (0, 0),
                kind: 0,
                name: Tag::TEXT.index() as u32,
                tag: Tag::TEXT,
                flags: 0,
            });
        }
    }

    /// Opens an element by a start tag that was met before, word for word; whether there was one.
    fn repeat(&mut self, tag_text: &'h str) -> bool {
        let Some(&Repeated { number, tag, open, exact, container }) = self.repeated.get(tag_text) else {
            return false;
        };
        if open.in_container && container != self.container().unwrap_or(NO_CONTAINER) {
            return false;
        }
        self.flush_text();
        let before = self.open.len();
        self.imply_end_tags(tag);
        if open.in_container && before != self.open.len() {
            // The end of an element may have changed the container.
            return false;
        }
        let start = self.page.exact.len() as u32;
        self.page.exact.extend_from_within(exact.0 as usize..exact.1 as usize);
        self.push_element(number, tag, start, &open);
        if tag.is_void() {
            self.close();
        }
        true
    }

    fn start(&mut self, name: &'h str, self_closing: bool, tag_text: Option<&'h str>, tokens: &mut Tokenizer<'h>) {
        let (number, tag) = self.page.names.intern(name);
        if tag.is_removed() {
            if tag.is_raw() {
                tokens.raw_text(name);
            }
            return;
        }
        self.flush_text();
        self.imply_end_tags(tag);
        let tag_text = tag_text.filter(|_| !self_closing && !tag.is_rcdata() && !tag.is_raw());
        self.open_element(number, tag, tag_text, tokens);
        if tag.is_void() || (self_closing && self.foreign > 0) {
            self.close();
        } else if tag.is_rcdata() || tag.is_raw() {
            let text = tokens.raw_text(name);
            self.text(text);
        }
    }

    /// Ends the elements whose end tags may be left out before a `next`.
    fn imply_end_tags(&mut self, next: Tag) {
        for _ in 0..2 {
            match self.open.last() {
                Some(&top) if self.page.nodes[top as usize].tag.closed_by(next) => self.close(),
                _ => return,
            }
        }
    }

    /// The level-2 open tag of the part that what comes next is in; `None` inside items.
    fn container(&self) -> Option<(u32, u32)> {
        match self.parts.last() {
            _ if self.items > 0 => None,
            Some(&part) => Some(self.page.nodes[part as usize].skeleton),
            None => Some((0, 0)),
        }
    }

    fn open_element(&mut self, number: u32, tag: Tag, tag_text: Option<&'h str>, tokens: &Tokenizer<'h>) {
        let start = self.page.exact.len() as u32;
        let container = self.container();
        let open = self.attributes.write(tag, number, &tokens.attributes, container, &mut self.page);
        if let Some(tag_text) = tag_text
            && open.repeats
            && self.repeated.len() < MAX_REPEATED
        {
            let exact = (start, self.page.exact.len() as u32);
            let container = container.unwrap_or(NO_CONTAINER);
            self.repeated.insert(tag_text, Repeated { number, tag, open, exact, container });
        }
        self.push_element(number, tag, start, &open);
    }

    /// Adds an element whose open tag was written from `start` on.
    fn push_element(&mut self, number: u32, tag: Tag, start: u32, tag_text: &OpenTag) {
        let index = self.page.nodes.len() as u32;
        self.page.nodes.push(Node {
            start,
            open_end: self.page.exact.len() as u32,
            end: 0,
            next: 0,
            skeleton: tag_text.skeleton,
            kind: tag_text.kind,
            name: number,
            tag,
            flags: tag_text.flags,
        });
        if tag_text.discard_content {
            self.discarding.push(Discard {
                node: index,
                ids: self.attributes.ids.len(),
                content: self.page.content.len(),
                skeleton: self.page.skeleton.len(),
            });
        }
        self.open.push(index);
        if tag_text.flags & flag::PART != 0 {
            self.parts.push(index);
        }
        self.items += u32::from(tag_text.flags & flag::ITEM != 0);
        if self.open_counts.len() <= number as usize {
            self.open_counts.resize(number as usize + 1, 0);
        }
        self.open_counts[number as usize] += 1;
        self.preformatted += u32::from(tag.is_pre());
        self.foreign += u32::from(tag == Tag::SVG || tag == Tag::MATH);
    }

    fn end(&mut self, name: &str) {
        let (number, tag) = self.page.names.intern(name);
        if tag.is_removed() {
            return;
        }
        if self.open_counts.get(number as usize).is_none_or(|&count| count == 0) {
            return;
        }
        self.flush_text();
        while let Some(&top) = self.open.last() {
            let found = self.page.nodes[top as usize].name == number;
            self.close();
            if found {
                break;
            }
        }
    }

    /// Ends the innermost open element.
    fn close(&mut self) {
        self.flush_text();
        let Some(index) = self.open.pop() else { return };
        let Node { name, tag, flags, .. } = self.page.nodes[index as usize];
        self.parts.pop_if(|part| *part == index);
        self.items -= u32::from(flags & flag::ITEM != 0);
        self.open_counts[name as usize] -= 1;
        self.preformatted -= u32::from(tag.is_pre());
        self.foreign -= u32::from(tag == Tag::SVG || tag == Tag::MATH);
        if let Some(discard) = self.discarding.pop_if(|discard| discard.node == index) {
            let page = &mut self.page;
            page.nodes.truncate(index as usize + 1);
            page.exact.truncate(page.nodes[index as usize].open_end as usize);
            page.content.truncate(discard.content);
            page.skeleton.truncate(discard.skeleton);
            self.repeated.clear();
            self.attributes.ids.truncate(discard.ids);
        }
        let page = &mut self.page;
        if !tag.is_void() {
            page.exact.push_str("</");
            page.exact.push_str(page.names.get(name));
            page.exact.push('>');
        }
        let next = page.nodes.len() as u32;
        let node = &mut page.nodes[index as usize];
        node.end = page.exact.len() as u32;
        node.next = next;
    }
}
