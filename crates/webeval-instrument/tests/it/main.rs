//! Tests of the public interface. Those that run programs need `node` on the path.
#![allow(clippy::unwrap_used)]

mod behaviour;
mod check;
mod coverage;
mod documents;
mod errors;
mod istanbul;
mod maps;
mod node;
mod options;
mod programs;
mod properties;
mod reading;
mod uncovered;
mod v8;
