//! The state graph as the report needs it, read from `states.json`, and the part of it that can be drawn readably.

use std::collections::{BTreeMap, HashMap, VecDeque};

use serde::Deserialize;
use serde_json::Value;
use webeval_evidence::StatesFile;

/// A state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Node {
    /// The state's own id.
    pub(crate) id: String,
    /// `S3`.
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) url: String,
    /// States with the same structure share this.
    pub(crate) group: String,
    pub(crate) screenshot: Option<String>,
    /// Steps that reached it.
    pub(crate) steps: Vec<u32>,
}

/// Everything that leads from one state to another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Edge {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// The actions, in the order in which they were first taken.
    pub(crate) actions: Vec<String>,
}

/// The graph.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) entry: usize,
    /// Transitions as the explorer counted them: each pair of states and action once.
    pub(crate) transitions: usize,
}

#[derive(Deserialize)]
struct RawGraph {
    states: Vec<RawState>,
    transitions: Vec<RawTransition>,
}

#[derive(Deserialize)]
struct RawState {
    identity: RawIdentity,
    #[serde(default)]
    step: u64,
    #[serde(default)]
    title: String,
    #[serde(default)]
    url: String,
    #[serde(default)]
    screenshot: Option<String>,
}

#[derive(Deserialize)]
struct RawIdentity {
    level0: String,
    #[serde(default)]
    level2: String,
}

#[derive(Deserialize)]
struct RawTransition {
    from: String,
    to: String,
    #[serde(default)]
    action: String,
}

/// Reads the graph; the reason when it is not one.
pub(crate) fn read(file: &StatesFile) -> Result<Graph, String> {
    let raw: RawGraph = serde_json::from_value(file.graph.clone()).map_err(|error| error.to_string())?;
    let mut by_id: HashMap<String, usize> = HashMap::new();
    let mut by_name: HashMap<String, usize> = HashMap::new();
    let mut nodes: Vec<Node> = Vec::with_capacity(raw.states.len());
    for (index, state) in raw.states.into_iter().enumerate() {
        let named = usize::try_from(state.step).ok().and_then(|step| file.steps.get(step)?.clone());
        let mut name = named.unwrap_or_else(|| format!("S{}", index + 1));
        if by_name.contains_key(&name) {
            name = format!("{name}.{}", index + 1);
        }
        by_name.insert(name.clone(), index);
        by_id.insert(state.identity.level0.clone(), index);
        nodes.push(Node {
            id: state.identity.level0,
            name,
            title: state.title,
            url: state.url,
            group: state.identity.level2,
            screenshot: state.screenshot,
            steps: Vec::new(),
        });
    }
    for (step, name) in (0u32..).zip(&file.steps) {
        if let Some(&at) = name.as_ref().and_then(|name| by_name.get(name)) {
            nodes[at].steps.push(step);
        }
    }
    let entry = (0..nodes.len()).min_by_key(|&at| nodes[at].steps.first().copied().unwrap_or(u32::MAX)).unwrap_or(0);
    let transitions = raw.transitions.len();
    let ends = |edge: RawTransition| Some((*by_id.get(&edge.from)?, *by_id.get(&edge.to)?, edge.action));
    let edges = fold(raw.transitions.into_iter().filter_map(ends));
    Ok(Graph { nodes, edges, entry, transitions })
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
    /// The state that a judge or a step calls `name`: by its name, or by its id or the beginning of it.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        let named = self.nodes.iter().position(|node| node.name == name || node.id == name);
        named.or_else(|| (name.len() >= 8).then(|| self.nodes.iter().position(|node| node.id.starts_with(name)))?)
    }

    /// States that no action was seen to leave.
    pub(crate) fn is_dead_end(&self, node: usize) -> bool {
        self.nodes.len() > 1 && !self.edges.iter().any(|edge| edge.from == node && edge.to != node)
    }
}

