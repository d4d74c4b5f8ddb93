//! How an app is to be brought up.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::{Access, Framework};

/// What of the network outside an app's pages may reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Network {
    /// Nothing.
    None,
    /// Libraries and fonts of the well-known CDNs, answered from the package registry.
    #[default]
    Cdn,
    /// Everything; libraries still come from the package registry.
    Open,
}

/// What one command of an app may use up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Time for an install.
    pub install: Duration,
    /// Time for a build or a check.
    pub build: Duration,
    /// Time until the app's own server answers.
    pub start: Duration,
    /// Resident memory of all processes together, in bytes.
    pub memory: u64,
    /// Processes and threads at a time.
    pub processes: u64,
    /// Size of one file, in bytes.
    pub file: u64,
    /// Size of everything that it writes, in bytes.
    pub disk: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            install: Duration::from_secs(900),
            build: Duration::from_secs(600),
            start: Duration::from_secs(90),
            memory: 6 << 30,
            processes: 1024,
            file: 1 << 30,
            disk: 4 << 30,
        }
    }
}

/// How an app is to be brought up. The default is what the command does without options.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Folder that gets every instrumented file as it was before, under its path within the app.
    pub sources: Option<PathBuf>,
    /// Whether the app's own code gets counters. Without them it runs as it was given, as a black box.
    pub counters: bool,
    /// Whether the checks that the app declares are run too (its scripts for linting, types and tests), for those who judge
    /// its code. Those that are part of its build are run in any case.
    pub declared_checks: bool,
    /// Overrules what is detected.
    pub framework: Option<Framework>,
    /// What the app's pages may reach.
    pub network: Network,
    /// Whether commands of the app run in a sandbox. Without one they can do whatever the user can.
    pub sandbox: bool,
    /// Whether packages may run their install scripts (in the sandbox, without the network).
    pub scripts: bool,
    /// What commands may use up.
    pub limits: Limits,
    /// Folder of what is kept between deployments: packages, and files of CDNs.
    pub cache: PathBuf,
    /// Told of each command before it runs.
    pub progress: Progress,
    /// What it takes to get into an app that runs elsewhere.
    pub access: Option<Access>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            sources: None,
            counters: true,
            declared_checks: false,
            framework: None,
            network: Network::default(),
            sandbox: true,
            scripts: false,
            limits: Limits::default(),
            cache: default_cache(),
            progress: Progress::default(),
            access: None,
        }
    }
}

/// `webeval` in the user's cache folder.
fn default_cache() -> PathBuf {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")));
    base.unwrap_or_else(std::env::temp_dir).join("webeval")
}

/// Somebody who is told of each command before it runs.
#[derive(Clone, Default)]
pub struct Progress(Option<Listener>);

type Listener = Arc<dyn Fn(&str) + Send + Sync>;

impl Progress {
    /// Calls `tell` with a line of text each time.
    pub fn new(tell: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(tell)))
    }

    pub(crate) fn tell(&self, what: &str) {
        if let Some(tell) = &self.0 {
            tell(what);
        }
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Progress(..)" } else { "Progress" })
    }
}
