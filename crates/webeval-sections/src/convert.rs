//! A folder of HTML pages (an existing benchmark) into the structured form (WebGen-V §4.5).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use webeval_browser::{Driver, Session, SessionOptions};
use webeval_evidence::{Action, ActionKind};

use crate::Error;
use crate::process::{Options, process};

/// What became of a page.
#[derive(Debug)]
#[non_exhaustive]
pub enum Converted {
    /// Processed now, into that many sections.
    Done(usize),
    /// There already from an earlier run.
    Kept,
    /// It could not be processed.
    Failed(Error),
}

/// Processes every page under `folder` into a folder of the same relative name under `out`, `parallel` at a time, each
/// in a browser of its own. `address` tells where a page is served. A page whose `sections.json` is there already is kept,
/// so a conversion that was stopped goes on. `report` is told of each page as it ends, with the folders its results are in:
/// one for each viewport.
///
/// # Errors
/// When the folder cannot be read. A page that fails does not stop the others.
pub async fn convert(
    driver: &Driver,
    (folder, out): (&Path, &Path),
    address: impl Fn(&Path) -> String,
    (options, parallel): (&Options, usize),
    mut report: impl FnMut(&Path, &[PathBuf], &Converted),
) -> Result<(), Error> {
    let folder = folder.canonicalize().map_err(|source| Error::Read { path: folder.to_owned(), source })?;
    let room = Arc::new(Semaphore::new(parallel.max(1)));
    let mut running = JoinSet::new();
    for page in pages_in(&folder)? {
        let target = out.join(page.strip_prefix(&folder).unwrap_or(&page)).with_extension("");
        let folders = options.folders(&target);
        if folders.iter().all(|folder| folder.join("sections.json").is_file()) {
            report(&page, &folders, &Converted::Kept);
            continue;
        }
        let (driver, options, room, url) = (driver.clone(), options.clone(), Arc::clone(&room), address(&page));
        running.spawn(async move {
            let _place = room.acquire_owned().await;
            let mut converted = one(&driver, &url, &target, &options).await;
            // A page that goes on reloading itself can swallow a question for good; the next browser mostly does.
            if converted.as_ref().is_err_and(Error::is_fatal) {
                converted = one(&driver, &url, &target, &options).await;
            }
            (page, folders, converted.map_or_else(Converted::Failed, Converted::Done))
        });
    }
    while let Some(ended) = running.join_next().await {
        if let Ok((page, folders, converted)) = ended {
            report(&page, &folders, &converted);
        }
    }
    Ok(())
}

async fn one(driver: &Driver, url: &str, target: &Path, options: &Options) -> Result<usize, Error> {
    let host = url.find("://").map_or(0, |at| at + 3);
    let origin = url[host..].find('/').map_or(url, |end| &url[..host + end]);
    let mut session = Session::open(driver, SessionOptions::new(origin)).await?;
    session.act(&Action { kind: ActionKind::Load { url: url.to_owned() }, target: None }).await?;
    let files = process(&mut session, target, options).await;
    session.close().await?;
    Ok(files?.iter().map(|file| file.sections.len()).sum())
}

/// Every page under a folder, in order of its name.
fn pages_in(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let failed = |source| Error::Read { path: folder.to_owned(), source };
    let mut pages = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        if path.is_dir() {
            pages.extend(pages_in(&path)?);
        } else if matches!(extension, "html" | "htm" | "xhtml") {
            pages.push(path);
        }
    }
    pages.sort();
    Ok(pages)
}
