//! `cargo +nightly fuzz run normalize`: no input panics, normal forms are stable, levels nest, diffs replay.
#![no_main]

use libfuzzer_sys::fuzz_target;
use webeval_states::{Dom, Level, Options, apply, diff, identify, normalize};

fuzz_target!(|bytes: &[u8]| {
    let page = String::from_utf8_lossy(bytes);
    let options = Options::default();
    let Ok(identity) = identify(&page, &options) else { return };
    for level in Level::ALL {
        let once = normalize(&page, level, &options).expect("read before");
        assert_eq!(normalize(&once, level, &options).expect("shorter than the limit"), once);
        let again = identify(&once, &options).expect("shorter than the limit");
        for coarser in Level::ALL.into_iter().filter(|coarser| *coarser >= level) {
            assert_eq!(again.at(coarser), identity.at(coarser));
        }
    }
    let half = page.len() / 2;
    let half = (0..=half).rev().find(|at| page.is_char_boundary(*at)).unwrap_or(0);
    let (a, b) = page.split_at(half);
    if let (Ok(a), Ok(b)) = (Dom::parse(a, &options), Dom::parse(b, &options)) {
        assert_eq!(apply(&a, &diff(&a, &b)).expect("made from it"), b);
    }
});
