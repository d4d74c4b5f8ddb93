//! What a look at the page gives.

use serde::{Deserialize, Serialize};
use webeval_evidence::{ConsoleMessage, Effect, NetworkFailure, OutcomeStatus, PageError, Rect, Target};

use crate::Executed;

/// Why something can be acted on, as far as a user or the browser can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Affordance {
    /// A control of HTML itself: button, link, field, …
    Native,
    /// An ARIA widget role.
    Role,
    /// Somebody listens for input on it.
    Listener,
    /// The pointer turns into a hand over it.
    Cursor,
    /// Its text can be edited.
    Editable,
    /// It can be reached with the Tab key.
    Tabindex,
    /// It can be dragged.
    Draggable,
    /// An element around it listens in its stead.
    Delegated,
}

/// State of a control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NodeState {
    /// Ticked.
    Checked,
    /// Cannot be used now.
    Disabled,
    /// Can be read only.
    Readonly,
    /// Has to be filled.
    Required,
    /// Open.
    Expanded,
    /// Shut.
    Collapsed,
    /// Chosen.
    Selected,
    /// Pressed down.
    Pressed,
    /// Its value is refused.
    Invalid,
    /// Can be dragged.
    Draggable,
    /// Has the keyboard.
    Focused,
}

/// A choice that a field offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// The value.
    pub value: String,
    /// What is shown for it.
    #[serde(default)]
    pub text: String,
    /// Whether it cannot be chosen.
    #[serde(default)]
    pub disabled: bool,
}

/// What is known of a field to fill.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Field {
    /// `type` of an input; `textarea`, `select`, `select-multiple`, `editable`.
    pub kind: String,
    /// Shown while it is empty.
    pub placeholder: Option<String>,
    /// Smallest value.
    pub min: Option<String>,
    /// Largest value.
    pub max: Option<String>,
    /// Distance of the values.
    pub step: Option<String>,
    /// Regular expression that the value has to match.
    pub pattern: Option<String>,
    /// What a file input takes.
    pub accept: Option<String>,
    /// Its `name` attribute.
    pub name: Option<String>,
    /// Its `id` attribute.
    pub id: Option<String>,
    /// What the browser may fill in.
    pub autocomplete: Option<String>,
    /// Most characters.
    pub max_length: Option<u32>,
    /// What can be chosen.
    pub options: Vec<Choice>,
}

/// An element of the simplified tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Node {
    /// Reference, stable as long as the element lives.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Index of the nearest ancestor in the list.
    #[serde(default)]
    pub parent: Option<usize>,
    /// ARIA role, explicit or implied.
    pub role: String,
    /// Tag name, lower case.
    pub tag: String,
    /// Accessible name.
    #[serde(default)]
    pub name: String,
    /// Its own text, without that of its children, where that is not the name.
    #[serde(default)]
    pub text: String,
    /// Current value of a field.
    #[serde(default)]
    pub value: Option<String>,
    /// States.
    #[serde(default)]
    pub states: Vec<NodeState>,
    /// Left, top, width, height in CSS pixels, relative to the viewport.
    pub rect: [f64; 4],
    /// Why it can be acted on; empty when it cannot.
    #[serde(default)]
    pub why: Vec<Affordance>,
    /// Types of the input events that somebody listens for on it.
    #[serde(default)]
    pub listeners: Vec<String>,
    /// CSS path, for what can be acted on.
    #[serde(default)]
    pub selector: Option<String>,
    /// The field, where it is one.
    #[serde(default)]
    pub field: Option<Field>,
    /// Where a link leads, as written.
    #[serde(default)]
    pub href: Option<String>,
    /// `id` and `class`, which often say what an unnamed control is for.
    #[serde(default)]
    pub hint: String,
    /// Reference of the form that it belongs to.
    #[serde(default)]
    pub form: Option<String>,
    /// Whether something to act on lies hidden within it, which may show under the pointer.
    #[serde(default)]
    pub reveals: bool,
}

impl Node {
    /// Where it is.
    #[must_use]
    pub fn area(&self) -> Rect {
        let [x, y, width, height] = self.rect;
        Rect { x, y, width, height }
    }

