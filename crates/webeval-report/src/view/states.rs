//! The state graph and a card a state.

use super::{Context, absence};
use crate::draw;
use crate::graph::{Drawing, Graph};
use crate::text::{Markup, clip, one_line, plural};

/// Most actions listed on a card.
const ACTIONS: usize = 12;

/// Actions that lead to one state.
pub(crate) struct Way {
    pub(crate) to: Markup,
    pub(crate) actions: String,
}

/// One state.
pub(crate) struct Card {
    pub(crate) id: usize,
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) url: String,
    pub(crate) picture: Markup,
    pub(crate) badges: Vec<&'static str>,
    pub(crate) visits: String,
    pub(crate) steps: Markup,
    pub(crate) leaving: Vec<Way>,
    pub(crate) more: usize,
    pub(crate) stays: Option<String>,
}

/// The section.
pub(crate) struct States {
    pub(crate) absent: Option<String>,
    pub(crate) figures: String,
    pub(crate) explained: Vec<String>,
    pub(crate) svg: Markup,
    pub(crate) css: String,
    pub(crate) cards: Vec<Card>,
}

impl States {
    pub(crate) fn build(context: &Context<'_>) -> Self {
        let absent = "There is no state graph: this run has no states.json (yet), or no page was captured.";
        let absent = absence(&context.evidence.graph, "states.json", absent);
        let Some(graph) = context.evidence.graph.present() else {
            let none = String::new();
            let (figures, css) = (none.clone(), none);
            return Self { absent, figures, explained: vec![], svg: Markup::default(), css, cards: vec![] };
        };
        let drawing = Drawing::of(graph);
        let drawn = draw::graph(&drawing, context.pictures);
        let cards = (0..graph.nodes.len()).map(|state| card(context, graph, state));
        Self {
            absent,
            figures: format!("{} and {}", plural(graph.states, "state"), plural(graph.transitions, "transition")),
            explained: explained(&drawing),
            svg: drawn.svg,
            css: drawn.css,
            cards: cards.collect(),
        }
    }
}

fn explained(drawing: &Drawing) -> Vec<String> {
    let mut sentences = Vec::new();
    if drawing.graph.is_grouped() {
        sentences.push(
            "There are too many states to show one by one: each box stands for all states whose pages are built \
             alike, “+3” for three more than the one pictured."
                .to_owned(),
        );
    }
    if drawing.omitted > 0 {
        let left_out = plural(drawing.omitted, "less visited box");
        sentences.push(format!("{left_out} left out of the drawing; the list below has them all."));
    }
    sentences
}

fn card(context: &Context<'_>, graph: &Graph, state: usize) -> Card {
    let node = &graph.nodes[state];
    let reference = node.screenshot.as_deref().and_then(|name| {
        let steps = context.evidence.trace.steps.iter();
        steps.filter_map(|step| step.screenshot.as_ref()).find(|reference| reference.as_str() == name)
    });
    let mut badges = Vec::new();
    if state == graph.entry {
        badges.push("start");
    }
    if node.dead_end && graph.nodes.len() > 1 {
        badges.push("dead end: no action was seen to lead on from here");
    } else if node.without_return {
        badges.push("no way back to the start seen");
    }
    let leaving = || graph.edges.iter().filter(move |edge| edge.from == state && edge.to != state);
    let ways = leaving().take(ACTIONS).map(|edge| Way {
        to: context.state_link(&graph.nodes[edge.to].name),
        actions: clip(&one_line(&edge.actions.join(" · ")), 160),
    });
    let stays = graph.edges.iter().find(|edge| edge.from == state && edge.to == state);
    let stays = stays.map(|edge| {
        let words = clip(&one_line(&edge.actions.join(" · ")), 240);
        format!("{} led back here: {words}", plural(edge.actions.len(), "action"))
    });
    Card {
        id: state,
        name: node.name.clone(),
        title: clip(&one_line(&node.title), 100),
        url: clip(&one_line(&node.url), 100),
        picture: context.thumbnail(reference, &format!("Screenshot of {}", clip(&node.name, 40)), None),
        badges,
        visits: match node.members.len() {
            1 => plural(node.steps.len(), "visit"),
            states => format!("{} in {states} variants", plural(node.steps.len(), "visit")),
        },
        steps: context.step_links(&node.steps),
        leaving: ways.collect(),
        more: leaving().count().saturating_sub(ACTIONS),
        stays,
    }
}
