//! MinHash against exact set similarity.

use crate::close;
use std::collections::BTreeSet;
use webeval_stats::dedup::MinHash;
use webeval_stats::rng::SplitMix64;

#[test]
fn similarity_is_the_overlap_of_shingles() {
    let hash = MinHash::new(0.5).unwrap().with_shingle(2).unwrap();
    // ab bc cd | bc cd de: two shared of four.
    close(hash.similarity("abcd", "bcde"), 0.5, 0.0);
    close(hash.similarity("ABCD", " abcd "), 1.0, 0.0);
    close(hash.similarity("a  b", "a\tb"), 1.0, 0.0);
    close(hash.similarity("a", "b"), 0.0, 0.0);
    close(hash.similarity("", ""), 1.0, 0.0);
    // Shorter than a shingle: the text itself.
    let hash = hash.with_shingle(9).unwrap();
    close(hash.similarity("日本語", "日本語"), 1.0, 0.0);
    close(hash.similarity("日本語", "日本"), 0.0, 0.0);
}

/// A text of `words` numbered words, some of them replaced.
fn text(rng: &mut SplitMix64, words: usize, replaced: usize) -> String {
    let mut list: Vec<String> = (0..words).map(|i| format!("word{i}")).collect();
    for _ in 0..replaced {
        let at = rng.below(words);
        list[at] = format!("other{}", rng.below(1_000_000));
    }
    list.join(" ")
}

#[test]
fn estimates_lie_within_their_standard_error() {
    let mut rng = SplitMix64::new(5);
    let base = text(&mut rng, 60, 0);
    let mut outside = 0;
    for round in 0..60 {
        let other = text(&mut rng, 60, round / 2);
        // Word sets give the similarity independently when shingles are whole words; here the
        // exact one of the same shingles is the yardstick.
        let hash = MinHash::new(0.5).unwrap().with_seed(round as u64);
        let exact = hash.similarity(&base, &other);
        let deviation = (exact * (1.0 - exact) / 128.0).sqrt();
        let error = (hash.estimated_similarity(&base, &other) - exact).abs();
        assert!(error <= 5.0 * deviation + 1e-12, "{error} at {exact}");
        outside += usize::from(error > 2.0 * deviation);
    }
    // About one in twenty should; twelve in sixty would be far off.
    assert!(outside < 12, "{outside}");
}

/// The same rule by comparing every text with every text kept, over plain sets of characters.
fn by_brute_force(texts: &[String], threshold: f64) -> Vec<usize> {
    let shingles = |text: &str| -> BTreeSet<String> {
        let characters: Vec<char> = text.chars().collect();
        characters.windows(5).map(|w| w.iter().collect()).collect()
    };
    let sets: Vec<BTreeSet<String>> = texts.iter().map(|t| shingles(t)).collect();
    let mut kept: Vec<usize> = Vec::new();
    for (i, set) in sets.iter().enumerate() {
        let repeats = kept.iter().any(|&k| {
            let shared = sets[k].intersection(set).count();
            shared as f64 / (sets[k].len() + set.len() - shared) as f64 >= threshold
        });
        if !repeats {
            kept.push(i);
        }
    }
    kept
}

#[test]
fn the_same_texts_are_kept_as_by_comparing_all_pairs() {
    let mut rng = SplitMix64::new(8);
    let texts: Vec<String> = (0..80)
        .map(|_| {
            let replaced = rng.below(20);
            text(&mut rng, 25, replaced)
        })
        .collect();
    for threshold in [0.3, 0.5, 0.7, 0.9] {
        let expected = by_brute_force(&texts, threshold);
        let found = MinHash::new(threshold).unwrap().deduplicate(&texts);
        assert_eq!(found.kept, expected, "{threshold}");
        assert_eq!(found.kept.len() + found.duplicates.len(), 80);
        assert!(found.duplicates.iter().all(|d| d.similarity >= threshold));
        assert!(found.duplicates.iter().all(|d| found.kept.contains(&d.of)));
        assert!(!found.duplicates.is_empty() && found.kept.len() > 1);
    }
}

#[test]
fn thresholds_and_shingles_out_of_range_are_refused() {
    assert!(MinHash::new(0.0).is_err());
    assert!(MinHash::new(f64::NAN).is_err());
    assert!(MinHash::new(0.5).unwrap().with_shingle(0).is_err());
    assert!(MinHash::new(0.5).unwrap().deduplicate::<&str>(&[]).kept.is_empty());
}
