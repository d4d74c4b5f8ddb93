//! Tests of the report on run directories made by hand.

#![allow(clippy::unwrap_used, reason = "helpers of tests may panic as tests may")]

mod hostile;
mod missing;
mod page;
mod sample;
mod size;
mod summary;
