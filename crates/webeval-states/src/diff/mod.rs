//! What changed between two snapshots, short enough for a model to read and complete enough to replay.

mod apply;
mod dom;
mod matching;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use apply::apply;
pub use dom::{Dom, NodeRef};
use matching::Matching;

use crate::StateId;

/// A node of a subtree that a diff inserts, in document order.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Inserted {
    /// How far below the inserted node it is; 0 for that node itself.
    pub depth: u32,
    /// The open tag or the text, as in the exact normal form.
    pub markup: String,
}

/// One step of a [`TreeDiff`]. Steps are carried out in order; positions count the children as they are then.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
#[non_exhaustive]
pub enum Operation {
    /// The node gets another open tag of the same element, or another text.
    Change {
        /// The node.
        node: NodeRef,
        /// Its new open tag or text.
        markup: String,
    },
    /// The node goes, with everything in it.
    Remove {
        /// The node.
        node: NodeRef,
    },
    /// The node goes to another place under the same parent.
    Move {
        /// The node.
        node: NodeRef,
        /// Its position once it is there.
        position: usize,
    },
    /// A subtree comes. Its nodes get references in document order, from the first unused one on.
    Insert {
        /// The node that it comes into.
        parent: NodeRef,
        /// Its position once it is there.
        position: usize,
        /// The subtree.
        nodes: Vec<Inserted>,
    },
}

/// The steps from one page to another. Its text form, one line a step, is meant for a model:
///
/// ```
/// use webeval_states::{Dom, Options, apply, diff};
///
/// let options = Options::default();
/// let a = Dom::parse("<ul><li>tea</li></ul><p>1 item</p>", &options)?;
/// let b = Dom::parse("<ul><li>tea</li><li>milk</li></ul><p>2 items</p>", &options)?;
/// let change = diff(&a, &b);
/// assert_eq!(change.to_string(), "+ e1[1] <li>milk</li>\n~ e5 2 items\n");
/// assert_eq!(apply(&a, &change)?, b);
/// # Ok::<(), webeval_states::Error>(())
/// ```
///
/// `~` is a change, `-` a removal, `>` a move and `+` an insertion, the latter two with the position among the
/// children of the parent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TreeDiff {
    /// Exact id of the page that the steps start from.
    pub from: StateId,
    /// Exact id of the page that they lead to.
    pub to: StateId,
    /// The steps.
    pub operations: Vec<Operation>,
}

impl TreeDiff {
    /// Whether nothing changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }
}

/// The steps that make `b` of `a`.
///
/// Nodes are matched from the root down, children by equal subtrees first, then by equal open tags, then by equal
/// names; the work is `n log n` in the number of nodes. Where the steps would say more than the new page does, there
/// is one removal and one insertion a top-level element instead.
#[must_use]
pub fn diff(a: &Dom, b: &Dom) -> TreeDiff {
    let operations = Matching::new(a, b).operations();
    let said: usize = operations.iter().map(Operation::cost).sum();
    let operations = if said > b.cost() + a.roots().len() { replace_all(a, b) } else { operations };
    TreeDiff { from: a.id(), to: b.id(), operations }
}

fn replace_all(a: &Dom, b: &Dom) -> Vec<Operation> {
    let gone = a.roots().iter().map(|&root| Operation::Remove { node: a.reference(root) });
    let come = b.roots().iter().enumerate().map(|(position, &root)| Operation::Insert {
        parent: NodeRef::PAGE,
        position,
        nodes: b.subtree(root),
    });
    gone.chain(come).collect()
}

impl Operation {
    /// How many characters it says, roughly.
    fn cost(&self) -> usize {
        match self {
            Self::Change { markup, .. } => markup.len(),
            Self::Remove { .. } | Self::Move { .. } => 1,
            Self::Insert { nodes, .. } => nodes.iter().map(|node| node.markup.len()).sum(),
        }
    }
}

impl fmt::Display for TreeDiff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for operation in &self.operations {
            writeln!(f, "{operation}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Change { node, markup } => write!(f, "~ {node} {markup}"),
            Self::Remove { node } => write!(f, "- {node}"),
            Self::Move { node, position } => write!(f, "> {node} [{position}]"),
            Self::Insert { parent, position, nodes } => {
                write!(f, "+ {parent}[{position}] ")?;
                write_html(f, nodes)
            }
        }
    }
}

/// Writes a subtree with its end tags.
fn write_html(f: &mut fmt::Formatter<'_>, nodes: &[Inserted]) -> fmt::Result {
    let mut open: Vec<&str> = Vec::new();
    for node in nodes {
        while open.len() > node.depth as usize {
            dom::write_end(f, open.pop().unwrap_or_default())?;
        }
        f.write_str(&node.markup)?;
        open.push(&node.markup);
    }
    while let Some(markup) = open.pop() {
        dom::write_end(f, markup)?;
    }
    Ok(())
}
