//! What a page costs in the two forms that a model can be shown, and what of it the model then sees.
//!
//! `snapshot_forms [STEPS] URL …` explores each address with the built-in tester and prints, as a Markdown table, the
//! tokens that each form adds a step (four characters a token) and the share of the targets, elements that can be acted
//! on and are enabled, that the model has been shown by then.

use std::collections::HashSet;

use webeval_browser::{Driver, DriverOptions, NodeState, Observation, Session, SessionOptions};
use webeval_evidence::{AppSource, RunDir, RunRecord, Settings, Summary};
use webeval_explore::{
    App, BuiltIn, Cancel, Cast, Decision, Error, Options, Situation, Tester, Waiting, explore, snapshot,
};

/// What one form adds up to.
#[derive(Debug, Default)]
struct Form {
    first: usize,
    /// Characters of each later step.
    later: Vec<usize>,
    /// Shares of the targets that are shown, a step each.
    shown: Vec<f64>,
}

/// Notes what each form would tell, and lets the built-in tester decide.
#[derive(Debug)]
struct Watching {
    inner: BuiltIn,
    tree: String,
    differences: Form,
    filtered: Form,
}

impl Watching {
    fn note(&mut self, page: &Observation) {
        let tree = snapshot::tree(page);
        let told = if self.tree.is_empty() { tree.clone() } else { snapshot::difference(&self.tree, &tree) };
        // What was told once and has not changed is known: all that the tree holds.
        add(&mut self.differences, told.len(), share(page, &tree));
        self.tree = tree;
        let filtered = snapshot::filtered(page);
        add(&mut self.filtered, filtered.len(), share(page, &filtered));
    }
}

fn add(form: &mut Form, length: usize, shown: f64) {
    if form.shown.is_empty() {
        form.first = length;
    } else {
        form.later.push(length);
    }
    form.shown.push(shown);
}

/// The share of the page's targets whose references are in a text. What was left out of the tree counts as not shown.
fn share(page: &Observation, text: &str) -> f64 {
    let references: HashSet<&str> =
        text.split('[').skip(1).filter_map(|rest| rest.split(']').next()).filter(|one| one.starts_with('e')).collect();
    let targets: Vec<&str> = page
        .nodes
        .iter()
        .filter(|node| node.is_actionable() && !node.is(NodeState::Disabled))
        .map(|node| node.reference.as_str())
        .collect();
    let shown = targets.iter().filter(|target| references.contains(*target)).count();
    let all = targets.len() + usize::try_from(page.left_out).unwrap_or(0);
    if all == 0 { 1.0 } else { shown as f64 / all as f64 }
}

impl Tester for Watching {
    fn name(&self) -> String {
        self.inner.name()
    }

    fn decide<'a>(&'a mut self, situation: Situation<'a>) -> Waiting<'a, Result<Decision, Error>> {
        self.note(situation.page);
        self.inner.decide(situation)
    }

    fn summarize<'a>(&'a mut self, last: Situation<'a>) -> Waiting<'a, Result<Summary, Error>> {
        self.inner.summarize(last)
    }
}

fn median<T: Copy + PartialOrd>(values: &[T]) -> Option<T> {
    let mut sorted = values.to_vec();
    sorted.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    sorted.get(sorted.len() / 2).copied()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1).peekable();
    let steps = match words.peek().and_then(|word| word.parse().ok()) {
        Some(steps) => {
            words.next();
            steps
        }
        None => 30,
    };
    let driver = Driver::start(&DriverOptions::default()).await?;
    println!("| page | form | first | later, median | later, largest | all steps | targets shown, median | least |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for address in words {
        let parsed = parts(&address)?;
        let mut session = Session::open(&driver, SessionOptions::new(&parsed.0)).await?;
        let root = tempfile::tempdir()?;
        let record = RunRecord::new(AppSource::Url { url: address.clone() }, None, Settings::default());
        let dir = RunDir::create(root.path().join("run"), &record)?;
        let mut options = Options::default();
        options.steps = steps;
        options.screenshots = false;
        let mut tester = Watching {
            inner: BuiltIn::new(0),
            tree: String::new(),
            differences: Form::default(),
            filtered: Form::default(),
        };
        let app = App { entry: parsed.1.clone(), coverage: None };
        let cast = Cast { tester: &mut tester, advisor: None, probes: Vec::new() };
        explore(&mut session, &app, &dir, &options, cast, &mut (), &Cancel::never()).await?;
        for (name, form) in [("tree and differences", &tester.differences), ("filtered and find", &tester.filtered)] {
            let tokens = |characters: usize| characters.div_ceil(4);
            println!(
                "| {} | {name} | {} | {} | {} | {} | {:.2} | {:.2} |",
                parsed.1,
                tokens(form.first),
                tokens(median(&form.later).unwrap_or(0)),
                tokens(form.later.iter().copied().max().unwrap_or(0)),
                tokens(form.first + form.later.iter().sum::<usize>()),
                median(&form.shown).unwrap_or(1.0),
                form.shown.iter().copied().fold(1.0, f64::min),
            );
        }
    }
    Ok(())
}

/// Origin and path of an address.
fn parts(address: &str) -> Result<(String, String), Box<dyn std::error::Error>> {
    let at = address.find("://").ok_or("an address begins with http://")? + 3;
    let path = address[at..].find('/').map_or(address.len(), |slash| at + slash);
    Ok((address[..path].to_owned(), if path == address.len() { "/".to_owned() } else { address[path..].to_owned() }))
}
