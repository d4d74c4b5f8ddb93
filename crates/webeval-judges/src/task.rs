//! Task files: what was asked for, and the acceptance criteria.

use std::collections::BTreeSet;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use webeval_evidence::CriterionKind;

use crate::Error;

/// Version of the task file's shape.
pub const TASK_FORMAT: u32 = 1;

/// A task: a requirement and its acceptance criteria in three sets (WebCraftBench §3.3).
///
/// ```
/// let task = webeval_judges::Task::from_json("todo.json", r#"{
///     "format": 1, "id": "todo", "requirement": "a to-do list with filters",
///     "criteria": {
///         "functional": [{"id": "F1", "text": "New items can be added."}],
///         "visual": [{"id": "V1", "text": "Done items are struck through."}]
///     }
/// }"#)?;
/// assert_eq!(task.criteria.functional[0].text, "New items can be added.");
/// # Ok::<(), webeval_judges::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// [`TASK_FORMAT`] when it was written.
    pub format: u32,
    /// Names the task within its set.
    pub id: String,
    /// The request, in the user's words.
    pub requirement: String,
    /// What must be observable in the delivered app. Without any, alignment is not judged.
    #[serde(default)]
    pub criteria: Criteria,
}

/// Acceptance criteria by set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Criteria {
    /// Features and interactions.
    pub functional: Vec<Criterion>,
    /// Text, data, specified resources.
    pub content: Vec<Criterion>,
    /// Layout, style, required components.
    pub visual: Vec<Criterion>,
}

/// One acceptance criterion: a concise property that can be observed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Criterion {
    /// Names it within the task.
    pub id: String,
    /// The property.
    pub text: String,
}

impl Criteria {
    /// One set.
    #[must_use]
    pub fn of(&self, kind: CriterionKind) -> &[Criterion] {
        match kind {
            CriterionKind::Functional => &self.functional,
            CriterionKind::Content => &self.content,
            CriterionKind::Visual => &self.visual,
        }
    }

    pub(crate) fn of_mut(&mut self, kind: CriterionKind) -> &mut Vec<Criterion> {
        match kind {
            CriterionKind::Functional => &mut self.functional,
            CriterionKind::Content => &mut self.content,
            CriterionKind::Visual => &mut self.visual,
        }
    }

    /// All criteria with their sets, in the order functional, content, visual.
    pub fn iter(&self) -> impl Iterator<Item = (CriterionKind, &Criterion)> {
        KINDS.into_iter().flat_map(|kind| self.of(kind).iter().map(move |criterion| (kind, criterion)))
    }

    /// Adds a criterion and gives it the next free number of its set: `F1`, `C1`, `V1`, …
    pub(crate) fn push(&mut self, kind: CriterionKind, text: &str) {
        let set = self.of_mut(kind);
        let id = format!("{}{}", initial(kind), set.len() + 1);
        set.push(Criterion { id, text: text.trim().to_owned() });
    }
}

/// The three sets in order.
pub(crate) const KINDS: [CriterionKind; 3] = [CriterionKind::Functional, CriterionKind::Content, CriterionKind::Visual];

fn initial(kind: CriterionKind) -> char {
    match kind {
        CriterionKind::Functional => 'F',
        CriterionKind::Content => 'C',
        CriterionKind::Visual => 'V',
    }
}

/// The word for a set, as in dimension names.
pub(crate) fn word(kind: CriterionKind) -> &'static str {
    match kind {
        CriterionKind::Functional => "functional",
        CriterionKind::Content => "content",
        CriterionKind::Visual => "visual",
    }
}

impl Task {
    /// A task without criteria.
    #[must_use]
    pub fn new(id: impl Into<String>, requirement: impl Into<String>) -> Self {
        Self { format: TASK_FORMAT, id: id.into(), requirement: requirement.into(), criteria: Criteria::default() }
    }

    /// Reads a task file; `name` is what messages call it.
    ///
    /// # Errors
    /// [`Error::Task`] with line and column for what is no task; for a newer format, an empty requirement, a criterion
    /// without text or id, two criteria with one id.
    pub fn from_json(name: &str, text: &str) -> Result<Self, Error> {
        let task: Self = serde_json::from_str(text).map_err(|error| Error::task(name, error))?;
        task.check().map_err(|message| Error::task(name, message))?;
        Ok(task)
    }

    /// Reads a task file.
    ///
    /// # Errors
    /// [`Error::Io`], or as [`Task::from_json`].
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|source| Error::Io { action: "read", path: path.to_owned(), source })?;
        Self::from_json(&path.display().to_string(), &text)
    }

    /// The task as indented JSON for a person to edit.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        if self.format > TASK_FORMAT {
            return Err(format!("format {} is newer than {TASK_FORMAT}", self.format));
        }
        if self.requirement.trim().is_empty() {
            return Err("the requirement is empty".to_owned());
        }
        let mut ids = BTreeSet::new();
        for (kind, criterion) in self.criteria.iter() {
            let set = word(kind);
            if criterion.id.trim().is_empty() {
                return Err(format!("a {set} criterion has no id: {:?}", criterion.text));
            }
            if criterion.text.trim().is_empty() {
                return Err(format!("{set} criterion {} has no text", criterion.id));
            }
            if !ids.insert(&criterion.id) {
                return Err(format!("two criteria have the id {}", criterion.id));
            }
        }
        Ok(())
    }
}
