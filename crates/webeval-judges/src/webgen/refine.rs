//! Generate, evaluate, refine (WebGen-V §3.2.2, algorithm 2, appendix H).

use std::pin::Pin;

use serde::{Deserialize, Serialize};
use serde_json::json;
use webeval_evidence::{RunDir, ScoreEntry, TokenUsage};
use webeval_llm::{ChatModel, ChatRequest};
use webeval_stats::sections::{HeadToHead, LowScores};

use super::html::{Written, ask_for_page};
use super::{Input, Judged, Metric, Options, SectionPage, SectionRating, judge, low_scores};
use crate::fence::Fence;
use crate::{Error, Event, Prompts};

/// What [`Render::render`] returns.
pub type RenderFuture<'a> = Pin<Box<dyn Future<Output = Result<(RunDir, SectionPage), Error>> + Send + 'a>>;

/// Renders the page of a turn, and says where its evidence is kept.
pub trait Render: Send {
    /// The page as rendered, and the run directory that its verdicts are filed in. A turn that was rendered before need
    /// not be rendered again.
    fn render<'a>(&'a mut self, turn: u32, html: &'a str) -> RenderFuture<'a>;
}

/// How to refine.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RefineOptions {
    /// Most turns (the paper: 1).
    pub turns: u32,
    /// Metrics at or below it are put right (appendix H: 4).
    pub threshold: u8,
    /// What the judge is shown for the feedback. Before and after are always compared by [`Input::Structured`], so that
    /// two ways of giving feedback are measured alike.
    pub feedback: Input,
    /// What the models are told.
    pub prompts: Prompts,
    /// Seed of the models' sampling.
    pub seed: u64,
}

impl Default for RefineOptions {
    fn default() -> Self {
        Self { turns: 1, threshold: 4, feedback: Input::Structured, prompts: Prompts::default(), seed: 0 }
    }
}

/// A page on its way: as given for turn 0, as rewritten after that.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Turn {
    /// The document.
    pub html: String,
    /// Its ratings.
    pub sections: Vec<SectionRating>,
    /// The entry that was filed.
    pub entry: ScoreEntry,
    /// Corrections that were asked for, after rating it; none in the last turn.
    pub corrections: usize,
}

/// What came of refining a page.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Refined {
    /// The page of each turn, the one that was given first.
    pub turns: Vec<Turn>,
    /// Tokens and money, judging included.
    pub usage: TokenUsage,
}

/// Refines a page: it is rated section by section, what is at or below the threshold is put right by `writer`, and the
/// new page is rendered and rated again. It ends early when nothing is left to put right.
///
/// The pages stand as they came, better or worse; [`Refined::better`] picks.
///
/// # Errors
/// As [`judge`](judge()) and [`generate`](super::generate()).
pub async fn refine(
    instruction: &str,
    html: &str,
    writer: &dyn ChatModel,
    judge_model: &dyn ChatModel,
    render: &mut dyn Render,
    options: &RefineOptions,
    events: &(dyn Fn(Event) + Sync),
) -> Result<Refined, Error> {
    let mut refined = Refined { turns: Vec::new(), usage: TokenUsage::default() };
    let mut html = html.to_owned();
    for number in 0..=options.turns {
        let (run, page) = render.render(number, &html).await?;
        let by = |input| Options { prompts: options.prompts.clone(), seed: options.seed, input, ..Options::default() };
        let judged = judge(&run, &page, Some(instruction), judge_model, &by(Input::Structured), events).await?;
        refined.usage += judged.entry.usage;
        let Judged { entry, sections } = judged;
        let turn = Turn { html: html.clone(), sections, entry, corrections: 0 };
        refined.turns.push(turn);
        let Some(turn) = refined.turns.last_mut().filter(|_| number < options.turns) else { break };
        let found = if options.feedback == Input::Structured {
            corrections(&turn.sections, options.threshold)
        } else {
            let judged = judge(&run, &page, Some(instruction), judge_model, &by(options.feedback), events).await?;
            refined.usage += judged.entry.usage;
            corrections(&judged.sections, options.threshold)
        };
        if found.is_empty() {
            break;
        }
        turn.corrections = found.len();
        let written = rewrite(instruction, &html, &found, writer, options).await?;
        refined.usage += written.usage;
        html = written.html;
    }
    Ok(refined)
}

