//! Level 1: the exact form with the order and repetition of list items folded.

use super::page::{Node, Page, flag};
use super::tag::Tag;
use super::{combine, hash};

/// The page folded for level 1: for every element its children in folded order.
#[derive(Debug)]
pub(crate) struct Content {
    hashes: Vec<u64>,
    /// Whether the element differs from its exact form.
    changed: Vec<bool>,
    lists: Lists,
}

/// Child lists that differ from those of the page, by parent; the last entry is that of the page itself.
#[derive(Debug)]
pub(super) struct Lists {
    ranges: Vec<(u32, u32)>,
    pool: Vec<u32>,
}

const AS_ON_PAGE: (u32, u32) = (u32::MAX, u32::MAX);

impl Lists {
    pub(super) fn new(nodes: usize) -> Self {
        Self { ranges: vec![AS_ON_PAGE; nodes + 1], pool: Vec::new() }
    }

    pub(super) fn set(&mut self, parent: usize, children: &[u32]) {
        let start = self.pool.len() as u32;
        self.pool.extend_from_slice(children);
        self.ranges[parent] = (start, self.pool.len() as u32);
    }

    /// The children of `parent` in folded order, appended to `out`.
    pub(super) fn children(&self, page: &Page, parent: usize, out: &mut Vec<u32>) {
        match self.ranges[parent] {
            AS_ON_PAGE => page.children(parent, out),
            (start, end) => out.extend_from_slice(&self.pool[start as usize..end as usize]),
        }
    }
}

impl Page {
    /// The children of `parent` as they are on the page, appended to `out`. The parent after the last node is the
    /// page itself.
    pub(crate) fn children(&self, parent: usize, out: &mut Vec<u32>) {
        let (mut child, end) = match self.nodes.get(parent) {
            Some(node) if node.tag == Tag::TEXT => return,
            Some(node) => (parent + 1, node.next as usize),
            None => (0, self.nodes.len()),
        };
        while child < end {
            out.push(child as u32);
            child = self.nodes[child].next as usize;
        }
    }
}

/// Whether `a` and `b`, neighbours, are two of one list.
pub(super) fn same_list(a: &Node, b: &Node) -> bool {
    a.kind == b.kind && a.tag == b.tag && a.tag != Tag::TEXT && (!a.tag.is_sequence() || a.flags & flag::ITEM != 0)
}

/// Sorts every run of list items by `hash` and drops repetitions; whether anything moved.
pub(super) fn fold_runs(page: &Page, children: &mut Vec<u32>, hash: &[u64]) -> bool {
    let mut changed = false;
    let mut kept = 0;
    let mut start = 0;
    while start < children.len() {
        let mut end = start + 1;
        while end < children.len()
            && same_list(&page.nodes[children[end - 1] as usize], &page.nodes[children[end] as usize])
        {
            end += 1;
        }
        let run = &mut children[start..end];
        if run.len() > 1 && !run.is_sorted_by_key(|&i| hash[i as usize]) {
            run.sort_by_key(|&i| hash[i as usize]);
            changed = true;
        }
        for i in start..end {
            if i > start && hash[children[i] as usize] == hash[children[i - 1] as usize] {
                changed = true;
                continue;
            }
            children[kept] = children[i];
            kept += 1;
        }
        start = end;
    }
    children.truncate(kept);
    changed
}

impl Content {
    pub(crate) fn fold(page: &Page) -> Self {
        let count = page.nodes.len();
        let mut content =
            Self { hashes: vec![0; count + 1], changed: vec![false; count + 1], lists: Lists::new(count) };
        let mut children = Vec::new();
        for parent in (0..count).rev().chain([count]) {
            children.clear();
            content.element(page, parent, &mut children);
        }
        content
    }

    fn element(&mut self, page: &Page, parent: usize, children: &mut Vec<u32>) {
        let node = page.nodes.get(parent);
        if let Some(node) = node
            && node.tag == Tag::TEXT
        {
            self.hashes[parent] = hash(&page.exact.as_bytes()[node.start as usize..node.open_end as usize]);
            return;
        }
        let flags = node.map_or(0, |node| node.flags);
        let mut changed = flags & (flag::CONTENT_TAG | flag::NOT_IN_CONTENT) != 0;
        if flags & flag::NOT_IN_CONTENT == 0 {
            page.children(parent, children);
        }
        let folded = fold_runs(page, children, &self.hashes);
        if folded || flags & flag::NOT_IN_CONTENT != 0 {
            self.lists.set(parent, children);
            changed = true;
        }
        let mut all = node.map_or(0, |_| hash(self.open_tag(page, parent).as_bytes()));
        for &child in children.iter() {
            changed |= self.changed[child as usize];
            all = combine(all, self.hashes[child as usize]);
        }
        self.hashes[parent] = all;
        self.changed[parent] = changed;
    }

    fn open_tag<'p>(&self, page: &'p Page, index: usize) -> &'p str {
        let node = &page.nodes[index];
        if node.flags & flag::CONTENT_TAG != 0
            && let Some(&(start, end)) = page.content_tags.get(&(index as u32))
        {
            return &page.content[start as usize..end as usize];
        }
        &page.exact[node.start as usize..node.open_end as usize]
    }

    /// Appends the normal form to `out`.
    pub(crate) fn render(&self, page: &Page, out: &mut String) {
        let root = page.nodes.len();
        if !self.changed[root] {
            return out.push_str(&page.exact);
        }
        out.reserve(page.exact.len());
        render(
            page,
            out,
            |children| self.lists.children(page, root, children),
            |index, children, out| {
                let index = index as usize;
                if !self.changed[index] {
                    let node = &page.nodes[index];
                    out.push_str(&page.exact[node.start as usize..node.end as usize]);
                    return false;
                }
                out.push_str(self.open_tag(page, index));
                self.lists.children(page, index, children);
                true
            },
        );
    }
}

/// Marks an entry that stands for the end tag of a node.
const END: u32 = 1 << 31;

/// Writes a tree without recursion. `roots` lists the outermost nodes; `enter` writes a node up to its children, lists
/// them, and says whether the end tag is still to be written.
pub(super) fn render(
    page: &Page,
    out: &mut String,
    roots: impl FnOnce(&mut Vec<u32>),
    mut enter: impl FnMut(u32, &mut Vec<u32>, &mut String) -> bool,
) {
    let mut stack = Vec::new();
    roots(&mut stack);
    stack.reverse();
    while let Some(next) = stack.pop() {
        if next & END != 0 && next != u32::MAX {
            out.push_str("</");
            out.push_str(page.names.get(page.nodes[(next & !END) as usize].name));
            out.push('>');
            continue;
        }
        let top = stack.len();
        stack.push(0);
        if enter(next, &mut stack, out) && !page.nodes[(next & NODE) as usize].tag.is_void() {
            stack[top] = (next & NODE) | END;
            stack[top + 1..].reverse();
        } else {
            stack.truncate(top);
        }
    }
}

/// The bits of an entry that are the number of a node; the others are marks.
const NODE: u32 = (1 << 30) - 1;
