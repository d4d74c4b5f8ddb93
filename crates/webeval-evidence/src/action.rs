//! What a tester does to a page, and what came of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A point in CSS pixels, relative to the viewport's top left corner.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    /// Pixels from the left edge.
    pub x: f64,
    /// Pixels from the top edge.
    pub y: f64,
}

/// A rectangle in CSS pixels, relative to the viewport's top left corner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rect {
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl Rect {
    /// The rectangle's centre.
    #[must_use]
    pub fn center(&self) -> Point {
        Point { x: self.x + self.width / 2.0, y: self.y + self.height / 2.0 }
    }
}

/// The element an action was aimed at, described so that a person and a later replay can both find it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Target {
    /// Reference in the observation the tester saw, such as `e12` (`f1e3` inside the first frame).
    #[serde(rename = "ref")]
    pub reference: String,
    /// ARIA role, explicit or implied by the tag.
    pub role: String,
    /// Accessible name; empty when it has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// CSS path from the document (or shadow) root; steps into shadow roots are written ` >>> `, into frames ` |> `.
    pub selector: String,
    /// Where it was when it was acted on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rect: Option<Rect>,
}

/// One action and, where it is aimed at an element, that element.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Action {
    /// What is done.
    #[serde(flatten)]
    pub kind: ActionKind,
    /// The element it is done to; none for actions on the page as a whole or on a bare point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
}

impl Action {
    /// The action in a few words, the same for the same action: `click button "Add"`, `type "milk" into textbox "Item"`.
    #[must_use]
    pub fn label(&self) -> String {
        let on = |word: &str| match &self.target {
            Some(target) => format!(" {word}{}", target.label()),
            None => String::new(),
        };
        let at = |at: &Option<Point>| match at {
            Some(point) => format!(" at {:.0},{:.0}", point.x, point.y),
            None => String::new(),
        };
        let name = self.kind.name().replace('_', " ");
        match &self.kind {
            ActionKind::Load { url } => format!("load {url}"),
            ActionKind::Click { at: point }
            | ActionKind::DoubleClick { at: point }
            | ActionKind::RightClick { at: point }
            | ActionKind::Hover { at: point }
            | ActionKind::Touch { at: point } => format!("{name}{}{}", on(""), at(point)),
            ActionKind::Type { text } => format!("type {text:?}{}", on("into ")),
            ActionKind::Key { key, hold_ms: 0 } => format!("press {key}{}", on("on ")),
            ActionKind::Key { key, hold_ms } => format!("hold {key} for {hold_ms} ms{}", on("on ")),
            ActionKind::Select { values } => format!("select {}{}", values.join(", "), on("in ")),
            ActionKind::Check { checked } => format!("{}{}", if *checked { "check" } else { "uncheck" }, on("")),
            ActionKind::Drag { onto: Some(target), .. } => format!("drag{} onto {}", on(""), target.label()),
            ActionKind::Drag { onto: None, to } => format!("drag{}{}", on(""), at(to).replace(" at ", " to ")),
            ActionKind::Scroll { dx, dy } => format!("scroll by {dx},{dy}{}", on("over ")),
            ActionKind::Resize { width, height } => format!("resize to {width}x{height}"),
            ActionKind::Upload { files } => format!("upload {}{}", files.join(", "), on("to ")),
            ActionKind::Wait { ms } => format!("wait {ms} ms"),
            ActionKind::LookAway { ms } => format!("look away for {ms} ms"),
            ActionKind::SwitchTab { index } => format!("switch to tab {index}"),
            ActionKind::AnswerDialog { accept, text: None } => {
                (if *accept { "accept dialog" } else { "dismiss dialog" }).into()
            }
            ActionKind::AnswerDialog { text: Some(text), .. } => format!("answer dialog with {text:?}"),
            ActionKind::Clear => format!("clear{}", on("")),
            ActionKind::Back | ActionKind::Forward | ActionKind::Reload | ActionKind::Finish => name,
        }
    }
}

impl Target {
    /// The element in a few words: its role and name, or its CSS path when it has no name.
    #[must_use]
    pub fn label(&self) -> String {
        if self.name.is_empty() {
            format!("{} {}", self.role, self.selector)
        } else {
            format!("{} {:?}", self.role, self.name)
        }
    }
}

