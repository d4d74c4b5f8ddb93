//! Agreement by band and reversed pairs.

use crate::{close, number, peer_cases, published};
use webeval_stats::StatsError;
use webeval_stats::pairwise::{Agreed, BandAgreement, OrderAgreement, Preference, TABLE_4_BANDS};

#[test]
fn webcraftbench_table_4_rates_and_cumulative_columns_follow_from_the_bands() {
    let rows = published("webcraftbench-table4");
    let edges: Vec<f64> = rows.iter().map(|row| row[0].parse().unwrap()).collect();
    assert_eq!(edges, TABLE_4_BANDS);
    let count = |text: &str| text.parse::<usize>().unwrap();
    let within: Vec<Agreed> = rows.iter().map(|row| Agreed { n: count(&row[2]), agree: count(&row[3]) }).collect();
    let found = BandAgreement::from_counts(&edges, &within).unwrap();
    for (band, row) in found.bands.iter().zip(&rows) {
        assert_eq!(band.high, row[1].parse().ok());
        assert_eq!((band.cumulative.n, band.cumulative.agree), (count(&row[5]), count(&row[6])));
        let percent = |agreed: Agreed| 100.0 * agreed.rate().unwrap();
        close(percent(band.within), row[4].parse().unwrap(), 0.05);
        close(percent(band.cumulative), row[7].parse().unwrap(), 0.05);
    }
    // 168 of 197 overall; 29 disagreements, 17 and 7 of them in the two lowest bands (§5.3).
    let overall = found.overall();
    assert_eq!((overall.n, overall.n - overall.agree), (197, 29));
    let against: Vec<usize> = within.iter().map(|a| a.n - a.agree).collect();
    assert_eq!(against[..2], [17, 7]);
}

#[test]
fn pairs_fall_into_bands_by_the_size_of_the_difference() {
    use Preference::{BothBad, Left, Right, Tie};
    let pairs = [
        (0.1, Left),   // first band, agrees
        (-0.24, Left), // first band, disagrees
        (0.25, Left),  // an edge belongs to the band above
        (-0.3, Right), // second band, agrees
        (0.0, Right),  // first band, undecided
        (5.0, Right),  // last band, disagrees
        (1.0, Tie),    // no band
        (-1.0, BothBad),
    ];
    let found = BandAgreement::new(&pairs, &[0.0, 0.25, 2.0]).unwrap();
    let counts: Vec<(usize, usize)> = found.bands.iter().map(|b| (b.within.n, b.within.agree)).collect();
    assert_eq!(counts, [(3, 1), (2, 2), (1, 0)]);
    assert_eq!((found.ties, found.undecided), (2, 1));
    assert_eq!((found.overall().n, found.overall().agree), (6, 3));
    assert_eq!(Agreed::default().rate(), None);
}

#[test]
fn bands_must_cover_all_differences() {
    for edges in [&[][..], &[0.1], &[0.0, 0.5, 0.5], &[0.0, f64::NAN]] {
        assert!(BandAgreement::new(&[], edges).is_err());
    }
    assert!(matches!(BandAgreement::new(&[(f64::NAN, Preference::Left)], &[0.0]), Err(StatsError::NotFinite { .. })));
}

#[test]
fn wilson_intervals_match_statsmodels() {
    for case in peer_cases("proportions") {
        let count = |key: &str| case[key].as_u64().unwrap() as usize;
        let agreed = Agreed { n: count("n"), agree: count("agree") };
        let found = agreed.interval(number(&case["level"])).unwrap().unwrap();
        close(found.low, number(&case["low"]), 1e-9);
        close(found.high, number(&case["high"]), 1e-9);
    }
    assert_eq!(Agreed::default().interval(0.95).unwrap(), None);
    assert!(Agreed { n: 1, agree: 2 }.interval(0.95).is_err());
}

#[test]
fn reversed_pairs_are_named_with_their_distance() {
    // Six pairs: 0-1 reversed (gap 1), 2-3 tied by the second judge, the others kept.
    let first = [4.0, 3.0, 2.0, 1.0];
    let second = [7.0, 8.0, 2.0, 2.0];
    let found = OrderAgreement::new(&first, &second).unwrap();
    assert_eq!((found.pairs, found.kept, found.tied), (6, 4, 1));
    assert_eq!(found.reversed.len(), 1);
    let reversal = found.reversed[0];
    assert_eq!((reversal.higher, reversal.lower, reversal.gap), (0, 1, 1.0));
    close(found.rate(), 4.0 / 6.0, 1e-15);
    assert!(OrderAgreement::new(&[1.0], &[1.0]).is_err());
}

#[test]
fn seventeen_models_make_136_pairs_and_six_reversals_leave_95_6_percent() {
    // §5.4's arithmetic: swapping neighbours (0 1), (2 3), … reverses exactly one pair each.
    let first: Vec<f64> = (0..17).map(|i| -f64::from(i)).collect();
    let mut second = first.clone();
    for i in 0..6 {
        second.swap(2 * i, 2 * i + 1);
    }
    let found = OrderAgreement::new(&first, &second).unwrap();
    assert_eq!((found.pairs, found.kept), (136, 130));
    close(100.0 * found.rate(), 95.6, 0.05);
}
