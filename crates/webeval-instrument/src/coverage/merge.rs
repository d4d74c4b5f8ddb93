use rustc_hash::FxHashMap;

use super::{BranchMapping, FileCoverage, FunctionMapping, IdMap, Range};

/// Hits that can be added up.
trait Hits: Clone {
    fn plus(&self, other: &Self) -> Self;
}

impl Hits for u64 {
    fn plus(&self, other: &Self) -> Self {
        self.saturating_add(*other)
    }
}

impl Hits for Vec<u64> {
    fn plus(&self, other: &Self) -> Self {
        let others = other.iter().copied().chain(std::iter::repeat(0));
        self.iter().zip(others).map(|(own, other)| own.saturating_add(other)).collect()
    }
}

/// Something with a place in the file.
trait Item: Clone + PartialEq {
    /// The place by which it is the same in two versions of a file.
    fn identity(&self) -> Option<Range>;
    /// The place that can lie within another.
    fn place(&self) -> Range;
}

impl Item for Range {
    fn identity(&self) -> Option<Range> {
        Some(*self)
    }
    fn place(&self) -> Range {
        *self
    }
}

impl Item for FunctionMapping {
    fn identity(&self) -> Option<Range> {
        Some(self.loc)
    }
    fn place(&self) -> Range {
        self.loc
    }
}

impl Item for BranchMapping {
    fn identity(&self) -> Option<Range> {
        self.locations.first().and_then(|arm| arm.0)
    }
    fn place(&self) -> Range {
        self.loc
    }
}

impl FileCoverage {
    /// Adds the counts of the same file.
    ///
    /// Where both have the same maps, counters are added one by one. Where the maps differ, as after two different
    /// transforms, items are matched by place, and one that the other map does not have takes the hits of the
    /// narrowest item there that contains it, as Istanbul does; ids are given anew.
    pub fn merge(&mut self, other: &Self) {
        if other.all {
            return;
        }
        if self.all {
            *self = other.clone();
            return;
        }
        merge_part(&mut self.s, &mut self.statement_map, &other.s, &other.statement_map);
        merge_part(&mut self.f, &mut self.fn_map, &other.f, &other.fn_map);
        if let (Some(own), Some(others)) = (&mut self.b_t, &other.b_t) {
            let mut branches = self.branch_map.clone();
            merge_part(own, &mut branches, others, &other.branch_map);
        }
        merge_part(&mut self.b, &mut self.branch_map, &other.b, &other.branch_map);
    }
}

fn merge_part<H: Hits, I: Item>(
    hits: &mut IdMap<H>,
    items: &mut IdMap<I>,
    other_hits: &IdMap<H>,
    other_items: &IdMap<I>,
) {
    if items == other_items {
        for (id, other) in other_hits.iter() {
            if let Some(own) = hits.get_mut(id) {
                *own = own.plus(other);
            }
        }
        return;
    }
    let own = keyed(hits, items);
    let others = keyed(other_hits, other_items);
    let find = |list: &[(Option<Range>, H, I)]| -> FxHashMap<Option<Range>, H> {
        list.iter().map(|(key, hits, _)| (*key, hits.clone())).collect()
    };
    let (own_by_key, others_by_key) = (find(&own), find(&others));
    let mut merged = Vec::with_capacity(own.len());
    for (key, hits, item) in &own {
        let more = others_by_key.get(key).cloned().or_else(|| container(item, &others));
        merged.push((more.map_or_else(|| hits.clone(), |more| hits.plus(&more)), item.clone()));
    }
    for (key, hits, item) in &others {
        if !own_by_key.contains_key(key) {
            let more = container(item, &own);
            merged.push((more.map_or_else(|| hits.clone(), |more| hits.plus(&more)), item.clone()));
        }
    }
    let ids = || 0u32..;
    *hits = ids().zip(merged.iter().map(|(hits, _)| hits.clone())).collect();
    *items = ids().zip(merged.into_iter().map(|(_, item)| item)).collect();
}

/// Hits and items by identity; of two items with the same, the later one stands in the place of the first.
fn keyed<H: Hits, I: Item>(hits: &IdMap<H>, items: &IdMap<I>) -> Vec<(Option<Range>, H, I)> {
    let mut places: FxHashMap<Option<Range>, usize> = FxHashMap::default();
    let mut list: Vec<(Option<Range>, H, I)> = Vec::with_capacity(hits.len());
    for (id, hits) in hits.iter() {
        let Some(item) = items.get(id) else { continue };
        let key = item.identity();
        let entry = (key, hits.clone(), item.clone());
        match places.get(&key) {
            Some(&at) => list[at] = entry,
            None => {
                places.insert(key, list.len());
                list.push(entry);
            }
        }
    }
    list
}

/// Hits of the narrowest item that contains this one.
fn container<H: Hits, I: Item>(item: &I, others: &[(Option<Range>, H, I)]) -> Option<H> {
    let place = item.place();
    let mut nearest: Option<(&H, [u32; 4])> = None;
    for (_, hits, other) in others {
        let range = other.place();
        if !range.contains(&place) {
            continue;
        }
        let distance = distances(&range, &place);
        if nearest.is_none_or(|(_, best)| closer(distance, best)) {
            nearest = Some((hits, distance));
        }
    }
    nearest.map(|(hits, _)| hits.clone())
}

/// Lines and columns from a range's start to the start within it, and from the end within it to its end.
fn distances(range: &Range, within: &Range) -> [u32; 4] {
    [
        within.start.line - range.start.line,
        within.start.column.wrapping_sub(range.start.column),
        range.end.line - within.end.line,
        range.end.column.wrapping_sub(within.end.column),
    ]
}

/// Whether an edge is nearer. Columns matter only on the same line.
fn closer(distance: [u32; 4], best: [u32; 4]) -> bool {
    let nearer =
        |line: usize| distance[line] < best[line] || (distance[line] == 0 && distance[line + 1] < best[line + 1]);
    nearer(0) || nearer(2)
}
