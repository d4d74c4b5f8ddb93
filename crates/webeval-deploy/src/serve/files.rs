//! A static file server on loopback.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::body::Body;
use axum::http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderValue, Method, Request, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tower::ServiceExt;
use tower_http::services::ServeDir;
use url::Url;

use super::Backend;
use crate::Error;

/// What is answered to a navigation that leads to no file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fallback {
    /// Status 404, with the app's page for it where it has one.
    None,
    /// The app's first page, whose script knows what to show.
    Page,
}

/// Files to serve.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    pub(crate) root: PathBuf,
    /// Path that the app was built to be served under, such as `/app`; empty for the root.
    pub(crate) base: String,
    pub(crate) fallback: Fallback,
    /// The server behind it.
    pub(crate) backend: Option<Backend>,
}

impl Files {
    /// What a build has made in `root`.
    pub(crate) fn new(root: PathBuf, fallback: Fallback) -> Self {
        let base = base_of(&root).unwrap_or_default();
        Self { root, base, fallback, backend: None }
    }
}

/// The path that an app was built to be served under: its first page asks for its files below it.
fn base_of(root: &Path) -> Option<String> {
    let page = std::fs::read_to_string(root.join("index.html")).ok()?;
    let mut urls = Vec::new();
    for attribute in ["src=\"", "href=\"", "src=/", "href=/"] {
        let bare = attribute.ends_with('/');
        for piece in page.split(attribute).skip(1) {
            let end = if bare { [' ', '>'].as_slice() } else { ['"'].as_slice() };
            let url = piece.split(end).next().unwrap_or_default();
            let url = if bare { format!("/{url}") } else { url.to_owned() };
            let path = url.split(['?', '#']).next().unwrap_or_default().to_owned();
            if path.starts_with('/') && !path.starts_with("//") && path.contains('.') {
                urls.push(path);
            }
        }
    }
    // A file that is where the page says it is settles it.
    if urls.is_empty() || urls.iter().any(|url| root.join(&url[1..]).is_file()) {
        return None;
    }
    urls.iter().find_map(|url| {
        let starts = url.match_indices('/').skip(1).map(|(at, _)| at);
        starts.into_iter().find(|&at| root.join(&url[at + 1..]).is_file()).map(|at| url[..at].to_owned())
    })
}

/// A running static file server. It stops when dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
}

impl Server {
    /// Serves `root` on a loopback port that the operating system picks: folders by their `index.html`, pages with or
    /// without `.html`, ranges, MIME types by extension. Nothing may be cached, so that a reload fetches again what a
    /// user's first visit would.
    ///
    /// # Errors
    /// When no port can be had.
    pub async fn start(root: PathBuf) -> Result<Self, Error> {
        Self::serve(Files { root, base: String::new(), fallback: Fallback::None, backend: None }).await
    }

    pub(crate) async fn serve(files: Files) -> Result<Self, Error> {
        let root = files.root.clone();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(Error::io("listen for", &root))?;
        let address = listener.local_addr().map_err(Error::io("listen for", &root))?;
        let files = Arc::new(files);
        let app = axum::Router::new().fallback(move |request: Request<Body>| {
            let files = Arc::clone(&files);
            async move {
                let mut response = answer(&files, request).await;
                response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
                response
            }
        });
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn(async move {
            let shutdown = async {
                let _ = stopped.await;
            };
            if let Err(error) = axum::serve(listener, app).with_graceful_shutdown(shutdown).await {
                tracing::warn!(%error, "the static server stopped");
            }
        });
        Ok(Self { address, stop: Some(stop), task })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
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

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(files: &Files, mut request: Request<Body>) -> Response {
    let (method, headers) = (request.method().clone(), request.headers().clone());
    let path = request.uri().path().to_owned();
    let reads = matches!(method, Method::GET | Method::HEAD);
    let wants_page =
        headers.get(ACCEPT).and_then(|value| value.to_str().ok()).is_some_and(|all| all.contains("text/html"));
    if let Some(backend) = &files.backend {
        let whole = request.uri().path_and_query().map_or(path.as_str(), |whole| whole.as_str());
        if let Some(to) = backend.leads(whole).and_then(|to| to.parse::<Uri>().ok()) {
            *request.uri_mut() = to;
            return hand_on(request, backend.address).await;
        }
    }
    let backend = files.backend.as_ref().filter(|backend| backend.routes.is_empty()).map(|backend| backend.address);
    let Some(inside) = inside_base(&path, &files.base) else { return not_found(files).await };
    if let Some(backend) = backend.filter(|_| !reads) {
        return hand_on(request, backend).await;
    }
    let get = |path: &str| {
        let mut asked = Request::new(Body::empty());
        *asked.method_mut() = method.clone();
        *asked.headers_mut() = headers.clone();
        *asked.uri_mut() = path.parse::<Uri>().unwrap_or_default();
        ServeDir::new(&files.root).oneshot(asked)
    };
    let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
    let Ok(found) = get(&format!("{inside}{query}")).await;
    let found = found.map(Body::new);
    if found.status() != StatusCode::NOT_FOUND || !reads {
        return found;
    }
    if let Some(backend) = backend.filter(|_| !wants_page) {
        return hand_on(request, backend).await;
    }
    // `/about` is `about.html` on most hosts.
    let name = inside.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    if !name.is_empty() && !name.contains('.') {
        let Ok(response) = get(&format!("{}.html", inside.trim_end_matches('/'))).await;
        if response.status() != StatusCode::NOT_FOUND {
            return response.map(Body::new);
        }
    }
    if files.fallback == Fallback::Page && (wants_page || !name.contains('.')) {
        for page in ["200.html", "index.html", "index.csr.html"] {
            if let Ok(text) = tokio::fs::read(files.root.join(page)).await {
                return ([(CONTENT_TYPE, "text/html; charset=utf-8")], text).into_response();
            }
        }
    }
    not_found(files).await
}

/// Gives a request to another server and its answer back.
async fn hand_on(request: Request<Body>, backend: SocketAddr) -> Response {
    let answered = async {
        let stream = tokio::net::TcpStream::connect(backend).await.ok()?;
        let io = hyper_util::rt::TokioIo::new(stream);
        let (mut sender, connection) = hyper::client::conn::http1::handshake(io).await.ok()?;
        tokio::spawn(connection);
        let response = sender.send_request(request).await.ok()?;
        Some(response.map(Body::new))
    };
    answered.await.unwrap_or_else(|| StatusCode::BAD_GATEWAY.into_response())
}

/// The path below the base.
fn inside_base<'p>(path: &'p str, base: &str) -> Option<&'p str> {
    match path.strip_prefix(base)? {
        "" => Some("/"),
        inside if inside.starts_with('/') => Some(inside),
        _ => None,
    }
}

/// Without a body to a 404 the browser would show a page of its own, which is none of the app's.
async fn not_found(files: &Files) -> Response {
    const PLAIN: &str = "<!doctype html><title>Not found</title><h1>Not found</h1>";
    let own = tokio::fs::read(files.root.join("404.html")).await;
    let body = own.unwrap_or_else(|_| PLAIN.into());
    (StatusCode::NOT_FOUND, [(CONTENT_TYPE, "text/html; charset=utf-8")], body).into_response()
}
