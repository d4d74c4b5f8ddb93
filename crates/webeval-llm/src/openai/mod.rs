//! Any OpenAI-compatible endpoint over HTTP.
//!
//! Requests are built from async-openai's types and sent by its client, whose transport is replaced by [`transport`]:
//! one attempt, no hidden retries, failures with status and `Retry-After`. Answers are read into lenient types of our
//! own, because providers send values that closed enums refuse.

mod read;
mod retry;
mod transport;
mod write;

use std::time::Duration;

use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::error::OpenAIError;
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::adapt::adapt;
use crate::{ChatFuture, ChatModel, ChatRequest, Error, Profile, Reply};

use retry::Verdict;
use transport::HttpFailure;

/// A key that is never shown.
#[derive(Clone, Default)]
pub struct ApiKey(String);

impl ApiKey {
    /// A key; empty for servers that ask for none.
    #[must_use]
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }

    /// Providers quote the key they refuse.
    fn hide(&self, text: &str) -> String {
        if self.0.len() < 4 { text.to_owned() } else { text.replace(&self.0, "[key]") }
    }
}

impl std::fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ApiKey(…)")
    }
}

/// Which model, and where.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// Address up to and without `/chat/completions`, such as `https://api.openai.com/v1`.
    pub base_url: String,
    /// The key.
    pub key: ApiKey,
    /// The model's name.
    pub model: String,
}

/// How long and how often to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Longest time for one attempt.
    pub call: Duration,
    /// Longest time for one question with all its attempts and the waiting between them.
    pub total: Duration,
    /// Most attempts for one question.
    pub attempts: u32,
    /// Waiting after the first failed attempt; doubles with each, unless the provider says how long.
    pub backoff: Duration,
    /// Most requests under way at a time.
    pub concurrency: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            call: Duration::from_secs(180),
            total: Duration::from_secs(600),
            attempts: 5,
            backoff: Duration::from_millis(500),
            concurrency: 4,
        }
    }
}

impl Limits {
    /// Sets the longest time for one attempt and for one question.
    #[must_use]
    pub fn with_timeouts(mut self, call: Duration, total: Duration) -> Self {
        (self.call, self.total) = (call, total);
        self
    }

    /// Sets the most attempts and the first waiting between them.
    #[must_use]
    pub fn with_attempts(mut self, attempts: u32, backoff: Duration) -> Self {
        (self.attempts, self.backoff) = (attempts.max(1), backoff);
        self
    }

    /// Sets the most requests under way at a time.
    #[must_use]
    pub fn with_concurrency(mut self, concurrency: usize) -> Self {
        self.concurrency = concurrency.max(1);
        self
    }
}

/// A model behind an OpenAI-compatible endpoint.
///
/// Tried again after a waiting: 408, 429 (as long as `Retry-After` says, unless the quota is used up), 5xx but 501, a
/// connection refused or cut, a time-out, an answer that is no chat completion. Everything else fails at once.
#[derive(Debug)]
pub struct OpenAi {
    client: Client<OpenAIConfig>,
    endpoint: Endpoint,
    profile: Profile,
    limits: Limits,
    turns: Semaphore,
}

impl OpenAi {
    /// Sets the client up; nothing is sent.
    ///
    /// # Errors
    /// [`Error::Config`] when the address is no HTTP address or TLS cannot be set up.
    pub fn new(endpoint: Endpoint, profile: Profile, limits: Limits) -> Result<Self, Error> {
        let config_error = |message: String| Error::Config { message };
        let base = endpoint.base_url.trim_end_matches('/').to_owned();
        match reqwest::Url::parse(&base) {
            Ok(url) if matches!(url.scheme(), "http" | "https") => {}
            _ => return Err(config_error(format!("{base:?} is not the http(s) address of a model"))),
        }
        // All four fields are set, so that nothing of the client's own environment lookup is left.
        let config = OpenAIConfig::new()
            .with_api_base(base)
            .with_api_key(endpoint.key.0.clone())
            .with_org_id("")
            .with_project_id("");
        let http = reqwest::Client::builder().build();
        let http = http.map_err(|error| config_error(format!("no HTTP client: {error}")))?;
        let client = Client::build(http.clone(), config).with_http_service(transport::once(http));
        let turns = Semaphore::new(limits.concurrency.max(1));
        Ok(Self { client, endpoint, profile, limits, turns })
    }

    async fn attempt(&self, body: &Value) -> Result<Reply, Verdict> {
        let limit = self.limits.call;
        let call = async { self.client.chat().create_byot::<_, Value>(body).await };
        let answer = match tokio::time::timeout(limit, call).await {
            Ok(answer) => answer.map_err(|error| self.verdict(error))?,
            Err(_) => return Err(Verdict::again(Error::TimedOut { after: limit })),
        };
        let mut reply = read::reply(answer).map_err(|error| self.hide_key(error))?;
        self.profile.charge(&mut reply.usage);
        Ok(reply)
    }

    fn verdict(&self, error: OpenAIError) -> Verdict {
        let verdict = match error {
            OpenAIError::Boxed(inner) => match inner.downcast::<HttpFailure>() {
                Ok(failure) => failure.verdict(),
                Err(source) => Verdict::again(Error::Transport { source }),
            },
            OpenAIError::JSONDeserialize(reason, content) => {
                Verdict::again(Error::Malformed { reason: reason.to_string(), excerpt: read::excerpt(&content) })
            }
            // The address may hold a key.
            OpenAIError::Reqwest(error) => Verdict::again(Error::Transport { source: Box::new(error.without_url()) }),
            other => Verdict::give_up(Error::Config { message: other.to_string() }),
        };
        self.hide_key(verdict)
    }

    fn hide_key(&self, mut verdict: Verdict) -> Verdict {
        if let Error::Api { message, .. } | Error::Malformed { excerpt: message, .. } = &mut verdict.error {
            *message = self.endpoint.key.hide(message);
        }
        verdict
    }

    async fn answer(&self, request: &ChatRequest) -> Result<Reply, Error> {
        let adapted = adapt(request, &self.profile, &self.endpoint.model)?;
        let body = write::body(&adapted.request, &self.endpoint.model, &self.profile)?;
        let _turn = self.turns.acquire().await.map_err(|error| Error::Config { message: error.to_string() })?;
        let deadline = Instant::now() + self.limits.total;
        let mut attempt = 1;
        loop {
            let answer = tokio::time::timeout_at(deadline, self.attempt(&body)).await;
            let verdict = match answer {
                Ok(Ok(mut reply)) => {
                    reply.attempts = attempt;
                    return Ok(adapted.read(reply, request.messages.len()));
                }
                Ok(Err(verdict)) => verdict,
                Err(_) => Verdict::give_up(Error::TimedOut { after: self.limits.total }),
            };
            let pause = retry::pause(&verdict, attempt, self.limits.backoff);
            let in_time = Instant::now() + pause < deadline;
            if !verdict.retry || attempt >= self.limits.attempts || !in_time {
                return Err(given_up(verdict.error, attempt));
            }
            tracing::debug!(purpose = request.purpose, attempt, error = %verdict.error, ?pause, "trying again");
            tokio::time::sleep(pause).await;
            attempt += 1;
        }
    }
}

fn given_up(error: Error, attempts: u32) -> Error {
    if attempts == 1 { error } else { Error::GivenUp { attempts, source: Box::new(error) } }
}

impl ChatModel for OpenAi {
    fn name(&self) -> &str {
        &self.endpoint.model
    }

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest) -> ChatFuture<'a> {
        Box::pin(self.answer(request))
    }
}
