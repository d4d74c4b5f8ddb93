//! chromedriver as a process of our own, which leaves nothing behind.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::Mutex;

use crate::error::Error;

/// How long chromedriver may take to say which port it listens on.
const READY: Duration = Duration::from_secs(20);

/// Runs beside chromedriver in a process group of its own. Its standard input is a pipe that only we hold: when it
/// closes (dropped, or we died in whatever way), everything that works in the temporary folder is ended and the
/// folder removed.
const KEEPER: &str = r#"
"$1" --port=0 --log-level=WARNING &
driver=$!
read -r _
kill -KILL $driver 2>/dev/null
for try in 1 2 3 4 5 6 7 8 9 10; do
  for file in $(grep -lsaF -- "$2" /proc/[0-9]*/cmdline); do
    pid=${file#/proc/}
    pid=${pid%/cmdline}
    [ "$pid" = $$ ] || kill -KILL "$pid" 2>/dev/null
  done
  rm -rf -- "$2" 2>/dev/null
  [ -e "$2" ] || exit 0
  sleep 0.05
done
"#;

/// What to start.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DriverOptions {
    /// chromedriver: a path, or a name to be looked up in the search path.
    pub program: PathBuf,
    /// Chromium or Chrome; where none is given, chromedriver looks for it itself.
    pub browser: Option<PathBuf>,
}

impl Default for DriverOptions {
    fn default() -> Self {
        Self { program: PathBuf::from("chromedriver"), browser: None }
    }
}

/// A driver that sessions can be opened on: one that was started here, or one that runs elsewhere. Clones share it.
///
/// When the last clone (and session) is dropped, the driver, its browsers and their temporary files go with it; so they
/// do when this process dies.
#[derive(Clone, Debug)]
pub struct Driver(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    options: DriverOptions,
    version: String,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    url: String,
    own: Option<Own>,
}

#[derive(Debug)]
struct Own {
    keeper: Child,
    alive: Option<ChildStdin>,
    folder: PathBuf,
}

impl Driver {
    /// Starts chromedriver on a port that the system picks.
    ///
    /// # Errors
    /// [`Error::DriverMissing`] when there is no such program, [`Error::DriverStart`] when it does not get ready.
    pub async fn start(options: &DriverOptions) -> Result<Self, Error> {
        let version = version_of(&options.program).await?;
        let state = launch(&options.program).await?;
        Ok(Self(Arc::new(Shared { options: options.clone(), version, state: Mutex::new(state) })))
    }

    /// Uses a WebDriver that runs already, such as a Selenium Grid, at `url` (`http://host:4444/`).
    #[must_use]
    pub fn at(url: impl Into<String>) -> Self {
        let mut url = url.into();
        if !url.ends_with('/') {
            url.push('/');
        }
        let state = Mutex::new(State { url, own: None });
        Self(Arc::new(Shared { options: DriverOptions::default(), version: "remote".to_owned(), state }))
    }

    /// Name and version, such as `ChromeDriver 156.0.8078.108`; `remote` for one that runs elsewhere.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.0.version
    }

    /// Where it listens.
    pub async fn url(&self) -> String {
        self.0.state.lock().await.url.clone()
    }

    pub(crate) fn browser(&self) -> Option<&Path> {
        self.0.options.browser.as_deref()
    }

    /// The folder that everything of this driver lives in (profiles, temporary files); none for one that runs elsewhere.
    pub async fn folder(&self) -> Option<PathBuf> {
        self.0.state.lock().await.own.as_ref().map(|own| own.folder.clone())
    }

    /// Starts the driver anew after it was lost; false for one that runs elsewhere.
    pub(crate) async fn restart(&self) -> Result<bool, Error> {
        let mut state = self.0.state.lock().await;
        if state.own.is_none() {
            return Ok(false);
        }
        *state = launch(&self.0.options.program).await?;
        Ok(true)
    }
}

/// Most starts in a row that end because of a port.
const STARTS: u32 = 4;

/// Starts chromedriver; once more where the port that it was given in one protocol of the internet is taken in the other.
async fn launch(program: &Path) -> Result<State, Error> {
    let taken = |error: &Error| match error {
        Error::DriverStart { said: Some(said), .. } => said.contains("port not available"),
        _ => false,
    };
    for _ in 1..STARTS {
        match launch_once(program).await {
            Err(error) if taken(&error) => tracing::debug!(%error, "it is started once more"),
            done => return done,
        }
    }
    launch_once(program).await
}

async fn launch_once(program: &Path) -> Result<State, Error> {
    let folder = tempfile::Builder::new().prefix("webeval-").tempdir().map_err(Error::io("make a temporary folder"))?;
    let folder = folder.keep();
    let mut keeper = Command::new("/bin/sh")
        .args(["-c", KEEPER, "webeval-keeper"])
        .arg(program)
        .arg(&folder)
        .env("TMPDIR", &folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .map_err(Error::io("start chromedriver"))?;
    let alive = keeper.stdin.take();
    let stdout = keeper.stdout.take();
    // From here on, dropping `own` cleans up.
    let own = Own { keeper, alive, folder };
    let mut lines = BufReader::new(stdout.ok_or_else(no_pipe)?).lines();
    let port = wait_for_port(&mut lines).await?;
    // Nobody reads what it says later, but it must not block on a full pipe either.
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    tracing::debug!(port, folder = %own.folder.display(), "chromedriver is ready");
    Ok(State { url: format!("http://127.0.0.1:{port}/"), own: Some(own) })
}

impl Drop for Own {
    fn drop(&mut self) {
        drop(self.alive.take());
        let limit = Instant::now() + Duration::from_secs(10);
        while matches!(self.keeper.try_wait(), Ok(None)) && Instant::now() < limit {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

fn no_pipe() -> Error {
    Error::Io { action: "read from chromedriver", source: io::Error::other("it has no standard output") }
}

async fn version_of(program: &Path) -> Result<String, Error> {
    let output = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .output()
        .await
        .map_err(|source| Error::DriverMissing { program: program.display().to_string(), source })?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.split_whitespace().take(2).collect::<Vec<_>>().join(" "))
}

async fn wait_for_port(lines: &mut Lines<BufReader<ChildStdout>>) -> Result<u16, Error> {
    let mut said = None;
    let found = tokio::time::timeout(READY, async {
        while let Ok(Some(line)) = lines.next_line().await {
            if let Some(port) = line.split_once("started successfully on port ").and_then(|(_, rest)| port_of(rest)) {
                return Some(port);
            }
            said = Some(line);
        }
        None
    });
    match found.await {
        Ok(Some(port)) => Ok(port),
        _ => Err(Error::DriverStart { limit: READY, said }),
    }
}

fn port_of(text: &str) -> Option<u16> {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}
