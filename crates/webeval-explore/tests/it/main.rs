//! Explorations in the real browser. Without chromedriver every test says so and passes.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails by it")]

mod advice;
mod editing;
mod faults;
mod model;
mod parts;
mod same_again;
mod site;
mod static_page;
mod stopped;
mod v8;
