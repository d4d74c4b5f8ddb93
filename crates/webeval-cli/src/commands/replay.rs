//! `webeval replay`.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use webeval_browser::{Explanation, Session};
use webeval_evidence::RunDir;
use webeval_explore::{ReplayOptions, Replayed, replay};
use webeval_states::Level;

use crate::commands::deploy::DeploymentArgs;
use crate::commands::{explore, interruption, open};
use crate::failure::Failure;
use crate::pipeline;
use crate::progress::Progress;

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// The run directory; nothing is written into it
    pub(crate) run: PathBuf,
    /// Stop after this step; 0 is the first page
    #[arg(long, value_name = "STEP")]
    pub(crate) until: Option<u32>,
    /// Then say why the element of this CSS selector is in the snapshot, or why not; ` >>> ` leads into shadow roots, ` |> ` into frames
    #[arg(long, value_name = "SELECTOR")]
    pub(crate) explain: Option<String>,
    #[command(flatten)]
    pub(crate) deployment: DeploymentArgs,
    /// A WebDriver to use instead of starting chromedriver
    #[arg(long, value_name = "URL", env = "WEBEVAL_WEBDRIVER")]
    pub(crate) webdriver: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// What is printed with `--json`.
#[derive(Serialize)]
struct Told<'a> {
    recorded: usize,
    #[serde(flatten)]
    replayed: &'a Replayed,
    /// The first step that diverges.
    diverges_at: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<&'a Explanation>,
}

pub(crate) async fn run(args: ReplayArgs) -> Result<(), Failure> {
    let directory = open(&args.run)?;
    let recorded = directory.trace().map_err(Failure::input)?.steps.len();
    if recorded == 0 {
        return Err(Failure::Input(format!("{} has no trace yet: explore it first", args.run.display())));
    }
    let (replayed, explanation) = repeat(&args, &directory).await?;
    let diverges_at = replayed.divergences.first().map(|one| one.step);
    if args.json {
        let told = Told { recorded, replayed: &replayed, diverges_at, explanation: explanation.as_ref() };
        println!("{}", serde_json::to_string(&told).map_err(Failure::failed)?);
    } else {
        print(recorded, &replayed, explanation.as_ref());
    }
    match diverges_at {
        _ if replayed.cancelled => Err(Failure::Interrupted("interrupted".to_owned())),
        Some(step) => Err(Failure::Failed(format!("the app no longer does at step {step} what was recorded"))),
        None => Ok(()),
    }
}

async fn repeat(args: &ReplayArgs, directory: &RunDir) -> Result<(Replayed, Option<Explanation>), Failure> {
    let settings = directory.run().map_err(Failure::input)?.settings;
    let app = explore::app_of(&directory.run().map_err(Failure::input)?)?.with_external(!settings.exclude_external);
    let driver = pipeline::driver(args.webdriver.as_deref()).await?;
    let running = webeval_deploy::deploy(&app, &args.deployment.options()?).await.map_err(Failure::failed)?;
    let mut session_options = pipeline::session_options(&settings, &running);
    // What is covered is recorded already.
    session_options.v8 = false;
    let mut session = Session::open(&driver, session_options).await.map_err(Failure::failed)?;
    let mut options = ReplayOptions::default();
    options.until = args.until;
    if settings.deterministic {
        options.level = Level::Content;
    }
    let mut progress = Progress::new(settings.steps);
    let mut tell = |step: &webeval_evidence::Step| webeval_explore::Events::step(&mut progress, step);
    let replayed = replay(&mut session, directory, &options, &mut tell, &interruption()).await;
    progress.finish();
    let explanation = match (&replayed, &args.explain) {
        (Ok(_), Some(selector)) => Some(session.explain(selector).await.map_err(Failure::failed)?),
        _ => None,
    };
    // A browser that cannot be closed politely goes with the driver.
    if let Err(error) = session.close().await {
        tracing::debug!(%error, "the session was not closed");
    }
    running.stop().await;
    Ok((replayed.map_err(Failure::failed)?, explanation))
}

fn print(recorded: usize, replayed: &Replayed, explanation: Option<&Explanation>) {
    println!("{} of {recorded} steps repeated", replayed.steps);
    for one in replayed.divergences.iter().take(5) {
        println!("step {} ({}) differs in {:?}", one.step, one.action, one.difference);
        println!("  recorded  {}\n  now       {}", one.recorded, one.replayed);
    }
    if replayed.divergences.len() > 5 {
        println!("and {} more differences (--json has them all)", replayed.divergences.len() - 5);
    }
    if let Some(told) = explanation {
        let place = match &told.reference {
            Some(reference) => format!("in the snapshot as {reference}"),
            None => "not in the snapshot".to_owned(),
        };
        println!("{}: {place}: {}", told.selector, told.reasons.join("; "));
    }
}
