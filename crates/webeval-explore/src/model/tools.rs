//! The actions as tools that a model calls.

use serde_json::{Value, json};
use webeval_browser::Observation;
use webeval_evidence::{Action, ActionKind, Point, Target};
use webeval_llm::{Tool, ToolCall};

use super::View;

/// What a call of a tool means.
#[derive(Debug)]
pub(crate) enum Meant {
    /// An action.
    Do(Box<Action>, Option<String>),
    /// A look for a text on the page.
    Find(String),
    /// The end, with the summary's three lists.
    Finish(Value),
}

/// Name, description and parameters; a parameter that begins with `?` may be left out.
const TOOLS: &[(&str, &str, &[&str])] = &[
    (
        "click",
        "Click an element, or a point of it (x and y in pixels of the viewport), as on a canvas.",
        &["?ref", "?x", "?y", "?why"],
    ),
    ("double_click", "Click an element twice.", &["ref", "?why"]),
    ("right_click", "Click an element with the secondary button.", &["ref", "?why"]),
    ("hover", "Move the pointer over an element and leave it there.", &["ref", "?why"]),
    ("type", "Replace a field's content by typing. A line end presses Enter.", &["ref", "text", "?why"]),
    ("clear", "Empty a field.", &["ref", "?why"]),
    (
        "press_key",
        "Press a key, such as Enter, ArrowLeft, a or Control+z, on an element or on what has the keyboard; hold_ms holds it down.",
        &["key", "?ref", "?hold_ms", "?why"],
    ),
    ("select", "Choose options of a select box by their values.", &["ref", "values", "?why"]),
    ("check", "Set or unset a checkbox, radio button or switch.", &["ref", "checked", "?why"]),
    ("drag", "Press on an element, move to another or to a point, and release.", &["ref", "?onto", "?x", "?y", "?why"]),
    ("scroll", "Turn the wheel over an element, or over the page.", &["?ref", "?dx", "dy", "?why"]),
    (
        "upload",
        "Give a small made file to a file input, by a name with extension such as note.txt, picture.png or table.csv.",
        &["ref", "file", "?why"],
    ),
    ("resize", "Change the size of the page.", &["width", "height", "?why"]),
    ("wait", "Let time pass, at most 5000 ms.", &["ms", "?why"]),
    (
        "go",
        "Go through the history, load the page anew, or let its window out of sight for a moment: back, forward, reload or away.",
        &["way", "?why"],
    ),
    ("switch_tab", "Turn to another open tab, from 0.", &["index", "?why"]),
    ("answer_dialog", "Answer the open dialog; text is for a prompt.", &["accept", "?text", "?why"]),
    (
        "finish",
        "Testing is complete. Sum up what was found: the functionality, the interactions that were tried, the failures that were seen.",
        &["functionality", "interactions", "failures"],
    ),
];

fn parameter(name: &str) -> Value {
    match name {
        "ref" | "onto" => json!({"type": "string", "description": "reference of an element, such as e12"}),
        "x" | "y" | "dx" | "dy" => json!({"type": "integer"}),
        "hold_ms" | "ms" | "width" | "height" | "index" => json!({"type": "integer", "minimum": 0}),
        "checked" | "accept" => json!({"type": "boolean"}),
        "values" | "functionality" | "interactions" | "failures" => {
            json!({"type": "array", "items": {"type": "string"}})
        }
        "way" => json!({"type": "string", "enum": ["back", "forward", "reload", "away"]}),
        "why" => json!({"type": "string", "description": "why, in a few words"}),
        _ => json!({"type": "string"}),
    }
}

const FIND: (&str, &str, &[&str]) =
    ("find", "Show the elements of the page that hold a text, wherever they are. This is no action.", &["text"]);

/// The tools of a view.
pub(crate) fn tools(view: View) -> Vec<Tool> {
    let tool = |&(name, description, parameters): &(&str, &str, &[&str])| {
        let plain = |name: &&str| name.trim_start_matches('?').to_owned();
        let properties: serde_json::Map<String, Value> =
            parameters.iter().map(|name| (plain(name), parameter(&plain(name)))).collect();
        let required: Vec<&&str> = parameters.iter().filter(|name| !name.starts_with('?')).collect();
        let schema =
            json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
        Tool::new(name, description, schema)
    };
    let find = (view == View::Filtered).then_some(&FIND);
    TOOLS.iter().chain(find).map(tool).collect()
}

