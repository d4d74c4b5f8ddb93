//! Evaluators from a folder: one file each, nothing else to do.

use std::path::Path;

use super::evaluator::Evaluator;
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

    /// The evaluators in a folder, one `.json` file each, in the order of their file names.
    ///
    /// # Errors
    /// [`Error::Evaluator`] with file, line and field: for what is not an evaluator, an unknown tool, a criterion with
    /// no text, criteria over the point total, two evaluators with one id; [`Error::Io`].
    pub fn read(folder: &Path) -> Result<Self, Error> {
        let failed = |source| Error::Io { action: "read", path: folder.to_owned(), source };
        let mut paths = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(failed)? {
            paths.push(entry.map_err(failed)?.path());
        }
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
        paths.sort();
        let mut registry = Self::default();
        for path in paths {
            let text = std::fs::read_to_string(&path);
            let text = text.map_err(|source| Error::Io { action: "read", path: path.clone(), source })?;
            registry.add(&path.display().to_string(), &text)?;
        }
        if registry.evaluators.is_empty() {
            let name = folder.display().to_string();
            return Err(fault(&name, None, "", "there is no evaluator in it (no .json file)"));
        }
        Ok(registry)
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

/// The line, from 1, on which `at` stands.
fn line_of(text: &str, at: &str) -> Option<usize> {
    let offset = text.find(at)?;
    Some(text[..offset].matches('\n').count() + 1)
}

fn fault(name: &str, line: Option<usize>, field: &str, message: impl ToString) -> Error {
    Error::Evaluator { name: name.to_owned(), line, field: field.to_owned(), message: message.to_string() }
}
