//! What holds for whatever bytes are given: for the fuzz target (`fuzz/`), and for the tests.
use webeval_instrument::{Options, instrument, instrument_bytes};

const NAMES: [&str; 7] = ["a.js", "a.ts", "a.tsx", "a.html", "a.vue", "a.svelte", "a.astro"];

/// No panic, and what is instrumented keeps its lines and can be instrumented no second time.
pub(crate) fn check(name: u8, map: bool, bytes: &[u8]) {
    let mut options = Options::default();
    options.produce_source_map = map;
    let Ok(done) = instrument_bytes(bytes, NAMES[name as usize % NAMES.len()], &options) else { return };
    let lines = |text: &[u8]| text.iter().filter(|&&byte| byte == b'\n').count();
    assert_eq!(lines(done.code.as_bytes()), lines(bytes));
    if done.coverage.hash.is_some() {
        assert!(instrument(&done.code, "again.js", &options).is_err());
    }
}
