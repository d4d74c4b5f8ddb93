//! A layered drawing of a directed graph, after Sugiyama, Tagawa and Toda (1981).
//!
//! Rows are the distance from the entry, so a reader sees what is one action away, what two; rows that would be too
//! wide are broken. Edges that cross several rows pass through *bends*, invisible nodes that take part in the
//! ordering, so that no edge runs behind a node. Rows are ordered by barycentres, keeping the order with the fewest
//! crossings; places within a row are a least-squares fit to the neighbours' places.

use std::collections::VecDeque;

/// Sizes in pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Metrics {
    pub(crate) node_width: f64,
    pub(crate) node_height: f64,
    pub(crate) gap_x: f64,
    pub(crate) gap_y: f64,
    /// Most nodes side by side.
    pub(crate) per_row: usize,
    /// How strongly everything is drawn to the middle, against being right above or below its neighbours: a large
    /// graph becomes narrower for a few more bent edges.
    pub(crate) pull: f64,
}

/// The drawing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// Top left corner of each node.
    pub(crate) nodes: Vec<(f64, f64)>,
    /// For each edge the points it passes, from its source to its target.
    pub(crate) edges: Vec<Vec<(f64, f64)>>,
}

const BEND: f64 = 18.0;
const SWEEPS: usize = 12;

/// Something that has a place in a row: a node, or a bend of an edge.
#[derive(Clone, Debug, Default)]
struct Item {
    row: usize,
    width: f64,
    x: f64,
    above: Vec<usize>,
    below: Vec<usize>,
}

/// Lays out `count` nodes. `edges` are pairs of different nodes; each pair once.
pub(crate) fn layered(count: usize, entry: usize, edges: &[(usize, usize)], metrics: Metrics) -> Layout {
    if count == 0 {
        return Layout::default();
    }
    let rows = assign_rows(count, entry, edges, metrics.per_row);
    let node = |row: &usize| Item { row: *row, width: metrics.node_width, ..Item::default() };
    let mut items: Vec<Item> = rows.iter().map(node).collect();
    let chains: Vec<Vec<usize>> = edges.iter().map(|&edge| chain(&mut items, edge)).collect();
    let mut order = initial_order(&items);
    reduce_crossings(&mut items, &mut order);
    place(&mut items, &order, metrics);
    finish(&items, &chains, edges, count, metrics)
}

/// Breadth-first distance from the entry, too wide rows broken.
fn assign_rows(count: usize, entry: usize, edges: &[(usize, usize)], per_row: usize) -> Vec<usize> {
    let mut out = vec![Vec::new(); count];
    for &(from, to) in edges {
        out[from].push(to);
    }
    let mut distance = vec![usize::MAX; count];
    let mut visited = Vec::with_capacity(count);
    // Nodes that the entry does not lead to begin their own walk, in the order given.
    for root in std::iter::once(entry).chain(0..count) {
        if distance[root] != usize::MAX {
            continue;
        }
        distance[root] = 0;
        let mut queue = VecDeque::from([root]);
        while let Some(at) = queue.pop_front() {
            visited.push(at);
            for &next in &out[at] {
                if distance[next] == usize::MAX {
                    distance[next] = distance[at] + 1;
                    queue.push_back(next);
                }
            }
        }
    }
    let deepest = distance.iter().copied().max().unwrap_or(0);
    let mut rows = vec![0; count];
    let mut row = 0;
    for depth in 0..=deepest {
        let layer: Vec<usize> = visited.iter().copied().filter(|&node| distance[node] == depth).collect();
        let parts = layer.len().div_ceil(per_row.max(1)).max(1);
        let share = layer.len().div_ceil(parts).max(1);
        for (index, node) in layer.into_iter().enumerate() {
            rows[node] = row + index / share;
        }
        row += parts;
    }
    rows
}

