//! Level 2: no free text; the skeleton of containers and controls, with repeated siblings folded to one.

use super::content::{Content, Lists, fold_runs, render};
use super::page::{Node, Page, flag};
use super::tag::Tag;
use super::{combine, hash};

/// The page folded for level 2: for every element its children that are part of the structure.
#[derive(Debug)]
pub(crate) struct Structure {
    lists: Lists,
}

impl Structure {
    /// Folds what `content` left, so that pages equal there are equal here.
    pub(crate) fn fold(page: &Page, content: &Content) -> Self {
        let count = page.nodes.len();
        let mut lists = Lists::new(count);
        let mut hashes = vec![0; count + 1];
        let mut kept = vec![false; count + 1];
        let mut children = Vec::new();
        for parent in (0..count).rev().chain([count]) {
            let node = page.nodes.get(parent);
            if node.is_some_and(|node| node.tag == Tag::TEXT) {
                continue;
            }
            children.clear();
            if node.is_none_or(|node| node.flags & flag::NOT_IN_STRUCTURE == 0 && has_structure(node)) {
                content.children(page, parent, &mut children);
                children.retain(|&child| kept[child as usize]);
                fold_runs(page, &mut children, &hashes);
            }
            lists.set(parent, &children);
            let mut all = node.map_or(0, |node| hash(open_tag(page, node).as_bytes()));
            for &child in &children {
                all = combine(all, hashes[child as usize]);
            }
            hashes[parent] = all;
            kept[parent] = node.is_none_or(|node| keeps(node, !children.is_empty()));
        }
        Self { lists }
    }

    /// Appends the normal form to `out`.
    pub(crate) fn render(&self, page: &Page, out: &mut String) {
        let root = page.nodes.len();
        render(
            page,
            root,
            out,
            |index, children, out| {
                out.push_str(open_tag(page, &page.nodes[index]));
                self.lists.children(page, index, children);
                true
            },
            |children| self.lists.children(page, root, children),
        );
    }
}

fn open_tag<'p>(page: &'p Page, node: &Node) -> &'p str {
    &page.skeleton[node.skeleton.0 as usize..node.skeleton.1 as usize]
}

/// Whether what is inside an element can matter at this level.
fn has_structure(node: &Node) -> bool {
    !matches!(node.tag, Tag::HEAD | Tag::SVG | Tag::MATH | Tag::SELECT | Tag::DATALIST | Tag::PICTURE | Tag::META)
}

/// Whether an element is part of the structure. Phrasing is text unless it is marked or holds something that is not.
fn keeps(node: &Node, has_children: bool) -> bool {
    match node.tag {
        Tag::HEAD | Tag::META | Tag::BASE | Tag::COL | Tag::COLGROUP | Tag::PARAM | Tag::TRACK => false,
        tag if tag.is_inline() => has_children || node.flags & flag::MARKED != 0,
        _ => true,
    }
}
