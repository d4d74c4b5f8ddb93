//! The adaptive protocol: criteria grounded in what is there, each task carried out, three runs, majority.

use std::collections::BTreeMap;

use futures::future::join_all;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use webeval_evidence::{
    CriterionKind, CriterionVerdict, DimensionScore, Judgement, RunDir, ScoreEntry, ScoreStatus, TokenUsage,
};
use webeval_llm::{ChatModel, ChatRequest, JsonSchema, Message, Part};
use webeval_stats::criteria::Verdict;

use super::bench::{Bench, Benches, Shown};
use super::offer::{SUBMIT, offered};
use super::score::{CriterionRuns, score};
use super::{Evaluator, NAME, Registry};
use crate::dossier::Dossier;
use crate::fence::Fence;
use crate::recorder::{Call, Checked, Question, Recorder};
use crate::{Error, Event, Prompts, Task};

/// Most tasks that one criterion is grounded in.
const MOST_TASKS: usize = 5;

/// Most pictures that a reviewer is shown, the last ones: before and after several actions.
const MOST_REVIEWED: usize = 8;

/// Refusals of a submission before the task is given up as one the evaluator is unable to do.
const PATIENCE: u32 = 2;

/// How to judge.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Number of the repeat, from 0; repeats stand beside each other in `scores.json`.
    pub repeat: u32,
    /// What the models are told.
    pub prompts: Prompts,
    /// Seed of the models' sampling.
    pub seed: u64,
    /// Whether keys, tokens and e-mail addresses are taken out of page text before it is sent.
    pub redact: bool,
    /// Runs whose majority counts (the paper: 3).
    pub runs: u32,
    /// Most turns of one task.
    pub turns: u32,
    /// Whether a reviewer looks at every passed or failed verdict with what the tools had shown. Where it comes to
    /// another verdict, the task counts as one the evaluator was unable to do: nobody's word is taken against the
    /// other's.
    pub review: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { repeat: 0, prompts: Prompts::default(), seed: 0, redact: false, runs: 3, turns: 20, review: false }
    }
}

/// A criterion as it is checked: an evaluator's own, or one of the query.
#[derive(Clone, Debug)]
struct Item {
    id: String,
    text: String,
}

/// A task that a criterion was grounded in.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Grounded {
    criterion: String,
    task: String,
    passes_if: String,
    compares: bool,
}

struct Context<'a> {
    run: &'a RunDir,
    task: &'a Task,
    model: &'a dyn ChatModel,
    options: &'a Options,
    fence: Fence,
    recorder: Recorder<'a>,
}

/// Judges an app by a jury of evaluators and files the result in its `scores.json`, each verdict in its
/// `judgements.jsonl`.
///
/// Each evaluator meets the app on benches of its own, one for each task; evaluators work side by side. A dimension is an
/// evaluator's criterion (`ui.visual_quality`), 0 or 100 of its points; the notes give the points. Criteria of the query
/// are the task's functional ones: they are judged by the evaluators that take them and stand under `criteria`, without
/// points. What was judged before in the same words is not judged again. When judging stops, what was judged until then
/// is filed: criteria without a verdict stand as unjudged.
///
/// # Errors
/// [`Error::NoEvidence`] when deployment failed and not by the app's fault; [`Error::Stopped`] when the model fails in a
/// way no further call would survive; what `benches` fails with; [`Error::Evidence`].
pub async fn judge(
    run: &RunDir,
    task: &Task,
    model: &dyn ChatModel,
    registry: &Registry,
    benches: &dyn Benches,
    options: &Options,
    events: &(dyn Fn(Event) + Sync),
) -> Result<ScoreEntry, Error> {
    let mut entry = ScoreEntry {
        method: NAME.to_owned(),
        judge: model.name().to_owned(),
        repeat: options.repeat,
        dimensions: BTreeMap::new(),
        findings: Vec::new(),
        criteria: Vec::new(),
        notes: Vec::new(),
        usage: TokenUsage::default(),
    };
    let mut outcome = Ok(());
    if let Some(zero) = Dossier::undeployable(run)? {
        let names = registry.iter().flat_map(|e| e.criteria.iter().map(move |item| format!("{}.{}", e.id, item.id)));
        entry.dimensions = names.map(|name| (name, zero.clone())).collect();
    } else {
        let recorder = Recorder::open(run, NAME, model.name(), options.repeat, events)?;
        let context = Context { run, task, model, options, fence: Fence::new(options.redact), recorder };
        let able = |evaluator: &Evaluator| benches.obstacle(evaluator);
        let judged = join_all(registry.iter().map(async |evaluator| match able(evaluator) {
            Some(obstacle) => (Work::Impossible(obstacle), Ok(())),
            None => context.evaluate(evaluator, benches).await,
        }));
        for (evaluator, (work, ended)) in registry.iter().zip(judged.await) {
            file(&mut entry, evaluator, &work, task);
            outcome = outcome.and(ended);
        }
        if task.criteria.functional.is_empty() && registry.iter().any(|evaluator| evaluator.query_criteria) {
            entry
                .notes
                .push("The task has no functional criteria, so nothing specific to the query was checked.".to_owned());
        }
        entry.usage = context.recorder.usage();
    }
    entry.notes.insert(0, total(&entry, registry));
    let mut scores = run.scores()?;
    scores.insert(entry.clone());
    run.write_scores(&scores)?;
    outcome.map(|()| entry)
}

