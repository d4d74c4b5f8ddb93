//! Which columns each result has.

use super::{Grid, Value, rounded};
use crate::agreement::RaterAgreement;
use crate::analysis::{Breakdown, DimensionCorrelations, Losses, Over};
use crate::bradley_terry::Strength;
use crate::compare::{JudgeComparison, ModelComparison};
use crate::correlation::Correlation;
use crate::leaderboard::{Leaderboard, NotDeployed, Standing};
use crate::pairwise::{Band, BandAgreement};
use crate::scheme::Combine;
use crate::votes::VoteAgreement;

/// Decimals of a z-score, as in WebCraftBench's table 3.
const Z: usize = 3;
/// Decimals of a raw score.
const RAW: usize = 2;

impl Grid {
    /// Models by place with their figures by dimension (z-scores where the scheme standardises,
    /// means otherwise), components of several dimensions, total, its interval and the places it
    /// may fall to.
    pub fn leaderboard(board: &Leaderboard) -> Self {
        let several: Vec<usize> = (0..board.scheme.components().len())
            .filter(|&c| board.scheme.components()[c].members().len() > 1)
            .collect();
        let mut columns = vec!["rank".to_owned(), "model".to_owned()];
        columns.extend(board.scheme.dimensions().iter().map(|d| d.name().to_string()));
        columns.extend(several.iter().map(|&c| board.scheme.components()[c].name().to_owned()));
        columns.push("total".to_owned());
        let resampled = board.settings.bootstrap().is_some();
        if resampled {
            columns.extend(["interval".to_owned(), "places".to_owned()]);
        }
        let mut grid = Grid::new(columns);
        for standing in &board.standings {
            let mut row = standing_row(board, standing, &several);
            if resampled {
                row.push(total_interval(board, standing));
                row.push(places(standing));
            }
            grid.push(row);
        }
        leaderboard_notes(&mut grid, board);
        grid
    }

    /// Mean raw scores by dimension, and what they are made of.
    pub fn raw_scores(board: &Leaderboard) -> Self {
        let dimensions = board.scheme.dimensions();
        let mut columns = vec!["model".to_owned()];
        columns.extend(dimensions.iter().map(|d| d.name().to_string()));
        columns.extend(["not deployed", "incomplete", "missing"].map(str::to_owned));
        let mut grid = Grid::new(columns);
        for standing in &board.standings {
            let mut row = vec![Value::Text(standing.model.to_string())];
            row.extend(standing.dimensions.iter().map(|d| Value::estimate(d.mean, RAW, false)));
            row.resize(1 + dimensions.len(), Value::Empty);
            let deployed = board.not_deployed.iter().filter(|a| a.model == standing.model);
            row.push(Value::Count(deployed.count()));
            let counts = || standing.dimensions.iter().map(|d| d.counts);
            row.push(Value::Count(counts().map(|c| c.incomplete).sum()));
            row.push(Value::Count(counts().map(|c| c.missing).sum()));
            grid.push(row);
        }
        grid.note("Incomplete and missing are numbers of scores, not deployed of applications.");
        grid
    }

    /// Totals by model and label, and the mean of all models below.
    pub fn breakdown(breakdown: &Breakdown) -> Self {
        let mut columns = vec!["model".to_owned()];
        for (label, board) in &breakdown.parts {
            columns.push(format!("{label} (n={})", board.tasks));
        }
        let mut grid = Grid::new(columns);
        let Some(first) = breakdown.parts.values().next() else {
            return grid;
        };
        let (decimals, signed) = total_format(first);
        for standing in &first.standings {
            let mut row = vec![Value::Text(standing.model.to_string())];
            row.extend(breakdown.parts.values().map(|board| {
                let total = board.standing(&standing.model).and_then(|s| s.total);
                Value::estimate(total, decimals, signed)
            }));
            grid.push(row);
        }
        let mut means = vec![Value::Text("all models".to_owned())];
        means.extend(breakdown.parts.keys().map(|label| match (breakdown.aggregate(label), signed) {
            (Some(mean), true) => Value::Signed(mean, decimals),
            (Some(mean), false) => Value::Number(mean, decimals),
            (None, _) => Value::Empty,
        }));
        grid.push(means);
        if !breakdown.unlabelled.is_empty() {
            grid.note(format!("Tasks without a label: {}.", breakdown.unlabelled.len()));
        }
        grid
    }

    /// Points lost by model and dimension.
    pub fn losses(board: &Leaderboard, losses: &[Losses]) -> Self {
        let mut columns = vec!["model".to_owned()];
        columns.extend(board.scheme.dimensions().iter().map(|d| d.name().to_string()));
        columns.push("lost".to_owned());
        let mut grid = Grid::new(columns);
        for entry in losses {
            let mut row = vec![Value::Text(entry.model.to_string())];
            row.extend(entry.lost.iter().map(|&l| number(l, RAW)));
            row.push(Value::Number(entry.total, RAW));
            grid.push(row);
        }
        grid
    }

