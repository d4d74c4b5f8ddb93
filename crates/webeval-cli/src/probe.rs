//! Joins the visual checks to the exploration, which know nothing of one another.

use serde_json::Value;
use webeval_browser::Session;
use webeval_explore::{Probe, Waiting};
use webeval_sections::VisualProbe;

/// Measures the visual faults of every state that is reached for the first time.
#[derive(Debug, Default)]
pub(crate) struct VisualChecks(VisualProbe);

impl Probe for VisualChecks {
    fn inspect<'a>(&'a mut self, session: &'a mut Session) -> Waiting<'a, Option<Value>> {
        Box::pin(self.0.report(session))
    }
}
