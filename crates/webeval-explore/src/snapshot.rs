//! The simplified tree as text, and the difference between two of them.

use similar::{ChangeTag, TextDiff};
use webeval_browser::{Affordance, Node, NodeState, Observation};

/// A page in words: one element a line, indented by what it lies in. What can be acted on has a reference.
pub(crate) fn tree(page: &Observation) -> String {
    let mut depths: Vec<usize> = Vec::with_capacity(page.nodes.len());
    let mut out = String::new();
    for node in &page.nodes {
        let depth = node.parent.and_then(|parent| depths.get(parent)).map_or(0, |depth| depth + 1);
        depths.push(depth);
        out.push_str(&"  ".repeat(depth.min(20)));
        out.push_str(&line(node));
        out.push('\n');
    }
    if page.left_out > 0 {
        out.push_str(&format!("({} more elements)\n", page.left_out));
    }
    out
}

fn line(node: &Node) -> String {
    let mut line = format!("- {}", node.role);
    if !node.name.is_empty() {
        line.push_str(&format!(" {:?}", node.name));
    }
    if node.is_actionable() || node.role == "canvas" {
        line.push_str(&format!(" [{}]", node.reference));
    }
    if let Some(value) = &node.value {
        line.push_str(&format!(" value={value:?}"));
    }
    if let Some(field) = &node.field {
        for (name, value) in
            [("placeholder", &field.placeholder), ("min", &field.min), ("max", &field.max), ("accept", &field.accept)]
        {
            if let Some(value) = value {
                line.push_str(&format!(" {name}={value:?}"));
            }
        }
        if !field.options.is_empty() {
            let values: Vec<&str> = field.options.iter().map(|choice| choice.value.as_str()).collect();
            line.push_str(&format!(" options={values:?}"));
        }
    }
    let states: Vec<&str> = node.states.iter().map(|state| state_name(*state)).collect();
    if !states.is_empty() {
        line.push_str(&format!(" ({})", states.join(", ")));
    }
    // Of a mere container that hears something, the model has to be told what.
    if node.why.contains(&Affordance::Listener) && node.role == "generic" {
        line.push_str(&format!(" hears {}", node.listeners.join(", ")));
    }
    if !node.text.is_empty() {
        line.push_str(&format!(": {}", node.text));
    }
    line
}

fn state_name(state: NodeState) -> &'static str {
    match state {
        NodeState::Checked => "checked",
        NodeState::Disabled => "disabled",
        NodeState::Readonly => "read only",
        NodeState::Required => "required",
        NodeState::Expanded => "expanded",
        NodeState::Collapsed => "collapsed",
        NodeState::Selected => "selected",
        NodeState::Pressed => "pressed",
        NodeState::Invalid => "invalid",
        NodeState::Draggable => "draggable",
        NodeState::Focused => "focused",
        _ => "",
    }
}

/// What has changed from one tree to the next; the whole of the new one where that is shorter.
pub(crate) fn difference(before: &str, after: &str) -> String {
    if before == after {
        return "The page looks as before.".to_owned();
    }
    let mut out = String::from("Changes of the page (- gone, + new):\n");
    for change in TextDiff::from_lines(before, after).iter_all_changes() {
        let sign = match change.tag() {
            ChangeTag::Delete => '-',
            ChangeTag::Insert => '+',
            ChangeTag::Equal => continue,
        };
        out.push(sign);
        out.push_str(change.value());
    }
    if out.len() * 10 > after.len() * 7 { format!("The page now:\n{after}") } else { out }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shorter_of_difference_and_whole_is_told() {
        let before = "- a\n".repeat(40);
        let after = format!("{before}- button \"New\" [e9]\n");
        assert_eq!(difference(&before, &after), "Changes of the page (- gone, + new):\n+- button \"New\" [e9]\n");
        assert_eq!(difference(&before, "- other\n"), "The page now:\n- other\n");
        assert_eq!(difference(&after, &after), "The page looks as before.");
    }
}
