//! Human votes, and the benchmark's own.

use crate::{close, number, numbers, peer_cases};
use std::collections::BTreeSet;
use webeval_stats::leaderboard::Missing;
use webeval_stats::pairwise::{Preference, TABLE_4_BANDS};
use webeval_stats::votes::{Vote, agreement, application_totals, consolidate, from_csv, from_json_lines};
use webeval_stats::{Application, Bootstrap, Cell, Row, Scheme, ScoreTable, Settings, StatsError, bradley_terry};

fn vote(task: &str, left: &str, right: &str, preference: Preference) -> Vote {
    Vote { task: task.into(), left: left.into(), right: right.into(), preference }
}

#[test]
fn votes_are_read_from_csv_and_json_under_either_set_of_names() {
    let expected = [
        vote("q1", "m1", "m2", Preference::Left),
        vote("q2", "m2", "m, 3", Preference::Right),
        vote("q3", "m1", "m2", Preference::BothBad),
        vote("q4", "m1", "m2", Preference::Tie),
    ];
    let own = "preference,task,left,right,comment\n\
               left,q1,m1,m2,fine\n\
               right,q2,m2,\"m, 3\",\n\
               both-bad,q3,m1,m2,\n\
               tie,q4,m1,m2,\n";
    assert_eq!(from_csv(own).unwrap(), expected);
    let arena = "question_id,model_a,model_b,winner\n\
                 q1,m1,m2,model_a\n\
                 q2,m2,\"m, 3\",model_b\n\
                 q3,m1,m2,tie (bothbad)\n\
                 q4,m1,m2,tie\n";
    assert_eq!(from_csv(arena).unwrap(), expected);
    let lines: Vec<String> = expected.iter().map(|vote| serde_json::to_string(vote).unwrap()).collect();
    assert_eq!(from_json_lines(&lines.join("\n\n")).unwrap(), expected);
    assert!(matches!(from_csv("task,left,right,preference\nq,a,b,maybe\n"), Err(StatsError::Csv { .. })));
    assert!(matches!(from_json_lines("{}"), Err(StatsError::Json { .. })));
}

#[test]
fn several_votes_on_a_pair_become_one_by_majority() {
    use Preference::{Left, Right, Tie};
    let votes = [
        vote("q1", "b", "a", Left),
        vote("q1", "a", "b", Right), // for b as well
        vote("q1", "b", "a", Right),
        vote("q2", "a", "b", Left),
        vote("q2", "a", "b", Right),
    ];
    assert_eq!(consolidate(&votes), [vote("q1", "b", "a", Left), vote("q2", "a", "b", Tie)]);
}

/// Four applications; every dimension scores 20, 40, 60, 80 in some order.
fn table() -> ScoreTable {
    let applications = [
        ("q1", "m1", [20.0, 40.0, 20.0, 20.0]),
        ("q1", "m2", [80.0, 60.0, 40.0, 40.0]),
        ("q2", "m1", [40.0, 20.0, 60.0, 60.0]),
        ("q2", "m2", [60.0, 80.0, 80.0, 80.0]),
        // Never voted on, so not in the pool.
        ("q3", "m1", [0.0, 0.0, 0.0, 0.0]),
    ];
    let mut rows = Vec::new();
    for (task, model, scores) in applications {
        for (dimension, score) in ["aesthetics", "usability", "functional", "content"].iter().zip(scores) {
            rows.push(Row::score(model, task, *dimension, score));
        }
        rows.push(Row { cell: Cell::NotApplicable, ..Row::score(model, task, "visual", 0.0) });
    }
    ScoreTable::new(Scheme::webcraftbench(), rows).unwrap()
}

#[test]
fn applications_are_standardised_over_those_voted_on() {
    let pool: BTreeSet<Application> =
        ["q1", "q2"].iter().flat_map(|q| ["m1", "m2"].map(|m| Application::new(m, *q))).collect();
    let totals = application_totals(&table(), &Settings::new(Missing::Error), &pool).unwrap();
    // Each column has mean 50 and population deviation √500. No visual criteria, so alignment is
    // the mean of the other two. m2 on q1: (30 + 10 + (−10 − 10) / 2) / 3 / √500.
    close(totals[&Application::new("m2", "q1")], 10.0 / f64::sqrt(500.0), 1e-12);
    close(totals[&Application::new("m1", "q1")], (-30.0 - 10.0 - 30.0) / 3.0 / f64::sqrt(500.0), 1e-12);
}

