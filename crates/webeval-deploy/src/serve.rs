//! A static file server on loopback.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use axum::Router;
use axum::http::header::CACHE_CONTROL;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{Html, Response};
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tower_http::services::ServeDir;
use url::Url;

use crate::Error;

/// A running static file server. It stops when dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
}

impl Server {
    /// Serves `root` on a loopback port that the operating system picks: folders by their `index.html`, ranges, MIME
    /// types by extension. Nothing may be cached, so that a reload fetches again what a user's first visit would.
    ///
    /// # Errors
    /// When no port can be had.
    pub async fn start(root: PathBuf) -> Result<Self, Error> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(Error::io("listen for", &root))?;
        let address = listener.local_addr().map_err(Error::io("listen for", &root))?;
        // Without a body to a 404 the browser would show a page of its own, which is none of the app's.
        let files = Router::new().fallback_service(ServeDir::new(&root).not_found_service(get(not_found))).layer(
            axum::middleware::map_response(|mut response: Response| async {
                response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
                response
            }),
        );
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn(async move {
            let shutdown = async {
                let _ = stopped.await;
            };
            if let Err(error) = axum::serve(listener, files).with_graceful_shutdown(shutdown).await {
                tracing::warn!(%error, "the static server stopped");
            }
        });
        Ok(Self { address, stop: Some(stop), task })
    }

    /// Address of the file at `path`, relative to the root.
    ///
    /// # Errors
    /// When the path cannot be part of a URL.
    pub fn url(&self, path: &str) -> Result<Url, Error> {
        let origin = format!("http://{}/", self.address);
        let bad = |source| Error::BadUrl { url: format!("{origin}{path}"), source };
        let mut url = Url::parse(&origin).map_err(bad)?;
        url.set_path(path);
        Ok(url)
    }

    /// Stops it and waits until the port is free. Connections that a browser keeps open are cut.
    pub async fn stop(mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        let grace = std::time::Duration::from_millis(200);
        if tokio::time::timeout(grace, &mut self.task).await.is_err() {
            self.task.abort();
        }
    }
}

async fn not_found() -> (StatusCode, Html<&'static str>) {
    (StatusCode::NOT_FOUND, Html("<!doctype html><title>Not found</title><h1>Not found</h1>"))
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}
