//! Evaluators from a folder: one file each, nothing else to do.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::evaluator::Evaluator;
use super::import::{Imported, import_agent, is_agent};
use crate::Error;

macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../evaluators/", $name)))),*]
    };
}

const JURY: &[(&str, &str)] = shipped!["build-engineer.json", "code-engineer.json", "ui-tester.json"];

const MORE: &[(&str, &str)] = shipped!["mobile-touch.json", "colour-blind.json", "screen-reader.json"];

/// A set of evaluators with distinct ids.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Registry {
    evaluators: Vec<Evaluator>,
    notes: Vec<String>,
}

impl Registry {
    /// The paper's jury with the paper's weights (A.3): Build Engineer 15, Code Engineer 15 + 15, UI Tester
    /// 22.5 + 22.5, together 90 points.
    ///
    /// # Errors
    /// [`Error::Evaluator`] when a file that comes with this crate is broken, which a test rules out.
    pub fn jury() -> Result<Self, Error> {
        Self::from_texts(JURY)
    }

    /// All evaluators that come with this crate: the jury, a touch-only mobile user, a colour-blind user, and a
    /// screen-reader user.
    ///
    /// # Errors
    /// As [`Registry::jury`].
    pub fn shipped() -> Result<Self, Error> {
        Self::from_texts(&[JURY, MORE].concat())
    }

    /// The evaluators in a folder, one `.json` file each, in the order of their file names. LiveEvalBench's own agent
    /// files are imported; [`Registry::notes`] says what of them has no counterpart.
    ///
    /// # Errors
    /// [`Error::Evaluator`] with file, line and field: for what is not an evaluator, an unknown tool, a criterion with
    /// no text, criteria over the point total, two evaluators with one id; [`Error::Io`].
    pub fn read(folder: &Path) -> Result<Self, Error> {
        let (registry, errors) = Self::read_all(folder);
        match errors.into_iter().next() {
            Some(error) => Err(error),
            None => Ok(registry),
        }
    }

    /// As [`Registry::read`], but goes on after a mistake: the evaluators that are valid, and everything that is wrong
    /// with the others, at most one mistake a file.
    #[must_use]
    pub fn read_all(folder: &Path) -> (Self, Vec<Error>) {
        let mut registry = Self::default();
        let paths = match files(folder) {
            Ok(paths) => paths,
            Err(error) => return (registry, vec![error]),
        };
        let mut errors = Vec::new();
        for path in paths {
            let text = std::fs::read_to_string(&path);
            let added = match text {
                Ok(text) => registry.add(&path.display().to_string(), &text),
                Err(source) => Err(Error::Io { action: "read", path, source }),
            };
            errors.extend(added.err());
        }
        if registry.evaluators.is_empty() && errors.is_empty() {
            let name = folder.display().to_string();
            errors.push(fault(&name, None, "", "there is no evaluator in it"));
        }
        (registry, errors)
    }

    fn from_texts(texts: &[(&str, &str)]) -> Result<Self, Error> {
        let mut registry = Self::default();
        for (name, text) in texts {
            registry.add(name, text)?;
        }
        Ok(registry)
    }

    /// Adds the evaluator in `text`; `name` is what messages call its file.
    ///
    /// # Errors
    /// As [`Registry::read`].
    pub fn add(&mut self, name: &str, text: &str) -> Result<(), Error> {
        if serde_json::from_str::<Value>(text).is_ok_and(|value| is_agent(&value)) {
            let Imported { evaluator, unmapped } = import_agent(name, text)?;
            self.notes.extend(unmapped.into_iter().map(|what| format!("{name}: not mapped: {what}")));
            // Who only builds has nothing to judge by: bringing apps up is the deployment stage's work.
            return if evaluator.points > 0.0 { self.insert(name, text, evaluator) } else { Ok(()) };
        }
        let mut reader = serde_json::Deserializer::from_str(text);
        let evaluator: Evaluator = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
            let line = error.inner().line();
            let field = error.path().to_string();
            fault(name, Some(line), field.trim_matches('.'), error.inner())
        })?;
        reader.end().map_err(|error| fault(name, Some(error.line()), "", error))?;
        if let Some(found) = evaluator.fault() {
            let line = line_of(text, &found.at);
            return Err(fault(name, line, &found.field, found.message));
        }
        self.insert(name, text, evaluator)
    }

    fn insert(&mut self, name: &str, text: &str, evaluator: Evaluator) -> Result<(), Error> {
        if self.get(&evaluator.id).is_some() {
            let line = line_of(text, &format!("{:?}", evaluator.id));
            return Err(fault(name, line, "id", format!("there is an evaluator {:?} already", evaluator.id)));
        }
        self.evaluators.push(evaluator);
        Ok(())
    }

    /// The evaluators, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Evaluator> {
        self.evaluators.iter()
    }

    /// One of them.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Evaluator> {
        self.evaluators.iter().find(|evaluator| evaluator.id == id)
    }

    /// What could not be mapped of files that were imported, and from which file.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Only the evaluator with this id; none when there is none.
    #[must_use]
    pub fn only(&self, id: &str) -> Option<Self> {
        let evaluator = self.get(id)?.clone();
        Some(Self { evaluators: vec![evaluator], notes: Vec::new() })
    }

    /// The jury of the single-evaluator ablation: [`Registry::merged`] alone.
    #[must_use]
    pub fn single(&self) -> Self {
        Self { evaluators: vec![self.merged()], notes: self.notes.clone() }
    }

    /// The single-evaluator ablation: one evaluator with the personas, criteria and tools of all.
    #[must_use]
    pub fn merged(&self) -> Evaluator {
        let mut tools: Vec<_> = self.iter().flat_map(|evaluator| evaluator.tools.clone()).collect();
        tools.sort_unstable();
        tools.dedup();
        let personas: Vec<&str> = self.iter().map(|evaluator| evaluator.persona.as_str()).collect();
        let criteria = self.iter().flat_map(|evaluator| {
            evaluator.criteria.iter().cloned().map(|mut item| {
                item.id = format!("{}.{}", evaluator.id, item.id);
                item
            })
        });
        Evaluator {
            format: super::EVALUATOR_FORMAT,
            id: "single".to_owned(),
            name: "Single evaluator".to_owned(),
            persona: personas.join("\n\n"),
            criteria: criteria.collect(),
            tools,
            points: self.iter().map(|evaluator| evaluator.points).sum(),
            query_criteria: self.iter().any(|evaluator| evaluator.query_criteria),
            viewport: None,
            input: super::InputProfile::Desktop,
            colour_vision: None,
        }
    }
}

/// The evaluator files in a folder, sorted by name.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let failed = |source| Error::Io { action: "read", path: folder.to_owned(), source };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        paths.push(entry.map_err(failed)?.path());
    }
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    if paths.is_empty() {
        let name = folder.display().to_string();
        return Err(fault(&name, None, "", "there is no evaluator in it (no .json file)"));
    }
    Ok(paths)
}

/// The line, from 1, on which `at` stands.
fn line_of(text: &str, at: &str) -> Option<usize> {
    let offset = text.find(at)?;
    Some(text[..offset].matches('\n').count() + 1)
}

fn fault(name: &str, line: Option<usize>, field: &str, message: impl ToString) -> Error {
    Error::Evaluator { name: name.to_owned(), line, field: field.to_owned(), message: message.to_string() }
}
