//! The session against the real browser. Without chromedriver every test says so and passes.

mod act;
mod faults;
mod look;
mod navigation;
mod site;
