//! Everything over real HTTP, against a scripted server.
#![allow(clippy::unwrap_used, reason = "a test that panics is a test that fails")]

mod answers;
mod fallbacks;
mod http;
mod money;
#[path = "../support/mod.rs"]
mod support;
mod tapes;

use std::time::Duration;

use support::Server;
use webeval_llm::{ApiKey, Endpoint, Limits, OpenAi, Profile};

/// A key that must never be seen again.
const KEY: &str = "sk-very-secret-0123456789";

fn limits() -> Limits {
    Limits::default()
        .with_timeouts(Duration::from_secs(30), Duration::from_secs(60))
        .with_attempts(4, Duration::from_millis(1))
}

fn model(server: &Server, profile: Profile) -> OpenAi {
    model_with(server, profile, limits())
}

fn model_with(server: &Server, profile: Profile, limits: Limits) -> OpenAi {
    let endpoint = Endpoint { base_url: server.url.clone(), key: ApiKey::new(KEY), model: "scripted".into() };
    OpenAi::new(endpoint, profile, limits).unwrap()
}

fn profile(toml: &str) -> Profile {
    webeval_llm::Profiles::from_toml(&format!("[models.m]\n{toml}")).unwrap().get("m")
}

/// A PNG of one colour.
fn picture(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let pixels = image::RgbImage::from_pixel(width, height, image::Rgb([200, 30, 30]));
    pixels.write_to(&mut std::io::Cursor::new(&mut bytes), image::ImageFormat::Png).unwrap();
    bytes
}
