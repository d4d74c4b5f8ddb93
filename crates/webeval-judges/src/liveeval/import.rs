//! LiveEvalBench's own evaluator files.

use serde::Deserialize;
use serde_json::Value;

use super::evaluator::{Evaluator, RubricItem, ToolKind};
use super::{EVALUATOR_FORMAT, InputProfile};
use crate::Error;

/// An evaluator that was imported, and what of its file has no counterpart here.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Imported {
    /// The evaluator.
    pub evaluator: Evaluator,
    /// What could not be mapped, in words.
    pub unmapped: Vec<String>,
}

#[derive(Deserialize)]
struct Agent {
    id: String,
    name: String,
    #[serde(default)]
    role: String,
    #[serde(default)]
    system_prompt: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    allowed_tools: Vec<String>,
    #[serde(default)]
    free_task_count: u32,
    rubric: Rubric,
    #[serde(default)]
    scoring: AgentScoring,
    #[serde(flatten)]
    rest: serde_json::Map<String, Value>,
}

#[derive(Default, Deserialize)]
struct AgentScoring {
    #[serde(default)]
    max_score: f64,
    #[serde(default)]
    task_aggregation_mode: Option<String>,
}

#[derive(Deserialize)]
struct Rubric {
    #[serde(default)]
    scoring_mode: Option<String>,
    #[serde(default)]
    dimensions: Vec<Dimension>,
}

#[derive(Deserialize)]
struct Dimension {
    id: String,
    name: String,
    instruction: String,
    #[serde(default)]
    weight: f64,
    #[serde(default)]
    scoring: DimensionScoring,
}

#[derive(Default, Deserialize)]
struct DimensionScoring {
    #[serde(default)]
    checks: Vec<Check>,
    #[serde(default)]
    subcriteria: Vec<Value>,
}

#[derive(Deserialize)]
struct Check {
    name: String,
    instruction: String,
}

/// Whether a file is one of LiveEvalBench's: those have a rubric, ours a format.
pub(super) fn is_agent(file: &Value) -> bool {
    file.get("rubric").is_some() && file.get("format").is_none()
}

/// Reads one of LiveEvalBench's `agents/*.json`; `name` is what messages call it.
///
/// Its dimensions become criteria, their checks part of the instruction. A weight of −1 is an equal share of what the
/// other weights leave of the points. Free tasks become criteria of the query.
///
/// # Errors
/// [`Error::Evaluator`] for what is no agent file, or one that makes no valid evaluator (an agent without points to
/// give, such as the builder, is valid).
pub fn import_agent(name: &str, text: &str) -> Result<Imported, Error> {
    let fault = |line: Option<usize>, field: &str, message: String| Error::Evaluator {
        name: name.to_owned(),
        line,
        field: field.to_owned(),
        message,
    };
    let agent: Agent = serde_json::from_str(text).map_err(|error| fault(Some(error.line()), "", error.to_string()))?;
    let mut unmapped = Vec::new();
    let mut tools = tools(&agent.allowed_tools, &mut unmapped);
    // Who reviews a build reads its logs as files; here they are the build record.
    if matches!(agent.rest.get("stage").and_then(Value::as_str), Some("build" | "review"))
        && !tools.contains(&ToolKind::BuildRecord)
    {
        tools.insert(0, ToolKind::BuildRecord);
    }
    note_rest(&agent, &mut unmapped);
    let points = agent.scoring.max_score;
    let evaluator = Evaluator {
        format: EVALUATOR_FORMAT,
        id: agent.id.clone(),
        name: agent.name,
        persona: if agent.system_prompt.trim().is_empty() { agent.description } else { agent.system_prompt },
        criteria: criteria(&agent.rubric.dimensions, points),
        tools,
        points,
        query_criteria: agent.free_task_count > 0,
        viewport: None,
        input: InputProfile::Desktop,
        colour_vision: None,
    };
    match evaluator.fault() {
        Some(found) => Err(fault(None, &found.field, found.message)),
        None => Ok(Imported { evaluator, unmapped }),
    }
}

