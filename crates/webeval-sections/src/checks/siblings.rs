//! Alignment (ALN) and spacing (SPC) of repeated siblings.

use webeval_evidence::{Rect, Severity};

use super::peers::{self, Peers};
use super::{Fault, Sink};
use crate::finding::Rule;
use crate::geometry::{RectExt as _, median};
use crate::page::Page;

/// Pixels within which edges count as equal.
const SAME: f64 = 1.5;
/// Pixels out of line that a person sees among its peers.
const OFF: f64 = 4.0;
/// A gap differs when it does by this many pixels and by this share of the usual gap.
const GAP: f64 = 6.0;
const GAP_SHARE: f64 = 0.35;

pub(super) fn check(sink: &mut Sink<'_>) {
    for group in peers::groups(sink.page) {
        if group.members.iter().any(|&member| is_moving(sink.page, member)) {
            continue;
        }
        alignment(sink, &group);
        spacing(sink, &group);
    }
}

/// Animated and freely transformed boxes have no line to be out of.
fn is_moving(page: &Page, index: usize) -> bool {
    page.ancestors(index).any(|at| page.style(at).transform != "none")
}

/// Positions in a group, with how far each is off the line.
type Off = Vec<(usize, f64)>;

/// One edge of every box of a line, in the direction across it.
struct Edges {
    name: &'static str,
    values: Vec<f64>,
}

fn across_row(rects: &[Rect]) -> [Edges; 3] {
    [
        Edges { name: "top", values: rects.iter().map(|rect| rect.y).collect() },
        Edges { name: "middle", values: rects.iter().map(|rect| rect.y + rect.height / 2.0).collect() },
        Edges { name: "bottom", values: rects.iter().map(|rect| rect.bottom()).collect() },
    ]
}

fn across_column(rects: &[Rect]) -> [Edges; 3] {
    [
        Edges { name: "left edge", values: rects.iter().map(|rect| rect.x).collect() },
        Edges { name: "centre", values: rects.iter().map(|rect| rect.x + rect.width / 2.0).collect() },
        Edges { name: "right edge", values: rects.iter().map(|rect| rect.right()).collect() },
    ]
}

fn alignment(sink: &mut Sink<'_>, group: &Peers) {
    if group.is_column() {
        report_outliers(sink, &group.members, &group.rects, across_column(&group.rects));
        return;
    }
    for row in &group.rows {
        if row.len() >= 3 {
            let rects = &group.rects[row.clone()];
            if baselines_agree(sink.page, &group.members[row.clone()]) {
                continue;
            }
            report_outliers(sink, &group.members[row.clone()], rects, across_row(rects));
        }
    }
}

fn baselines_agree(page: &Page, members: &[usize]) -> bool {
    let first_line = |member: &usize| {
        let text = page.node(*member).text.as_ref()?;
        text.lines.first().map(|line| line[1] + line[3])
    };
    let lines: Option<Vec<f64>> = members.iter().map(first_line).collect();
    lines.is_some_and(|lines| lines.iter().all(|line| (line - lines[0]).abs() <= SAME))
}

fn report_outliers(sink: &mut Sink<'_>, members: &[usize], rects: &[Rect], edges: [Edges; 3]) {
    let Some((name, out)) = outliers(&edges) else { return };
    for (position, offset) in out {
        let visible = offset.abs() > OFF * 2.0;
        sink.report(Fault {
            node: members[position],
            rule: Rule::Misaligned,
            severity: if visible { Severity::Major } else { Severity::Minor },
            visible,
            rect: rects[position],
            value: offset.abs(),
            limit: OFF,
            message: format!(
                "{} is {:.0} px out of line with its {} siblings: its {name} differs",
                sink.page.selector(members[position]),
                offset.abs(),
                members.len() - 1
            ),
        });
    }
}

/// Boxes off the line that most of their peers keep; none when some edge is common to all, or none is to most.
fn outliers(edges: &[Edges; 3]) -> Option<(&'static str, Off)> {
    let mut best: Option<(&'static str, Off)> = None;
    for Edges { name, values } in edges {
        let line = median(values)?;
        let off: Off =
            values.iter().map(|value| value - line).enumerate().filter(|(_, offset)| offset.abs() > SAME).collect();
        if off.is_empty() {
            return None;
        }
        if best.as_ref().is_none_or(|(_, least)| off.len() < least.len()) {
            best = Some((name, off));
        }
    }
    let (name, off) = best?;
    let count = off.len();
    let total = edges[0].values.len();
    let few = count == 1 || count * 4 <= total;
    let off: Off = off.into_iter().filter(|(_, offset)| offset.abs() >= OFF).collect();
    (few && !off.is_empty()).then_some((name, off))
}

fn spacing(sink: &mut Sink<'_>, group: &Peers) {
    if group.is_column() {
        let gaps = gaps(group, 0..group.members.len(), |a, b| b.y - a.bottom());
        report_gaps(sink, group, &gaps);
        return;
    }
    for row in &group.rows {
        let gaps = gaps(group, row.clone(), |a, b| if b.x >= a.x { b.x - a.right() } else { a.x - b.right() });
        report_gaps(sink, group, &gaps);
    }
}

/// Gaps between neighbours, by the position of the second.
fn gaps(group: &Peers, range: std::ops::Range<usize>, gap: impl Fn(&Rect, &Rect) -> f64) -> Vec<(usize, f64)> {
    let pairs = range.clone().skip(1).filter(|&at| group.adjacent[at]);
    pairs.map(|at| (at, gap(&group.rects[at - 1], &group.rects[at]))).collect()
}

fn report_gaps(sink: &mut Sink<'_>, group: &Peers, gaps: &[(usize, f64)]) {
    let values: Vec<f64> = gaps.iter().map(|(_, gap)| *gap).collect();
    let Some(usual) = median(&values) else { return };
    let differs = |gap: f64| (gap - usual).abs() > GAP.max(usual.abs() * GAP_SHARE);
    let odd: Vec<&(usize, f64)> = gaps.iter().filter(|(_, gap)| differs(*gap)).collect();
    // Of two gaps neither is the rule; a pattern of two gaps in turn is a design.
    let few = values.len() >= 2 && odd.len() <= (values.len() / 3).max(1);
    if !few {
        return;
    }
    for &&(position, gap) in &odd {
        let (node, rect) = (group.members[position], group.rects[position]);
        let runs_into = gap < -2.0 && usual >= 0.0;
        let off = (gap - usual).abs();
        sink.report(Fault {
            node,
            rule: if runs_into { Rule::SiblingOverlap } else { Rule::UnevenGap },
            severity: if runs_into || off > 16.0 { Severity::Major } else { Severity::Minor },
            visible: runs_into || off > 10.0,
            rect,
            value: gap,
            limit: usual,
            message: format!("gap before {} is {gap:.0} px, its siblings keep {usual:.0} px", sink.page.selector(node)),
        });
    }
}
