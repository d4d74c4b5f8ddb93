//! WebCraftBench's scoring procedure (§4.4 and appendix A.2): aesthetics and usability by deliberation, alignment by an
//! agent that searches the evidence.
//!
//! Everything a model says is appended to `judgements.jsonl` as soon as it is there, so a judge that was stopped is
//! resumed by calling [`judge`] again: what was asked before in the same words is not asked again, and failures are
//! tried anew. Dropping the future stops judging between two calls.

mod alignment;
mod citations;
mod deliberation;
mod page;
mod screenshots;
mod session;
mod tools;

use std::collections::BTreeMap;

use serde_json::{Value, json};
use webeval_evidence::{DimensionScore, RunDir, ScoreEntry, TokenUsage};
use webeval_llm::{ChatModel, Image, Part};
use webeval_states::GraphView;

use crate::dossier::Dossier;
use crate::fence::Fence;
use crate::recorder::Recorder;
use crate::{Error, Event, Prompts, Task};

use citations::Citer;
use deliberation::Subject;

/// The name that this method files its scores under.
pub const NAME: &str = "webcraft";

/// The dimensions it scores, each 0 to 100.
pub const DIMENSIONS: [&str; 5] =
    ["aesthetics", "usability", "alignment.functional", "alignment.content", "alignment.visual"];

/// The seven aspects of aesthetics (A.2), as they are keyed in judgements.
pub const AESTHETICS_ASPECTS: [&str; 7] = [
    "first_impression",
    "content_completeness",
    "layout_structure",
    "visual_detail",
    "hierarchy_and_typography",
    "stylistic_consistency",
    "emotion_and_trust",
];

/// The seven aspects of usability (A.2), as they are keyed in judgements.
pub const USABILITY_ASPECTS: [&str; 7] = [
    "core_operations",
    "immediacy_of_feedback",
    "controls_and_input",
    "flow_and_discoverability",
    "reachability_and_recovery",
    "dead_ends_errors_consistency",
    "stability_and_fault_tolerance",
];

/// How to judge.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Number of the repeat, from 0; repeats stand beside each other in `scores.json`.
    pub repeat: u32,
    /// What the models are told.
    pub prompts: Prompts,
    /// Seed of the models' sampling; the five final judges get this and the four numbers after it.
    pub seed: u64,
    /// Whether keys, tokens and e-mail addresses are taken out of page text before it is sent.
    pub redact: bool,
    /// Criteria that the alignment agent decides in one conversation.
    pub batch: usize,
    /// Most turns of the alignment agent in one conversation.
    pub turns: u32,
    /// Most tokens of the alignment agent, prompts and answers, in one conversation.
    pub tokens: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { repeat: 0, prompts: Prompts::default(), seed: 0, redact: false, batch: 6, turns: 40, tokens: 1_000_000 }
    }
}

impl Options {
    /// Sets the seed of the models' sampling.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }
}

/// Everything that the parts of the procedure share.
#[derive(Debug)]
struct Context<'a> {
    dossier: &'a Dossier,
    task: Option<&'a Task>,
    model: &'a dyn ChatModel,
    options: &'a Options,
    fence: Fence,
    recorder: Recorder<'a>,
}

/// Judges a run by WebCraftBench's procedure and files the result in its `scores.json`, each call in its
/// `judgements.jsonl`.
///
/// A dimension whose judges failed is left unscored with the reason, or marked incomplete with its bounds; no score is
/// made up. Without a task the app is judged as what it shows itself to be; without criteria in the task, alignment is
/// not judged.
///
/// # Errors
/// [`Error::NoEvidence`] before anything was explored; [`Error::Screenshot`] for a screenshot that is no picture, before
/// anything is sent; [`Error::Stopped`] when the model fails in a way no further call
/// would survive (money, key, cassette), after filing what was judged until then; [`Error::Evidence`] when the run
/// directory cannot be read or written.
pub async fn judge(
    run: &RunDir,
    task: Option<&Task>,
    model: &dyn ChatModel,
    options: &Options,
    events: &(dyn Fn(Event) + Sync),
) -> Result<ScoreEntry, Error> {
    let mut entry = empty(model.name(), options.repeat);
    let outcome = match Dossier::undeployable(run)? {
        Some(zero) => {
            entry.dimensions = DIMENSIONS.iter().map(|name| ((*name).to_owned(), zero.clone())).collect();
            Ok(())
        }
        None => {
            let dossier = Dossier::open(run)?;
            let recorder = Recorder::open(run, NAME, model.name(), options.repeat, events)?;
            let fence = Fence::new(options.redact);
            let context = Context { dossier: &dossier, task, model, options, fence, recorder };
            let outcome = context.all(&mut entry).await;
            entry.usage = context.recorder.usage();
            outcome
        }
    };
    let mut scores = run.scores()?;
    scores.insert(entry.clone());
    run.write_scores(&scores)?;
    outcome.map(|()| entry)
}

