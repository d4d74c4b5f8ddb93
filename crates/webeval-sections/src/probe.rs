//! The visual checks as a probe of the exploration: every newly reached state is measured.

use serde_json::Value;
use webeval_browser::Session;
use webeval_explore::{Probe, Waiting};

use crate::capture::measure;
use crate::checks::check;
use crate::measure::{HitTests, Options};

/// Measures the page as it is, without scrolling or changing it, and reports the findings as a [`crate::Report`].
///
/// Text over pictures is passed over: its pixels would cost a screenshot at every state.
#[derive(Clone, Copy, Debug, Default)]
pub struct VisualProbe {
    options: Options,
}

impl VisualProbe {
    /// A probe that measures at most `max_nodes` elements of a page.
    #[must_use]
    pub fn with_limit(max_nodes: usize) -> Self {
        Self { options: Options { max_nodes, hit: HitTests::Viewport, ..Options::default() } }
    }

    async fn report(&self, session: &mut Session) -> Option<Value> {
        match measure(session, self.options).await {
            Ok(page) => serde_json::to_value(check(&page)).ok(),
            Err(error) => {
                tracing::warn!(%error, "page could not be measured");
                None
            }
        }
    }
}

impl Probe for VisualProbe {
    fn inspect<'a>(&'a mut self, session: &'a mut Session) -> Waiting<'a, Option<Value>> {
        Box::pin(self.report(session))
    }
}
