//! The state graph as inline SVG.

use std::fmt::Write as _;

use crate::graph::{Drawing, Edge, shortest_paths};
use crate::layout::{Layout, Metrics, layered};
use crate::pictures::Pictures;
use crate::text::{Markup, clip, one_line, plural};

/// Most nodes of a graph in which every edge gets room of its own.
const ROUTED: usize = 14;
const CAPTION: f64 = 40.0;
/// Widths of a letter and a line of the labels, in pixels; labels are 11 px high.
const LETTER: f64 = 6.3;
const LABEL_HEIGHT: f64 = 15.0;

/// The drawing and the CSS rules that make it answer to the pointer.
pub(crate) struct GraphSvg {
    pub(crate) svg: Markup,
    pub(crate) css: String,
}

fn metrics(nodes: usize, picture_ratio: f64) -> Metrics {
    let (node_width, per_row) = match nodes {
        0..=12 => (176.0, 5),
        13..=30 => (148.0, 6),
        _ => (124.0, 7),
    };
    let picture = (node_width * picture_ratio).round();
    Metrics {
        node_width,
        node_height: picture + CAPTION,
        gap_x: 34.0,
        gap_y: 84.0,
        per_row,
        pull: if nodes > ROUTED { 0.5 } else { 0.0 },
    }
}

/// Draws the graph.
pub(crate) fn graph(drawing: &Drawing, pictures: &Pictures) -> GraphSvg {
    let graph = &drawing.graph;
    let ratio = graph.nodes.iter().find_map(|node| pictures.by_name(node.screenshot.as_deref()?));
    let ratio = ratio.map_or(0.625, |picture| f64::from(picture.height) / f64::from(picture.width)).clamp(0.4, 0.75);
    let metrics = metrics(graph.nodes.len(), ratio);
    let drawn: Vec<usize> = (0..graph.edges.len()).filter(|&e| graph.edges[e].from != graph.edges[e].to).collect();
    let parents = shortest_paths(graph);
    let strong = |&edge: &usize| parents[graph.edges[edge].to] == Some(graph.edges[edge].from);
    // Room for every edge would tear a large graph apart: there, only those that show the way take part.
    let routed: Vec<usize> = drawn.iter().copied().filter(|edge| graph.nodes.len() <= ROUTED || strong(edge)).collect();
    let pairs: Vec<(usize, usize)> = routed.iter().map(|&e| (graph.edges[e].from, graph.edges[e].to)).collect();
    let layout = layered(graph.nodes.len(), graph.entry, &pairs, metrics);
    let lines: Vec<Line> = drawn
        .iter()
        .map(|&edge| {
            let points = match routed.iter().position(|&other| other == edge) {
                Some(at) => layout.edges[at].clone(),
                None => straight(&layout, metrics, &graph.edges[edge]),
            };
            Line { edge, strong: strong(&edge), points }
        })
        .collect();
    let mut svg = Markup::default();
    let (width, height) = (layout.width.ceil(), layout.height.ceil());
    let _ = write!(
        svg,
        "<svg class=\"graph\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"group\" \
         aria-label=\"State graph: {}, {}\">{ARROWS}",
        plural(graph.nodes.len(), "node"),
        plural(drawn.len(), "edge"),
    );
    let labels = edges(&mut svg, drawing, &lines, &layout, metrics);
    for node in 0..graph.nodes.len() {
        draw_node(&mut svg, drawing, node, &layout, metrics, pictures);
    }
    svg.raw(&labels.0);
    svg.raw("</svg>");
    GraphSvg { svg, css: hover_rules(drawing, &drawn) }
}

const ARROWS: &str = "<defs>\
<marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">\
<path class=\"tip\" d=\"M0 0.5 8 4 0 7.5z\"/></marker>\
<marker id=\"tip-back\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">\
<path class=\"tip back\" d=\"M0 0.5 8 4 0 7.5z\"/></marker></defs>";

/// An edge as it is drawn.
struct Line {
    edge: usize,
    /// On a shortest path from the entry.
    strong: bool,
    points: Vec<(f64, f64)>,
}

/// The way of an edge that takes no part in the layout: straight on, behind the nodes.
fn straight(layout: &Layout, metrics: Metrics, edge: &Edge) -> Vec<(f64, f64)> {
    let ((x0, y0), (x1, y1)) = (layout.nodes[edge.from], layout.nodes[edge.to]);
    let (middle, height) = (metrics.node_width / 2.0, metrics.node_height);
    let leave = if y0 <= y1 { y0 + height } else { y0 };
    let arrive = if y0 < y1 { y1 } else { y1 + height };
    vec![(x0 + middle, leave), (x1 + middle, arrive)]
}

