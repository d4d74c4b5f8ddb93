//! Task files of other benchmarks.

use serde::Deserialize;
use webeval_evidence::CriterionKind;

use crate::{Error, Task};

/// A row of WebGen-Bench's `test.jsonl`; further fields are of no use here.
#[derive(Deserialize)]
struct WebGenRow {
    id: Id,
    instruction: String,
    #[serde(default)]
    ui_instruct: Vec<UiCase>,
}

/// Ids are strings in some files and numbers in others.
#[derive(Deserialize)]
#[serde(untagged)]
enum Id {
    Word(String),
    Number(u64),
}

impl From<Id> for String {
    fn from(id: Id) -> Self {
        match id {
            Id::Word(word) => word,
            Id::Number(number) => number.to_string(),
        }
    }
}

#[derive(Deserialize)]
struct UiCase {
    task: String,
    expected_result: String,
    #[serde(default)]
    task_category: Option<Category>,
}

#[derive(Deserialize)]
struct Category {
    primary_category: String,
}

/// A row of LiveEvalBench's input; the answer under test (`code`) is not part of the task.
#[derive(Deserialize)]
struct LiveEvalRow {
    #[serde(alias = "query_id")]
    id: Id,
    query: String,
    #[serde(default)]
    query_specific_criteria: Vec<QueryCriterion>,
}

/// An entry of the checklist that a query is released with (appendix B.1).
#[derive(Deserialize)]
struct QueryCriterion {
    name: String,
    #[serde(default)]
    description: String,
}

/// Reads WebGen-Bench's task file, one JSON object a line. `name` is what messages call it.
///
/// Each UI test case becomes a criterion, its task and its expected result joined: "Functional Testing" becomes
/// functional, "Data Display Testing" content, "Design Validation Testing" visual, anything else functional.
///
/// # Errors
/// [`Error::Task`] with the line that cannot be read; for a file without any task.
pub fn webgen_bench(name: &str, jsonl: &str) -> Result<Vec<Task>, Error> {
    rows(name, jsonl, |row: WebGenRow| {
        let mut task = Task::new(row.id, row.instruction);
        for case in row.ui_instruct {
            let text = format!("{} Expected: {}", case.task.trim(), case.expected_result.trim());
            task.criteria.push(kind(case.task_category.as_ref()), &text);
        }
        task
    })
}

fn kind(category: Option<&Category>) -> CriterionKind {
    match category.map(|category| category.primary_category.as_str()) {
        Some("Data Display Testing") => CriterionKind::Content,
        Some("Design Validation Testing") => CriterionKind::Visual,
        _ => CriterionKind::Functional,
    }
}

/// Reads LiveEvalBench's input rows, a JSON array or one object a line. The query's own criteria (appendix B.1) become
/// functional ones where a row has them; rows that answer one query are one task.
///
/// # Errors
/// As [`webgen_bench`].
pub fn live_eval(name: &str, text: &str) -> Result<Vec<Task>, Error> {
    let task = |row: LiveEvalRow| {
        let mut task = Task::new(row.id, row.query);
        for QueryCriterion { name, description } in row.query_specific_criteria {
            let text = [name.trim(), description.trim()].into_iter().filter(|part| !part.is_empty());
            task.criteria.push(CriterionKind::Functional, &text.collect::<Vec<_>>().join(": "));
        }
        task
    };
    let mut tasks = if text.trim_start().starts_with('[') {
        let rows: Vec<LiveEvalRow> = serde_json::from_str(text).map_err(|error| Error::task(name, error))?;
        checked(name, rows.into_iter().map(task).collect())?
    } else {
        rows(name, text, task)?
    };
    let mut queries = std::collections::BTreeSet::new();
    tasks.retain(|task| queries.insert(task.requirement.clone()));
    Ok(tasks)
}

fn rows<T: serde::de::DeserializeOwned>(name: &str, jsonl: &str, task: impl Fn(T) -> Task) -> Result<Vec<Task>, Error> {
    let mut tasks = Vec::new();
    for (number, line) in jsonl.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let row = serde_json::from_str(line);
        let row = row.map_err(|error| Error::task(name, format!("line {}: {error}", number + 1)))?;
        tasks.push(task(row));
    }
    checked(name, tasks)
}

fn checked(name: &str, tasks: Vec<Task>) -> Result<Vec<Task>, Error> {
    if tasks.is_empty() {
        return Err(Error::task(name, "it holds no task"));
    }
    for task in &tasks {
        task.check().map_err(|message| Error::task(name, format!("task {}: {message}", task.id)))?;
    }
    Ok(tasks)
}
