//! A server in the package of the front end: found, reached as the front end expects it, and counted.

use std::time::Duration;

use webeval_deploy::{Options, Running, deploy, locate};
use webeval_evidence::DeployMode;

use crate::{sandbox_is_there, text, write};

/// What a bundler makes of `src/app.js`.
const BUNDLER: &str = "const fs = require('fs'); fs.mkdirSync('dist', {recursive: true});
fs.writeFileSync('dist/app.js', fs.readFileSync('src/app.js')); fs.writeFileSync('dist/index.html', '<p>built</p><script src=/app.js></script>');";

const PROXY: &str = "export default { server: { proxy: { '/api': 'http://localhost:4321' } } };";

async fn up(scripts: &str, more: &[(&str, &str)]) -> (tempfile::TempDir, Running) {
    let base = tempfile::tempdir().unwrap();
    let package = format!(
        r#"{{"scripts": {{"build": "node vite/vite.setup.js"{scripts}}}, "devDependencies": {{"vite": "file:./vite"}}}}"#
    );
    let files = [
        ("package.json", package.as_str()),
        ("vite/package.json", r#"{"name": "vite", "version": "1.0.0"}"#),
        ("vite/vite.setup.js", BUNDLER),
        ("vite.config.js", PROXY),
        ("src/app.js", "let a = 1; // import.meta.env.VITE_KEY, import.meta.env.MODE"),
    ];
    write(&base.path().join("app"), &files);
    write(&base.path().join("app"), more);
    let mut options = Options::default();
    options.cache = base.path().join("cache");
    options.limits.start = Duration::from_secs(20);
    let running = deploy(&locate(text(&base.path().join("app"))).unwrap(), &options).await.unwrap();
    (base, running)
}

async fn ask(url: String) -> String {
    reqwest::get(url).await.unwrap().text().await.unwrap()
}

/// A server of an API and nothing else.
fn api(port: &str) -> String {
    format!(
        "const {{ answer }} = require('./answer');
require('http').createServer((request, response) => {{
  if (!request.url.startsWith('/api')) response.statusCode = 404;
  response.end(answer(request));
}}).listen({port});"
    )
}

const ANSWER: &str =
    "exports.answer = function (request) { return 'at ' + request.url; };\nexports.never = function () { return 1; };";

/// Functions of its servers that ran, and all, once as many ran as should; what is counted is written down a little later.
async fn on_server(running: &Running, covered: usize) -> (usize, usize) {
    let mut functions = (0, 0);
    for _ in 0..100 {
        let summary = running.server_coverage().unwrap().summary().functions;
        functions = (summary.covered, summary.total);
        if functions.0 == covered {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    functions
}

fn of_browser(running: &Running) -> Vec<String> {
    running.coverage.as_ref().unwrap().files().map(|file| file.path.clone()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_answers_the_pages_is_started_beside_them() {
    if !sandbox_is_there() {
        return;
    }
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let server = api(&port.to_string());
    let files = [("server.js", server.as_str()), ("answer.js", ANSWER)];
    // Of its own script, of the script that starts both, and of a start script that shows no page.
    for scripts in [
        r#", "dev": "vite", "server": "nodemon server.js""#,
        r#", "dev": "concurrently \"vite\" \"node server.js\"""#,
        r#", "start": "node server.js""#,
    ] {
        let (_base, running) = up(scripts, &files).await;
        assert_eq!(running.record.mode, DeployMode::Instrumented, "{scripts}");
        assert!(ask(running.url.to_string()).await.contains("<p>built</p>"), "{scripts}");
        assert_eq!(ask(format!("{}/api/a", running.origin())).await, "at /api/a", "{scripts}");
        assert_eq!(ask(format!("http://127.0.0.1:{port}/api/b")).await, "at /api/b", "{scripts}");
        // The handler and `answer`, not `never`.
        assert_eq!(on_server(&running, 2).await, (2, 3), "{scripts}");
        assert_eq!(of_browser(&running), ["src/app.js"], "{scripts}");
        let notes = &running.record.notes;
        assert!(notes.iter().any(|note| note.contains("in its package is up beside the front end")), "{notes:?}");
        running.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_shows_the_pages_is_counted() {
    if !sandbox_is_there() {
        return;
    }
    let server = "const { page } = require('./page');
require('http').createServer((request, response) => response.end(page())).listen(process.env.PORT);";
    let page = "exports.page = () => require('fs').readFileSync('dist/index.html');\nexports.never = () => 1;";
    let files = [("server/index.js", server), ("server/page.js", page)];
    let (_base, running) = up(r#", "start": "node server/index.js""#, &files).await;
    assert!(ask(running.url.to_string()).await.contains("<p>built</p>"));
    assert_eq!(on_server(&running, 2).await, (2, 3));
    assert_eq!(of_browser(&running), ["src/app.js"]);
    assert_eq!(running.record.instrumented, ["server/index.js", "server/page.js", "src/app.js"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_cannot_run_with_counters_runs_without() {
    if !sandbox_is_there() {
        return;
    }
    let picky = "const own = require('fs').readFileSync(__filename, 'utf8'); if (own.includes('__cov' + 'erage__')) process.exit(1);
require('http').createServer((request, response) => { response.statusCode = request.url === '/' ? 404 : 200; response.end('as it is'); }).listen(4000);";
    let (_base, running) = up(r#", "server": "node server.js""#, &[("server.js", picky)]).await;
    assert_eq!(ask(format!("{}/api", running.origin())).await, "as it is");
    assert_eq!(running.record.mode, DeployMode::Instrumented);
    assert_eq!(running.record.instrumented, ["src/app.js"]);
    let reasons: Vec<&str> = running.record.skipped.iter().map(|one| one.reason.as_str()).collect();
    assert_eq!(reasons, ["its server does not start with counters in it"]);
    assert_eq!(on_server(&running, 0).await, (0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_does_not_start_is_noted() {
    if !sandbox_is_there() {
        return;
    }
    let broken = "throw new Error('no luck');";
    let (_base, running) = up(r#", "server": "node server.js""#, &[("server.js", broken)]).await;
    assert!(ask(running.url.to_string()).await.contains("<p>built</p>"));
    let notes = running.record.notes.join("\n");
    assert!(notes.contains("the server in its package is not up"), "{notes}");
    assert!(notes.contains("its pages read environment variables that nothing sets: VITE_KEY"), "{notes}");
}
