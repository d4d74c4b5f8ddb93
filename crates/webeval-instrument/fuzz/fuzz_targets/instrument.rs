//! Whatever the bytes: no panic, and what is instrumented keeps its lines and can be instrumented no second time.
#![no_main]

use libfuzzer_sys::fuzz_target;
use webeval_instrument::{Options, instrument, instrument_bytes};

const NAMES: [&str; 7] = ["a.js", "a.ts", "a.tsx", "a.html", "a.vue", "a.svelte", "a.astro"];

fuzz_target!(|input: (u8, bool, &[u8])| {
    let (name, map, bytes) = input;
    let mut options = Options::default();
    options.produce_source_map = map;
    let Ok(done) = instrument_bytes(bytes, NAMES[name as usize % NAMES.len()], &options) else { return };
    let lines = |text: &[u8]| text.iter().filter(|&&byte| byte == b'\n').count();
    assert_eq!(lines(done.code.as_bytes()), lines(bytes));
    if done.coverage.hash.is_some() {
        assert!(instrument(&done.code, "again.js", &options).is_err());
    }
});
