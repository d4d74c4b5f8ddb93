//! Counters in what a build has made, for apps that do not build with counters in their sources.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine;
use walkdir::WalkDir;
use webeval_evidence::SkippedScript;
use webeval_instrument::coverage::{CoverageMap, FileCoverage, Origins};
use webeval_instrument::{Kind, Options, instrument};

use super::own::Own;
use crate::Error;
use crate::detect::{relative, slashed};
use crate::stage::is_third_party;

/// A copy of what a build has made, with counters in the scripts that have code of the app in them.
#[derive(Debug, Default)]
pub(crate) struct Bundle {
    /// Every counter at zero: of the app's sources where source maps lead to them, else of the built scripts.
    pub(crate) coverage: CoverageMap,
    /// Where the counters of scripts with source maps come from.
    pub(crate) origins: Option<Arc<Origins>>,
    /// Built scripts with counters, relative to the app.
    pub(crate) instrumented: Vec<String>,
    pub(crate) skipped: Vec<SkippedScript>,
    /// What the coverage is of, as it was.
    sources: BTreeMap<String, String>,
}

/// A built script or module with counters.
#[derive(Debug)]
pub(crate) struct Script {
    /// Its counters at zero.
    pub(crate) coverage: FileCoverage,
    /// As it was before.
    pub(crate) text: String,
    pub(crate) map: Option<String>,
}

impl Bundle {
    /// Copies `output` to `copy` and puts counters into the copy. `silent` has the app's sources with all counters at zero:
    /// those that the build left out count as uncovered.
    pub(crate) fn make(
        output: &Path,
        copy: &Path,
        stage: &Path,
        own: &Own,
        silent: &CoverageMap,
    ) -> Result<Self, Error> {
        let mut bundle = Self::default();
        let name = |source: &str| source_name(source).filter(|name| is_source(name, stage, own));
        let mut scripts: Vec<Script> = Vec::new();
        let mut pages = Vec::new();
        for entry in WalkDir::new(output).sort_by_file_name() {
            let entry = entry.map_err(|error| Error::io("read", output)(error.into()))?;
            if !entry.file_type().is_file() {
                continue;
            }
            let inside = relative(output, entry.path());
            let to = copy.join(&inside);
            if let Some(parent) = to.parent() {
                std::fs::create_dir_all(parent).map_err(Error::io("create", parent))?;
            }
            std::fs::copy(entry.path(), &to).map_err(Error::io("copy", entry.path()))?;
            let path = slashed(&relative(stage, entry.path()));
            let Some(kind) = Kind::from_path(&path).filter(|kind| is_served_code(*kind)) else { continue };
            let Ok(text) = std::fs::read_to_string(entry.path()) else { continue };
            let map = source_map(entry.path(), &text);
            if is_others(&slashed(&inside), map.as_deref(), &path, &name) {
                bundle.skip(path, "packages' code, as the build put it together".to_owned(), true);
                continue;
            }
            if kind == Kind::Html {
                pages.push((text.clone(), to.clone()));
            }
            match instrument(&text, &path, &Options::default()) {
                Ok(done) if done.coverage.counters() == 0 => {}
                Ok(done) => {
                    std::fs::write(&to, done.code).map_err(Error::io("write", &to))?;
                    bundle.instrumented.push(path);
                    scripts.push(Script { coverage: done.coverage, text, map });
                }
                Err(error) => bundle.skip(path, error.to_string(), false),
            }
        }
        for (before, at) in pages {
            vouch(&before, &at, output, copy)?;
        }
        bundle.account(scripts, stage, silent, &name);
        Ok(bundle)
    }

    /// What a bundler's plugin has counted, module by module; `silent` as for [`Bundle::make`].
    pub(crate) fn of_modules(modules: Vec<Script>, stage: &Path, own: &Own, silent: &CoverageMap) -> Self {
        let mut bundle = Self::default();
        let name = |source: &str| source_name(source).filter(|name| is_source(name, stage, own));
        bundle.account(modules, stage, silent, &name);
        bundle.instrumented =
            bundle.origins.iter().flat_map(|all| all.sources().files()).map(|file| file.path.clone()).collect();
        bundle
    }

    fn skip(&mut self, path: String, reason: String, third_party: bool) {
        self.skipped.push(SkippedScript { path, reason, third_party });
    }

    /// What the counters are of.
    fn account(
        &mut self,
        scripts: Vec<Script>,
        stage: &Path,
        silent: &CoverageMap,
        name: &dyn Fn(&str) -> Option<String>,
    ) {
        let mapped = scripts.iter().filter_map(|script| Some((&script.coverage, script.map.as_deref()?)));
        let origins = Origins::new(mapped, name).unwrap_or_default();
        let leads = !origins.sources().is_empty();
        if leads {
            let left_out = |file: &&FileCoverage| {
                // What a page's own scripts became is in the built page or in a bundle.
                Kind::from_path(&file.path) != Some(Kind::Html) && origins.sources().get(&file.path).is_none()
            };
            for file in origins.sources().files().chain(silent.files().filter(left_out)) {
                let mut file = file.clone();
                if let Ok(text) = std::fs::read_to_string(stage.join(&file.path)) {
                    name_functions(&mut file, &text);
                    self.sources.insert(file.path.clone(), text);
                }
                self.coverage.add(file);
            }
        }
        for script in scripts.into_iter().filter(|script| !leads || script.map.is_none()) {
            self.sources.insert(script.coverage.path.clone(), script.text);
            self.coverage.add(script.coverage);
        }
        self.origins = leads.then(|| Arc::new(origins));
    }

    /// Whether the figures are of the app's sources.
    pub(crate) fn leads_to_sources(&self) -> bool {
        self.origins.is_some()
    }

