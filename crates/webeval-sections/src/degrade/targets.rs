//! Which elements a fault of each kind can be put into.

use super::{Category, FaultKind};
use crate::checks::{Backdrop, Peers, backdrop, contrast_ratio, distinct_lines, in_flow, peer_groups};
use crate::geometry::RectExt as _;
use crate::measure::MediaKind;
use crate::page::Page;
use crate::section::Section;

/// An element that a fault can be put into.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub(super) element: usize,
    pub(super) kind: FaultKind,
    /// The sibling before it, for gaps and moves.
    pub(super) before: Option<usize>,
    /// Whether its siblings stand below each other.
    pub(super) column: bool,
}

/// Everything in a section that can be degraded in a category.
pub(super) fn of(page: &Page, section: &Section, category: Category) -> Vec<Target> {
    let inside: Vec<usize> =
        page.indices().filter(|&index| section.holds(page, index) && is_plain(page, index)).collect();
    match category {
        Category::Text => inside.iter().flat_map(|&index| text(page, index)).collect(),
        Category::Layout => layout(page, &inside),
        Category::Media => inside.iter().flat_map(|&index| media(page, index)).collect(),
    }
}

/// Elements in the page's own document, in view and not in motion.
fn is_plain(page: &Page, index: usize) -> bool {
    let selector_ok = !page.selector(index).contains([' ', '>']) || !page.ancestors(index).any(|at| page.node(at).host);
    selector_ok
        && !page
            .within(index, |node, style| node.tag == "iframe" || style.transform != "none" || style.position == "fixed")
        && page.node(index).opacity > 0.9
}

fn target(element: usize, kind: FaultKind) -> Target {
    Target { element, kind, before: None, column: true }
}

/// Words of some length, of readable size and contrast to begin with.
fn text(page: &Page, index: usize) -> Vec<Target> {
    let (Some(rect), Some(text)) = (page.visible_text(index), &page.node(index).text) else { return Vec::new() };
    let letters = text.text.chars().filter(|c| c.is_alphanumeric()).count();
    if letters < 8 || page.style(index).font_size < 12.0 || rect.width < 40.0 {
        return Vec::new();
    }
    let mut kinds = vec![FaultKind::TextSize, FaultKind::LetterSpacing, FaultKind::Blur];
    let single = matches!(backdrop(page, index), Backdrop::Colors(colors) if colors.len() == 1);
    if single
        && contrast_ratio(page, index).is_some_and(|ratio| ratio >= 4.5)
        && page.style(index).text_shadow == "none"
    {
        kinds.push(FaultKind::TextColor);
    }
    let block = page.style(index).display != "inline";
    if block && distinct_lines(&text.lines) >= 2 {
        kinds.push(FaultKind::LineHeight);
    }
    kinds.into_iter().map(|kind| target(index, kind)).collect()
}

fn layout(page: &Page, inside: &[usize]) -> Vec<Target> {
    let mut found = Vec::new();
    for group in peer_groups(page) {
        if group.members.iter().all(|member| inside.contains(member)) {
            siblings(&group, &mut found);
        }
    }
    found.extend(inside.iter().filter_map(|&index| movable(page, index)));
    found
}

/// Members after the first, in a line of at least three.
fn siblings(group: &Peers, found: &mut Vec<Target>) {
    let column = group.is_column();
    let all = 0..group.members.len();
    let whole = std::slice::from_ref(&all);
    let lines = if column { whole } else { group.rows.as_slice() };
    for line in lines.iter().filter(|line| line.len() >= 3) {
        for at in line.clone().skip(1) {
            let member = Target {
                before: Some(group.members[at - 1]),
                column,
                ..target(group.members[at], FaultKind::Alignment)
            };
            found.push(member);
            if group.adjacent[at] && line.clone().skip(1).all(|at| group.adjacent[at]) {
                found.push(Target { kind: FaultKind::Spacing, ..member });
            }
        }
    }
}

/// A block of text under another one, which it can be moved onto.
fn movable(page: &Page, index: usize) -> Option<Target> {
    let rect = page.visible_text(index)?;
    let block = !page.style(index).display.starts_with("inline") && in_flow(page, index);
    let siblings = page.children(page.parent(index)?);
    let position = siblings.iter().position(|&at| at == index)?;
    let before = *siblings.get(position.checked_sub(1)?)?;
    let above = page.visible_text(before)?;
    let shares = above.x < rect.right() && rect.x < above.right();
    (block && in_flow(page, before) && above.bottom() <= rect.y + 1.0 && shares && rect.y - above.bottom() < 60.0)
        .then_some(Target { before: Some(before), ..target(index, FaultKind::Position) })
}

/// Pictures and videos of some size with proportions of their own.
fn media(page: &Page, index: usize) -> Vec<Target> {
    let Some(media) = &page.node(index).media else { return Vec::new() };
    let rect = page.rect(index);
    let sized = rect.width >= 48.0 && rect.height >= 32.0 && media.natural[0] >= 16.0 && media.natural[1] >= 16.0;
    let whole = page.clipped(index, rect).is_some_and(|seen| seen.area() > rect.area() * 0.95);
    let kind = matches!(media.kind, MediaKind::Img | MediaKind::Video) && media.state.is_none();
    let placed = matches!(page.style(index).position.as_str(), "static" | "relative");
    if !(sized && whole && kind && placed && page.is_visible(index)) {
        return Vec::new();
    }
    vec![target(index, FaultKind::Resize), target(index, FaultKind::Aspect)]
}
