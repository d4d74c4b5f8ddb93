//! Counters by a plugin of the app's bundler: Vite hands each of the app's modules over after all its other plugins, with
//! the source map that leads from there to the source.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinHandle;
use webeval_instrument::{Kind, Options, instrument};

use super::Site;
use super::build::Plan;
use super::bundle::Script;
use crate::Error;
use crate::detect::Framework;

const CONFIG: &str = include_str!("counters.vite.mjs");
/// The file of our configuration, beside the app's own: what it imports is looked for from there.
const NAME: &str = "webeval.vite.config.mjs";
/// Folder of the socket, in the staged app, that the build sees.
const FOLDER: &str = ".webeval";
/// Largest module that is taken, in bytes, its source map included.
const LARGEST: u64 = 64 << 20;

/// Gives modules counters while a build runs.
#[derive(Debug)]
pub(crate) struct Plugin {
    folder: PathBuf,
    config: PathBuf,
    modules: Modules,
    task: JoinHandle<()>,
}

type Modules = Arc<Mutex<BTreeMap<String, Script>>>;

/// A module as the build hands it over.
#[derive(Deserialize)]
struct Request {
    id: String,
    code: String,
    map: String,
}

impl Plugin {
    /// Makes ready for a build, and gives the plan that uses it; none where Vite is not called by the build itself or has
    /// been told of a configuration already.
    pub(crate) fn prepare(site: &Site, plan: &Plan) -> Result<Option<(Self, Plan)>, Error> {
        if !matches!(site.detected.framework, Framework::Vite | Framework::SvelteKit) {
            return Ok(None);
        }
        let Some(plan) = plan.with_vite_config(NAME) else { return Ok(None) };
        let (folder, config) = (site.stage.join(FOLDER), site.file(NAME));
        std::fs::create_dir_all(&folder).map_err(Error::io("create", &folder))?;
        let listener = bind(&folder)?;
        let app = site.sandbox.in_app(&site.stage, "");
        let text = CONFIG.replace("@APP@", &app).replace("@SOCKET@", &format!("{app}/{FOLDER}/socket"));
        std::fs::write(&config, text).map_err(Error::io("write", &config))?;
        for path in [&folder, &config] {
            site.sandbox.hand_over(path)?;
        }
        let modules = Modules::default();
        let task = tokio::spawn(serve(listener, Arc::clone(&modules)));
        Ok(Some((Self { folder, config, modules, task }, plan)))
    }

    /// Ends it, and gives the modules that got counters.
    pub(crate) fn finish(self) -> Vec<Script> {
        self.task.abort();
        let _ = std::fs::remove_file(&self.config);
        let _ = std::fs::remove_dir_all(&self.folder);
        let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *modules).into_values().collect()
    }
}

/// A socket in a folder. It is bound through the open folder, since the path of a socket may not be long.
fn bind(folder: &Path) -> Result<UnixListener, Error> {
    use std::os::fd::AsRawFd;
    let open = std::fs::File::open(folder).map_err(Error::io("open", folder))?;
    let path = format!("/proc/self/fd/{}/socket", open.as_raw_fd());
    UnixListener::bind(path).map_err(Error::io("listen in", folder))
}

async fn serve(listener: UnixListener, modules: Modules) {
    while let Ok((stream, _)) = listener.accept().await {
        let modules = Arc::clone(&modules);
        tokio::spawn(async move {
            if let Err(error) = answer(stream, modules).await {
                tracing::debug!(%error, "a module was not handed over");
            }
        });
    }
}

/// Answers a module with the same with counters, or with nothing when it stays as it is.
async fn answer(stream: UnixStream, modules: Modules) -> std::io::Result<()> {
    let (read, mut write) = stream.into_split();
    let mut text = Vec::new();
    read.take(LARGEST).read_to_end(&mut text).await?;
    let request: Request = serde_json::from_slice(&text)?;
    let counted = tokio::task::spawn_blocking(move || counted(request, &modules)).await.unwrap_or_default();
    write.write_all(counted.unwrap_or_default().as_bytes()).await?;
    write.shutdown().await
}

fn counted(request: Request, modules: &Modules) -> Option<String> {
    let Request { id, code, map } = request;
    let mut options = Options::default();
    options.kind = Some(Kind::Module);
    options.maps_as_text = true;
    let done = instrument(&code, &id, &options).ok().filter(|done| done.coverage.counters() > 0)?;
    let script = Script { coverage: done.coverage, text: code, map: Some(map) };
    modules.lock().unwrap_or_else(PoisonError::into_inner).insert(id, script);
    Some(done.code)
}