/// What became of one evaluator's work.
enum Work {
    /// It could not even begin, and why.
    Impossible(String),
    /// The verdicts it came to, by criterion.
    Verdicts(BTreeMap<String, CriterionRuns>),
}

/// Puts one evaluator's verdicts into the entry.
fn file(entry: &mut ScoreEntry, evaluator: &Evaluator, work: &Work, task: &Task) {
    let verdicts = match work {
        Work::Verdicts(verdicts) => verdicts,
        Work::Impossible(why) => {
            let unchecked = DimensionScore {
                status: ScoreStatus::Incomplete,
                value: None,
                bounds: Some((0.0, 100.0)),
                grounds: format!("not checked: {why}"),
            };
            let names = evaluator.criteria.iter().map(|item| format!("{}.{}", evaluator.id, item.id));
            entry.dimensions.extend(names.map(|name| (name, unchecked.clone())));
            return;
        }
    };
    for (criterion, score) in score(evaluator, verdicts) {
        entry.dimensions.insert(format!("{}.{criterion}", evaluator.id), score);
    }
    if !evaluator.query_criteria {
        return;
    }
    for criterion in &task.criteria.functional {
        let runs = verdicts.get(&query_id(&criterion.id)).cloned().unwrap_or_default();
        let (met, analysis) = match runs.verdict() {
            Some(Verdict::Passed) => (Some(true), "passed"),
            Some(Verdict::Failed) => (Some(false), "failed"),
            Some(Verdict::NotApplicable) => (None, "not applicable"),
            Some(Verdict::Unable) => (None, "the evaluator was unable to check it"),
            None => (None, "unresolved: no majority"),
        };
        entry.criteria.push(CriterionVerdict {
            id: format!("{}.{}", evaluator.id, criterion.id),
            kind: CriterionKind::Functional,
            text: criterion.text.clone(),
            met,
            analysis: format!("{analysis}, {} runs", runs.runs.len()),
            confidence: None,
            citations: Vec::new(),
        });
    }
}

fn query_id(id: &str) -> String {
    format!("query.{id}")
}

/// The points over all evaluators.
fn total(entry: &ScoreEntry, registry: &Registry) -> String {
    let (mut earned, mut most, mut unable) = (0.0, 0.0, 0.0);
    for evaluator in registry.iter() {
        most += evaluator.points;
        for item in &evaluator.criteria {
            let Some(DimensionScore { status, value, .. }) =
                entry.dimensions.get(&format!("{}.{}", evaluator.id, item.id))
            else {
                continue;
            };
            earned += item.points * value.unwrap_or_default() / 100.0;
            if *status == ScoreStatus::Incomplete {
                unable += item.points;
            }
        }
    }
    let open = if unable > 0.0 { format!(", {unable} more that could not be checked") } else { String::new() };
    format!("{earned} of {most} points{open}.")
}

