//! Leaderboards against a numpy computation of the same figures, and the policies by hand.

use crate::{close, number, numbers, peer_cases};
use proptest::prelude::*;
use serde_json::Value;
use webeval_stats::compare::{Certainty, models};
use webeval_stats::leaderboard::{Missing, NotDeployed};
use webeval_stats::render::{Grid, leaderboard_svg};
use webeval_stats::{
    Bootstrap, Cell, Combine, Dimension, Estimate, Leaderboard, ModelName, Reference, Row, Scheme, ScoreTable,
    Settings, StatsError,
};

const DIMENSIONS: [&str; 5] = ["aesthetics", "usability", "functional", "content", "visual"];

/// The table of the peer fixture: holes are missing, the visual criteria of two tasks are none.
fn peer_table(case: &Value) -> ScoreTable {
    let blank: Vec<u64> = numbers(&case["not_applicable"]).iter().map(|&t| t as u64).collect();
    let mut rows = Vec::new();
    for (m, model) in case["scores"].as_array().unwrap().iter().enumerate() {
        for (t, task) in model.as_array().unwrap().iter().enumerate() {
            for (d, dimension) in DIMENSIONS.iter().enumerate() {
                let mut row = Row::score(format!("m{m}"), format!("t{t:02}"), *dimension, 0.0);
                row.cell = match task[d].as_f64() {
                    Some(score) => Cell::Score(score),
                    None if d == 4 && blank.contains(&(t as u64)) => Cell::NotApplicable,
                    None => Cell::Missing,
                };
                rows.push(row);
            }
        }
    }
    ScoreTable::new(Scheme::webcraftbench(), rows).unwrap()
}

/// A model's figures in the columns of the fixture.
fn columns(board: &Leaderboard, model: usize) -> Vec<Estimate> {
    let standing = board.standing(&format!("m{model}").into()).unwrap();
    let rank = standing.rank.unwrap();
    let mut columns: Vec<Estimate> = Vec::new();
    columns.extend(standing.dimensions.iter().map(|d| d.mean.unwrap()));
    columns.extend(standing.dimensions.iter().map(|d| d.z.unwrap()));
    columns.push(standing.components[2].unwrap());
    columns.push(standing.total.unwrap());
    columns.push(Estimate { value: rank.place as f64, interval: None });
    columns
}

#[track_caller]
fn matches(board: &Leaderboard, expected: &Value) {
    for (m, row) in expected.as_array().unwrap().iter().enumerate() {
        for (found, expected) in columns(board, m).iter().zip(numbers(row)) {
            close(found.value, expected, 1e-10);
        }
    }
}

#[test]
fn figures_match_numpy_under_every_policy() {
    let case = &peer_cases("leaderboard")[0];
    let table = peer_table(case);
    for (policy, key) in [(Missing::DropCell, "drop_cell"), (Missing::DropTask, "drop_task"), (Missing::Worst, "worst")]
    {
        let board = Leaderboard::new(&table, &Settings::new(policy)).unwrap();
        matches(&board, &case[key]);
    }
    let board = Leaderboard::new(&table, &Settings::new(Missing::DropTask)).unwrap();
    let dropped: Vec<&str> = board.dropped_tasks.iter().map(|t| t.as_str()).collect();
    assert_eq!((board.tasks, dropped), (27, vec!["t05", "t07", "t20"]));
    assert!(matches!(Leaderboard::new(&table, &Settings::new(Missing::Error)), Err(StatsError::Missing { .. })));
}

#[test]
fn intervals_match_a_second_program_drawing_the_same_numbers() {
    let case = &peer_cases("leaderboard")[0];
    let bootstrap = Bootstrap::new(case["seed"].as_u64().unwrap())
        .with_resamples(case["resamples"].as_u64().unwrap() as usize)
        .unwrap()
        .with_level(number(&case["level"]))
        .unwrap();
    let settings = Settings::new(Missing::DropCell).with_bootstrap(bootstrap);
    let board = Leaderboard::new(&peer_table(case), &settings).unwrap();
    for m in 0..6 {
        let (low, high) = (numbers(&case["low"][m]), numbers(&case["high"][m]));
        for (i, estimate) in columns(&board, m).iter().enumerate().take(12) {
            let interval = estimate.interval.unwrap();
            // The two programs' normal quantiles differ in the tenth digit.
            close(interval.low, low[i], 1e-8);
            close(interval.high, high[i], 1e-8);
        }
        let rank = board.standing(&format!("m{m}").into()).unwrap().rank;
        assert_eq!(
            rank.unwrap().interval.unwrap(),
            ((low[12] + 1e-8).floor() as usize, (high[12] - 1e-8).ceil() as usize)
        );
    }
}

