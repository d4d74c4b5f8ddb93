//! Advocate, critic, and five runs of the final judge (A.2).

use futures::future::join_all;
use serde_json::{Map, Value, json};
use webeval_evidence::{BlobRef, DimensionScore, Judgement, ScoreStatus};
use webeval_llm::{ChatRequest, JsonSchema, Part};
use webeval_stats::{JudgePoints, deliberation_score};

use super::Context;
use super::citations::Citer;
use crate::Error;
use crate::recorder::{Call, Checked, Question};

/// Runs of the final judge; the highest and the lowest are dropped.
const FINALS: u32 = 5;

/// Most tokens of an answer: seven rationales fit several times, reasoning models need the rest.
const ANSWER_TOKENS: u32 = 16_000;

/// Longest claim or rationale, in characters: small models that are held to a grammar would go on for ever.
const LONGEST: u32 = 500;

/// What is deliberated on.
#[derive(Debug)]
pub(super) struct Subject<'a> {
    pub(super) name: &'static str,
    pub(super) aspects: &'a [&'static str],
    /// The templates' variables.
    pub(super) evidence: Value,
    pub(super) images: Vec<Part>,
    pub(super) screenshots: Vec<BlobRef>,
    pub(super) citer: Citer<'a>,
}

pub(super) async fn deliberate(context: &Context<'_>, subject: &Subject<'_>) -> Result<DimensionScore, Error> {
    let advocate = observe(context, subject, "advocate").await?;
    let critic = observe(context, subject, "critic").await?;
    if let Some((role, failure)) = failed(&[&advocate, &critic]) {
        return Ok(DimensionScore::not_judged(format!("the {role} failed: {failure}")));
    }
    let mut evidence = subject.evidence.clone();
    for (name, judgement) in [("advocate", &advocate), ("critic", &critic)] {
        // Claims quote the page, so they are no more to be obeyed than the page is.
        evidence[name] = Value::String(context.fence.fence(&claims(&judgement.verdict)));
    }
    let finals = join_all((0..FINALS).map(|round| decide(context, subject, &evidence, round))).await;
    let finals = finals.into_iter().collect::<Result<Vec<_>, _>>()?;
    score(subject, &finals)
}

fn failed<'j>(judgements: &[&'j Judgement]) -> Option<(&'j str, &'j str)> {
    judgements.iter().find_map(|j| Some((j.role.as_str(), j.failure.as_deref()?)))
}