impl Context<'_> {
    /// All runs of one evaluator, and why there were not more.
    async fn evaluate(&self, evaluator: &Evaluator, benches: &dyn Benches) -> (Work, Result<(), Error>) {
        let mut verdicts: BTreeMap<String, CriterionRuns> = BTreeMap::new();
        let mut outcome = Ok(());
        for number in 0..self.options.runs {
            let found = match self.one_run(evaluator, number, benches).await {
                Ok(found) => found,
                Err(error) => {
                    outcome = Err(error);
                    break;
                }
            };
            for item in self.items(evaluator) {
                let tasks = found.get(&item.id).cloned().unwrap_or_default();
                verdicts.entry(item.id).or_default().runs.push(tasks);
            }
        }
        // Two runs of three are no three: a majority of what there is would be made up.
        if outcome.is_err() {
            verdicts.clear();
        }
        (Work::Verdicts(verdicts), outcome)
    }

    fn items(&self, evaluator: &Evaluator) -> Vec<Item> {
        let own = evaluator
            .criteria
            .iter()
            .map(|item| Item { id: item.id.clone(), text: format!("{}: {}", item.name, item.instruction) });
        let asked = self.task.criteria.functional.iter().filter(|_| evaluator.query_criteria);
        own.chain(asked.map(|criterion| Item { id: query_id(&criterion.id), text: criterion.text.clone() })).collect()
    }

    async fn one_run(
        &self,
        evaluator: &Evaluator,
        number: u32,
        benches: &dyn Benches,
    ) -> Result<BTreeMap<String, Vec<Verdict>>, Error> {
        let mut verdicts: BTreeMap<String, Vec<Verdict>> = BTreeMap::new();
        // Opened when something is to be looked at: a sitting that only takes verdicts over needs no browser.
        let mut bench = Lazy { benches, evaluator, open: None };
        let Some(tasks) = self.ground(evaluator, number, &mut bench).await? else { return Ok(verdicts) };
        for (at, task) in tasks.iter().enumerate() {
            if let Some(verdict) = self.carry_out(evaluator, number, at, task, &mut bench).await? {
                verdicts.entry(task.criterion.clone()).or_default().push(verdict);
            }
            // A task starts on a fresh page: what the one before did to the app is not this one's doing.
            bench.open = None;
        }
        Ok(verdicts)
    }

    /// The concrete tasks of one run; none when the model failed.
    async fn ground(
        &self,
        evaluator: &Evaluator,
        number: u32,
        bench: &mut Lazy<'_>,
    ) -> Result<Option<Vec<Grounded>>, Error> {
        let items = self.items(evaluator);
        let listed: Vec<String> = items.iter().map(|item| format!("{}: {}", item.id, item.text)).collect();
        let call = self.call(evaluator, "ground", number, "liveeval-ground.txt", &json!([listed, number]))?;
        if let Some(earlier) = self.recorder.earlier(&call) {
            return Ok(Some(tasks_of(&earlier.verdict, &items)));
        }
        let overview = bench.get().await?.overview().await?;
        let tools: Vec<String> = evaluator.tools.iter().map(|tool| tool.name()).collect();
        let values = json!({
            "requirement": self.fence.fence(&self.task.requirement),
            "overview": self.fence.fence(&overview.text),
            "tools": tools.join(", "),
            "criteria": self.fence.fence(&listed.join("\n")),
        });
        let messages =
            self.options.prompts.render_as(&evaluator.persona, "liveeval-ground.txt", values, pictures(&overview))?;
        let ids: Vec<&str> = items.iter().map(|item| item.id.as_str()).collect();
        let request = ChatRequest::new(format!("judge/liveeval/{}/ground", evaluator.id), messages)
            .expecting(JsonSchema::new("tasks", tasks_schema(&ids)))
            .with_max_tokens(8000);
        let seed = self.options.seed.wrapping_add(number.into());
        let question = Question { call, request, seed, screenshots: &[], settle: &|_| Checked::default() };
        let line = self.recorder.put(self.model, question).await?;
        Ok(line.failure.is_none().then(|| tasks_of(&line.verdict, &items)))
    }

    /// One task; none when the model failed.
    async fn carry_out(
        &self,
        evaluator: &Evaluator,
        number: u32,
        at: usize,
        task: &Grounded,
        bench: &mut Lazy<'_>,
    ) -> Result<Option<Verdict>, Error> {
        let round = number * 1000 + u32::try_from(at).unwrap_or(999);
        let asked = json!([task, round, self.options.turns, self.options.review]);
        let call = self.call(evaluator, "task", round, "liveeval-task.txt", &asked)?;
        if let Some(earlier) = self.recorder.earlier(&call) {
            return Ok(verdict_of(&earlier.verdict["counts"]));
        }
        let bench = bench.get().await?;
        let overview = bench.overview().await?;
        let words = format!("{}\nIt passes if: {}", task.task, task.passes_if);
        let values = json!({
            "requirement": self.fence.fence(&self.task.requirement),
            "overview": self.fence.fence(&overview.text),
            "criterion": task.criterion,
            "task": self.fence.fence(&words),
            "turns": self.options.turns,
        });
        let messages =
            self.options.prompts.render_as(&evaluator.persona, "liveeval-task.txt", values, pictures(&overview))?;
        let mut work = TaskWork { context: self, evaluator, task, messages, compared: false, refused: 0 };
        let mut line = self.recorder.line(&call);
        let seed = self.recorder.seed(&call, self.options.seed.wrapping_add(round.into()));
        let outcome = work.hold(bench, seed, &mut line).await;
        if line.verdict.is_null() && line.failure.is_none() {
            line.failure =
                Some(outcome.as_ref().err().map_or("no verdict within the turns".to_owned(), ToString::to_string));
        }
        // A task without a verdict in time was not done: that is the evaluator's inability, not the app's failure.
        let mut verdict = verdict_of(&line.verdict["verdict"]).unwrap_or(Verdict::Unable);
        if outcome.is_ok() && self.options.review && matches!(verdict, Verdict::Passed | Verdict::Failed) {
            // Before the task's own line: that it is there means that the review is, too.
            let seen = std::mem::take(&mut work.messages);
            if self.review(evaluator, round, task, seen, &line.verdict).await? != Some(verdict) {
                verdict = Verdict::Unable;
            }
        }
        if line.failure.is_none() {
            line.verdict["counts"] = json!(verdict);
        }
        self.recorder.add(&line)?;
        outcome.map(|()| Some(verdict))
    }

    /// The verdict that a reviewer comes to from what an evaluator's tools had shown; none when it failed.
    async fn review(
        &self,
        evaluator: &Evaluator,
        round: u32,
        task: &Grounded,
        seen: Vec<Message>,
        given: &Value,
    ) -> Result<Option<Verdict>, Error> {
        let (shown, pictures) = self.record_of(&seen);
        let values = json!({
            "task": self.fence.fence(&format!("{}\nIt passes if: {}", task.task, task.passes_if)),
            "record": shown,
            "verdict": given["verdict"],
            "evidence": self.fence.fence(given["evidence"].as_str().unwrap_or_default()),
        });
        let messages = self.options.prompts.render("liveeval-review.txt", values, pictures)?;
        let schema = json!({
            "type": "object",
            "properties": {
                "verdict": {"enum": ["passed", "failed", "not_applicable", "unable"]},
                "reason": {"type": "string", "maxLength": 1000}
            },
            "required": ["verdict", "reason"],
            "additionalProperties": false
        });
        let request = ChatRequest::new(format!("judge/liveeval/{}/review", evaluator.id), messages)
            .expecting(JsonSchema::new("review", schema))
            .with_seed(self.options.seed.wrapping_add(round.into()))
            .with_max_tokens(4000);
        let prompt = self.options.prompts.hash("liveeval-review.txt")?.to_owned();
        let call = Call { dimension: evaluator.id.clone(), role: "review", round, prompt, request: request.hash() };
        let seed = self.options.seed.wrapping_add(round.into());
        let question = Question { call, request, seed, screenshots: &[], settle: &|_| Checked::default() };
        let line = self.recorder.put(self.model, question).await?;
        Ok(verdict_of(&line.verdict["verdict"]))
    }

    /// What was done and shown in a task, fenced, and the last pictures of it.
    fn record_of(&self, seen: &[Message]) -> (String, Vec<Part>) {
        let most = usize::try_from(self.model.profile().context).unwrap_or(usize::MAX);
        let mut lines = Vec::new();
        let mut pictures: Vec<Part> = Vec::new();
        for message in seen {
            match message {
                Message::Assistant { tool_calls, .. } => {
                    lines.extend(tool_calls.iter().map(|call| format!("> {} {}", call.name, call.arguments)));
                }
                Message::Tool { text, .. } => lines.push(text.clone()),
                Message::User { parts } => {
                    // What is no picture is what the evaluator was told at first, and captions.
                    let shown = parts.iter().filter(|part| matches!(part, Part::Image { .. }));
                    pictures.extend(shown.cloned());
                }
                Message::System { .. } => {}
            }
        }
        let keep = self.model.profile().max_images.min(MOST_REVIEWED);
        let pictures = pictures.split_off(pictures.len().saturating_sub(keep));
        let mut text = lines.join("\n");
        if text.len() > most {
            // The end is what the verdict rests on.
            let from = (text.len() - most..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len());
            text = format!("(the beginning is left out)\n{}", &text[from..]);
        }
        (self.fence.fence(&text), pictures)
    }

    fn call(
        &self,
        evaluator: &Evaluator,
        role: &'static str,
        round: u32,
        template: &str,
        asked: &Value,
    ) -> Result<Call, Error> {
        let app = self.run.run()?.app;
        let asked = json!([app, self.task.requirement, evaluator, asked, self.options.seed, self.options.redact]);
        let request = Sha256::digest(asked.to_string()).iter().map(|byte| format!("{byte:02x}")).collect();
        let prompt = self.options.prompts.hash(template)?.to_owned();
        Ok(Call { dimension: evaluator.id.clone(), role, round, prompt, request })
    }
}

