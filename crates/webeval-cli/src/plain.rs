//! The app of a run, brought up once more as it is: what is judged live carries no counters.

use std::path::{Path, PathBuf};

use tempfile::TempDir;
use webeval_deploy::{App, Framework, Running, Server};
use webeval_evidence::{AppSource, RunRecord};

use crate::failure::Failure;

/// An app that is up. Dropping it stops the server and removes the copy.
pub(crate) struct Plain {
    /// Scheme, host and port.
    pub(crate) origin: String,
    /// Path and query of its first page.
    pub(crate) entry: String,
    up: Up,
}

/// What keeps it up.
enum Up {
    /// Files of its own, served from a copy; the copy's drop removes it.
    Copy { server: Server, copy: TempDir },
    /// Whatever the deployment stage needed.
    Deployed(Box<Running>),
}

impl Plain {
    /// The file of its first page; none when the app runs elsewhere.
    fn page(&self) -> Option<PathBuf> {
        match &self.up {
            Up::Copy { copy, .. } => Some(copy.path().join(self.entry.trim_start_matches('/'))),
            Up::Deployed(_) => None,
        }
    }

    /// Its first page's source.
    pub(crate) fn html(&self) -> Result<String, Failure> {
        let Some(path) = self.page() else {
            return Err(Failure::Input(
                "a page that is served elsewhere cannot be rewritten; give its file".to_owned(),
            ));
        };
        let bytes = std::fs::read(&path).map_err(Failure::failed)?;
        String::from_utf8(bytes).map_err(|_| Failure::Input(format!("{} is not UTF-8", self.entry)))
    }

    /// Serves another first page from now on.
    pub(crate) fn rewrite(&self, html: &str) -> std::io::Result<()> {
        self.page().map_or(Ok(()), |path| std::fs::write(path, html))
    }

    pub(crate) async fn stop(self) {
        match self.up {
            Up::Copy { server, .. } => server.stop().await,
            Up::Deployed(running) => {
                running.stop().await;
            }
        }
    }
}

/// Brings the app of a run up.
pub(crate) async fn bring_up(record: &RunRecord) -> Result<Plain, Failure> {
    let given = match &record.app {
        AppSource::HtmlFile { path } | AppSource::Folder { path } => path,
        AppSource::Url { url } => url,
        other => return Err(Failure::Input(format!("{other:?} cannot be brought up again"))),
    };
    bring_up_at(&webeval_deploy::locate(given).map_err(Failure::input)?).await
}

/// Brings an app up: files that need nothing but a server without counters, anything else as the deployment stage does.
pub(crate) async fn bring_up_at(app: &App) -> Result<Plain, Failure> {
    let entry = match app.source() {
        AppSource::Url { .. } => None,
        _ => {
            let detected = webeval_deploy::detect(app).map_err(Failure::input)?;
            (detected.framework == Framework::Static).then_some(detected.entry)
        }
    };
    let Some(entry) = entry else {
        let running = webeval_deploy::deploy(app, None).await.map_err(Failure::failed)?;
        let (origin, entry) = (running.origin(), running.record.entry.clone());
        return Ok(Plain { origin, entry, up: Up::Deployed(Box::new(running)) });
    };
    let copy = TempDir::with_prefix("webeval-plain-").map_err(Failure::failed)?;
    let originals = TempDir::with_prefix("webeval-plain-").map_err(Failure::failed)?;
    let (app, target, sources) = (app.clone(), copy.path().to_owned(), originals.path().to_owned());
    let staged = tokio::task::spawn_blocking(move || -> Result<(), Failure> {
        webeval_deploy::stage(&app, &target, Some(&sources)).map_err(Failure::failed)?;
        // Staging keeps what it instruments: with that back in place the copy is what was given.
        put_back(&sources, &target).map_err(Failure::failed)
    });
    staged.await.map_err(Failure::failed)??;
    let server = Server::start(copy.path().to_owned()).await.map_err(Failure::failed)?;
    let origin = server.url(&entry).map_err(Failure::failed)?.origin().ascii_serialization();
    Ok(Plain { origin, entry: format!("/{entry}"), up: Up::Copy { server, copy } })
}

fn put_back(from: &Path, to: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            put_back(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
