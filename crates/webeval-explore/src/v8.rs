//! Coverage of scripts that run as they are served, from V8's counts.
//!
//! Which scripts an app has is known once it has loaded them: they join the coverage then, and their text is put where
//! the sources of an app with counters are, so that the advisor, the report and a later sitting find it.

use std::collections::{HashMap, HashSet};
use std::path::{Component, Path, PathBuf};

use webeval_browser::{Executed, ScriptRun, ServedPage};
use webeval_evidence::RunDir;
use webeval_instrument::coverage::{Delta, V8Source};
use webeval_instrument::{Kind, Options};

use crate::Error;
use crate::coverage::Ledger;

/// Folder of the texts within the run directory.
const SOURCES: &str = "sources";
/// Most texts that one address is known with: a server may write another script each time.
const MOST_VERSIONS: usize = 4;
/// Most files that join the coverage.
const MOST_FILES: usize = 1000;

/// Tells by its path whether a script is one that the app's author only uses.
pub type Foreign = fn(&str) -> bool;

/// Where a script's program is: the file, and the program in it.
type Place = (usize, usize);

/// The scripts that have been seen.
#[derive(Debug)]
pub(crate) struct Witness {
    folder: PathBuf,
    foreign: Option<Foreign>,
    files: Vec<File>,
    /// Where the scripts are, by V8's names and addresses.
    places: HashMap<(String, String), Place>,
    /// Programs of the page that a script has been found to be. Handlers of the same text are told apart by this alone.
    taken: HashSet<Place>,
    /// Paths and lengths of what could not be read as code.
    refused: HashSet<(String, usize)>,
}

#[derive(Debug)]
struct File {
    /// Its path by its address, a document's with an extension; the coverage may have another, see [`name`].
    address: String,
    is_page: bool,
    source: V8Source,
}

impl File {
    fn is_at(&self, address: &str) -> bool {
        if self.is_page { self.address == page_name(address) } else { self.address == address }
    }
}

impl Witness {
    /// A witness for a run. The texts that earlier sittings have left join the ledger.
    pub(crate) fn new(dir: &RunDir, resumes: bool, foreign: Option<Foreign>, ledger: &mut Ledger) -> Self {
        let mut witness = Self {
            folder: dir.root().join(SOURCES),
            foreign,
            files: Vec::new(),
            places: HashMap::new(),
            taken: HashSet::new(),
            refused: HashSet::new(),
        };
        let mut paths = Vec::new();
        if resumes {
            list(&witness.folder, &mut paths);
        }
        paths.sort();
        for path in paths {
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let Ok(inside) = path.strip_prefix(&witness.folder) else { continue };
            let name = inside.to_string_lossy().into_owned();
            witness.join(&name, &address_of(&name), is_page(&name), &text, ledger);
        }
        witness
    }

    /// Turns what V8 counted into increments, as a page with counters writes them.
    pub(crate) fn read(&mut self, executed: &Executed, ledger: &mut Ledger) -> Result<Vec<String>, Error> {
        let mut increments = Vec::new();
        // What the document before this one still did comes without its text.
        for script in executed.scripts.iter().filter(|script| script.text.is_none()) {
            increments.extend(self.increments(script, ledger)?);
        }
        if executed.new_document {
            self.taken.clear();
        }
        for page in &executed.pages {
            self.meet_page(page, ledger);
        }
        for script in executed.scripts.iter().filter(|script| script.text.is_some()) {
            increments.extend(self.increments(script, ledger)?);
        }
        Ok(increments)
    }

    fn increments(&mut self, script: &ScriptRun, ledger: &mut Ledger) -> Result<Option<String>, Error> {
        let address = address(&script.url);
        if self.foreign.is_some_and(|foreign| foreign(&address)) || is_of_a_dev_server(&address) {
            return Ok(None);
        }
        let Some((file, program)) = self.place(script, &address, ledger) else { return Ok(None) };
        let source = &self.files[file].source;
        let counted = source.count(program, &script.functions);
        if counted.counters.is_empty() {
            return Ok(None);
        }
        let delta: Delta = [(source.coverage().path.clone(), counted)].into_iter().collect();
        serde_json::to_string(&delta).map(Some).map_err(Error::Coverage)
    }

    fn place(&mut self, script: &ScriptRun, address: &str, ledger: &mut Ledger) -> Option<Place> {
        let key = (script.id.clone(), script.url.clone());
        let Some(text) = &script.text else {
            if let Some(place) = self.places.get(&key) {
                return Some(*place);
            }
            // Of a document that is gone: its scripts are told apart by their lengths.
            let length = script.functions.first().and_then(|function| function.ranges.first());
            let length = length.filter(|range| range.start_offset == 0).map(|range| range.end_offset);
            let same = |_: &str, of: u32| Some(of) == length;
            return self.find(address, same);
        };
        let place = match self.find(address, |known, _| known == text) {
            Some(place) => Some(place),
            None => self.meet_script(address, text, ledger),
        };
        if let Some(place) = place {
            self.taken.insert(place);
            self.places.insert(key, place);
        }
        place
    }