fn tasks_schema(criteria: &[&str]) -> Value {
    let task = json!({
        "type": "object",
        "properties": {
            "criterion": {"enum": criteria},
            "task": {"type": "string", "maxLength": 1000},
            "passes_if": {"type": "string", "maxLength": 500},
            "compares": {"type": "boolean"}
        },
        "required": ["criterion", "task", "passes_if", "compares"],
        "additionalProperties": false
    });
    json!({
        "type": "object",
        "properties": {"tasks": {"type": "array", "items": task, "maxItems": MOST_TASKS * criteria.len()}},
        "required": ["tasks"],
        "additionalProperties": false
    })
}

/// The tasks in a grounding, at most so many for each criterion.
fn tasks_of(verdict: &Value, items: &[Item]) -> Vec<Grounded> {
    let all: Vec<Grounded> = serde_json::from_value(verdict["tasks"].clone()).unwrap_or_default();
    let of =
        |item: &Item| all.iter().filter(|task| task.criterion == item.id).take(MOST_TASKS).cloned().collect::<Vec<_>>();
    items.iter().flat_map(of).collect()
}

fn pictures(shown: &Shown) -> Vec<Part> {
    let parts =
        |(caption, image): &(String, webeval_llm::Image)| [Part::text(format!("{caption}:")), image.clone().into()];
    shown.pictures.iter().flat_map(parts).collect()
}

