//! One attempt over HTTP.

use std::future::Future;
use std::time::Duration;

use async_openai::error::OpenAIError;
use async_openai::middleware::HttpRequestFactory;
use reqwest::header::HeaderMap;
use reqwest::{Client, Response};
use serde_json::Value;
use tower::Service;

use super::read;
use super::retry::Verdict;
use crate::Error;

/// An answer with an error status.
#[derive(Debug, thiserror::Error)]
#[error("{status}: {message}")]
pub(super) struct HttpFailure {
    status: u16,
    message: String,
    code: String,
    wait: Option<Duration>,
}

impl HttpFailure {
    pub(super) fn verdict(self) -> Verdict {
        let retry = match self.status {
            408 | 409 => true,
            429 => !self.code.contains("insufficient_quota"),
            501 => false,
            status => status >= 500,
        };
        Verdict { error: Error::Api { status: self.status, message: self.message }, retry, wait: self.wait }
    }
}

/// What the client's transport may fail with.
#[derive(Debug)]
pub(super) enum AttemptError {
    Status(HttpFailure),
    Client(OpenAIError),
}

impl From<AttemptError> for OpenAIError {
    fn from(error: AttemptError) -> Self {
        match error {
            AttemptError::Status(failure) => Self::Boxed(Box::new(failure)),
            AttemptError::Client(error) => error,
        }
    }
}

/// A transport that tries once and tells a failure with all that is needed to decide on the next attempt.
pub(super) fn once(
    client: Client,
) -> impl Service<HttpRequestFactory, Response = Response, Error = AttemptError, Future: Future + Send> + Clone + Send + Sync
{
    tower::service_fn(move |factory: HttpRequestFactory| {
        let client = client.clone();
        async move {
            let request = factory.build().await.map_err(AttemptError::Client)?;
            let response = client.execute(request).await;
            let response = response.map_err(|error| AttemptError::Client(OpenAIError::Reqwest(error)))?;
            if response.status().is_success() { Ok(response) } else { Err(failure(response).await) }
        }
    })
}

async fn failure(response: Response) -> AttemptError {
    let status = response.status().as_u16();
    let wait = retry_after(response.headers());
    let body = response.text().await.unwrap_or_default();
    let parsed: Value = serde_json::from_str(&body).unwrap_or_default();
    let (message, code) = read::provider_error(&parsed).unwrap_or_else(|| (read::excerpt(&body), String::new()));
    AttemptError::Status(HttpFailure { status, message, code, wait })
}

/// `Retry-After` in seconds or as a date, which is read against the answer's own `Date`; `retry-after-ms` as some
/// providers send it.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    if let Some(millis) = text("retry-after-ms").and_then(|value| value.parse::<u64>().ok()) {
        return Some(Duration::from_millis(millis));
    }
    let value = text("retry-after")?;
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds.max(0.0)).ok();
    }
    let until = httpdate::parse_http_date(value).ok()?;
    let now = httpdate::parse_http_date(text("date")?).ok()?;
    Some(until.duration_since(now).unwrap_or_default())
}
