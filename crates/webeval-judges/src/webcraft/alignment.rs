//! The alignment agent: for each criterion, yes or no with evidence (§4.4, A.2).

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use webeval_evidence::{
    BlobRef, Citation, CriterionKind, CriterionVerdict, DimensionScore, Judgement, ScoreEntry, ScoreStatus, TokenUsage,
};
use webeval_llm::{ChatRequest, Error as ModelError, Message, Part, ToolCall};
use webeval_stats::CriteriaTally;

use super::Context;
use super::tools::{Archive, Given, offered};
use crate::Error;
use crate::dossier::name_of;
use crate::recorder::Call;
use crate::task::{Criterion, KINDS, word};

const TEMPLATE: &str = "alignment.txt";

/// Most tokens of one turn's answer.
const ANSWER_TOKENS: u32 = 8000;

/// A verdict as the agent submits it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Submitted {
    criterion: String,
    met: bool,
    analysis: String,
    confidence: f64,
    evidence: Vec<Cited>,
}

/// Evidence as the agent names it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cited {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    step: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    state: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    quote: Option<String>,
}

impl Context<'_> {
    /// Decides every criterion of the task and fills in the three alignment dimensions.
    pub(super) async fn alignment(&self, entry: &mut ScoreEntry) -> Result<(), Error> {
        let archive = Archive::new(self.dossier);
        for kind in KINDS {
            let dimension = format!("alignment.{}", word(kind));
            let criteria = self.task.map(|task| task.criteria.of(kind)).unwrap_or_default();
            if criteria.is_empty() {
                let score = match self.task {
                    Some(_) => DimensionScore::not_applicable(format!("the task gives no {} criteria", word(kind))),
                    None => DimensionScore::not_judged(format!("there is no task to give {} criteria", word(kind))),
                };
                entry.dimensions.insert(dimension, score);
                continue;
            }
            let mut verdicts = BTreeMap::new();
            let outcome = self.decide_set(&archive, kind, criteria, &mut verdicts).await;
            let reason = outcome.as_ref().err().map(ToString::to_string);
            let all: Vec<CriterionVerdict> =
                criteria.iter().map(|c| verdicts.remove(&c.id).unwrap_or_else(|| unjudged(kind, c, &reason))).collect();
            entry.dimensions.insert(dimension, score(&all));
            entry.criteria.extend(all);
            outcome?;
        }
        Ok(())
    }

    async fn decide_set(
        &self,
        archive: &Archive<'_>,
        kind: CriterionKind,
        criteria: &[Criterion],
        verdicts: &mut BTreeMap<String, CriterionVerdict>,
    ) -> Result<(), Error> {
        let mut open = Vec::new();
        for (round, criterion) in criteria.iter().enumerate() {
            let call = self.criterion_call(kind, round, criterion)?;
            match self.recorder.earlier(&call) {
                Some(earlier) => {
                    verdicts.insert(criterion.id.clone(), verdict(kind, criterion, &earlier));
                }
                None => open.push((criterion, call)),
            }
        }
        for batch in open.chunks(self.options.batch.max(1)) {
            Conversation::new(self, archive, kind, batch)?.hold(verdicts).await?;
        }
        Ok(())
    }

    /// What is asked about a criterion: the same question over the same evidence is not asked twice.
    fn criterion_call(&self, kind: CriterionKind, round: usize, criterion: &Criterion) -> Result<Call, Error> {
        let prompt = self.options.prompts.hash(TEMPLATE)?.to_owned();
        let steps: Vec<_> = self.dossier.trace.steps.iter().map(|s| (s.index, &s.snapshot, &s.screenshot)).collect();
        let asked = json!([self.requirement(), criterion, steps, self.options.seed, self.options.redact]);
        let request = Sha256::digest(asked.to_string()).iter().map(|byte| format!("{byte:02x}")).collect();
        let round = u32::try_from(round).unwrap_or(u32::MAX);
        Ok(Call { dimension: format!("alignment.{}", word(kind)), role: "alignment", round, prompt, request })
    }
}

