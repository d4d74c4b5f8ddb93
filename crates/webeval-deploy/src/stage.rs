//! The staged copy, with counters in it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;
use webeval_evidence::SkippedScript;
use webeval_instrument::coverage::CoverageMap;
use webeval_instrument::{Instrumented, Options, instrument};

use crate::detect::{relative, slashed};
use crate::input::{is_page, page_and_its_files};
use crate::{App, Detected, Error, Framework};

/// Most files that are copied.
const MAX_FILES: usize = 50_000;
/// Most bytes that are copied.
const MAX_BYTES: u64 = 2 << 30;

/// What became of a staged app's files.
#[derive(Clone, Debug, Default)]
pub struct Staged {
    /// Every counter of the instrumented files, all at zero.
    pub coverage: CoverageMap,
    /// Files with counters in them, relative to the app.
    pub instrumented: Vec<String>,
    /// Files with scripts that were copied as they are, and why.
    pub skipped: Vec<SkippedScript>,
}

/// Copies the app to `target` and instruments the copy. Links that lead out of the app are left out.
///
/// Of the folder of a single HTML file, the files that the page mentions are staged with it.
///
/// # Errors
/// When a file cannot be read or written, or the app breaks a size limit. A script that cannot be instrumented is
/// copied as it is and listed.
pub fn stage(app: &App, target: &Path, sources: Option<&Path>) -> Result<Staged, Error> {
    let mut staged = Staged::default();
    let (mut files, mut bytes) = (0, 0);
    let mut pages = Vec::new();
    for path in files_of(app)? {
        files += 1;
        bytes += std::fs::metadata(&path).map_err(Error::io("inspect", &path))?.len();
        check_size(app, files, bytes)?;
        let inside = relative(&app.root, &path);
        let to = target.join(&inside);
        create_parent(&to)?;
        if is_page(&slashed(&inside)) {
            pages.push(inside.clone());
        }
        let counted = match app.counters {
            true => counted(&path, &slashed(&inside), app.external),
            false => Counted::NoScript,
        };
        match counted {
            Counted::Yes(original, instrumented) => {
                write(&to, instrumented.code.as_bytes())?;
                if let Some(sources) = sources {
                    let kept = sources.join(&inside);
                    create_parent(&kept)?;
                    write(&kept, original.as_bytes())?;
                }
                let skipped = instrumented.skipped.iter().map(|error| (slashed(&inside), error.to_string()));
                staged.skipped.extend(skipped.map(|(path, reason)| SkippedScript { path, reason, third_party: false }));
                staged.instrumented.push(slashed(&inside));
                staged.coverage.add(instrumented.coverage);
            }
            Counted::No { reason, third_party } => {
                copy_file(&path, &to)?;
                staged.skipped.push(SkippedScript { path: slashed(&inside), reason, third_party });
            }
            Counted::NoScript => copy_file(&path, &to)?,
        }
    }
    if !staged.instrumented.is_empty() {
        pages.iter().try_for_each(|page| vouch(&app.root, target, page))?;
    }
    Ok(staged)
}

/// Makes the hashes of a page fit the scripts as they are staged.
fn vouch(root: &Path, target: &Path, page: &Path) -> Result<(), Error> {
    let to = target.join(page);
    let text = |path: &Path| std::fs::read(path).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let (Some(before), Some(after)) = (text(&root.join(page)), text(&to)) else { return Ok(()) };
    let folder = page.parent().unwrap_or(Path::new(""));
    let adjusted = crate::integrity::adjust(&before, &after, |source| {
        let path = crate::input::inside(folder, source.split(['?', '#']).next().unwrap_or_default())?;
        let pair = (std::fs::read(root.join(&path)).ok()?, std::fs::read(target.join(&path)).ok()?);
        (!source.contains("//")).then_some(pair)
    });
    if adjusted == after { Ok(()) } else { write(&to, adjusted.as_bytes()) }
}

/// Copies an app with packages as it is: no packages, and nothing that a build of the framework makes anew.
pub(crate) fn copy(app: &App, target: &Path, detected: &Detected) -> Result<(), Error> {
    let made: &[&str] = match detected.framework {
        Framework::Node | Framework::Custom | Framework::Webpack => &[],
        _ => &["dist", "build", "out"],
    };
    let made: Vec<PathBuf> = made.iter().map(|name| Path::new(&detected.folder).join(name)).collect();
    let (mut files, mut bytes) = (0, 0);
    for path in files_of(app)? {
        let inside = relative(&app.root, &path);
        let left_out = inside.components().any(|part| {
            let name = part.as_os_str().to_string_lossy();
            [".next", ".nuxt", ".output", ".svelte-kit", ".angular", ".parcel-cache", ".turbo"].contains(&name.as_ref())
        });
        if left_out || made.iter().any(|folder| inside.starts_with(folder)) {
            continue;
        }
        files += 1;
        bytes += std::fs::metadata(&path).map_err(Error::io("inspect", &path))?.len();
        check_size(app, files, bytes)?;
        let to = target.join(&inside);
        create_parent(&to)?;
        copy_file(&path, &to)?;
    }
    Ok(())
}