/// One advocate or critic.
async fn observe(context: &Context<'_>, subject: &Subject<'_>, role: &'static str) -> Result<Judgement, Error> {
    let observation = json!({
        "type": "object",
        "properties": {
            "aspect": {"enum": subject.aspects},
            "claim": {"type": "string", "maxLength": LONGEST},
            "evidence": {"type": "array", "items": subject.citer.schema(), "maxItems": 8}
        },
        "required": ["aspect", "claim", "evidence"],
        "additionalProperties": false
    });
    let schema = json!({
        "type": "object",
        "properties": {"observations": {"type": "array", "items": observation, "maxItems": 24}},
        "required": ["observations"],
        "additionalProperties": false
    });
    let role =
        Role { name: role, round: 0, schema: JsonSchema::new("observations", schema), evidence: &subject.evidence };
    context.put(subject, role, &|verdict: &mut Value, citer: &Citer<'_>| observations(verdict, citer)).await
}

/// One run of the final judge.
async fn decide(
    context: &Context<'_>,
    subject: &Subject<'_>,
    evidence: &Value,
    round: u32,
) -> Result<Judgement, Error> {
    let aspect = json!({
        "type": "object",
        "properties": {
            "adjustment": {"type": "number", "minimum": -5, "maximum": 5},
            "rationale": {"type": "string", "maxLength": LONGEST},
            "evidence": {"type": "array", "items": subject.citer.schema(), "maxItems": 8}
        },
        "required": ["adjustment", "rationale", "evidence"],
        "additionalProperties": false
    });
    let aspects: Map<String, Value> = subject.aspects.iter().map(|name| ((*name).to_owned(), aspect.clone())).collect();
    let schema = json!({
        "type": "object",
        "properties": {
            "impression": {"type": "string", "maxLength": LONGEST},
            "base": {"type": "number", "minimum": 0, "maximum": 5},
            "aspects": {
                "type": "object", "properties": aspects, "required": subject.aspects, "additionalProperties": false
            }
        },
        "required": ["impression", "base", "aspects"],
        "additionalProperties": false
    });
    let role = Role { name: "final", round, schema: JsonSchema::new("judgement", schema), evidence };
    context.put(subject, role, &|verdict: &mut Value, citer: &Citer<'_>| adjustments(verdict, citer)).await
}

/// What one role is asked.
struct Role<'a> {
    name: &'static str,
    round: u32,
    schema: JsonSchema,
    evidence: &'a Value,
}

impl Context<'_> {
    /// Puts one role's question. `strike` takes what cites nothing that exists out of a verdict and tells what it took.
    async fn put(
        &self,
        subject: &Subject<'_>,
        role: Role<'_>,
        strike: &(dyn Fn(&mut Value, &Citer<'_>) -> Checked + Sync),
    ) -> Result<Judgement, Error> {
        let Role { name, round, schema, evidence } = role;
        let template = format!("{}-{name}.txt", subject.name);
        let messages = self.options.prompts.render(&template, evidence, subject.images.clone())?;
        let seed = self.options.seed.wrapping_add(round.into());
        let request = ChatRequest::new(format!("judge/{}/{name}", subject.name), messages)
            .expecting(schema)
            .with_seed(seed)
            .with_max_tokens(self.answer_tokens(ANSWER_TOKENS));
        let prompt = self.options.prompts.hash(&template)?.to_owned();
        let call = Call { dimension: subject.name.to_owned(), role: name, round, prompt, request: request.hash() };
        let settle = |verdict: &mut Value| strike(verdict, &subject.citer);
        let question = Question { call, request, seed, screenshots: &subject.screenshots, settle: &settle };
        self.recorder.put(self.model, question).await
    }
}

/// Keeps the observations that cite something that exists.
fn observations(verdict: &mut Value, citer: &Citer<'_>) -> Checked {
    let mut checked = Checked::default();
    if let Some(list) = verdict.get_mut("observations").and_then(Value::as_array_mut) {
        list.retain_mut(|observation| {
            let about = format!("the claim {:?}", observation["claim"].as_str().unwrap_or_default());
            checked.keep_valid(&about, observation, citer) > 0
        });
    }
    checked
}

/// Sets adjustments to 0 that cite nothing that exists.
fn adjustments(verdict: &mut Value, citer: &Citer<'_>) -> Checked {
    let mut checked = Checked::default();
    let Some(aspects) = verdict.get_mut("aspects").and_then(Value::as_object_mut) else { return checked };
    for (name, aspect) in aspects {
        let adjustment = aspect["adjustment"].as_f64().unwrap_or_default();
        if adjustment == 0.0 {
            // Nothing rests on it; what it cites in passing need not be right.
            continue;
        }
        if checked.keep_valid(&format!("the adjustment of {name}"), aspect, citer) == 0 {
            aspect["adjustment"] = json!(0);
            aspect["struck"] = json!(adjustment);
        }
    }
    checked
}

impl Checked {
    /// Takes citations of what does not exist out of `about["evidence"]`; how many are left.
    fn keep_valid(&mut self, what: &str, about: &mut Value, citer: &Citer<'_>) -> usize {
        let Some(evidence) = about.get_mut("evidence").and_then(Value::as_array_mut) else { return 0 };
        if evidence.is_empty() {
            self.struck.push(format!("{what} cites no evidence"));
        }
        evidence.retain(|given| match citer.check(given) {
            Ok(citation) => {
                self.valid.push(citation);
                true
            }
            Err(fault) => {
                self.struck.push(format!("{what}: {fault}"));
                false
            }
        });
        evidence.len()
    }
}

/// Observations in words.
fn claims(verdict: &Value) -> String {
    let observations = verdict["observations"].as_array().map(Vec::as_slice).unwrap_or_default();
    if observations.is_empty() {
        return "(none)".to_owned();
    }
    let word = |observation: &Value| {
        let text = |field: &str| observation[field].as_str().unwrap_or_default().to_owned();
        format!("- {}: {} [{}]", text("aspect"), text("claim"), observation["evidence"])
    };
    observations.iter().map(word).collect::<Vec<_>>().join("\n")
}

/// 20 × the mean of the runs without the highest and the lowest.
fn score(subject: &Subject<'_>, finals: &[Judgement]) -> Result<DimensionScore, Error> {
    let mut runs = Vec::new();
    for judgement in finals.iter().filter(|judgement| judgement.failure.is_none()) {
        runs.push(points(&judgement.verdict)?);
    }
    let told: Vec<String> = runs.iter().map(|run| format!("{:.2}", run.get())).collect();
    let failure = failed(&finals.iter().collect::<Vec<_>>()).map(|(_, failure)| failure).unwrap_or_default();
    let missing = finals.len() - runs.len();
    if runs.len() < 3 {
        let grounds = format!("{missing} of {FINALS} final judges failed: {failure}");
        return Ok(DimensionScore::not_judged(grounds));
    }
    let value = Some(deliberation_score(&runs)?.get());
    if missing == 0 {
        let grounds = format!(
            "final judges: {} of 5; highest and lowest dropped, mean of the rest × 20; {} screenshots shown",
            told.join(", "),
            subject.screenshots.len()
        );
        return Ok(DimensionScore { status: ScoreStatus::Judged, value, bounds: None, grounds });
    }
    let bounds = Some((with_missing(&runs, missing, 0.0)?, with_missing(&runs, missing, 5.0)?));
    let grounds = format!("final judges: {}; {missing} of {FINALS} failed: {failure}", told.join(", "));
    Ok(DimensionScore { status: ScoreStatus::Incomplete, value, bounds, grounds })
}

fn with_missing(runs: &[JudgePoints], missing: usize, points: f64) -> Result<f64, Error> {
    let mut all = runs.to_vec();
    all.extend(vec![JudgePoints::new(points)?; missing]);
    Ok(deliberation_score(&all)?.get())
}

/// The base score plus the adjustments, clipped to 0 … 5.
fn points(verdict: &Value) -> Result<JudgePoints, Error> {
    let aspects = verdict["aspects"].as_object();
    let adjustments: Vec<f64> = aspects
        .map(|aspects| aspects.values().map(|aspect| aspect["adjustment"].as_f64().unwrap_or_default()).collect())
        .unwrap_or_default();
    Ok(JudgePoints::from_base(verdict["base"].as_f64().unwrap_or_default(), &adjustments)?)
}
