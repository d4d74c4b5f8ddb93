//! What the alignment agent can do: search and read DOMs and the trace, look at screenshots, inspect the graph.

use std::collections::BTreeMap;
use std::sync::Mutex;

use regex::{Regex, RegexBuilder};
use serde::Deserialize;
use serde_json::{Value, json};
use webeval_evidence::BlobRef;
use webeval_llm::{Image, Tool};

use super::{page, session};
use crate::Error;
use crate::dossier::{Dossier, name_of};

/// Lines of one page of reading, and matches of one page of a search.
const PAGE: usize = 60;

/// Most characters of one answer.
const MOST: usize = 8000;

/// Longest pattern, in characters.
const LONGEST_PATTERN: usize = 500;

/// What a tool gives back.
#[derive(Debug)]
pub(super) enum Given {
    /// Recorded text, to be fenced.
    Evidence(String),
    /// Our own words.
    Word(String),
    /// A picture.
    Picture { caption: String, image: Image, blob: BlobRef, state: Option<usize> },
}

/// The evidence, opened for searching.
#[derive(Debug)]
pub(super) struct Archive<'a> {
    dossier: &'a Dossier,
    /// Lines of each state's first snapshot, read when first needed.
    pages: Mutex<BTreeMap<usize, Vec<String>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SearchDom {
    pattern: String,
    #[serde(default)]
    state: Option<String>,
    #[serde(default)]
    page: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SearchTrace {
    pattern: String,
    #[serde(default)]
    page: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadDom {
    state: String,
    #[serde(default)]
    from_line: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadTrace {
    #[serde(default)]
    from_step: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Screenshot {
    #[serde(default)]
    state: Option<String>,
    #[serde(default)]
    step: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Graph {
    #[serde(default)]
    state: Option<String>,
    #[serde(default)]
    from: Option<String>,
    #[serde(default)]
    to: Option<String>,
}

/// The tools as they are offered, `submit` included.
pub(super) fn offered() -> Vec<Tool> {
    let text = |about: &str| json!({"type": "string", "description": about});
    let number = |about: &str| json!({"type": "integer", "minimum": 0, "description": about});
    let object = |properties: Value, required: &[&str]| json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
    let state = || text("name of a state, such as S3");
    let cite = object(
        json!({"step": number("a step of the session"), "state": state(), "quote": text("a passage copied from its DOM")}),
        &[],
    );
    vec![
        Tool::new(
            "search_dom",
            "Searches the DOMs of all states, or of one, line by line for a regular expression.",
            object(
                json!({"pattern": text("regular expression"), "state": state(), "page": number("page of results, from 0")}),
                &["pattern"],
            ),
        ),
        Tool::new(
            "search_trace",
            "Searches the steps of the session for a regular expression.",
            object(
                json!({"pattern": text("regular expression"), "page": number("page of results, from 0")}),
                &["pattern"],
            ),
        ),
        Tool::new(
            "read_dom",
            "Reads the DOM of a state, a page of numbered lines at a time.",
            object(json!({"state": state(), "from_line": number("first line, from 1")}), &["state"]),
        ),
        Tool::new(
            "read_trace",
            "Reads the session, a page of steps at a time.",
            object(json!({"from_step": number("first step")}), &[]),
        ),
        Tool::new(
            "screenshot",
            "Shows the screenshot of a state, or the one taken after a step.",
            object(json!({"state": state(), "step": number("a step")}), &[]),
        ),
        Tool::new(
            "graph",
            "Shows what leads into and out of a state; or the transitions between two states and a shortest way to the \
             second from the start.",
            object(json!({"state": state(), "from": state(), "to": state()}), &[]),
        ),
        Tool::new(
            "submit",
            "Submits the verdict on one criterion.",
            object(
                json!({
                    "criterion": text("its id"),
                    "met": {"type": "boolean"},
                    "analysis": text("why, briefly"),
                    "confidence": {"type": "number", "minimum": 0, "maximum": 1},
                    "evidence": {"type": "array", "items": cite}
                }),
                &["criterion", "met", "analysis", "confidence", "evidence"],
            ),
        ),
    ]
}

impl<'a> Archive<'a> {
    pub(super) fn new(dossier: &'a Dossier) -> Self {
        Self { dossier, pages: Mutex::default() }
    }

    /// Uses a tool other than `submit`. What is wrong with the call is told in words that the model can act on.
    pub(super) fn use_tool(&self, name: &str, arguments: Value) -> Result<Given, Error> {
        let given = match name {
            "search_dom" => read(arguments).and_then(|a| self.search_dom(a)),
            "search_trace" => read(arguments).and_then(|a| self.search_trace(&a)),
            "read_dom" => read(arguments).and_then(|a| self.read_dom(&a)),
            "read_trace" => read(arguments).and_then(|a| self.read_trace(&a)),
            "screenshot" => read(arguments).and_then(|a| self.screenshot(&a)),
            "graph" => read(arguments).and_then(|a| self.graph(&a)),
            unknown => {
                let names: Vec<String> = offered().into_iter().map(|tool| tool.name).collect();
                Err(Refusal::Word(format!("there is no tool {unknown:?}; there are {}", names.join(", "))))
            }
        };
        match given {
            Ok(given) => Ok(given),
            Err(Refusal::Word(word)) => Ok(Given::Word(word)),
            Err(Refusal::Failed(error)) => Err(*error),
        }
    }

    fn search_dom(&self, arguments: SearchDom) -> Result<Given, Refusal> {
        let regex = compile(&arguments.pattern)?;
        let places = match &arguments.state {
            Some(state) => vec![self.place(state)?],
            None => (0..self.dossier.view.states.len()).collect(),
        };
        let mut matches = Vec::new();
        for place in places {
            let found = |(at, line): (usize, &String)| {
                regex.is_match(line).then(|| format!("{}:{}: {line}", name_of(place), at + 1))
            };
            matches.extend(self.lines(place)?.iter().enumerate().filter_map(found));
        }
        Ok(paged(&matches, arguments.page.unwrap_or(0), "matches"))
    }

    fn search_trace(&self, arguments: &SearchTrace) -> Result<Given, Refusal> {
        let regex = compile(&arguments.pattern)?;
        let lines = (0..self.dossier.trace.steps.len()).map(|at| session::line(self.dossier, at, true));
        let matches: Vec<String> = lines.filter(|line| regex.is_match(line)).collect();
        Ok(paged(&matches, arguments.page.unwrap_or(0), "matches"))
    }

    fn read_dom(&self, arguments: &ReadDom) -> Result<Given, Refusal> {
        let lines = self.lines(self.place(&arguments.state)?)?;
        let from = arguments.from_line.unwrap_or(1).max(1) - 1;
        if from >= lines.len() {
            return Err(Refusal::Word(format!("{} has {} lines", arguments.state, lines.len())));
        }
        let numbered = lines.iter().enumerate().skip(from).take(PAGE);
        let shown: Vec<String> = numbered.map(|(at, line)| format!("{}: {line}", at + 1)).collect();
        let last = from + shown.len();
        let rest = format!("(lines {} to {last} of {})", from + 1, lines.len());
        Ok(Given::Evidence(bounded(shown.join("\n")) + "\n" + &rest))
    }

    fn read_trace(&self, arguments: &ReadTrace) -> Result<Given, Refusal> {
        let steps = &self.dossier.trace.steps;
        let from = arguments.from_step.unwrap_or(0);
        let chosen = (0..steps.len()).filter(|&at| u64::from(steps[at].index) >= from).take(PAGE);
        let lines: Vec<String> = chosen.map(|at| session::line(self.dossier, at, true)).collect();
        if lines.is_empty() {
            let last = steps.last().map_or(0, |step| step.index);
            return Err(Refusal::Word(format!("the last step is {last}")));
        }
        Ok(Given::Evidence(bounded(lines.join("\n"))))
    }

    fn screenshot(&self, arguments: &Screenshot) -> Result<Given, Refusal> {
        let (caption, blob, state) = match (&arguments.state, arguments.step) {
            (Some(state), _) => {
                let place = self.place(state)?;
                let blob = self.dossier.screenshots(place).into_iter().next();
                (format!("state {}", name_of(place)), blob, Some(place))
            }
            (None, Some(index)) => {
                let step =
                    self.dossier.step(index).ok_or_else(|| Refusal::Word(format!("there is no step {index}")))?;
                let at = self.dossier.trace.steps.iter().position(|other| other.index == step.index);
                (format!("step {index}"), step.screenshot.clone(), at.and_then(|at| self.dossier.place_after(at)))
            }
            (None, None) => return Err(Refusal::Word("name a state or a step".to_owned())),
        };
        let blob = blob.ok_or_else(|| Refusal::Word(format!("there is no screenshot of {caption}")))?;
        let bytes = self.dossier.run.load(&blob)?;
        match Image::new(blob.to_string(), bytes) {
            Ok(image) => Ok(Given::Picture { caption, image, blob, state }),
            Err(error) => Err(Refusal::Word(format!("the screenshot of {caption} cannot be shown: {error}"))),
        }
    }

    fn graph(&self, arguments: &Graph) -> Result<Given, Refusal> {
        let view = &self.dossier.view;
        let edge = |edge: &webeval_states::ViewTransition| {
            let failed = if edge.failed > 0 { format!(", failed {} times", edge.failed) } else { String::new() };
            let (from, to) = (self.dossier.name(edge.from), self.dossier.name(edge.to));
            format!("{from}->{to} {} ({} times{failed}, +{} statements)", edge.action, edge.count, edge.gain)
        };
        let lines: Vec<String> = match (&arguments.state, &arguments.from, &arguments.to) {
            (Some(state), None, None) => {
                let state = &view.states[self.place(state)?];
                let head = format!(
                    "{} {:?} {}, seen {} times",
                    self.dossier.name(state.id),
                    state.title,
                    state.url,
                    state.visits
                );
                let touching = view.transitions.iter().filter(|t| t.from == state.id || t.to == state.id);
                std::iter::once(head).chain(touching.map(edge)).collect()
            }
            (None, Some(from), Some(to)) => {
                let (from, to) = (view.states[self.place(from)?].id, view.states[self.place(to)?].id);
                let between = view.transitions.iter().filter(|t| t.from == from && t.to == to).map(edge);
                let mut lines: Vec<String> = between.collect();
                if lines.is_empty() {
                    lines.push("no action was seen to lead from the one to the other".to_owned());
                }
                lines.push(self.way_to(to));
                lines
            }
            _ => return Err(Refusal::Word("name a state, or two states as from and to".to_owned())),
        };
        Ok(Given::Evidence(bounded(lines.join("\n"))))
    }

    fn way_to(&self, to: webeval_states::StateId) -> String {
        let exact = self.dossier.view.states.iter().find(|state| state.id == to);
        let exact = exact.and_then(|state| state.members.first().copied());
        match exact.and_then(|id| self.dossier.states.graph.path_to(id)) {
            None => "it was never reached from the start by actions alone".to_owned(),
            Some(path) if path.is_empty() => "it is the start".to_owned(),
            Some(path) => {
                let actions: Vec<&str> = path.iter().map(|step| step.action.as_str()).collect();
                format!("a shortest way from the start: {}", actions.join(", then "))
            }
        }
    }

    fn place(&self, name: &str) -> Result<usize, Refusal> {
        let states = self.dossier.view.states.len();
        let unknown = || Refusal::Word(format!("there is no state {name:?}; there are S1 to S{states}"));
        self.dossier.place(name).ok_or_else(unknown)
    }

    fn lines(&self, place: usize) -> Result<Vec<String>, Refusal> {
        let mut pages = self.pages.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(lines) = pages.get(&place) {
            return Ok(lines.clone());
        }
        let lines = match self.dossier.snapshots(place).first() {
            Some(blob) => page::lines(&self.dossier.run.load_text(blob)?),
            None => Vec::new(),
        };
        pages.insert(place, lines.clone());
        Ok(lines)
    }

    /// Whether a passage stands in any snapshot of a state.
    pub(super) fn quotes(&self, place: usize, quote: &str) -> Result<bool, Error> {
        for blob in self.dossier.snapshots(place) {
            if page::holds(&self.dossier.run.load_text(&blob)?, quote) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Why a tool gave nothing.
enum Refusal {
    /// The model's own fault, told to it.
    Word(String),
    /// Ours.
    Failed(Box<Error>),
}

impl From<webeval_evidence::Error> for Refusal {
    fn from(error: webeval_evidence::Error) -> Self {
        Self::Failed(Box::new(error.into()))
    }
}

fn read<T: serde::de::DeserializeOwned>(arguments: Value) -> Result<T, Refusal> {
    serde_json::from_value(arguments).map_err(|error| Refusal::Word(format!("wrong arguments: {error}")))
}

/// The engine is linear in the text; the limits keep patterns small as well.
fn compile(pattern: &str) -> Result<Regex, Refusal> {
    if pattern.chars().count() > LONGEST_PATTERN {
        return Err(Refusal::Word(format!("a pattern may have {LONGEST_PATTERN} characters")));
    }
    let built = RegexBuilder::new(pattern).case_insensitive(true).size_limit(1 << 20).build();
    built.map_err(|error| Refusal::Word(format!("the pattern cannot be used: {error}")))
}

fn paged(found: &[String], page: usize, what: &str) -> Given {
    if found.is_empty() {
        return Given::Word(format!("no {what}"));
    }
    let pages = found.len().div_ceil(PAGE);
    let Some(shown) = found.chunks(PAGE).nth(page) else {
        return Given::Word(format!("there are {pages} pages, from 0"));
    };
    let tail = format!("\n({} {what}, page {page} of {pages}, from 0)", found.len());
    Given::Evidence(bounded(shown.join("\n")) + &tail)
}

fn bounded(text: String) -> String {
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}\n(cut here: ask for less)", &text[..at]),
        None => text,
    }
}