/// Two dimensions of 0–10, a component each.
fn two_dimensions(combine: Combine) -> Scheme {
    let dimension = |name: &str| Dimension::new(name, 0.0, 10.0).unwrap();
    Scheme::new("test", combine, vec![("first".into(), vec![dimension("x")]), ("second".into(), vec![dimension("y")])])
        .unwrap()
}

fn cell(model: &str, task: &str, dimension: &str, cell: Cell) -> Row {
    Row { cell, ..Row::score(model, task, dimension, 0.0) }
}

#[test]
fn what_could_not_be_deployed_counts_zero_or_not_at_all_and_is_listed() {
    let rows = [
        Row::score("a", "t1", "x", 8.0),
        Row::score("a", "t1", "y", 6.0),
        cell("a", "t2", "x", Cell::NotDeployed),
        cell("a", "t2", "y", Cell::NotDeployed),
    ];
    let table = ScoreTable::new(two_dimensions(Combine::Sum), rows).unwrap();
    let settings = Settings::new(Missing::Error);
    let counted = Leaderboard::new(&table, &settings).unwrap();
    let excluded = settings.with_not_deployed(NotDeployed::Exclude);
    let excluded = Leaderboard::new(&table, &excluded).unwrap();
    assert_eq!(counted.standings[0].total.unwrap().value, 7.0);
    assert_eq!(excluded.standings[0].total.unwrap().value, 14.0);
    for board in [counted, excluded] {
        assert_eq!(board.not_deployed.len(), 1);
        assert_eq!(board.not_deployed[0].task.as_str(), "t2");
        assert_eq!(board.standings[0].dimensions[0].counts.not_deployed, 1);
    }
}

#[test]
fn incomplete_scores_count_their_low_bound_and_show_the_high_one() {
    let rows = [
        Row::score("a", "t1", "x", 4.0),
        cell("a", "t2", "x", Cell::Incomplete { low: 2.0, high: 6.0 }),
        Row::score("a", "t1", "y", 1.0),
        Row::score("a", "t2", "y", 1.0),
    ];
    let table = ScoreTable::new(two_dimensions(Combine::Mean), rows).unwrap();
    let board = Leaderboard::new(&table, &Settings::new(Missing::Error)).unwrap();
    let [x, y] = &board.standings[0].dimensions[..] else { panic!("two dimensions") };
    assert_eq!((x.mean.unwrap().value, x.mean_high), (3.0, Some(5.0)));
    assert_eq!((y.mean.unwrap().value, y.mean_high), (1.0, None));
    assert_eq!((x.counts.scored, x.counts.incomplete), (2, 1));
    // (3 + 1) / 2
    assert_eq!(board.standings[0].total.unwrap().value, 2.0);
}

#[test]
fn one_model_or_no_spread_leaves_scores_without_z_scores() {
    let rows = [Row::score("a", "t", "x", 4.0), Row::score("a", "t", "y", 5.0)];
    let scheme = two_dimensions(Combine::StandardisedMean);
    let table = ScoreTable::new(scheme.clone(), rows.clone()).unwrap();
    let board = Leaderboard::new(&table, &Settings::new(Missing::Error)).unwrap();
    let standing = &board.standings[0];
    assert_eq!(standing.dimensions[0].mean.unwrap().value, 4.0);
    assert_eq!((standing.dimensions[0].z, standing.total), (None, None));
    assert_eq!(standing.rank, None);
    assert!(board.to_reference("pool").is_err());

    let more = [Row::score("b", "t", "x", 4.0), Row::score("b", "t", "y", 7.0)];
    let table = ScoreTable::new(scheme, rows.into_iter().chain(more)).unwrap();
    let board = Leaderboard::new(&table, &Settings::new(Missing::Error)).unwrap();
    // All equal in x, so no z-score in x; 5 and 7 are one deviation from 6.
    assert_eq!(board.standings[0].dimensions[0].z, None);
    assert_eq!(board.standings[0].dimensions[1].z.unwrap().value, -1.0);
    assert_eq!(board.standings[0].total, None);
}