/// What is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ActionKind {
    /// Open an address; the first step of every trace.
    Load {
        /// The address. The served origin is written as `app:`, so that traces of one app compare equal.
        url: String,
    },
    /// Press and release the primary button.
    Click {
        /// Where; the target's centre when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<Point>,
    },
    /// Click twice.
    DoubleClick {
        /// Where; the target's centre when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<Point>,
    },
    /// Click with the secondary button.
    RightClick {
        /// Where; the target's centre when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<Point>,
    },
    /// Move the pointer there and leave it.
    Hover {
        /// Where; the target's centre when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<Point>,
    },
    /// Tap with one finger.
    Touch {
        /// Where; the target's centre when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<Point>,
    },
    /// Replace a field's content by typing.
    Type {
        /// The text; `\n` presses Enter.
        text: String,
    },
    /// Empty a field.
    Clear,
    /// Press a key on the focused element, or on the target after focusing it.
    Key {
        /// Key name as in `KeyboardEvent.key`, with modifiers before it: `Enter`, `ArrowLeft`, `Control+z`.
        key: String,
        /// How long it is held down, in milliseconds.
        #[serde(default, skip_serializing_if = "is_zero")]
        hold_ms: u32,
    },
    /// Choose options of a `<select>`, by value.
    Select {
        /// Values of the options.
        values: Vec<String>,
    },
    /// Set a checkbox, radio button or switch.
    Check {
        /// The state wanted.
        checked: bool,
    },
    /// Press on the target, move, release.
    Drag {
        /// Where to: an element …
        #[serde(default, skip_serializing_if = "Option::is_none")]
        onto: Option<Target>,
        /// … or a point.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<Point>,
    },
    /// Turn the wheel over the target, or over the middle of the page.
    Scroll {
        /// Pixels to the right.
        dx: i32,
        /// Pixels down.
        dy: i32,
    },
    /// Change the viewport.
    Resize {
        /// Width in CSS pixels.
        width: u32,
        /// Height in CSS pixels.
        height: u32,
    },
    /// Give files to a file input.
    Upload {
        /// Names of the files, which the explorer made itself.
        files: Vec<String>,
    },
    /// Let time pass.
    Wait {
        /// Milliseconds.
        ms: u32,
    },
    /// Let the page out of sight for a moment: its window is minimised, and restored.
    LookAway {
        /// How long, in milliseconds.
        ms: u32,
    },
    /// History back.
    Back,
    /// History forward.
    Forward,
    /// Reload the page.
    Reload,
    /// Turn to another open tab.
    SwitchTab {
        /// Its number, from 0, in order of opening.
        index: u32,
    },
    /// Answer the open dialog.
    AnswerDialog {
        /// OK or Cancel.
        accept: bool,
        /// What to type into a prompt.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    /// The tester declares its work done.
    Finish,
}

impl ActionKind {
    /// The name that the `kind` field carries: `click`, `type`, …
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Load { .. } => "load",
            Self::Click { .. } => "click",
            Self::DoubleClick { .. } => "double_click",
            Self::RightClick { .. } => "right_click",
            Self::Hover { .. } => "hover",
            Self::Touch { .. } => "touch",
            Self::Type { .. } => "type",
            Self::Clear => "clear",
            Self::Key { .. } => "key",
            Self::Select { .. } => "select",
            Self::Check { .. } => "check",
            Self::Drag { .. } => "drag",
            Self::Scroll { .. } => "scroll",
            Self::Resize { .. } => "resize",
            Self::Upload { .. } => "upload",
            Self::Wait { .. } => "wait",
            Self::LookAway { .. } => "look_away",
            Self::Back => "back",
            Self::Forward => "forward",
            Self::Reload => "reload",
            Self::SwitchTab { .. } => "switch_tab",
            Self::AnswerDialog { .. } => "answer_dialog",
            Self::Finish => "finish",
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(value: &u32) -> bool {
    *value == 0
}

/// Whether the action could be carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OutcomeStatus {
    /// Done as asked.
    Performed,
    /// Another element lies over the target: a user could not have done it either.
    Blocked,
    /// The target was no longer there.
    Stale,
    /// The page did not answer within the step's limit.
    TimedOut,
    /// The browser or its session was lost and has been restored.
    Crashed,
    /// The driver cannot do this.
    Unsupported,
    /// The action makes no sense as asked (no such reference, a key that does not exist).
    Invalid,
}

/// What came of an action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    /// Whether it could be carried out.
    pub status: OutcomeStatus,
    /// Why not, or which element was in the way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// What else happened, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<Effect>,
}

impl Outcome {
    /// An action done as asked, without side effects so far.
    #[must_use]
    pub fn performed() -> Self {
        Self { status: OutcomeStatus::Performed, detail: None, effects: Vec::new() }
    }

    /// An action that was not done, and why.
    #[must_use]
    pub fn failed(status: OutcomeStatus, detail: impl Into<String>) -> Self {
        Self { status, detail: Some(detail.into()), effects: Vec::new() }
    }
}

/// A side effect of an action that the browser, not the page, shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "effect", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Effect {
    /// Another document was loaded.
    Navigated {
        /// Its address.
        url: String,
    },
    /// The page tried to leave the app; it was brought back.
    LeftApp {
        /// Where it wanted to go.
        url: String,
    },
    /// A dialog opened and was answered.
    Dialog {
        /// `alert`, `confirm`, `prompt` or `beforeunload`.
        kind: String,
        /// What it said.
        message: String,
        /// Whether it was accepted.
        accepted: bool,
    },
    /// A tab or window opened.
    NewTab {
        /// Its address.
        url: String,
    },
    /// The page closed its own window.
    Closed,
    /// A download started.
    Download {
        /// File name or address.
        name: String,
    },
}
