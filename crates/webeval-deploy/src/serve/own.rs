//! An app's own server: in a network of its own, reached through a socket in a folder that both sides see.
//!
//! The server can listen where it likes, as nothing else is there: the bridge looks for the port. Nothing of it can be
//! reached from outside but through us, and it reaches nothing.

use std::net::{Ipv4Addr, SocketAddr};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::net::{TcpListener, UnixStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::probe;
use crate::Error;
use crate::sandbox::{Broke, Ended, Process};

const BRIDGE: &str = include_str!("bridge.cjs");
const COUNTS: &str = include_str!("counts.cjs");

/// The port that a server is told to listen on, where it has a network of its own.
const PORT: u16 = 8090;
/// How long a server that answers with an error may take to come to itself.
const GRACE: Duration = Duration::from_secs(10);

/// What has to be there before the server starts.
#[derive(Debug)]
pub(crate) struct Own {
    /// Folder of the socket, and of what the server's code counts.
    pub(crate) run: PathBuf,
    /// Folder of our scripts.
    pub(crate) tools: PathBuf,
    pub(crate) port: u16,
    bridged: bool,
}

/// What the server said first.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) seconds: f64,
    /// The port that it listens on, when it is not the one that it was told.
    pub(crate) other_port: Option<u16>,
}

impl Own {
    pub(crate) async fn prepare(work: &Path, bridged: bool) -> Result<Self, Error> {
        let (run, tools) = (work.join("run"), work.join("tools"));
        let _ = std::fs::remove_dir_all(&run);
        for folder in [&run, &tools] {
            std::fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
        }
        let collect = webeval_instrument::coverage::COLLECT_DELTA;
        for (name, text) in [("bridge.cjs", BRIDGE.to_owned()), ("counts.cjs", COUNTS.replace("@COLLECT@", collect))] {
            let path = tools.join(name);
            std::fs::write(&path, text).map_err(Error::io("write", &path))?;
        }
        let port = if bridged { PORT } else { free_port().await? };
        Ok(Self { run, tools, port, bridged })
    }

    /// Waits until the server answers. The inner error is how it ended without having done so.
    pub(crate) async fn up(
        self,
        process: Process,
        limit: Duration,
    ) -> Result<Result<(OwnServer, Answer), Ended>, Error> {
        let began = Instant::now();
        let tail = process.tail();
        let (stop, stopped) = oneshot::channel();
        let mut running = tokio::spawn(process.run_until(stopped));
        let socket = Arc::new(Socket::in_folder(&self.run)?);
        let (address, bridge) = if self.bridged {
            let listener =
                TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(Error::io("listen for", &self.run))?;
            let address = listener.local_addr().map_err(Error::io("listen for", &self.run))?;
            (address, Some(tokio::spawn(bridge(listener, Arc::clone(&socket)))))
        } else {
            (SocketAddr::from((Ipv4Addr::LOCALHOST, self.port)), None)
        };
        let mut first_answer = None;
        let status = loop {
            if running.is_finished() {
                if let Some(bridge) = bridge {
                    bridge.abort();
                }
                return (&mut running).await.map(Err).map_err(|source| Error::Interrupted { source });
            }
            match probe(address, "/").await {
                Some(status) if status < 500 => break status,
                Some(status) => {
                    let first = *first_answer.get_or_insert_with(Instant::now);
                    if first.elapsed() > GRACE {
                        break status;
                    }
                }
                None if began.elapsed() > limit => {
                    let _ = stop.send(());
                    if let Some(bridge) = bridge {
                        bridge.abort();
                    }
                    let mut ended = running.await.map_err(|source| Error::Interrupted { source })?;
                    ended.broke = Some(Broke::Time(limit));
                    return Ok(Err(ended));
                }
                None => {}
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        };
        let found =
            std::fs::read_to_string(self.run.join("socket.port")).ok().and_then(|text| text.trim().parse().ok());
        let other_port = found.filter(|port| *port != self.port);
        let answer = Answer { status, seconds: began.elapsed().as_secs_f64(), other_port };
        let port = found.unwrap_or(self.port);
        let server = OwnServer {
            address,
            port,
            socket,
            stop: Some(stop),
            running,
            bridge,
            second: None,
            tail: Tail(Box::new(tail)),
        };
        Ok(Ok((server, answer)))
    }
}

struct Tail(Box<dyn Fn() -> String + Send + Sync>);

impl std::fmt::Debug for Tail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tail")
    }
}

/// A server that answers.
#[derive(Debug)]
pub(crate) struct OwnServer {
    address: SocketAddr,
    /// The port that it listens on, where it is.
    port: u16,
    socket: Arc<Socket>,
    stop: Option<oneshot::Sender<()>>,
    running: JoinHandle<Ended>,
    bridge: Option<JoinHandle<()>>,
    second: Option<JoinHandle<()>>,
    tail: Tail,
}

impl OwnServer {
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Makes it answer on a certain port of this machine too.
    pub(crate) async fn also_at(&mut self, port: u16) -> std::io::Result<()> {
        if self.bridge.is_none() {
            return Ok(());
        }
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        self.second = Some(tokio::spawn(bridge(listener, Arc::clone(&self.socket))));
        Ok(())
    }

    pub(crate) fn tail(&self) -> String {
        (self.tail.0)()
    }

    pub(crate) async fn stop(mut self) {
        // What its code counted last is written a little later.
        tokio::time::sleep(Duration::from_millis(400)).await;
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        let _ = (&mut self.running).await;
    }
}

impl Drop for OwnServer {
    fn drop(&mut self) {
        for bridge in self.bridge.iter().chain(&self.second) {
            bridge.abort();
        }
        // With the task goes the process, and with it the sandbox.
        self.running.abort();
    }
}

/// The socket that leads to the server. It is reached through its open folder, since the path of a socket may not be
/// long, and that of a temporary folder can be.
#[derive(Debug)]
struct Socket {
    folder: std::fs::File,
}

impl Socket {
    fn in_folder(folder: &Path) -> Result<Self, Error> {
        std::fs::File::open(folder).map(|folder| Self { folder }).map_err(Error::io("open", folder))
    }

    async fn connect(&self) -> std::io::Result<UnixStream> {
        UnixStream::connect(format!("/proc/self/fd/{}/socket", self.folder.as_raw_fd())).await
    }
}

/// Hands connections over to the socket.
async fn bridge(listener: TcpListener, socket: Arc<Socket>) {
    while let Ok((mut outside, _)) = listener.accept().await {
        let socket = Arc::clone(&socket);
        tokio::spawn(async move {
            if let Ok(mut inside) = socket.connect().await {
                let _ = tokio::io::copy_bidirectional(&mut outside, &mut inside).await;
            }
        });
    }
}

async fn free_port() -> Result<u16, Error> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(Error::io("listen on", "127.0.0.1"))?;
    listener.local_addr().map(|address| address.port()).map_err(Error::io("listen on", "127.0.0.1"))
}
