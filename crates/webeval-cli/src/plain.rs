//! The app of a run, brought up once more as it is: what is judged live carries no counters.

use webeval_deploy::{App, Options, Running};
use webeval_evidence::RunRecord;

use crate::commands::explore::app_of;
use crate::failure::Failure;

/// An app that is up. Dropping it stops its server and removes the copy.
pub(crate) struct Plain {
    /// Scheme, host and port.
    pub(crate) origin: String,
    /// Path and query of its first page.
    pub(crate) entry: String,
    running: Running,
}

impl Plain {
    pub(crate) async fn stop(self) {
        self.running.stop().await;
    }
}

/// Brings the app of a run up.
pub(crate) async fn bring_up(record: &RunRecord) -> Result<Plain, Failure> {
    bring_up_at(&app_of(record)?).await
}

/// Brings an app up.
pub(crate) async fn bring_up_at(app: &App) -> Result<Plain, Failure> {
    let mut options = Options::default();
    options.counters = false;
    let running = webeval_deploy::deploy(app, &options).await.map_err(Failure::failed)?;
    Ok(Plain { origin: running.origin(), entry: running.record.entry.clone(), running })
}
