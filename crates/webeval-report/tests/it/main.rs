//! Tests of the report on run directories made by hand.

mod hostile;
mod missing;
mod page;
mod sample;
mod size;
mod summary;
