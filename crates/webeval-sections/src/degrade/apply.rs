//! From planned faults to a changed page, and which of them took.

use std::fmt::Write as _;

use super::{Degradation, FaultKind};
use crate::checks::{Peers, contrast_ratio, has_like_media, peer_groups};
use crate::geometry::RectExt as _;
use crate::page::Page;

/// The faults as a style sheet, to be added at the end of the page.
#[must_use]
pub fn stylesheet(faults: &[Degradation]) -> String {
    let mut css = String::new();
    for fault in faults {
        let body = fault.css.iter().fold(String::new(), |mut body, (name, value)| {
            let _ = write!(body, " {name}: {value} !important;");
            body
        });
        let _ = writeln!(css, "{} {{{body} }}", fault.selector);
    }
    css
}

/// Keeps the faults whose effect can be measured on the changed page, each with its element's box there.
#[must_use]
pub fn confirm(clean: &Page, changed: &Page, faults: Vec<Degradation>) -> Vec<Degradation> {
    faults.into_iter().filter_map(|fault| confirmed(clean, changed, fault)).collect()
}

fn find(page: &Page, selector: &str) -> Option<usize> {
    page.indices().find(|&index| page.selector(index) == selector)
}

fn confirmed(clean: &Page, changed: &Page, mut fault: Degradation) -> Option<Degradation> {
    let (before, after) = (find(clean, &fault.selector)?, find(changed, &fault.selector)?);
    fault.rect = match fault.kind {
        FaultKind::TextSize
        | FaultKind::TextColor
        | FaultKind::LetterSpacing
        | FaultKind::LineHeight
        | FaultKind::Blur => changed.visible_text(after)?,
        _ => changed.clipped(after, changed.rect(after))?,
    };
    let took = match fault.kind {
        FaultKind::TextSize => changed.style(after).font_size < clean.style(before).font_size * 0.95,
        FaultKind::TextColor => {
            contrast_ratio(changed, after).is_some_and(|ratio| (ratio / fault.magnitude - 1.0).abs() < 0.15)
        }
        FaultKind::LetterSpacing => changed.style(after).letter_spacing != clean.style(before).letter_spacing,
        FaultKind::LineHeight => changed.style(after).line_height != clean.style(before).line_height,
        FaultKind::Blur => changed.style(after).filter != clean.style(before).filter,
        FaultKind::Spacing => moved_apart(clean, changed, &fault, (before, after)),
        FaultKind::Alignment | FaultKind::Position => moved(clean, changed, &fault, (before, after)),
        FaultKind::Resize => resized(clean, changed, &fault, (before, after)) && tells(clean, changed, (before, after)),
        FaultKind::Aspect => resized(clean, changed, &fault, (before, after)),
    };
    took.then_some(fault)
}

/// Where a box lies relative to the sibling before it, by its near and its far edges: what moves both is no fault of
/// this one, and a box that keeps one edge in common has only changed its size.
fn offset(page: &Page, sibling: &str, element: usize) -> Option<[(f64, f64); 2]> {
    let (own, other) = (page.rect(element), page.rect(find(page, sibling)?));
    Some([(own.x - other.x, own.right() - other.right()), (own.y - other.y, own.bottom() - other.bottom())])
}

fn moved(clean: &Page, changed: &Page, fault: &Degradation, (before, after): (usize, usize)) -> bool {
    let Some(sibling) = fault.beside.as_deref() else { return false };
    let (Some(old), Some(new)) = (offset(clean, sibling, before), offset(changed, sibling, after)) else {
        return false;
    };
    let shifts = old.iter().zip(&new).map(|(old, new)| (new.0 - old.0).abs().min((new.1 - old.1).abs()));
    shifts.fold(0.0, f64::max) >= fault.magnitude * 0.6
}

fn moved_apart(clean: &Page, changed: &Page, fault: &Degradation, pair: (usize, usize)) -> bool {
    let Some(sibling) = fault.beside.as_deref() else { return false };
    // A line that broke because of the wider gap shows no gap any more.
    let line = |group: Peers| {
        let position = group.members.iter().position(|&member| member == pair.1)?;
        let row = group.rows.iter().find(|row| row.contains(&position))?.len();
        Some(group.is_column() || row >= 3)
    };
    if peer_groups(changed).into_iter().find_map(line) != Some(true) {
        return false;
    }
    let gap = |page: &Page, element: usize| {
        let (own, other) = (page.rect(element), page.rect(find(page, sibling)?));
        Some((own.x - other.right(), own.y - other.bottom()))
    };
    let gaps = gap(clean, pair.0).zip(gap(changed, pair.1));
    let across = fault.css.iter().any(|(name, _)| name == "margin-left");
    gaps.is_some_and(|(old, new)| {
        let grown = if across { new.0 - old.0 } else { new.1 - old.1 };
        grown >= fault.magnitude * 0.6 && !(across && new.1 > 0.0)
    })
}

fn resized(clean: &Page, changed: &Page, fault: &Degradation, (before, after): (usize, usize)) -> bool {
    let (old, new) = (clean.rect(before), changed.rect(after));
    let change = match fault.kind {
        FaultKind::Resize => new.width / old.width,
        _ => (new.width / new.height) / (old.width / old.height),
    };
    let wanted = fault.magnitude.max(1.0 / fault.magnitude) - 1.0;
    change.max(1.0 / change) - 1.0 >= wanted * 0.7
}

/// Whether a changed size can be told without the original: there are like pictures to compare with, or the picture
/// now leaves what it stands in, or is larger than its own pixels allow.
fn tells(clean: &Page, changed: &Page, (before, after): (usize, usize)) -> bool {
    let rect = changed.rect(after);
    let natural = changed.node(after).media.as_ref().map_or(0.0, |media| media.natural[0]);
    let sharp = changed.node(after).media.as_ref().is_some_and(|media| media.src.contains("svg"));
    let leaves = changed.parent(after).is_some_and(|parent| changed.rect(parent).right() + 8.0 < rect.right());
    has_like_media(clean, before) || leaves || !sharp && rect.width > natural * 2.6
}
