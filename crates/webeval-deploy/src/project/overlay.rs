//! The app's own sources with counters, laid over the staged copy and taken off again.

use std::collections::BTreeSet;
use std::path::Path;

use walkdir::WalkDir;
use webeval_evidence::SkippedScript;
use webeval_instrument::coverage::CoverageMap;
use webeval_instrument::{Kind, Options, SourceFile, instrument_project};

use super::own::Own;
use crate::Error;
use crate::detect::{relative, slashed};
use crate::stage::is_ignored;

/// A file before and after.
#[derive(Debug)]
struct Layer {
    path: String,
    original: Vec<u8>,
    counted: String,
}

/// All own sources with counters.
#[derive(Debug, Default)]
pub(crate) struct Overlay {
    layers: Vec<Layer>,
    coverage: CoverageMap,
    /// Paths of what only runs on a server.
    server: BTreeSet<String>,
    skipped: Vec<SkippedScript>,
    /// Files that are left as they were, though they could be counted.
    left: BTreeSet<String>,
}

impl Overlay {
    /// Reads and instruments the own sources in `stage`; nothing is written.
    pub(crate) fn make(stage: &Path, own: &Own) -> Result<Self, Error> {
        let mut paths = Vec::new();
        let mut contents = Vec::new();
        let walk = WalkDir::new(stage).sort_by_file_name().into_iter();
        let kept = |entry: &walkdir::DirEntry| {
            entry.depth() == 0 || !(is_ignored(entry.file_name()) || entry.file_name() == "node_modules")
        };
        for entry in walk.filter_entry(kept).filter_map(Result::ok).filter(|entry| entry.file_type().is_file()) {
            let path = slashed(&relative(stage, entry.path()));
            if own.has(&path, stage) {
                contents.push(std::fs::read(entry.path()).map_err(Error::io("read", entry.path()))?);
                paths.push(path);
            }
        }
        let files: Vec<SourceFile<'_>> =
            paths.iter().zip(&contents).map(|(path, bytes)| SourceFile { path, bytes }).collect();
        let mut options = Options::default();
        // All of it goes through a bundler.
        options.maps_as_text = true;
        let project = instrument_project(&files, &options);
        let skipped = project.failures.iter().map(|(at, error)| SkippedScript {
            path: paths[*at].clone(),
            reason: error.to_string(),
            third_party: false,
        });
        let skipped = skipped.collect();
        let mut overlay = Self { coverage: project.coverage, skipped, ..Self::default() };
        for ((path, original), counted) in paths.into_iter().zip(contents).zip(project.code) {
            let Some(counted) = counted else { continue };
            if own.is_server_side(&path) {
                overlay.server.insert(path.clone());
            }
            let counted = match (Kind::from_path(&path), std::str::from_utf8(&original)) {
                // What it refers to is built later, and vouched for by the build.
                (Some(Kind::Html), Ok(before)) => crate::integrity::adjust(before, &counted, |_| None),
                _ => unchecked(&path, counted),
            };
            overlay.layers.push(Layer { path, original, counted });
        }
        Ok(overlay)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.layers.is_empty()
    }

    /// Writes the counted sources over the staged ones.
    pub(crate) fn apply(&self, stage: &Path) -> Result<(), Error> {
        for layer in &self.layers {
            let content = if self.left.contains(&layer.path) { &layer.original } else { layer.counted.as_bytes() };
            write(stage, &layer.path, content)?;
        }
        Ok(())
    }

    /// Writes the sources back as they were.
    pub(crate) fn revert(&self, stage: &Path) -> Result<(), Error> {
        self.layers.iter().try_for_each(|layer| write(stage, &layer.path, &layer.original))
    }

