//! Whatever the bytes: see `tests/it/check.rs`.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/it/check.rs"]
mod check;

fuzz_target!(|input: (u8, bool, &[u8])| check::check(input.0, input.1, input.2));
