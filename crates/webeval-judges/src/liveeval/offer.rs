//! The tools as models are offered them.

use serde_json::{Value, json};
use webeval_llm::Tool;

use super::{Evaluator, ToolKind};

/// Name of the tool that ends a task.
pub(super) const SUBMIT: &str = "submit_verdict";

/// An evaluator's tools, and the one that ends a task.
pub(super) fn offered(evaluator: &Evaluator) -> Vec<Tool> {
    let mut tools: Vec<Tool> = evaluator.tools.iter().map(|tool| offer(*tool)).collect();
    tools.push(Tool::new(
        SUBMIT,
        "Gives the verdict on the task and ends it.",
        object(
            json!({
                "verdict": {"enum": ["passed", "failed", "not_applicable", "unable"]},
                "evidence": {"type": "string", "description": "what the tools showed that the verdict rests on"},
                "compares": {"type": "boolean", "description": "whether it rests on a comparison of before and after"}
            }),
            &["verdict", "evidence", "compares"],
        ),
    ));
    tools
}

fn offer(tool: ToolKind) -> Tool {
    let reference = json!({"type": "string", "description": "reference of an element, such as e12"});
    let x = json!({"type": "number", "description": "pixels from the left of the window"});
    let y = json!({"type": "number", "description": "pixels from the top of the window"});
    let text = json!({"type": "string"});
    let number = json!({"type": "integer"});
    let (about, parameters) = match tool {
        ToolKind::PageContext => {
            ("Lists the page's elements: role, name, state, box, errors since the last look.", nothing())
        }
        ToolKind::AccessibilityTree => ("Lists what the accessibility tree holds: roles, names, states.", nothing()),
        ToolKind::Navigate => ("Opens a path of the app, such as /about.", object(json!({"path": text}), &["path"])),
        ToolKind::ClickElement => ("Clicks an element.", object(json!({"ref": reference}), &["ref"])),
        ToolKind::ClickAt => ("Clicks a point.", object(json!({"x": x, "y": y}), &["x", "y"])),
        ToolKind::PreviewClickAt => {
            ("Tells what lies under a point, without clicking.", object(json!({"x": x, "y": y}), &["x", "y"]))
        }
        ToolKind::Hover => ("Moves the pointer over an element.", object(json!({"ref": reference}), &["ref"])),
        ToolKind::Type => {
            ("Replaces a field's content.", object(json!({"ref": reference, "text": text}), &["ref", "text"]))
        }
        ToolKind::Key => ("Presses a key, such as Enter, Tab or Control+z.", object(json!({"key": text}), &["key"])),
        ToolKind::Select => {
            ("Chooses an option by its value.", object(json!({"ref": reference, "value": text}), &["ref", "value"]))
        }
        ToolKind::Drag => (
            "Drags an element to a point.",
            object(json!({"ref": reference, "to_x": x, "to_y": y}), &["ref", "to_x", "to_y"]),
        ),
        ToolKind::Scroll => {
            ("Scrolls down by so many pixels; up with less than 0.", object(json!({"dy": number}), &["dy"]))
        }
        ToolKind::Touch => ("Taps an element with a finger.", object(json!({"ref": reference}), &["ref"])),
        ToolKind::Wait => ("Waits, at most 5000 ms.", object(json!({"ms": number}), &["ms"])),
        ToolKind::Screenshot => ("Takes a picture of the window.", nothing()),
        ToolKind::InspectLastScreenshot => {
            ("Shows the pictures taken last again, before and after the last action.", nothing())
        }
        ToolKind::ListFiles => ("Lists the source files.", nothing()),
        ToolKind::ReadFile => (
            "Reads a source file, 200 numbered lines at a time.",
            object(json!({"path": text, "from_line": number}), &["path"]),
        ),
        ToolKind::SearchSource => {
            ("Searches the source files for a regular expression.", object(json!({"pattern": text}), &["pattern"]))
        }
        ToolKind::BuildRecord => ("Shows the commands, checks and repairs that brought the app up.", nothing()),
    };
    Tool::new(tool.name(), about, parameters)
}

fn nothing() -> Value {
    object(json!({}), &[])
}

fn object(properties: Value, required: &[&str]) -> Value {
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}
