//! The state graph as the report needs it, and the part of it that can be drawn readably.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, VecDeque};

use webeval_evidence::StatesFile;
use webeval_states::{READABLE_STATES, StateId};

/// A state, or all states that are equal at the level shown.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// The id at the level shown.
    pub(crate) id: StateId,
    /// `S3`.
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) url: String,
    pub(crate) screenshot: Option<String>,
    /// Steps that reached it.
    pub(crate) steps: Vec<u32>,
    /// Exact states that it stands for.
    pub(crate) members: Vec<StateId>,
    pub(crate) dead_end: bool,
    pub(crate) without_return: bool,
}

/// Everything that leads from one node to another.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// The actions in words, each once.
    pub(crate) actions: Vec<String>,
}

/// The graph at the level shown.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) entry: usize,
    /// Exact states.
    pub(crate) states: usize,
    /// Transitions between exact states.
    pub(crate) transitions: usize,
}

/// The graph of a `states.json`.
pub(crate) fn read(file: &StatesFile) -> Graph {
    let view = file.graph.readable();
    let entry = view.states.iter().position(|state| state.entry).unwrap_or(0);
    let place: HashMap<StateId, usize> = view.states.iter().enumerate().map(|(at, state)| (state.id, at)).collect();
    let node = |(at, state): (usize, webeval_states::ViewState)| Node {
        id: state.id,
        name: format!("S{}", at + 1),
        title: state.title,
        url: state.url,
        screenshot: state.screenshot,
        steps: Vec::new(),
        members: state.members,
        dead_end: state.dead_end,
        without_return: state.without_return,
    };
    let edges = fold(view.transitions.into_iter().filter_map(|transition| {
        let words = match transition.failed {
            0 => transition.action,
            failed if failed == transition.count => format!("{} (failed)", transition.action),
            failed => format!("{} (failed {failed} of {} times)", transition.action, transition.count),
        };
        Some((*place.get(&transition.from)?, *place.get(&transition.to)?, words))
    }));
    let mut graph = Graph {
        nodes: view.states.into_iter().enumerate().map(node).collect(),
        edges,
        entry,
        states: file.graph.states().len(),
        transitions: file.graph.transitions().len(),
    };
    for (step, state) in (0u32..).zip(&file.steps) {
        if let Some(at) = state.and_then(|state| graph.place_of(state)) {
            graph.nodes[at].steps.push(step);
        }
    }
    graph
}

/// One edge for each pair of nodes, its actions in order, each once.
fn fold(transitions: impl Iterator<Item = (usize, usize, String)>) -> Vec<Edge> {
    let mut places: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let mut edges: Vec<Edge> = Vec::new();
    for (from, to, action) in transitions {
        let at = *places.entry((from, to)).or_insert_with(|| {
            edges.push(Edge { from, to, actions: Vec::new() });
            edges.len() - 1
        });
        if !edges[at].actions.contains(&action) {
            edges[at].actions.push(action);
        }
    }
    edges
}

impl Graph {
    /// The node that an exact state belongs to.
    pub(crate) fn place_of(&self, state: StateId) -> Option<usize> {
        self.nodes.iter().position(|node| node.members.contains(&state))
    }

    /// The node that a judge calls `name`: by its name, or by an id or the beginning of one.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        let named = self.nodes.iter().position(|node| node.name == name);
        let by_id = || {
            let meant = |id: &StateId| id.to_string().starts_with(name);
            self.nodes.iter().position(|node| meant(&node.id) || node.members.iter().any(meant))
        };
        named.or_else(|| (name.len() >= 8).then(by_id)?)
    }

    /// Whether nodes stand for several states.
    pub(crate) fn is_grouped(&self) -> bool {
        self.nodes.iter().any(|node| node.members.len() > 1)
    }
}

/// What is drawn: the whole graph, or of a very large one the most visited part.
#[derive(Clone, Debug)]
pub(crate) struct Drawing {
    pub(crate) graph: Graph,
    /// For each drawn node its place in the whole graph.
    pub(crate) places: Vec<usize>,
    /// Nodes that were left out.
    pub(crate) omitted: usize,
}

impl Drawing {
    /// Chooses what to draw.
    pub(crate) fn of(graph: &Graph) -> Self {
        if graph.nodes.len() <= READABLE_STATES {
            return Self { graph: graph.clone(), places: (0..graph.nodes.len()).collect(), omitted: 0 };
        }
        rank(graph)
    }
}

/// Keeps the most visited nodes, each with its shortest path from the entry, so that what is drawn hangs together.
fn rank(graph: &Graph) -> Drawing {
    let parents = shortest_paths(graph);
    let mut ranked: Vec<usize> = (0..graph.nodes.len()).collect();
    ranked.sort_by_key(|&node| (node != graph.entry, Reverse(graph.nodes[node].steps.len()), node));
    let mut kept = vec![false; graph.nodes.len()];
    let mut count = 0;
    for node in ranked {
        let path: Vec<usize> =
            std::iter::successors(Some(node), |&at| parents[at]).take_while(|&at| !kept[at]).collect();
        if count + path.len() <= READABLE_STATES {
            count += path.len();
            path.into_iter().for_each(|at| kept[at] = true);
        }
    }
    let mut place = vec![usize::MAX; graph.nodes.len()];
    let chosen: Vec<usize> = (0..graph.nodes.len()).filter(|&node| kept[node]).collect();
    for (new, &old) in chosen.iter().enumerate() {
        place[old] = new;
    }
    let edges = graph.edges.iter().filter(|edge| kept[edge.from] && kept[edge.to]);
    Drawing {
        graph: Graph {
            nodes: chosen.iter().map(|&node| graph.nodes[node].clone()).collect(),
            edges: edges.map(|edge| Edge { from: place[edge.from], to: place[edge.to], ..edge.clone() }).collect(),
            entry: place[graph.entry],
            states: graph.states,
            transitions: graph.transitions,
        },
        omitted: graph.nodes.len() - chosen.len(),
        places: chosen,
    }
}

/// For each node the one before it on a shortest path from the entry. Nodes that the entry does not lead to begin
/// walks of their own, in order.
pub(crate) fn shortest_paths(graph: &Graph) -> Vec<Option<usize>> {
    let mut out = vec![Vec::new(); graph.nodes.len()];
    for edge in &graph.edges {
        out[edge.from].push(edge.to);
    }
    let mut parents = vec![None; graph.nodes.len()];
    let mut seen = vec![false; graph.nodes.len()];
    for root in std::iter::once(graph.entry).chain(0..graph.nodes.len()) {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        let mut queue = VecDeque::from([root]);
        while let Some(at) = queue.pop_front() {
            for &next in &out[at] {
                if !std::mem::replace(&mut seen[next], true) {
                    parents[next] = Some(at);
                    queue.push_back(next);
                }
            }
        }
    }
    parents
}
