//! A server beside a front end: reached as the front end's development server is configured to, and counted.

use std::time::Duration;

use webeval_deploy::{Options, Running, deploy, locate};
use webeval_evidence::DeployMode;

use crate::{sandbox_is_there, text, write};

/// What a bundler makes of `src/app.js`.
const BUNDLER: &str = "const fs = require('fs'); fs.mkdirSync('dist', {recursive: true});
fs.writeFileSync('dist/app.js', fs.readFileSync('src/app.js')); fs.writeFileSync('dist/index.html', '<p>built</p><script src=/app.js></script>');";

/// A front end and a back end in folders of their own, and what else there is.
async fn up(server: &str, more: &[(&str, &str)]) -> (tempfile::TempDir, Running) {
    let base = tempfile::tempdir().unwrap();
    let files = [
        (
            "frontend/package.json",
            r#"{"scripts": {"build": "node vite/vite.setup.js"}, "devDependencies": {"vite": "file:./vite"}}"#,
        ),
        ("frontend/vite/package.json", r#"{"name": "vite", "version": "1.0.0"}"#),
        ("frontend/vite/vite.setup.js", BUNDLER),
        ("frontend/src/app.js", "let a = 1;"),
        ("backend/package.json", r#"{"scripts": {"start": "node server.js"}}"#),
        ("backend/server.js", server),
    ];
    write(&base.path().join("app"), &files);
    write(&base.path().join("app"), more);
    let mut options = Options::default();
    options.cache = base.path().join("cache");
    options.sources = Some(base.path().join("sources"));
    options.limits.start = Duration::from_secs(20);
    let running = deploy(&locate(text(&base.path().join("app"))).unwrap(), &options).await.unwrap();
    (base, running)
}

async fn ask(url: String) -> String {
    reqwest::get(url).await.unwrap().text().await.unwrap()
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Answers with what it was asked for.
fn echo(port: u16) -> String {
    format!(
        "function answer(request) {{ return request.method + ' ' + request.url; }}
function never() {{ return 1; }}
require('http').createServer((request, response) => {{
  response.end(answer(request));
}}).listen(process.env.PORT || {port});"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn it_answers_where_it_is_asked_and_is_counted() {
    if !sandbox_is_there() {
        return;
    }
    let port = free_port();
    let (base, running) = up(&echo(port), &[]).await;
    assert_eq!((running.record.framework.as_str(), running.record.mode), ("vite", DeployMode::Instrumented));
    assert!(ask(running.url.to_string()).await.contains("<p>built</p>"));
    let client = reqwest::Client::new();
    assert_eq!(ask(format!("{}/api/items?a=1", running.origin())).await, "GET /api/items?a=1");
    assert_eq!(ask(format!("http://127.0.0.1:{port}/items")).await, "GET /items");
    let posted = client.post(format!("{}/api/items", running.origin())).body("x").send().await.unwrap();
    assert_eq!(posted.text().await.unwrap(), "POST /api/items");
    let notes = &running.record.notes;
    assert!(notes.iter().any(|note| note.contains("in backend is up beside")), "{notes:?}");

    let of_browser: Vec<&str> = running.coverage.as_ref().unwrap().files().map(|file| file.path.as_str()).collect();
    assert_eq!(of_browser, ["frontend/src/app.js"]);
    assert_eq!(running.record.instrumented, ["frontend/src/app.js", "backend/server.js"]);
    assert!(base.path().join("sources/backend/server.js").is_file());
    // The handler, `answer` and not `never`. What is counted is written down a little later.
    let mut functions = (0, 0);
    for _ in 0..100 {
        let counted = running.server_coverage().unwrap();
        assert!(counted.files().all(|file| file.path == "backend/server.js"));
        functions = (counted.summary().functions.covered, counted.summary().functions.total);
        if functions.0 == 2 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(functions, (2, 3));
    running.stop().await;
    std::net::TcpListener::bind(("127.0.0.1", port)).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_it_cannot_run_with_counters_it_runs_without() {
    if !sandbox_is_there() {
        return;
    }
    let picky = "const own = require('fs').readFileSync(__filename, 'utf8'); if (own.includes('__cov' + 'erage__')) process.exit(1);
require('http').createServer((request, response) => response.end('as it is')).listen(process.env.PORT || 4000);";
    let (_base, running) = up(picky, &[]).await;
    assert_eq!(ask(format!("{}/api", running.origin())).await, "as it is");
    assert_eq!(running.record.instrumented, ["frontend/src/app.js"]);
    assert!(running.server_coverage().is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_handed_on_as_the_development_server_does() {
    if !sandbox_is_there() {
        return;
    }
    let config = "export default { server: { proxy: {
  '/api': { target: 'http://localhost:4000', changeOrigin: true, rewrite: (path) => path.replace(/^\\/api/, '') },
  '/auth': 'http://localhost:4000',
  '/maps': 'https://maps.example.com',
} } };";
    let (_base, running) = up(&echo(free_port()), &[("frontend/vite.config.js", config)]).await;
    let origin = running.origin();
    assert_eq!(ask(format!("{origin}/api/items?a=1")).await, "GET /items?a=1");
    assert_eq!(ask(format!("{origin}/auth/me")).await, "GET /auth/me");
    // What is not configured stays with the front end.
    let client = reqwest::Client::new();
    assert_eq!(client.post(format!("{origin}/other")).send().await.unwrap().status(), 405);
    let notes = running.record.notes.join("\n");
    assert!(notes.contains("below /api, /auth are handed on"), "{notes}");
    assert!(notes.contains("/maps is handed on to maps.example.com, which is not part of it"), "{notes}");
}

#[tokio::test(flavor = "multi_thread")]
async fn instructions_for_it_are_followed_in_its_folder() {
    if !sandbox_is_there() {
        return;
    }
    let readme =
        "```sh\ncd backend && npm install && node other.js\n```\n```sh\ncd frontend\nnpm install\nnpm run build\n```\n";
    let other = echo(free_port()).replace("request.method", "'other'");
    let (_base, running) = up(&echo(free_port()), &[("README.md", readme), ("backend/other.js", &other)]).await;
    assert_eq!(ask(format!("{}/api", running.origin())).await, "other /api");
}
