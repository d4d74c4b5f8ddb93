//! The section judge (WebGen-V §3.2.1, §4.1, appendix G).

use std::collections::BTreeMap;

use futures::future::join_all;
use serde_json::{Value, json};
use webeval_evidence::{BlobKind, BlobRef, DimensionScore, FindingPlace, Judgement, RunDir, ScoreEntry, TokenUsage};
use webeval_llm::{ChatModel, ChatRequest, Image, JsonSchema, Part};
use webeval_sections::section::SectionContent;

use super::page::{SectionPage, clip, structured};
use super::ratings::{Known, Metric, SectionRating, dimensions, hold_to_rules, metrics_schema};
use super::{Input, Options};
use crate::dossier::Dossier;
use crate::fence::Fence;
use crate::recorder::{Call, Checked, Question, Recorder};
use crate::{Error, Event};

/// Most tokens of an answer about one section: nine reasons and pieces of advice fit twice, reasoning models need more.
const ANSWER_TOKENS: u32 = 8000;

/// Most sections that a judge of the whole page names.
const MOST_SECTIONS: usize = 40;

/// What came of judging a page.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Judged {
    /// The entry that was filed.
    pub entry: ScoreEntry,
    /// The ratings, section by section.
    pub sections: Vec<SectionRating>,
}

struct Context<'a> {
    run: &'a RunDir,
    page: &'a SectionPage,
    instruction: Option<&'a str>,
    model: &'a dyn ChatModel,
    options: &'a Options,
    fence: Fence,
    recorder: Recorder<'a>,
}

/// Judges a page section by section and files the result in `scores.json` of `run`, each verdict in its
/// `judgements.jsonl`.
///
/// A dimension is one of the nine metrics, its mean over the sections with 1 … 5 as 0 … 100, and `page`, the mean of the
/// sections' figures. A metric with a visible error gets at most 3: errors that the judge names count, and so do those
/// that were measured. Without an instruction, text accuracy is not judged. What was judged before in the same words is
/// not judged again.
///
/// # Errors
/// [`Error::NoEvidence`] for a page without sections; [`Error::Screenshot`] for a screenshot that is no picture, before
/// anything is sent; [`Error::Stopped`] when the model fails in a way no further call would survive, after filing what
/// was judged until then; [`Error::Evidence`].
pub async fn judge(
    run: &RunDir,
    page: &SectionPage,
    instruction: Option<&str>,
    model: &dyn ChatModel,
    options: &Options,
    events: &(dyn Fn(Event) + Sync),
) -> Result<Judged, Error> {
    if !model.profile().vision {
        let missing = format!("a model that takes images: {} does not", model.name());
        return Err(Error::NoEvidence { missing });
    }
    if page.sections().is_empty() {
        return Err(Error::NoEvidence { missing: "the page has no sections".to_owned() });
    }
    let recorder = Recorder::open(run, options.input.method(), model.name(), options.repeat, events)?;
    let fence = Fence::new(options.redact);
    let context = Context { run, page, instruction, model, options, fence, recorder };
    let (sections, missing, outcome) =
        if options.input.is_by_section() { context.by_section().await? } else { context.as_a_whole().await? };
    let mut entry = context.entry(dimensions(&sections, missing)?);
    entry.notes.extend(context.notes(&sections));
    let mut scores = run.scores()?;
    scores.insert(entry.clone());
    run.write_scores(&scores)?;
    outcome.map(|()| Judged { entry, sections })
}

/// Files the entry of an app that could not be brought up, 0 in every dimension, when that is its own fault; none when
/// it is up.
///
/// # Errors
/// [`Error::NoEvidence`] when deployment failed and not by the app's fault; [`Error::Evidence`].
pub fn undeployable(run: &RunDir, judge: &str, options: &Options) -> Result<Option<ScoreEntry>, Error> {
    let Some(zero) = Dossier::undeployable(run)? else { return Ok(None) };
    let names = Metric::ALL.map(Metric::name).into_iter().chain(["page"]);
    let dimensions = names.map(|name| (name.to_owned(), zero.clone())).collect();
    let entry = empty(options, judge, dimensions);
    let mut scores = run.scores()?;
    scores.insert(entry.clone());
    run.write_scores(&scores)?;
    Ok(Some(entry))
}

