//! The input of a leaderboard: one cell per model, task and dimension.

use crate::error::{StatsError, in_range};
use crate::names::{Application, DimensionName, ModelName, TaskName};
use crate::scheme::Scheme;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What is known of one application in one dimension.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cell {
    /// A score on the dimension's scale.
    Score(f64),
    /// A score some of whose criteria stayed unjudged. The leaderboard counts `low`.
    Incomplete {
        /// The score if all of them were not met.
        low: f64,
        /// The score if all of them were met.
        high: f64,
    },
    /// There is nothing to score: the task has no criteria of this kind. Never counts.
    NotApplicable,
    /// The application could not be deployed; [`NotDeployed`](crate::leaderboard::NotDeployed)
    /// says what that counts.
    NotDeployed,
    /// No score for a reason that is not the application's fault;
    /// [`Missing`](crate::leaderboard::Missing) says what to do.
    Missing,
}

/// One line of a score table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Who made the application.
    pub model: ModelName,
    /// For which task.
    pub task: TaskName,
    /// What was scored.
    pub dimension: DimensionName,
    /// The score, or why there is none.
    pub cell: Cell,
}

impl Row {
    /// A line with a score.
    pub fn score(
        model: impl Into<ModelName>,
        task: impl Into<TaskName>,
        dimension: impl Into<DimensionName>,
        score: f64,
    ) -> Self {
        Row { model: model.into(), task: task.into(), dimension: dimension.into(), cell: Cell::Score(score) }
    }
}

/// All cells of a benchmark run, models and tasks in the order of their names.
///
/// The order of the rows it is made from does not matter; a cell without a row is
/// [`Cell::Missing`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScoreTable {
    scheme: Scheme,
    models: Vec<ModelName>,
    tasks: Vec<TaskName>,
    /// By task, then model, then dimension.
    cells: Vec<Cell>,
}

impl ScoreTable {
    /// Lays rows out under a scheme.
    ///
    /// # Errors
    /// A dimension that the scheme does not have, a cell given twice, or a score outside its scale.
    pub fn new(scheme: Scheme, rows: impl IntoIterator<Item = Row>) -> Result<Self, StatsError> {
        let rows: Vec<Row> = rows.into_iter().collect();
        let models = places(rows.iter().map(|row| &row.model));
        let tasks = places(rows.iter().map(|row| &row.task));
        let width = scheme.dimensions().len();
        let mut cells: Vec<Option<Cell>> = vec![None; models.len() * tasks.len() * width];
        for row in &rows {
            let dimension = scheme.place(&row.dimension)?;
            check(&scheme, dimension, row.cell)?;
            let at = (tasks[&row.task] * models.len() + models[&row.model]) * width + dimension;
            if cells[at].replace(row.cell).is_some() {
                return Err(StatsError::Duplicate { cell: words(&row.model, &row.task, &row.dimension) });
            }
        }
        Ok(ScoreTable {
            models: models.into_keys().cloned().collect(),
            tasks: tasks.into_keys().cloned().collect(),
            cells: cells.into_iter().map(|cell| cell.unwrap_or(Cell::Missing)).collect(),
            scheme,
        })
    }

    /// Reads `model,task,dimension,score,high,status`, the columns in any order, the last two
    /// optional.
    ///
    /// `status` is `scored`, `not-applicable`, `not-deployed` or `missing`; where it is empty or
    /// absent a score means scored and no score means missing. `high` makes the score incomplete.
    ///
    /// # Errors
    /// [`StatsError::Csv`], an unknown status, a score without a number, and as [`new`](Self::new).
    pub fn from_csv(scheme: Scheme, text: &str) -> Result<Self, StatsError> {
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
        let mut rows = Vec::new();
        for line in reader.deserialize::<Line>() {
            let line = line.map_err(|source| StatsError::Csv { what: "a score table", source })?;
            rows.push(line.into_row()?);
        }
        Self::new(scheme, rows)
    }