/// What is to be put right, a line for each metric of a section at or below the threshold.
fn corrections(sections: &[SectionRating], threshold: u8) -> Vec<String> {
    let of = |section: &SectionRating| {
        let name = section.name.clone();
        let line = move |(metric, rating): (Metric, &super::Rating)| {
            let score = rating.score.unwrap_or_default();
            let advice = if rating.feedback.trim().is_empty() { &rating.reason } else { &rating.feedback };
            let measured = rating.capped.as_ref().filter(|(_, error)| !error.starts_with("named by"));
            let measured = measured.map(|(_, error)| format!(" (measured: {error})")).unwrap_or_default();
            format!("Section {name:?}, {} {score} of 5: {}{measured}", metric.name(), advice.trim())
        };
        section.at_most(threshold).map(line).collect::<Vec<_>>()
    };
    sections.iter().flat_map(of).collect()
}

async fn rewrite(
    instruction: &str,
    html: &str,
    corrections: &[String],
    writer: &dyn ChatModel,
    options: &RefineOptions,
) -> Result<Written, Error> {
    let fence = Fence::default();
    let values = json!({
        "instruction": fence.fence(instruction),
        "html": fence.fence(html),
        "corrections": fence.fence(&corrections.join("\n")),
    });
    let messages = options.prompts.render("refine.txt", values, Vec::new())?;
    ask_for_page(writer, ChatRequest::new("refine/page", messages).with_seed(options.seed)).await
}

/// One metric before and after.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MetricChange {
    /// The metric.
    pub metric: Metric,
    /// Its mean over the sections before; none where no section has one.
    pub before: Option<f64>,
    /// The same after.
    pub after: Option<f64>,
    /// Low scores before.
    pub low_before: LowScores,
    /// Low scores after.
    pub low_after: LowScores,
}

/// A page against the page it was refined from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Comparison {
    /// The metrics, in the paper's order.
    pub metrics: Vec<MetricChange>,
    /// On how many metrics the refined page wins, ties and loses by its mean.
    pub outcome: HeadToHead,
}

impl Refined {
    /// The last page against the first, as it came.
    ///
    /// # Errors
    /// None for ratings of 1 to 5.
    pub fn comparison(&self) -> Result<Comparison, Error> {
        let none = Vec::new();
        let of = |turn: Option<&Turn>| turn.map_or(none.clone(), |turn| turn.sections.clone());
        compare(&of(self.turns.first()), &of(self.turns.last()))
    }

    /// The place of the best page, the earlier of equals, by the mean of its sections' figures and then of all ratings.
    #[must_use]
    pub fn better(&self) -> usize {
        let worth = |turn: &Turn| {
            let figures: Vec<f64> = turn.sections.iter().filter_map(SectionRating::figure).map(f64::from).collect();
            let all: Vec<f64> = turn
                .sections
                .iter()
                .flat_map(|section| section.metrics.values().filter_map(|rating| rating.score))
                .map(f64::from)
                .collect();
            (mean(&figures).unwrap_or_default(), mean(&all).unwrap_or_default())
        };
        let mut best = 0;
        for at in 1..self.turns.len() {
            if worth(&self.turns[at]) > worth(&self.turns[best]) {
                best = at;
            }
        }
        best
    }
}

fn compare(before: &[SectionRating], after: &[SectionRating]) -> Result<Comparison, Error> {
    let scores = |sections: &[SectionRating], metric: Metric| -> Vec<f64> {
        sections.iter().filter_map(|section| section.metrics.get(&metric)?.score).map(f64::from).collect()
    };
    let mut metrics = Vec::new();
    for metric in Metric::ALL {
        metrics.push(MetricChange {
            metric,
            before: mean(&scores(before, metric)),
            after: mean(&scores(after, metric)),
            low_before: low_scores(before, metric)?,
            low_after: low_scores(after, metric)?,
        });
    }
    let pairs = metrics.iter().filter_map(|change| Some((change.after?, change.before?)));
    let (after, before): (Vec<f64>, Vec<f64>) = pairs.unzip();
    Ok(Comparison { outcome: HeadToHead::of(&after, &before, 0.0)?, metrics })
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