#[test]
fn votes_are_compared_with_the_scores_of_both_sides() {
    let votes = [
        vote("q1", "m1", "m2", Preference::Right), // gap −33.3 / 22.36 = −1.49: agrees
        vote("q2", "m1", "m2", Preference::Left),  // m1 40 20 60, m2 60 80 80: gap −1.49, disagrees
        vote("q2", "m2", "m1", Preference::Left),
        vote("q1", "m1", "m2", Preference::Tie),
    ];
    let settings = Settings::new(Missing::Error);
    let found = agreement(&votes, &table(), &settings, &TABLE_4_BANDS).unwrap();
    let overall = found.agreement.overall();
    assert_eq!((overall.n, overall.agree, found.agreement.ties), (3, 2, 1));
    assert_eq!(found.agreement.bands[4].within.n, 3);
    assert_eq!(found.disagreements.len(), 1);
    assert_eq!(found.disagreements[0].vote, votes[1]);
    close(found.disagreements[0].gap, -100.0 / 3.0 / f64::sqrt(500.0), 1e-12);
    let unknown = [vote("q1", "m1", "m9", Preference::Left)];
    assert!(matches!(agreement(&unknown, &table(), &settings, &TABLE_4_BANDS), Err(StatsError::Unknown { .. })));
}

#[test]
fn votes_on_what_has_no_score_are_listed_apart() {
    let votes = [
        vote("q1", "m1", "m2", Preference::Right),
        vote("q3", "m1", "m2", Preference::Right), // m2 made nothing for q3
    ];
    let settings = Settings::new(Missing::DropCell);
    let found = agreement(&votes, &table(), &settings, &TABLE_4_BANDS).unwrap();
    assert_eq!(found.unscored, votes[1..]);
    assert_eq!(found.agreement.overall().n, 1);
}

#[test]
fn bradley_terry_matches_a_logistic_regression() {
    for case in peer_cases("bradley_terry") {
        let votes: Vec<Vote> = case["votes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|v| {
                let preference = match v[2].as_str().unwrap() {
                    "left" => Preference::Left,
                    "right" => Preference::Right,
                    _ => Preference::Tie,
                };
                vote("q", &format!("m{}", v[0]), &format!("m{}", v[1]), preference)
            })
            .collect();
        let (strength, error) = (numbers(&case["strength"]), numbers(&case["standard_error"]));
        let found = bradley_terry::fit(&votes, None).unwrap();
        assert_eq!(found.len() as f64, number(&case["players"]));
        for player in found {
            let m: usize = player.model.as_str()[1..].parse().unwrap();
            close(player.strength.value, strength[m], 1e-8);
            close(player.standard_error, error[m], 1e-7);
            assert_eq!(player.strength.interval, None);
        }
    }
}

#[test]
fn two_players_have_the_log_odds_of_their_wins() {
    use Preference::{Left, Right, Tie};
    // m1 wins 3 and ties 1 of 5: 3.5 to 1.5, so the difference is ln(7/3), each half of it from 0.
    let outcomes = [Left, Left, Left, Right, Tie];
    let votes: Vec<Vote> = outcomes.map(|p| vote("q", "m1", "m2", p)).to_vec();
    let bootstrap = Bootstrap::new(1);
    let found = bradley_terry::fit(&votes, Some(&bootstrap)).unwrap();
    let half = f64::ln(7.0 / 3.0) / 2.0;
    close(found[0].strength.value, half, 1e-9);
    close(found[1].strength.value, -half, 1e-9);
    // Ten times the odds is 400 points.
    close(found[0].elo() - found[1].elo(), 400.0 * f64::log10(7.0 / 3.0), 1e-6);
    assert_eq!((found[0].wins, found[0].ties, found[0].losses), (3, 1, 1));
    assert_eq!((found[1].wins, found[1].ties, found[1].losses), (1, 1, 3));
    // m1 wins all with probability 0.6⁵ = 8 %: too many resamples have no finite strengths.
    assert_eq!(found[0].strength.interval, None);
    let many: Vec<Vote> = votes.iter().cycle().take(100).cloned().collect();
    let found = bradley_terry::fit(&many, Some(&bootstrap)).unwrap();
    let interval = found[0].strength.interval.unwrap();
    // The standard error of the difference is about 1/√(100 × 0.7 × 0.3), half of that for each,
    // less what half wins do not vary: an interval of about ± 0.2.
    assert!(interval.low < half && half < interval.high);
    assert!((0.25..0.5).contains(&(interval.high - interval.low)));
}

#[test]
fn strengths_that_do_not_exist_are_an_error() {
    use Preference::{Left, Tie};
    for votes in [
        vec![],
        vec![vote("q", "a", "b", Left)],
        vec![vote("q", "a", "a", Left)],
        // Two groups that never met.
        vec![vote("q", "a", "b", Tie), vote("q", "c", "d", Tie)],
        // d never beats anyone.
        vec![vote("q", "a", "b", Tie), vote("q", "a", "d", Left)],
    ] {
        assert!(bradley_terry::fit(&votes, None).is_err());
    }
}
