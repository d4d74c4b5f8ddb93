//! The `webeval` command in the real browser, against apps whose behaviour is known.

mod answer;
mod bad_input;
mod command;
mod fixture_apps;
mod model;
mod resume;
#[path = "../../../webeval-llm/tests/support/mod.rs"]
mod support;