    /// Leaves files as they were that a failed build complained about, and tells how many.
    pub(crate) fn leave_out(&mut self, output: &str) -> usize {
        // npm begins with the command that it runs, which is no complaint.
        let complaint: Vec<&str> = output.lines().filter(|line| !line.starts_with("> ")).collect();
        let complains = |name: &str| complaint.iter().any(|line| line.contains(name));
        let named = |layer: &&Layer| !self.left.contains(&layer.path) && complains(name_in_output(&layer.path));
        let paths: Vec<String> = self.layers.iter().filter(named).map(|layer| layer.path.clone()).collect();
        for path in &paths {
            let reason = "the build fails with counters in it".to_owned();
            self.skipped.push(SkippedScript { path: path.clone(), reason, third_party: false });
        }
        self.left.extend(paths.iter().cloned());
        paths.len()
    }

    /// Leaves the files of a server as they were that does not run with counters in them, and tells whether there were any.
    pub(crate) fn leave_server(&mut self, stage: &Path) -> Result<bool, Error> {
        let of_server = |layer: &&Layer| self.server.contains(&layer.path) && !self.left.contains(&layer.path);
        let mut paths = Vec::new();
        for layer in self.layers.iter().filter(of_server) {
            write(stage, &layer.path, &layer.original)?;
            paths.push(layer.path.clone());
        }
        for path in &paths {
            let reason = "its server does not start with counters in it".to_owned();
            self.skipped.push(SkippedScript { path: path.clone(), reason, third_party: false });
        }
        self.left.extend(paths.iter().cloned());
        Ok(!paths.is_empty())
    }

    /// Keeps the originals for the report.
    pub(crate) fn keep_sources(&self, folder: &Path) -> Result<(), Error> {
        for layer in &self.layers {
            let path = folder.join(&layer.path);
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent).map_err(Error::io("create", parent))?;
            }
            std::fs::write(&path, &layer.original).map_err(Error::io("write", &path))?;
        }
        Ok(())
    }

    pub(crate) fn instrumented(&self) -> Vec<String> {
        self.layers.iter().map(|layer| layer.path.clone()).filter(|path| !self.left.contains(path)).collect()
    }

    pub(crate) fn skipped(&self) -> Vec<SkippedScript> {
        self.skipped.clone()
    }

    /// Counters of what can run in a browser, all at zero.
    pub(crate) fn browser_coverage(&self) -> CoverageMap {
        let mut coverage = self.coverage.clone();
        coverage.retain(|file| !self.server.contains(&file.path) && !self.left.contains(&file.path));
        coverage
    }

    /// As [`Overlay::browser_coverage`], of files that were left without counters too.
    pub(crate) fn every_browser_file(&self) -> CoverageMap {
        let mut coverage = self.coverage.clone();
        coverage.retain(|file| !self.server.contains(&file.path));
        coverage
    }

    /// All counters, at zero: any own code may run on a server.
    pub(crate) fn all_coverage(&self) -> CoverageMap {
        let mut coverage = self.coverage.clone();
        coverage.retain(|file| !self.left.contains(&file.path));
        coverage
    }

    /// Paths of what only runs on a server.
    pub(crate) fn server_files(&self) -> &BTreeSet<String> {
        &self.server
    }
}

/// What an error message calls a file: the end of its path that is likely its own.
fn name_in_output(path: &str) -> &str {
    let cut = path.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at + 1);
    &path[cut..]
}

/// Counters are of no interest to type checkers and linters that are part of a build.
fn unchecked(path: &str, code: String) -> String {
    match Kind::from_path(path) {
        // TypeScript wants this on a line of its own.
        Some(Kind::Ts | Kind::Tsx) => format!("/* eslint-disable */ // @ts-nocheck\n{code}"),
        Some(Kind::JavaScript | Kind::Jsx | Kind::Module | Kind::CommonJs) if !code.starts_with("#!") => {
            format!("/* eslint-disable */{code}")
        }
        _ => code,
    }
}

fn write(stage: &Path, path: &str, content: &[u8]) -> Result<(), Error> {
    let path = stage.join(path);
    std::fs::write(&path, content).map_err(Error::io("write", &path))
}
