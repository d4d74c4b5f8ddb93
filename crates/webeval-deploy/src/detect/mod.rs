//! Which framework is it, and which page is opened first?

mod package;

use std::path::{Path, PathBuf};

use walkdir::WalkDir;

pub(crate) use package::{Package, has_word};

use crate::input::is_page;
use crate::stage::is_ignored;
use crate::{App, Error};

/// How an app is made ready to be served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Framework {
    /// HTML, CSS and JavaScript that a server hands out as they are.
    Static,
    /// A server of its own, started by its start script.
    Node,
    /// Vite, with whatever library.
    Vite,
    /// Next.js.
    Next,
    /// Create React App.
    CreateReactApp,
    /// Astro.
    Astro,
    /// SvelteKit.
    SvelteKit,
    /// Nuxt.
    Nuxt,
    /// Angular.
    Angular,
    /// Parcel.
    Parcel,
    /// webpack, by the app's own build script.
    Webpack,
    /// Some other build script.
    Custom,
}

/// All frameworks with the names that `run.json` and the command line have for them.
const NAMES: &[(Framework, &str)] = &[
    (Framework::Static, "static"),
    (Framework::Node, "node"),
    (Framework::Vite, "vite"),
    (Framework::Next, "next"),
    (Framework::CreateReactApp, "create-react-app"),
    (Framework::Astro, "astro"),
    (Framework::SvelteKit, "sveltekit"),
    (Framework::Nuxt, "nuxt"),
    (Framework::Angular, "angular"),
    (Framework::Parcel, "parcel"),
    (Framework::Webpack, "webpack"),
    (Framework::Custom, "custom"),
];

impl Framework {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        NAMES.iter().map(|(framework, _)| *framework)
    }

    /// The name that `run.json` carries.
    #[must_use]
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(framework, _)| *framework == self).map_or("unknown", |(_, name)| name)
    }

    /// Whether what it makes is what people see, and not perhaps something behind it.
    fn is_front_end(self) -> bool {
        !matches!(self, Self::Node | Self::Custom)
    }

    /// The framework of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        NAMES.iter().find(|(_, known)| *known == name).map(|(framework, _)| *framework)
    }
}

/// What was found out about an app.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Detected {
    /// How it is made ready.
    pub framework: Framework,
    /// How that is known.
    pub grounds: String,
    /// Path of the first page within the app, `/` as separator; empty for what is served at `/`.
    pub entry: String,
    /// Folder of the package that is the app, within what was given; empty for its root.
    pub folder: String,
    /// Folder that its dependencies are installed from: that of the workspace that it is part of, or its own.
    pub workspace: String,
}

/// Package whose presence among the dependencies tells the framework; the first match counts, so that a meta framework
/// is named before the bundler it uses.
const BUILT: &[(&str, Framework)] = &[
    ("next", Framework::Next),
    ("nuxt", Framework::Nuxt),
    ("astro", Framework::Astro),
    ("@sveltejs/kit", Framework::SvelteKit),
    ("@angular/core", Framework::Angular),
    ("react-scripts", Framework::CreateReactApp),
    ("vite", Framework::Vite),
    ("parcel", Framework::Parcel),
    ("webpack", Framework::Webpack),
];

/// Packages that servers are written with.
pub(crate) const SERVERS: &[&str] = &["express", "fastify", "koa", "@hapi/hapi", "hono", "polka", "restify", "h3"];

/// Names that the front end of an app with several packages goes by, the likeliest first.
const FRONT: &[&str] = &["frontend", "client", "web", "app", "webapp", "ui", "site", "www", "front"];

/// Finds out how the app is to be served and which page is its first.
///
/// # Errors
/// [`Error::NoPage`] when there is neither a page nor a package that could be built or started.
pub fn detect(app: &App) -> Result<Detected, Error> {
    if let Some(name) = &app.only {
        return Ok(still(name.clone(), "a single HTML file"));
    }
    let packages = Package::all(&app.root);
    let root = packages.first().filter(|package| package.folder.is_empty());
    let known = root.and_then(|package| classify(&app.root, package).map(|found| (package, found)));
    let known = match known {
        Some((package, (framework, grounds))) if framework.is_front_end() => {
            return Ok(found(&app.root, &packages, package, framework, grounds));
        }
        None if pages_in(&app.root) => {
            let grounds = "an HTML file at the top, and no package.json that names a framework to build with";
            return entry(app).map(|entry| still(entry, grounds));
        }
        known => known,
    };
    let mut nested: Vec<(&Package, (Framework, String))> = packages
        .iter()
        .filter(|package| !package.folder.is_empty())
        .filter_map(|package| classify(&app.root, package).map(|found| (package, found)))
        .collect();
    nested.sort_by_key(|(package, (framework, _))| {
        let name = package.folder.rsplit('/').next().unwrap_or_default();
        let liking = FRONT.iter().position(|front| *front == name).unwrap_or(FRONT.len());
        (!framework.is_front_end(), package.depth(), liking, package.folder.clone())
    });
    // A server alone is the app; beside a front end it is its back end.
    let front = nested.iter().position(|(_, (framework, _))| framework.is_front_end());
    let chosen = front.map(|at| nested.swap_remove(at)).or(known).or_else(|| nested.into_iter().next());
    match chosen {
        Some((package, (framework, grounds))) => Ok(found(&app.root, &packages, package, framework, grounds)),
        None => {
            entry(app).map(|entry| still(entry, "HTML files, and no package.json that names a framework to build with"))
        }
    }
}

