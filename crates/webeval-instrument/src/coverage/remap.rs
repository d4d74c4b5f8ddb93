use rustc_hash::FxHashMap;

use super::{
    ArmLocation, BranchKind, BranchMapping, CoverageMap, END_OF_LINE, FileCoverage, FunctionMapping, IdMap, Position,
    Range,
};
use crate::Error;
use crate::source_map::{Origin, Segment, SourceMap};

impl CoverageMap {
    /// The coverage of the sources that the files were made of, by the source maps that came with them.
    ///
    /// A file without an input source map stays as it is. Places that lead nowhere, or to more than one source, are
    /// dropped; those that lead to the same place are added up. The rules are those of `istanbul-lib-source-maps`.
    ///
    /// # Errors
    ///
    /// [`Error::SourceMap`] if a file's source map cannot be read.
    pub fn remap(&self) -> Result<Self, Error> {
        let mut map = Self::default();
        for file in self.files() {
            match &file.input_source_map {
                None => map.add(file.clone()),
                Some(source_map) => map.extend(file.remap(&source_map.to_string())?),
            }
        }
        Ok(map)
    }
}

impl FileCoverage {
    /// The coverage of the sources that this file was made of, by a source map as JSON.
    ///
    /// # Errors
    ///
    /// [`Error::SourceMap`] if the source map cannot be read.
    pub fn remap(&self, source_map: &str) -> Result<Vec<Self>, Error> {
        let tracer = Tracer::new(SourceMap::parse(source_map)?);
        let mut mapped = Mapped::default();
        for (id, place) in self.statement_map.iter() {
            if let Some((source, place)) = tracer.range(place) {
                mapped.source(source).statement(place, self.s.get(id).copied().unwrap_or_default());
            }
        }
        for (id, function) in self.fn_map.iter() {
            let (decl, loc) = (tracer.range(&function.decl), tracer.range(&function.loc));
            if let (Some((source, decl)), Some((other, loc))) = (decl, loc)
                && source == other
            {
                let hits = self.f.get(id).copied().unwrap_or_default();
                mapped.source(source).function(&function.name, decl, loc, hits);
            }
        }
        for (id, branch) in self.branch_map.iter() {
            let hits = self.b.get(id).map(Vec::as_slice).unwrap_or_default();
            mapped.branch(&tracer, branch, hits);
        }
        Ok(mapped.files(&tracer.map.sources, &self.path))
    }
}

/// A column in a source, and line and column of what was made of it.
type Generated = (u32, u32, u32);

/// Follows places through a source map, both ways.
pub(super) struct Tracer {
    pub(super) map: SourceMap,
    /// Per source and line, in order of the columns there.
    generated: FxHashMap<(u32, u32), Vec<Generated>>,
}

impl Tracer {
    pub(super) fn new(map: SourceMap) -> Self {
        let mut generated: FxHashMap<(u32, u32), Vec<Generated>> = FxHashMap::default();
        for (line, segments) in (0u32..).zip(&map.lines) {
            for segment in segments {
                if let Some(origin) = segment.origin {
                    let places = generated.entry((origin.source, origin.line)).or_default();
                    places.push((origin.column, line, segment.column));
                }
            }
        }
        generated.values_mut().for_each(|places| places.sort_by_key(|place| place.0));
        Self { map, generated }
    }

    /// The segment at a column or the last one before it.
    fn at_or_before(&self, line: u32, column: i64) -> Option<Origin> {
        let segments = self.map.line(line);
        let end = segments.partition_point(|segment| i64::from(segment.column) <= column);
        let last = segments.get(end.checked_sub(1)?)?;
        if i64::from(last.column) == column {
            // Of several segments at the column itself, the first.
            let first = segments.partition_point(|segment| i64::from(segment.column) < column);
            return segments[first].origin;
        }
        last.origin
    }

