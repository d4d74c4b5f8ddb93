//! Breakdowns, points lost and dimension correlations, worked by hand.

use crate::close;
use webeval_stats::analysis::{Breakdown, Over, dimension_correlations, losses};
use webeval_stats::leaderboard::Missing;
use webeval_stats::{Combine, Dimension, Label, Leaderboard, Row, Scheme, ScoreTable, Settings};

fn scheme(combine: Combine) -> Scheme {
    let dimension = |name: &str, high: f64| Dimension::new(name, 0.0, high).unwrap();
    Scheme::new(
        "test",
        combine,
        vec![("first".into(), vec![dimension("x", 10.0)]), ("second".into(), vec![dimension("y", 20.0)])],
    )
    .unwrap()
}

/// Model a: x 8, 4, 6 and y 10, 14, 12; model b: x 2, 6, 4 and y 20, 10, 15.
fn table(combine: Combine) -> ScoreTable {
    let scores = [("a", [(8.0, 10.0), (4.0, 14.0), (6.0, 12.0)]), ("b", [(2.0, 20.0), (6.0, 10.0), (4.0, 15.0)])];
    let mut rows = Vec::new();
    for (model, tasks) in scores {
        for (task, (x, y)) in ["easy-1", "hard-1", "other"].iter().zip(tasks) {
            rows.push(Row::score(model, *task, "x", x));
            rows.push(Row::score(model, *task, "y", y));
        }
    }
    ScoreTable::new(scheme(combine), rows).unwrap()
}

fn by_prefix(task: &webeval_stats::TaskName) -> Option<Label> {
    let (label, _) = task.as_str().split_once('-')?;
    Some(label.into())
}

#[test]
fn breakdowns_rank_each_label_by_itself() {
    let breakdown = Breakdown::new(&table(Combine::Sum), &Settings::new(Missing::Error), by_prefix).unwrap();
    let total = |label: &str, model: &str| {
        let board = &breakdown.parts[&Label::from(label)];
        board.standing(&model.into()).unwrap().total.unwrap().value
    };
    assert_eq!((total("easy", "a"), total("easy", "b")), (18.0, 22.0));
    assert_eq!((total("hard", "a"), total("hard", "b")), (18.0, 16.0));
    assert_eq!(breakdown.aggregate(&"easy".into()), Some(20.0));
    assert_eq!(breakdown.aggregate(&"absent".into()), None);
    assert_eq!(breakdown.unlabelled.len(), 1);
    assert_eq!(breakdown.parts[&Label::from("easy")].tasks, 1);
}

#[test]
fn breakdowns_standardise_by_the_whole_table() {
    let table = table(Combine::StandardisedMean);
    let breakdown = Breakdown::new(&table, &Settings::new(Missing::Error), by_prefix).unwrap();
    // Whole means: a 6 and 12, b 4 and 15, so x has mean 5, deviation 1, y mean 13.5, deviation 1.5.
    // a on the easy task: (8 − 5) / 1 = 3 and (10 − 13.5) / 1.5 = −7/3, total 1/3.
    let easy = &breakdown.parts[&Label::from("easy")];
    let total = easy.standing(&"a".into()).unwrap().total.unwrap().value;
    close(total, 1.0 / 3.0, 1e-12);
}

#[test]
fn lost_points_are_attributed_to_the_dimensions() {
    let board = Leaderboard::new(&table(Combine::Sum), &Settings::new(Missing::Error)).unwrap();
    let found = losses(&board);
    // b totals 19, a 18: b first. b: x loses 10 − 4, y 20 − 15.
    assert_eq!(found[0].model.as_str(), "b");
    assert_eq!(found[0].lost, [Some(6.0), Some(5.0)]);
    assert_eq!(found[0].total, 11.0);
    assert_eq!(found[1].lost, [Some(4.0), Some(8.0)]);
    close(found[1].shares()[1].unwrap(), 2.0 / 3.0, 1e-15);
    // Under plain means each dimension weighs a half.
    let board = Leaderboard::new(&table(Combine::Mean), &Settings::new(Missing::Error)).unwrap();
    let found = losses(&board);
    assert_eq!(found[0].lost, [Some(3.0), Some(2.5)]);
}

#[test]
fn dimensions_correlate_over_models_and_over_applications() {
    let table = table(Combine::Sum);
    let settings = Settings::new(Missing::Error);
    let coefficient = |over, a: usize, b: usize| {
        let found = dimension_correlations(&table, &settings, over).unwrap();
        found.matrix[a][b].unwrap()
    };
    // Two models: x 6, 4 against y 12, 15.
    let models = coefficient(Over::Models, 0, 1);
    close(models.coefficient, -1.0, 1e-15);
    assert_eq!((models.n, models.p_value), (2, None));
    // Six applications: x − 5 = 3 −1 1 −3 1 −1, y − 13.5 = −3.5 .5 −1.5 6.5 −3.5 1.5;
    // products −37, squares 22 and 71.5.
    let applications = coefficient(Over::Applications, 1, 0);
    close(applications.coefficient, -37.0 / f64::sqrt(22.0 * 71.5), 1e-12);
    assert_eq!(applications.n, 6);
    close(coefficient(Over::Applications, 0, 0).coefficient, 1.0, 1e-15);
}
