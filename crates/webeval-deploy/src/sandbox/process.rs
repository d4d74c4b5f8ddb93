//! One command that runs under limits.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;

use super::Job;
use super::watch::{Broke, Watch};
use crate::Error;
use crate::options::Limits;

/// How much of what a command prints is kept.
const KEPT: usize = 64 << 10;
/// How often a command is looked after.
const TICK: Duration = Duration::from_millis(100);

/// How a command ended.
#[derive(Clone, Debug)]
pub(crate) struct Ended {
    /// None when it was killed.
    pub(crate) exit: Option<i32>,
    pub(crate) seconds: f64,
    /// The end of what it printed.
    pub(crate) tail: String,
    /// The limit that it broke.
    pub(crate) broke: Option<Broke>,
}

impl Ended {
    pub(crate) fn is_success(&self) -> bool {
        self.exit == Some(0) && self.broke.is_none()
    }
}

/// The end of what a command printed.
#[derive(Debug, Default)]
struct Tail {
    kept: VecDeque<u8>,
    bytes: u64,
}

impl Tail {
    fn push(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.kept.extend(bytes);
        let over = self.kept.len().saturating_sub(KEPT);
        self.kept.drain(..over);
    }

    fn text(&self) -> String {
        let bytes: Vec<u8> = self.kept.iter().copied().collect();
        let text = plain(&String::from_utf8_lossy(&bytes));
        match self.bytes {
            bytes if bytes > 16 << 20 => format!("({} MB in all, of which this is the end)\n{text}", bytes >> 20),
            _ => text,
        }
    }
}

/// Without colours and other terminal commands.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => {
                if chars.next_if_eq(&'[').is_some() {
                    for c in chars.by_ref() {
                        if c.is_ascii_alphabetic() {
                            break;
                        }
                    }
                }
            }
            '\r' => {}
            c if c.is_control() && c != '\n' && c != '\t' => {}
            c => out.push(c),
        }
    }
    out
}

/// A command that runs. Dropping it ends it.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    tail: Arc<Mutex<Tail>>,
    readers: Vec<JoinHandle<()>>,
    began: Instant,
    time: Option<Duration>,
    watch: Watch,
    confined: bool,
}

impl Process {
    pub(super) fn start(
        argv: Vec<OsString>,
        bare_env: Vec<(String, String)>,
        job: &Job,
        limits: Limits,
        work: &Path,
    ) -> Result<Self, Error> {
        let confined = bare_env.is_empty();
        let program = argv.first().cloned().unwrap_or_default();
        let mut command = Command::new(&program);
        command.args(&argv[1..]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.process_group(0).kill_on_drop(true);
        // Not even the sandbox's own first process carries our environment, which may hold secrets.
        command.env_clear();
        if confined {
            command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        } else {
            command.envs(bare_env);
        }
        let mut child = command.spawn().map_err(Error::io("start", PathBuf::from(program)))?;
        let tail = Arc::new(Mutex::new(Tail::default()));
        let mut readers = Vec::new();
        if let Some(stdout) = child.stdout.take() {
            readers.push(tokio::spawn(read(stdout, Arc::clone(&tail))));
        }
        if let Some(stderr) = child.stderr.take() {
            readers.push(tokio::spawn(read(stderr, Arc::clone(&tail))));
        }
        let watch = Watch::new(child.id().unwrap_or_default(), limits, &job.app, work);
        Ok(Self { child, tail, readers, began: Instant::now(), time: Some(job.time), watch, confined })
    }

    /// Lets it run for as long as it likes.
    pub(crate) fn without_end(mut self) -> Self {
        self.time = None;
        self
    }

    /// What it has printed lately.
    pub(crate) fn tail(&self) -> impl Fn() -> String + Send + Sync + 'static {
        let tail = Arc::clone(&self.tail);
        move || tail.lock().unwrap_or_else(PoisonError::into_inner).text()
    }

    /// Waits until it ends, or ends it when it breaks a limit.
    pub(crate) async fn wait(mut self) -> Ended {
        let mut broke = None;
        let status = loop {
            match tokio::time::timeout(TICK, self.child.wait()).await {
                Ok(status) => break status.ok(),
                Err(_) => broke = self.broken().await,
            }
            if broke.is_some() {
                self.kill();
                break self.child.wait().await.ok();
            }
        };
        self.end(status.and_then(|status| status.code()), broke).await
    }

    /// Ends it.
    pub(crate) async fn stop(mut self) -> Ended {
        self.kill();
        let status = self.child.wait().await.ok();
        self.end(status.and_then(|status| status.code()), None).await
    }

    /// Waits until it ends by itself or `stop` comes, and then ends it.
    pub(crate) async fn run_until(mut self, mut stop: tokio::sync::oneshot::Receiver<()>) -> Ended {
        loop {
            tokio::select! {
                _ = &mut stop => return self.stop().await,
                status = self.child.wait() => {
                    let code = status.ok().and_then(|status| status.code());
                    return self.end(code, None).await;
                }
                () = tokio::time::sleep(TICK) => {}
            }
            if let Some(broke) = self.broken().await {
                self.kill();
                let _ = self.child.wait().await;
                return self.end(None, Some(broke)).await;
            }
        }
    }

    async fn broken(&mut self) -> Option<Broke> {
        if let Some(time) = self.time.filter(|time| self.began.elapsed() > *time) {
            return Some(Broke::Time(time));
        }
        self.watch.look().await
    }

    fn kill(&mut self) {
        if !self.confined {
            self.watch.kill_tree();
        }
        // Of a sandbox this is the monitor; everything in it goes with it.
        let _ = self.child.start_kill();
    }

    async fn end(mut self, exit: Option<i32>, broke: Option<Broke>) -> Ended {
        let seconds = self.began.elapsed().as_secs_f64();
        if !self.confined {
            self.watch.kill_tree();
        }
        for reader in &mut self.readers {
            // Something that got away could hold the pipe open.
            if tokio::time::timeout(Duration::from_millis(500), &mut *reader).await.is_err() {
                reader.abort();
            }
        }
        let tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner).text();
        Ended { exit, seconds, tail, broke }
    }
}

async fn read(mut pipe: impl AsyncRead + Unpin, tail: Arc<Mutex<Tail>>) {
    let mut buffer = vec![0; 64 << 10];
    while let Ok(count @ 1..) = pipe.read(&mut buffer).await {
        tail.lock().unwrap_or_else(PoisonError::into_inner).push(&buffer[..count]);
    }
}
