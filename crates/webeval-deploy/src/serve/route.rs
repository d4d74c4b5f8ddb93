//! What of a front end's requests goes to a back end.

use std::net::SocketAddr;

/// A server behind files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Backend {
    pub(crate) address: SocketAddr,
    /// The requests that it gets; when there are none, it gets what is neither a file nor a page.
    pub(crate) routes: Vec<Route>,
}

/// Requests that are handed on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Route {
    /// What their paths begin with.
    pub(crate) prefix: String,
    /// Whether the prefix is taken off first.
    pub(crate) strip: bool,
    /// Beginnings of paths and what stands in place of them; the first that fits counts.
    pub(crate) changes: Vec<(String, String)>,
    /// What is put before the path.
    pub(crate) base: String,
}

impl Route {
    /// The path, with its query, that a request is handed on with; none when it is not meant.
    pub(crate) fn leads(&self, path: &str) -> Option<String> {
        let mut rest = path.strip_prefix(&self.prefix).filter(|_| self.strip).unwrap_or(path).to_owned();
        if !path.starts_with(&self.prefix) {
            return None;
        }
        let change =
            self.changes.iter().find_map(|(from, to)| Some(format!("{to}{}", rest.strip_prefix(from.as_str())?)));
        rest = change.unwrap_or(rest);
        let slash = if rest.starts_with('/') { "" } else { "/" };
        Some(format!("{}{slash}{rest}", self.base))
    }
}

impl Backend {
    /// As [`Route::leads`], of the first route that is meant.
    pub(crate) fn leads(&self, path: &str) -> Option<String> {
        self.routes.iter().find_map(|route| route.leads(path))
    }
}
