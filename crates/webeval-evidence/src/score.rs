//! `scores.json` and `judgements.jsonl`: what the judges found, and on what grounds.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{BlobRef, Rect};

/// The content of `scores.json`. A second judge, or a repeat by the same, stands beside the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScoresFile {
    /// [`crate::FORMAT`] when it was written.
    pub format: u32,
    /// One entry for each method × judge × repeat.
    pub entries: Vec<ScoreEntry>,
}

impl Default for ScoresFile {
    fn default() -> Self {
        Self { format: crate::FORMAT, entries: Vec::new() }
    }
}

impl ScoresFile {
    /// Puts an entry in, in place of the one with the same method, judge and repeat.
    pub fn insert(&mut self, entry: ScoreEntry) {
        let key = |e: &ScoreEntry| (e.method.clone(), e.judge.clone(), e.repeat);
        match self.entries.iter_mut().find(|old| key(old) == key(&entry)) {
            Some(old) => *old = entry,
            None => self.entries.push(entry),
        }
    }
}

/// What one judge made of a run by one method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScoreEntry {
    /// `rules`, `webcraft`, `liveeval` or `sections`.
    pub method: String,
    /// `rules` or the name of the model.
    pub judge: String,
    /// Number of the repeat, from 0.
    pub repeat: u32,
    /// The scores, by dimension (`aesthetics`, `usability`, `alignment.functional`, …).
    pub dimensions: BTreeMap<String, DimensionScore>,
    /// Faults that were measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// Verdicts on the acceptance criteria.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<CriterionVerdict>,
    /// What a reader must know before using the scores, such as that no model judged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Tokens used, over all calls.
    #[serde(default)]
    pub usage: TokenUsage,
}

/// How complete a score is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScoreStatus {
    /// Judged in full.
    Judged,
    /// Some criteria stayed unjudged: `bounds` hold the figure's range.
    Incomplete,
    /// Nobody judged it.
    NotJudged,
    /// There is nothing to judge: the task has no criteria of this kind.
    NotApplicable,
    /// The app could not be deployed, and the policy scores that as 0.
    Undeployable,
}

/// One dimension's score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DimensionScore {
    /// How complete it is.
    pub status: ScoreStatus,
    /// 0 to 100; none when nobody judged it.
    pub value: Option<f64>,
    /// Lowest and highest possible value, where some criteria stayed unjudged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<(f64, f64)>,
    /// What the score rests on, or why there is none.
    pub grounds: String,
}

impl DimensionScore {
    /// A dimension in which there is nothing to judge, and why.
    #[must_use]
    pub fn not_applicable(why: impl Into<String>) -> Self {
        Self { status: ScoreStatus::NotApplicable, ..Self::not_judged(why) }
    }

    /// A dimension that nobody judged, and why.
    #[must_use]
    pub fn not_judged(why: impl Into<String>) -> Self {
        Self { status: ScoreStatus::NotJudged, value: None, bounds: None, grounds: why.into() }
    }
}

/// How bad a fault is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing; takes nothing off.
    Note,
    /// A user would be annoyed.
    Minor,
    /// A user would be hindered.
    Major,
    /// A user would be stopped.
    Critical,
}

/// Where a fault was seen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FindingPlace {
    /// Step of the trace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    /// CSS path of the element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
    /// The element's box.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rect: Option<Rect>,
    /// Screenshot that shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screenshot: Option<BlobRef>,
}

/// A fault that was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The rule broken: `contrast`, `overflow`, `dead-control`, …
    pub rule: String,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, with the measured value and the limit.
    pub message: String,
    /// Where it was seen first.
    pub place: FindingPlace,
    /// How often it was seen.
    pub count: u32,
}

/// A piece of evidence that a verdict rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "cites", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Citation {
    /// A step of the trace.
    Step {
        /// Its number.
        step: u32,
    },
    /// A node of the state graph.
    State {
        /// Its name, such as `S3`.
        state: String,
        /// A passage of its DOM, quoted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        quote: Option<String>,
    },
    /// An edge of the state graph.
    Edge {
        /// Source node.
        from: String,
        /// Target node.
        to: String,
    },
    /// A place in a screenshot.
    Screenshot {
        /// The picture.
        screenshot: String,
        /// Where in it, in words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        place: Option<String>,
    },
}

/// One of WebCraftBench's three sets of acceptance criteria (§3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CriterionKind {
    /// Features and interactions.
    Functional,
    /// Text, data, specified resources.
    Content,
    /// Layout, style, required components.
    Visual,
}

/// A verdict on one acceptance criterion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CriterionVerdict {
    /// The criterion's id in the task file.
    pub id: String,
    /// Its set.
    pub kind: CriterionKind,
    /// Its text.
    pub text: String,
    /// Met or not; none when it stayed unjudged.
    pub met: Option<bool>,
    /// The judge's reasoning, or why it stayed unjudged.
    pub analysis: String,
    /// The judge's confidence, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Evidence that exists.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<Citation>,
}

/// Tokens that model calls used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TokenUsage {
    /// Calls made.
    pub calls: u64,
    /// Prompt tokens.
    pub input: u64,
    /// Of those, read from the provider's cache.
    pub cached: u64,
    /// Completion tokens.
    pub output: u64,
    /// What they cost, in US dollars; none when the model's prices are not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

impl std::ops::AddAssign for TokenUsage {
    /// Sums the counts. A sum with an unknown price on either side has an unknown price, unless that side made no call.
    fn add_assign(&mut self, other: Self) {
        self.cost_usd = match (self.cost_usd, other.cost_usd) {
            (Some(ours), Some(theirs)) => Some(ours + theirs),
            (None, theirs) if self.calls == 0 => theirs,
            (ours, None) if other.calls == 0 => ours,
            _ => None,
        };
        self.calls += other.calls;
        self.input += other.input;
        self.cached += other.cached;
        self.output += other.output;
    }
}

/// One model call's verdict: a line of `judgements.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Judgement {
    /// `webcraft`, `liveeval` or `sections`.
    pub method: String,
    /// The model.
    pub judge: String,
    /// Number of the repeat, from 0.
    pub repeat: u32,
    /// The dimension judged.
    pub dimension: String,
    /// `advocate`, `critic`, `final`, `alignment`, …
    pub role: String,
    /// Which of several calls in the same role, from 0.
    pub round: u32,
    /// Hash of the prompt template used.
    pub prompt: String,
    /// Hash of everything that was asked, evidence included. A resumed judge takes a verdict over only when it would ask
    /// the same.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub request: String,
    /// What the judge said, as validated JSON.
    pub verdict: Value,
    /// Evidence it cited that exists.
    #[serde(default)]
    pub citations: Vec<Citation>,
    /// Citations of evidence that does not exist, as given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub struck: Vec<String>,
    /// Screenshots that were sent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub screenshots: Vec<BlobRef>,
    /// Tokens used.
    #[serde(default)]
    pub usage: TokenUsage,
    /// Why there is no verdict, when the call failed for good.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}
