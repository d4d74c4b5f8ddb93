//! `run.json`: what was run, with what, and how far it got.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The content of `run.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunRecord {
    /// [`crate::FORMAT`] when it was written.
    pub format: u32,
    /// Version of webeval that wrote it.
    pub webeval: String,
    /// The application.
    pub app: AppSource,
    /// The request that the application was made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requirement: Option<String>,
    /// How it was run.
    pub settings: Settings,
    /// What it was run on; none before the browser has started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<Environment>,
    /// Who counted what the application's code ran while it was explored; nobody where there is no coverage, and before
    /// that stage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage_by: Option<CoverageBy>,
    /// How the application was brought up; none before that stage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deployment: Option<Deployment>,
    /// Code of the app that ran and is not in the coverage, in words: of workers, of frames within sandboxed frames.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uncounted: Vec<String>,
    /// Status and timing of each stage that has begun.
    #[serde(default)]
    pub stages: BTreeMap<Stage, StageRecord>,
}

/// Where the application comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum AppSource {
    /// One HTML file.
    HtmlFile {
        /// Its path.
        path: String,
    },
    /// A folder.
    Folder {
        /// Its path.
        path: String,
    },
    /// A packed folder.
    Archive {
        /// Its path.
        path: String,
    },
    /// A model's reply in markdown, with the app's files in it.
    Markdown {
        /// Its path.
        path: String,
    },
    /// Something that is running already: black box, never instrumented.
    Url {
        /// Its address.
        url: String,
    },
}

/// A viewport in CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Viewport {
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}

impl Default for Viewport {
    fn default() -> Self {
        Self { width: 1280, height: 800 }
    }
}

/// Who explores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum TesterKind {
    /// The built-in tester, which needs no model.
    #[default]
    BuiltIn,
    /// A choice by chance among everything that can be done.
    Random,
    /// The model.
    Model,
}

/// Who turns uncovered code into hints after a plateau (WebCraftBench §4.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum AdvisorKind {
    /// The built-in advisor, which needs no model.
    #[default]
    BuiltIn,
    /// The model.
    Model,
    /// Nobody: exploration without guidance.
    Off,
}

/// How a run is done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Settings {
    /// Most interactions to make (WebCraftBench §4.2: 100).
    pub steps: u32,
    /// Seed of everything random.
    pub seed: u64,
    /// Size of the page.
    pub viewport: Viewport,
    /// Longest time a single step may take, in milliseconds.
    pub step_timeout_ms: u64,
    /// Model that tests, advises and judges where it is asked to; none for the built-in tester and the rule judge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Who explores.
    #[serde(default)]
    pub tester: TesterKind,
    /// Whose hints reach the tester after a plateau.
    #[serde(default)]
    pub advisor: AdvisorKind,
    /// Whether the determinism kit was on: chance from the seed, a clock that moves only by what the exploration gives it.
    #[serde(default)]
    pub deterministic: bool,
    /// Whether scripts that the app's author only uses are kept out of the coverage.
    #[serde(default = "yes")]
    pub exclude_external: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            steps: 100,
            seed: 0,
            viewport: Viewport::default(),
            step_timeout_ms: 15_000,
            model: None,
            tester: TesterKind::default(),
            advisor: AdvisorKind::default(),
            deterministic: false,
            exclude_external: true,
        }
    }
}

fn yes() -> bool {
    true
}

/// What a run was done on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Environment {
    /// Browser name and version.
    pub browser: String,
    /// Driver name and version.
    pub driver: String,
    /// Operating system and architecture.
    pub system: String,
}

/// Whether, and where, the app's own code got its counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DeployMode {
    /// In its source, before it was built or served.
    #[default]
    #[serde(rename = "source", alias = "instrumented")]
    Instrumented,
    /// By a plugin of its bundler.
    Plugin,
    /// In the bundles that its build made.
    Bundle,
    /// Nowhere: it runs as it is.
    BlackBox,
}

impl DeployMode {
    /// The name that people read.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Instrumented => "source",
            Self::Plugin => "plugin",
            Self::Bundle => "bundle",
            Self::BlackBox => "black-box",
        }
    }
}

/// Who counts what an app's code runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CoverageBy {
    /// Counters that were put into the code; [`Deployment::mode`] says where.
    Counters,
    /// The browser's JavaScript engine, in the scripts as they are served: compiled and minified ones count as such, and a
    /// script counts from when it has been loaded.
    V8,
}