    /// Correlations of the dimensions with one another.
    pub fn correlations(found: &DimensionCorrelations) -> Self {
        let names = found.dimensions.iter().map(|d| d.to_string());
        let mut grid = Grid::new(std::iter::once("dimension".to_owned()).chain(names));
        for (dimension, row) in found.dimensions.iter().zip(&found.matrix) {
            let mut values = vec![Value::Text(dimension.to_string())];
            values.extend(row.iter().map(|c| signed(c.map(|c| c.coefficient), 2)));
            grid.push(values);
        }
        grid.note(match found.over {
            Over::Models => "Pearson's r over the models' means.",
            Over::Applications => "Pearson's r over applications.",
        });
        grid
    }

    /// Agreement by band, in the shape of WebCraftBench's table 4, with Wilson intervals of 95 %.
    pub fn bands(agreement: &BandAgreement) -> Self {
        let mut grid = Grid::new([
            "band",
            "n",
            "agree",
            "rate",
            "rate low",
            "rate high",
            "cumulative n",
            "cumulative agree",
            "cumulative rate",
            "cumulative low",
            "cumulative high",
        ]);
        for band in &agreement.bands {
            let mut row = vec![Value::Text(band_name(band))];
            for agreed in [band.within, band.cumulative] {
                let interval = agreed.interval(0.95).ok().flatten();
                row.push(Value::Count(agreed.n));
                row.push(Value::Count(agreed.agree));
                row.push(Value::share(agreed.rate()));
                row.push(Value::share(interval.map(|i| i.low)));
                row.push(Value::share(interval.map(|i| i.high)));
            }
            grid.push(row);
        }
        let (ties, undecided) = (agreement.ties, agreement.undecided);
        if ties > 0 {
            grid.note(format!("Votes for neither side, in no band: {ties}."));
        }
        if undecided > 0 {
            grid.note(format!("Pairs of equal scores, which agree with no vote: {undecided}."));
        }
        grid
    }

    /// Agreement with human votes: [`bands`](Self::bands), and what is in none of them.
    pub fn votes(found: &VoteAgreement) -> Self {
        let mut grid = Self::bands(&found.agreement);
        if !found.unscored.is_empty() {
            let n = found.unscored.len();
            grid.note(format!("Votes on applications without a total, in no band: {n}."));
        }
        grid
    }

    /// Bradley–Terry strengths, the strongest first.
    pub fn strengths(strengths: &[Strength]) -> Self {
        let columns = ["model", "strength", "s.e.", "elo", "wins", "ties", "losses"];
        let mut grid = Grid::new(columns);
        for entry in strengths {
            grid.push([
                Value::Text(entry.model.to_string()),
                Value::SignedEstimate(entry.strength, Z),
                Value::Number(entry.standard_error, Z),
                Value::Number(entry.elo(), 0),
                Value::Count(entry.wins),
                Value::Count(entry.ties),
                Value::Count(entry.losses),
            ]);
        }
        grid
    }

    /// How two judges compare, a measure a line.
    pub fn judges(found: &JudgeComparison) -> Self {
        let mut grid = Grid::new(["measure", "value", "p"]);
        for (name, correlation) in
            [("Pearson's r", found.pearson), ("Spearman's rho", found.spearman), ("Kendall's tau-b", found.kendall)]
        {
            let p = correlation.and_then(|c: Correlation| c.p_value);
            grid.push([
                Value::Text(name.to_owned()),
                signed(correlation.map(|c| c.coefficient), 3),
                p.map_or(Value::Empty, Value::PValue),
            ]);
        }
        let order = &found.order;
        for (name, count) in [
            ("models in common", found.models.len()),
            ("pairs", order.pairs),
            ("pairs in the same order", order.kept),
            ("pairs tied by one judge", order.tied),
            ("pairs reversed", order.reversed.len()),
        ] {
            grid.push([Value::Text(name.to_owned()), Value::Count(count)]);
        }
        grid.push([Value::Text("share in the same order".to_owned()), Value::Share(order.rate())]);
        for reversal in &order.reversed {
            let (higher, lower) = (found.models.get(reversal.higher), found.models.get(reversal.lower));
            if let (Some(higher), Some(lower)) = (higher, lower) {
                let gap = rounded(reversal.gap, Z, false);
                grid.note(format!("Reversed: {higher} above {lower} by {gap} for the first."));
            }
        }
        grid
    }

    /// Agreement of two raters on labels, a coefficient a line.
    pub fn raters(found: &RaterAgreement) -> Self {
        let mut grid = Grid::new(["measure", "value"]);
        let mut line = |name: &str, value| grid.push([Value::Text(name.to_owned()), value]);
        line("items", Value::Count(found.agreed.n));
        line("percent agreement", Value::share(found.agreed.rate()));
        line("Cohen's kappa", signed(found.kappa, Z));
        line("Gwet's AC1", Value::Signed(found.ac1, Z));
        line("Krippendorff's alpha", signed(found.alpha, Z));
        grid
    }

