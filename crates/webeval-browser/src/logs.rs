//! The browser's log, sorted into console messages, errors, failed requests and what our own script handed out.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::Value;
use webeval_evidence::{ConsoleLevel, ConsoleMessage, NetworkFailure, PageError, PageErrorKind};

/// What the log held.
#[derive(Debug, Default)]
pub(crate) struct Logged {
    pub(crate) console: Vec<ConsoleMessage>,
    pub(crate) errors: Vec<PageError>,
    pub(crate) network: Vec<NetworkFailure>,
    /// Coverage of documents that were left.
    pub(crate) deltas: Vec<String>,
}

/// Marks of the messages of our own script that were read. The browser repeats what a page has said when the page comes
/// back from its cache.
#[derive(Debug, Default)]
pub(crate) struct Heard(HashSet<String>);

#[derive(Debug, Deserialize)]
struct Entry {
    level: String,
    #[serde(default)]
    source: String,
    message: String,
}

/// Longest console message that is kept, in characters.
const LONGEST: usize = 2000;

impl Logged {
    /// Sorts the entries; `key` marks the messages of our own script.
    pub(crate) fn read(&mut self, entries: Value, key: &str, heard: &mut Heard) {
        let Value::Array(entries) = entries else { return };
        for entry in entries {
            let Ok(entry) = serde_json::from_value::<Entry>(entry) else { continue };
            self.add(&entry, key, heard);
        }
    }

    fn add(&mut self, entry: &Entry, key: &str, heard: &mut Heard) {
        if entry.source == "console-api" {
            if let Some(deltas) = own_message(&entry.message, key) {
                let mut parts = deltas.into_iter();
                if parts.next().is_some_and(|mark| heard.0.insert(mark)) {
                    self.deltas.extend(parts);
                }
                return;
            }
        }
        match entry.source.as_str() {
            "network" => self.network.extend(failed_request(&entry.message)),
            "javascript" => self.errors.push(page_error(&entry.message)),
            _ => {
                let (_, text) = split_location(&entry.message);
                self.console.push(ConsoleMessage { level: level(&entry.level), text: shorten(&unquote(text)) });
            }
        }
    }
}

fn level(name: &str) -> ConsoleLevel {
    match name {
        "SEVERE" => ConsoleLevel::Error,
        "WARNING" => ConsoleLevel::Warning,
        "DEBUG" => ConsoleLevel::Debug,
        _ => ConsoleLevel::Info,
    }
}

/// `console-api 0:221 "KEY[\"…\"]"`, the increments being JSON within a JSON string.
fn own_message(message: &str, key: &str) -> Option<Vec<String>> {
    let at = message.find(key)?;
    let quoted = message.get(at.checked_sub(1)?..)?;
    let text: String = serde_json::from_str(quoted).ok()?;
    serde_json::from_str(text.strip_prefix(key)?).ok()
}

/// Takes `URL LINE:COLUMN ` off the front.
fn split_location(message: &str) -> (Option<String>, &str) {
    let mut parts = message.splitn(3, ' ');
    let (Some(url), Some(place), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
        return (None, message);
    };
    let is_place = place.split_once(':').is_some_and(|(line, column)| {
        !line.is_empty() && line.bytes().chain(column.bytes()).all(|byte| byte.is_ascii_digit())
    });
    if !is_place {
        return (None, message);
    }
    let known = url.contains(':') || url.contains('/');
    (known.then(|| format!("{url}:{place}")), rest)
}

fn unquote(text: &str) -> String {
    serde_json::from_str::<String>(text).unwrap_or_else(|_| text.to_owned())
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

fn page_error(message: &str) -> PageError {
    let (location, text) = split_location(message);
    let (kind, text) = match text.strip_prefix("Uncaught (in promise) ") {
        Some(rest) => (PageErrorKind::Rejection, rest),
        None => (PageErrorKind::Uncaught, text.strip_prefix("Uncaught ").unwrap_or(text)),
    };
    PageError { kind, message: shorten(text), location }
}

/// `URL - Failed to load resource: the server responded with a status of 404 (Not Found)`, or with `net::ERR_…`.
/// The browser asks for `/favicon.ico` of its own accord, so that is not the app's failure.
fn failed_request(message: &str) -> Option<NetworkFailure> {
    let (url, reason) = message.split_once(" - ").unwrap_or((message, ""));
    if url.ends_with("/favicon.ico") {
        return None;
    }
    let status = reason.split_once("status of ").and_then(|(_, rest)| rest.get(..3)?.parse().ok());
    let reason = reason.strip_prefix("Failed to load resource: ").unwrap_or(reason);
    let error = status.is_none().then(|| reason.to_owned()).filter(|reason| !reason.is_empty());
    Some(NetworkFailure { url: url.to_owned(), status, error })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(level: &str, source: &str, message: &str) -> Logged {
        let mut logged = Logged::default();
        logged.read(
            json!([{"level": level, "source": source, "message": message, "timestamp": 1}]),
            "#k#",
            &mut Heard::default(),
        );
        logged
    }

    #[test]
    fn a_console_message_loses_its_place_and_quotes() {
        let logged = read("INFO", "console-api", r#"http://127.0.0.1:1/a.js 10:16 "say \"hi\"""#);
        assert_eq!(logged.console[0].text, "say \"hi\"");
        let logged = read("WARNING", "console-api", r#"http://127.0.0.1:1/a.js 0:195 "hello" Object 3"#);
        assert_eq!(
            (logged.console[0].level, logged.console[0].text.as_str()),
            (ConsoleLevel::Warning, "\"hello\" Object 3")
        );
    }

    #[test]
    fn what_our_script_hands_out_is_no_console_message_and_counts_once() {
        let message = r##"console-api 0:221 "#k#[\"1 2\",\"{\\\"a\\\":1}\"]""##;
        let entry = json!({"level": "DEBUG", "source": "console-api", "message": message, "timestamp": 1});
        let (mut logged, mut heard) = (Logged::default(), Heard::default());
        logged.read(json!([entry]), "#k#", &mut heard);
        logged.read(json!([entry]), "#k#", &mut heard);
        assert_eq!(logged.deltas, [r#"{"a":1}"#]);
        assert!(logged.console.is_empty());
    }

    #[test]
    fn errors_are_told_from_rejections() {
        let logged = read("SEVERE", "javascript", "http://h/x.js 3:9 Uncaught TypeError: f is not a function");
        assert_eq!(logged.errors[0].kind, PageErrorKind::Uncaught);
        assert_eq!(logged.errors[0].message, "TypeError: f is not a function");
        assert_eq!(logged.errors[0].location.as_deref(), Some("http://h/x.js:3:9"));
        let logged = read("SEVERE", "javascript", "http://h/x.js 3:9 Uncaught (in promise) Error: no");
        assert_eq!(logged.errors[0].kind, PageErrorKind::Rejection);
    }

    #[test]
    fn failed_requests_tell_status_or_reason_and_no_favicon() {
        let message = "http://h/a.png - Failed to load resource: the server responded with a status of 404 (Not Found)";
        assert_eq!(read("SEVERE", "network", message).network[0].status, Some(404));
        let message = "https://cdn/x.js - Failed to load resource: net::ERR_NAME_NOT_RESOLVED";
        let failure = &read("SEVERE", "network", message).network[0];
        assert_eq!((failure.status, failure.error.as_deref()), (None, Some("net::ERR_NAME_NOT_RESOLVED")));
        assert!(read("SEVERE", "network", "http://h/favicon.ico - Failed to load resource: x").network.is_empty());
    }
}