fn verdict_of(value: &Value) -> Option<Verdict> {
    serde_json::from_value(value.clone()).ok()
}

/// A bench that is opened when it is needed.
struct Lazy<'a> {
    benches: &'a dyn Benches,
    evaluator: &'a Evaluator,
    open: Option<Box<dyn Bench>>,
}

impl Lazy<'_> {
    async fn get(&mut self) -> Result<&mut dyn Bench, Error> {
        let bench = match self.open.take() {
            Some(bench) => bench,
            None => self.benches.open(self.evaluator).await?,
        };
        Ok(self.open.insert(bench).as_mut())
    }
}

/// One task under way.
struct TaskWork<'w, 'a> {
    context: &'w Context<'a>,
    evaluator: &'w Evaluator,
    task: &'w Grounded,
    messages: Vec<Message>,
    /// The bench has shown a change against a capture from before the action.
    compared: bool,
    refused: u32,
}

/// A verdict as it is submitted.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Submitted {
    verdict: Verdict,
    evidence: String,
    compares: bool,
}

impl TaskWork<'_, '_> {
    /// Until a verdict is in `line`, or the turns are used up.
    async fn hold(&mut self, bench: &mut dyn Bench, seed: u64, line: &mut Judgement) -> Result<(), Error> {
        for _ in 0..self.context.options.turns {
            let request = ChatRequest::new(format!("judge/liveeval/{}/task", self.evaluator.id), self.messages.clone())
                .with_tools(offered(self.evaluator), true)
                .with_seed(seed)
                .with_max_tokens(4000);
            let reply = match self.context.model.chat(&request).await {
                Ok(reply) => reply,
                Err(error) if error.is_fatal() => return Err(Error::Stopped { source: Box::new(error) }),
                Err(error) => {
                    line.failure = Some(error.to_string());
                    return Ok(());
                }
            };
            line.usage += reply.usage;
            self.messages.push(reply.to_message());
            if reply.tool_calls.is_empty() {
                self.messages.push(Message::user(format!("Call a tool; {SUBMIT} ends the task.")));
            }
            let mut pictures = Vec::new();
            for call in &reply.tool_calls {
                let text = match call.parse() {
                    Err(error) => format!("the arguments are not JSON: {error}"),
                    Ok(arguments) if call.name == SUBMIT => match self.submit(arguments) {
                        Ok(verdict) => {
                            line.verdict = verdict;
                            return Ok(());
                        }
                        Err(complaint) => complaint,
                    },
                    Ok(arguments) => self.use_tool(&call.name, &arguments, bench, &mut pictures).await?,
                };
                self.messages.push(Message::tool(call, text));
            }
            if !pictures.is_empty() {
                self.messages.push(Message::parts(pictures));
            }
            if self.refused > PATIENCE {
                let evidence = "its submissions were refused: they rested on nothing that was captured";
                line.verdict = json!({"verdict": Verdict::Unable, "evidence": evidence, "compares": false});
                return Ok(());
            }
        }
        Ok(())
    }