/// What is drawn: states one by one while they are few, else groups of states with the same structure, and of those
/// the most visited when even they are many.
#[derive(Clone, Debug)]
pub(crate) struct Drawing {
    pub(crate) graph: Graph,
    /// For each drawn node the states that it stands for.
    pub(crate) members: Vec<Vec<usize>>,
    /// Groups that were left out.
    pub(crate) omitted: usize,
}

impl Drawing {
    /// Chooses what to draw, at most `most` nodes.
    pub(crate) fn of(graph: &Graph, most: usize) -> Self {
        if graph.nodes.len() <= most {
            let members = (0..graph.nodes.len()).map(|node| vec![node]).collect();
            return Self { graph: graph.clone(), members, omitted: 0 };
        }
        let grouped = group(graph);
        if grouped.members.len() <= most { grouped } else { rank(&grouped, most) }
    }

    /// Whether nodes stand for several states.
    pub(crate) fn is_grouped(&self) -> bool {
        self.members.iter().any(|members| members.len() > 1)
    }
}

fn group(graph: &Graph) -> Drawing {
    let mut by_key: HashMap<&str, usize> = HashMap::new();
    let mut members: Vec<Vec<usize>> = Vec::new();
    let mut group_of = Vec::with_capacity(graph.nodes.len());
    for (at, node) in graph.nodes.iter().enumerate() {
        // A state without a structure id is a group of its own.
        let fresh = members.len();
        let group = if node.group.is_empty() { fresh } else { *by_key.entry(&node.group).or_insert(fresh) };
        if group == fresh {
            members.push(Vec::new());
        }
        members[group].push(at);
        group_of.push(group);
    }
    let nodes = members.iter().map(|states| {
        let first = &graph.nodes[states[0]];
        let mut steps: Vec<u32> = states.iter().flat_map(|&state| graph.nodes[state].steps.iter().copied()).collect();
        steps.sort_unstable();
        Node { steps, ..first.clone() }
    });
    let actions = graph
        .edges
        .iter()
        .flat_map(|edge| edge.actions.iter().map(|action| (group_of[edge.from], group_of[edge.to], action.clone())));
    let grouped = Graph {
        nodes: nodes.collect(),
        edges: fold(actions),
        entry: group_of[graph.entry],
        transitions: graph.transitions,
    };
    Drawing { graph: grouped, members, omitted: 0 }
}

/// Keeps the most visited nodes, each with its shortest path from the entry, so that what is drawn hangs together.
fn rank(all: &Drawing, most: usize) -> Drawing {
    let graph = &all.graph;
    let parents = shortest_paths(graph);
    let mut ranked: Vec<usize> = (0..graph.nodes.len()).collect();
    ranked.sort_by_key(|&node| (node != graph.entry, std::cmp::Reverse(graph.nodes[node].steps.len()), node));
    let mut kept = vec![false; graph.nodes.len()];
    let mut count = 0;
    for node in ranked {
        let path: Vec<usize> =
            std::iter::successors(Some(node), |&at| parents[at]).take_while(|&at| !kept[at]).collect();
        if count + path.len() <= most {
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
            transitions: graph.transitions,
        },
        members: chosen.iter().map(|&node| all.members[node].clone()).collect(),
        omitted: graph.nodes.len() - chosen.len(),
    }
}

fn shortest_paths(graph: &Graph) -> Vec<Option<usize>> {
    let mut out = vec![Vec::new(); graph.nodes.len()];
    for edge in &graph.edges {
        out[edge.from].push(edge.to);
    }
    let mut parents = vec![None; graph.nodes.len()];
    let mut seen = vec![false; graph.nodes.len()];
    seen[graph.entry] = true;
    let mut queue = VecDeque::from([graph.entry]);
    while let Some(at) = queue.pop_front() {
        for &next in &out[at] {
            if !seen[next] {
                seen[next] = true;
                parents[next] = Some(at);
                queue.push_back(next);
            }
        }
    }
    parents
}

/// The graph's raw JSON is only trusted to be JSON.
pub(crate) fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_object().is_some_and(serde_json::Map::is_empty)
}
