//! What it takes to get into an app that runs elsewhere: request headers and a login. It is read from a file, used for
//! requests to the app and nothing else, and never recorded.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde::Deserialize;
use url::Url;

use crate::Error;

/// Headers and login for an app that runs elsewhere. `Debug` shows none of it.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Access {
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    login: Vec<Login>,
}

/// One request of a login.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Login {
    /// Relative to the app's address.
    url: String,
    /// `POST` by default, or `GET` without a body.
    method: Option<String>,
    form: Option<BTreeMap<String, String>>,
    json: Option<serde_json::Value>,
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Access({} headers, {} requests)", self.headers.len(), self.login.len())
    }
}

impl Access {
    /// Reads a TOML file:
    ///
    /// ```toml
    /// [headers]                    # sent with every request to the app
    /// Authorization = "Bearer …"
    ///
    /// [[login]]                    # requests made before the first page, in order; their cookies are kept
    /// url = "/login"
    /// form = { user = "tester", password = "…" }   # or: json = { … }
    /// ```
    ///
    /// # Errors
    /// [`Error::Access`] when it cannot be read or is not that; values of the file are not in the message.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let failed = |reason: String| Error::Access { path: path.to_owned(), reason };
        let text = std::fs::read_to_string(path).map_err(|error| failed(format!("cannot be read: {error}")))?;
        let access: Self = toml::from_str(&text).map_err(|error| {
            let line = error.span().map_or(0, |span| text[..span.start.min(text.len())].lines().count().max(1));
            failed(format!("line {line} is not what it should be (see docs/deploy.md)"))
        })?;
        access.headers().map_err(|name| failed(format!("{name} is not a header that can be sent")))?;
        Ok(access)
    }

    fn headers(&self) -> Result<HeaderMap, &str> {
        let mut map = HeaderMap::new();
        for (name, value) in &self.headers {
            let parsed = HeaderName::from_bytes(name.as_bytes()).ok().zip(HeaderValue::from_str(value).ok());
            let (key, mut value) = parsed.ok_or(name.as_str())?;
            value.set_sensitive(true);
            map.insert(key, value);
        }
        Ok(map)
    }

    /// Logs in at the app and gives the client that is known there then.
    pub(crate) async fn client(&self, app: &Url) -> Result<reqwest::Client, Error> {
        let failed = |reason: String| Error::Login { url: app.to_string(), reason };
        let headers = self.headers().map_err(|name| failed(format!("{name} is not a header")))?;
        let client = reqwest::Client::builder()
            .default_headers(headers)
            .cookie_store(true)
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .build()
            .map_err(|error| failed(error.to_string()))?;
        for (number, login) in self.login.iter().enumerate() {
            let number = number + 1;
            let url = app.join(&login.url).map_err(|error| failed(format!("request {number}: {error}")))?;
            if url.origin() != app.origin() {
                return Err(failed(format!("request {number} goes to another host")));
            }
            let get = login.method.as_deref().is_some_and(|method| method.eq_ignore_ascii_case("get"));
            let mut request = if get { client.get(url) } else { client.post(url) };
            if let Some(form) = &login.form {
                request = request.form(form);
            }
            if let Some(json) = &login.json {
                request = request.json(json);
            }
            let response =
                request.send().await.map_err(|error| failed(format!("request {number}: {}", error.without_url())))?;
            if response.status().is_client_error() || response.status().is_server_error() {
                return Err(failed(format!("request {number} is answered with status {}", response.status().as_u16())));
            }
        }
        Ok(client)
    }
}