    async fn use_tool(
        &mut self,
        name: &str,
        arguments: &Value,
        bench: &mut dyn Bench,
        pictures: &mut Vec<Part>,
    ) -> Result<String, Error> {
        // Only what the evaluator declares: a touch user has no keyboard even if the model asks for one.
        let Some(tool) = self.evaluator.tools.iter().find(|tool| tool.name() == name) else {
            let names: Vec<String> = self.evaluator.tools.iter().map(|tool| tool.name()).collect();
            return Ok(format!("there is no tool {name:?}; there are {}, {SUBMIT}", names.join(", ")));
        };
        let shown = bench.use_tool(*tool, arguments).await?;
        self.compared |= shown.compared;
        pictures.extend(self::pictures(&shown));
        Ok(self.context.fence.fence(&shown.text))
    }

    /// The verdict, or what is wrong with it in words.
    fn submit(&mut self, arguments: Value) -> Result<Value, String> {
        let submitted: Submitted =
            serde_json::from_value(arguments).map_err(|error| format!("wrong arguments: {error}"))?;
        let decides = matches!(submitted.verdict, Verdict::Passed | Verdict::Failed);
        let compares = submitted.compares || self.task.compares;
        let complaint = if decides && compares && !self.compared {
            "a comparison of before and after needs a picture from before the action: act through a tool, which takes it \
             for you, and look at both"
        } else if submitted.evidence.trim().chars().count() < 10 {
            "say what the tools showed that the verdict rests on"
        } else {
            return Ok(json!(submitted));
        };
        self.refused += 1;
        Err(format!("not recorded: {complaint}"))
    }
}
