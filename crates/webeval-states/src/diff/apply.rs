//! Carrying out a diff.

use rustc_hash::FxHashMap;

use super::dom::{Dom, DomNode, NodeRef};
use super::{Inserted, Operation, TreeDiff};
use crate::Error;

/// The page that `diff` makes of `dom`. Nodes keep their references; new ones get unused references.
///
/// # Errors
///
/// [`Error::DiffBase`] where `diff` was made from another page, [`Error::DiffDamaged`] where its steps do not fit
/// together or do not lead to where it says.
pub fn apply(dom: &Dom, diff: &TreeDiff) -> Result<Dom, Error> {
    let found = dom.id();
    if found != diff.from {
        return Err(Error::DiffBase { expected: diff.from, found });
    }
    let mut tree = Tree::new(dom);
    for (number, operation) in diff.operations.iter().enumerate() {
        tree.carry_out(operation).ok_or(Error::DiffDamaged { operation: number })?;
    }
    let result = tree.finish();
    if result.id() != diff.to {
        return Err(Error::DiffDamaged { operation: diff.operations.len() });
    }
    Ok(result)
}

/// A tree while it changes: nodes that went are left where they were.
struct Tree {
    nodes: Vec<DomNode>,
    parents: Vec<usize>,
    places: FxHashMap<NodeRef, usize>,
    unused: u32,
}

impl Tree {
    fn new(dom: &Dom) -> Self {
        let nodes = dom.nodes.clone();
        let mut parents = vec![0; nodes.len()];
        let mut places = FxHashMap::default();
        for (index, node) in nodes.iter().enumerate() {
            places.insert(node.reference, index);
            for &child in &node.children {
                parents[child] = index;
            }
        }
        Self { nodes, parents, places, unused: dom.unused }
    }

    /// `None` where the step does not fit.
    fn carry_out(&mut self, operation: &Operation) -> Option<()> {
        match operation {
            Operation::Change { node, markup } => {
                let index = self.place(*node)?;
                self.nodes[index].markup.clone_from(markup);
            }
            Operation::Remove { node } => {
                let index = self.place(*node)?;
                self.detach(index)?;
                self.places.remove(node);
            }
            Operation::Move { node, position } => {
                let index = self.place(*node)?;
                self.detach(index)?;
                self.attach(self.parents[index], *position, index)?;
            }
            Operation::Insert { parent, position, nodes } => {
                let parent = *self.places.get(parent)?;
                let index = self.grow(nodes)?;
                self.attach(parent, *position, index)?;
            }
        }
        Some(())
    }

    /// Where a node is; never the page, which no step may touch.
    fn place(&self, node: NodeRef) -> Option<usize> {
        self.places.get(&node).copied().filter(|&index| index != 0)
    }

    fn detach(&mut self, index: usize) -> Option<()> {
        let siblings = &mut self.nodes[self.parents[index]].children;
        let position = siblings.iter().position(|&child| child == index)?;
        siblings.remove(position);
        Some(())
    }

    fn attach(&mut self, parent: usize, position: usize, index: usize) -> Option<()> {
        let siblings = &mut self.nodes[parent].children;
        if position > siblings.len() {
            return None;
        }
        siblings.insert(position, index);
        self.parents[index] = parent;
        Some(())
    }

    /// Adds a subtree, not attached yet; the index of its root.
    fn grow(&mut self, inserted: &[Inserted]) -> Option<usize> {
        let root = self.nodes.len();
        // The nodes on the way from the root to the last one.
        let mut path: Vec<usize> = Vec::new();
        for (number, node) in inserted.iter().enumerate() {
            let depth = node.depth as usize;
            if depth > path.len() || (depth == 0) != (number == 0) {
                return None;
            }
            let index = self.nodes.len();
            let reference = NodeRef::new(self.unused);
            self.unused = self.unused.checked_add(1)?;
            self.nodes.push(DomNode { markup: node.markup.clone(), reference, children: Vec::new(), hash: 0 });
            self.places.insert(reference, index);
            path.truncate(depth);
            let parent = path.last().copied().unwrap_or(0);
            self.parents.push(parent);
            if depth > 0 {
                self.nodes[parent].children.push(index);
            }
            path.push(index);
        }
        (!inserted.is_empty()).then_some(root)
    }

    /// The tree with what is still in it, in document order.
    fn finish(mut self) -> Dom {
        let mut nodes: Vec<DomNode> = Vec::with_capacity(self.nodes.len());
        // An old index, and the new one of its parent with the place among its children.
        let mut stack = vec![(0, None::<(usize, usize)>)];
        while let Some((old, slot)) = stack.pop() {
            let index = nodes.len();
            if let Some((parent, place)) = slot {
                nodes[parent].children[place] = index;
            }
            let node = &mut self.nodes[old];
            for (place, &child) in node.children.iter().enumerate().rev() {
                stack.push((child, Some((index, place))));
            }
            nodes.push(DomNode {
                markup: std::mem::take(&mut node.markup),
                reference: node.reference,
                children: node.children.clone(),
                hash: 0,
            });
        }
        let mut dom = Dom { nodes, unused: self.unused };
        dom.rehash();
        dom
    }
}
