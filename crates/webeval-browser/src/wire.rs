//! The connection to the driver: any command by method and path, its errors sorted by what they mean for a step.

use std::time::{Duration, Instant};

use fantoccini::wd::WebDriverCompatibleCommand;
use fantoccini::{Client, ClientBuilder, error::CmdError, error::NewSessionError};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Map, Value, json};

use crate::error::{DriverFault, Error};

/// A command of WebDriver or of ChromeDriver's own, by its path within the session.
#[derive(Debug)]
struct Raw {
    method: http::Method,
    path: String,
    body: Option<String>,
}

impl WebDriverCompatibleCommand for Raw {
    fn endpoint(&self, base: &url::Url, session: Option<&str>) -> Result<url::Url, url::ParseError> {
        base.join(&format!("session/{}/{}", session.unwrap_or_default(), self.path).trim_end_matches('/'))
    }

    fn method_and_body(&self, _: &url::Url) -> (http::Method, Option<String>) {
        (self.method.clone(), self.body.clone())
    }
}

/// Why a command failed, by what has to be done about it.
#[derive(Debug)]
pub(crate) enum Fault {
    /// A dialog is open and has this text.
    Dialog(String),
    /// The document went away meanwhile: ask again.
    Unloaded,
    /// The window is gone.
    NoWindow,
    /// Nothing came back in time.
    TimedOut(Duration),
    /// Browser or driver are gone.
    Lost(DriverFault),
    /// The driver does not know the command.
    Unknown,
    /// Anything else.
    Other(DriverFault),
}

impl Fault {
    pub(crate) fn during(self, what: &str) -> Error {
        let what = what.to_owned();
        let command = |code: &str, message: &str| Error::Command {
            what: what.clone(),
            source: DriverFault { code: code.to_owned(), message: message.to_owned() },
        };
        match self {
            Self::Dialog(text) => command("unexpected alert open", &format!("a dialog is open: {text}")),
            Self::Unloaded => command("javascript error", "the document was unloaded"),
            Self::NoWindow => command("no such window", "the window is closed"),
            Self::TimedOut(limit) => Error::TimedOut { what, limit },
            Self::Lost(source) => Error::Lost { source },
            Self::Unknown => Error::Unsupported { what },
            Self::Other(source) => Error::Command { what, source },
        }
    }
}

/// One session with the driver.
#[derive(Debug)]
pub(crate) struct Wire {
    client: Client,
    limit: Duration,
    waited: Duration,
    capabilities: Value,
}

impl Wire {
    pub(crate) async fn open(url: &str, capabilities: Map<String, Value>, limit: Duration) -> Result<Self, Error> {
        let mut builder = ClientBuilder::new(HttpConnector::new());
        builder.capabilities(capabilities);
        let client = builder.connect(url).await.map_err(session_error)?;
        let capabilities = Value::Object(client.capabilities().cloned().unwrap_or_default());
        Ok(Self { client, limit, waited: Duration::ZERO, capabilities })
    }

    /// What the driver said about itself and the browser.
    pub(crate) fn capabilities(&self) -> &Value {
        &self.capabilities
    }

    /// Time spent waiting for the driver so far.
    pub(crate) fn waited(&self) -> Duration {
        self.waited
    }

    /// Sets how long a command may take, and tells how long it might before.
    pub(crate) fn set_limit(&mut self, limit: Duration) -> Duration {
        std::mem::replace(&mut self.limit, limit)
    }

    pub(crate) async fn post(&mut self, path: &str, body: &Value) -> Result<Value, Fault> {
        self.send(http::Method::POST, path, Some(body.to_string())).await
    }

    pub(crate) async fn get(&mut self, path: &str) -> Result<Value, Fault> {
        self.send(http::Method::GET, path, None).await
    }

    pub(crate) async fn delete(&mut self, path: &str) -> Result<Value, Fault> {
        self.send(http::Method::DELETE, path, None).await
    }