    /// The rows, one per cell, in the order of task, model and dimension.
    pub fn rows(&self) -> impl Iterator<Item = Row> + '_ {
        self.cells.iter().enumerate().map(|(at, &cell)| {
            let width = self.scheme.dimensions().len();
            let application = at / width;
            Row {
                model: self.models[application % self.models.len()].clone(),
                task: self.tasks[application / self.models.len()].clone(),
                dimension: self.scheme.dimensions()[at % width].name().clone(),
                cell,
            }
        })
    }

    /// The scheme.
    pub fn scheme(&self) -> &Scheme {
        &self.scheme
    }

    /// The models, sorted.
    pub fn models(&self) -> &[ModelName] {
        &self.models
    }

    /// The tasks, sorted.
    pub fn tasks(&self) -> &[TaskName] {
        &self.tasks
    }

    /// The cells of one application by their places, in the scheme's order of dimensions.
    pub(crate) fn application(&self, task: usize, model: usize) -> &[Cell] {
        let width = self.scheme.dimensions().len();
        let at = (task * self.models.len() + model) * width;
        &self.cells[at..at + width]
    }

    /// The place of a model.
    ///
    /// # Errors
    /// [`StatsError::Unknown`].
    pub(crate) fn model(&self, name: &ModelName) -> Result<usize, StatsError> {
        self.models.binary_search(name).map_err(|_| StatsError::Unknown { kind: "model", name: name.to_string() })
    }

    /// The place of a task.
    ///
    /// # Errors
    /// [`StatsError::Unknown`].
    pub(crate) fn task(&self, name: &TaskName) -> Result<usize, StatsError> {
        self.tasks.binary_search(name).map_err(|_| StatsError::Unknown { kind: "task", name: name.to_string() })
    }

    /// The applications that could not be deployed: any of their cells says so.
    pub fn not_deployed(&self) -> Vec<Application> {
        let mut found = Vec::new();
        for (t, task) in self.tasks.iter().enumerate() {
            for (m, model) in self.models.iter().enumerate() {
                if self.application(t, m).contains(&Cell::NotDeployed) {
                    found.push(Application { task: task.clone(), model: model.clone() });
                }
            }
        }
        found
    }

    /// The same table with only the tasks that `keep` accepts.
    #[must_use]
    pub fn with_tasks(&self, keep: impl Fn(&TaskName) -> bool) -> Self {
        let kept: Vec<usize> = (0..self.tasks.len()).filter(|&t| keep(&self.tasks[t])).collect();
        let row = self.models.len() * self.scheme.dimensions().len();
        ScoreTable {
            scheme: self.scheme.clone(),
            models: self.models.clone(),
            tasks: kept.iter().map(|&t| self.tasks[t].clone()).collect(),
            cells: kept.iter().flat_map(|&t| &self.cells[t * row..(t + 1) * row]).copied().collect(),
        }
    }
}

/// One line of the CSV form.
#[derive(Deserialize)]
struct Line {
    model: ModelName,
    task: TaskName,
    dimension: DimensionName,
    score: Option<f64>,
    #[serde(default)]
    high: Option<f64>,
    #[serde(default)]
    status: String,
}

impl Line {
    fn into_row(self) -> Result<Row, StatsError> {
        let cell = match (self.status.as_str(), self.score, self.high) {
            ("" | "scored", Some(low), Some(high)) => Cell::Incomplete { low, high },
            ("" | "scored", Some(score), None) => Cell::Score(score),
            ("" | "missing", None, None) => Cell::Missing,
            ("not-applicable", None, None) => Cell::NotApplicable,
            ("not-deployed", None, None) => Cell::NotDeployed,
            (status, _, _) => {
                return Err(StatsError::Unknown { kind: "cell status for such a score", name: status.to_owned() });
            }
        };
        Ok(Row { model: self.model, task: self.task, dimension: self.dimension, cell })
    }
}

/// Sorted distinct names with their places.
fn places<'a, T: Ord>(names: impl Iterator<Item = &'a T>) -> BTreeMap<&'a T, usize> {
    let sorted: BTreeSet<&T> = names.collect();
    sorted.into_iter().enumerate().map(|(i, n)| (n, i)).collect()
}

/// Refuses scores off the dimension's scale.
fn check(scheme: &Scheme, dimension: usize, cell: Cell) -> Result<(), StatsError> {
    let dimension = &scheme.dimensions()[dimension];
    let on_scale = |score| in_range("a score", score, dimension.low(), dimension.high());
    match cell {
        Cell::Score(score) => on_scale(score).map(drop),
        Cell::Incomplete { low, high } => {
            on_scale(high)?;
            in_range("the low bound of a score", low, dimension.low(), high).map(drop)
        }
        Cell::NotApplicable | Cell::NotDeployed | Cell::Missing => Ok(()),
    }
}

/// A cell in words, for errors.
pub(crate) fn words(model: &ModelName, task: &TaskName, dimension: &DimensionName) -> String {
    format!("{dimension} of {model} on task {task}")
}