    /// Keeps what the coverage is of, for the report.
    pub(crate) fn keep_sources(&self, folder: &Path) -> Result<(), Error> {
        for (path, text) in &self.sources {
            let path = folder.join(path);
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent).map_err(Error::io("create", parent))?;
            }
            std::fs::write(&path, text).map_err(Error::io("write", &path))?;
        }
        Ok(())
    }
}

/// Whether a path is that of a source of the app's own. Of the scripts in a page bundlers do not tell where in it they are.
fn is_source(path: &str, stage: &Path, own: &Own) -> bool {
    own.has(path, stage) && Kind::from_path(path) != Some(Kind::Html) && stage.join(path).is_file()
}

/// Gives functions the names that they have in the source: a minifier takes others.
fn name_functions(file: &mut FileCoverage, source: &str) {
    let lines: Vec<&str> = source.lines().collect();
    for function in file.fn_map.values_mut() {
        let start = function.decl.start;
        let line = usize::try_from(start.line).ok().and_then(|line| lines.get(line.checked_sub(1)?));
        let rest = line.and_then(|line| line.get(usize::try_from(start.column).ok()?..)).unwrap_or_default();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$'))).unwrap_or(rest.len());
        let name = &rest[..end];
        let word = name.starts_with(|c: char| !c.is_ascii_digit());
        if word && !matches!(name, "function" | "async" | "get" | "set" | "static") && !function.name.starts_with('(') {
            name.clone_into(&mut function.name);
        }
    }
}

fn is_served_code(kind: Kind) -> bool {
    matches!(kind, Kind::JavaScript | Kind::Module | Kind::CommonJs | Kind::Html)
}

/// Whether nothing of a built script is the app's own: by its source map, else by its name.
fn is_others(inside: &str, map: Option<&str>, path: &str, name: &dyn Fn(&str) -> Option<String>) -> bool {
    if is_third_party(inside) {
        return true;
    }
    let sources = map.and_then(|map| sources_of(map, path)).filter(|sources| !sources.is_empty());
    match sources {
        Some(sources) => !sources.iter().any(|source| name(source).is_some()),
        None => {
            let file = inside.rsplit('/').next().unwrap_or(inside);
            ["vendor", "polyfill", "framework-", "workbox-", "webpack-runtime"].iter().any(|one| file.starts_with(one))
        }
    }
}

/// Sources of a source map, resolved from the script's path.
fn sources_of(map: &str, path: &str) -> Option<Vec<String>> {
    let map: serde_json::Value = serde_json::from_str(map).ok()?;
    let root = map["sourceRoot"].as_str().unwrap_or_default().trim_end_matches('/');
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let sources = map["sources"].as_array()?.iter().filter_map(serde_json::Value::as_str);
    let resolved = sources.map(|source| {
        let source = if root.is_empty() { source.to_owned() } else { format!("{root}/{source}") };
        if source.starts_with('/') || source.contains("://") {
            return source;
        }
        let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
        for part in source.split('/') {
            match part {
                "" | "." => {}
                ".." if !parts.is_empty() => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        parts.join("/")
    });
    Some(resolved.collect())
}

/// The path within the app of a source that a source map names, as far as its name tells.
fn source_name(source: &str) -> Option<String> {
    let plain = match source.split_once("://") {
        // `webpack://name/./src/main.js`
        Some((_, rest)) => rest.split_once('/').map_or(rest, |(_, path)| path).trim_start_matches("./"),
        None => source,
    };
    let plain = plain.split('?').next().unwrap_or(plain);
    let inside = !plain.is_empty() && plain.split('/').all(|part| !matches!(part, "" | "." | ".."));
    inside.then(|| plain.to_owned())
}

/// The source map of a script: in its last line, or beside it.
fn source_map(script: &Path, text: &str) -> Option<String> {
    let named = text.rsplit_once("sourceMappingURL=").map(|(_, rest)| rest.trim().trim_end_matches("*/").trim());
    let beside = |name: &str| -> Option<PathBuf> {
        let plain = !name.contains("..") && !name.contains("://") && !name.starts_with('/');
        plain.then(|| script.with_file_name(name.split('?').next().unwrap_or(name)))
    };
    if let Some(data) = named.and_then(|name| name.strip_prefix("data:")) {
        let encoded = data.split_once("base64,")?.1;
        let bytes = base64::engine::general_purpose::STANDARD.decode(encoded).ok()?;
        return String::from_utf8(bytes).ok();
    }
    let mut usual = script.as_os_str().to_owned();
    usual.push(".map");
    let candidates = [named.and_then(beside), Some(PathBuf::from(usual))];
    candidates.into_iter().flatten().find_map(|path| std::fs::read_to_string(path).ok())
}

/// Makes the hashes in a page fit the scripts with counters.
fn vouch(before: &str, at: &Path, output: &Path, copy: &Path) -> Result<(), Error> {
    let Ok(after) = std::fs::read_to_string(at) else { return Ok(()) };
    let adjusted = crate::integrity::adjust(before, &after, |source| {
        let path = source.split(['?', '#']).next().unwrap_or_default();
        if path.contains("://") || path.split('/').any(|part| part == "..") {
            return None;
        }
        // Under whatever path it is to be served.
        let mut inside = path.trim_start_matches(['/', '.']);
        while !output.join(inside).is_file() {
            inside = inside.split_once('/')?.1;
        }
        Some((std::fs::read(output.join(inside)).ok()?, std::fs::read(copy.join(inside)).ok()?))
    });
    if adjusted == after { Ok(()) } else { std::fs::write(at, adjusted).map_err(Error::io("write", at)) }
}
