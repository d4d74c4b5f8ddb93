use reqwest::Response;
use webeval_deploy::{Options, Running, deploy, locate};
use webeval_evidence::DeployMode;

use crate::{text, write};

async fn get(url: impl AsRef<str>) -> Response {
    reqwest::get(url.as_ref()).await.unwrap()
}

fn content_type(response: &Response) -> String {
    response.headers()["content-type"].to_str().unwrap().to_owned()
}

async fn up(files: &[(&str, &str)]) -> (tempfile::TempDir, Running) {
    let base = tempfile::tempdir().unwrap();
    write(base.path(), files);
    let running = deploy(&locate(text(base.path())).unwrap(), &Options::default()).await.unwrap();
    (base, running)
}

#[tokio::test]
async fn files_are_served_with_their_types_on_loopback() {
    let files = [
        ("index.html", "<p>hi</p>"),
        ("a/index.html", "<p>a</p>"),
        ("m.mjs", "export {}"),
        ("s.css", ""),
        ("i.svg", ""),
    ];
    let (_base, running) = up(&files).await;
    assert_eq!(running.url.host_str(), Some("127.0.0.1"));
    assert_eq!(running.record.mode, DeployMode::Instrumented);
    let origin = running.origin();
    let page = get(&running.url).await;
    assert!(content_type(&page).starts_with("text/html"));
    assert_eq!(page.headers()["cache-control"], "no-store");
    assert_eq!(page.text().await.unwrap(), "<p>hi</p>");
    assert_eq!(get(format!("{origin}/a/")).await.text().await.unwrap(), "<p>a</p>");
    assert!(content_type(&get(format!("{origin}/m.mjs")).await).contains("javascript"));
    assert!(content_type(&get(format!("{origin}/s.css")).await).starts_with("text/css"));
    assert_eq!(content_type(&get(format!("{origin}/i.svg")).await), "image/svg+xml");
    assert_eq!(get(format!("{origin}/nothing.html")).await.status(), 404);
}

#[tokio::test]
async fn nothing_outside_the_app_is_served() {
    let (_base, running) = up(&[("index.html", "")]).await;
    for path in ["/../../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc/passwd"] {
        let response = get(format!("{}{path}", running.origin())).await;
        assert!(response.status().is_client_error(), "{path}: {}", response.status());
    }
}

#[tokio::test]
async fn a_page_name_with_odd_characters_opens() {
    let (_base, running) = up(&[("my page #1 (50%).html", "<p>odd</p>")]).await;
    assert_eq!(get(&running.url).await.text().await.unwrap(), "<p>odd</p>");
}

#[tokio::test]
async fn the_port_is_free_again_after_stopping() {
    let (_base, running) = up(&[("index.html", "")]).await;
    let port = running.url.port().unwrap();
    // A connection that is kept open, as a browser would.
    let client = reqwest::Client::new();
    client.get(running.url.clone()).send().await.unwrap().bytes().await.unwrap();
    running.stop().await;
    std::net::TcpListener::bind(("127.0.0.1", port)).unwrap();
}

#[tokio::test]
async fn something_running_is_a_black_box() {
    let (_base, running) = up(&[("index.html", "<p>hi</p>")]).await;
    let given = format!("{}/index.html?x=1", running.origin());
    let black_box = deploy(&locate(&given).unwrap(), &Options::default()).await.unwrap();
    assert_eq!(black_box.record.mode, DeployMode::BlackBox);
    assert_eq!((black_box.url.as_str(), black_box.record.entry.as_str()), (given.as_str(), "/index.html?x=1"));
    assert!(black_box.coverage.is_none());
}

/// A server that lets in who has logged in and sends a header, and says what it was asked with.
const GUARDED: &str = r#"require('http').createServer((request, response) => {
  let body = '';
  request.on('data', (data) => (body += data)).on('end', () => {
    if (request.headers['x-test'] !== 'token-1') return response.writeHead(403).end('no header');
    if (request.url === '/login') {
      if (body !== 'user=tester&word=pass-1') return response.writeHead(401).end('no login');
      return response.writeHead(302, {'set-cookie': 'session=cookie-1; HttpOnly', location: '/'}).end();
    }
    response.end(request.headers.cookie === 'session=cookie-1' ? 'welcome' : 'who are you?');
  });
}).listen(process.env.PORT)"#;

#[tokio::test(flavor = "multi_thread")]
async fn headers_and_login_open_an_app_that_runs_elsewhere_and_are_not_recorded() {
    if !crate::sandbox_is_there() {
        return;
    }
    let base = tempfile::tempdir().unwrap();
    let package = r#"{"scripts": {"start": "node server.js"}}"#;
    let access = "[headers]\nX-Test = \"token-1\"\n[[login]]\nurl = \"/login\"\nform = { user = \"tester\", word = \"pass-1\" }\n";
    write(base.path(), &[("app/package.json", package), ("app/server.js", GUARDED), ("access.toml", access)]);
    let mut options = Options::default();
    options.cache = base.path().join("cache");
    let server = deploy(&locate(text(&base.path().join("app"))).unwrap(), &options).await.unwrap();
    let address = server.url.to_string();

    options.access = Some(webeval_deploy::Access::read(&base.path().join("access.toml")).unwrap());
    assert!(!format!("{options:?}").contains("token-1"));
    let running = deploy(&locate(&address).unwrap(), &options).await.unwrap();
    let arguments = running.browser_args();
    assert!(arguments.iter().any(|one| one == "--proxy-bypass-list=<-loopback>"));
    let proxy = arguments.iter().find_map(|one| one.strip_prefix("--proxy-server=")).unwrap();
    let client = reqwest::Client::builder().proxy(reqwest::Proxy::all(proxy).unwrap()).build().unwrap();
    assert_eq!(client.get(&address).send().await.unwrap().text().await.unwrap(), "welcome");
    assert_eq!(get(&address).await.status(), 403, "without the proxy nobody gets in");
    let record = format!("{:?}", running.stop().await);
    assert!(!["token-1", "pass-1", "cookie-1"].iter().any(|secret| record.contains(secret)), "{record}");

    // A login that fails says so, without what it tried.
    let wrong = access.replace("pass-1", "wrong-1");
    write(base.path(), &[("wrong.toml", &wrong), ("broken.toml", "[headers]\nX-Test = secret-1")]);
    options.access = Some(webeval_deploy::Access::read(&base.path().join("wrong.toml")).unwrap());
    let error = deploy(&locate(&address).unwrap(), &options).await.unwrap_err().to_string();
    assert!(error.contains("request 1") && error.contains("401") && !error.contains("wrong-1"), "{error}");
    let error = webeval_deploy::Access::read(&base.path().join("broken.toml")).unwrap_err().to_string();
    assert!(error.contains("line 2") && !error.contains("secret-1"), "{error}");
    server.stop().await;
}