/// A script that is served as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkippedScript {
    /// Its path within the app.
    pub path: String,
    /// Why it was not instrumented, with line and column where known.
    pub reason: String,
    /// Left alone on purpose, since the app's author only uses it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub third_party: bool,
}

/// What a command was run for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StepKind {
    /// Fetching what the app depends on.
    Install,
    /// A type check or a linter, on the app as it was given. Its failure stops nothing.
    Check,
    /// Making what is served.
    #[default]
    Build,
    /// The app's own server.
    Serve,
    /// A change of the staged copy and nothing else.
    Repair,
}

/// A command that was run to bring the app up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CommandStep {
    /// What it was run for.
    #[serde(default)]
    pub kind: StepKind,
    /// The command line.
    pub command: String,
    /// Exit code; none when it was killed.
    pub exit: Option<i32>,
    /// How long it took.
    pub seconds: f64,
    /// The end of what it printed.
    pub tail: String,
    /// What was changed in the staged copy before it, when something was: why, and a diff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repair: Option<String>,
}

/// Why an app could not be brought up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeployFailure {
    /// What kind of failure it is, in a word or two that stay the same: `missing-file`, `node-version`, …
    pub kind: String,
    /// What happened.
    pub message: String,
    /// Whose fault it is.
    pub whose: FailureOwner,
}

/// What became of a request that a page made to somewhere other than the app.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OutsideFate {
    /// Answered with a file of a package from the package registry, or from the cache of those.
    Package,
    /// Let through to the network.
    Open,
    /// Refused.
    Refused,
}

/// Requests of one page resource that lies outside of the app.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OutsideRequest {
    /// Its address; of an encrypted connection that was not looked into, host and port.
    pub url: String,
    /// What became of it.
    pub fate: OutsideFate,
    /// The package and file that answered it, or why nothing did.
    pub detail: String,
    /// How often it was asked for.
    pub times: u32,
}

/// How the application was brought up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Deployment {
    /// Whether its code is counted.
    pub mode: DeployMode,
    /// The framework found.
    pub framework: String,
    /// Why it is taken for that.
    pub grounds: String,
    /// Path and query of the first page, relative to the served origin.
    pub entry: String,
    /// Files that were instrumented, relative to the app.
    #[serde(default)]
    pub instrumented: Vec<String>,
    /// Files with scripts that were not, and why.
    #[serde(default)]
    pub skipped: Vec<SkippedScript>,
    /// Installs, checks, builds, servers and repairs, in order.
    #[serde(default)]
    pub commands: Vec<CommandStep>,
    /// What else is worth knowing: a hard-coded port, a lock file that was not followed, …
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What its pages asked for from elsewhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<OutsideRequest>,
    /// Why it is not up, when it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<DeployFailure>,
}

/// A stage of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Staging, instrumenting, building, serving.
    Deploy,
    /// Exploration.
    Explore,
    /// State abstraction.
    States,
    /// Scoring.
    Judge,
    /// The report.
    Report,
}

/// How far a stage got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StageStatus {
    /// It has begun and, as far as the file knows, is not over: under way, or killed.
    Running,
    /// It was asked to stop before its end.
    Interrupted,
    /// It is over.
    Done,
    /// It could not be done.
    Failed,
}

/// Whose fault a failure is. Only the app's own count against it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailureOwner {
    /// The application's.
    App,
    /// Ours.
    Tool,
    /// The machine's: no browser, no disk, no network.
    Environment,
}

/// Why a stage failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StageFailure {
    /// What happened.
    pub message: String,
    /// Whose fault it is.
    pub whose: FailureOwner,
}

/// Status and timing of one stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StageRecord {
    /// How far it got.
    pub status: StageStatus,
    /// When it began, in milliseconds since 1970-01-01 UTC.
    pub started_ms: u64,
    /// How long it took, in seconds; over all sittings when it was resumed.
    pub seconds: f64,
    /// Why it failed, when it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<StageFailure>,
}

impl RunRecord {
    /// A record of a run that has not begun.
    #[must_use]
    pub fn new(app: AppSource, requirement: Option<String>, settings: Settings) -> Self {
        Self {
            format: crate::FORMAT,
            webeval: env!("CARGO_PKG_VERSION").to_owned(),
            app,
            requirement,
            settings,
            environment: None,
            coverage_by: None,
            deployment: None,
            uncounted: Vec::new(),
            stages: BTreeMap::new(),
        }
    }

    /// Whether `stage` is over and was not left undone.
    #[must_use]
    pub fn is_done(&self, stage: Stage) -> bool {
        self.stages.get(&stage).is_some_and(|record| record.status == StageStatus::Done)
    }
}