    /// The segment at a column or the first one after it.
    fn at_or_after(&self, line: u32, column: i64) -> Option<Origin> {
        let segments: &[Segment] = self.map.line(line);
        let end = segments.partition_point(|segment| i64::from(segment.column) <= column);
        match end.checked_sub(1).and_then(|last| segments.get(last)) {
            Some(last) if i64::from(last.column) == column => last.origin,
            _ => segments.get(end)?.origin,
        }
    }

    /// Whether something before a place on its line, or at it, is mapped: what a compiler puts in front is not, and comes from
    /// nowhere, whatever follows it.
    pub(super) fn is_mapped(&self, range: &Range) -> bool {
        let line = range.start.line.checked_sub(1);
        line.is_some_and(|line| self.at_or_before(line, i64::from(range.start.column)).is_some())
    }

    fn near(&self, line: u32, column: i64) -> Option<Origin> {
        self.at_or_before(line, column).or_else(|| self.at_or_after(line, column))
    }

    /// The place after the last character: where the next thing starts on the same line, else the line's end.
    fn end(&self, end: Position) -> Option<(u32, Position)> {
        let line = end.line.checked_sub(1)?;
        let before = self.near(line, i64::from(end.column) - 1)?;
        for (generated_line, generated_column) in self.generated_after(&before) {
            if let Some(origin) = self.at_or_before(generated_line, i64::from(generated_column))
                && origin.line == before.line
            {
                return Some((origin.source, place(origin)));
            }
        }
        Some((before.source, Position { line: before.line + 1, column: END_OF_LINE }))
    }

    /// Everything here that comes from the first mapped column after an origin, on its line.
    fn generated_after(&self, origin: &Origin) -> impl Iterator<Item = (u32, u32)> {
        let places = self.generated.get(&(origin.source, origin.line)).map_or(&[][..], Vec::as_slice);
        let from = places.partition_point(|place| place.0 <= origin.column);
        let column = places.get(from).map(|place| place.0);
        places[from..].iter().take_while(move |place| Some(place.0) == column).map(|place| (place.1, place.2))
    }

    pub(super) fn range(&self, range: &Range) -> Option<(u32, Range)> {
        let line = range.start.line.checked_sub(1)?;
        let start = self.near(line, i64::from(range.start.column))?;
        let (source, mut end) = self.end(range.end)?;
        if source != start.source {
            return None;
        }
        let start = place(start);
        if start == end {
            let after = self.at_or_after(range.end.line.checked_sub(1)?, i64::from(range.end.column));
            if let Some(after) = after.map(place) {
                end = Position { column: after.column.saturating_sub(1), ..after };
            }
        }
        Some((source, Range { start, end }))
    }
}

fn place(origin: Origin) -> Position {
    Position { line: origin.line + 1, column: origin.column }
}

/// Coverage of the sources while it is put together.
#[derive(Default)]
struct Mapped {
    sources: FxHashMap<u32, MappedFile>,
}

impl Mapped {
    fn source(&mut self, source: u32) -> &mut MappedFile {
        self.sources.entry(source).or_default()
    }

    fn branch(&mut self, tracer: &Tracer, branch: &BranchMapping, hits: &[u64]) {
        let Some(MappedBranch { source, whole, places, arms }) = MappedBranch::of(tracer, branch) else { return };
        let counts: Vec<u64> = arms.iter().map(|arm| hits.get(*arm).copied().unwrap_or_default()).collect();
        self.source(source).branch(branch.kind.clone(), whole, places, &counts);
    }

    fn files(self, sources: &[String], from: &str) -> Vec<FileCoverage> {
        let mut files: Vec<(u32, MappedFile)> = self.sources.into_iter().collect();
        files.sort_by_key(|(source, _)| *source);
        files
            .into_iter()
            .map(|(source, file)| {
                let path = sources.get(source as usize).map_or("", String::as_str);
                file.finish(&resolve(path, from))
            })
            .collect()
    }
}

/// A decision in the source that it was made of.
pub(super) struct MappedBranch {
    pub(super) source: u32,
    pub(super) whole: Range,
    pub(super) places: Vec<ArmLocation>,
    /// Which arms the places are of.
    pub(super) arms: Vec<usize>,
}

