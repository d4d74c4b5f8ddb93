//! Level 2: no free text; the skeleton of named parts, lists and controls.
//!
//! Three rules make it. Elements that say nothing (`div`, `span`, cells, phrasing without a name) are transparent:
//! what is in them counts as their parent's. The parts of an element are a set: order and repetition do not count.
//! And what is one of many (a list item, a row, a card) is reduced to what it is and to what in it can take input or
//! is open, as the rest of it is data.
//!
//! Nothing here depends on the order or the number of things that level 1 folds, so levels nest.

use super::content::{Lists, render};
use super::page::{Node, Page, flag};
use super::tag::Tag;
use super::{combine, hash};

/// The page folded for level 2: for every part the parts in it.
#[derive(Debug)]
pub(crate) struct Structure {
    hashes: Vec<u64>,
    /// Parts that are nothing but text, see [`is_plain`].
    plain: Vec<bool>,
    lists: Lists,
    /// Hash of a paragraph, for [`PROSE`].
    prose: u64,
}

/// An item tells at most this many of the parts in it, those with the least hashes. It bounds the work on items
/// nested in items.
const MAX_ITEM_PARTS: usize = 16;

/// Stands for any number of paragraphs in a list of parts.
const PROSE: u32 = u32::MAX;

/// How many paragraphs and headings make an element an article, in which lists and tables are text too.
const ARTICLE: usize = 3;

impl Structure {
    pub(crate) fn fold(page: &Page) -> Self {
        let count = page.nodes.len();
        let mut structure = Self {
            hashes: vec![0; count + 1],
            plain: vec![false; count],
            lists: Lists::new(count),
            prose: hash(b"<p>"),
        };
        let mut parts = Vec::new();
        for index in (0..count).rev() {
            let node = &page.nodes[index];
            if node.flags & flag::PART == 0 {
                continue;
            }
            parts.clear();
            if node.flags & flag::ITEM != 0 {
                structure.item_parts(page, index, &mut parts);
            } else if has_parts(node) {
                structure.parts(page, Some(index), &mut parts);
            }
            let own = hash(open_tag(page, node).as_bytes());
            let is_item = node.flags & flag::ITEM != 0;
            structure.hashes[index] =
                parts.iter().fold(own, |all, &part| combine(all, structure.key(page, is_item, part)));
            structure.plain[index] = is_plain(node) && parts.iter().all(|&part| structure.is_plain_part(part));
            structure.lists.set(index, &parts);
        }
        parts.clear();
        structure.parts(page, None, &mut parts);
        structure.lists.set(count, &parts);
        structure
    }

    /// What orders a part among its siblings. In an item a part is told without what is in it.
    fn key(&self, page: &Page, in_item: bool, part: u32) -> u64 {
        match part {
            PROSE => self.prose,
            _ if in_item => hash(open_tag(page, &page.nodes[part as usize]).as_bytes()),
            _ => self.hashes[part as usize],
        }
    }

    fn is_plain_part(&self, part: u32) -> bool {
        part == PROSE || self.plain[part as usize]
    }

    /// The parts of an element, or of the page, that is no item: everything below it up to the next parts.
    fn parts(&self, page: &Page, parent: Option<usize>, out: &mut Vec<u32>) {
        let (mut index, end, tag) = match parent {
            Some(parent) => (parent + 1, page.nodes[parent].next as usize, page.nodes[parent].tag),
            None => (0, page.nodes.len(), Tag::OTHER),
        };
        let article = parent.is_some_and(|parent| self.is_article(page, parent));
        let mut prose = false;
        while index < end {
            let node = &page.nodes[index];
            if node.flags & flag::PART != 0 {
                if self.plain[index] && (node.tag.is_prose() || (article && node.tag != Tag::A)) {
                    prose = true;
                } else if !tag.closed_by(node.tag) {
                    out.push(index as u32);
                }
            }
            index = if node.flags & (flag::PART | flag::GONE) != 0 { node.next as usize } else { index + 1 };
        }
        if prose && tag != Tag::P {
            out.push(PROSE);
        }
        out.sort_by_key(|&part| self.key(page, false, part));
        out.dedup_by_key(|part| self.key(page, false, *part));
    }

