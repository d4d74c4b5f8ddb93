//! Ranks with ties, and the random numbers.

use webeval_stats::rank::{average_ranks, leaderboard_ranks};
use webeval_stats::rng::SplitMix64;

#[test]
fn equal_values_share_the_better_place() {
    assert_eq!(leaderboard_ranks(&[0.5, 2.0, 0.5, -1.0, 3.0]).unwrap(), [3, 2, 3, 5, 1]);
    assert_eq!(leaderboard_ranks(&[0.0, -0.0]).unwrap(), [1, 1]);
    assert_eq!(leaderboard_ranks(&[]).unwrap(), [0; 0]);
    assert!(leaderboard_ranks(&[f64::NAN]).is_err());
}

#[test]
fn equal_values_share_the_mean_rank() {
    assert_eq!(average_ranks(&[10.0, 20.0, 20.0, 5.0, 20.0]).unwrap(), [2.0, 4.0, 4.0, 1.0, 4.0]);
}

#[test]
fn random_numbers_are_the_published_ones() {
    // The reference sequence of SplitMix64 for seed 1234567.
    let mut rng = SplitMix64::new(1_234_567);
    let expected = [
        6_457_827_717_110_365_317,
        3_203_168_211_198_807_973,
        9_817_491_932_198_370_423,
        4_593_380_528_125_082_431,
        16_408_922_859_458_223_821,
    ];
    assert_eq!(expected.map(|_| rng.next_u64()), expected);
}

#[test]
fn streams_are_seeded_by_the_outputs_of_the_root() {
    let mut root = SplitMix64::new(99);
    for index in 0..5 {
        let mut seeded = SplitMix64::new(root.next_u64());
        let mut stream = SplitMix64::stream(99, index);
        assert_eq!(stream.next_u64(), seeded.next_u64());
    }
}

#[test]
fn bounded_numbers_stay_below_and_reach_every_value() {
    let mut rng = SplitMix64::new(1);
    let mut seen = [0; 7];
    for _ in 0..7_000 {
        seen[rng.below(7)] += 1;
    }
    // Expected 1,000 each, standard deviation 29.
    assert!(seen.iter().all(|n| (850..1150).contains(n)), "{seen:?}");
    assert_eq!(rng.below(0), 0);
}
