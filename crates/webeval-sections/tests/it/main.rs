//! Integration tests: one binary, one module a subject. Those that need a browser say why they are skipped without one.
#![allow(clippy::unwrap_used, reason = "a helper that fails fails its test")]

mod agreement;
mod checks;
mod color;
mod degrade;
mod probe;
mod process;
mod sections;
mod support;