/// Makes the bends between an edge's ends and links each item to its neighbour rows; tells the items passed, from
/// source to target.
fn chain(items: &mut Vec<Item>, (from, to): (usize, usize)) -> Vec<usize> {
    let (top, bottom) = if items[from].row <= items[to].row { (from, to) } else { (to, from) };
    let mut passed = vec![top];
    for row in items[top].row + 1..items[bottom].row {
        items.push(Item { row, width: BEND, ..Item::default() });
        passed.push(items.len() - 1);
    }
    passed.push(bottom);
    if items[top].row != items[bottom].row {
        for pair in passed.windows(2) {
            items[pair[0]].below.push(pair[1]);
            items[pair[1]].above.push(pair[0]);
        }
    }
    if top != from {
        passed.reverse();
    }
    passed
}

fn initial_order(items: &[Item]) -> Vec<Vec<usize>> {
    let rows = items.iter().map(|item| item.row).max().unwrap_or(0) + 1;
    let mut order = vec![Vec::new(); rows];
    for (index, item) in items.iter().enumerate() {
        order[item.row].push(index);
    }
    order
}

/// Sweeps down and up, sorting each row by the mean position of its neighbours; the best order seen stays.
fn reduce_crossings(items: &mut [Item], order: &mut Vec<Vec<usize>>) {
    let mut best = order.clone();
    let mut fewest = usize::MAX;
    for sweep in 0..SWEEPS {
        let down = sweep % 2 == 0;
        number_rows(items, order);
        let rows: Vec<usize> = if down { (0..order.len()).collect() } else { (0..order.len()).rev().collect() };
        for row in rows {
            sort_row(items, &mut order[row], down);
        }
        let crossings = count_crossings(items, order);
        if crossings < fewest {
            fewest = crossings;
            best.clone_from(order);
        }
    }
    *order = best;
}

