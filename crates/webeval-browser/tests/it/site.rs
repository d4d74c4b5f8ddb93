//! Serves pages from memory.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{Html, IntoResponse, Response};
use webeval_browser::{Driver, DriverOptions, Error, Observation, Session, SessionOptions, Stepped};
use webeval_evidence::{Action, ActionKind, Target};

/// Pages that are served as long as this lives.
pub(crate) struct Site {
    pub(crate) origin: String,
    server: tokio::task::JoinHandle<()>,
}

impl Drop for Site {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// Counts by hand what instrumentation counts: `hit("name")` adds one, the expression gives what came since.
pub(crate) const COLLECT: &str = r#"(() => { const hits = globalThis.hits; if (!hits) return "";
  const told = JSON.stringify(hits); globalThis.hits = {}; return told === "{}" ? "" : told; })()"#;

const HIT: &str =
    "<script nonce=n>globalThis.hits = {}; function hit(name) { hits[name] = (hits[name] || 0) + 1; }</script>";

type Pages = Arc<HashMap<String, String>>;

async fn answer(State(pages): State<Pages>, uri: Uri) -> Response {
    let Some(text) = pages.get(uri.path()) else { return StatusCode::NOT_FOUND.into_response() };
    let mut headers = HeaderMap::new();
    if uri.path().starts_with("/strict") {
        let policy = HeaderValue::from_static("default-src 'none'; script-src 'nonce-n'");
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    (headers, Html(format!("<!DOCTYPE html>{HIT}{text}"))).into_response()
}

impl Site {
    pub(crate) async fn serve(pages: &[(&str, &str)]) -> Self {
        let pages: HashMap<String, String> =
            pages.iter().map(|(path, text)| ((*path).into(), (*text).into())).collect();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new().fallback(answer).with_state(Arc::new(pages));
        let server = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { origin, server }
    }

    pub(crate) fn options(&self) -> SessionOptions {
        let mut options = SessionOptions::new(&self.origin);
        options.collect = Some(COLLECT.to_owned());
        options.offline = true;
        options
    }

    pub(crate) async fn open(&self, driver: &Driver) -> (Session, Observation) {
        self.open_with(driver, self.options()).await
    }

    pub(crate) async fn open_with(&self, driver: &Driver, options: SessionOptions) -> (Session, Observation) {
        let mut session = Session::open(driver, options).await.unwrap();
        let page = step(&mut session, ActionKind::Load { url: "app:/".into() }).await.observation;
        (session, page)
    }
}

/// Starts a driver; none, with a word why, where there is none to start.
pub(crate) async fn driver() -> Option<Driver> {
    match Driver::start(&DriverOptions::default()).await {
        Ok(driver) => Some(driver),
        Err(error @ Error::DriverMissing { .. }) => {
            eprintln!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

pub(crate) async fn step(session: &mut Session, kind: ActionKind) -> Stepped {
    session.step(&Action { kind, target: None }).await.unwrap()
}

/// The element with that id, as a target.
pub(crate) fn id(id: &str) -> Target {
    Target { selector: format!("#{id}"), ..Target::default() }
}

pub(crate) async fn on(session: &mut Session, target: Target, kind: ActionKind) -> Stepped {
    session.step(&Action { kind, target: Some(target) }).await.unwrap()
}

pub(crate) async fn click(session: &mut Session, name: &str) -> Stepped {
    on(session, id(name), ActionKind::Click { at: None }).await
}

/// Text of the element with that id.
pub(crate) async fn text(session: &mut Session, name: &str) -> String {
    let script = "return document.getElementById(arguments[0]).textContent";
    session.evaluate(script, &[name.into()]).await.unwrap().as_str().unwrap().to_owned()
}
