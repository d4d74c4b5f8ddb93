//! Editors that open in the place of a text: written in at once, and left in each of the ways that there are.

use std::collections::{BTreeMap, HashSet};

use webeval_browser::{Node, NodeState, Observation};
use webeval_evidence::{Action, ActionKind, Effect, Point};

use super::candidates::{Candidate, control, family};
use super::forms::is_text_field;
use super::values;
use crate::tester::Feedback;

/// How an editor is left, in the order in which it is tried.
const WAYS: [&str; 4] = ["taken with Enter", "given up with Escape", "left for another place", "emptied"];

/// Most kinds of editors that are tried in each of the ways.
const MOST_KINDS: usize = 3;

/// What is known of the editors that have opened.
#[derive(Debug, Default)]
pub(crate) struct Editors {
    /// Text fields that the page showed the last time, by what they are called.
    shown: HashSet<String>,
    /// How many of the ways each kind of editor has been left in.
    turns: BTreeMap<String, usize>,
    /// How the editor that is written in is left.
    leaving: Option<(String, Candidate)>,
    /// Family of the action that opens an editor with ways still to try.
    opener: Option<String>,
}

impl Editors {
    /// Takes in the page and what the last action, of the family `last`, did to it. Gives what has to be done at once: an
    /// editor is gone again with the next click beside it.
    pub(crate) fn next(
        &mut self,
        page: &Observation,
        feedback: Option<&Feedback>,
        last: Option<&str>,
    ) -> Option<Candidate> {
        let fields: Vec<&Node> = page.nodes.iter().filter(|node| is_text_field(node)).collect();
        let now: HashSet<String> = fields.iter().map(|node| control(node)).collect();
        let before = std::mem::replace(&mut self.shown, now);
        if let Some((editor, leave)) = self.leaving.take()
            && self.shown.contains(&editor)
        {
            return Some(leave);
        }
        if feedback.is_none_or(came_anew) {
            return None;
        }
        let mut fresh = fields.into_iter().filter(|node| !before.contains(&control(node)));
        // Several at once are a form.
        let (Some(editor), None) = (fresh.next(), fresh.next()) else { return None };
        if !editor.is(NodeState::Focused) {
            return None;
        }
        let kind = family("edit", editor);
        if !self.turns.contains_key(&kind) && self.turns.len() >= MOST_KINDS {
            return None;
        }
        let turn = self.turns.entry(kind).or_default();
        let at = *turn;
        *turn += 1;
        self.opener = last.filter(|_| at + 1 < WAYS.len()).map(str::to_owned);
        let way = WAYS.get(at)?;
        let (text, leave) = written(page, editor, at);
        self.leaving = leave.map(|action| (control(editor), step(editor, &format!("leave {way}"), action, way)));
        Some(step(editor, &format!("edit {at}"), action_on(editor, ActionKind::Type { text }), way))
    }

    /// What opens the editor again, where ways to leave it are left to try. It is told once.
    pub(crate) fn again(&mut self, list: &[Candidate]) -> Option<Candidate> {
        let opener = self.opener.as_ref()?;
        let found = list.iter().find(|candidate| candidate.family == *opener)?;
        self.opener = None;
        Some(Candidate { reason: "it opens an editor".to_owned(), then: Vec::new(), ..found.clone() })
    }
}

/// Whether the page is another one, or was gone to anew: what has the keyboard then was not opened by anybody.
fn came_anew(feedback: &Feedback) -> bool {
    matches!(
        feedback.action.kind,
        ActionKind::Load { .. } | ActionKind::Reload | ActionKind::Back | ActionKind::SwitchTab { .. }
    ) || feedback.outcome.effects.iter().any(|effect| matches!(effect, Effect::Navigated { .. }))
}

/// What is written into an editor at its turn, and what follows.
fn written(page: &Observation, editor: &Node, turn: usize) -> (String, Option<Action>) {
    let key = |name: &str| action_on(editor, ActionKind::Key { key: name.to_owned(), hold_ms: 0 });
    if turn + 1 == WAYS.len() {
        return (String::new(), Some(key("Enter")));
    }
    let field = editor.field.clone().unwrap_or_default();
    // What stands there already would be no edit.
    let known = values::sensible(editor, &field).into_iter().filter(|value| Some(value) != editor.value.as_ref());
    let text = known.cycle().nth(turn).unwrap_or_default();
    match turn {
        0 => (text + "\n", None),
        1 => (text, Some(key("Escape"))),
        _ => (text, beside(page).map(|at| Action { kind: ActionKind::Click { at: Some(at) }, target: None })),
    }
}

/// A place near the edge of the page where there is nothing to act on.
fn beside(page: &Observation) -> Option<Point> {
    let (width, height) = (f64::from(page.viewport.0), f64::from(page.viewport.1));
    let free = |at: &Point| {
        let over = |node: &&Node| {
            let [left, top, wide, high] = node.rect;
            at.x >= left && at.x < left + wide && at.y >= top && at.y < top + high
        };
        !page.nodes.iter().filter(|node| node.is_actionable()).any(|node| over(&node))
    };
    let (middle, low, right) = ((width / 2.0).floor(), height - 20.0, width - 8.0);
    [(middle, low), (8.0, low), (right, low), (right, 8.0), (8.0, 8.0)]
        .map(|(x, y)| Point { x, y })
        .into_iter()
        .find(free)
}

fn action_on(editor: &Node, kind: ActionKind) -> Action {
    Action { kind, target: Some(editor.target()) }
}

fn step(editor: &Node, what: &str, action: Action, way: &str) -> Candidate {
    Candidate {
        id: format!("{what} {}", control(editor)),
        family: family(what, editor),
        prior: 0.0,
        fade: 1.0,
        action,
        then: Vec::new(),
        reason: format!("an editor has opened, and is {way}"),
    }
}
