//! Chat models behind one trait, with everything that talking to them for money needs.
//!
//! A [`ChatModel`] takes a [`ChatRequest`] (messages with text and images, and what is expected back: text, a call of
//! one of some tools, or JSON of a given schema) and gives a [`Reply`] with its [token usage and cost]. Models are
//! stacked from parts that all are models themselves:
//!
//! | part | what it adds |
//! | --- | --- |
//! | [`OpenAi`] | any OpenAI-compatible endpoint over HTTP: time limits, bounded concurrency, retries, fallbacks for what the model cannot do |
//! | [`Taped`] | a cassette: record every exchange, replay without a network, or resume without paying twice |
//! | [`Metered`] | counts tokens and money by purpose, and stops at a limit |
//!
//! [`ask`] is the way to get JSON out of any of them: the answer is checked against its schema, a wrong one is sent
//! back once with its faults, and what is still wrong then is an error, never a made-up value.
//!
//! Nothing here reads the environment, starts a runtime or prints. Addresses, keys and limits are given by the caller;
//! waiting happens on the caller's tokio runtime.
//!
//! [token usage and cost]: webeval_evidence::TokenUsage
//!
//! ```
#![doc = include_str!("../examples/ask.rs")]
//! ```

mod adapt;
mod answer;
mod error;
mod image;
mod message;
mod meter;
mod model;
mod openai;
mod profile;
mod tape;

pub use answer::{Answer, Failure, ask};
pub use error::Error;
pub use image::Image;
pub use message::{Adjustment, Expect, Finish, JsonSchema, Message, Part, Reply, Tool, ToolCall};
pub use meter::{Ledger, Metered};
pub use model::{ChatFuture, ChatModel, ChatRequest};
pub use openai::{ApiKey, Endpoint, Limits, OpenAi};
pub use profile::{JsonSupport, MaxTokensField, PriceTier, Prices, Profile, Profiles};
pub use tape::{Tape, TapeMode, Taped};
pub use webeval_evidence::TokenUsage;
