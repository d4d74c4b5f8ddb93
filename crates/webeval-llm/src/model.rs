//! The trait that all models share.

use std::pin::Pin;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{Error, Expect, JsonSchema, Message, Profile, Reply, Tool};

/// What [`ChatModel::chat`] returns.
pub type ChatFuture<'a> = Pin<Box<dyn Future<Output = Result<Reply, Error>> + Send + 'a>>;

/// A model that answers conversations.
pub trait ChatModel: Send + Sync + std::fmt::Debug {
    /// The model's name, as scores are filed under.
    fn name(&self) -> &str;

    /// What it can take, and what it costs.
    fn profile(&self) -> &Profile;

    /// Asks once. Retries for failures of the network or the provider are the model's own business and over when this
    /// returns.
    fn chat<'a>(&'a self, request: &'a ChatRequest) -> ChatFuture<'a>;
}

impl<M: ChatModel + ?Sized> ChatModel for std::sync::Arc<M> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn profile(&self) -> &Profile {
        (**self).profile()
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest) -> ChatFuture<'a> {
        (**self).chat(request)
    }
}

impl<M: ChatModel + ?Sized> ChatModel for Box<M> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn profile(&self) -> &Profile {
        (**self).profile()
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest) -> ChatFuture<'a> {
        (**self).chat(request)
    }
}

/// A conversation and what is expected back.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChatRequest {
    /// What the call is for, such as `judge/aesthetics/critic`. Costs are counted by it; it is not sent.
    pub purpose: String,
    /// The conversation so far.
    pub messages: Vec<Message>,
    /// What is expected back.
    pub expect: Expect,
    /// Seed of the model's sampling, where it takes one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Sampling temperature, 0 to 2; the provider's own when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f32>,
    /// Most tokens to answer with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
}

impl ChatRequest {
    /// A conversation that expects text.
    #[must_use]
    pub fn new(purpose: impl Into<String>, messages: Vec<Message>) -> Self {
        Self { purpose: purpose.into(), messages, ..Self::default() }
    }

    /// Expects JSON of this schema instead.
    #[must_use]
    pub fn expecting(mut self, schema: JsonSchema) -> Self {
        self.expect = Expect::Json { schema };
        self
    }

    /// Expects a call of one of these tools instead; `required` says that text alone is no answer.
    #[must_use]
    pub fn with_tools(mut self, tools: Vec<Tool>, required: bool) -> Self {
        self.expect = Expect::Tools { tools, required };
        self
    }

    /// Sets the seed.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Sets the temperature.
    #[must_use]
    pub fn with_temperature(mut self, temperature: f32) -> Self {
        self.temperature = Some(temperature);
        self
    }

    /// Sets the most tokens to answer with.
    #[must_use]
    pub fn with_max_tokens(mut self, tokens: u32) -> Self {
        self.max_tokens = Some(tokens);
        self
    }

    /// SHA-256 of the request in hex, images by their content. Two requests with the same hash ask the same.
    #[must_use]
    pub fn hash(&self) -> String {
        let text = serde_json::to_vec(self).unwrap_or_default();
        Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
    }
}
