//! What stands between an app's pages and the network: a forward proxy that the browser is given.
//!
//! Libraries and fonts that pages load from the well-known CDNs are answered from packages of the package registry, which
//! are kept; nothing of the page is changed for that. Everything else is refused, or let through when that is asked for.
//! What was asked for and what became of it is recorded.
//!
//! Encrypted connections to the CDNs end here, with a certificate that only a browser accepts which was told its key.

mod cdn;
mod fonts;
mod modules;
mod packages;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, Method, Request, Response, StatusCode, header};
use base64::Engine;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use sha2::{Digest, Sha256};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use webeval_evidence::{OutsideFate, OutsideRequest};

use crate::Error;
use crate::options::Network;
use packages::Packages;

/// Most different addresses that are recorded.
const MOST_RECORDED: usize = 500;

/// Hosts that the browser asks by itself, for reasons of its own.
const BROWSERS_OWN: &[&str] = &[
    "accounts.google.com",
    "clients2.google.com",
    "clientservices.googleapis.com",
    "content-autofill.googleapis.com",
    "optimizationguide-pa.googleapis.com",
    "safebrowsing.googleapis.com",
    "update.googleapis.com",
    "android.clients.google.com",
    "edgedl.me.gvt1.com",
    "redirector.gvt1.com",
    "www.google.com",
    "start.duckduckgo.com",
];

/// A running proxy. It stops when dropped.
#[derive(Debug)]
pub(crate) struct Proxy {
    address: SocketAddr,
    key: String,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

#[derive(Debug)]
struct Shared {
    network: Network,
    own: Option<Own>,
    packages: Packages,
    signer: rcgen::KeyPair,
    certificates: Mutex<BTreeMap<String, Arc<ServerConfig>>>,
    seen: Mutex<BTreeMap<(String, OutsideFate, String), u32>>,
}

/// The app, where it runs elsewhere.
#[derive(Debug)]
pub(crate) struct Own {
    host: String,
    /// Whether it runs on this machine, where a browser uses no proxy unless it is told to.
    local: bool,
    /// Somebody who is known there; without one, requests are passed on as they are.
    client: Option<reqwest::Client>,
}

impl Own {
    pub(crate) fn new(url: &url::Url, client: Option<reqwest::Client>) -> Option<Self> {
        let host = url.host_str()?.to_owned();
        let local = host == "localhost" || host.starts_with("127.") || host == "[::1]";
        Some(Self { host, local, client })
    }
}

/// An answer to a request.
struct Answer {
    status: StatusCode,
    kind: String,
    body: Bytes,
}

impl Proxy {
    /// Starts it on a loopback port that the system picks, with packages kept in `cache`.
    pub(crate) async fn start(network: Network, own: Option<Own>, cache: &Path) -> Result<Self, Error> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(Error::io("listen for", cache))?;
        let address = listener.local_addr().map_err(Error::io("listen for", cache))?;
        let signer = rcgen::KeyPair::generate().map_err(|error| Error::Certificate { reason: error.to_string() })?;
        let digest = Sha256::digest(rcgen::PublicKeyData::subject_public_key_info(&signer));
        let key = base64::engine::general_purpose::STANDARD.encode(digest);
        let shared = Arc::new(Shared {
            network,
            own,
            packages: Packages::new(cache.join("cdn")),
            signer,
            certificates: Mutex::default(),
            seen: Mutex::default(),
        });
        let task = tokio::spawn(accept(listener, Arc::clone(&shared)));
        Ok(Self { address, key, shared, task })
    }

    /// Switches that make the browser use it, and trust it and nobody else more.
    pub(crate) fn browser_args(&self) -> Vec<String> {
        let mut args = vec![
            format!("--proxy-server=http://{}", self.address),
            format!("--ignore-certificate-errors-spki-list={}", self.key),
        ];
        if self.shared.own.as_ref().is_some_and(|own| own.local && own.client.is_some()) {
            args.push("--proxy-bypass-list=<-loopback>".to_owned());
        }
        args
    }

