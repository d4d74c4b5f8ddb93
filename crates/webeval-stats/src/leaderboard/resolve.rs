//! From cells to numbers: the caller's policies applied.

use super::{Missing, NotDeployed, Settings};
use crate::error::StatsError;
use crate::table::{Cell, ScoreTable, words};

/// The numbers that count, as one row of models × dimensions per task.
pub(crate) struct Resolved {
    /// Places of the tasks that count in the table.
    pub(crate) tasks: Vec<usize>,
    /// Places of the tasks left out.
    pub(crate) dropped: Vec<usize>,
    /// Models × dimensions.
    pub(crate) width: usize,
    /// By task that counts, then model, then dimension; 0 where nothing counts.
    values: Vec<f64>,
    /// 1 where a value counts, 0 where none does.
    present: Vec<f64>,
    /// Whether some value does not count.
    gaps: bool,
}

impl Resolved {
    pub(crate) fn new(table: &ScoreTable, settings: &Settings) -> Result<Self, StatsError> {
        crate::error::at_least("a leaderboard (models)", 1, table.models().len())?;
        let (dropped, tasks): (Vec<usize>, Vec<usize>) =
            (0..table.tasks().len()).partition(|&t| settings.missing() == Missing::DropTask && has_missing(table, t));
        crate::error::at_least("a leaderboard (tasks that count)", 1, tasks.len())?;
        let width = table.models().len() * table.scheme().dimensions().len();
        let mut resolved = Resolved {
            values: Vec::with_capacity(tasks.len() * width),
            present: Vec::with_capacity(tasks.len() * width),
            gaps: false,
            tasks,
            dropped,
            width,
        };
        for i in 0..resolved.tasks.len() {
            resolved.push_task(table, settings, resolved.tasks[i])?;
        }
        Ok(resolved)
    }

    fn push_task(&mut self, table: &ScoreTable, settings: &Settings, task: usize) -> Result<(), StatsError> {
        for model in 0..table.models().len() {
            let cells = table.application(task, model);
            for (dimension, &cell) in table.scheme().dimensions().iter().zip(cells) {
                let value = countable(cell, dimension.low(), settings).map_err(|NoScore| {
                    let (model, task) = (&table.models()[model], &table.tasks()[task]);
                    StatsError::Missing { cell: words(model, task, dimension.name()) }
                })?;
                self.gaps |= value.is_none();
                self.values.push(value.unwrap_or(0.0));
                self.present.push(f64::from(u8::from(value.is_some())));
            }
        }
        Ok(())
    }

    /// What counts of a task (by its place among those that count), model and dimension (by their
    /// place in a row).
    pub(crate) fn value(&self, task: usize, column: usize) -> Option<f64> {
        let at = task * self.width + column;
        (self.present[at] > 0.0).then(|| self.values[at])
    }

    /// Means over the tasks drawn, by model and dimension; `None` where nothing drawn counts.
    pub(crate) fn means(&self, drawn: impl Iterator<Item = usize> + Clone) -> Vec<Option<f64>> {
        let mut sums = vec![0.0; self.width];
        for task in drawn.clone() {
            add(&mut sums, &self.values[task * self.width..][..self.width]);
        }
        if !self.gaps {
            let n = drawn.count() as f64;
            return sums.into_iter().map(|sum| Some(sum / n)).collect();
        }
        let mut counts = vec![0.0; self.width];
        for task in drawn {
            add(&mut counts, &self.present[task * self.width..][..self.width]);
        }
        sums.iter().zip(&counts).map(|(sum, &count)| (count > 0.0).then(|| sum / count)).collect()
    }
}

fn add(sums: &mut [f64], row: &[f64]) {
    for (sum, value) in sums.iter_mut().zip(row) {
        *sum += value;
    }
}

fn has_missing(table: &ScoreTable, task: usize) -> bool {
    (0..table.models().len()).any(|m| table.application(task, m).contains(&Cell::Missing))
}

/// A cell without a score under [`Missing::Error`].
pub(crate) struct NoScore;

/// What a cell counts under the policies.
pub(crate) fn countable(cell: Cell, worst: f64, settings: &Settings) -> Result<Option<f64>, NoScore> {
    match cell {
        Cell::Score(score) => Ok(Some(score)),
        Cell::Incomplete { low, .. } => Ok(Some(low)),
        Cell::NotApplicable => Ok(None),
        Cell::NotDeployed => Ok(match settings.not_deployed() {
            NotDeployed::Worst => Some(worst),
            NotDeployed::Exclude => None,
        }),
        Cell::Missing => match settings.missing() {
            Missing::DropCell | Missing::DropTask => Ok(None),
            Missing::Worst => Ok(Some(worst)),
            Missing::Error => Err(NoScore),
        },
    }
}