/// As [`detect`], but the framework is given.
///
/// # Errors
/// As [`detect`], and [`Error::NoPackage`] when something is to be built and there is no `package.json`.
pub fn detect_as(app: &App, framework: Framework) -> Result<Detected, Error> {
    let grounds = "the command line says so";
    if framework == Framework::Static {
        let entry = app.only.clone().map_or_else(|| entry(app), Ok)?;
        return Ok(still(entry, grounds));
    }
    let packages = Package::all(&app.root);
    let detected = detect(app).ok().filter(|detected| detected.framework != Framework::Static);
    let package = match &detected {
        Some(detected) => packages.iter().find(|package| package.folder == detected.folder),
        None => packages.first(),
    };
    let package = package.ok_or_else(|| Error::NoPackage { path: app.root.clone(), framework: framework.name() })?;
    Ok(found(&app.root, &packages, package, framework, grounds.to_owned()))
}

/// Folder of a server that belongs to a front end and is a program of its own.
pub(crate) fn server_beside(root: &Path, detected: &Detected) -> Option<String> {
    let packages = Package::all(root);
    let others = packages.iter().filter(|package| package.folder != detected.folder);
    let mut servers = others.filter(|package| matches!(classify(root, package), Some((Framework::Node, _))));
    servers.next().filter(|_| detected.framework.is_front_end()).map(|package| package.folder.clone())
}

fn still(entry: String, grounds: &str) -> Detected {
    Detected {
        framework: Framework::Static,
        grounds: grounds.to_owned(),
        entry,
        folder: String::new(),
        workspace: String::new(),
    }
}

fn found(root: &Path, all: &[Package], package: &Package, framework: Framework, grounds: String) -> Detected {
    let place = if package.folder.is_empty() {
        "its package.json".to_owned()
    } else {
        format!("{}/package.json", package.folder)
    };
    let workspace = all.iter().find(|parent| {
        let inside = parent.folder.is_empty() || package.folder.starts_with(&format!("{}/", parent.folder));
        let below = package.folder.strip_prefix(&parent.folder).unwrap_or_default().trim_start_matches('/');
        inside && !below.is_empty() && package::is_member(below, &parent.workspaces(root))
    });
    let mut grounds = grounds.replace("{}", &place);
    if let Some(parent) = workspace {
        let of = if parent.folder.is_empty() { "the root" } else { &parent.folder };
        grounds = format!("{grounds}; a workspace of {of}");
    }
    Detected {
        framework,
        grounds,
        entry: String::new(),
        folder: package.folder.clone(),
        workspace: workspace.map_or(&package.folder, |parent| &parent.folder).clone(),
    }
}

/// What a package is, when it is an app. `{}` in the grounds stands for its file.
fn classify(root: &Path, package: &Package) -> Option<(Framework, String)> {
    let folder = root.join(&package.folder);
    for (name, framework) in BUILT {
        if package.depends_on(name).is_none() {
            continue;
        }
        let used = match framework {
            // Its test runner brings Vite along.
            Framework::Vite => package.has_script_with("vite") || has_config(&folder, "vite.config"),
            Framework::Webpack | Framework::Parcel => package.script("build").is_some_and(|script| {
                has_word(script, name) || has_word(script, "webpack-cli") || has_config(&folder, "webpack.config")
            }),
            _ => true,
        };
        if used {
            return Some((*framework, format!("{{}} depends on {name}")));
        }
    }
    if let Some(start) = package.script("start").filter(|start| starts_node(start)) {
        return Some((Framework::Node, format!("the start script of {{}} is {start:?}")));
    }
    let server = SERVERS.iter().find(|name| package.depends_on(name).is_some());
    if let Some(server) = server.filter(|_| main_file(&folder, package).is_some()) {
        return Some((Framework::Node, format!("{{}} depends on {server}")));
    }
    match package.script("build") {
        Some(build) if !pages_in(&folder) && !package.folder.contains("packages/") => Some((
            Framework::Custom,
            format!("the build script of {{}} is {build:?}, and there is no HTML file beside it"),
        )),
        _ => None,
    }
}

/// Whether a start script starts a server written for Node.js.
pub(crate) fn starts_node(script: &str) -> bool {
    const RUNNERS: &[&str] = &["node", "nodemon", "tsx", "ts-node", "bun"];
    let first = script.split("&&").last().unwrap_or_default();
    let mut words =
        first.split_whitespace().filter(|word| !word.contains('=') && *word != "cross-env" && *word != "npx");
    words.next().is_some_and(|word| RUNNERS.contains(&word))
}

/// The file that a server starts with, when no script says so.
pub(crate) fn main_file(folder: &Path, package: &Package) -> Option<String> {
    let usual = ["server.js", "server.mjs", "index.js", "index.mjs", "app.js", "src/server.js", "src/index.js"];
    let named = package.text("main").into_iter();
    named.chain(usual).find(|name| folder.join(name).is_file()).map(str::to_owned)
}

/// Whether a file, by its name, holds code or styles.
pub(crate) fn is_code(name: &str) -> bool {
    let endings =
        ["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte", "astro", "css", "scss", "html"];
    name.rsplit_once('.').is_some_and(|(_, ending)| endings.contains(&ending))
}

fn has_config(folder: &Path, stem: &str) -> bool {
    ["js", "ts", "mjs", "mts", "cjs", "cts"].iter().any(|ending| folder.join(format!("{stem}.{ending}")).is_file())
}

/// Whether there is a page right in a folder.
fn pages_in(folder: &Path) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    entries.into_iter().any(|entry| is_page(&entry.file_name().to_string_lossy()))
}

fn entry(app: &App) -> Result<String, Error> {
    pages(&app.root).into_iter().next().ok_or_else(|| Error::NoPage { path: app.root.clone() })
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
