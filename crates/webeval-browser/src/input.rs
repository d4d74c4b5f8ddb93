//! Sequences of the WebDriver Actions API.

use std::time::Duration;

use serde_json::{Value, json};
use webeval_evidence::Point;

use crate::keys::Chord;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Button {
    Primary,
    Secondary,
}

/// What the pointer does at a point.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Gesture {
    Move,
    Click {
        button: Button,
        times: u8,
    },
    Tap,
    /// `pause_ms`: how long each part of the way takes.
    Drag {
        to: Point,
        pause_ms: u32,
    },
}

impl Gesture {
    pub(crate) fn click(button: Button, times: u8) -> Self {
        Self::Click { button, times }
    }
}

/// Coordinates are whole pixels; rounding down stays inside a box whose edge is not.
#[expect(clippy::cast_possible_truncation, reason = "no page is that large")]
fn pixel(value: f64) -> i64 {
    value.floor() as i64
}

fn move_to(point: Point, duration: u32) -> Value {
    json!({"type": "pointerMove", "duration": duration, "x": pixel(point.x), "y": pixel(point.y), "origin": "viewport"})
}

pub(crate) fn pointer(at: Point, gesture: Gesture) -> Value {
    let mut steps = vec![move_to(at, 0)];
    let mut kind = "mouse";
    match gesture {
        Gesture::Move => {}
        Gesture::Click { button, times } => {
            let button = match button {
                Button::Primary => 0,
                Button::Secondary => 2,
            };
            for _ in 0..times {
                steps.push(json!({"type": "pointerDown", "button": button}));
                steps.push(json!({"type": "pointerUp", "button": button}));
            }
        }
        Gesture::Tap => {
            kind = "touch";
            steps.push(json!({"type": "pointerDown", "button": 0}));
            steps.push(json!({"type": "pointerUp", "button": 0}));
        }
        Gesture::Drag { to, pause_ms } => {
            steps.push(json!({"type": "pointerDown", "button": 0}));
            // Drag libraries start only after the pointer has moved a little, and follow it only while it moves.
            for part in [0.1, 0.4, 0.8, 1.0] {
                let between = Point { x: at.x + (to.x - at.x) * part, y: at.y + (to.y - at.y) * part };
                steps.push(move_to(between, pause_ms));
            }
            steps.push(json!({"type": "pointerUp", "button": 0}));
        }
    }
    json!({"actions": [{"type": "pointer", "id": kind, "parameters": {"pointerType": kind}, "actions": steps}]})
}

pub(crate) fn wheel(at: Point, dx: i32, dy: i32) -> Value {
    let step = json!({"type": "scroll", "duration": 0, "x": pixel(at.x), "y": pixel(at.y),
        "deltaX": dx, "deltaY": dy, "origin": "viewport"});
    json!({"actions": [{"type": "wheel", "id": "wheel", "actions": [step]}]})
}

fn keyboard(steps: Vec<Value>) -> Value {
    json!({"actions": [{"type": "key", "id": "keyboard", "actions": steps}]})
}

/// Types a text; a line end presses Enter.
pub(crate) fn keys(text: &str) -> Value {
    let mut steps = Vec::new();
    for character in text.chars() {
        let value = if character == '\n' { '\u{E007}' } else { character };
        steps.push(json!({"type": "keyDown", "value": value}));
        steps.push(json!({"type": "keyUp", "value": value}));
    }
    keyboard(steps)
}

/// How long a keyboard waits before it repeats a key that is held, and how often it then does.
pub(crate) const REPEAT_AFTER: Duration = Duration::from_millis(400);
pub(crate) const REPEAT_EVERY: Duration = Duration::from_millis(50);

fn down(value: char) -> Value {
    json!({"type": "keyDown", "value": value})
}

fn up(value: char) -> Value {
    json!({"type": "keyUp", "value": value})
}

fn presses(chord: &Chord) -> impl Iterator<Item = Value> {
    chord.modifiers.iter().copied().chain([chord.key]).map(down)
}

fn releases(chord: &Chord) -> impl Iterator<Item = Value> {
    [chord.key].into_iter().chain(chord.modifiers.iter().rev().copied()).map(up)
}

/// Presses a key, with its modifiers down, for `hold_ms` milliseconds.
pub(crate) fn chord(chord: &Chord, hold_ms: u32) -> Value {
    let pause = (hold_ms > 0).then(|| json!({"type": "pause", "duration": hold_ms}));
    keyboard(presses(chord).chain(pause).chain(releases(chord)).collect())
}

/// Presses a key, with its modifiers down, and keeps it down.
pub(crate) fn press(chord: &Chord) -> Value {
    keyboard(presses(chord).collect())
}

/// Lets a key go, and its modifiers.
pub(crate) fn release(chord: &Chord) -> Value {
    keyboard(releases(chord).collect())
}
