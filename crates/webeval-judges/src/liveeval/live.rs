//! Benches on an app that is up.

use std::path::PathBuf;

use webeval_browser::Driver;
use webeval_evidence::{AppSource, RunRecord};

use super::bench::{Bench, BenchFuture, Benches};
use super::{Evaluator, PageBench, ToolKind, Workshop};

/// Opens benches on an app that is served: a browser with a profile of its own for each, and source and build record for
/// evaluators that declare them.
#[derive(Debug)]
pub struct LiveBenches<'a> {
    driver: &'a Driver,
    origin: String,
    entry: String,
    sources: Option<PathBuf>,
    record: RunRecord,
    browser_args: Vec<String>,
}

impl<'a> LiveBenches<'a> {
    /// Benches on the app of a run. `origin` is where it is served now, `entry` the path of its first page there.
    #[must_use]
    pub fn new(driver: &'a Driver, origin: impl Into<String>, entry: impl Into<String>, record: RunRecord) -> Self {
        let sources = match &record.app {
            AppSource::HtmlFile { path } | AppSource::Folder { path } => Some(PathBuf::from(path)),
            _ => None,
        };
        Self { driver, origin: origin.into(), entry: entry.into(), sources, record, browser_args: Vec::new() }
    }

    /// Further switches for the browsers, such as the proxy that the app's requests to elsewhere go through.
    #[must_use]
    pub fn with_browser_args(mut self, args: Vec<String>) -> Self {
        self.browser_args = args;
        self
    }
}

impl Benches for LiveBenches<'_> {
    fn open<'a>(&'a self, evaluator: &'a Evaluator) -> BenchFuture<'a, Box<dyn Bench>> {
        Box::pin(async move {
            let page: Option<Box<dyn Bench>> = if Workshop::suffices_for(evaluator) {
                None
            } else {
                Some(Box::new(
                    PageBench::open_with(self.driver, &self.origin, &self.entry, evaluator, &self.browser_args).await?,
                ))
            };
            match page {
                Some(page) if !evaluator.tools.iter().any(|tool| tool.is_behind_the_scenes()) => Ok(page),
                page => {
                    let sources = self.sources.clone().unwrap_or_default();
                    Ok(Box::new(Workshop::new(sources, &self.record, page)) as Box<dyn Bench>)
                }
            }
        })
    }

    fn obstacle(&self, evaluator: &Evaluator) -> Option<String> {
        let reads = |tool: &ToolKind| matches!(tool, ToolKind::ReadFile | ToolKind::SearchSource);
        if evaluator.tools.iter().any(reads) && !self.sources.as_ref().is_some_and(|path| path.exists()) {
            return Some("the source is not there: the app was given as an address, or has been moved".to_owned());
        }
        let builds = evaluator.tools.contains(&ToolKind::BuildRecord) && Workshop::suffices_for(evaluator);
        let unbuilt = self.record.deployment.is_none() || matches!(self.record.app, AppSource::Url { .. });
        (builds && unbuilt).then(|| "it was running already, so nothing is known of how it is brought up".to_owned())
    }
}
