//! The exact normal form as a tree whose nodes have references.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Inserted;
use crate::normal::{self, Page};
use crate::{Error, Options, StateId};

/// Reference to a node (an element or a text) of a [`Dom`]. It stays with its node from step to step of an
/// exploration as long as diffs are applied to the same tree, and is never given to another.
///
/// Written `e` and a number; `e0` is the page itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NodeRef(u32);

impl NodeRef {
    /// The page, which holds the outermost elements.
    pub const PAGE: Self = Self(0);

    pub(super) const fn new(number: u32) -> Self {
        Self(number)
    }
}

impl fmt::Display for NodeRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "e{}", self.0)
    }
}

#[derive(Debug, Clone)]
pub(super) struct DomNode {
    /// Open tag or text; nothing for the page itself.
    pub(super) markup: String,
    pub(super) reference: NodeRef,
    pub(super) children: Vec<usize>,
    /// Hash of the whole subtree.
    pub(super) hash: u64,
}

impl DomNode {
    pub(super) fn is_element(&self) -> bool {
        self.markup.starts_with('<')
    }

    /// Name of the element; nothing for texts.
    pub(super) fn name(&self) -> &str {
        name_of(&self.markup)
    }
}

fn name_of(markup: &str) -> &str {
    match markup.strip_prefix('<') {
        Some(rest) => rest.split([' ', '>']).next().unwrap_or_default(),
        None => "",
    }
}

/// A page in its exact normal form, as a tree.
///
/// Two trees are equal when their normal forms are, whatever references their nodes have.
#[derive(Debug, Clone)]
pub struct Dom {
    /// In document order, the page itself first.
    pub(super) nodes: Vec<DomNode>,
    /// The first reference that no node has or had.
    pub(super) unused: u32,
}

impl Dom {
    /// Reads a page; its nodes get references in document order.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] for more than [`MAX_BYTES`](crate::MAX_BYTES).
    pub fn parse(html: &str, options: &Options) -> Result<Self, Error> {
        let page = normal::checked(html, options)?;
        let mut nodes = vec![DomNode {
            markup: String::new(),
            reference: NodeRef::PAGE,
            children: children(&page, page.len()),
            hash: 0,
        }];
        for index in 0..page.len() {
            nodes.push(DomNode {
                markup: page.markup(index).to_owned(),
                reference: NodeRef(index as u32 + 1),
                children: children(&page, index),
                hash: 0,
            });
        }
        let unused = nodes.len() as u32;
        let mut dom = Self { nodes, unused };
        dom.rehash();
        Ok(dom)
    }

    /// The exact normal form.
    #[must_use]
    pub fn to_html(&self) -> String {
        self.write(|out, node| out.push_str(&node.markup))
    }

    /// The exact normal form with the references of the elements as `ref` attributes, for a model to point at.
    #[must_use]
    pub fn to_annotated_html(&self) -> String {
        self.write(|out, node| match node.markup.strip_suffix('>') {
            Some(open) if node.is_element() => {
                out.push_str(open);
                out.push_str(&format!(" ref=\"{}\">", node.reference));
            }
            _ => out.push_str(&node.markup),
        })
    }

    fn write(&self, markup: impl Fn(&mut String, &DomNode)) -> String {
        let mut out = String::new();
        // A node and whether it is time for its end tag.
        let mut stack: Vec<(usize, bool)> = self.nodes[0].children.iter().rev().map(|&child| (child, false)).collect();
        while let Some((index, ended)) = stack.pop() {
            let node = &self.nodes[index];
            if ended {
                end_tag(&mut out, &node.markup);
                continue;
            }
            markup(&mut out, node);
            stack.push((index, true));
            stack.extend(node.children.iter().rev().map(|&child| (child, false)));
        }
        out
    }

    /// The exact id of the page.
    #[must_use]
    pub fn id(&self) -> StateId {
        StateId::of_normal_form(&self.to_html(), crate::Level::Exact)
    }

    /// The open tag or text of a node.
    #[must_use]
    pub fn markup(&self, node: NodeRef) -> Option<&str> {
        self.nodes.iter().find(|n| n.reference == node && node != NodeRef::PAGE).map(|n| n.markup.as_str())
    }

    /// All elements in document order: their references and open tags.
    pub fn elements(&self) -> impl Iterator<Item = (NodeRef, &str)> {
        self.nodes.iter().filter(|node| node.is_element()).map(|node| (node.reference, node.markup.as_str()))
    }

    pub(super) fn roots(&self) -> &[usize] {
        &self.nodes[0].children
    }

    pub(super) fn reference(&self, index: usize) -> NodeRef {
        self.nodes[index].reference
    }

    /// How many characters the page has, roughly.
    pub(super) fn cost(&self) -> usize {
        self.nodes.iter().map(|node| node.markup.len()).sum()
    }

    /// A node and everything in it, in document order.
    pub(super) fn subtree(&self, root: usize) -> Vec<Inserted> {
        let mut out = Vec::new();
        let mut stack = vec![(root, 0)];
        while let Some((index, depth)) = stack.pop() {
            let node = &self.nodes[index];
            out.push(Inserted { depth, markup: node.markup.clone() });
            stack.extend(node.children.iter().rev().map(|&child| (child, depth + 1)));
        }
        out
    }

    /// Works out the hashes anew; children must come after their parents.
    pub(super) fn rehash(&mut self) {
        for index in (0..self.nodes.len()).rev() {
            let node = &self.nodes[index];
            let own = normal::hash(node.markup.as_bytes());
            self.nodes[index].hash =
                node.children.iter().fold(own, |hash, &child| normal::combine(hash, self.nodes[child].hash));
        }
    }
}

impl PartialEq for Dom {
    fn eq(&self, other: &Self) -> bool {
        self.to_html() == other.to_html()
    }
}

impl Eq for Dom {}

fn children(page: &Page, parent: usize) -> Vec<usize> {
    let mut found = Vec::new();
    page.children(parent, &mut found);
    found.into_iter().map(|child| child as usize + 1).collect()
}

fn end_tag(out: &mut String, markup: &str) {
    let name = name_of(markup);
    if !name.is_empty() && !normal::is_void(name) {
        out.push_str("</");
        out.push_str(name);
        out.push('>');
    }
}

pub(super) fn write_end(f: &mut fmt::Formatter<'_>, markup: &str) -> fmt::Result {
    let mut out = String::new();
    end_tag(&mut out, markup);
    f.write_str(&out)
}
