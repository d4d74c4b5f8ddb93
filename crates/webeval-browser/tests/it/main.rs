//! The session against the real browser. Without chromedriver every test says so and passes.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails by it")]

mod act;
mod clock;
mod faults;
mod look;
mod navigation;
mod site;
