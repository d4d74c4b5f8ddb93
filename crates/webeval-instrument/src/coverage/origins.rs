use std::collections::BTreeMap;

use super::remap::{MappedBranch, MappedFile, Tracer, resolve};
use super::{CoverageMap, Delta, FileCoverage, FileDelta};
use crate::Error;
use crate::source_map::SourceMap;

/// Where the counters of compiled files come from: what bundles count, told of the sources that they were made of.
///
/// The rules are those of [`CoverageMap::remap`], but that what stands before the first mapping of a line comes from nowhere:
/// bundlers put code of their own there. A source in several bundles is one file, and what is counted in any of
/// them is added up.
#[derive(Debug, Default)]
pub struct Origins {
    sources: CoverageMap,
    /// For each counter of a compiled file, the source and the counter there.
    counters: BTreeMap<String, Vec<Option<Origin>>>,
}

/// The source, by its place among the names, and the counter in it.
#[derive(Debug, Clone, Copy)]
struct Origin {
    source: u32,
    counter: u32,
}

/// A counter of a source while its others are not all known.
#[derive(Debug, Clone, Copy)]
enum Part {
    Statement(usize),
    Function(usize),
    Arm(usize, usize),
}

impl Origins {
    /// Follows the counters of compiled files, each given with its source map as JSON, to their sources. `name` is asked
    /// with a source's path, resolved from that of the compiled file, how it is called; nothing where it is not wanted.
    ///
    /// # Errors
    ///
    /// [`Error::SourceMap`] if a source map cannot be read.
    pub fn new<'a>(
        compiled: impl IntoIterator<Item = (&'a FileCoverage, &'a str)>,
        name: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, Error> {
        let mut names: Vec<String> = Vec::new();
        let mut files: Vec<MappedFile> = Vec::new();
        let mut parts: BTreeMap<String, Vec<Option<(u32, Part)>>> = BTreeMap::new();
        for (file, map) in compiled {
            let tracer = Tracer::new(SourceMap::parse(map)?);
            // The place of each source of this map among the names.
            let places: Vec<Option<u32>> = tracer
                .map
                .sources
                .iter()
                .map(|source| {
                    let name = name(&resolve(source, &file.path))?;
                    let known = names.iter().position(|other| *other == name);
                    let place = known.unwrap_or_else(|| {
                        names.push(name);
                        files.push(MappedFile::default());
                        names.len() - 1
                    });
                    Some(place as u32)
                })
                .collect();
            let place = |source: u32| places.get(source as usize).copied().flatten();
            let of = trace(file, &tracer, place, &mut files);
            parts.insert(file.path.clone(), of);
        }
        let finished: Vec<FileCoverage> = files.into_iter().zip(&names).map(|(file, name)| file.finish(name)).collect();
        let starts: Vec<Vec<usize>> = finished.iter().map(arm_starts).collect();
        let origin = |(source, part): (u32, Part)| {
            let file = &finished[source as usize];
            let counter = match part {
                Part::Statement(at) => at,
                Part::Function(at) => file.s.len() + at,
                Part::Arm(branch, arm) => file.s.len() + file.f.len() + starts[source as usize][branch] + arm,
            };
            Origin { source, counter: counter as u32 }
        };
        let counters =
            parts.into_iter().map(|(path, of)| (path, of.into_iter().map(|part| part.map(origin)).collect()));
        let counters = counters.collect();
        // In the order of the names from here on, as the map has them.
        let mut order: Vec<usize> = (0..names.len()).filter(|&at| finished[at].counters() > 0).collect();
        order.sort_by_key(|&at| &names[at]);
        let mut rank = vec![0; names.len()];
        order.iter().enumerate().for_each(|(to, &from)| rank[from] = to as u32);
        let sources = finished.into_iter().filter(|file| file.counters() > 0).collect();
        let mut origins = Self { sources, counters };
        for origin in origins.counters.values_mut().flatten().flatten() {
            origin.source = rank[origin.source as usize];
        }
        Ok(origins)
    }

    /// The sources that are wanted, with all counters at zero.
    #[must_use]
    pub fn sources(&self) -> &CoverageMap {
        &self.sources
    }

    /// What pages counted, told of the sources. Files that are not compiled stay as they are.
    #[must_use]
    pub fn translate(&self, delta: &Delta) -> Delta {
        let names: Vec<&str> = self.sources.files().map(|file| file.path.as_str()).collect();
        let mut sums: BTreeMap<&str, BTreeMap<u32, f64>> = BTreeMap::new();
        let mut others = Vec::new();
        for (path, change) in delta.files() {
            let Some(counters) = self.counters.get(path) else {
                others.push((path.to_owned(), change.clone()));
                continue;
            };
            for (&counter, &increment) in change.counters.iter().zip(&change.increments) {
                if let Some(Some(origin)) = counters.get(counter as usize) {
                    let of = sums.entry(names[origin.source as usize]).or_default();
                    *of.entry(origin.counter).or_default() += increment;
                }
            }
        }
        let told = sums.into_iter().map(|(name, sums)| {
            let (counters, increments) = sums.into_iter().unzip();
            (name.to_owned(), FileDelta { hash: String::new(), counters, increments })
        });
        told.chain(others).collect()
    }
}

/// For each counter of a compiled file, in order, what it is of a source.
fn trace(
    file: &FileCoverage,
    tracer: &Tracer,
    place: impl Fn(u32) -> Option<u32>,
    files: &mut [MappedFile],
) -> Vec<Option<(u32, Part)>> {
    let mut parts = Vec::with_capacity(file.counters());
    for range in file.statement_map.values() {
        parts.push(tracer.range(range).filter(|_| tracer.is_mapped(range)).and_then(|(source, range)| {
            let at = place(source)?;
            Some((at, Part::Statement(files[at as usize].statement(range, 0))))
        }));
    }
    for function in file.fn_map.values() {
        let (decl, loc) = (tracer.range(&function.decl), tracer.range(&function.loc));
        let whole = decl.zip(loc).filter(|(decl, loc)| decl.0 == loc.0 && tracer.is_mapped(&function.decl));
        parts.push(whole.and_then(|(decl, loc)| {
            let at = place(decl.0)?;
            Some((at, Part::Function(files[at as usize].function(&function.name, decl.1, loc.1, 0))))
        }));
    }
    for branch in file.branch_map.values() {
        let start = parts.len();
        parts.resize(start + branch.locations.len(), None);
        let mapped = MappedBranch::of(tracer, branch).filter(|_| tracer.is_mapped(&branch.loc));
        let Some(mapped) = mapped else { continue };
        let Some(at) = place(mapped.source) else { continue };
        let zeros = vec![0; mapped.places.len()];
        let id = files[at as usize].branch(branch.kind.clone(), mapped.whole, mapped.places, &zeros);
        for (to, arm) in mapped.arms.into_iter().enumerate() {
            parts[start + arm] = Some((at, Part::Arm(id, to)));
        }
    }
    parts
}

/// The number of each branch's first arm.
fn arm_starts(file: &FileCoverage) -> Vec<usize> {
    let mut total = 0;
    let starts = file.b.values().map(|arms| {
        total += arms.len();
        total - arms.len()
    });
    starts.collect()
}