impl MappedBranch {
    /// None where it leads nowhere, or to more than one source.
    pub(super) fn of(tracer: &Tracer, branch: &BranchMapping) -> Option<Self> {
        let mut source = None;
        let (mut places, mut arms) = (Vec::new(), Vec::new());
        for (index, arm) in branch.locations.iter().enumerate() {
            let mapped = arm.0.as_ref().and_then(|place| tracer.range(place));
            match mapped {
                Some((from, place)) => {
                    if *source.get_or_insert(from) != from {
                        return None;
                    }
                    places.push(ArmLocation(Some(place)));
                }
                // An `else` that is not written has no place there either.
                None if source.is_some() && branch.kind == BranchKind::If && index > 0 && arm.0.is_none() => {
                    places.push(ArmLocation(None));
                }
                None => continue,
            }
            arms.push(index);
        }
        let (source, first) = (source?, places.iter().find_map(|place| place.0)?);
        let whole = tracer.range(&branch.loc).map_or(first, |(_, place)| place);
        Some(Self { source, whole, places, arms })
    }
}

#[derive(Default)]
pub(super) struct MappedFile {
    statements: Vec<(Range, u64)>,
    functions: Vec<(FunctionMapping, u64)>,
    branches: Vec<(BranchMapping, Vec<u64>)>,
    seen_statements: FxHashMap<Range, usize>,
    seen_functions: FxHashMap<Range, usize>,
    seen_branches: FxHashMap<Vec<ArmLocation>, usize>,
}

impl MappedFile {
    pub(super) fn statement(&mut self, place: Range, hits: u64) -> usize {
        let at = *self.seen_statements.entry(place).or_insert_with(|| {
            self.statements.push((place, 0));
            self.statements.len() - 1
        });
        self.statements[at].1 += hits;
        at
    }

    pub(super) fn function(&mut self, name: &str, decl: Range, loc: Range, hits: u64) -> usize {
        let at = *self.seen_functions.entry(decl).or_insert_with(|| {
            let name = name.to_owned();
            self.functions.push((FunctionMapping { name, decl, loc, line: loc.start.line }, 0));
            self.functions.len() - 1
        });
        self.functions[at].1 += hits;
        at
    }

    pub(super) fn branch(&mut self, kind: BranchKind, loc: Range, locations: Vec<ArmLocation>, hits: &[u64]) -> usize {
        let at = *self.seen_branches.entry(locations.clone()).or_insert_with(|| {
            let counts = vec![0; locations.len()];
            self.branches.push((BranchMapping { loc, kind, locations, line: loc.start.line }, counts));
            self.branches.len() - 1
        });
        for (sum, hits) in self.branches[at].1.iter_mut().zip(hits) {
            *sum += hits;
        }
        at
    }

    pub(super) fn finish(self, path: &str) -> FileCoverage {
        fn split<T, H>(list: Vec<(T, H)>) -> (IdMap<T>, IdMap<H>) {
            let (items, hits): (Vec<T>, Vec<H>) = list.into_iter().unzip();
            ((0u32..).zip(items).collect(), (0u32..).zip(hits).collect())
        }
        let mut file = FileCoverage::empty(path);
        (file.statement_map, file.s) = split(self.statements);
        (file.fn_map, file.f) = split(self.functions);
        (file.branch_map, file.b) = split(self.branches);
        file
    }
}

/// A source's path, taken from the folder of the file that was made of it.
pub(super) fn resolve(source: &str, from: &str) -> String {
    if source.starts_with('/') || source.contains("://") {
        return source.to_owned();
    }
    let folder = from.rfind('/').map_or("", |end| &from[..end]);
    let mut parts: Vec<&str> = folder.split('/').collect();
    if folder.is_empty() && !from.starts_with('/') {
        parts.clear();
    }
    for part in source.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| !matches!(*last, "" | "..")) => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}
