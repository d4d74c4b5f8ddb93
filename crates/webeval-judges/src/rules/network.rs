//! Whose fault a failure is: a machine without a way to some host is not the app's.

use std::sync::LazyLock;

use regex::Regex;
use webeval_evidence::{NetworkFailure, Step};

/// The browser's reasons that speak of the way to a host, not of what it answered.
static NO_WAY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        "NAME_NOT_RESOLVED|INTERNET_DISCONNECTED|ADDRESS_UNREACHABLE|CONNECTION_(REFUSED|RESET|CLOSED|ABORTED|TIMED_OUT|FAILED)\
         |ERR_TIMED_OUT|PROXY|TUNNEL|NETWORK_(CHANGED|ACCESS_DENIED|IO_SUSPENDED)|NAME_RESOLUTION|ERR_CERT|ERR_SSL",
    )
    .ok()
});

/// Messages of errors that follow from a request that came to nothing.
static NO_ANSWER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)failed to fetch|networkerror|load failed|err_\w+|dynamically imported module|module script failed")
        .ok()
});

/// Messages of errors that follow from a script that is not there.
static NO_SCRIPT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"is not defined|is not a (function|constructor)|of undefined|undefined \(|is undefined|module specifier",
    )
    .ok()
});

fn matches(regex: &LazyLock<Option<Regex>>, text: &str) -> bool {
    regex.as_ref().is_some_and(|regex| regex.is_match(text))
}

/// Whether a request failed because the machine has no way to the host.
pub(super) fn is_environment(request: &NetworkFailure) -> bool {
    let elsewhere = !request.url.starts_with("app:");
    elsewhere && request.status.is_none() && request.error.as_deref().is_some_and(|error| matches(&NO_WAY, error))
}

/// What could not be had from elsewhere so far.
#[derive(Debug, Default)]
pub(super) struct Missing {
    anything: bool,
    script: bool,
}

impl Missing {
    pub(super) fn read(&mut self, step: &Step) {
        for request in step.network.iter().filter(|request| is_environment(request)) {
            self.anything = true;
            // Addresses of packages often end in a version, not in a suffix.
            let path = request.url.split(['?', '#']).next().unwrap_or_default();
            let is_other = [".css", ".woff", ".woff2", ".ttf", ".png", ".jpg", ".svg", ".json", ".ico"];
            self.script |= !is_other.iter().any(|suffix| path.ends_with(suffix));
        }
    }

    /// Whether an error may follow from what is missing.
    pub(super) fn explains(&self, message: &str) -> bool {
        (self.anything && matches(&NO_ANSWER, message)) || (self.script && matches(&NO_SCRIPT, message))
    }
}