fn empty(judge: &str, repeat: u32) -> ScoreEntry {
    let unjudged = |name: &&str| ((*name).to_owned(), DimensionScore::not_judged("judging stopped before it"));
    ScoreEntry {
        method: NAME.to_owned(),
        judge: judge.to_owned(),
        repeat,
        dimensions: DIMENSIONS.iter().map(unjudged).collect(),
        findings: Vec::new(),
        criteria: Vec::new(),
        notes: Vec::new(),
        usage: TokenUsage::default(),
    }
}

impl Context<'_> {
    /// Fills `entry` dimension by dimension; what is in it when this fails stays.
    async fn all(&self, entry: &mut ScoreEntry) -> Result<(), Error> {
        let aesthetics = self.aesthetics(&mut entry.notes).await?;
        entry.dimensions.insert("aesthetics".to_owned(), aesthetics);
        let usability = self.usability(&mut entry.notes).await?;
        entry.dimensions.insert("usability".to_owned(), usability);
        self.alignment(entry).await?;
        let struck = self.recorder.struck();
        if struck > 0 {
            entry.notes.push(format!("{struck} citations of evidence that does not exist were struck."));
        }
        Ok(())
    }

    async fn aesthetics(&self, notes: &mut Vec<String>) -> Result<DimensionScore, Error> {
        if !self.model.profile().vision {
            return Ok(DimensionScore::not_judged(format!("{} takes no images", self.model.name())));
        }
        let choice = screenshots::choose(self.dossier)?;
        notes.extend(choice.notes);
        if choice.chosen.is_empty() {
            return Ok(DimensionScore::not_judged("there are no screenshots"));
        }
        let mut images = Vec::new();
        let mut known = BTreeMap::new();
        for (at, chosen) in choice.chosen.into_iter().enumerate() {
            let name = format!("P{}", at + 1);
            let image = Image::new(chosen.blob.to_string(), chosen.bytes);
            let image = image.map_err(|source| Error::Stopped { source: Box::new(source) })?;
            images.push(Part::text(format!("{name}:")));
            images.push(image.into());
            known.insert(name, chosen.blob);
        }
        let names: Vec<&str> = known.keys().map(String::as_str).collect();
        let evidence = json!({
            "requirement": self.requirement(),
            "pictures": known.len(),
            "names": names.join(", "),
        });
        let screenshots = known.values().cloned().collect();
        let citer = Citer::Screenshots(known);
        let subject =
            Subject { name: "aesthetics", aspects: &AESTHETICS_ASPECTS, evidence, images, screenshots, citer };
        deliberation::deliberate(self, &subject).await
    }

    async fn usability(&self, notes: &mut Vec<String>) -> Result<DimensionScore, Error> {
        let budget = self.room() / 2;
        let session = session::whole(self.dossier, budget);
        if session.condensed {
            notes.push("The session was condensed for the usability judges: repeats folded, nothing cut.".to_owned());
        }
        let evidence = json!({
            "requirement": self.requirement(),
            "graph": self.graph(budget / 4),
            "trace": self.fence.fence(&session.text),
            "condensed": session.condensed,
        });
        let citer = Citer::Session(self.dossier);
        let (images, screenshots) = (Vec::new(), Vec::new());
        let subject = Subject { name: "usability", aspects: &USABILITY_ASPECTS, evidence, images, screenshots, citer };
        deliberation::deliberate(self, &subject).await
    }

    /// The request that the app was made from, fenced.
    fn requirement(&self) -> String {
        match self.task {
            Some(task) => self.fence.fence(&task.requirement),
            None => "(The request is not known. Take the application for what it shows itself to be.)".to_owned(),
        }
    }

    /// Most tokens to answer with: `most`, or a third of what the model takes.
    fn answer_tokens(&self, most: u32) -> u32 {
        u32::try_from(self.model.profile().context / 3).unwrap_or(u32::MAX).clamp(256, most)
    }

    /// Characters of evidence that go into one request: three to a token, and room left for the answer.
    fn room(&self) -> usize {
        usize::try_from(self.model.profile().context).unwrap_or(usize::MAX).saturating_mul(2).max(2000)
    }

    /// The state graph in words, fenced.
    fn graph(&self, most: usize) -> Value {
        let view: &GraphView = &self.dossier.view;
        Value::String(self.fence.fence(view.overview(most).trim_end()))
    }
}