    /// Two models compared, a figure a line.
    pub fn comparison(found: &ModelComparison) -> Self {
        let mut grid = Grid::new(["measure", "value"]);
        let mut line = |name: &str, value| grid.push([Value::Text(name.to_owned()), value]);
        let (first, second) = (found.first.to_string(), found.second.to_string());
        line("first model", Value::Text(first));
        line("second model", Value::Text(second));
        line("tasks compared", Value::Count(found.test.tasks));
        line("mean difference", Value::Signed(found.difference.value, Z));
        if let Some(interval) = found.difference.interval {
            line("interval, low end", Value::Signed(interval.low, Z));
            line("interval, high end", Value::Signed(interval.high, Z));
        }
        line("p (paired permutation)", Value::PValue(found.test.p_value));
        line("tasks won", Value::Count(found.outcomes.wins));
        line("tasks tied", Value::Count(found.outcomes.ties));
        line("tasks lost", Value::Count(found.outcomes.losses));
        line("effect (differences' mean / deviation)", signed(found.effect, Z));
        line("tasks needed to separate them", found.tasks_needed.map_or(Value::Empty, Value::Count));
        grid
    }
}

fn number(value: Option<f64>, decimals: usize) -> Value {
    value.map_or(Value::Empty, |v| Value::Number(v, decimals))
}

fn signed(value: Option<f64>, decimals: usize) -> Value {
    value.map_or(Value::Empty, |v| Value::Signed(v, decimals))
}

/// Decimals of the total, and whether it is written with its sign.
pub(super) fn total_format(board: &Leaderboard) -> (usize, bool) {
    match board.scheme.combine() {
        Combine::StandardisedMean => (Z, true),
        Combine::Sum | Combine::Mean => (RAW, false),
    }
}

fn standing_row(board: &Leaderboard, standing: &Standing, several: &[usize]) -> Vec<Value> {
    let (decimals, signed) = total_format(board);
    let place = standing.rank.map_or(Value::Empty, Value::Place);
    let mut row = vec![place, Value::Text(standing.model.to_string())];
    row.extend(standing.dimensions.iter().map(|d| {
        let figure = if signed { d.z } else { d.mean };
        Value::estimate(figure, decimals, signed)
    }));
    row.resize(2 + board.scheme.dimensions().len(), Value::Empty);
    row.extend(several.iter().map(|&c| {
        let component = standing.components.get(c).copied().flatten();
        Value::estimate(component, decimals, signed)
    }));
    row.push(Value::estimate(standing.total, decimals, signed));
    row
}

fn total_interval(board: &Leaderboard, standing: &Standing) -> Value {
    let (decimals, signed) = total_format(board);
    match standing.total.and_then(|t| t.interval) {
        Some(interval) => {
            let end = |value| rounded(value, decimals, signed);
            Value::Reading(format!("[{}, {}]", end(interval.low), end(interval.high)))
        }
        None => Value::Empty,
    }
}

fn places(standing: &Standing) -> Value {
    match standing.rank.and_then(|r| r.interval) {
        Some((best, worst)) if best == worst => Value::Reading(best.to_string()),
        Some((best, worst)) => Value::Reading(format!("{best}–{worst}")),
        None => Value::Empty,
    }
}

fn leaderboard_notes(grid: &mut Grid, board: &Leaderboard) {
    grid.note(format!("Tasks: {}. Scheme: {}.", board.tasks, board.scheme.name()));
    if let Some(bootstrap) = board.settings.bootstrap() {
        grid.note(format!(
            "Intervals hold {}% of {} resamples of the tasks, seed {}.",
            100.0 * bootstrap.level(),
            bootstrap.resamples(),
            bootstrap.seed()
        ));
    }
    if let Some(reference) = board.settings.reference() {
        grid.note(format!("z-scores by the reference {:?}.", reference.name()));
    }
    if !board.dropped_tasks.is_empty() {
        let n = board.dropped_tasks.len();
        grid.note(format!("Tasks left out because a score is missing: {n}."));
    }
    if !board.not_deployed.is_empty() {
        let policy = match board.settings.not_deployed() {
            NotDeployed::Worst => "counting the worst score",
            NotDeployed::Exclude => "left out",
        };
        let n = board.not_deployed.len();
        grid.note(format!("Applications that could not be deployed, {policy}: {n}."));
    }
    for (dimension, moments) in board.scheme.dimensions().iter().zip(&board.pool) {
        if moments.is_none() && board.scheme.combine() == Combine::StandardisedMean {
            grid.note(format!("No z-scores in {}: no spread, or too few models.", dimension.name()));
        }
    }
}

pub(super) fn band_name(band: &Band) -> String {
    match band.high {
        Some(high) => format!("[{}, {high})", band.low),
        None => format!("[{}, ∞)", band.low),
    }
}
