//! What a `package.json` says.

use std::path::Path;

use serde_json::Value;

/// Folders that hold nobody's own packages.
pub(super) const FOREIGN: &[&str] =
    &["node_modules", "dist", "build", "out", ".next", ".nuxt", ".output", ".svelte-kit", "coverage", "vendor"];

/// A `package.json`, and the folder that it is in.
#[derive(Clone, Debug)]
pub(crate) struct Package {
    /// Path within the app, empty for its root.
    pub(crate) folder: String,
    json: Value,
}

impl Package {
    pub(crate) fn read(root: &Path, folder: &str) -> Option<Self> {
        let bytes = std::fs::read(root.join(folder).join("package.json")).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        let json: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?;
        json.is_object().then(|| Self { folder: folder.to_owned(), json })
    }

    /// All packages of an app, the shallowest first.
    pub(crate) fn all(root: &Path) -> Vec<Self> {
        let walk = walkdir::WalkDir::new(root).max_depth(4).sort_by_file_name().into_iter();
        let kept = |entry: &walkdir::DirEntry| {
            let name = entry.file_name().to_string_lossy();
            entry.depth() == 0 || !(FOREIGN.contains(&name.as_ref()) || name.starts_with('.'))
        };
        let found = walk.filter_entry(kept).filter_map(Result::ok);
        let found = found.filter(|entry| entry.file_type().is_file() && entry.file_name() == "package.json");
        let mut packages: Vec<Self> = found
            .filter_map(|entry| {
                let folder = entry.path().parent()?.strip_prefix(root).ok()?;
                Self::read(root, &super::slashed(folder))
            })
            .collect();
        packages.sort_by_key(|package| (package.depth(), package.folder.clone()));
        packages
    }

    pub(crate) fn depth(&self) -> usize {
        if self.folder.is_empty() { 0 } else { self.folder.split('/').count() }
    }

    pub(crate) fn get(&self, field: &str) -> Option<&Value> {
        self.json.get(field)
    }

    pub(crate) fn text(&self, field: &str) -> Option<&str> {
        self.json.get(field)?.as_str()
    }

    pub(crate) fn script(&self, name: &str) -> Option<&str> {
        self.json.get("scripts")?.get(name)?.as_str().map(str::trim).filter(|script| !script.is_empty())
    }

    /// Whether any script is about a program.
    pub(crate) fn has_script_with(&self, word: &str) -> bool {
        let scripts = self.json.get("scripts").and_then(Value::as_object);
        scripts.is_some_and(|all| all.values().filter_map(Value::as_str).any(|script| has_word(script, word)))
    }

    /// The range that a dependency is asked for in.
    pub(crate) fn depends_on(&self, name: &str) -> Option<&str> {
        ["dependencies", "devDependencies"].iter().find_map(|field| self.json.get(field)?.get(name)?.as_str())
    }

    /// Names and ranges of all dependencies.
    pub(crate) fn dependencies(&self) -> impl Iterator<Item = (&str, &str)> {
        let fields = ["dependencies", "devDependencies", "optionalDependencies"];
        let objects = fields.into_iter().filter_map(|field| self.json.get(field)?.as_object());
        objects.flatten().filter_map(|(name, range)| Some((name.as_str(), range.as_str()?)))
    }

    /// Patterns of the folders that its workspaces are in.
    pub(crate) fn workspaces(&self, root: &Path) -> Vec<String> {
        let field = self.json.get("workspaces");
        let list = field.and_then(|all| all.as_array().or_else(|| all.get("packages")?.as_array()));
        let mut patterns: Vec<String> =
            list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
        if let Ok(text) = std::fs::read_to_string(root.join(&self.folder).join("pnpm-workspace.yaml")) {
            patterns.extend(yaml_list(&text, "packages"));
        }
        patterns
    }
}

/// The entries of a plain list in a YAML file; enough for `pnpm-workspace.yaml`.
fn yaml_list(text: &str, key: &str) -> Vec<String> {
    let mut lines = text.lines().skip_while(|line| !line.starts_with(&format!("{key}:")));
    let _ = lines.next();
    let items = lines.take_while(|line| line.trim().is_empty() || line.starts_with([' ', '-', '#']));
    let items = items.filter_map(|line| line.trim().strip_prefix('-'));
    items.map(|item| item.trim().trim_matches(['"', '\'']).to_owned()).collect()
}

/// Whether a folder is one of a workspace's, by its patterns (`packages/*`, `apps/**`, `web`).
pub(crate) fn is_member(folder: &str, patterns: &[String]) -> bool {
    let matches = |pattern: &str| {
        let parts: Vec<&str> = pattern.trim_start_matches("./").trim_end_matches('/').split('/').collect();
        matches_parts(&folder.split('/').collect::<Vec<_>>(), &parts)
    };
    let (out, into): (Vec<_>, Vec<_>) = patterns.iter().partition(|pattern| pattern.starts_with('!'));
    into.iter().any(|pattern| matches(pattern)) && !out.iter().any(|pattern| matches(&pattern[1..]))
}

fn matches_parts(folder: &[&str], pattern: &[&str]) -> bool {
    match (folder.split_first(), pattern.split_first()) {
        (None, None) => true,
        (_, Some((&"**", rest))) => (0..=folder.len()).any(|skip| matches_parts(&folder[skip..], rest)),
        (Some((name, folder)), Some((part, pattern))) => {
            let fits = match part.split_once('*') {
                Some((start, end)) => {
                    name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
                }
                None => name == part,
            };
            fits && matches_parts(folder, pattern)
        }
        _ => false,
    }
}

/// Whether a shell command has a word in it: `vite` is in `tsc && vite build` and not in `vitest`.
pub(crate) fn has_word(command: &str, word: &str) -> bool {
    command
        .split(|c: char| c.is_whitespace() || matches!(c, '&' | ';' | '|' | '"' | '\'' | '(' | ')' | '/'))
        .any(|one| one == word)
}
