//! `webeval judge`.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use webeval_browser::{Driver, Session, SessionOptions};
use webeval_evidence::{Deployment, RunDir, RunRecord, StepKind, TokenUsage, Viewport};
use webeval_judges::liveeval::{self, LiveBenches, Registry};
use webeval_judges::webgen::{self, Input, SectionPage};
use webeval_judges::{Event, Prompts, Task, rules, webcraft};

use crate::args::ModelArgs;
use crate::commands::generate::prompts;
use crate::commands::{open, run};
use crate::failure::Failure;
use crate::model::{self, Model};
use crate::pipeline::{judge_failure, judged};
use crate::plain::{self, Plain};
use crate::{output, pipeline};

#[derive(Debug, Args)]
pub(crate) struct JudgeArgs {
    /// The run directory
    pub(crate) run: PathBuf,
    /// How to judge [default: rules, and webcraft where there is a model]
    #[arg(long, value_enum)]
    pub(crate) method: Option<Method>,
    /// A task file with acceptance criteria (docs/task-file.md)
    #[arg(long, value_name = "FILE")]
    pub(crate) task: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Folder of prompt templates that take the places of the built-in ones (docs/judging.md)
    #[arg(long, value_name = "DIR")]
    pub(crate) prompts: Option<PathBuf>,
    /// Take keys, tokens and e-mail addresses out of page text before it is sent
    #[arg(long)]
    pub(crate) redact: bool,
    /// Number of the repeat; repeats stand beside each other
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) repeat: u32,
    /// A WebDriver to use instead of starting chromedriver
    #[arg(long, value_name = "URL", env = "WEBEVAL_WEBDRIVER")]
    pub(crate) webdriver: Option<String>,
    /// Print the scores as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// What the section judge is shown (--method sections)
    #[arg(long, value_name = "INPUT", default_value = "structured", value_parser = input, help_heading = "The section judge")]
    pub(crate) input: Input,
    // Last: the heading of its options would stand over whatever follows.
    #[command(flatten)]
    pub(crate) jury: JuryArgs,
}

/// The ways to judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Method {
    /// Measured by fixed rules, no model
    Rules,
    /// WebCraftBench: deliberation and an alignment agent over the recorded evidence
    Webcraft,
    /// LiveEvalBench: a jury of evaluators on the app, brought up again without counters
    Liveeval,
    /// WebGen-V: the app's first page, section by section
    Sections,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "The jury (--method liveeval)")]
pub(crate) struct JuryArgs {
    /// Folder of evaluator files [default: the built-in jury of three]
    #[arg(long, value_name = "DIR")]
    pub(crate) evaluators: Option<PathBuf>,
    /// Only the evaluator with this id, from the folder or from the built-in ones
    #[arg(long, value_name = "ID")]
    pub(crate) only: Option<String>,
    /// One evaluator with the personas, criteria and tools of all (the paper's ablation)
    #[arg(long, conflicts_with = "only")]
    pub(crate) single: bool,
    /// Have a reviewer look at every verdict with what the tools had shown
    #[arg(long)]
    pub(crate) review: bool,
    /// Runs whose majority counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=99))]
    pub(crate) runs: u32,
}

/// What a judge needs, all of it read and checked before anything is sent.
struct Judging<'a> {
    run: &'a RunDir,
    record: RunRecord,
    task: Option<Task>,
    model: Option<Model>,
    prompts: Prompts,
    args: &'a JudgeArgs,
}

pub(crate) async fn run(args: JudgeArgs) -> Result<(), Failure> {
    if let Some((option, method)) = misplaced(&args) {
        return Err(Failure::Input(format!("{option} goes with --method {method}")));
    }
    let directory = open(&args.run)?;
    let task = match &args.task {
        Some(path) => Some(Task::read(path).map_err(Failure::input)?),
        None => run::recorded_task(&directory)?,
    };
    let record = directory.run().map_err(Failure::input)?;
    let bare = || record.requirement.as_ref().map(|requirement| Task::new("requirement", requirement));
    let task = task.or_else(bare);
    let prompts = prompts(args.prompts.as_deref())?;
    let registry = jury(&args.jury)?;
    let model = model::open(&args.model, directory.root())?;
    let judging = Judging { run: &directory, record, task, model, prompts, args: &args };
    match args.method {
        None => {
            judging.states()?;
            judged(&directory, async {
                rules::judge(&directory).map_err(judge_failure)?;
                if judging.model.is_some() { judging.webcraft().await } else { Ok(()) }
            })
            .await?;
        }
        Some(Method::Rules) => {
            judging.states()?;
            judged(&directory, async { rules::judge(&directory).map(drop).map_err(judge_failure) }).await?;
        }
        Some(Method::Webcraft) => {
            judging.needs_model()?;
            judging.states()?;
            judged(&directory, judging.webcraft()).await?;
        }
        Some(Method::Liveeval) => {
            judging.needs_model()?;
            judged(&directory, judging.liveeval(&registry)).await?;
        }
        Some(Method::Sections) => {
            judging.needs_model()?;
            judged(&directory, judging.sections()).await?;
        }
    }
    output::print(&directory, args.json, false)?;
    if !args.json {
        print_notes(&directory, &args)?;
    }
    Ok(())
}

