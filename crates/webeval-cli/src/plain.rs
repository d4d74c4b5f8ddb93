//! The app of a run, brought up once more as it is: what is judged live carries no counters.

use std::path::PathBuf;

use webeval_deploy::{App, Options, Running};
use webeval_evidence::{Deployment, RunRecord};

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
    /// Switches for the browser that lead its requests to CDNs where they are answered.
    pub(crate) fn browser_args(&self) -> Vec<String> {
        self.running.browser_args()
    }

    /// The file of its first page; none when the app runs elsewhere or is built.
    fn page(&self) -> Option<PathBuf> {
        self.running.served_folder().map(|folder| folder.join(self.entry.trim_start_matches('/')))
    }

    /// Its first page's source.
    pub(crate) fn html(&self) -> Result<String, Failure> {
        let Some(path) = self.page() else {
            return Err(Failure::Input("only a page that is a file can be rewritten; give its file".to_owned()));
        };
        let bytes = std::fs::read(&path).map_err(Failure::failed)?;
        String::from_utf8(bytes).map_err(|_| Failure::Input(format!("{} is not UTF-8", self.entry)))
    }

    /// Serves another first page from now on.
    pub(crate) fn rewrite(&self, html: &str) -> std::io::Result<()> {
        self.page().map_or(Ok(()), |path| std::fs::write(path, html))
    }

    /// How it was brought up.
    pub(crate) fn deployment(&self) -> &Deployment {
        &self.running.record
    }

    pub(crate) async fn stop(self) {
        self.running.stop().await;
    }
}

/// Brings the app of a run up, for judges of its page.
pub(crate) async fn bring_up(record: &RunRecord) -> Result<Plain, Failure> {
    bring_up_at(&app_of(record)?).await
}

/// Brings the app of a run up, for judges of its code too: the checks that it declares are run.
pub(crate) async fn bring_up_checked(record: &RunRecord) -> Result<Plain, Failure> {
    let mut options = Options::default();
    options.declared_checks = true;
    deploy(&app_of(record)?, options).await
}

/// Brings an app up.
pub(crate) async fn bring_up_at(app: &App) -> Result<Plain, Failure> {
    deploy(app, Options::default()).await
}

async fn deploy(app: &App, mut options: Options) -> Result<Plain, Failure> {
    options.counters = false;
    let running = webeval_deploy::deploy(app, &options).await.map_err(Failure::failed)?;
    Ok(Plain { origin: running.origin(), entry: running.record.entry.clone(), running })
}
