//! The command line: the subcommands, and the options that several of them share.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use webeval_evidence::{AdvisorKind, TesterKind, Viewport};

use crate::commands::{
    agreement, check, checklist, degrade, deploy, detect, doctor, evaluators, explore, generate, instrument, judge,
    leaderboard, refine, replay, report, run, sections, states, validate,
};

/// Tells how good a web application is, with evidence that anyone can check.
#[derive(Debug, Parser)]
#[command(
    name = "webeval",
    version,
    max_term_width = 100,
    after_help = "Exit codes: 0 done, 1 ran and failed, 2 bad usage or input.\n\
                  First steps: `webeval doctor`, then `webeval run fixtures/apps/todo --requirement \"a to-do list\" --out runs/todo`."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Evaluate an app: deploy, explore, abstract, judge, report
    Run(run::RunArgs),
    /// Bring an app up and say how, or why not
    Deploy(deploy::DeployArgs),
    /// Write an instrumented copy of a file or folder
    Instrument(instrument::InstrumentArgs),
    /// Explore the app of a run directory (or continue an exploration that was interrupted)
    Explore(explore::ExploreArgs),
    /// Repeat a run's recorded trace and say where it diverges
    Replay(replay::ReplayArgs),
    /// Abstract a run's snapshots to states and build their transition graph; hash, normalise and compare DOM files
    States(states::StatesArgs),
    /// Score a run from its recorded evidence
    Judge(judge::JudgeArgs),
    /// Turn a request into acceptance criteria: several models propose, the majority counts
    Checklist(checklist::ChecklistArgs),
    /// List or check evaluators: persona, criteria and tools as JSON files (docs/evaluators.md)
    Evaluators(evaluators::EvaluatorsArgs),
    /// Write a page from an instruction, or an instruction from a page (WebGen-V)
    Generate(generate::GenerateArgs),
    /// Judge a page section by section and have a model put right what was found (WebGen-V)
    Refine(refine::RefineArgs),
    /// Write a run's report.html
    Report(report::ReportArgs),
    /// Rank models by the scores of their runs, with intervals
    Leaderboard(leaderboard::LeaderboardArgs),
    /// Hold scores against people's votes, or one judge against another
    Agreement(agreement::AgreementArgs),
    /// Take a page apart: sections with text, pictures, geometry and style; or all pages of a folder
    Sections(sections::SectionsArgs),
    /// Measure what is wrong with how a page looks
    Check(check::CheckArgs),
    /// Write a copy of a page with known faults in it
    Degrade(degrade::DegradeArgs),
    /// Say which sections of a page look degraded, without seeing the original
    Detect(detect::DetectArgs),
    /// Check a run directory against the published JSON Schemas
    Validate(validate::ValidateArgs),
    /// Say what is missing on this machine, and how to get it
    Doctor(doctor::DoctorArgs),
}

#[derive(Clone, Debug, Args)]
#[group(multiple = false)]
pub(crate) struct RequirementArgs {
    /// The request the app was made from
    #[arg(long, value_name = "TEXT")]
    pub(crate) requirement: Option<String>,
    /// The same, from a UTF-8 file
    #[arg(long, value_name = "FILE")]
    pub(crate) requirement_file: Option<PathBuf>,
    /// A task file: the request and its acceptance criteria, as JSON (docs/task-file.md)
    #[arg(long, value_name = "FILE")]
    pub(crate) task: Option<PathBuf>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct ExplorationArgs {
    /// Most interactions to make [default: 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) steps: Option<u32>,
    /// Seed of everything random [default: 0]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Who explores [default: model with --model, otherwise built-in]
    #[arg(long, value_name = "WHO")]
    pub(crate) tester: Option<Explorer>,
    /// Who turns code that has not run into hints once coverage stops rising [default: built-in]
    #[arg(long, value_name = "WHO")]
    pub(crate) advisor: Option<Guide>,
    /// Make the page the same every time: chance from the seed, a clock that moves only by
    /// what the exploration gives it, a fixed time zone and language, nothing from outside the app
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    pub(crate) deterministic: Option<bool>,
    /// Keep scripts that the app's author only uses (package folders, minified files) out of the coverage [default: true]
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    pub(crate) exclude_external: Option<bool>,
    /// Size of the page in CSS pixels [default: 1280x800]
    #[arg(long, value_name = "WxH", value_parser = viewport)]
    pub(crate) viewport: Option<Viewport>,
    /// Longest time that a single step may take, in seconds [default: 15]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) step_timeout: Option<u64>,
    /// A WebDriver to use instead of starting chromedriver
    #[arg(long, value_name = "URL", env = "WEBEVAL_WEBDRIVER")]
    pub(crate) webdriver: Option<String>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct ModelArgs {
    /// Model that tests and judges, by its name at the endpoint; without it, the built-in tester and the rule judge do
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    #[command(flatten)]
    pub(crate) endpoint: EndpointArgs,
}

/// Where models are asked, and within which limits.
#[derive(Clone, Debug, Args)]
pub(crate) struct EndpointArgs {
    /// Base URL of an OpenAI-compatible endpoint
    #[arg(
        long,
        value_name = "URL",
        env = "OPENAI_BASE_URL",
        default_value = "https://api.openai.com/v1",
        hide_env_values = true
    )]
    pub(crate) base_url: String,
    /// API key for it (better given by the environment than on the command line)
    #[arg(long, value_name = "KEY", env = "OPENAI_API_KEY", hide_env_values = true)]
    pub(crate) api_key: Option<String>,
    /// TOML file that says what models can take and what they cost (docs/models.md)
    #[arg(long, value_name = "FILE")]
    pub(crate) models: Option<PathBuf>,
    /// Longest time to wait for one answer of the model, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 180, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) model_timeout: u64,
    /// Stop asking the model once it has cost this much, in US dollars
    #[arg(long, value_name = "USD", requires = "model")]
    pub(crate) max_cost: Option<f64>,
    /// Take the model's answers from this recording instead of the network
    #[arg(long, value_name = "FILE", requires = "model")]
    pub(crate) replay: Option<PathBuf>,
}

/// Who explores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Explorer {
    /// The built-in tester, which needs no model
    BuiltIn,
    /// Chance, to compare with
    Random,
    /// The model of --model
    Model,
}

impl From<Explorer> for TesterKind {
    fn from(explorer: Explorer) -> Self {
        match explorer {
            Explorer::BuiltIn => Self::BuiltIn,
            Explorer::Random => Self::Random,
            Explorer::Model => Self::Model,
        }
    }
}

/// Who gives hints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Guide {
    /// The built-in advisor, which needs no model
    BuiltIn,
    /// The model of --model
    Model,
    /// Nobody
    Off,
}

impl From<Guide> for AdvisorKind {
    fn from(guide: Guide) -> Self {
        match guide {
            Guide::BuiltIn => Self::BuiltIn,
            Guide::Model => Self::Model,
            Guide::Off => Self::Off,
        }
    }
}

/// How to print what was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// For programs
    Json,
}

pub(crate) fn viewport(text: &str) -> Result<Viewport, String> {
    let parse = |part: &str| part.parse::<u32>().ok().filter(|size| (100..=10_000).contains(size));
    let (width, height) = text.split_once('x').ok_or("write it as WIDTHxHEIGHT, such as 1280x800")?;
    match (parse(width), parse(height)) {
        (Some(width), Some(height)) => Ok(Viewport { width, height }),
        _ => Err("width and height must be between 100 and 10000".to_owned()),
    }
}
