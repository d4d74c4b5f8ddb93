//! Which files of a project are the app's own code, and which of those only ever run on a server.

use std::collections::BTreeSet;
use std::path::Path;

use webeval_instrument::Kind;

use crate::detect::{Detected, Framework};

/// Folders of code that is the author's but not part of the app: tests, tools, and what others wrote.
const APART: &[&str] = &[
    "node_modules",
    "bower_components",
    "jspm_packages",
    "vendor",
    "third_party",
    "__tests__",
    "__mocks__",
    "tests",
    "test",
    "e2e",
    "cypress",
    "playwright",
    "coverage",
    "storybook-static",
    "dist",
    "build",
    "out",
];

/// Folders beside a front end that hold code of another program.
const BESIDE: &[&str] =
    &["scripts", "server", "backend", "api", "supabase", "netlify", "functions", "tools", "docs", "bin", "migrations"];

/// Tells the app's own code from the rest.
#[derive(Clone, Debug)]
pub(crate) struct Own {
    framework: Framework,
    /// Folders of packages whose sources are part of the app: its own, and those of its workspace that it uses.
    folders: Vec<String>,
    /// Folders that belong to another program.
    others: Vec<String>,
    /// Whether only what runs on a server is meant.
    server_only: bool,
    /// Files of a server that the app has in its own package.
    server: BTreeSet<String>,
}

impl Own {
    pub(crate) fn new(detected: &Detected, used: Vec<String>) -> Self {
        let mut folders = used;
        folders.push(detected.folder.clone());
        Self { framework: detected.framework, folders, others: Vec::new(), server_only: false, server: BTreeSet::new() }
    }

    /// Without the folders of other programs.
    pub(crate) fn without(self, others: Vec<String>) -> Self {
        Self { others, ..self }
    }

    /// Of a server whose pages are not looked at.
    pub(crate) fn server_only(self, server_only: bool) -> Self {
        Self { server_only, ..self }
    }

    /// With files, by their paths within what was given, of a server in its own package.
    pub(crate) fn with_server(self, server: BTreeSet<String>) -> Self {
        Self { server, ..self }
    }

    /// Whether a file, by its path within what was given, gets counters.
    pub(crate) fn has(&self, path: &str, root: &Path) -> bool {
        let Some(kind) = Kind::from_path(path) else { return false };
        let Some((folder, inside)) = self.inside(path) else { return false };
        let of_another = |other: &String| path.strip_prefix(other.as_str()).is_some_and(|rest| rest.starts_with('/'));
        if self.others.iter().any(of_another) || (self.server_only && !self.is_server_side(path)) {
            return false;
        }
        let name = inside.rsplit('/').next().unwrap_or(inside);
        let mut folders = inside.split('/').rev().skip(1);
        if folders.any(|part| APART.contains(&part) || part.starts_with('.')) || is_apart(name) {
            return false;
        }
        if self.is_server_side(path) {
            return !kind.is_document() || self.framework == Framework::Node;
        }
        let top = inside.split('/').next().unwrap_or_default();
        if self.framework != Framework::Node && inside.contains('/') && BESIDE.contains(&top) {
            return false;
        }
        if kind == Kind::Html && !self.has_page(inside, top) {
            return false;
        }
        // Where there is a folder for sources, a script at the top configures something or runs by hand.
        let at_top = !inside.contains('/') && kind != Kind::Html;
        !(at_top && self.framework == Framework::Vite && root.join(folder).join("src").is_dir())
    }

    /// Whether an HTML file is a page, and not a template of the framework's own kind.
    fn has_page(&self, inside: &str, top: &str) -> bool {
        match self.framework {
            Framework::Vite | Framework::Parcel => !inside.contains('/') || top == "public",
            Framework::Angular | Framework::SvelteKit | Framework::CreateReactApp => false,
            _ => top == "public" || self.framework == Framework::Node || !inside.contains('/'),
        }
    }

    /// Whether a file's code runs on a server only.
    pub(crate) fn is_server_side(&self, path: &str) -> bool {
        if self.server.contains(path) {
            return true;
        }
        let Some((_, inside)) = self.inside(path) else { return false };
        let name = inside.rsplit('/').next().unwrap_or(inside);
        let inside = inside.strip_prefix("src/").unwrap_or(inside);
        match self.framework {
            Framework::Next => {
                let stem = name.split('.').next().unwrap_or_default();
                (inside.starts_with("app/") && stem == "route")
                    || inside.starts_with("pages/api/")
                    || (!inside.contains('/') && matches!(stem, "middleware" | "proxy" | "instrumentation"))
            }
            Framework::SvelteKit => {
                name.contains(".server.")
                    || name.starts_with("+server.")
                    || inside.starts_with("lib/server/")
                    || inside.starts_with("hooks.server")
            }
            Framework::Nuxt => inside.starts_with("server/"),
            Framework::Astro => {
                let script = Kind::from_path(name).is_some_and(|kind| !kind.is_document());
                inside.starts_with("middleware") || (inside.starts_with("pages/") && script)
            }
            Framework::Node => {
                let public = ["public/", "static/", "client/", "www/", "assets/", "frontend/"];
                !(public.iter().any(|folder| inside.starts_with(folder) || inside.contains(&format!("/{folder}")))
                    || crate::input::is_page(name))
            }
            _ => false,
        }
    }

    /// The package that a file is in, and its path there.
    fn inside<'p>(&self, path: &'p str) -> Option<(&str, &'p str)> {
        let places = self.folders.iter().filter_map(|folder| match folder.as_str() {
            "" => Some(("", path)),
            folder => Some((folder, path.strip_prefix(folder)?.strip_prefix('/')?)),
        });
        places.max_by_key(|(folder, _)| folder.len())
    }
}

/// Files that configure or test something, by their names.
fn is_apart(name: &str) -> bool {
    let parts: Vec<&str> = name.split('.').collect();
    let middle = parts.get(1..parts.len().saturating_sub(1)).unwrap_or_default();
    middle.iter().any(|part| {
        matches!(*part, "config" | "conf" | "test" | "tests" | "spec" | "stories" | "story" | "min" | "setup")
    }) || name.starts_with('.')
        || matches!(parts[0], "gulpfile" | "Gruntfile" | "setupTests" | "reportWebVitals" | "vite-env" | "next-env")
}
