//! Fields that belong together.

use webeval_browser::{Node, NodeState, Observation};
use webeval_evidence::ActionKind;

use super::candidates::{Candidate, add, control};
use super::values;

/// Whether something can be written into it.
pub(super) fn is_text_field(node: &Node) -> bool {
    node.is_actionable()
        && !node.is(NodeState::Disabled)
        && !node.is(NodeState::Readonly)
        && node.field.as_ref().is_some_and(|field| {
            !matches!(
                field.kind.as_str(),
                "submit" | "button" | "reset" | "image" | "checkbox" | "radio" | "file" | "select" | "select-multiple"
            )
        })
}

/// What a field belongs to: its form; without one, the list item, row or dialog that it lies in; otherwise the page.
fn group_of<'p>(page: &'p Observation, node: &'p Node) -> Option<&'p str> {
    if node.form.is_some() {
        return node.form.as_deref();
    }
    let mut at = node.parent;
    while let Some(above) = at.and_then(|at| page.nodes.get(at)) {
        if matches!(above.role.as_str(), "listitem" | "row" | "dialog" | "alertdialog" | "tabpanel") {
            return Some(&above.reference);
        }
        at = above.parent;
    }
    None
}

/// Text fields that belong together with this one, itself among them.
pub(super) fn fields_with<'p>(page: &'p Observation, node: &'p Node) -> Vec<&'p Node> {
    let group = group_of(page, node);
    page.nodes.iter().filter(|other| is_text_field(other) && group_of(page, other) == group).collect()
}

/// Forms of several fields are filled whole, then sent: once right, once wrong, once at the edge, once empty.
pub(super) fn forms(page: &Observation, list: &mut Vec<Candidate>) {
    let mut done: Vec<Option<&str>> = Vec::new();
    for node in page.nodes.iter().filter(|node| is_text_field(node)) {
        let form = node.form.as_deref();
        let group = group_of(page, node);
        if done.contains(&group) {
            continue;
        }
        done.push(group);
        let fields = fields_with(page, node);
        if fields.len() < 2 || fields.len() > 12 {
            continue;
        }
        let last = fields.last().copied().unwrap_or(node);
        let submit = submit_of(page, form, last);
        let choose = |node: &Node, turn: usize| {
            let field = node.field.clone().unwrap_or_default();
            let sensible = values::sensible(node, &field);
            match turn {
                0 | 2 => sensible.get(turn / 2 % sensible.len().max(1)).cloned(),
                1 => values::wrong(node, &field).or_else(|| sensible.first().cloned()),
                _ => values::boundary(node, &field).first().cloned().or_else(|| sensible.first().cloned()),
            }
        };
        for (turn, (word, prior)) in
            [("right", 1.3), ("wrong", 1.0), ("right again", 0.7), ("at the edge", 0.6)].into_iter().enumerate()
        {
            // Terms have to be agreed to before a form that is filled in right is taken.
            let ticks = if word.starts_with("right") { boxes_of(page, form) } else { Vec::new() };
            fill(list, &fields, &ticks, submit, word, prior, &|node| choose(node, turn).unwrap_or_default());
        }
    }
}

/// Boxes of a form that are not ticked yet.
fn boxes_of<'p>(page: &'p Observation, form: Option<&str>) -> Vec<&'p Node> {
    let is_box = |node: &&Node| node.field.as_ref().is_some_and(|field| field.kind == "checkbox");
    let of_form = page.nodes.iter().filter(|node| node.form.is_some() && node.form.as_deref() == form);
    of_form.filter(is_box).filter(|node| node.is_actionable() && !node.is(NodeState::Checked)).collect()
}

fn fill(
    list: &mut Vec<Candidate>,
    fields: &[&Node],
    ticks: &[&Node],
    submit: Option<&Node>,
    word: &str,
    prior: f64,
    value: &dyn Fn(&Node) -> String,
) {
    let Some(first) = fields.first() else { return };
    let mut steps: Vec<String> = Vec::new();
    for (place, node) in fields.iter().enumerate() {
        let before = list.len();
        let text = value(node);
        add(
            list,
            node,
            &format!("fill {word}"),
            0.0,
            ActionKind::Type { text },
            &format!("the form is filled in, {word}"),
        );
        if place > 0 {
            steps.push(list[before].id.clone());
        }
    }
    steps.extend(ticks.iter().map(|node| format!("tick {}", control(node))));
    match submit {
        Some(button) => steps.push(format!("click {}", control(button))),
        None => {
            let last = fields.last().unwrap_or(first);
            let before = list.len();
            add(list, last, "send", 0.0, ActionKind::Key { key: "Enter".to_owned(), hold_ms: 0 }, "the form is sent");
            steps.push(list[before].id.clone());
        }
    }
    let start = list.len() - fields.len() - usize::from(submit.is_none());
    list[start].prior = prior;
    list[start].then = steps;
}

/// The button that sends a form, or without a form the first button after its last field.
fn submit_of<'p>(page: &'p Observation, form: Option<&str>, last: &Node) -> Option<&'p Node> {
    let buttons = || page.nodes.iter().filter(|node| node.role == "button" && node.is_actionable());
    let after = page.nodes.iter().position(|node| node.reference == last.reference)?;
    match form {
        Some(form) => {
            let mine = || buttons().filter(|node| node.form.as_deref() == Some(form));
            mine()
                .find(|node| node.field.as_ref().is_some_and(|field| field.kind == "submit"))
                .or_else(|| mine().next_back())
        }
        None => page.nodes.iter().skip(after + 1).find(|node| node.role == "button" && node.is_actionable()),
    }
}
