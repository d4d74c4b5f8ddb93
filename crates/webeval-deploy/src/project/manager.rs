//! Which package manager an app is written for, and the commands to try with it.

use std::path::Path;

use super::tools::Tool;
use crate::detect::{Package, has_word};

/// A package manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Npm,
    Pnpm,
    /// Version 1.
    Yarn,
    /// Version 2 and later, whose lock file and settings are others.
    Berry,
    Bun,
}

impl Kind {
    /// By the name of its program.
    pub(crate) fn called(name: &str) -> Option<Self> {
        match name {
            "npm" => Some(Self::Npm),
            "pnpm" => Some(Self::Pnpm),
            "yarn" => Some(Self::Yarn),
            "bun" => Some(Self::Bun),
            _ => None,
        }
    }
}

/// A package manager and what is known of its version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Manager {
    pub(crate) kind: Kind,
    /// What to fetch it by; none for npm, which comes with Node.js.
    pub(crate) tool: Option<Tool>,
    /// Its lock file, when there is one.
    pub(crate) lock: Option<&'static str>,
}

const LOCKS: &[(&str, Kind)] = &[
    ("package-lock.json", Kind::Npm),
    ("npm-shrinkwrap.json", Kind::Npm),
    ("pnpm-lock.yaml", Kind::Pnpm),
    ("yarn.lock", Kind::Yarn),
    ("bun.lock", Kind::Bun),
    ("bun.lockb", Kind::Bun),
];

impl Manager {
    pub(crate) const NPM: Self = Self { kind: Kind::Npm, tool: None, lock: None };

    /// By the `packageManager` field and the lock files of a folder; where it has neither, as its instructions say.
    pub(crate) fn of(folder: &Path, package: &Package, instructed: Option<Kind>) -> Self {
        let field = package.text("packageManager").and_then(|text| text.split('+').next()?.split_once('@'));
        let named = field.and_then(|(name, _)| Kind::called(name));
        let there: Vec<_> = LOCKS.iter().filter(|(name, _)| folder.join(name).is_file()).collect();
        let lock = there.iter().find(|(_, kind)| Some(*kind) == named).or(there.first().filter(|_| named.is_none()));
        let kind = named.or(lock.map(|(_, kind)| *kind)).or(instructed).unwrap_or(Kind::Npm);
        let lock = lock.map(|(name, _)| *name);
        let exact = field.map(|(_, version)| version.to_owned());
        let or = |usual: &str| exact.clone().unwrap_or_else(|| usual.to_owned());
        let (kind, tool) = match kind {
            Kind::Npm => (kind, None),
            Kind::Pnpm => (kind, Some(Tool::package("pnpm", &or(pnpm_version(folder))))),
            Kind::Bun => (kind, Some(Tool::bun(&or("latest")))),
            _ if exact.as_ref().is_none_or(|version| version.starts_with('1')) && !is_berry(folder) => {
                (Kind::Yarn, Some(Tool::package("yarn", &or("1.22.22"))))
            }
            _ => (Kind::Berry, Some(Tool::package("@yarnpkg/cli-dist", &or(berry_version(folder))))),
        };
        Self { kind, tool, lock }
    }

    /// Commands to try, in order, until one works; `asked`, all of them, come first. None of them runs scripts, neither those of
    /// packages nor the app's own: installs have the network.
    pub(crate) fn commands(&self, asked: &[String]) -> Vec<String> {
        let own: Vec<&str> = match (self.kind, self.lock) {
            (Kind::Npm, Some(_)) => vec!["npm ci"],
            (Kind::Npm, None) => Vec::new(),
            (Kind::Pnpm, Some(_)) => vec!["pnpm install --frozen-lockfile", "pnpm install --no-frozen-lockfile"],
            (Kind::Pnpm, None) => vec!["pnpm install"],
            (Kind::Yarn, Some(_)) => {
                vec!["yarn install --frozen-lockfile --non-interactive", "yarn install --non-interactive"]
            }
            (Kind::Yarn, None) => vec!["yarn install --non-interactive"],
            (Kind::Berry, Some(_)) => vec!["yarn install --immutable", "yarn install --no-immutable"],
            (Kind::Berry, None) => vec!["yarn install --no-immutable"],
            (Kind::Bun, Some(_)) => vec!["bun install --frozen-lockfile", "bun install"],
            (Kind::Bun, None) => vec!["bun install"],
        };
        let safe = |line: &str| format!("{line}{}", self.without_scripts(line));
        let asked: Vec<String> = asked.iter().map(|line| safe(line)).collect();
        let usual = ["npm install", "npm install --legacy-peer-deps", "npm install --force"];
        let first = (!asked.is_empty()).then(|| asked.join(" && "));
        first.into_iter().chain(own.into_iter().chain(usual).map(safe)).collect()
    }

    /// What has to be said for a command to run no scripts, where settings do not do.
    fn without_scripts(&self, line: &str) -> &'static str {
        match line.split_whitespace().next().and_then(Kind::called) {
            Some(Kind::Bun | Kind::Pnpm) => " --ignore-scripts",
            Some(Kind::Yarn) if self.kind == Kind::Berry => match &self.tool {
                Some(tool) if tool.is_version("2") => " --skip-builds",
                _ => " --mode=skip-build",
            },
            _ => "",
        }
    }
}

/// Whether a script of the package runs by bun, whatever installs its packages.
pub(crate) fn runs_bun(package: &Package) -> bool {
    let scripts = package.get("scripts").and_then(serde_json::Value::as_object);
    let mut lines = scripts.into_iter().flat_map(|all| all.values()).filter_map(serde_json::Value::as_str);
    lines.any(|line| has_word(line, "bun") || has_word(line, "bunx"))
}

/// The version whose lock file it is.
fn pnpm_version(folder: &Path) -> &'static str {
    let text = std::fs::read_to_string(folder.join("pnpm-lock.yaml")).unwrap_or_default();
    let first = text.lines().find_map(|line| line.strip_prefix("lockfileVersion:"));
    match first.map(|version| version.trim().trim_matches(['"', '\''])) {
        Some(version) if version.starts_with('5') => "7",
        Some(version) if version.starts_with('6') => "8",
        _ => "9",
    }
}

fn is_berry(folder: &Path) -> bool {
    let lock = std::fs::read_to_string(folder.join("yarn.lock")).unwrap_or_default();
    folder.join(".yarnrc.yml").is_file() || lock.contains("__metadata:")
}

/// The version whose lock file it is; the latest one reads all of them, but it rewrites what older ones wrote.
fn berry_version(folder: &Path) -> &'static str {
    let text = std::fs::read_to_string(folder.join("yarn.lock")).unwrap_or_default();
    let format = text.lines().find_map(|line| line.strip_prefix("  version: ")?.trim().parse::<u32>().ok());
    match format {
        Some(..=5) => "2",
        Some(6 | 7) => "3",
        _ => "4",
    }
}