    /// Whether it can be acted on.
    #[must_use]
    pub fn is_actionable(&self) -> bool {
        !self.why.is_empty()
    }

    /// Whether it is in `state`.
    #[must_use]
    pub fn is(&self, state: NodeState) -> bool {
        self.states.contains(&state)
    }

    /// Whether somebody listens for `event` on it.
    #[must_use]
    pub fn hears(&self, event: &str) -> bool {
        self.listeners.iter().any(|type_| type_ == event)
    }

    /// The node as the target of an action.
    #[must_use]
    pub fn target(&self) -> Target {
        Target {
            reference: self.reference.clone(),
            role: self.role.clone(),
            name: self.name.clone(),
            selector: self.selector.clone().unwrap_or_default(),
            rect: Some(self.area()),
        }
    }
}

/// An open dialog that waits for an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dialog {
    /// What it says.
    pub message: String,
}

/// How far the page is scrolled and can be, in CSS pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scroll {
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
    /// Furthest to the right.
    pub max_x: f64,
    /// Furthest down.
    pub max_y: f64,
}

/// What a look at the page gives: all of it gathered in one call into the page, and one for the browser's log.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Observation {
    /// Address, the app's origin written as `app:`.
    pub url: String,
    /// Document title.
    pub title: String,
    /// Width and height of the viewport in CSS pixels.
    pub viewport: (u32, u32),
    /// Scroll position.
    pub scroll: Scroll,
    /// The simplified tree in document order, frames and open shadow roots of the app's origin included.
    pub nodes: Vec<Node>,
    /// Elements beyond the limit, which are not in `nodes`.
    pub left_out: u32,
    /// Types of the events that are listened for on window, document and body.
    pub listeners: Vec<String>,
    /// The page as HTML with its dynamic state written into it; none while it cannot be read.
    pub html: Option<String>,
    /// Increments of coverage since the last look, one a document, as the collecting expression wrote them.
    pub deltas: Vec<String>,
    /// How many of the deltas, the first ones, are of documents that have been left.
    pub deltas_left: usize,
    /// What the app's scripts have run since the last look, where V8 counts; see [`crate::SessionOptions::v8`].
    pub executed: Executed,
    /// How many scripts the page has.
    pub scripts: u32,
    /// Code of the app that runs here and is not counted, in words: workers, frames within sandboxed frames.
    pub uncounted: Vec<String>,
    /// Console messages since the last look.
    pub console: Vec<ConsoleMessage>,
    /// Uncaught errors and unhandled rejections since the last look.
    pub errors: Vec<PageError>,
    /// Failed requests since the last look.
    pub network: Vec<NetworkFailure>,
    /// What happened beside the page itself since the last look.
    pub effects: Vec<Effect>,
    /// A dialog that was left open for the tester to answer.
    pub dialog: Option<Dialog>,
    /// How many tabs are open.
    pub tabs: u32,
    /// The tab that is looked at, from 0.
    pub tab: u32,
    /// When the next of the page's own longer timers is due, in milliseconds; none when none is set.
    pub due_ms: Option<u32>,
    /// Whether the page moves by itself: it draws frame after frame, a clock ticks, or it never settled.
    pub moves: bool,
    /// How long the page was waited for to settle, in milliseconds.
    pub settled_ms: f64,
    /// How long reading the coverage took in the page, in milliseconds.
    pub counted_ms: f64,
    /// Set when the page hung or the browser crashed and was started anew, with what had happened.
    pub restored: Option<(OutcomeStatus, String)>,
}

/// Why an element is in the simplified tree, or is not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Explanation {
    /// The selector that was asked about.
    pub selector: String,
    /// Whether the tree holds it.
    pub shown: bool,
    /// Whether it can be acted on.
    pub actionable: bool,
    /// Its reference, where the tree holds it.
    pub reference: Option<String>,
    /// Why, in words.
    pub reasons: Vec<String>,
}

impl Observation {
    /// The node of a reference.
    #[must_use]
    pub fn node(&self, reference: &str) -> Option<&Node> {
        self.nodes.iter().find(|node| node.reference == reference)
    }
}