    /// What was asked for so far.
    pub(crate) fn seen(&self) -> Vec<OutsideRequest> {
        let seen = self.shared.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let one = |((url, fate, detail), times): (&(String, OutsideFate, String), &u32)| OutsideRequest {
            url: url.clone(),
            fate: *fate,
            detail: detail.clone(),
            times: *times,
        };
        seen.iter().map(one).collect()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Shared {
    fn note(&self, url: &str, fate: OutsideFate, detail: &str) {
        let host = url.split("://").last().unwrap_or_default().split(['/', ':']).next().unwrap_or_default();
        if BROWSERS_OWN.contains(&host) || self.is_own(host) {
            return;
        }
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = (url.chars().take(500).collect(), fate, detail.to_owned());
        if seen.len() < MOST_RECORDED || seen.contains_key(&entry) {
            *seen.entry(entry).or_default() += 1;
        }
    }

    /// Answers a request for something outside.
    async fn answer(&self, url: &str) -> Answer {
        if self.network == Network::None {
            self.note(url, OutsideFate::Refused, "the network is off");
            return refusal("the network is off");
        }
        match cdn::find(url, &self.packages).await {
            Ok(found) => {
                self.note(url, OutsideFate::Package, &found.what);
                Answer { status: StatusCode::OK, kind: found.kind, body: found.body.into() }
            }
            Err(reason) => {
                self.note(url, OutsideFate::Refused, &reason);
                refusal(&reason)
            }
        }
    }

    fn is_own(&self, host: &str) -> bool {
        self.own.as_ref().is_some_and(|own| own.host == host)
    }

    /// Somebody who is known at the app, when the request is for it.
    fn known_at(&self, host: &str) -> Option<&reqwest::Client> {
        self.own.as_ref().filter(|own| own.host == host)?.client.as_ref()
    }

    /// Whether a request goes to where it is addressed.
    fn passes(&self, host: &str) -> bool {
        self.is_own(host) || (self.network == Network::Open && !cdn::knows(&format!("https://{host}/")))
    }

    fn acceptor(&self, host: &str) -> Option<TlsAcceptor> {
        let mut certificates = self.certificates.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(config) = certificates.get(host) {
            return Some(TlsAcceptor::from(Arc::clone(config)));
        }
        let certificate = rcgen::CertificateParams::new(vec![host.to_owned()]).ok()?.self_signed(&self.signer).ok()?;
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(self.signer.serialize_der()));
        let provider = Arc::new(tokio_rustls::rustls::crypto::aws_lc_rs::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .ok()?
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .ok()?;
        let config = Arc::new(config);
        certificates.insert(host.to_owned(), Arc::clone(&config));
        Some(TlsAcceptor::from(config))
    }
}

fn refusal(reason: &str) -> Answer {
    let body = format!("webeval: not reachable: {reason}\n");
    Answer { status: StatusCode::BAD_GATEWAY, kind: "text/plain; charset=utf-8".to_owned(), body: body.into() }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    while let Ok((stream, _)) = listener.accept().await {
        let shared = Arc::clone(&shared);
        tokio::spawn(serve(stream, None, shared));
    }
}

/// Serves one connection: of the browser to us, or, with a host, of what it believes to be that host.
async fn serve(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    host: Option<String>,
    shared: Arc<Shared>,
) {
    let service = service_fn(move |request: Request<Incoming>| {
        let (shared, host) = (Arc::clone(&shared), host.clone());
        async move { Ok::<_, Infallible>(respond(request, host, shared).await) }
    });
    let connection = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    if let Err(error) = connection.with_upgrades().await {
        tracing::debug!(%error, "a connection to the proxy ended");
    }
}

async fn respond(request: Request<Incoming>, host: Option<String>, shared: Arc<Shared>) -> Response<Body> {
    if request.method() == Method::CONNECT {
        return connect(request, shared);
    }
    let url = match &host {
        Some(host) => {
            let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
            format!("https://{host}{path}")
        }
        None => request.uri().to_string(),
    };
    let place = url.split("://").nth(1).unwrap_or_default().split(['/', ':']).next().unwrap_or_default();
    if let Some(client) = shared.known_at(place) {
        return ask(client, request, &url).await;
    }
    if host.is_none() && request.uri().host().is_some_and(|host| shared.passes(host)) {
        return forward(request, &url, &shared).await;
    }
    response_of(shared.answer(&url).await)
}

/// An answer of ours, with what the CDNs send too: scripts of other origins may read it, and it can be embedded.
fn response_of(answer: Answer) -> Response<Body> {
    let mut response = Response::new(Body::from(answer.body));
    *response.status_mut() = answer.status;
    let headers = response.headers_mut();
    if let Ok(kind) = HeaderValue::from_str(&answer.kind) {
        headers.insert(header::CONTENT_TYPE, kind);
    }
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("cross-origin"));
    response
}

/// A tunnel: to ourselves for the hosts that we stand in for and those that we refuse, to the host otherwise.
fn connect(request: Request<Incoming>, shared: Arc<Shared>) -> Response<Body> {
    let Some(authority) = request.uri().authority().cloned() else { return status(StatusCode::BAD_REQUEST) };
    let host = authority.host().to_owned();
    let known = shared.known_at(&host).is_some();
    if shared.passes(&host) && !known {
        shared.note(authority.as_ref(), OutsideFate::Open, "an encrypted connection");
        tokio::spawn(async move {
            let Ok(upgraded) = hyper::upgrade::on(request).await else { return };
            if let Ok(mut outside) = TcpStream::connect(authority.as_str()).await {
                let _ = tokio::io::copy_bidirectional(&mut TokioIo::new(upgraded), &mut outside).await;
            }
        });
        return status(StatusCode::OK);
    }
    if authority.port_u16() != Some(443) && !known {
        shared.note(authority.as_ref(), OutsideFate::Refused, "a connection to a port of its own");
        return status(StatusCode::FORBIDDEN);
    }
    let Some(acceptor) = shared.acceptor(&host) else { return status(StatusCode::BAD_REQUEST) };
    tokio::spawn(async move {
        let Ok(upgraded) = hyper::upgrade::on(request).await else { return };
        if let Ok(stream) = acceptor.accept(TokioIo::new(upgraded)).await {
            let name = if authority.port_u16() == Some(443) { host } else { authority.to_string() };
            serve(stream, Some(name), shared).await;
        }
    });
    status(StatusCode::OK)
}

/// Passes an unencrypted request on, and the answer back as it is.
async fn forward(request: Request<Incoming>, url: &str, shared: &Shared) -> Response<Body> {
    shared.note(url, OutsideFate::Open, "");
    let failed = |error: String| response_of(refusal(&error));
    let Some(authority) = request.uri().authority().cloned() else {
        return failed("a request without a host".to_owned());
    };
    let place = format!("{}:{}", authority.host(), authority.port_u16().unwrap_or(80));
    let stream = match TcpStream::connect(&place).await {
        Ok(stream) => stream,
        Err(error) => return failed(error.to_string()),
    };
    let (mut sender, connection) = match hyper::client::conn::http1::handshake(TokioIo::new(stream)).await {
        Ok(both) => both,
        Err(error) => return failed(error.to_string()),
    };
    tokio::spawn(connection);
    let (mut parts, body) = request.into_parts();
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
    parts.uri = path.parse().unwrap_or_default();
    parts.headers.remove("proxy-connection");
    match sender.send_request(Request::from_parts(parts, body)).await {
        Ok(response) => {
            let mut response = response.map(Body::new);
            // How one hop frames its body is no business of the next.
            for name in ["connection", "transfer-encoding"] {
                response.headers_mut().remove(name);
            }
            response
        }
        Err(error) => failed(error.to_string()),
    }
}

/// Asks the app for what the browser asks, as somebody who is known there.
async fn ask(client: &reqwest::Client, request: Request<Incoming>, url: &str) -> Response<Body> {
    let (mut parts, body) = request.into_parts();
    // The client has its own, and no hop is to hear of another one's connection.
    for name in ["host", "connection", "proxy-connection", "accept-encoding", "cookie", "content-length"] {
        parts.headers.remove(name);
    }
    let Ok(body) = axum::body::to_bytes(Body::new(body), 64 << 20).await else {
        return status(StatusCode::PAYLOAD_TOO_LARGE);
    };
    match client.request(parts.method, url).headers(parts.headers).body(body).send().await {
        Ok(answer) => {
            let (code, mut headers) = (answer.status(), answer.headers().clone());
            for name in ["connection", "transfer-encoding", "content-length", "content-encoding"] {
                headers.remove(name);
            }
            let mut response = Response::new(Body::from(answer.bytes().await.unwrap_or_default()));
            *response.status_mut() = code;
            *response.headers_mut() = headers;
            response
        }
        Err(error) => {
            tracing::debug!(error = %error.without_url(), "the app does not answer");
            status(StatusCode::BAD_GATEWAY)
        }
    }
}

fn status(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}