fn number_rows(items: &mut [Item], order: &[Vec<usize>]) {
    for row in order {
        for (position, &index) in row.iter().enumerate() {
            items[index].x = position_of(position);
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "rows hold a few hundred items at most")]
fn position_of(position: usize) -> f64 {
    position as f64
}

fn sort_row(items: &mut [Item], row: &mut [usize], down: bool) {
    let centre = |index: usize| {
        let neighbours = if down { &items[index].above } else { &items[index].below };
        mean(items, neighbours).unwrap_or(items[index].x)
    };
    let mut keyed: Vec<(f64, usize)> = row.iter().map(|&index| (centre(index), index)).collect();
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (position, (_, index)) in keyed.into_iter().enumerate() {
        row[position] = index;
        items[index].x = position_of(position);
    }
}

fn mean(items: &[Item], neighbours: &[usize]) -> Option<f64> {
    let sum: f64 = neighbours.iter().map(|&index| items[index].x).sum();
    (!neighbours.is_empty()).then(|| sum / position_of(neighbours.len()))
}

fn count_crossings(items: &mut [Item], order: &[Vec<usize>]) -> usize {
    number_rows(items, order);
    let mut crossings = 0;
    for row in order {
        let segments: Vec<(f64, f64)> = row
            .iter()
            .flat_map(|&top| items[top].below.iter().map(move |&bottom| (top, bottom)))
            .map(|(top, bottom)| (items[top].x, items[bottom].x))
            .collect();
        for (index, a) in segments.iter().enumerate() {
            crossings += segments[index + 1..].iter().filter(|b| (a.0 - b.0) * (a.1 - b.1) < 0.0).count();
        }
    }
    crossings
}

/// Moves every item towards its neighbours' mean without changing the order or letting items touch.
fn place(items: &mut [Item], order: &[Vec<usize>], metrics: Metrics) {
    let gap = metrics.gap_x;
    for row in order {
        let mut x = 0.0;
        for &index in row {
            items[index].x = x + items[index].width / 2.0;
            x += items[index].width + gap;
        }
        let shift = (x - gap) / 2.0;
        row.iter().for_each(|&index| items[index].x -= shift);
    }
    for sweep in 0..SWEEPS * 2 {
        let rows: Vec<&Vec<usize>> = if sweep % 2 == 0 { order.iter().collect() } else { order.iter().rev().collect() };
        for row in rows {
            fit_row(items, row, metrics);
        }
    }
}

/// The least-squares places of a row under its minimum distances: isotonic regression by pooling adjacent violators.
fn fit_row(items: &mut [Item], row: &[usize], metrics: Metrics) {
    let gap = metrics.gap_x;
    let mut offset = 0.0;
    let mut blocks: Vec<(f64, f64, usize)> = Vec::with_capacity(row.len());
    for (position, &index) in row.iter().enumerate() {
        if position > 0 {
            let before = &items[row[position - 1]];
            let both_bends = before.width <= BEND && items[index].width <= BEND;
            offset += (before.width + items[index].width) / 2.0 + if both_bends { 0.0 } else { gap };
        }
        // Nodes hold their place against bends: what leads straight on is drawn straight, long edges go round.
        let weight = if items[index].width <= BEND { 0.2 } else { 1.0 };
        blocks.push((wanted(items, index, metrics.pull) - offset, weight, 1));
        while let [.., left, right] = blocks.as_slice()
            && left.0 > right.0
        {
            let merged =
                ((left.0 * left.1 + right.0 * right.1) / (left.1 + right.1), left.1 + right.1, left.2 + right.2);
            blocks.truncate(blocks.len() - 2);
            blocks.push(merged);
        }
    }
    let mut places = blocks.into_iter().flat_map(|(value, _, count)| std::iter::repeat_n(value, count));
    let mut offset = 0.0;
    for (position, &index) in row.iter().enumerate() {
        if position > 0 {
            let before = &items[row[position - 1]];
            let both_bends = before.width <= BEND && items[index].width <= BEND;
            offset += (before.width + items[index].width) / 2.0 + if both_bends { 0.0 } else { gap };
        }
        if let Some(value) = places.next() {
            items[index].x = value + offset;
        }
    }
}

/// Where an item would be best: the mean of its neighbours, in which a bend counts little beside a node, and of the
/// middle.
fn wanted(items: &[Item], index: usize, pull: f64) -> f64 {
    let mut sum = (0.0, pull);
    for &neighbour in items[index].above.iter().chain(&items[index].below) {
        let weight = if items[neighbour].width <= BEND { 0.1 } else { 1.0 };
        sum = (sum.0 + weight * items[neighbour].x, sum.1 + weight);
    }
    if sum.1 > 0.0 { sum.0 / sum.1 } else { items[index].x }
}

/// Shifts everything to positive coordinates and gives every edge its own port on the nodes it touches.
fn finish(items: &[Item], chains: &[Vec<usize>], edges: &[(usize, usize)], count: usize, metrics: Metrics) -> Layout {
    let margin = metrics.gap_x / 2.0;
    let left = items.iter().map(|item| item.x - item.width / 2.0).fold(f64::INFINITY, f64::min) - margin;
    let right = items.iter().map(|item| item.x + item.width / 2.0).fold(f64::NEG_INFINITY, f64::max) + margin;
    let rows = items.iter().map(|item| item.row).max().unwrap_or(0);
    let y_of = |row: usize| metrics.gap_y / 2.0 + position_of(row) * (metrics.node_height + metrics.gap_y);
    let centres: Vec<(f64, f64)> = items.iter().map(|item| (item.x - left, y_of(item.row))).collect();
    let nodes = centres[..count].iter().map(|(x, y)| (x - metrics.node_width / 2.0, *y)).collect();
    let ports = assign_ports(items, chains, &centres, metrics.node_width);
    let edges = chains
        .iter()
        .zip(edges)
        .enumerate()
        .map(|(index, (chain, &(from, to)))| {
            let level = items[from].row == items[to].row;
            let downward = items[from].row <= items[to].row;
            let leave = centres[from].1 + if downward { metrics.node_height } else { 0.0 };
            let arrive = centres[to].1 + if downward && !level { 0.0 } else { metrics.node_height };
            let mut points = vec![(ports[index].0, leave)];
            for &bend in &chain[1..chain.len() - 1] {
                let (x, y) = centres[bend];
                let ends = [(x, y), (x, y + metrics.node_height)];
                points.extend(if downward { ends } else { [ends[1], ends[0]] });
            }
            points.push((ports[index].1, arrive));
            points
        })
        .collect();
    Layout { width: right - left, height: y_of(rows) + metrics.node_height + metrics.gap_y / 2.0, nodes, edges }
}

/// The x of each edge's two ends: spread along the side of the node, in the order of where the edges lead.
fn assign_ports(items: &[Item], chains: &[Vec<usize>], centres: &[(f64, f64)], width: f64) -> Vec<(f64, f64)> {
    // (node, bottom side?, where the edge leads, edge, is its source)
    let mut ends: Vec<(usize, bool, f64, usize, bool)> = Vec::new();
    for (edge, chain) in chains.iter().enumerate() {
        let (from, to) = (chain[0], chain[chain.len() - 1]);
        let below = items[from].row <= items[to].row;
        let level = items[from].row == items[to].row;
        ends.push((from, below, centres[chain[1]].0, edge, true));
        ends.push((to, level || !below, centres[chain[chain.len() - 2]].0, edge, false));
    }
    ends.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)).then(a.3.cmp(&b.3)));
    let mut ports = vec![(0.0, 0.0); chains.len()];
    for side in ends.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let step = (width * 0.8 / position_of(side.len() + 1)).min(24.0);
        for (position, &(node, _, _, edge, is_source)) in side.iter().enumerate() {
            let x = centres[node].0 + (position_of(position) - position_of(side.len() - 1) / 2.0) * step;
            if is_source {
                ports[edge].0 = x;
            } else {
                ports[edge].1 = x;
            }
        }
    }
    ports
}

