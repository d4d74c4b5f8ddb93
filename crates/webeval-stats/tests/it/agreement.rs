//! Agreement coefficients against sklearn, irrCAC and krippendorff.

use crate::{close, number, peer_cases};
use serde_json::Value;
use webeval_stats::StatsError;
use webeval_stats::agreement::{
    RaterAgreement, Scale, cohen_kappa, gwet_ac1, krippendorff_alpha, majority, percent_agreement,
};

fn items(case: &Value) -> Vec<Vec<Option<f64>>> {
    let rows = case["items"].as_array().unwrap();
    rows.iter().map(|row| row.as_array().unwrap().iter().map(Value::as_f64).collect()).collect()
}

fn codes(items: &[Vec<Option<f64>>]) -> Vec<Vec<Option<i64>>> {
    items.iter().map(|item| item.iter().map(|r| r.map(|v| v as i64)).collect()).collect()
}

#[test]
fn krippendorff_matches_the_python_package_on_every_scale() {
    let scales = [
        ("nominal", Scale::Nominal),
        ("ordinal", Scale::Ordinal),
        ("interval", Scale::Interval),
        ("ratio", Scale::Ratio),
    ];
    for case in peer_cases("agreement") {
        for (name, scale) in scales {
            let found = krippendorff_alpha(&items(&case), scale).unwrap();
            close(found, number(&case[format!("alpha_{name}")]), 1e-12);
        }
    }
}

#[test]
fn krippendorff_gives_the_published_figures_of_the_published_example() {
    // Krippendorff (2011), example C: 0.743, ordinal 0.815, interval 0.849, ratio 0.797.
    let example = &peer_cases("agreement")[0];
    assert_eq!(example["name"], "published example");
    for (scale, expected) in
        [(Scale::Nominal, 0.743), (Scale::Ordinal, 0.815), (Scale::Interval, 0.849), (Scale::Ratio, 0.797)]
    {
        close(krippendorff_alpha(&items(example), scale).unwrap(), expected, 5e-4);
    }
}

#[test]
fn ac1_matches_irrcac() {
    let mut compared = 0;
    for case in peer_cases("agreement") {
        let Some(expected) = case["ac1"].as_f64() else {
            continue;
        };
        let categories = case["categories"].as_u64().unwrap() as usize;
        let found = gwet_ac1(&codes(&items(&case)), categories).unwrap();
        close(found, expected, 1e-11);
        compared += 1;
    }
    assert_eq!(compared, 6);
}

#[test]
fn kappa_and_percent_match_sklearn() {
    let mut compared = 0;
    for case in peer_cases("agreement") {
        let Some(expected) = case["kappa"].as_f64() else {
            continue;
        };
        let codes = codes(&items(&case));
        let rater = |r: usize| codes.iter().map(|item| item[r].unwrap()).collect::<Vec<_>>();
        close(cohen_kappa(&rater(0), &rater(1)).unwrap(), expected, 1e-12);
        close(percent_agreement(&rater(0), &rater(1)).unwrap(), number(&case["percent"]), 1e-15);
        compared += 1;
    }
    assert_eq!(compared, 3);
}

#[test]
fn when_all_ratings_are_equal_only_ac1_has_a_value() {
    let passes = ["pass"; 4];
    assert!(matches!(cohen_kappa(&passes, &passes), Err(StatsError::Undefined { .. })));
    let items = vec![vec![Some(1.0), Some(1.0)]; 4];
    assert!(matches!(krippendorff_alpha(&items, Scale::Nominal), Err(StatsError::Undefined { .. })));
    // Two categories to choose from, no disagreement: chance is 0.
    close(gwet_ac1(&codes(&items), 2).unwrap(), 1.0, 0.0);
}

#[test]
fn ratings_that_cannot_be_compared_are_refused() {
    let lonely = [vec![Some(1.0), None], vec![None, Some(2.0)]];
    assert!(matches!(krippendorff_alpha(&lonely, Scale::Nominal), Err(StatsError::TooFew { .. })));
    assert!(gwet_ac1(&codes(&lonely), 2).is_err());
    let three = [vec![Some('a'), Some('b')], vec![Some('c'), Some('a')]];
    assert!(matches!(gwet_ac1(&three, 2), Err(StatsError::TooFew { .. })));
    assert!(matches!(
        krippendorff_alpha(&[vec![Some(-1.0), Some(1.0)]], Scale::Ratio),
        Err(StatsError::OutOfRange { .. })
    ));
    assert!(percent_agreement(&['a'], &[]).is_err());
}

#[test]
fn two_raters_are_summed_up_by_every_coefficient() {
    let cases = peer_cases("agreement");
    let case = cases.iter().find(|c| c["name"] == "two raters, one label rare").unwrap();
    let codes = codes(&items(case));
    let rater = |r: usize| codes.iter().map(|i| i[r].unwrap()).collect::<Vec<i64>>();
    let found = RaterAgreement::new(&rater(0), &rater(1), 2).unwrap();
    assert_eq!((found.agreed.n, found.agreed.agree), (60, 55));
    close(found.kappa.unwrap(), number(&case["kappa"]), 1e-12);
    close(found.ac1, number(&case["ac1"]), 1e-11);
    close(found.alpha.unwrap(), number(&case["alpha_nominal"]), 1e-12);
    let same = RaterAgreement::new(&["pass"; 3], &["pass"; 3], 2).unwrap();
    assert_eq!((same.kappa, same.ac1, same.alpha), (None, 1.0, None));
    assert!(RaterAgreement::new::<u8>(&[], &[], 2).is_err());
}

#[test]
fn a_majority_is_more_than_half() {
    assert_eq!(majority(&["pass", "fail", "fail"]), Some(&"fail"));
    assert_eq!(majority(&["pass", "fail"]), None);
    assert_eq!(majority(&["pass", "fail", "unable"]), None);
    assert_eq!(majority(&["pass"]), Some(&"pass"));
    assert_eq!(majority(&[3, 3, 1, 2]), None);
    assert_eq!(majority::<u8>(&[]), None);
}
