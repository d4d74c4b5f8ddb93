//! Integration tests: one binary, one module a subject. Those that need a browser say why they are skipped without one.
#![allow(missing_docs)]

mod checks;
mod color;
mod degrade;
mod probe;
mod process;
mod sections;
mod support;
