//! Which package manager an app is written for, and the commands to try with it.

use std::path::Path;

use crate::detect::Package;

/// A package manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Npm,
    Pnpm,
    Yarn,
    /// Known by its lock file, which npm cannot read: npm installs in its place.
    Other(&'static str),
}

/// A package manager and what is known of its version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Manager {
    pub(crate) kind: Kind,
    /// Package and version to fetch it by; none for npm, which comes with Node.js.
    pub(crate) package: Option<String>,
    /// Its lock file, when there is one.
    pub(crate) lock: Option<&'static str>,
}

const LOCKS: &[(&str, Kind)] = &[
    ("package-lock.json", Kind::Npm),
    ("npm-shrinkwrap.json", Kind::Npm),
    ("pnpm-lock.yaml", Kind::Pnpm),
    ("yarn.lock", Kind::Yarn),
    ("bun.lock", Kind::Other("bun")),
    ("bun.lockb", Kind::Other("bun")),
];

impl Manager {
    /// By the `packageManager` field and the lock files of a folder.
    pub(crate) fn of(folder: &Path, package: &Package) -> Self {
        let field = package.text("packageManager").and_then(|text| text.split('+').next()?.split_once('@'));
        let named = field.and_then(|(name, _)| match name {
            "npm" => Some(Kind::Npm),
            "pnpm" => Some(Kind::Pnpm),
            "yarn" => Some(Kind::Yarn),
            "bun" => Some(Kind::Other("bun")),
            _ => None,
        });
        let there: Vec<_> = LOCKS.iter().filter(|(name, _)| folder.join(name).is_file()).collect();
        let lock = there.iter().find(|(_, kind)| Some(*kind) == named).or(there.first().filter(|_| named.is_none()));
        let kind = named.or(lock.map(|(_, kind)| *kind)).unwrap_or(Kind::Npm);
        let lock = lock.map(|(name, _)| *name);
        let exact = field.map(|(_, version)| version.to_owned());
        match kind {
            Kind::Pnpm => {
                let version = exact.unwrap_or_else(|| pnpm_version(folder).to_owned());
                Self { kind, package: Some(format!("pnpm@{version}")), lock }
            }
            Kind::Yarn if exact.as_ref().is_none_or(|version| version.starts_with('1')) && !is_berry(folder) => {
                Self { kind, package: Some(format!("yarn@{}", exact.unwrap_or_else(|| "1.22.22".to_owned()))), lock }
            }
            Kind::Yarn => Self { kind: Kind::Other("yarn of version 2 or later"), package: None, lock },
            kind => Self { kind, package: None, lock },
        }
    }

    /// Commands to try, in order, until one works.
    pub(crate) fn commands(&self) -> Vec<&'static str> {
        let mut commands: Vec<&str> = match (self.kind, self.lock) {
            (Kind::Npm, Some(_)) => vec!["npm ci"],
            (Kind::Pnpm, Some(_)) => vec!["pnpm install --frozen-lockfile", "pnpm install --no-frozen-lockfile"],
            (Kind::Pnpm, None) => vec!["pnpm install"],
            (Kind::Yarn, Some(_)) => {
                vec!["yarn install --frozen-lockfile --non-interactive", "yarn install --non-interactive"]
            }
            (Kind::Yarn, None) => vec!["yarn install --non-interactive"],
            _ => Vec::new(),
        };
        commands.extend(["npm install", "npm install --legacy-peer-deps", "npm install --force"]);
        commands
    }
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