/// Draws the edges and returns their labels, which lie above the nodes. Edges on the shortest paths from the entry
/// are strong and labelled; the others are faint until one points at an end.
fn edges(svg: &mut Markup, drawing: &Drawing, lines: &[Line], layout: &Layout, metrics: Metrics) -> Markup {
    let graph = &drawing.graph;
    let boxes = layout.nodes.iter().map(|&(x, y)| (x, y, metrics.node_width, metrics.node_height));
    let mut taken: Vec<(f64, f64, f64, f64)> = boxes.collect();
    let (mut labels, mut faint, mut strong) = (Markup::default(), Markup::default(), Markup::default());
    for line in lines {
        let edge = &graph.edges[line.edge];
        let (class, tip, out) =
            if line.strong { ("edge", "tip", &mut strong) } else { ("edge back", "tip-back", &mut faint) };
        let (from, to, path) = (edge.from, edge.to, path(&line.points));
        let _ = write!(out, "<g class=\"{class} f{from} t{to}\"><path d=\"{path}\" marker-end=\"url(#{tip})\"/>");
        out.raw("<title>");
        let ends = format!("{} → {}: ", graph.nodes[from].name, graph.nodes[to].name);
        out.text(&clip(&one_line(&(ends + &edge.actions.join(" · "))), 400));
        out.raw("</title></g>");
        if line.strong {
            label(&mut labels, &edge.actions, &line.points, (from, to), &mut taken);
        }
    }
    svg.raw(&faint.0);
    svg.raw(&strong.0);
    labels
}

/// The label of an edge, put at the first place along it where it covers no node and no other label.
fn label(
    labels: &mut Markup,
    actions: &[String],
    points: &[(f64, f64)],
    (from, to): (usize, usize),
    taken: &mut Vec<(f64, f64, f64, f64)>,
) {
    let Some(first) = actions.first() else { return };
    let more = if actions.len() > 1 { format!(" +{}", actions.len() - 1) } else { String::new() };
    for limit in [26, 18, 12] {
        let words = clip(&one_line(first), limit) + &more;
        #[expect(clippy::cast_precision_loss, reason = "a label has few letters")]
        let width = words.chars().count() as f64 * LETTER + 8.0;
        for share in [0.5, 0.38, 0.62, 0.28, 0.74, 0.2, 0.84] {
            let (x, y) = along(points, share);
            let space = (x - width / 2.0, y - LABEL_HEIGHT / 2.0, width, LABEL_HEIGHT);
            let free = |other: &(f64, f64, f64, f64)| {
                space.0 >= other.0 + other.2
                    || other.0 >= space.0 + space.2
                    || space.1 >= other.1 + other.3
                    || other.1 >= space.1 + space.3
            };
            if space.0 >= 0.0 && taken.iter().all(free) {
                taken.push(space);
                let _ = write!(labels, "<text class=\"label f{from} t{to}\" x=\"{x:.1}\" y=\"{:.1}\">", y + 3.5);
                labels.text(&words);
                labels.raw("</text>");
                return;
            }
        }
    }
}

/// A smooth path through the points, vertical at each of them; between points of one height, an arc below.
fn path(points: &[(f64, f64)]) -> String {
    let mut d = format!("M{:.1} {:.1}", points[0].0, points[0].1);
    for pair in points.windows(2) {
        let [(x0, y0), (x1, y1), c0, c1] = curve(pair[0], pair[1]);
        if (x0 - x1).abs() < 0.5 && (y0 - y1).abs() >= 0.5 {
            let _ = write!(d, "L{x1:.1} {y1:.1}");
        } else {
            let _ = write!(d, "C{:.1} {:.1} {:.1} {:.1} {x1:.1} {y1:.1}", c0.0, c0.1, c1.0, c1.1);
        }
    }
    d
}

/// Ends and control points of one piece.
fn curve(from: (f64, f64), to: (f64, f64)) -> [(f64, f64); 4] {
    let rise = to.1 - from.1;
    if rise.abs() < 0.5 {
        return [from, to, (from.0, from.1 + 46.0), (to.0, to.1 + 46.0)];
    }
    let bow = rise * 0.5;
    [from, to, (from.0, from.1 + bow), (to.0, to.1 - bow)]
}

