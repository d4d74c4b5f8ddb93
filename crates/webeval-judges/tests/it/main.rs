//! The judges over run directories made by hand, models over real HTTP.
#![allow(clippy::unwrap_used, reason = "a test that panics is a test that fails")]

mod alignment;
mod deliberation;
mod injection;
mod rules;
mod runs;
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
    let endpoint = Endpoint { base_url: server.url.clone(), key: ApiKey::new("sk-secret"), model: "scripted".into() };
    let limits = Limits::default().with_timeouts(Duration::from_millis(800), Duration::from_secs(5));
    OpenAi::new(endpoint, profile, limits.with_attempts(3, Duration::from_millis(1))).unwrap()
}
