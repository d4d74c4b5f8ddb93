//! Evaluators as data: persona, criteria, tools.

use std::collections::BTreeSet;

use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use webeval_evidence::Viewport;

/// Version of the evaluator file's shape.
pub const EVALUATOR_FORMAT: u32 = 1;

/// Someone who judges an app (LiveEvalBench, "Extensible Evaluation Infrastructure"): who judges, what is judged, and
/// what evidence is consulted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Evaluator {
    /// [`EVALUATOR_FORMAT`] when it was written.
    pub format: u32,
    /// Names the evaluator within its registry and in `judgements.jsonl`: letters, digits, `-` and `_`.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// Who is judging: the role it plays and the standards it brings.
    pub persona: String,
    /// What is judged.
    pub criteria: Vec<RubricItem>,
    /// What evidence is consulted.
    pub tools: Vec<ToolKind>,
    /// The most points it can give; its criteria may not add up to more.
    pub points: f64,
    /// Whether it also checks the criteria that come from the query. They are evidence, not points.
    #[serde(default)]
    pub query_criteria: bool,
    /// Size of its browser window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub viewport: Option<Viewport>,
    /// What it works the page with.
    #[serde(default)]
    pub input: InputProfile,
    /// How it sees colours; like most people when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub colour_vision: Option<ColourVision>,
}

/// A criterion that is the same for every app.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RubricItem {
    /// Names it within its evaluator.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// What is asked for. It is grounded in what is really there before it is checked.
    pub instruction: String,
    /// Points it is worth, all or none of them.
    pub points: f64,
}

/// What an evaluator works the page with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum InputProfile {
    /// Mouse and keyboard.
    #[default]
    Desktop,
    /// One finger.
    Touch,
    /// Keyboard alone.
    Keyboard,
}

/// A way of seeing colours.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ColourVision {
    /// Which cones are weak.
    pub kind: ColourDeficiency,
    /// 0 for none, 1 for complete.
    pub severity: f64,
}

/// The kinds of colour vision deficiency that Machado, Oliveira and Fernandes (2009) model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ColourDeficiency {
    /// Red-weak.
    Protan,
    /// Green-weak.
    Deutan,
    /// Blue-weak.
    Tritan,
}

/// A tool, and so a kind of evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolKind {
    /// The page: elements with roles, names, states and boxes.
    PageContext,
    /// The accessibility tree alone, without boxes or looks.
    AccessibilityTree,
    /// Goes to an address of the app.
    Navigate,
    /// Clicks an element.
    ClickElement,
    /// Clicks a point.
    ClickAt,
    /// Tells what lies under a point, without a click.
    PreviewClickAt,
    /// Moves the pointer over an element.
    Hover,
    /// Types into a field.
    Type,
    /// Presses a key.
    Key,
    /// Chooses an option.
    Select,
    /// Drags from one place to another.
    Drag,
    /// Scrolls.
    Scroll,
    /// Taps with a finger.
    Touch,
    /// Lets time pass.
    Wait,
    /// Takes a picture of the page.
    Screenshot,
    /// Shows the picture taken last again.
    InspectLastScreenshot,
    /// Lists the source files.
    ListFiles,
    /// Reads a source file.
    ReadFile,
    /// Searches the source files.
    SearchSource,
    /// The commands and repairs it took to bring the app up.
    BuildRecord,
}

impl ToolKind {
    /// The name in files and in requests.
    #[must_use]
    pub fn name(self) -> String {
        serde_json::to_value(self).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
    }

    /// Whether it looks at source or builds: an end user has neither.
    #[must_use]
    pub fn is_behind_the_scenes(self) -> bool {
        matches!(self, Self::ListFiles | Self::ReadFile | Self::SearchSource | Self::BuildRecord)
    }
}

/// The JSON Schema of an evaluator file.
#[must_use]
pub fn evaluator_schema() -> Value {
    schema_for!(Evaluator).to_value()
}

/// A fault in an evaluator's content: the field, the text to look for when naming its line, and what is wrong.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) field: String,
    pub(super) at: String,
    pub(super) message: String,
}

impl Fault {
    fn new(field: impl Into<String>, at: &str, message: impl Into<String>) -> Self {
        Self { field: field.into(), at: at.to_owned(), message: message.into() }
    }
}

impl Evaluator {
    /// The first thing that is wrong with it, if any.
    pub(super) fn fault(&self) -> Option<Fault> {
        if self.format > EVALUATOR_FORMAT {
            let message = format!("format {} is newer than {EVALUATOR_FORMAT}", self.format);
            return Some(Fault::new("format", "\"format\"", message));
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if self.id.is_empty() || !self.id.chars().all(plain) {
            return Some(Fault::new("id", "\"id\"", "an id has letters, digits, - and _"));
        }
        if self.persona.trim().is_empty() {
            return Some(Fault::new("persona", "\"persona\"", "there is no persona"));
        }
        self.criteria_fault().or_else(|| self.tools_fault()).or_else(|| self.vision_fault())
    }

    fn criteria_fault(&self) -> Option<Fault> {
        if self.criteria.is_empty() && !self.query_criteria {
            return Some(Fault::new("criteria", "\"criteria\"", "there is nothing to judge"));
        }
        let mut ids = BTreeSet::new();
        for (at, item) in self.criteria.iter().enumerate() {
            let quoted = format!("{:?}", item.id);
            let field = |name: &str| format!("criteria[{at}].{name}");
            if item.id.trim().is_empty() || !ids.insert(&item.id) {
                return Some(Fault::new(field("id"), &quoted, format!("two criteria have the id {quoted}")));
            }
            if item.instruction.trim().is_empty() {
                return Some(Fault::new(field("instruction"), &quoted, format!("criterion {quoted} has no text")));
            }
            if !(item.points.is_finite() && item.points >= 0.0) {
                return Some(Fault::new(field("points"), &quoted, format!("{} are no points", item.points)));
            }
        }
        let sum: f64 = self.criteria.iter().map(|item| item.points).sum();
        if !self.points.is_finite() || self.points < 0.0 || sum > self.points + 1e-9 {
            let message = format!("the criteria add up to {sum} points, over the {} of the evaluator", self.points);
            return Some(Fault::new("points", "\"points\"", message));
        }
        None
    }

    fn tools_fault(&self) -> Option<Fault> {
        if self.tools.is_empty() {
            return Some(Fault::new("tools", "\"tools\"", "without a tool there is no evidence"));
        }
        let mut seen = BTreeSet::new();
        for (at, tool) in self.tools.iter().enumerate() {
            let name = tool.name();
            let fault = |message: String| Some(Fault::new(format!("tools[{at}]"), &format!("{name:?}"), message));
            if !seen.insert(tool) {
                return fault(format!("{name} is named twice"));
            }
            let mouse = matches!(tool, ToolKind::Hover | ToolKind::ClickElement | ToolKind::ClickAt | ToolKind::Drag);
            match self.input {
                InputProfile::Touch if matches!(tool, ToolKind::Hover | ToolKind::Key) => {
                    return fault(format!("a touch screen has no {name}"));
                }
                InputProfile::Keyboard if mouse || *tool == ToolKind::Touch => {
                    return fault(format!("a keyboard has no {name}"));
                }
                _ => {}
            }
        }
        None
    }

    fn vision_fault(&self) -> Option<Fault> {
        let severity = self.colour_vision?.severity;
        let fine = (0.0..=1.0).contains(&severity);
        (!fine).then(|| Fault::new("colour_vision.severity", "\"severity\"", format!("{severity} is not from 0 to 1")))
    }
}
