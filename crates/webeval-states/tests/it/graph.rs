//! The graph: order, queries, exports.

use webeval_states::{Level, Observation, Options, Outcome, Snapshot, StateGraph, StateId, identify};

/// Home, a list with one and with two items, a page that leads nowhere.
const PAGES: [&str; 4] = [
    "<h1>Home</h1><a>list</a>",
    "<ul><li>a</li></ul>",
    "<ul><li>a</li><li>b</li></ul>",
    "<main><form><input name=q></form></main>",
];

fn observation(page: usize, step: u64) -> Observation {
    let mut observation = Observation::new(identify(PAGES[page], &Options::default()).expect("small"), step);
    observation.title = format!("Page {page} at {step}");
    observation.url = format!("/{page}");
    observation
}

fn id(page: usize) -> StateId {
    identify(PAGES[page], &Options::default()).expect("small").level0
}

const EDGES: [(usize, usize, &str, Outcome, u64); 7] = [
    (0, 1, "open list", Outcome::Done, 10),
    (1, 2, "add b", Outcome::Done, 5),
    (2, 1, "remove b", Outcome::Done, 2),
    (2, 2, "rename b", Outcome::Failed, 0),
    (1, 0, "home", Outcome::Done, 0),
    (1, 3, "search", Outcome::Done, 7),
    (1, 2, "add b", Outcome::Failed, 0),
];

fn graph(observations: impl Iterator<Item = (usize, u64)>, edges: impl Iterator<Item = usize>) -> StateGraph {
    let mut graph = StateGraph::new();
    for (page, step) in observations {
        graph.observe(observation(page, step));
    }
    for (from, to, action, outcome, gain) in edges.map(|i| EDGES[i]) {
        graph.transition(id(from), id(to), action, outcome, gain).expect("both observed");
    }
    graph
}

const SEEN: [(usize, u64); 6] = [(0, 0), (1, 1), (2, 2), (1, 3), (0, 4), (3, 5)];

fn sample() -> StateGraph {
    graph(SEEN.into_iter(), 0..EDGES.len())
}

#[test]
fn queries_answer_as_worked_by_hand() {
    let mut graph = sample();
    assert_eq!(graph.entry(), Some(id(0)));
    assert_eq!(graph.states().iter().map(|s| s.visits).collect::<Vec<_>>(), [2, 2, 1, 1]);
    assert_eq!(graph.state(id(1)).map(|s| s.first.title.as_str()), Some("Page 1 at 1"));
    let path: Vec<_> = graph.path_to(id(2)).expect("reached").iter().map(|t| t.action.as_str()).collect();
    assert_eq!(path, ["open list", "add b"]);
    assert_eq!(graph.path_to(id(0)).map(|p| p.len()), Some(0));
    let failed: Vec<_> = graph.failed().iter().map(|t| (t.action.as_str(), t.count, t.failed, t.gain)).collect();
    assert_eq!(failed.len(), 2);
    assert!(failed.contains(&("add b", 2, 1, 5)) && failed.contains(&("rename b", 1, 1, 0)));
    assert_eq!(graph.dead_ends(), [id(3)]);
    assert_eq!(graph.without_return(), [id(3)]);
    let add = graph.leaving(id(1)).into_iter().find(|t| t.action == "add b").expect("there");
    assert_eq!(graph.changed_at(add), Some(Level::Content));
    assert!(graph.transition(id(0), StateId::from(7), "x", Outcome::Done, 0).is_err());
}

#[test]
fn states_group_by_level() {
    let view = sample().view(Level::Structure);
    assert_eq!(view.states.len(), 3, "both lists are one structure");
    assert_eq!(view.states[1].members, [id(1), id(2)]);
    assert_eq!(view.states[1].visits, 3);
    let list = view.states[1].id;
    let loops: Vec<_> =
        view.transitions.iter().filter(|t| t.from == list && t.to == list).map(|t| t.action.as_str()).collect();
    assert_eq!(loops, ["add b", "remove b", "rename b"], "self-loops are kept");
    assert!(view.states[2].dead_end && view.states[2].without_return && view.states[0].entry);
}

#[test]
fn feeding_order_does_not_show() {
    let forward = sample();
    let backward = graph(SEEN.into_iter().rev(), (0..EDGES.len()).rev());
    assert_eq!(forward, backward);
    assert_eq!(forward.to_json().expect("json"), backward.to_json().expect("json"));
    for level in Level::ALL {
        let (a, b) = (forward.view(level), backward.view(level));
        assert_eq!(a.to_dot(), b.to_dot());
        assert_eq!(a.to_graphml(), b.to_graphml());
        assert_eq!(a.overview(4000), b.overview(4000));
    }
}

#[test]
fn parallel_building_gives_the_same_bytes() {
    let pages: Vec<String> = (0..400).map(|i| format!("<main>{}<p>{}</p></main>", PAGES[i % 4], i % 37)).collect();
    let load = |i: usize| Ok::<_, webeval_states::Error>(Snapshot::new(pages[i].as_str(), i as u64));
    let parallel = StateGraph::from_snapshots(pages.len(), load, &Options::default()).expect("small");
    let mut serial = StateGraph::new();
    for (step, page) in pages.iter().enumerate() {
        serial.observe(Observation::new(identify(page, &Options::default()).expect("small"), step as u64));
    }
    assert_eq!(parallel.to_json().expect("json"), serial.to_json().expect("json"));
    assert_eq!(parallel.states().len(), 148);
}

#[test]
fn json_reads_back() {
    let graph = sample();
    let json = graph.to_json().expect("json");
    assert_eq!(StateGraph::from_json(&json).expect("reads"), graph);
    assert!(StateGraph::from_json(&json.replace("\"format\": 1", "\"format\": 99")).is_err());
    assert!(StateGraph::from_json("{").is_err());
}

#[test]
fn exports_escape_what_they_quote() {
    let mut graph = StateGraph::new();
    let mut first = observation(0, 0);
    first.title = "a \"b\" <c> & \\d\u{1}".to_owned();
    let id = graph.observe(first);
    graph.transition(id, id, "click \"x\"\n</data>", Outcome::Done, 0).expect("observed");
    let view = graph.view(Level::Exact);
    let dot = view.to_dot();
    assert!(dot.contains(r#"a \"b\" <c> & \\d "#) && dot.contains(r#"click \"x\"\n</data>"#), "{dot}");
    let xml = view.to_graphml();
    assert!(xml.contains("a \"b\" &lt;c&gt; &amp; \\d ") && xml.contains("&lt;/data&gt;"), "{xml}");
}

#[test]
fn overview_keeps_whole_lines_within_its_bound() {
    let view = sample().view(Level::Exact);
    let all = view.overview(usize::MAX);
    let lines: Vec<&str> = all.lines().collect();
    assert_eq!(lines.len(), 1 + 4 + 6);
    assert!(lines[0].starts_with("4 states at level 0"));
    for bound in 0..all.chars().count() + 10 {
        let text = view.overview(bound);
        assert!(text.chars().count() <= bound, "bound {bound}");
        for line in text.lines() {
            assert!(lines.contains(&line) || line.ends_with("left out)"), "cut: {line:?}");
        }
    }
    // What failed is told before what merely worked.
    let short = view.overview(all.chars().count() - 5);
    assert!(short.contains("add b") && short.contains("rename b"), "{short}");
}
