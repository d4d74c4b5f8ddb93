//! Prompt templates: plain text files, known by the hash of their content.

use std::collections::BTreeMap;
use std::path::Path;

use minijinja::{Environment, UndefinedBehavior};
use serde::Serialize;
use sha2::{Digest, Sha256};
use webeval_llm::{Message, Part};

use crate::{Error, fence};

/// The line between a template's system message and its user message.
const CUT: &str = "=== user ===";

macro_rules! templates {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../prompts/", $name)))),*]
    };
}

const BUILT_IN: &[(&str, &str)] = templates![
    "aesthetics-advocate.txt",
    "aesthetics-critic.txt",
    "aesthetics-final.txt",
    "usability-advocate.txt",
    "usability-critic.txt",
    "usability-final.txt",
    "alignment.txt",
    "checklist-propose.txt",
    "checklist-merge.txt",
    "liveeval-ground.txt",
    "liveeval-task.txt",
    "liveeval-review.txt",
    "sections-section.txt",
    "sections-page.txt",
    "image-role.txt",
    "instruction.txt",
    "generate.txt",
    "refine.txt",
];

/// The templates in use.
///
/// Each is a text file of two parts, a line `=== user ===` between them: the system message, and the user message, in
/// [minijinja](https://docs.rs/minijinja)'s language. Only the user message may hold `{{ variables }}`: what comes out
/// of a page must not get into a system message.
#[derive(Clone, Debug)]
pub struct Prompts {
    templates: BTreeMap<String, Template>,
}

#[derive(Clone, Debug)]
struct Template {
    system: String,
    user: String,
    hash: String,
}

impl Default for Prompts {
    /// The templates that come with this crate.
    fn default() -> Self {
        let built_in = BUILT_IN.iter().map(|(name, text)| ((*name).to_owned(), Template::split(text)));
        Self { templates: built_in.collect() }
    }
}

impl Prompts {
    /// The built-in templates, those of the same file name in `folder` taking their places.
    ///
    /// # Errors
    /// [`Error::Prompt`] for a `.txt` file that overrides nothing (a misspelt name would silently do nothing), lacks
    /// the dividing line, has a variable in its system part or is no template; [`Error::Io`].
    pub fn with_overrides(folder: &Path) -> Result<Self, Error> {
        let mut prompts = Self::default();
        let failed = |source| Error::Io { action: "read", path: folder.to_owned(), source };
        for entry in std::fs::read_dir(folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let Some(name) = path.file_name().and_then(|name| name.to_str()).filter(|name| name.ends_with(".txt"))
            else {
                continue;
            };
            let Some(template) = prompts.templates.get_mut(name) else {
                let known: Vec<&str> = BUILT_IN.iter().map(|(name, _)| *name).collect();
                return Err(Error::prompt(name, format!("there is no such prompt; there are {}", known.join(", "))));
            };
            let text = std::fs::read_to_string(&path);
            let text = text.map_err(|source| Error::Io { action: "read", path: path.clone(), source })?;
            *template = Template::check(name, &text)?;
        }
        Ok(prompts)
    }

    /// The first 16 hex digits of the SHA-256 of a template, as judgements record it.
    ///
    /// # Errors
    /// [`Error::Prompt`] for a name that there is not.
    pub fn hash(&self, name: &str) -> Result<&str, Error> {
        self.template(name).map(|template| template.hash.as_str())
    }

    /// The messages that a template makes of `values`, `images` after the text.
    pub(crate) fn render(&self, name: &str, values: impl Serialize, images: Vec<Part>) -> Result<Vec<Message>, Error> {
        self.render_as("", name, values, images)
    }

    /// The same with words about who the model is before the system message. They come from an evaluator's file, which
    /// is as trusted as a template.
    pub(crate) fn render_as(
        &self,
        persona: &str,
        name: &str,
        values: impl Serialize,
        images: Vec<Part>,
    ) -> Result<Vec<Message>, Error> {
        let template = self.template(name)?;
        let text = environment()
            .render_str(&template.user, minijinja::value::Serde(values))
            .map_err(|error| Error::prompt(name, error))?;
        let mut parts = vec![Part::text(text)];
        parts.extend(images);
        let system = format!("{persona}\n\n{}\n\n{}", template.system, fence::RULE);
        Ok(vec![Message::system(system.trim_start()), Message::parts(parts)])
    }

    fn template(&self, name: &str) -> Result<&Template, Error> {
        self.templates.get(name).ok_or_else(|| Error::prompt(name, "there is no such prompt"))
    }
}

impl Template {
    fn split(text: &str) -> Self {
        let (system, user) = text.split_once(CUT).unwrap_or(("", text));
        let hash = Sha256::digest(text).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        Self { system: system.trim().to_owned(), user: user.trim().to_owned(), hash }
    }

    fn check(name: &str, text: &str) -> Result<Self, Error> {
        if !text.lines().any(|line| line.trim() == CUT) {
            return Err(Error::prompt(name, format!("it lacks the line {CUT:?} before its user message")));
        }
        let template = Self::split(text);
        if template.system.contains("{{") || template.system.contains("{%") {
            return Err(Error::prompt(name, "its system message has a variable; only the user message may"));
        }
        environment().template_from_str(&template.user).map_err(|error| Error::prompt(name, error))?;
        Ok(template)
    }
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    // A misspelt variable must not become an empty evidence section.
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment
}