/// Reads a call; what is wrong with it is said in words that the model can act on.
pub(crate) fn read(call: &ToolCall, page: &Observation) -> Result<Meant, String> {
    let arguments = call.parse().map_err(|error| format!("The arguments are not JSON: {error}."))?;
    let arguments = Arguments { value: &arguments, page };
    if call.name == "finish" {
        return Ok(Meant::Finish(arguments.value.clone()));
    }
    if call.name == FIND.0 {
        return arguments.text("text").map(Meant::Find);
    }
    let (kind, target) = arguments.action(&call.name)?;
    let why = arguments.text("why").ok().filter(|why| !why.is_empty());
    Ok(Meant::Do(Box::new(Action { kind, target }), why))
}

struct Arguments<'a> {
    value: &'a Value,
    page: &'a Observation,
}

impl Arguments<'_> {
    fn action(&self, tool: &str) -> Result<(ActionKind, Option<Target>), String> {
        let on = |kind: ActionKind| Ok((kind, Some(self.target("ref")?)));
        let whole = |kind: ActionKind| Ok((kind, None));
        match tool {
            "click" => {
                let at = self.point();
                if at.is_none() {
                    self.target("ref")?;
                }
                Ok((ActionKind::Click { at }, self.optional("ref")?))
            }
            "double_click" => on(ActionKind::DoubleClick { at: None }),
            "right_click" => on(ActionKind::RightClick { at: None }),
            "hover" => on(ActionKind::Hover { at: None }),
            "type" => on(ActionKind::Type { text: self.text("text")? }),
            "clear" => on(ActionKind::Clear),
            "press_key" => {
                let hold_ms = self.number("hold_ms").unwrap_or(0).min(5000);
                Ok((ActionKind::Key { key: self.text("key")?, hold_ms }, self.optional("ref")?))
            }
            "select" => on(ActionKind::Select { values: self.texts("values")? }),
            "check" => on(ActionKind::Check { checked: self.truth("checked")? }),
            "drag" => on(ActionKind::Drag { onto: self.optional("onto")?, to: self.point() }),
            "scroll" => {
                let kind =
                    ActionKind::Scroll { dx: self.signed("dx").unwrap_or(0), dy: self.signed("dy").unwrap_or(0) };
                Ok((kind, self.optional("ref")?))
            }
            "upload" => on(ActionKind::Upload { files: vec![self.text("file")?] }),
            "resize" => {
                let side =
                    |name: &str| self.number(name).map(|side| side.clamp(200, 4000)).ok_or_else(|| missing(name));
                whole(ActionKind::Resize { width: side("width")?, height: side("height")? })
            }
            "wait" => whole(ActionKind::Wait { ms: self.number("ms").unwrap_or(500).min(5000) }),
            "go" => whole(match self.text("way")?.as_str() {
                "back" => ActionKind::Back,
                "forward" => ActionKind::Forward,
                "reload" => ActionKind::Reload,
                "away" => ActionKind::LookAway { ms: 300 },
                other => return Err(format!("There is no way {other:?}: back, forward, reload or away.")),
            }),
            "switch_tab" => {
                whole(ActionKind::SwitchTab { index: self.number("index").ok_or_else(|| missing("index"))? })
            }
            "answer_dialog" => {
                whole(ActionKind::AnswerDialog { accept: self.truth("accept")?, text: self.text("text").ok() })
            }
            other => Err(format!("There is no tool {other:?}.")),
        }
    }

    fn target(&self, name: &str) -> Result<Target, String> {
        let reference = self.text(name)?;
        let reference = reference.trim_matches(['[', ']', ' ']);
        match self.page.node(reference) {
            Some(node) => Ok(node.target()),
            None => Err(format!("There is no element {reference:?} on the page as it is now.")),
        }
    }

    fn optional(&self, name: &str) -> Result<Option<Target>, String> {
        if self.text(name).is_ok_and(|text| !text.is_empty()) { self.target(name).map(Some) } else { Ok(None) }
    }

    fn point(&self) -> Option<Point> {
        Some(Point { x: self.value["x"].as_f64()?, y: self.value["y"].as_f64()? })
    }

    fn text(&self, name: &str) -> Result<String, String> {
        self.value[name].as_str().map(str::to_owned).ok_or_else(|| missing(name))
    }

    fn texts(&self, name: &str) -> Result<Vec<String>, String> {
        let list = self.value[name].as_array().ok_or_else(|| missing(name))?;
        Ok(list.iter().filter_map(|one| one.as_str().map(str::to_owned)).collect())
    }

    fn truth(&self, name: &str) -> Result<bool, String> {
        self.value[name].as_bool().ok_or_else(|| missing(name))
    }

    fn number(&self, name: &str) -> Option<u32> {
        self.value[name].as_u64().and_then(|number| u32::try_from(number).ok())
    }

    fn signed(&self, name: &str) -> Option<i32> {
        self.value[name].as_i64().and_then(|number| i32::try_from(number).ok())
    }
}

fn missing(name: &str) -> String {
    format!("The argument {name:?} is missing, or of another type.")
}
