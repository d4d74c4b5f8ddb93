//! Repeated siblings: boxes that their author meant to look alike.

use webeval_evidence::Rect;

use crate::geometry::RectExt as _;
use crate::page::Page;

/// Siblings of the same tag and classes, in document order.
#[derive(Clone, Debug)]
pub(crate) struct Peers {
    /// Their element indices.
    pub(crate) members: Vec<usize>,
    /// Their boxes.
    pub(crate) rects: Vec<Rect>,
    /// Whether each is the very next sibling of the one before it, with not even a line between them.
    pub(crate) adjacent: Vec<bool>,
    /// The lines they are laid out in: ranges of positions in `members`.
    pub(crate) rows: Vec<std::ops::Range<usize>>,
}

impl Peers {
    /// Whether they stand below each other, one a line.
    pub(crate) fn is_column(&self) -> bool {
        self.rows.len() == self.members.len()
    }
}

/// Every group of at least three peers in flow.
pub(crate) fn groups(page: &Page) -> Vec<Peers> {
    page.indices().flat_map(|parent| groups_in(page, parent)).collect()
}

fn groups_in(page: &Page, parent: usize) -> Vec<Peers> {
    let tag = page.node(parent).tag.as_str();
    let prose = page.node(parent).text.is_some();
    if page.children(parent).len() < 3 || prose || matches!(tag, "table" | "tbody" | "thead" | "tr" | "select" | "svg")
    {
        return Vec::new();
    }
    let visible: Vec<usize> = page.children(parent).iter().copied().filter(|&child| in_flow(page, child)).collect();
    let mut groups: Vec<(&str, &str, Vec<usize>)> = Vec::new();
    for (position, &child) in visible.iter().enumerate() {
        let node = page.node(child);
        if page.style(child).display == "inline" && node.media.is_none() {
            continue;
        }
        match groups.iter_mut().find(|(tag, class, _)| *tag == node.tag && *class == node.class()) {
            Some((_, _, positions)) => positions.push(position),
            None => groups.push((&node.tag, node.class(), vec![position])),
        }
    }
    let large_enough = groups.into_iter().filter(|(_, _, positions)| positions.len() >= 3);
    large_enough.map(|(_, _, positions)| peers_of(page, parent, &visible, &positions)).collect()
}

/// Whether the box takes part in the layout of its siblings and can be seen.
pub(crate) fn in_flow(page: &Page, index: usize) -> bool {
    let rect = page.rect(index);
    let style = page.style(index);
    matches!(style.position.as_str(), "static" | "relative")
        && rect.width >= 4.0
        && rect.height >= 4.0
        && page.node(index).opacity > 0.05
        && style.visibility == "visible"
}

fn peers_of(page: &Page, parent: usize, visible: &[usize], positions: &[usize]) -> Peers {
    let members: Vec<usize> = positions.iter().map(|&position| visible[position]).collect();
    let rects: Vec<Rect> = members.iter().map(|&member| page.rect(member)).collect();
    let divided =
        |a: usize, b: usize| page.children(parent).iter().any(|&child| a < child && child < b && is_line(page, child));
    let next = |at: usize| positions[at] == positions[at - 1] + 1 && !divided(members[at - 1], members[at]);
    let adjacent = (0..positions.len()).map(|at| at > 0 && next(at)).collect();
    let rows = rows_of(&rects);
    Peers { members, rects, adjacent, rows }
}

/// A rule between its siblings: too thin to be one of them, but it sets them apart.
fn is_line(page: &Page, index: usize) -> bool {
    let rect = page.rect(index);
    let in_place = matches!(page.style(index).position.as_str(), "static" | "relative");
    in_place && rect.width.min(rect.height) < 4.0 && rect.width.max(rect.height) >= 4.0
}

/// Breaks boxes into lines: a box continues the line while it stands beside the one before it.
fn rows_of(rects: &[Rect]) -> Vec<std::ops::Range<usize>> {
    let mut rows = Vec::new();
    let mut start = 0;
    for at in 1..=rects.len() {
        let continues = rects.get(at).is_some_and(|rect| beside(&rects[at - 1], rect));
        if !continues {
            rows.push(start..at);
            start = at;
        }
    }
    rows
}

/// Whether a box goes on to the right (to the left in a right-to-left line) of the one before it. How high it stands
/// does not matter much: one that has slipped out of its line still belongs to it.
fn beside(a: &Rect, b: &Rect) -> bool {
    let slack = a.width.min(b.width) * 0.5;
    let shared = a.bottom().min(b.bottom()) - a.y.max(b.y);
    let near = -shared < a.height.max(b.height);
    b.x >= a.right() - slack && near || b.right() <= a.x + slack && shared > a.height.min(b.height) * 0.5
}
