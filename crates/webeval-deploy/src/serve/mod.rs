//! Serving: files by our own server, or an app's own server through a bridge.

mod files;
mod own;
mod route;

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use url::Url;

pub use files::Server;
pub(crate) use files::{Fallback, Files};
pub(crate) use own::{Own, OwnServer};
pub(crate) use route::{Backend, Route};

use crate::Error;

/// Something that serves an app. Dropping it ends it.
#[derive(Debug)]
pub(crate) enum Up {
    /// It was running before, and is not ours.
    Elsewhere,
    Files(Server),
    Own(OwnServer),
}

impl Up {
    pub(crate) async fn files(files: Files) -> Result<Self, Error> {
        Server::serve(files).await.map(Self::Files)
    }

    /// Address of a path that is served.
    pub(crate) fn url(&self, path: &str) -> Result<Url, Error> {
        match self {
            Self::Files(server) => server.url(path),
            Self::Own(server) => address_of(server.address(), path),
            Self::Elsewhere => Err(Error::BadUrl { url: path.to_owned(), source: url::ParseError::EmptyHost }),
        }
    }

    /// The status that a path is answered with, when it is answered at all.
    pub(crate) async fn answers(&self, path: &str) -> Option<u16> {
        match self {
            Self::Files(server) => probe(server.address(), path).await,
            Self::Own(server) => probe(server.address(), path).await,
            Self::Elsewhere => None,
        }
    }

    /// What the app's own server printed lately.
    pub(crate) fn tail(&self) -> String {
        match self {
            Self::Own(server) => server.tail(),
            _ => String::new(),
        }
    }

    /// Ends it and waits until its port is free.
    pub(crate) async fn stop(self) {
        match self {
            Self::Elsewhere => {}
            Self::Files(server) => server.stop().await,
            Self::Own(server) => server.stop().await,
        }
    }
}

fn address_of(address: SocketAddr, path: &str) -> Result<Url, Error> {
    let origin = format!("http://{address}/");
    let bad = |source| Error::BadUrl { url: format!("{origin}{path}"), source };
    let mut url = Url::parse(&origin).map_err(bad)?;
    let (path, query) = path.split_once('?').map_or((path, None), |(path, query)| (path, Some(query)));
    url.set_path(path);
    url.set_query(query);
    Ok(url)
}

/// Asks for a path and gives the status, when anything that speaks HTTP answers.
async fn probe(address: SocketAddr, path: &str) -> Option<u16> {
    let asked = async {
        let mut stream = TcpStream::connect(address).await.ok()?;
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {address}\r\nAccept: text/html,*/*\r\nUser-Agent: webeval\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await.ok()?;
        let mut head = Vec::new();
        let mut buffer = [0; 1024];
        while !head.contains(&b'\n') && head.len() < 4096 {
            match stream.read(&mut buffer).await.ok()? {
                0 => break,
                count => head.extend_from_slice(&buffer[..count]),
            }
        }
        let line = String::from_utf8_lossy(&head);
        line.strip_prefix("HTTP/1.")?.split_whitespace().nth(1)?.parse().ok()
    };
    tokio::time::timeout(Duration::from_secs(20), asked).await.ok().flatten()
}
