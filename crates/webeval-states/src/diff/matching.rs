//! Which node of one tree is which of the other.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

use super::dom::Dom;
use super::{NodeRef, Operation};

/// Works out the steps from `a` to `b`.
pub(super) struct Matching<'d> {
    a: &'d Dom,
    b: &'d Dom,
    operations: Vec<Operation>,
    /// Pairs whose children are still to be compared, as indices into `a` and `b`.
    pairs: VecDeque<(usize, usize)>,
}

impl<'d> Matching<'d> {
    pub(super) fn new(a: &'d Dom, b: &'d Dom) -> Self {
        Self { a, b, operations: Vec::new(), pairs: VecDeque::from([(0, 0)]) }
    }

    pub(super) fn operations(mut self) -> Vec<Operation> {
        while let Some((a, b)) = self.pairs.pop_front() {
            let (old, new) = (&self.a.nodes[a], &self.b.nodes[b]);
            if old.hash == new.hash {
                continue;
            }
            if old.markup != new.markup {
                self.operations.push(Operation::Change { node: old.reference, markup: new.markup.clone() });
            }
            self.children(a, b);
        }
        self.operations
    }

    /// Compares the children of a pair.
    fn children(&mut self, a: usize, b: usize) {
        let old = &self.a.nodes[a].children;
        let new = &self.b.nodes[b].children;
        let partners = self.partners(old, new);
        let mut gone = vec![true; old.len()];
        for &partner in partners.iter().flatten() {
            gone[partner] = false;
        }
        for (&child, _) in old.iter().zip(&gone).filter(|(_, gone)| **gone) {
            self.operations.push(Operation::Remove { node: self.a.reference(child) });
        }
        let parent = self.a.reference(a);
        let stays = increasing(&partners);
        let moving = partners.iter().zip(&stays).filter(|(_, stays)| !**stays).filter_map(|(partner, _)| *partner);
        let mut waiting: Vec<usize> = moving.collect();
        waiting.sort_unstable();
        // Children that are still to be moved stand between those that are in place already.
        let mut in_the_way = 0;
        for (place, (&child, partner)) in new.iter().zip(&partners).enumerate() {
            match *partner {
                Some(partner) if stays[place] => in_the_way = waiting.partition_point(|&w| w < partner),
                Some(partner) => {
                    let rank = waiting.partition_point(|&w| w < partner);
                    waiting.remove(rank);
                    in_the_way -= usize::from(rank < in_the_way);
                    let node = self.a.reference(old[partner]);
                    self.operations.push(Operation::Move { node, position: place + in_the_way });
                }
                None => self.insert(parent, place + in_the_way, child),
            }
            if let Some(partner) = *partner {
                self.pairs.push_back((old[partner], child));
            }
        }
    }

    fn insert(&mut self, parent: NodeRef, position: usize, child: usize) {
        self.operations.push(Operation::Insert { parent, position, nodes: self.b.subtree(child) });
    }

    /// For every new child the position of the old one that it is: the same subtree, else the same open tag, else the
    /// same element.
    fn partners(&self, old: &[usize], new: &[usize]) -> Vec<Option<usize>> {
        let mut partners = vec![None; new.len()];
        let mut taken = vec![false; old.len()];
        // What is the same at both ends stays what it is, so that repetitions do not cross.
        let same = |o: usize, n: usize| self.a.nodes[o].hash == self.b.nodes[n].hash;
        let head = old.iter().zip(new).take_while(|(o, n)| same(**o, **n)).count();
        let room = old.len().min(new.len()) - head;
        let tail = old.iter().rev().zip(new.iter().rev()).take(room).take_while(|(o, n)| same(**o, **n)).count();
        for i in (0..head).chain(new.len() - tail..new.len()) {
            let partner = if i < head { i } else { i + old.len() - new.len() };
            partners[i] = Some(partner);
            taken[partner] = true;
        }
        for key in [Self::subtree_key, Self::open_tag_key, Self::name_key] {
            let mut waiting: FxHashMap<u64, VecDeque<usize>> = FxHashMap::default();
            for (i, &child) in old.iter().enumerate().filter(|(i, _)| !taken[*i]) {
                waiting.entry(key(self.a, child)).or_default().push_back(i);
            }
            for (i, &child) in new.iter().enumerate() {
                if partners[i].is_none()
                    && let Some(partner) = waiting.get_mut(&key(self.b, child)).and_then(VecDeque::pop_front)
                {
                    partners[i] = Some(partner);
                    taken[partner] = true;
                }
            }
        }
        partners
    }

    fn subtree_key(dom: &Dom, node: usize) -> u64 {
        dom.nodes[node].hash
    }

    fn open_tag_key(dom: &Dom, node: usize) -> u64 {
        let node = &dom.nodes[node];
        // Texts are told apart by nothing but their places, which is the next key.
        hash(if node.is_element() { &node.markup } else { "" })
    }

    fn name_key(dom: &Dom, node: usize) -> u64 {
        hash(dom.nodes[node].name())
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Marks a longest increasing subsequence of the partners there are: what need not move.
fn increasing(partners: &[Option<usize>]) -> Vec<bool> {
    // The last positions of the best subsequences by length, and what comes before each position in its best one.
    let mut ends: Vec<usize> = Vec::new();
    let mut before = vec![usize::MAX; partners.len()];
    for (i, partner) in partners.iter().enumerate() {
        let Some(partner) = *partner else { continue };
        let length = ends.partition_point(|&end| partners[end].is_some_and(|p| p < partner));
        if length > 0 {
            before[i] = ends[length - 1];
        }
        if length == ends.len() {
            ends.push(i);
        } else {
            ends[length] = i;
        }
    }
    let mut stays = vec![false; partners.len()];
    let mut at = ends.last().copied().unwrap_or(usize::MAX);
    while at != usize::MAX {
        stays[at] = true;
        at = before[at];
    }
    stays
}