    /// The parts that an item tells, those of items in it included.
    fn item_parts(&self, page: &Page, item: usize, out: &mut Vec<u32>) {
        let tag = page.nodes[item].tag;
        let end = page.nodes[item].next as usize;
        let mut index = item + 1;
        while index < end {
            let node = &page.nodes[index];
            if node.flags & flag::ITEM != 0 {
                self.lists.children(page, index, out);
            }
            if node.flags & flag::TELLS != 0 && !tag.closed_by(node.tag) {
                out.push(index as u32);
            }
            index = if node.flags & (flag::ITEM | flag::GONE) != 0 { node.next as usize } else { index + 1 };
        }
        out.sort_by_cached_key(|&part| self.key(page, true, part));
        out.dedup_by_key(|part| self.key(page, true, *part));
        out.truncate(MAX_ITEM_PARTS);
    }

    /// Whether the children of an element make it an article.
    fn is_article(&self, page: &Page, parent: usize) -> bool {
        let mut index = parent + 1;
        let end = page.nodes[parent].next as usize;
        let mut count = 0;
        while index < end && count < ARTICLE {
            let node = &page.nodes[index];
            count += usize::from(node.tag.is_prose() && node.tag.is_sequence() && self.plain[index]);
            index = node.next as usize;
        }
        count >= ARTICLE
    }

    /// Hashes of all pairs of a part and a part in it, as a sorted set. The page itself is the part that the outermost
    /// parts are in.
    pub(crate) fn pairs(&self, page: &Page) -> Vec<u64> {
        let root = page.nodes.len();
        let mut pairs = Vec::new();
        let mut children = Vec::new();
        let mut stack = vec![(root, 0)];
        while let Some((parent, own)) = stack.pop() {
            children.clear();
            self.lists.children(page, parent, &mut children);
            let in_item = page.nodes.get(parent).is_some_and(|node| node.flags & flag::ITEM != 0);
            for &child in &children {
                let markup = if child == PROSE { "<p>" } else { open_tag(page, &page.nodes[child as usize]) };
                let hash = hash(markup.as_bytes());
                pairs.push(combine(own, hash));
                if child != PROSE && !in_item {
                    stack.push((child as usize, hash));
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// Appends the normal form to `out`.
    pub(crate) fn render(&self, page: &Page, out: &mut String) {
        let root = page.nodes.len();
        render(
            page,
            out,
            |children| self.lists.children(page, root, children),
            |entry, children, out| {
                if entry == PROSE {
                    out.push_str("<p></p>");
                    return false;
                }
                let index = (entry & !LEAF) as usize;
                let node = &page.nodes[index];
                out.push_str(open_tag(page, node));
                if entry & LEAF == 0 {
                    let from = children.len();
                    self.lists.children(page, index, children);
                    if node.flags & flag::ITEM != 0 {
                        children[from..].iter_mut().for_each(|child| *child |= LEAF);
                    }
                }
                true
            },
        );
    }
}

/// Marks an entry that is written without its parts.
const LEAF: u32 = 1 << 30;

fn open_tag<'p>(page: &'p Page, node: &Node) -> &'p str {
    &page.skeleton[node.skeleton.0 as usize..node.skeleton.1 as usize]
}

/// Whether what is inside a part can be seen and matters.
fn has_parts(node: &Node) -> bool {
    node.flags & flag::NOT_IN_STRUCTURE == 0
}

/// Whether a part is text by itself: prose and unnamed lists, tables and links.
fn is_plain(node: &Node) -> bool {
    let text = node.tag.is_prose()
        || matches!(
            node.tag,
            Tag::A
                | Tag::UL
                | Tag::OL
                | Tag::LI
                | Tag::DL
                | Tag::TABLE
                | Tag::THEAD
                | Tag::TBODY
                | Tag::TFOOT
                | Tag::TR
        );
    text && node.flags & flag::TELLS == 0 && (node.flags & flag::NAMED == 0 || node.tag == Tag::A)
}