    /// The program at an address, one that has not been taken where there are several.
    fn find(&self, address: &str, same: impl Fn(&str, u32) -> bool) -> Option<Place> {
        let files = self.files.iter().enumerate().filter(|(_, file)| file.is_at(address));
        let programs = files.flat_map(|(at, file)| (0..).zip(file.source.programs()).map(move |one| (at, one)));
        let fitting: Vec<Place> = programs
            .filter(|(_, (_, (text, length)))| same(text, *length))
            .map(|(file, (program, _))| (file, program))
            .collect();
        fitting.iter().find(|place| !self.taken.contains(place)).or(fitting.last()).copied()
    }

    /// A script file that has not been seen before. What a page writes into itself while it runs is none.
    fn meet_script(&mut self, address: &str, text: &str, ledger: &mut Ledger) -> Option<Place> {
        let versions = self.files.iter().filter(|file| file.is_at(address));
        if versions.clone().any(|file| file.is_page) || is_page(address) {
            return None;
        }
        let version = versions.count();
        if version >= MOST_VERSIONS || text.trim().is_empty() {
            return None;
        }
        self.add(&name(address, version), address, false, text, ledger)
    }

    /// A document that has not been seen before. Its first version is the one that counts: a server may write another one
    /// each time, and scripts that are the same in both are found in the first.
    fn meet_page(&mut self, page: &ServedPage, ledger: &mut Ledger) {
        let address = address(&page.url);
        let known = self.files.iter().any(|file| file.is_at(&address));
        if known || self.foreign.is_some_and(|foreign| foreign(&address)) {
            return;
        }
        // As the parser of HTML reads it.
        let html = page.html.replace("\r\n", "\n");
        let name = page_name(&address);
        self.add(&name, &name, true, &html, ledger);
    }

    fn add(&mut self, name: &str, address: &str, is_page: bool, text: &str, ledger: &mut Ledger) -> Option<Place> {
        if !self.join(name, address, is_page, text, ledger) {
            return None;
        }
        let path = self.folder.join(name);
        let written = path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(&path, text));
        // Addresses are the app's own affair: one may be a file and a folder at once.
        if let Err(error) = written {
            tracing::debug!(%error, name, "the text of a script is not kept");
        }
        Some((self.files.len() - 1, 0))
    }

    /// Takes a file into the coverage, if there is anything to count in it.
    fn join(&mut self, name: &str, address: &str, is_page: bool, text: &str, ledger: &mut Ledger) -> bool {
        let refused = (name.to_owned(), text.len());
        let plain = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
        if !plain || self.files.len() >= MOST_FILES || self.refused.contains(&refused) {
            return false;
        }
        let mut options = Options::default();
        options.kind = Some(if is_page { Kind::Html } else { Kind::JavaScript });
        match V8Source::new(text, name, &options) {
            Ok(source) if source.coverage().counters() > 0 => {
                ledger.add(source.coverage().clone());
                self.files.push(File { address: address.to_owned(), is_page, source });
                true
            }
            Ok(_) => {
                self.refused.insert(refused);
                false
            }
            Err(error) => {
                tracing::debug!(%error, name, "a script whose places cannot be found");
                self.refused.insert(refused);
                false
            }
        }
    }
}

/// The path of an address within the app, without what it asks.
fn address(url: &str) -> String {
    let path = url.strip_prefix("app:").unwrap_or(url);
    let path = path.split(['?', '#']).next().unwrap_or_default().trim_start_matches('/');
    if path.is_empty() || path.ends_with('/') { format!("{path}index.html") } else { path.to_owned() }
}

/// Whether a path is that of an HTML document, by its name.
fn is_page(path: &str) -> bool {
    Kind::from_path(path) == Some(Kind::Html)
}

/// A document's name in the coverage, from which it can be told that it is one.
fn page_name(address: &str) -> String {
    if is_page(address) { address.to_owned() } else { format!("{address}.html") }
}

/// A script's name in the coverage.
fn name(address: &str, version: usize) -> String {
    if version == 0 { address.to_owned() } else { format!("{address}~{version}") }
}

/// The address that belongs to a name.
fn address_of(name: &str) -> String {
    match name.rsplit_once('~') {
        Some((address, version)) if version.len() == 1 && version.bytes().all(|byte| byte.is_ascii_digit()) => {
            address.to_owned()
        }
        _ => name.to_owned(),
    }
}

/// What development servers add to an app.
fn is_of_a_dev_server(address: &str) -> bool {
    ["@vite/", "@vite-plugin", "@react-refresh", "@id/", "@fs/"].iter().any(|start| address.starts_with(start))
}

/// All files of a folder.
fn list(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => list(&entry.path(), paths),
            Ok(kind) if kind.is_file() => paths.push(entry.path()),
            _ => {}
        }
    }
}
