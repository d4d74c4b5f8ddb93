//! A page in words, as a tester that reads text sees it.
//!
//! There are two forms. [`tree`] and then the [`difference`] from tree to tree (WebCraftBench §4.2): everything is shown
//! once. [`filtered`] and [`find`]: each time what can be acted on in the viewport and little else, and the rest by asking
//! for a text. `docs/exploration.md` has both measured on real pages.

use similar::{ChangeTag, TextDiff};
use webeval_browser::{Affordance, Node, NodeState, Observation};

/// A page in words: one element a line, indented by what it lies in. What can be acted on has a reference.
#[must_use]
pub fn tree(page: &Observation) -> String {
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
#[must_use]
pub fn difference(before: &str, after: &str) -> String {
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

/// Roles that are shown whether or not they can be acted on: what tells where one is, and what has just happened.
const TELLING: &[&str] = &["heading", "dialog", "alertdialog", "alert", "status", "canvas"];

/// What can be acted on within the viewport, with headings, dialogs and messages; the rest is counted.
#[must_use]
pub fn filtered(page: &Observation) -> String {
    let (width, height) = (f64::from(page.viewport.0), f64::from(page.viewport.1));
    let mut out = String::new();
    let mut others = page.left_out;
    for node in &page.nodes {
        let [x, y, w, h] = node.rect;
        let seen = x < width && y < height && x + w > 0.0 && y + h > 0.0;
        if seen && (node.is_actionable() || TELLING.contains(&node.role.as_str())) {
            out.push_str(&line(node));
            out.push('\n');
        } else {
            others += 1;
        }
    }
    if others > 0 {
        out.push_str(&format!("({others} more elements, texts and what is scrolled away; find looks among all)\n"));
    }
    out
}

/// Most elements that a search shows.
const FOUND: usize = 20;

/// The elements of the page that hold a text, upper and lower case being the same.
#[must_use]
pub fn find(page: &Observation, text: &str) -> String {
    let wanted = text.to_lowercase();
    let lines: Vec<String> = page.nodes.iter().map(line).filter(|line| line.to_lowercase().contains(&wanted)).collect();
    match lines.len() {
        0 => format!("No element holds {text:?}."),
        found => {
            let shown = lines[..found.min(FOUND)].join("\n");
            let rest = if found > FOUND { format!("\n({} more)", found - FOUND) } else { String::new() };
            format!("{shown}{rest}")
        }
    }
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