/// The point at a share of the last piece into the target, or of the only one.
fn along(points: &[(f64, f64)], share: f64) -> (f64, f64) {
    let [a, d, b, c] = curve(points[points.len() - 2], points[points.len() - 1]);
    let mix = |a: f64, b: f64, c: f64, d: f64| {
        let back = 1.0 - share;
        back.powi(3) * a + 3.0 * back.powi(2) * share * b + 3.0 * back * share.powi(2) * c + share.powi(3) * d
    };
    (mix(a.0, b.0, c.0, d.0), mix(a.1, b.1, c.1, d.1))
}

fn draw_node(svg: &mut Markup, drawing: &Drawing, node: usize, layout: &Layout, metrics: Metrics, pictures: &Pictures) {
    let graph = &drawing.graph;
    let state = &graph.nodes[node];
    let (x, y) = layout.nodes[node];
    let (w, h) = (metrics.node_width, metrics.node_height);
    let picture_height = h - CAPTION;
    let marks = marks(drawing, node);
    let card = drawing.places[node];
    let class = if node == graph.entry { " entry" } else { "" };
    let _ = write!(
        svg,
        "<a href=\"#state-{card}\" class=\"node n{node}{class}\"><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w}\" height=\"{h}\" rx=\"7\"/>"
    );
    match state.screenshot.as_deref().and_then(|name| pictures.by_name(name)) {
        Some(picture) => {
            let _ = write!(
                svg,
                "<foreignObject x=\"{:.1}\" y=\"{:.1}\" width=\"{}\" height=\"{}\"><div class=\"shot p{}\"></div></foreignObject>",
                x + 1.5,
                y + 1.5,
                w - 3.0,
                picture_height - 1.5,
                picture.id
            );
        }
        None => {
            let (x, y) = (x + w / 2.0, y + picture_height / 2.0);
            let _ = write!(svg, "<text class=\"none\" x=\"{x:.1}\" y=\"{y:.1}\">no picture</text>");
        }
    }
    let _ = write!(svg, "<text class=\"name\" x=\"{:.1}\" y=\"{:.1}\">", x + 9.0, y + h - CAPTION + 16.0);
    svg.text(&clip(&state.name, 12));
    if state.members.len() > 1 {
        svg.text(&format!(" +{}", state.members.len() - 1));
    }
    svg.raw("</text>");
    let _ = write!(svg, "<text class=\"marks\" x=\"{:.1}\" y=\"{:.1}\">", x + w - 9.0, y + h - CAPTION + 16.0);
    svg.text(&marks.join(" · "));
    let _ = write!(svg, "</text><text class=\"sub\" x=\"{:.1}\" y=\"{:.1}\">", x + 9.0, y + h - CAPTION + 32.0);
    let title = if state.title.trim().is_empty() { &state.url } else { &state.title };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small positive number of letters")]
    let letters = ((w - 18.0) / LETTER) as usize;
    svg.text(&clip(&one_line(title), letters.saturating_sub(1)));
    svg.raw("</text></a>");
}

/// What is special about a node, in words.
fn marks(drawing: &Drawing, node: usize) -> Vec<String> {
    let graph = &drawing.graph;
    let mut marks = Vec::new();
    if node == graph.entry {
        marks.push("start".to_owned());
    }
    if graph.nodes[node].dead_end && graph.nodes.len() > 1 {
        marks.push("dead end".to_owned());
    }
    let stays = graph.edges.iter().filter(|edge| edge.from == node && edge.to == node);
    let stays: usize = stays.map(|edge| edge.actions.len()).sum();
    if stays > 0 {
        marks.push(format!("↻ {stays}"));
    }
    marks
}

/// Pointing at a node, or reaching it with the keyboard, brings out the edges at it.
fn hover_rules(drawing: &Drawing, drawn: &[usize]) -> String {
    let mut css = String::new();
    for node in 0..drawing.graph.nodes.len() {
        let touched = |&&edge: &&usize| drawing.graph.edges[edge].from == node || drawing.graph.edges[edge].to == node;
        if drawn.iter().any(|edge| touched(&edge)) {
            let _ = writeln!(
                css,
                ".graph:has(.n{node}:is(:hover,:focus-visible)) .edge:is(.f{node},.t{node}){{opacity:1;color:var(--accent)}}"
            );
        }
    }
    css
}