/// One conversation about a few criteria of one set. What it has submitted is taken out of its own memory, so that no
/// verdict colours the next.
struct Conversation<'c, 'a> {
    context: &'c Context<'a>,
    archive: &'c Archive<'a>,
    kind: CriterionKind,
    open: BTreeMap<String, (&'c Criterion, Call)>,
    messages: Vec<Message>,
    /// Criteria whose first submission was sent back.
    warned: BTreeSet<String>,
    /// States whose screenshot was looked at.
    seen: BTreeSet<usize>,
    shown: Vec<BlobRef>,
    seed: u64,
    /// What the turns since the last verdict used.
    usage: TokenUsage,
    tokens: u64,
}

impl<'c, 'a> Conversation<'c, 'a> {
    fn new(
        context: &'c Context<'a>,
        archive: &'c Archive<'a>,
        kind: CriterionKind,
        batch: &[(&'c Criterion, Call)],
    ) -> Result<Self, Error> {
        let listed: Vec<String> = batch.iter().map(|(c, _)| format!("{}: {}", c.id, c.text)).collect();
        let steps = &context.dossier.trace.steps;
        let seeds = batch.iter().map(|(_, call)| context.recorder.seed(call, context.options.seed));
        let values = json!({
            "requirement": context.requirement(),
            "graph": context.graph(context.room() / 8),
            "steps": steps.len(),
            "last": steps.last().map_or(0, |step| step.index),
            "turns": context.options.turns,
            "set": word(kind),
            "criteria": context.fence.fence(&listed.join("\n")),
        });
        Ok(Self {
            context,
            archive,
            kind,
            open: batch.iter().map(|(c, call)| (c.id.clone(), (*c, call.clone()))).collect(),
            messages: context.options.prompts.render(TEMPLATE, values, Vec::new())?,
            warned: BTreeSet::new(),
            seen: BTreeSet::new(),
            shown: Vec::new(),
            seed: seeds.max().unwrap_or(context.options.seed),
            usage: TokenUsage::default(),
            tokens: 0,
        })
    }

    /// Goes on until everything is submitted or the budget is used up; the rest is recorded as unjudged.
    async fn hold(mut self, verdicts: &mut BTreeMap<String, CriterionVerdict>) -> Result<(), Error> {
        for _ in 0..self.context.options.turns {
            if self.open.is_empty() {
                return Ok(());
            }
            if self.tokens >= self.context.options.tokens {
                return self.give_up("the token budget was used up", verdicts);
            }
            self.forget();
            let purpose = format!("judge/alignment/{}", word(self.kind));
            let request = ChatRequest::new(purpose, self.messages.clone())
                .with_tools(offered(), true)
                .with_seed(self.seed)
                .with_max_tokens(self.context.answer_tokens(ANSWER_TOKENS));
            let reply = match self.context.model.chat(&request).await {
                Ok(reply) => reply,
                Err(error) => return self.failed(error, verdicts),
            };
            self.usage += reply.usage;
            self.tokens += reply.usage.input + reply.usage.output;
            self.messages.push(reply.to_message());
            self.answer(&reply.tool_calls, verdicts)?;
        }
        if self.open.is_empty() { Ok(()) } else { self.give_up("the turns were used up", verdicts) }
    }

    fn answer(&mut self, calls: &[ToolCall], verdicts: &mut BTreeMap<String, CriterionVerdict>) -> Result<(), Error> {
        if calls.is_empty() {
            let open: Vec<&str> = self.open.keys().map(String::as_str).collect();
            let word = format!("Call a tool. Still to be submitted: {}.", open.join(", "));
            self.messages.push(Message::user(word));
        }
        let mut pictures = Vec::new();
        let mut accepted = Vec::new();
        for call in calls {
            let text = match call.parse() {
                Err(error) => format!("the arguments are not JSON: {error}"),
                Ok(arguments) if call.name == "submit" => match self.submit(arguments, verdicts)? {
                    Ok(()) => {
                        accepted.push(call.id.clone());
                        "recorded".to_owned()
                    }
                    Err(complaint) => complaint,
                },
                Ok(arguments) => match self.archive.use_tool(&call.name, arguments)? {
                    Given::Word(word) => word,
                    Given::Evidence(text) => self.context.fence.fence(&text),
                    Given::Picture { .. } if !self.context.model.profile().vision => {
                        "you take no images; read the DOM instead".to_owned()
                    }
                    Given::Picture { caption, image, blob, state } => {
                        self.seen.extend(state);
                        self.shown.push(blob);
                        let word = format!("the screenshot of {caption} follows");
                        pictures.push(Part::text(format!("The screenshot of {caption}:")));
                        pictures.push(image.into());
                        word
                    }
                },
            };
            self.messages.push(Message::tool(call, text));
        }
        if !pictures.is_empty() {
            self.messages.push(Message::parts(pictures));
        }
        self.blot_out(&accepted);
        Ok(())
    }

    /// Checks and records a verdict. The inner error is what the agent is told when it is sent back.
    fn submit(
        &mut self,
        arguments: Value,
        verdicts: &mut BTreeMap<String, CriterionVerdict>,
    ) -> Result<Result<(), String>, Error> {
        let submitted: Submitted = match serde_json::from_value(arguments) {
            Ok(submitted) => submitted,
            Err(error) => return Ok(Err(format!("wrong arguments: {error}"))),
        };
        let id = submitted.criterion.trim().to_owned();
        if !self.open.contains_key(&id) {
            let open: Vec<&str> = self.open.keys().map(String::as_str).collect();
            return Ok(Err(format!("{id:?} is not to be submitted; still open: {}", open.join(", "))));
        }
        if !(0.0..=1.0).contains(&submitted.confidence) {
            return Ok(Err("wrong arguments: confidence is a number from 0 to 1".to_owned()));
        }
        let (citations, mut struck) = self.check(&submitted)?;
        if submitted.met && citations.is_empty() {
            struck.push("met, but without evidence that exists: recorded as not met".to_owned());
        }
        if !struck.is_empty() && self.warned.insert(id.clone()) {
            return Ok(Err(format!("not recorded: {}. Submit it once more with this put right.", struck.join("; "))));
        }
        let Some((criterion, call)) = self.open.remove(&id) else { return Ok(Ok(())) };
        let mut line = self.line(&call);
        (line.verdict, line.citations, line.struck) = (json!(submitted), citations, struck);
        self.context.recorder.add(&line)?;
        verdicts.insert(id, verdict(self.kind, criterion, &line));
        Ok(Ok(()))
    }

    /// Splits what is cited into what exists and what is wrong with the rest.
    fn check(&self, submitted: &Submitted) -> Result<(Vec<Citation>, Vec<String>), Error> {
        let (mut citations, mut struck) = (Vec::new(), Vec::new());
        for cited in &submitted.evidence {
            match self.citation(cited)? {
                Ok(citation) => citations.push(citation),
                Err(fault) => struck.push(fault),
            }
        }
        Ok((citations, struck))
    }

    fn citation(&self, cited: &Cited) -> Result<Result<Citation, String>, Error> {
        let dossier = self.context.dossier;
        if let Some(step) = cited.step {
            let found = dossier.step(step).map(|step| Citation::Step { step: step.index });
            return Ok(found.ok_or_else(|| format!("there is no step {step}")));
        }
        let Some(name) = &cited.state else { return Ok(Err("evidence names neither a step nor a state".to_owned())) };
        let Some(place) = dossier.place(name) else { return Ok(Err(format!("there is no state {name:?}"))) };
        let state = name_of(place);
        Ok(match &cited.quote {
            Some(quote) if self.archive.quotes(place, quote)? => {
                Ok(Citation::State { state, quote: Some(quote.clone()) })
            }
            Some(quote) => Err(format!("{quote:?} does not stand in the DOM of {state}")),
            None if self.seen.contains(&place) => Ok(Citation::State { state, quote: None }),
            None => Err(format!("{state} is cited without a quote, and its screenshot was not looked at")),
        })
    }

    fn line(&mut self, call: &Call) -> Judgement {
        let mut line = self.context.recorder.line(call);
        line.usage = std::mem::take(&mut self.usage);
        line.screenshots.clone_from(&self.shown);
        line
    }

    /// Takes what accepted submissions said out of the conversation: only that they were made stays.
    fn blot_out(&mut self, accepted: &[String]) {
        for message in &mut self.messages {
            let Message::Assistant { text, tool_calls } = message else { continue };
            for call in tool_calls.iter_mut().filter(|call| accepted.contains(&call.id) && call.name == "submit") {
                let id = call.parse().ok().and_then(|arguments| arguments.get("criterion").cloned());
                call.arguments = json!({ "criterion": id }).to_string();
                text.clear();
            }
        }
    }

    /// Keeps the conversation within the model's room: the oldest answers of tools are dropped first, and pictures
    /// beyond what the model takes. The agent is told, and can ask again.
    fn forget(&mut self) {
        let profile = self.context.model.profile();
        let mut pictures = 0;
        let mut room = self.context.room();
        let newest = self.messages.len().saturating_sub(2);
        for (at, message) in self.messages.iter_mut().enumerate().rev() {
            match message {
                Message::Tool { text, .. } => {
                    if text.len() > room && at < newest {
                        *text = "[dropped to make room; ask again if you need it]".to_owned();
                    }
                    room = room.saturating_sub(text.len());
                }
                Message::User { parts } => {
                    for part in parts.iter_mut().rev().filter(|part| matches!(part, Part::Image { .. })) {
                        pictures += 1;
                        if pictures > profile.max_images {
                            *part = Part::text("[dropped to make room; ask again if you need it]");
                        }
                    }
                }
                Message::System { .. } | Message::Assistant { .. } => {}
            }
        }
    }

    fn failed(self, error: ModelError, verdicts: &mut BTreeMap<String, CriterionVerdict>) -> Result<(), Error> {
        let fatal = error.is_fatal();
        self.give_up(&error.to_string(), verdicts)?;
        if fatal { Err(Error::Stopped { source: Box::new(error) }) } else { Ok(()) }
    }

    /// Records what is still open as unjudged; the next sitting tries it again.
    fn give_up(mut self, why: &str, verdicts: &mut BTreeMap<String, CriterionVerdict>) -> Result<(), Error> {
        for (id, (criterion, call)) in std::mem::take(&mut self.open) {
            let mut line = self.line(&call);
            line.failure = Some(why.to_owned());
            self.context.recorder.add(&line)?;
            verdicts.insert(id, unjudged(self.kind, criterion, &Some(why.to_owned())));
        }
        Ok(())
    }
}

fn verdict(kind: CriterionKind, criterion: &Criterion, line: &Judgement) -> CriterionVerdict {
    let met = line.verdict["met"].as_bool().unwrap_or(false) && !line.citations.is_empty();
    let mut analysis = line.verdict["analysis"].as_str().unwrap_or_default().to_owned();
    if !line.struck.is_empty() {
        analysis.push_str(&format!(" [struck: {}]", line.struck.join("; ")));
    }
    CriterionVerdict {
        id: criterion.id.clone(),
        kind,
        text: criterion.text.clone(),
        met: Some(met),
        analysis,
        confidence: line.verdict["confidence"].as_f64().map(|confidence| confidence.clamp(0.0, 1.0)),
        citations: line.citations.clone(),
    }
}

fn unjudged(kind: CriterionKind, criterion: &Criterion, why: &Option<String>) -> CriterionVerdict {
    CriterionVerdict {
        id: criterion.id.clone(),
        kind,
        text: criterion.text.clone(),
        met: None,
        analysis: format!("not judged: {}", why.as_deref().unwrap_or("judging stopped before it")),
        confidence: None,
        citations: Vec::new(),
    }
}

/// 100 × met ÷ all, with bounds where some stayed unjudged.
fn score(verdicts: &[CriterionVerdict]) -> DimensionScore {
    let tally = CriteriaTally::count(verdicts.iter().map(|verdict| verdict.met));
    let grounds = format!("{} met, {} not met, {} not judged", tally.met, tally.unmet, tally.unjudged);
    match tally.percentage() {
        None => DimensionScore::not_judged(grounds),
        Some(_) if tally.unjudged == tally.total() => DimensionScore::not_judged(grounds),
        Some(share) => {
            let complete = share.is_complete();
            DimensionScore {
                status: if complete { ScoreStatus::Judged } else { ScoreStatus::Incomplete },
                value: Some(share.value().get()),
                bounds: (!complete).then(|| (share.low().get(), share.high().get())),
                grounds,
            }
        }
    }
}
