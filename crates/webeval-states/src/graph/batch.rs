//! Many snapshots at once, on all cores.

use rayon::prelude::*;

use super::{Observation, State, StateGraph};
use crate::{Error, Identity, Options, identify};

/// A page that is not identified yet, with what is known about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot<H> {
    /// The page as a browser serialises it.
    pub html: H,
    /// When it was seen, as in [`Observation::step`].
    pub step: u64,
    /// Title of the document.
    pub title: String,
    /// Address of the document.
    pub url: String,
    /// Reference to a screenshot.
    pub screenshot: Option<String>,
    /// Reference to the stored page.
    pub snapshot: Option<String>,
}

impl<H: AsRef<str>> Snapshot<H> {
    /// A snapshot with no evidence attached.
    #[must_use]
    pub fn new(html: H, step: u64) -> Self {
        Self { html, step, title: String::new(), url: String::new(), screenshot: None, snapshot: None }
    }

    /// Identifies the page and lets go of it.
    ///
    /// # Errors
    ///
    /// As [`identify`].
    pub fn observe(self, options: &Options) -> Result<Observation, Error> {
        let identity: Identity = identify(self.html.as_ref(), options)?;
        let Self { step, title, url, screenshot, snapshot, .. } = self;
        Ok(Observation { identity, step, title, url, screenshot, snapshot })
    }
}

impl StateGraph {
    /// The states of many snapshots, identified in parallel on rayon's current pool.
    ///
    /// `load` brings the snapshot with a given number, from 0 to `count`, when its turn comes, so that no more of
    /// them are in memory than there are threads; it may fail with an error of its own. The graph is the same as if
    /// the snapshots had been observed one by one.
    ///
    /// # Errors
    ///
    /// One of the errors that `load` or [`identify`] gave, when there was any.
    pub fn from_snapshots<H, E>(
        count: usize,
        load: impl Fn(usize) -> Result<Snapshot<H>, E> + Sync,
        options: &Options,
    ) -> Result<Self, E>
    where
        H: AsRef<str>,
        E: From<Error> + Send,
    {
        (0..count)
            .into_par_iter()
            .try_fold(Self::new, |mut graph, number| {
                let observation = load(number)?.observe(options)?;
                graph.add_state(State { first: observation, visits: 1 });
                Ok(graph)
            })
            .try_reduce(Self::new, |mut a, b| {
                a.merge(b);
                Ok(a)
            })
    }
}
