//! The `webeval` command in the real browser, against apps whose behaviour is known.

#![allow(clippy::unwrap_used, reason = "a test that fails should stop")]

mod answer;
mod bad_input;
mod black_box;
mod command;
mod deploy;
mod explore;
mod fixture_apps;
mod instrument;
mod judging;
mod model;
mod pages;
mod resume;
mod roles;
mod scores;
mod states;
#[path = "../../../webeval-llm/tests/support/mod.rs"]
mod support;