#[test]
fn a_reference_ranks_even_one_model_and_survives_its_file() {
    let pool = [
        Row::score("a", "t", "x", 2.0),
        Row::score("b", "t", "x", 6.0),
        Row::score("a", "t", "y", 1.0),
        Row::score("b", "t", "y", 3.0),
    ];
    let scheme = two_dimensions(Combine::StandardisedMean);
    let table = ScoreTable::new(scheme.clone(), pool).unwrap();
    let board = Leaderboard::new(&table, &Settings::new(Missing::Error)).unwrap();
    let file = serde_json::to_string(&board.to_reference("spring").unwrap()).unwrap();
    let settings = Settings::new(Missing::Error).with_reference(Reference::from_json(&file).unwrap());
    // Pool x: mean 4, deviation 2; y: mean 2, deviation 1. z = (8−4)/2 = 2 and (2−2)/1 = 0.
    let newcomer = [Row::score("new", "t", "x", 8.0), Row::score("new", "t", "y", 2.0)];
    let table = ScoreTable::new(scheme, newcomer).unwrap();
    let board = Leaderboard::new(&table, &settings).unwrap();
    assert_eq!(board.standings[0].total.unwrap().value, 1.0);
    assert_eq!(board.standings[0].rank.unwrap().place, 1);
}

