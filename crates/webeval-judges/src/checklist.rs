//! Acceptance criteria from a request (WebCraftBench §3.3): several models propose independently, one merges by
//! majority, and a person edits the result.

use serde::Deserialize;
use serde_json::{Value, json};
use webeval_evidence::{CriterionKind, TokenUsage};
use webeval_llm::{ChatModel, ChatRequest, JsonSchema, ask};

use crate::fence::Fence;
use crate::task::{Criteria, KINDS, word};
use crate::{Error, Prompts, Task};

/// Most tokens of an answer; the longest checklist of the paper has 77 criteria.
const ANSWER_TOKENS: u32 = 16_000;

/// A checklist and how it came about.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Checklist {
    /// The task file for a person to edit.
    pub task: Task,
    /// What each model proposed, in the order of the models; fewer when some failed.
    pub proposals: Vec<Criteria>,
    /// What a reader must know, such as which model failed.
    pub notes: Vec<String>,
    /// Tokens and money over all calls.
    pub usage: TokenUsage,
}

#[derive(Deserialize)]
struct Merged {
    criteria: Vec<MergedCriterion>,
}

#[derive(Deserialize)]
struct MergedCriterion {
    set: CriterionKind,
    text: String,
    lists: Vec<u64>,
}

/// Has every one of `proposers` turn `task`'s requirement into criteria, and `merger` merge their lists by majority.
///
/// The majority is counted by the program, over the lists that the merger says a criterion is in: one that is in half
/// of them or less is dropped. A single proposer's list is taken as it is. `task`'s own criteria are not looked at.
///
/// # Errors
/// [`Error::Stopped`] when no proposer answers, the merger does not, or a failure is one no further call would survive;
/// [`Error::Prompt`] for a template that cannot be used.
pub async fn generate(
    task: &Task,
    proposers: &[&dyn ChatModel],
    merger: &dyn ChatModel,
    prompts: &Prompts,
    seed: u64,
) -> Result<Checklist, Error> {
    let mut checklist = Checklist {
        task: Task::new(&task.id, &task.requirement),
        proposals: Vec::new(),
        notes: Vec::new(),
        usage: TokenUsage::default(),
    };
    let mut last = None;
    for (number, model) in (0u64..).zip(proposers) {
        let values = json!({ "requirement": Fence::default().fence(&task.requirement) });
        let request =
            ChatRequest::new("checklist/propose", prompts.render("checklist-propose.txt", values, Vec::new())?)
                .expecting(JsonSchema::new("criteria", proposal_schema()))
                .with_seed(seed.wrapping_add(number))
                .with_max_tokens(ANSWER_TOKENS);
        match ask(*model, &request, &|_| Vec::new()).await {
            Ok(answer) => {
                checklist.usage += answer.usage;
                checklist.proposals.push(proposal(&answer.value));
            }
            Err(failure) if failure.error.is_fatal() => return Err(Error::Stopped { source: failure.error }),
            Err(failure) => {
                checklist.usage += failure.usage;
                checklist.notes.push(format!("{} proposed nothing: {}", model.name(), failure.error));
                last = Some(failure.error);
            }
        }
    }
    match (checklist.proposals.as_slice(), last) {
        ([], Some(source)) => return Err(Error::Stopped { source }),
        ([], None) => checklist.notes.push("there was no model to propose anything".to_owned()),
        ([only], _) => checklist.task.criteria = only.clone(),
        _ => merge(&mut checklist, merger, prompts, seed).await?,
    }
    Ok(checklist)
}

fn proposal_schema() -> Value {
    let set = json!({"type": "array", "items": {"type": "string", "minLength": 3}, "maxItems": 200});
    json!({
        "type": "object",
        "properties": {"functional": set, "content": set, "visual": set},
        "required": ["functional", "content", "visual"],
        "additionalProperties": false
    })
}

fn proposal(value: &Value) -> Criteria {
    let mut criteria = Criteria::default();
    for kind in KINDS {
        for text in value[word(kind)].as_array().into_iter().flatten().filter_map(Value::as_str) {
            criteria.push(kind, text);
        }
    }
    criteria
}

async fn merge(checklist: &mut Checklist, merger: &dyn ChatModel, prompts: &Prompts, seed: u64) -> Result<(), Error> {
    let lists = checklist.proposals.len();
    // Proposals are a model's words about the request: data, like the request itself.
    let values = json!({
        "requirement": Fence::default().fence(&checklist.task.requirement),
        "count": lists,
        "lists": Fence::default().fence(&in_words(&checklist.proposals)),
    });
    let item = json!({
        "type": "object",
        "properties": {
            "set": {"enum": KINDS.map(word)},
            "text": {"type": "string", "minLength": 3},
            "lists": {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": lists}}
        },
        "required": ["set", "text", "lists"],
        "additionalProperties": false
    });
    let schema = json!({
        "type": "object",
        "properties": {"criteria": {"type": "array", "items": item}},
        "required": ["criteria"],
        "additionalProperties": false
    });
    let request = ChatRequest::new("checklist/merge", prompts.render("checklist-merge.txt", values, Vec::new())?)
        .expecting(JsonSchema::new("merged", schema))
        .with_seed(seed)
        .with_max_tokens(ANSWER_TOKENS);
    let answer = ask(merger, &request, &|_| Vec::new()).await;
    let answer = answer.map_err(|failure| Error::Stopped { source: failure.error })?;
    checklist.usage += answer.usage;
    let merged: Merged = serde_json::from_value(answer.value).unwrap_or(Merged { criteria: Vec::new() });
    let mut dropped = 0;
    for MergedCriterion { set, text, mut lists } in merged.criteria {
        lists.sort_unstable();
        lists.dedup();
        if 2 * lists.len() > checklist.proposals.len() {
            checklist.task.criteria.push(set, &text);
        } else {
            dropped += 1;
        }
    }
    if dropped > 0 {
        checklist.notes.push(format!("{dropped} criteria were dropped: they are in no majority of the lists"));
    }
    Ok(())
}

fn in_words(proposals: &[Criteria]) -> String {
    let list = |(number, criteria): (usize, &Criteria)| {
        let lines: String = criteria.iter().map(|(kind, c)| format!("\n- {}: {}", word(kind), c.text)).collect();
        format!("List {}:{lines}", number + 1)
    };
    proposals.iter().enumerate().map(list).collect::<Vec<_>>().join("\n\n")
}
