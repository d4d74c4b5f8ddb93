//! The judges over run directories made by hand, models over real HTTP.
#![allow(clippy::unwrap_used, reason = "a test that panics is a test that fails")]

mod alignment;
mod deliberation;
mod evaluators;
mod injection;
mod jury;
mod page_bench;
mod refine;
mod rules;
mod runs;
mod sections;
mod small_model;
#[path = "../../../webeval-llm/tests/support/mod.rs"]
mod support;
mod tasks;
mod trouble;

use std::time::Duration;

use support::Server;
use webeval_llm::{ApiKey, Endpoint, Limits, OpenAi, Profile};

fn model(server: &Server) -> OpenAi {
    model_with(server, Profile::default())
}

fn model_with(server: &Server, profile: Profile) -> OpenAi {
    connect(server, profile, Duration::from_secs(30))
}

/// A model that is given so long for an answer: tests that wait for a time-out do not want to wait for long.
fn connect(server: &Server, profile: Profile, call: Duration) -> OpenAi {
    let endpoint = Endpoint { base_url: server.url.clone(), key: ApiKey::new("sk-secret"), model: "scripted".into() };
    let limits = Limits::default().with_timeouts(call, Duration::from_secs(60));
    OpenAi::new(endpoint, profile, limits.with_attempts(3, Duration::from_millis(1))).unwrap()
}