#[cfg(test)]
mod tests {
    use super::*;

    const METRICS: Metrics =
        Metrics { node_width: 100.0, node_height: 60.0, gap_x: 20.0, gap_y: 40.0, per_row: 4, pull: 0.0 };

    fn overlaps(layout: &Layout) -> usize {
        let apart = |a: &(f64, f64), b: &(f64, f64)| (a.0 - b.0).abs() > 119.9 || (a.1 - b.1).abs() > 99.9;
        let pairs = layout.nodes.iter().enumerate();
        pairs.map(|(i, a)| layout.nodes[i + 1..].iter().filter(|b| !apart(a, b)).count()).sum()
    }

    #[test]
    fn a_chain_is_a_straight_column() {
        let layout = layered(3, 0, &[(0, 1), (1, 2)], METRICS);
        let xs: Vec<f64> = layout.nodes.iter().map(|node| node.0).collect();
        assert!(xs.iter().all(|x| (x - xs[0]).abs() < 1e-6), "{xs:?}");
        assert!(layout.nodes[0].1 < layout.nodes[1].1 && layout.nodes[1].1 < layout.nodes[2].1);
    }

    #[test]
    fn twisted_pairs_are_untwisted() {
        // 0 → 1, 2; 1 → 4 and 2 → 3: drawn in the order given, the lower edges would cross.
        let edges = [(0, 1), (0, 2), (1, 4), (2, 3)];
        let layout = layered(5, 0, &edges, METRICS);
        let x = |node: usize| layout.nodes[node].0;
        assert_eq!(x(1) < x(2), x(4) < x(3));
    }

    #[test]
    fn wide_rows_break_and_nothing_overlaps() {
        let edges: Vec<(usize, usize)> = (1..30).flat_map(|leaf| [(0, leaf), (leaf, 0)]).collect();
        let layout = layered(30, 0, &edges, METRICS);
        assert_eq!(overlaps(&layout), 0);
        assert!(layout.nodes.iter().all(|(x, y)| *x >= 0.0 && *y >= 0.0));
        assert!(layout.nodes.iter().all(|(x, y)| x + 100.0 <= layout.width && y + 60.0 <= layout.height));
    }

    #[test]
    fn long_edges_do_not_run_behind_nodes() {
        // 4 → 0 goes back over rows in which other nodes stand.
        let edges = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (0, 5), (5, 6)];
        let layout = layered(7, 0, &edges, METRICS);
        for points in &layout.edges {
            for (x, y) in &points[1..points.len() - 1] {
                let hit = |node: &&(f64, f64)| *x > node.0 && *x < node.0 + 100.0 && *y > node.1 && *y < node.1 + 60.0;
                assert!(layout.nodes.iter().find(hit).is_none());
            }
        }
    }

    #[test]
    fn islands_and_an_empty_graph_are_drawn() {
        assert_eq!(layered(0, 0, &[], METRICS).nodes.len(), 0);
        assert_eq!(overlaps(&layered(3, 1, &[(1, 2)], METRICS)), 0);
    }
}
