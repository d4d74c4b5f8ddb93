//! The figures of a leaderboard, on the tasks as they are and on resampled ones.

use super::{CellCounts, DimensionResult, Leaderboard, Rank, Resolved, Settings, Standing};
use crate::bootstrap::{Bootstrap, Estimate, Interval};
use crate::error::StatsError;
use crate::rank::leaderboard_ranks;
use crate::scheme::{Combine, Scheme};
use crate::standard::Moments;
use crate::table::{Cell, ScoreTable};
use rayon::prelude::*;

pub(super) fn leaderboard(
    table: &ScoreTable,
    settings: &Settings,
    resolved: &Resolved,
) -> Result<Leaderboard, StatsError> {
    let means = resolved.means(0..resolved.tasks.len());
    let frame = Frame::new(table.scheme(), settings, &means)?;
    let figures = frame.figures(&means);
    let intervals = settings
        .bootstrap()
        // One task drawn again is always the same: no interval rather than one of no width.
        .filter(|_| resolved.tasks.len() > 1)
        .map(|bootstrap| frame.intervals(bootstrap, resolved, &figures));
    let report = Report { table, resolved, frame: &frame, figures: &figures, intervals };
    Ok(report.leaderboard(settings))
}

/// What stays the same from one resample to the next.
struct Frame<'a> {
    scheme: &'a Scheme,
    models: usize,
    /// Whether any model has a mean in the dimension.
    applicable: Vec<bool>,
    /// Whether the model has a mean in every applicable dimension.
    ranked: Vec<bool>,
    /// Fixed means and deviations.
    reference: Option<Vec<Moments>>,
}

/// All figures of one draw of tasks. Everything is by model, then dimension or component.
struct Figures {
    means: Vec<Option<f64>>,
    pool: Vec<Option<Moments>>,
    z: Vec<Option<f64>>,
    components: Vec<Option<f64>>,
    totals: Vec<Option<f64>>,
    ranks: Vec<Option<usize>>,
}

impl<'a> Frame<'a> {
    fn new(scheme: &'a Scheme, settings: &Settings, means: &[Option<f64>]) -> Result<Self, StatsError> {
        let width = scheme.dimensions().len();
        let rows: Vec<&[Option<f64>]> = means.chunks(width).collect();
        let applicable: Vec<bool> = (0..width).map(|d| rows.iter().any(|row| row[d].is_some())).collect();
        let ranked = rows.iter().map(|row| row.iter().zip(&applicable).all(|(m, a)| m.is_some() || !a)).collect();
        let reference = match settings.reference() {
            Some(reference) if scheme.combine() == Combine::StandardisedMean => {
                Some(scheme.dimensions().iter().map(|d| reference.moments(d.name())).collect::<Result<_, _>>()?)
            }
            _ => None,
        };
        Ok(Frame { scheme, models: rows.len(), applicable, ranked, reference })
    }

    fn dimensions(&self) -> usize {
        self.scheme.dimensions().len()
    }

    fn figures(&self, means: &[Option<f64>]) -> Figures {
        let pool: Vec<Option<Moments>> = (0..self.dimensions()).map(|d| self.moments(means, d)).collect();
        let z: Vec<Option<f64>> =
            means.iter().enumerate().map(|(i, mean)| pool[i % self.dimensions()]?.z((*mean)?).ok()).collect();
        let parts = match self.scheme.combine() {
            Combine::StandardisedMean => &z,
            Combine::Sum | Combine::Mean => means,
        };
        let components: Vec<Option<f64>> = (0..self.models).flat_map(|m| self.components(m, parts)).collect();
        let totals: Vec<Option<f64>> =
            components.chunks(self.scheme.components().len()).map(|row| self.scheme.total(row)).collect();
        Figures { ranks: ranks(&totals), means: means.to_vec(), pool, z, components, totals }
    }

    /// Mean and deviation to standardise a dimension by: fixed ones, or those of the models ranked.
    fn moments(&self, means: &[Option<f64>], dimension: usize) -> Option<Moments> {
        if self.scheme.combine() != Combine::StandardisedMean || !self.applicable[dimension] {
            return None;
        }
        if let Some(reference) = &self.reference {
            return Some(reference[dimension]);
        }
        let pool: Option<Vec<f64>> =
            (0..self.models).filter(|&m| self.ranked[m]).map(|m| means[m * self.dimensions() + dimension]).collect();
        Moments::of_pool(&pool?).ok()
    }

    fn components(&self, model: usize, parts: &[Option<f64>]) -> Vec<Option<f64>> {
        let row = &parts[model * self.dimensions()..][..self.dimensions()];
        let component = |members: &[usize]| {
            let values: Vec<Option<f64>> = members.iter().filter(|&&d| self.applicable[d]).map(|&d| row[d]).collect();
            // A member that applies and has no value leaves its component without one.
            if values.contains(&None) {
                return None;
            }
            self.scheme.component(&values)
        };
        self.scheme.components().iter().map(|c| component(c.members())).collect()
    }

