//! Two models and two judges side by side.

use crate::close;
use webeval_stats::compare::{Certainty, judges, models};
use webeval_stats::leaderboard::Missing;
use webeval_stats::permutation::Method;
use webeval_stats::{Bootstrap, Cell, Combine, Dimension, Leaderboard, Row, Scheme, ScoreTable, Settings};

fn scheme(combine: Combine) -> Scheme {
    let dimension = |name: &str| Dimension::new(name, 0.0, 10.0).unwrap();
    Scheme::new("test", combine, vec![("first".into(), vec![dimension("x")]), ("second".into(), vec![dimension("y")])])
        .unwrap()
}

fn table(combine: Combine, scores: &[(&str, &[[f64; 2]])]) -> ScoreTable {
    let mut rows = Vec::new();
    for (model, tasks) in scores {
        for (t, [x, y]) in tasks.iter().enumerate() {
            rows.push(Row::score(*model, format!("t{t}"), "x", *x));
            rows.push(Row::score(*model, format!("t{t}"), "y", *y));
        }
    }
    ScoreTable::new(scheme(combine), rows).unwrap()
}

const A: &[[f64; 2]] = &[[5.0, 6.0], [7.0, 5.0], [4.0, 6.0], [8.0, 8.0], [6.0, 6.0]];
const B: &[[f64; 2]] = &[[4.0, 5.0], [4.0, 5.0], [4.0, 5.0], [3.0, 9.0], [6.0, 6.0]];

#[test]
fn models_are_compared_task_by_task() {
    let table = table(Combine::Sum, &[("a", A), ("b", B)]);
    let settings = Settings::new(Missing::Error).with_bootstrap(Bootstrap::new(1));
    let found = models(&table, &settings, &"a".into(), &"b".into(), Certainty::default()).unwrap();
    // Differences of the sums: 2, 3, 1, 4, 0. Mean 2, sample deviation √2.5.
    close(found.difference.value, 2.0, 1e-15);
    close(found.test.mean_difference, 2.0, 1e-15);
    assert_eq!((found.outcomes.wins, found.outcomes.ties), (4, 1));
    close(found.effect.unwrap(), 2.0 / f64::sqrt(2.5), 1e-12);
    // Four differences other than 0, all one way: 2 of 16 sign patterns reach the sum.
    assert_eq!(found.test.method, Method::Exact);
    close(found.test.p_value, 0.125, 0.0);
    // Effect 1.265 at 5 % and 80 %: statsmodels' TTestPower solves 7.15, so 8 tasks.
    assert_eq!(found.tasks_needed, Some(8));
    let interval = found.difference.interval.unwrap();
    assert!(0.0 < interval.low && interval.low < 2.0 && interval.high < 4.0);
}

#[test]
fn standardised_differences_are_in_deviations_of_the_pool() {
    let table = table(Combine::StandardisedMean, &[("a", A), ("b", B)]);
    let settings = Settings::new(Missing::Error);
    let found = models(&table, &settings, &"a".into(), &"b".into(), Certainty::default()).unwrap();
    // Two models are always one deviation above and below their mean: x differs by 2 and y by 2
    // deviations, whatever the scores; y here 6.2 against 6.0.
    close(found.difference.value, 2.0, 1e-12);
    let board = Leaderboard::new(&table, &settings).unwrap();
    let total = |m: &str| board.standing(&m.into()).unwrap().total.unwrap().value;
    close(found.difference.value, total("a") - total("b"), 1e-12);
}

#[test]
fn tasks_that_one_model_lacks_are_left_out() {
    let mut rows: Vec<Row> = table(Combine::Sum, &[("a", A), ("b", B)]).rows().collect();
    for row in &mut rows {
        if row.task.as_str() == "t3" && row.model.as_str() == "b" {
            row.cell = Cell::Missing;
        }
    }
    let table = ScoreTable::new(scheme(Combine::Sum), rows).unwrap();
    let settings = Settings::new(Missing::DropCell);
    let (a, b) = ("a".into(), "b".into());
    let found = models(&table, &settings, &a, &b, Certainty::default()).unwrap();
    assert_eq!(found.test.tasks, 4);
    close(found.difference.value, 1.5, 1e-15);
    assert!(models(&table, &settings, &a, &"c".into(), Certainty::default()).is_err());
    // A model against itself: nothing to find.
    let found = models(&table, &settings, &a, &a, Certainty::default()).unwrap();
    assert_eq!((found.test.p_value, found.tasks_needed), (1.0, None));
}

#[test]
fn judges_are_compared_over_the_models_both_rank() {
    let board = |scores: &[(&str, f64)]| {
        let rows: Vec<Row> = scores.iter().flat_map(|(m, s)| ["x", "y"].map(|d| Row::score(*m, "t", d, *s))).collect();
        let table = ScoreTable::new(scheme(Combine::Sum), rows).unwrap();
        Leaderboard::new(&table, &Settings::new(Missing::Error)).unwrap()
    };
    let first = board(&[("a", 4.0), ("b", 3.0), ("c", 2.0), ("only-first", 9.0)]);
    let second = board(&[("a", 6.0), ("b", 8.0), ("c", 1.0)]);
    let found = judges(&first, &second).unwrap();
    let names: Vec<&str> = found.models.iter().map(|m| m.as_str()).collect();
    assert_eq!(names, ["a", "b", "c"]);
    assert_eq!((found.order.pairs, found.order.kept), (3, 2));
    // Ranks 3 2 1 against 2 3 1: ρ = 1 − 6·2 / (3·8); τ = (2 − 1) / 3.
    close(found.spearman.unwrap().coefficient, 0.5, 1e-12);
    close(found.kendall.unwrap().coefficient, 1.0 / 3.0, 1e-12);
    // Totals 8 6 4 against 12 16 2: 20 / √(8 × 104).
    close(found.pearson.unwrap().coefficient, 20.0 / f64::sqrt(8.0 * 104.0), 1e-12);
    assert!(judges(&first, &board(&[("a", 1.0)])).is_err());
}