#[test]
fn references_of_another_format_or_another_scheme_are_refused() {
    let other = r#"{"format": 2, "name": "x", "dimensions": {}}"#;
    assert!(matches!(Reference::from_json(other), Err(StatsError::Format { found: 2, .. })));
    assert!(matches!(Reference::from_json("{"), Err(StatsError::Json { .. })));
    let empty = Reference::from_json(r#"{"format": 1, "name": "x", "dimensions": {}}"#).unwrap();
    let rows = [Row::score("a", "t", "usability", 1.0)];
    let table = ScoreTable::new(Scheme::webcraftbench(), rows).unwrap();
    let settings = Settings::new(Missing::Worst).with_reference(empty);
    assert!(matches!(Leaderboard::new(&table, &settings), Err(StatsError::Unknown { .. })));
}

#[test]
fn a_model_without_scores_is_listed_unranked_and_outside_the_pool() {
    let rows = [
        Row::score("a", "t", "x", 2.0),
        Row::score("b", "t", "x", 6.0),
        Row::score("a", "t", "y", 1.0),
        Row::score("b", "t", "y", 3.0),
        Row::score("broken", "t", "x", 9.0),
    ];
    let table = ScoreTable::new(two_dimensions(Combine::StandardisedMean), rows).unwrap();
    let board = Leaderboard::new(&table, &Settings::new(Missing::DropCell)).unwrap();
    assert_eq!(board.pool[0].unwrap().mean(), 4.0);
    let order: Vec<&str> = board.standings.iter().map(|s| s.model.as_str()).collect();
    assert_eq!(order, ["b", "a", "broken"]);
    assert_eq!(board.standings[2].rank, None);
    assert_eq!(board.standings[2].dimensions[0].mean.unwrap().value, 9.0);
}

#[test]
fn a_dimension_that_no_task_has_is_left_out_of_its_component() {
    let mut rows = Vec::new();
    for (model, scores) in [("a", [1.0, 2.0, 3.0, 6.0]), ("b", [3.0, 4.0, 5.0, 2.0])] {
        for (dimension, score) in DIMENSIONS.iter().zip(scores) {
            rows.push(Row::score(model, "t", *dimension, score));
        }
        rows.push(cell(model, "t", "visual", Cell::NotApplicable));
    }
    let table = ScoreTable::new(Scheme::webcraftbench(), rows).unwrap();
    let board = Leaderboard::new(&table, &Settings::new(Missing::Error)).unwrap();
    let b = board.standing(&"b".into()).unwrap();
    // z of b: +1 +1 +1 −1 and nothing for visual; alignment (1 − 1) / 2, total (1 + 1 + 0) / 3.
    assert_eq!(b.components[2].unwrap().value, 0.0);
    close(b.total.unwrap().value, 2.0 / 3.0, 1e-15);
}

#[test]
fn equal_totals_share_a_place() {
    let rows = ["a", "b", "c"].map(|m| Row::score(m, "t", "x", if m == "c" { 1.0 } else { 5.0 }));
    let more = ["a", "b", "c"].map(|m| Row::score(m, "t", "y", 5.0));
    let table = ScoreTable::new(two_dimensions(Combine::Sum), rows.into_iter().chain(more)).unwrap();
    let board = Leaderboard::new(&table, &Settings::new(Missing::Error)).unwrap();
    let places: Vec<usize> = board.standings.iter().map(|s| s.rank.unwrap().place).collect();
    assert_eq!(places, [1, 1, 3]);
}

#[test]
fn a_single_task_gives_no_intervals() {
    let rows = ["x", "y"].map(|d| Row::score("a", "t", d, 5.0));
    let table = ScoreTable::new(two_dimensions(Combine::Sum), rows).unwrap();
    let settings = Settings::new(Missing::Error).with_bootstrap(Bootstrap::new(1));
    let standing = &Leaderboard::new(&table, &settings).unwrap().standings[0];
    assert_eq!(standing.total.unwrap().interval, None);
    assert_eq!(standing.rank.unwrap().interval, None);
}

#[test]
fn tables_refuse_what_cannot_be_meant() {
    let scheme = Scheme::webcraftbench;
    let twice = [Row::score("a", "t", "visual", 1.0), Row::score("a", "t", "visual", 2.0)];
    assert!(matches!(ScoreTable::new(scheme(), twice), Err(StatsError::Duplicate { .. })));
    for score in [101.0, -0.1] {
        assert!(matches!(
            ScoreTable::new(scheme(), [Row::score("a", "t", "visual", score)]),
            Err(StatsError::OutOfRange { .. })
        ));
    }
    assert!(matches!(
        ScoreTable::new(scheme(), [Row::score("a", "t", "visual", f64::NAN)]),
        Err(StatsError::NotFinite { .. })
    ));
    assert!(matches!(ScoreTable::new(scheme(), [Row::score("a", "t", "speed", 1.0)]), Err(StatsError::Unknown { .. })));
    let upside_down = cell("a", "t", "visual", Cell::Incomplete { low: 9.0, high: 3.0 });
    assert!(ScoreTable::new(scheme(), [upside_down]).is_err());
    let nothing = ScoreTable::new(scheme(), []).unwrap();
    assert!(matches!(Leaderboard::new(&nothing, &Settings::new(Missing::Worst)), Err(StatsError::TooFew { .. })));
}

#[test]
fn csv_cells_are_read_by_score_and_status() {
    let text = "task, model, score, dimension, status, high\n\
                t1, a, 50, visual, ,\n\
                t1, a, 50, content, scored, 75\n\
                t1, a, , functional, not-applicable,\n\
                t1, a, , usability, not-deployed,\n\
                t1, a, , aesthetics, ,\n";
    let table = ScoreTable::from_csv(Scheme::webcraftbench(), text).unwrap();
    let cells: Vec<Cell> = table.rows().map(|row| row.cell).collect();
    assert_eq!(
        cells,
        [
            Cell::Missing,
            Cell::NotDeployed,
            Cell::NotApplicable,
            Cell::Incomplete { low: 50.0, high: 75.0 },
            Cell::Score(50.0),
        ]
    );
    let short = "model,task,dimension,score\na,t,visual,10\n";
    assert!(ScoreTable::from_csv(Scheme::webcraftbench(), short).is_ok());
    for bad in [
        "model,task,dimension,score\na,t,visual,ten\n",
        "model,task,dimension,score\na,t,visual,NaN\n",
        "model,task,dimension,score,status\na,t,visual,,scored\n",
        "model,task,dimension,score,status\na,t,visual,3,missing\n",
        "model,task,score\na,t,3\n",
    ] {
        assert!(ScoreTable::from_csv(Scheme::webcraftbench(), bad).is_err(), "{bad}");
    }
}

#[test]
fn schemes_from_files_are_checked() {
    let scheme = Scheme::liveevalbench();
    let json = serde_json::to_string(&scheme).unwrap();
    assert_eq!(serde_json::from_str::<Scheme>(&json).unwrap(), scheme);
    // 15 + 15 + 15 + 22.5 + 22.5
    let top: f64 = scheme.dimensions().iter().map(Dimension::high).sum();
    assert_eq!(top, 90.0);
    for broken in [
        json.replace("[3,4]", "[3,9]"),
        json.replace("[3,4]", "[3]"),
        json.replace("visual_quality", "interaction_experience"),
        json.replace("\"low\":0.0", "\"low\":99.0"),
    ] {
        assert_ne!(broken, json);
        assert!(serde_json::from_str::<Scheme>(&broken).is_err(), "{broken}");
    }
    let weights = Scheme::webcraftbench().weights();
    assert_eq!(weights, [1.0 / 3.0, 1.0 / 3.0, 1.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0]);
}

/// Any cell that a table accepts.
fn any_cell() -> impl Strategy<Value = Cell> {
    prop_oneof![
        4 => (0.0..=10.0).prop_map(Cell::Score),
        1 => Just(Cell::Score(5.0)),
        1 => (0.0..=5.0, 5.0..=10.0).prop_map(|(low, high)| Cell::Incomplete { low, high }),
        1 => Just(Cell::NotApplicable),
        1 => Just(Cell::NotDeployed),
        1 => Just(Cell::Missing),
    ]
}

fn any_settings() -> impl Strategy<Value = Settings> {
    let missing =
        prop_oneof![Just(Missing::DropCell), Just(Missing::DropTask), Just(Missing::Worst), Just(Missing::Error),];
    (missing, any::<bool>()).prop_map(|(missing, exclude)| {
        let settings = Settings::new(missing).with_bootstrap(Bootstrap::new(3).with_resamples(20).unwrap());
        if exclude { settings.with_not_deployed(NotDeployed::Exclude) } else { settings }
    })
}

proptest! {
    #[test]
    fn any_table_gives_finite_figures_or_an_error(
        cells in proptest::collection::vec(any_cell(), 0..24),
        settings in any_settings(),
        combine in prop_oneof![
            Just(Combine::StandardisedMean),
            Just(Combine::Sum),
            Just(Combine::Mean),
        ],
    ) {
        let rows = cells.iter().enumerate().map(|(i, &c)| {
            let dimension = if i % 2 == 0 { "x" } else { "y" };
            cell(&format!("m{}", i / 2 % 3), &format!("t{}", i / 6), dimension, c)
        });
        let table = ScoreTable::new(two_dimensions(combine), rows).unwrap();
        if let Ok(board) = Leaderboard::new(&table, &settings) {
            // JSON would hold a figure that is not finite as null, which no number reads back.
            let json = webeval_stats::render::json(&board).unwrap();
            prop_assert_eq!(serde_json::from_str::<Leaderboard>(&json).unwrap(), board.clone());
            prop_assert!(!leaderboard_svg(&board).contains("NaN"));
            let text = Grid::leaderboard(&board).text() + &Grid::raw_scores(&board).csv();
            prop_assert!(!text.contains("NaN") && !text.contains("inf"));
            let (first, last) = (&table.models()[0], &table.models()[table.models().len() - 1]);
            if let Ok(found) = models(&table, &settings, first, last, Certainty::default()) {
                prop_assert!(found.difference.value.is_finite());
                prop_assert!((0.0..=1.0).contains(&found.test.p_value));
            }
            for s in &board.standings {
                for estimate in s.dimensions.iter().flat_map(|d| [d.mean, d.z]).flatten() {
                    if let Some(interval) = estimate.interval {
                        prop_assert!(interval.low <= interval.high);
                    }
                }
            }
        }
    }

    #[test]
    fn the_order_of_rows_and_the_number_of_threads_change_nothing(
        scores in proptest::collection::vec(0.0..10.0f64, 3 * 4 * 2),
        seed in any::<u64>(),
        shift in 1usize..23,
    ) {
        let mut rows: Vec<Row> = scores
            .iter()
            .enumerate()
            .map(|(i, &s)| {
                let dimension = if i % 2 == 0 { "x" } else { "y" };
                Row::score(format!("m{}", i / 2 % 3), format!("t{}", i / 6), dimension, s)
            })
            .collect();
        let settings = Settings::new(Missing::Error)
            .with_bootstrap(Bootstrap::new(seed).with_resamples(50).unwrap());
        let board = |rows: &[Row], threads: usize| {
            let table = ScoreTable::new(two_dimensions(Combine::StandardisedMean), rows.to_vec());
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Leaderboard::new(&table.unwrap(), &settings).unwrap())
        };
        let before = board(&rows, 1);
        rows.rotate_left(shift);
        prop_assert_eq!(&before, &board(&rows, 3));
        // z-scores of a pool have mean 0, so the totals sum to 0.
        let sum: f64 = before.standings.iter().filter_map(|s| Some(s.total?.value)).sum();
        prop_assert!(sum.abs() < 1e-9);
        let names: Vec<ModelName> = before.standings.iter().map(|s| s.model.clone()).collect();
        prop_assert_eq!(names.len(), 3);
    }
}