fn empty(options: &Options, judge: &str, dimensions: BTreeMap<String, DimensionScore>) -> ScoreEntry {
    ScoreEntry {
        method: options.input.method().to_owned(),
        judge: judge.to_owned(),
        repeat: options.repeat,
        dimensions,
        findings: Vec::new(),
        criteria: Vec::new(),
        notes: Vec::new(),
        usage: TokenUsage::default(),
    }
}

type Rated = (Vec<SectionRating>, usize, Result<(), Error>);

/// A picture that is sent, and where it is kept.
struct Shot {
    image: Image,
    blob: BlobRef,
}

impl Context<'_> {
    fn entry(&self, dimensions: BTreeMap<String, DimensionScore>) -> ScoreEntry {
        let place = |finding: &webeval_sections::Finding| FindingPlace {
            selector: Some(finding.selector.clone()),
            rect: Some(finding.rect),
            ..FindingPlace::default()
        };
        let measured = self.page.errors().map(|finding| webeval_evidence::Finding {
            rule: serde_json::to_value(finding.rule)
                .ok()
                .and_then(|v| v.as_str().map(str::to_owned))
                .unwrap_or_default(),
            severity: finding.severity,
            message: finding.message.clone(),
            place: place(finding),
            count: finding.count,
        });
        let mut entry = empty(self.options, self.model.name(), dimensions);
        (entry.findings, entry.usage) = (measured.collect(), self.recorder.usage());
        entry
    }

    fn notes(&self, sections: &[SectionRating]) -> Vec<String> {
        let mut notes = vec![format!("{} sections were rated.", sections.len())];
        let low = sections.iter().filter(|section| section.figure().is_some_and(|figure| figure <= 4)).count();
        notes.push(format!("{low} of them have a metric at or below 4, the threshold of refinement."));
        if self.instruction.is_none() {
            notes.push("There is no instruction to hold the text against: TA was not judged.".to_owned());
        }
        if self.recorder.struck() > 0 {
            notes.push(format!("{} ratings broke the rules also after they were sent back.", self.recorder.struck()));
        }
        notes
    }

    async fn by_section(&self) -> Result<Rated, Error> {
        let mut asked = Vec::new();
        for section in self.page.sections() {
            // All pictures are read before any money is spent.
            asked.push((section, self.shot(section)?));
        }
        let answers = join_all(asked.iter().map(|(section, shot)| self.rate(section, shot.as_ref()))).await;
        let (mut sections, mut missing, mut outcome) = (Vec::new(), 0, Ok(()));
        for ((section, _), answer) in asked.iter().zip(answers) {
            match answer.map(|line| rating(&section.section.name, &line.verdict)) {
                Ok(Some(rating)) => sections.push(rating),
                Ok(None) => missing += 1,
                Err(error) => {
                    missing += 1;
                    outcome = outcome.and(Err(error));
                }
            }
        }
        Ok((sections, missing, outcome))
    }

    fn shot(&self, section: &SectionContent) -> Result<Option<Shot>, Error> {
        self.page.screenshot(section)?.map(|bytes| self.keep(&section.screenshot_path, bytes)).transpose()
    }

    fn keep(&self, name: &str, bytes: Vec<u8>) -> Result<Shot, Error> {
        let blob = self.run.store(BlobKind::Screenshot, &bytes)?;
        let image = Image::new(name, bytes)
            .map_err(|source| Error::Screenshot { screenshot: blob.clone(), source: Box::new(source) })?;
        Ok(Shot { image, blob })
    }

    async fn rate(&self, section: &SectionContent, shot: Option<&Shot>) -> Result<Judgement, Error> {
        let has_text = self.options.input == Input::Structured;
        let text = serde_json::to_string_pretty(&structured(section)).unwrap_or_default();
        let values = json!({
            "instruction": self.instruction.map(|text| self.fence.fence(text)),
            "text": has_text.then(|| self.fence.fence(&text)),
            "picture": shot.is_some(),
        });
        let known = Known {
            media: Some(!section.media.is_empty()),
            instructed: self.instruction.is_some(),
            errors: self.page.errors_in(section),
        };
        let schema = json!({
            "type": "object",
            "properties": {"metrics": metrics_schema()},
            "required": ["metrics"],
            "additionalProperties": false
        });
        let settle = |verdict: &mut Value| match verdict.get_mut("metrics") {
            Some(metrics) => hold_to_rules(metrics, &known),
            None => Checked::default(),
        };
        let shots: Vec<&Shot> = shot.into_iter().collect();
        let asked = Asked {
            template: "sections-section.txt",
            dimension: &section.section.id,
            role: "section",
            round: section.order,
        };
        self.put(asked, &values, &shots, schema, &settle).await
    }

    /// One question about the whole page.
    async fn as_a_whole(&self) -> Result<Rated, Error> {
        let shot = self.keep("page.png", self.page.picture()?)?;
        let input = self.options.input;
        let room = usize::try_from(self.model.profile().context).unwrap_or(usize::MAX).saturating_mul(2);
        let text = match input {
            Input::ScreenshotAndText => {
                let all: Vec<Value> = self.page.sections().iter().map(structured).collect();
                Some(serde_json::to_string_pretty(&all).unwrap_or_default())
            }
            _ => None,
        };
        let markup = if input == Input::Page { Some(self.page.markup()?) } else { None };
        let fenced = |text: Option<String>| text.map(|text| self.fence.fence(&clip(&text, room)));
        let values = json!({
            "instruction": self.instruction.map(|text| self.fence.fence(text)),
            "text": fenced(text),
            "markup": fenced(markup),
        });
        let section = json!({
            "type": "object",
            "properties": {"name": {"type": "string", "maxLength": 100}, "metrics": metrics_schema()},
            "required": ["name", "metrics"],
            "additionalProperties": false
        });
        let schema = json!({
            "type": "object",
            "properties": {"sections": {"type": "array", "items": section, "minItems": 1, "maxItems": MOST_SECTIONS}},
            "required": ["sections"],
            "additionalProperties": false
        });
        // Where the judge draws the borders nobody can say which measured fault is in which section: those it names count.
        let instructed = self.instruction.is_some();
        let settle = |verdict: &mut Value| {
            let mut all = Checked::default();
            for section in verdict["sections"].as_array_mut().into_iter().flatten() {
                let known = Known { media: None, instructed, errors: Vec::new() };
                all.struck.extend(hold_to_rules(&mut section["metrics"], &known).struck);
            }
            all
        };
        let asked = Asked { template: "sections-page.txt", dimension: "page", role: "page", round: 0 };
        let (line, outcome) = match self.put(asked, &values, &[&shot], schema, &settle).await {
            Ok(line) => (line.verdict, Ok(())),
            Err(error) => (Value::Null, Err(error)),
        };
        let sections = line["sections"].as_array().into_iter().flatten();
        let sections: Vec<SectionRating> =
            sections.filter_map(|section| rating(section["name"].as_str().unwrap_or_default(), section)).collect();
        let missing = usize::from(sections.is_empty());
        Ok((sections, missing, outcome))
    }

    async fn put(
        &self,
        asked: Asked<'_>,
        values: &Value,
        shots: &[&Shot],
        schema: Value,
        settle: &(dyn Fn(&mut Value) -> Checked + Sync),
    ) -> Result<Judgement, Error> {
        let Asked { template, dimension, role, round } = asked;
        let images: Vec<Part> = shots.iter().map(|shot| shot.image.clone().into()).collect();
        let messages = self.options.prompts.render(template, values, images)?;
        let seed = self.options.seed.wrapping_add(round.into());
        let method = self.options.input.method();
        let request = ChatRequest::new(format!("judge/{method}/{role}"), messages)
            .expecting(JsonSchema::new("ratings", schema))
            .with_seed(seed)
            .with_max_tokens(ANSWER_TOKENS);
        let prompt = self.options.prompts.hash(template)?.to_owned();
        let call = Call { dimension: dimension.to_owned(), role, round, prompt, request: request.hash() };
        let screenshots: Vec<BlobRef> = shots.iter().map(|shot| shot.blob.clone()).collect();
        let question = Question { call, request, seed, screenshots: &screenshots, settle };
        self.recorder.put(self.model, question).await
    }
}

/// Where a question stands.
struct Asked<'a> {
    template: &'a str,
    dimension: &'a str,
    role: &'static str,
    round: u32,
}

/// The ratings in a verdict; none in one that failed.
fn rating(name: &str, verdict: &Value) -> Option<SectionRating> {
    let metrics = serde_json::from_value(verdict.get("metrics")?.clone()).ok()?;
    Some(SectionRating { name: name.to_owned(), metrics })
}