    /// Runs a script, whose promise is awaited.
    pub(crate) async fn execute(&mut self, script: &str, args: Value) -> Result<Value, Fault> {
        self.post("execute/sync", &json!({"script": script, "args": args})).await
    }

    pub(crate) async fn cdp(&mut self, command: &str, params: Value) -> Result<Value, Fault> {
        self.post("goog/cdp/execute", &json!({"cmd": command, "params": params})).await
    }

    /// Sends keys, or the paths of files, to an element by its WebDriver id.
    pub(crate) async fn send_keys(&mut self, element: &str, text: &str) -> Result<Value, Fault> {
        let body = json!({"text": text}).to_string();
        self.send(http::Method::POST, &format!("element/{element}/value"), Some(body)).await
    }

    async fn send(&mut self, method: http::Method, path: &str, body: Option<String>) -> Result<Value, Fault> {
        let start = Instant::now();
        let answer =
            tokio::time::timeout(self.limit, self.client.issue_cmd(Raw { method, path: path.to_owned(), body })).await;
        self.waited += start.elapsed();
        match answer {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(error)) => Err(sort(error, self.limit)),
            Err(_) => Err(Fault::TimedOut(self.limit)),
        }
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().trim().to_owned()
}

fn sort(error: CmdError, limit: Duration) -> Fault {
    let CmdError::Standard(inner) = error else {
        let lost = DriverFault { code: "connection".to_owned(), message: error.to_string() };
        // Of a crashed page ChromeDriver tells in a form of its own.
        let answered = matches!(&error, CmdError::NotW3C(value) if !value.to_string().contains("tab crashed"));
        return if answered { Fault::Other(lost) } else { Fault::Lost(lost) };
    };
    let code = inner.error();
    let fault = DriverFault { code: code.clone(), message: first_line(&inner.message) };
    let says = |part: &str| inner.message.contains(part);
    match code.as_str() {
        "unexpected alert open" => Fault::Dialog(dialog_text(&inner.message)),
        "no such window" => Fault::NoWindow,
        "script timeout" | "timeout" => Fault::TimedOut(limit),
        "invalid session id" => Fault::Lost(fault),
        "unknown command" | "unknown method" => Fault::Unknown,
        _ if says("page crash") || says("tab crashed") || says("session deleted") => Fault::Lost(fault),
        _ if says("disconnected") || says("not reachable") || says("chrome not") => Fault::Lost(fault),
        _ if says("document unloaded") || says("aborted by navigation") || says("Cannot find context") => {
            Fault::Unloaded
        }
        _ if says("Inspected target navigated") || says("Execution context was destroyed") => Fault::Unloaded,
        _ if says("Timed out receiving message") => Fault::TimedOut(limit),
        _ => Fault::Other(fault),
    }
}

fn dialog_text(message: &str) -> String {
    let start = message.find("{Alert text : ").map_or(0, |at| at + "{Alert text : ".len());
    let rest = &message[start..];
    rest.rfind('}').map_or(rest, |end| &rest[..end]).to_owned()
}

fn session_error(error: NewSessionError) -> Error {
    let message = match &error {
        NewSessionError::SessionNotCreated(inner) => inner.message.to_string(),
        NewSessionError::NotW3C(value) => value["message"].as_str().map_or_else(|| value.to_string(), str::to_owned),
        NewSessionError::UnexpectedError(CmdError::Standard(inner)) => inner.message.to_string(),
        other => other.to_string(),
    };
    let source = DriverFault {
        code: "session not created".to_owned(),
        message: message.lines().take(2).collect::<Vec<_>>().join(" "),
    };
    if message.contains("only supports Chrome version") {
        Error::VersionMismatch { source }
    } else if message.contains("cannot find Chrome binary") || message.contains("no chrome binary") {
        Error::BrowserMissing { source }
    } else {
        Error::Session { source }
    }
}