/// An option that the method would silently do nothing with, and the method it belongs to.
fn misplaced(args: &JudgeArgs) -> Option<(&'static str, &'static str)> {
    let jury = &args.jury;
    let given = [
        (jury.evaluators.is_some(), "--evaluators"),
        (jury.only.is_some(), "--only"),
        (jury.single, "--single"),
        (jury.review, "--review"),
    ];
    let of_jury = given.into_iter().find(|(given, _)| *given && args.method != Some(Method::Liveeval));
    let of_sections = args.input != Input::Structured && args.method != Some(Method::Sections);
    of_jury.map(|(_, option)| (option, "liveeval")).or(of_sections.then_some(("--input", "sections")))
}

/// One of the section judge's inputs, by its name.
pub(crate) fn input(name: &str) -> Result<Input, String> {
    let names = Input::ALL.map(Input::name).join(", ");
    Input::ALL.into_iter().find(|input| input.name() == name).ok_or_else(|| format!("there are {names}"))
}

/// The jury that `args` name.
fn jury(args: &JuryArgs) -> Result<Registry, Failure> {
    let all = match &args.evaluators {
        Some(folder) => Registry::read(folder),
        None if args.only.is_some() => Registry::shipped(),
        None => Registry::jury(),
    }
    .map_err(Failure::input)?;
    for note in all.notes() {
        eprintln!("webeval: {note}");
    }
    match &args.only {
        Some(id) => all.only(id).ok_or_else(|| {
            let ids: Vec<&str> = all.iter().map(|evaluator| evaluator.id.as_str()).collect();
            Failure::Input(format!("there is no evaluator {id:?}; there are {}", ids.join(", ")))
        }),
        None if args.single => Ok(all.single()),
        None => Ok(all),
    }
}

impl Judging<'_> {
    fn needs_model(&self) -> Result<&Model, Failure> {
        self.model.as_ref().ok_or_else(|| Failure::Input("this method needs --model NAME".to_owned()))
    }

    fn states(&self) -> Result<(), Failure> {
        if self.run.states().map_err(Failure::input)?.is_none() { pipeline::states(self.run) } else { Ok(()) }
    }

    async fn webcraft(&self) -> Result<(), Failure> {
        let mut options = webcraft::Options::default().with_seed(self.record.settings.seed);
        options.prompts = self.prompts.clone();
        (options.redact, options.repeat) = (self.args.redact, self.args.repeat);
        let told = progress();
        let judged = webcraft::judge(self.run, self.task.as_ref(), self.needs_model()?.as_ref(), &options, &told);
        judged.await.map(drop).map_err(judge_failure)
    }

    async fn liveeval(&self, registry: &Registry) -> Result<(), Failure> {
        let task = self.task.as_ref().ok_or_else(|| {
            let message = "the request the app was made from is not recorded in the run; give a --task file";
            Failure::Input(message.to_owned())
        })?;
        let mut options = liveeval::Options::default();
        options.prompts = self.prompts.clone();
        (options.redact, options.repeat, options.seed) =
            (self.args.redact, self.args.repeat, self.record.settings.seed);
        (options.runs, options.review) = (self.args.jury.runs, self.args.jury.review);
        let driver = pipeline::driver(self.args.webdriver.as_deref()).await?;
        let app = plain::bring_up_checked(&self.record).await?;
        // The commands of the exploration's deployment are evidence too; what this one adds is the checks.
        let mut record = self.record.clone();
        note_checks(&mut record, app.deployment());
        let benches = LiveBenches::new(&driver, &app.origin, &app.entry, record).with_browser_args(app.browser_args());
        let model = self.needs_model()?.as_ref();
        let judged = liveeval::judge(self.run, task, model, registry, &benches, &options, &progress()).await;
        app.stop().await;
        judged.map(drop).map_err(judge_failure)
    }
}

