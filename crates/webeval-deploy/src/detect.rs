//! Which framework is it, and which page is opened first?

use std::path::{Path, PathBuf};

use serde_json::Value;
use walkdir::WalkDir;

use crate::locate::is_page;
use crate::stage::is_ignored;
use crate::{App, Error};

/// How an app is made ready to be served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Framework {
    /// HTML, CSS and JavaScript that a server hands out as they are.
    Static,
}

impl Framework {
    /// The name that `run.json` carries.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Static => "static",
        }
    }
}

/// What was found out about an app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detected {
    /// How it is made ready.
    pub framework: Framework,
    /// How that is known.
    pub grounds: String,
    /// Path of the first page within the app, `/` as separator.
    pub entry: String,
}

/// Package whose presence among the dependencies tells the framework, and the framework's name; the first match counts,
/// so that a meta framework is named before the bundler it uses.
const BUILT: &[(&str, &str)] = &[
    ("next", "Next.js"),
    ("nuxt", "Nuxt"),
    ("astro", "Astro"),
    ("@sveltejs/kit", "SvelteKit"),
    ("@angular/core", "Angular"),
    ("react-scripts", "Create React App"),
    ("vite", "Vite"),
    ("parcel", "Parcel"),
    ("webpack", "webpack"),
];

/// Finds out how the app is to be served and which page is its first.
///
/// # Errors
/// [`Error::NeedsBuild`] for an app that only runs after a build, [`Error::NoPage`] without an HTML file.
pub fn detect(app: &App) -> Result<Detected, Error> {
    let found = |entry: String, grounds: &str| {
        Ok(Detected { framework: Framework::Static, grounds: grounds.to_owned(), entry })
    };
    if let Some(name) = &app.only {
        return found(name.clone(), "a single HTML file");
    }
    if let Some((framework, grounds)) = built_with(&app.root) {
        return Err(Error::NeedsBuild { path: app.root.clone(), framework, grounds });
    }
    let pages = pages(&app.root);
    let first = pages.first().ok_or_else(|| Error::NoPage { path: app.root.clone() })?;
    found(first.clone(), "HTML files, and no package.json that names a framework to build with")
}

/// The framework that the app's package.json names, when its page is not usable without a build.
fn built_with(root: &Path) -> Option<(String, String)> {
    let package: Value = serde_json::from_slice(&std::fs::read(root.join("package.json")).ok()?).ok()?;
    package.get("scripts")?.get("build")?;
    let depends_on = |name: &str| {
        ["dependencies", "devDependencies"]
            .iter()
            .any(|field| package.get(field).is_some_and(|all| all.get(name).is_some()))
    };
    let (name, framework) = BUILT.iter().find(|(name, _)| depends_on(name))?;
    Some(((*framework).to_owned(), format!("its package.json has a build script and depends on {name}")))
}

/// The app's pages, the likeliest first page first: by depth, then `index` before others, then by name.
fn pages(root: &Path) -> Vec<String> {
    let entries =
        WalkDir::new(root).into_iter().filter_entry(|entry| entry.depth() == 0 || !is_ignored(entry.file_name()));
    let mut pages: Vec<(usize, bool, String)> = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file() && is_page(&entry.file_name().to_string_lossy()))
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().to_ascii_lowercase();
            (entry.depth(), !name.starts_with("index."), slashed(&relative(root, entry.path())))
        })
        .collect();
    pages.sort();
    pages.into_iter().map(|(_, _, path)| path).collect()
}

pub(crate) fn relative(root: &Path, path: &Path) -> PathBuf {
    path.strip_prefix(root).unwrap_or(path).to_owned()
}

pub(crate) fn slashed(path: &Path) -> String {
    path.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}