    /// The interval of every figure, in the order of [`Figures::flat`].
    fn intervals(&self, bootstrap: &Bootstrap, resolved: &Resolved, figures: &Figures) -> Vec<Option<Interval>> {
        let draws = bootstrap.map(resolved.tasks.len(), |drawn| {
            let means = resolved.means(drawn.iter().copied());
            self.figures(&means).flat()
        });
        let interval = |(i, figure): (usize, Option<f64>)| {
            let values = draws.iter().filter_map(|draw| draw[i]).collect();
            bootstrap.interval(figure?, values)
        };
        let flat = figures.flat();
        flat.into_par_iter().enumerate().map(interval).collect()
    }
}

impl Figures {
    /// Means, z-scores, components, totals and ranks one after another.
    fn flat(&self) -> Vec<Option<f64>> {
        let mut flat = self.means.clone();
        flat.extend(&self.z);
        flat.extend(&self.components);
        flat.extend(&self.totals);
        flat.extend(self.ranks.iter().map(|rank| rank.map(|r| r as f64)));
        flat
    }
}

/// Places of the totals that are defined.
fn ranks(totals: &[Option<f64>]) -> Vec<Option<usize>> {
    let defined: Vec<f64> = totals.iter().copied().flatten().collect();
    let mut places = leaderboard_ranks(&defined).unwrap_or_default().into_iter();
    totals.iter().map(|total| total.and_then(|_| places.next())).collect()
}

/// Lays the figures out for the reader.
struct Report<'a> {
    table: &'a ScoreTable,
    resolved: &'a Resolved,
    frame: &'a Frame<'a>,
    figures: &'a Figures,
    intervals: Option<Vec<Option<Interval>>>,
}

impl Report<'_> {
    fn leaderboard(&self, settings: &Settings) -> Leaderboard {
        let mut standings: Vec<Standing> = (0..self.frame.models).map(|m| self.standing(m)).collect();
        standings.sort_by(|a, b| {
            let place = |s: &Standing| s.rank.map_or(usize::MAX, |rank| rank.place);
            place(a).cmp(&place(b)).then_with(|| a.model.cmp(&b.model))
        });
        let names = |tasks: &[usize]| tasks.iter().map(|&t| self.table.tasks()[t].clone()).collect();
        let dropped_tasks: Vec<_> = names(&self.resolved.dropped);
        let mut not_deployed = self.table.not_deployed();
        not_deployed.retain(|app| dropped_tasks.binary_search(&app.task).is_err());
        Leaderboard {
            scheme: self.table.scheme().clone(),
            settings: settings.clone(),
            tasks: self.resolved.tasks.len(),
            dropped_tasks,
            not_deployed,
            pool: self.figures.pool.clone(),
            standings,
        }
    }

    fn standing(&self, model: usize) -> Standing {
        let figures = self.figures;
        let (models, width) = (self.frame.models, self.frame.dimensions());
        let parts = self.frame.scheme.components().len();
        // Where each kind of figure starts in the flat order.
        let components_at = 2 * models * width;
        let totals_at = components_at + models * parts;
        let ranks_at = totals_at + models;
        let estimate =
            |value: Option<f64>, at: usize| value.map(|value| Estimate { value, interval: self.interval(at) });
        let dimensions = (0..width).map(|d| {
            let i = model * width + d;
            let (mean_high, counts) = self.cells(model, d);
            DimensionResult {
                mean: estimate(figures.means[i], i),
                mean_high,
                z: estimate(figures.z[i], models * width + i),
                counts,
            }
        });
        Standing {
            model: self.table.models()[model].clone(),
            rank: figures.ranks[model].map(|place| Rank {
                place,
                interval: self.interval(ranks_at + model).map(|i| (i.low.floor() as usize, i.high.ceil() as usize)),
            }),
            dimensions: dimensions.collect(),
            components: (0..parts)
                .map(|c| model * parts + c)
                .map(|i| estimate(figures.components[i], components_at + i))
                .collect(),
            total: estimate(figures.totals[model], totals_at + model),
        }
    }

    fn interval(&self, at: usize) -> Option<Interval> {
        self.intervals.as_ref().and_then(|all| all[at])
    }

    /// Counts a model's cells in a dimension; the mean at the upper bounds, where there are any.
    fn cells(&self, model: usize, dimension: usize) -> (Option<f64>, CellCounts) {
        let mut counts = CellCounts::default();
        let (mut sum, mut counted) = (0.0, 0.0);
        for (place, &task) in self.resolved.tasks.iter().enumerate() {
            let cell = self.table.application(task, model)[dimension];
            let column = model * self.frame.dimensions() + dimension;
            if let Some(value) = self.resolved.value(place, column) {
                counted += 1.0;
                sum += match cell {
                    Cell::Incomplete { high, .. } => high,
                    _ => value,
                };
            }
            match cell {
                Cell::Score(_) => counts.scored += 1,
                Cell::Incomplete { .. } => {
                    counts.scored += 1;
                    counts.incomplete += 1;
                }
                Cell::NotApplicable => counts.not_applicable += 1,
                Cell::NotDeployed => counts.not_deployed += 1,
                Cell::Missing => counts.missing += 1,
            }
        }
        ((counts.incomplete > 0).then(|| sum / counted), counts)
    }
}
