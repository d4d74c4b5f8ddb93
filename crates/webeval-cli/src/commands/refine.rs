//! `webeval refine`.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use webeval_browser::Driver;
use webeval_evidence::{AppSource, RunDir, RunRecord, Settings, Viewport};
use webeval_judges::webgen::{self, Comparison, Input, RefineOptions, Refined, Render, RenderFuture, SectionPage};

use crate::args::EndpointArgs;
use crate::commands::generate::{create, prompts, read_text, write};
use crate::commands::judge::{capture, cost, input, progress};
use crate::failure::Failure;
use crate::pipeline::judge_failure;
use crate::plain::{self, Plain};
use crate::{model, pipeline};

#[derive(Debug, Args)]
pub(crate) struct RefineArgs {
    /// The page: an .html file, or a folder
    pub(crate) page: String,
    /// The instruction it was made from, a text or Markdown file
    #[arg(long, value_name = "FILE")]
    pub(crate) instruction: PathBuf,
    /// Model that rewrites, and judges unless --judge names another
    #[arg(long, value_name = "NAME")]
    pub(crate) model: String,
    /// Model that judges
    #[arg(long, value_name = "NAME")]
    pub(crate) judge: Option<String>,
    #[command(flatten)]
    pub(crate) endpoint: EndpointArgs,
    /// Folder to write: refined.html, refinement.json, and a run directory for each turn
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Most turns
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=20))]
    pub(crate) turns: u32,
    /// Put right what is rated at or below it
    #[arg(long, value_name = "SCORE", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=5))]
    pub(crate) threshold: u8,
    /// What the judge is shown for the feedback; `page` is the non-structured baseline
    #[arg(long, value_name = "INPUT", default_value = "structured", value_parser = input)]
    pub(crate) feedback: Input,
    /// Write the best page of all turns as refined.html, not the last one as it came
    #[arg(long)]
    pub(crate) keep_better: bool,
    /// Size of the page in CSS pixels: width
    #[arg(long, value_name = "PIXELS", default_value_t = 1280, value_parser = clap::value_parser!(u32).range(100..=10_000))]
    pub(crate) width: u32,
    /// Seed of the models' sampling
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Folder of prompt templates that take the places of the built-in ones (docs/judging.md)
    #[arg(long, value_name = "DIR")]
    pub(crate) prompts: Option<PathBuf>,
    /// A WebDriver to use instead of starting chromedriver
    #[arg(long, value_name = "URL", env = "WEBEVAL_WEBDRIVER")]
    pub(crate) webdriver: Option<String>,
    /// Print refinement.json instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) async fn run(args: RefineArgs) -> Result<(), Failure> {
    let app = webeval_deploy::locate(&args.page).map_err(Failure::input)?;
    let instruction = read_text(&args.instruction)?;
    let mut options = RefineOptions::default();
    options.prompts = prompts(args.prompts.as_deref())?;
    (options.turns, options.threshold, options.seed) = (args.turns, args.threshold, args.seed);
    options.feedback = args.feedback;
    let names = [args.model.clone(), args.judge.clone().unwrap_or_else(|| args.model.clone())];
    drop(model::open_all(&names, &args.endpoint, None)?);
    let up = plain::bring_up_at(&app).await?;
    let html = up.html()?;
    let driver = pipeline::driver(args.webdriver.as_deref()).await?;
    create(&args.out)?;
    let tape = model::tape(&args.endpoint, &args.out.join("exchanges.jsonl"))?;
    let models = model::open_all(&names, &args.endpoint, Some(&tape))?;
    let viewport = Viewport { width: args.width, ..Viewport::default() };
    let mut turns =
        Turns { out: &args.out, app: app.source().clone(), up: &up, driver: &driver, viewport, seed: args.seed };
    let (writer, judge) = (models[0].as_ref(), models[1].as_ref());
    let refined = webgen::refine(&instruction, &html, writer, judge, &mut turns, &options, &progress()).await;
    let refined = refined.map_err(judge_failure);
    up.stop().await;
    finish(&args, &refined?)
}