fn criteria(dimensions: &[Dimension], points: f64) -> Vec<RubricItem> {
    let given: f64 = dimensions.iter().map(|dimension| dimension.weight).filter(|weight| *weight >= 0.0).sum();
    let sharing = dimensions.iter().filter(|dimension| dimension.weight < 0.0).count();
    let share = if sharing == 0 { 0.0 } else { (1.0 - given).max(0.0) / sharing as f64 };
    // Weights that add up to more than the whole are shares of their sum.
    let whole = given.max(1.0);
    let item = |dimension: &Dimension| {
        let weight = if dimension.weight < 0.0 { share } else { dimension.weight / whole };
        let checks: String =
            dimension.scoring.checks.iter().map(|c| format!("\n- {}: {}", c.name, c.instruction)).collect();
        RubricItem {
            id: dimension.id.clone(),
            name: dimension.name.clone(),
            instruction: format!("{}{checks}", dimension.instruction),
            points: points * weight,
        }
    };
    dimensions.iter().map(item).collect()
}

fn tools(names: &[String], unmapped: &mut Vec<String>) -> Vec<ToolKind> {
    let mut tools: Vec<ToolKind> = Vec::new();
    for name in names {
        let found: &[ToolKind] = match name.as_str() {
            "get_page_context" | "get_global_dom_summary" => &[ToolKind::PageContext],
            "navigate" | "reload_page" => &[ToolKind::Navigate],
            "click_element" => &[ToolKind::ClickElement],
            "click_at" | "dblclick_at" => &[ToolKind::ClickAt],
            "preview_click_at" => &[ToolKind::PreviewClickAt],
            "hover_element" => &[ToolKind::Hover],
            "type_text" | "clear_text" => &[ToolKind::Type],
            "press_key" | "press_key_on" => &[ToolKind::Key],
            "select_option" => &[ToolKind::Select],
            "drag" | "drag_element" => &[ToolKind::Drag],
            "scroll_by" | "scroll_to_element" => &[ToolKind::Scroll],
            "wait" => &[ToolKind::Wait],
            "inspect_last_screenshot" => &[ToolKind::Screenshot, ToolKind::InspectLastScreenshot],
            "read_file" | "local_fs_read" => &[ToolKind::ListFiles, ToolKind::ReadFile],
            "search_source" => &[ToolKind::SearchSource],
            // Every evaluator submits.
            "submit_verdict" => &[],
            unknown => {
                unmapped.push(format!("tool {unknown}"));
                &[]
            }
        };
        for tool in found {
            if !tools.contains(tool) {
                tools.push(*tool);
            }
        }
    }
    // An agent that only builds or writes keeps at least the record of what was done.
    if tools.is_empty() {
        tools.push(ToolKind::BuildRecord);
    }
    tools
}

fn note_rest(agent: &Agent, unmapped: &mut Vec<String>) {
    if agent.role == "builder" {
        unmapped.push("role builder: apps are brought up by the deployment stage, the agent only judges".to_owned());
    }
    match agent.rubric.scoring_mode.as_deref() {
        None | Some("pass_fail_na") => {}
        Some(mode) => unmapped.push(format!("rubric.scoring_mode {mode}: criteria pass or fail")),
    }
    match agent.scoring.task_aggregation_mode.as_deref() {
        None | Some("strict") => {}
        Some(mode) => unmapped.push(format!("scoring.task_aggregation_mode {mode}: one failed task fails a criterion")),
    }
    for dimension in agent.rubric.dimensions.iter().filter(|dimension| !dimension.scoring.subcriteria.is_empty()) {
        let count = dimension.scoring.subcriteria.len();
        unmapped.push(format!("{count} rated subcriteria of {}: criteria pass or fail", dimension.id));
    }
    let known = ["version", "description", "tags", "enabled", "stage", "role"];
    unmapped.extend(
        agent.rest.keys().filter(|field| !known.contains(&field.as_str())).map(|field| format!("field {field}")),
    );
}
