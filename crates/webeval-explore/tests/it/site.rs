//! Serves pages from memory, instrumented, and explores them.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use webeval_browser::{Driver, DriverOptions, Error, Session, SessionOptions};
use webeval_evidence::{AppSource, RunDir, RunRecord, Settings};
use webeval_explore::{App, BuiltIn, Cancel, Cast, Options, explore};
use webeval_instrument::coverage::{COLLECT_DELTA, CoverageMap};

/// A site that is served as long as this lives.
pub(crate) struct Site {
    pub(crate) origin: String,
    pub(crate) coverage: CoverageMap,
    server: tokio::task::JoinHandle<()>,
}

impl Drop for Site {
    fn drop(&mut self) {
        self.server.abort();
    }
}

type Files = Arc<HashMap<String, String>>;

async fn answer(State(files): State<Files>, path: Option<Path<String>>) -> Response {
    let name = path.map_or_else(|| "index.html".to_owned(), |Path(name)| name);
    match files.get(&name) {
        Some(text) => {
            let kind = mime_guess::from_path(&name).first_or_text_plain();
            ([(header::CONTENT_TYPE, kind.essence_str().to_owned())], text.clone()).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

impl Site {
    pub(crate) async fn serve(files: &[(&str, &str)]) -> Self {
        let mut coverage = CoverageMap::default();
        let mut staged = HashMap::new();
        for (name, text) in files {
            match webeval_instrument::instrument(text, name, &webeval_instrument::Options::default()) {
                Ok(done) => {
                    coverage.add(done.coverage);
                    staged.insert((*name).to_owned(), done.code);
                }
                // What is not code.
                Err(_) => drop(staged.insert((*name).to_owned(), (*text).to_owned())),
            }
        }
        Self::start(staged, coverage).await
    }

    /// Serves files as they are.
    pub(crate) async fn plain(files: &[(&str, &str)]) -> Self {
        let staged = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        Self::start(staged, CoverageMap::default()).await
    }

    async fn start(staged: HashMap<String, String>, coverage: CoverageMap) -> Self {
        let router = Router::new().route("/", axum::routing::get(answer)).route("/{*path}", axum::routing::get(answer));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let router = router.with_state(Arc::new(staged));
        let server = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { origin, coverage, server }
    }

    pub(crate) async fn open(&self, driver: &Driver) -> Session {
        let mut options = SessionOptions::new(&self.origin);
        options.collect = Some(COLLECT_DELTA.to_owned());
        options.offline = true;
        Session::open(driver, options).await.unwrap()
    }

    /// How many functions the built-in tester reaches in so many steps, and how many there are.
    pub(crate) async fn functions_reached(&self, driver: &Driver, steps: u32) -> (u32, u32) {
        let mut session = self.open(driver).await;
        let root = tempfile::tempdir().unwrap();
        let app = App { entry: "/".into(), coverage: Some(self.coverage.clone()) };
        let mut options = Options::default();
        options.steps = steps;
        options.screenshots = false;
        let cast = Cast { tester: &mut BuiltIn::new(0), advisor: None, probes: Vec::new() };
        let done =
            explore(&mut session, &app, &run_dir(&root), &options, cast, &mut (), &Cancel::never()).await.unwrap();
        let functions = done.coverage.unwrap().functions;
        (functions.covered, functions.total)
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

pub(crate) fn run_dir(root: &tempfile::TempDir) -> RunDir {
    let record = RunRecord::new(AppSource::HtmlFile { path: "index.html".into() }, None, Settings::default());
    RunDir::create(root.path().join("run"), &record).unwrap()
}