/// Renders each turn into a run directory of its own.
struct Turns<'a> {
    out: &'a Path,
    app: AppSource,
    up: &'a Plain,
    driver: &'a Driver,
    viewport: Viewport,
    seed: u64,
}

impl Render for Turns<'_> {
    fn render<'a>(&'a mut self, turn: u32, html: &'a str) -> RenderFuture<'a> {
        Box::pin(async move {
            let folder = self.out.join(format!("turn-{turn}"));
            let source = folder.join("source.html");
            let run = if folder.join("run.json").is_file() {
                RunDir::open(&folder)?
            } else {
                let settings = Settings { viewport: self.viewport, seed: self.seed, ..Settings::default() };
                RunDir::create(&folder, &RunRecord::new(self.app.clone(), None, settings))?
            };
            let sections = folder.join("sections");
            let known = std::fs::read_to_string(&source).is_ok_and(|before| before == html);
            if known && SectionPage::is_in(&sections) {
                return Ok((run, SectionPage::read(&sections)?));
            }
            let failed = |source| webeval_judges::Error::Io { action: "write", path: folder.clone(), source };
            self.up.rewrite(html).map_err(failed)?;
            run.write_file("source.html", html.as_bytes())?;
            let captured = capture(self.driver, self.up, self.viewport, &sections).await;
            let page =
                captured.map_err(|failure| webeval_judges::Error::NoEvidence { missing: failure.to_string() })?;
            Ok((run, page))
        })
    }
}

fn finish(args: &RefineArgs, refined: &Refined) -> Result<(), Failure> {
    let comparison = refined.comparison().map_err(Failure::failed)?;
    let last = refined.turns.len() - 1;
    let best = refined.better();
    let kept = if args.keep_better { best } else { last };
    let page = args.out.join("refined.html");
    write(&page, &refined.turns[kept].html)?;
    let turns: Vec<_> = refined
        .turns
        .iter()
        .map(|turn| json!({"dimensions": turn.entry.dimensions, "corrections": turn.corrections, "sections": turn.sections}))
        .collect();
    let record = json!({
        "feedback": args.feedback.name(), "threshold": args.threshold, "turns": turns, "comparison": comparison,
        "best": best, "written": kept, "usage": refined.usage,
    });
    let record = serde_json::to_string_pretty(&record).map_err(Failure::failed)?;
    write(&args.out.join("refinement.json"), &record)?;
    if args.json {
        println!("{record}");
        return Ok(());
    }
    print_table(&comparison);
    if last == 0 {
        println!("\nnothing was at or below {}: the page stands as it is", args.threshold);
    }
    if kept != last {
        println!("\nturn {kept} is better than the last one and was written");
    }
    println!("{}\n\n{}", cost(&refined.usage), page.display());
    Ok(())
}

fn print_table(comparison: &Comparison) {
    println!("{:<8}{:>8}{:>8}{:>12}{:>12}{:>8}", "", "before", "after", "below 4", "4 or below", "");
    for change in &comparison.metrics {
        let mean = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2}"));
        let outcome = match (change.before, change.after) {
            (Some(before), Some(after)) if after > before => "win",
            (Some(before), Some(after)) if after < before => "loss",
            (Some(_), Some(_)) => "tie",
            _ => "",
        };
        let below = format!("{} > {}", change.low_before.below, change.low_after.below);
        let at = format!("{} > {}", change.low_before.at_or_below, change.low_after.at_or_below);
        let (before, after) = (mean(change.before), mean(change.after));
        println!("{:<8}{before:>8}{after:>8}{below:>12}{at:>12}{outcome:>8}", change.metric.name());
    }
    let outcome = comparison.outcome;
    println!("\n{} wins, {} ties, {} losses of the last page, as it came", outcome.wins, outcome.ties, outcome.losses);
}
