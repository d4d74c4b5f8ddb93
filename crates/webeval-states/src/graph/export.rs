//! Graphs for other programs: DOT and GraphML.

use std::fmt::{self, Display, Write};

use super::{GraphView, ViewState, ViewTransition};
use crate::Level;

impl GraphView {
    /// The view in Graphviz's DOT language.
    #[must_use]
    pub fn to_dot(&self) -> String {
        let mut out = String::from("digraph states {\n  node [shape=box];\n");
        for (number, state) in self.states.iter().enumerate() {
            let shape = if state.entry { ", penwidth=2" } else { "" };
            let style = if state.dead_end { ", style=dashed" } else { "" };
            let label = label(number, state);
            push(&mut out, format_args!("  {} [label={}{shape}{style}];\n", Dot(&state.id), Dot(&label)));
        }
        for transition in &self.transitions {
            let label = edge_label(transition);
            let colour = if transition.failed > 0 { ", color=red" } else { "" };
            let (from, to) = (Dot(&transition.from), Dot(&transition.to));
            push(&mut out, format_args!("  {from} -> {to} [label={}{colour}];\n", Dot(&label)));
        }
        out.push_str("}\n");
        out
    }

    /// The view as GraphML.
    #[must_use]
    pub fn to_graphml(&self) -> String {
        let mut out = String::from(GRAPHML_HEAD);
        for (name, of, kind) in GRAPHML_KEYS {
            push(
                &mut out,
                format_args!("  <key id=\"{of}_{name}\" for=\"{of}\" attr.name=\"{name}\" attr.type=\"{kind}\"/>\n"),
            );
        }
        push(&mut out, format_args!("  <graph id=\"{}\" edgedefault=\"directed\">\n", level_name(self.level)));
        for state in &self.states {
            push(&mut out, format_args!("    <node id=\"{}\">\n", state.id));
            datum(&mut out, "node_title", &state.title);
            datum(&mut out, "node_url", &state.url);
            datum(&mut out, "node_visits", &state.visits);
            datum(&mut out, "node_first_step", &state.first_step);
            datum(&mut out, "node_members", &state.members.len());
            datum(&mut out, "node_entry", &state.entry);
            datum(&mut out, "node_dead_end", &state.dead_end);
            datum(&mut out, "node_without_return", &state.without_return);
            for (name, reference) in [("node_screenshot", &state.screenshot), ("node_snapshot", &state.snapshot)] {
                if let Some(reference) = reference {
                    datum(&mut out, name, reference);
                }
            }
            out.push_str("    </node>\n");
        }
        for transition in &self.transitions {
            push(&mut out, format_args!("    <edge source=\"{}\" target=\"{}\">\n", transition.from, transition.to));
            datum(&mut out, "edge_action", &transition.action);
            datum(&mut out, "edge_count", &transition.count);
            datum(&mut out, "edge_failed", &transition.failed);
            datum(&mut out, "edge_gain", &transition.gain);
            out.push_str("    </edge>\n");
        }
        out.push_str("  </graph>\n</graphml>\n");
        out
    }
}

const GRAPHML_HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
    <graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n";

const GRAPHML_KEYS: &[(&str, &str, &str)] = &[
    ("title", "node", "string"),
    ("url", "node", "string"),
    ("visits", "node", "long"),
    ("first_step", "node", "long"),
    ("members", "node", "long"),
    ("entry", "node", "boolean"),
    ("dead_end", "node", "boolean"),
    ("without_return", "node", "boolean"),
    ("screenshot", "node", "string"),
    ("snapshot", "node", "string"),
    ("action", "edge", "string"),
    ("count", "edge", "long"),
    ("failed", "edge", "long"),
    ("gain", "edge", "long"),
];

fn level_name(level: Level) -> String {
    level.to_string()
}

fn label(number: usize, state: &ViewState) -> String {
    let mut label = format!("S{}", number + 1);
    if !state.title.is_empty() {
        push(&mut label, format_args!(" {}", state.title));
    }
    push(&mut label, format_args!("\n{} visits", state.visits));
    if state.members.len() > 1 {
        push(&mut label, format_args!(", {} exact states", state.members.len()));
    }
    label
}

fn edge_label(transition: &ViewTransition) -> String {
    let mut label = transition.action.clone();
    if transition.count > 1 {
        push(&mut label, format_args!(" ×{}", transition.count));
    }
    if transition.gain > 0 {
        push(&mut label, format_args!(" +{}", transition.gain));
    }
    label
}

fn datum(out: &mut String, key: &str, value: &dyn Display) {
    push(out, format_args!("      <data key=\"{key}\">{}</data>\n", Xml(value)));
}

fn push(out: &mut String, text: fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = out.write_fmt(text);
}

/// A quoted DOT string.
struct Dot<'a>(&'a dyn Display);

impl Display for Dot<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for c in self.0.to_string().chars() {
            match c {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                '\n' => f.write_str("\\n")?,
                c if c.is_control() => f.write_char(' ')?,
                c => f.write_char(c)?,
            }
        }
        f.write_char('"')
    }
}

/// Text content of XML. Characters that XML cannot hold become spaces.
struct Xml<'a>(&'a dyn Display);

impl Display for Xml<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.to_string().chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '\n' | '\t' => f.write_char(c)?,
                '\u{fffe}' | '\u{ffff}' => f.write_char(' ')?,
                c if c < ' ' => f.write_char(' ')?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}