/// Whether a file got counters.
enum Counted {
    Yes(String, Box<Instrumented>),
    No { reason: String, third_party: bool },
    NoScript,
}

fn counted(path: &Path, inside: &str, external: bool) -> Counted {
    if !is_page(inside) && !is_script(inside) {
        return Counted::NoScript;
    }
    if !external && is_third_party(inside) {
        return Counted::No { reason: "third-party code is not counted".to_owned(), third_party: true };
    }
    let faulty = |reason| Counted::No { reason, third_party: false };
    let original = match std::fs::read(path).map(String::from_utf8) {
        Ok(Ok(text)) => text,
        Ok(Err(error)) => return faulty(format!("not UTF-8: {}", error.utf8_error())),
        Err(error) => return faulty(format!("cannot be read: {error}")),
    };
    match instrument(&original, inside, &Options::default()) {
        Ok(instrumented) if has_nothing_to_count(&instrumented) => Counted::NoScript,
        Ok(instrumented) => Counted::Yes(original, Box::new(instrumented)),
        Err(error) => faulty(error.to_string()),
    }
}

fn has_nothing_to_count(instrumented: &Instrumented) -> bool {
    let coverage = &instrumented.coverage;
    instrumented.skipped.is_empty() && coverage.statement_map.is_empty() && coverage.fn_map.is_empty()
}

/// The files to stage, in a fixed order.
fn files_of(app: &App) -> Result<Vec<PathBuf>, Error> {
    match &app.only {
        Some(only) if is_page(only) => return Ok(page_and_its_files(&app.root, only)),
        Some(only) => return Ok(vec![app.root.join(only)]),
        None => {}
    }
    let mut files = Vec::new();
    let walk = WalkDir::new(&app.root).sort_by_file_name().into_iter();
    let packages = app.root.join("package.json").is_file();
    let kept = |entry: &walkdir::DirEntry| {
        // Packages are installed afresh; of a static app without a list of them, a folder of that name is a part.
        entry.depth() == 0 || !(is_ignored(entry.file_name()) || (packages && entry.file_name() == "node_modules"))
    };
    for entry in walk.filter_entry(kept) {
        let entry = entry.map_err(|error| {
            let path = error.path().unwrap_or(&app.root).to_owned();
            Error::io("read", path)(error.into())
        })?;
        let inside = || entry.path().canonicalize().is_ok_and(|real| real.starts_with(&app.root));
        let is_link = entry.path_is_symlink();
        if entry.file_type().is_file() || (is_link && entry.path().is_file() && inside()) {
            files.push(entry.into_path());
        }
    }
    Ok(files)
}

/// What is never part of an app that is served.
pub(crate) fn is_ignored(name: &OsStr) -> bool {
    [".git", ".hg", ".svn", ".DS_Store"].iter().any(|ignored| name == *ignored)
}

fn is_script(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    [".js", ".mjs", ".cjs"].iter().any(|extension| lower.ends_with(extension))
}

/// Whether a file, by its path within the app, is code that the app's author only uses: in a package folder, or minified by
/// its usual name.
#[must_use]
pub fn is_third_party(path: &str) -> bool {
    const FOLDERS: &[&str] = &["node_modules", "bower_components", "jspm_packages", "vendor", "third_party"];
    path.split('/').any(|part| FOLDERS.contains(&part)) || path.ends_with(".min.js") || path.ends_with(".min.mjs")
}

fn check_size(app: &App, files: usize, bytes: u64) -> Result<(), Error> {
    let limit = if files > MAX_FILES {
        format!("{MAX_FILES} files")
    } else if bytes > MAX_BYTES {
        format!("{} GiB", MAX_BYTES >> 30)
    } else {
        return Ok(());
    };
    Err(Error::TooLarge { path: app.root.clone(), limit })
}

fn create_parent(path: &Path) -> Result<(), Error> {
    match path.parent() {
        Some(parent) => std::fs::create_dir_all(parent).map_err(Error::io("create", parent)),
        None => Ok(()),
    }
}

fn write(path: &Path, content: &[u8]) -> Result<(), Error> {
    std::fs::write(path, content).map_err(Error::io("write", path))
}

fn copy_file(from: &Path, to: &Path) -> Result<(), Error> {
    std::fs::copy(from, to).map(drop).map_err(Error::io("copy", from))
}