impl Judging<'_> {
    async fn sections(&self) -> Result<(), Failure> {
        let model = self.needs_model()?.as_ref();
        let mut options = webgen::Options::default();
        options.prompts = self.prompts.clone();
        (options.redact, options.repeat, options.seed) =
            (self.args.redact, self.args.repeat, self.record.settings.seed);
        options.input = self.args.input;
        if webgen::undeployable(self.run, model.name(), &options).map_err(judge_failure)?.is_some() {
            return Ok(());
        }
        let folder = self.run.root().join("sections");
        let page = if SectionPage::is_in(&folder) {
            SectionPage::read(&folder).map_err(judge_failure)?
        } else {
            let driver = pipeline::driver(self.args.webdriver.as_deref()).await?;
            let app = plain::bring_up(&self.record).await?;
            let captured = capture(&driver, &app, self.record.settings.viewport, &folder).await;
            app.stop().await;
            captured?
        };
        let instruction = self.task.as_ref().map(|task| task.requirement.as_str());
        let judged = webgen::judge(self.run, &page, instruction, model, &options, &progress()).await;
        judged.map(drop).map_err(judge_failure)
    }
}

/// Puts the checks that were run for the judges beside the commands that are recorded.
fn note_checks(record: &mut RunRecord, live: &Deployment) {
    let deployment = record.deployment.get_or_insert_with(|| live.clone());
    for step in live.commands.iter().filter(|step| step.kind == StepKind::Check) {
        if !deployment.commands.iter().any(|known| known.kind == StepKind::Check && known.command == step.command) {
            deployment.commands.push(step.clone());
        }
    }
}

/// Renders an app's first page into a folder for the section judge.
pub(crate) async fn capture(
    driver: &Driver,
    app: &Plain,
    viewport: Viewport,
    folder: &Path,
) -> Result<SectionPage, Failure> {
    let mut options = SessionOptions::new(&app.origin);
    options.args = app.browser_args();
    options.viewport = viewport;
    let mut session = Session::open(driver, options).await.map_err(pipeline::browser_failure)?;
    let captured = SectionPage::capture(&mut session, &app.entry, folder).await;
    if let Err(error) = session.close().await {
        tracing::debug!(%error, "the session was not closed");
    }
    captured.map_err(judge_failure)
}

/// Tells of verdicts on the error output, now and then.
pub(crate) fn progress() -> impl Fn(Event) + Sync {
    let said = Mutex::new((0_u32, Instant::now()));
    move |event| {
        let Ok(mut said) = said.lock() else { return };
        match event {
            Event::Judged { dimension, role, .. } => {
                said.0 += 1;
                if said.1.elapsed() >= Duration::from_secs(2) {
                    said.1 = Instant::now();
                    eprintln!("judge: {} answers, the last one: {dimension}, {role}", said.0);
                }
            }
            Event::Failed { dimension, role, failure, .. } => eprintln!("judge: {dimension}, {role}: {failure}"),
            _ => {}
        }
    }
}

/// What a reader must know of the entries that this judge wrote, and what they cost.
fn print_notes(run: &RunDir, args: &JudgeArgs) -> Result<(), Failure> {
    let Some(model) = &args.model.model else { return Ok(()) };
    let wanted = match args.method {
        None | Some(Method::Webcraft) => webcraft::NAME,
        Some(Method::Liveeval) => liveeval::NAME,
        Some(Method::Sections) => args.input.method(),
        Some(Method::Rules) => return Ok(()),
    };
    let scores = run.scores().map_err(Failure::failed)?;
    let ours = scores.entries.iter().filter(|e| e.method == wanted && e.judge == *model && e.repeat == args.repeat);
    for entry in ours {
        for note in &entry.notes {
            println!("note: {note}");
        }
        println!("{}", cost(&entry.usage));
    }
    Ok(())
}

/// Tokens and money in a line.
pub(crate) fn cost(usage: &TokenUsage) -> String {
    let money = usage.cost_usd.map_or_else(|| "price not known".to_owned(), |usd| format!("{usd:.4} US dollars"));
    format!(
        "{} calls, {} tokens in ({} cached), {} tokens out, {money}",
        usage.calls, usage.input, usage.cached, usage.output
    )
}
