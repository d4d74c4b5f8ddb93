//! What pages ask for from elsewhere. The packages that answer are put where fetched ones are kept, so that no test needs
//! the network.

use std::net::{IpAddr, UdpSocket};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use reqwest::{Client, Proxy, Response};
use webeval_deploy::{Network, Running, deploy, locate};
use webeval_evidence::OutsideFate;

use crate::{text, unsandboxed, write};

async fn up(base: &Path, network: Network) -> (Running, Client) {
    write(&base.join("app"), &[("index.html", "<p>hi</p>")]);
    let cache = base.join("cache/cdn");
    write(
        &cache.join("thing/1.2.3"),
        &[
            ("package.json", r#"{"name": "thing", "main": "lib/main.js", "unpkg": "dist/thing.js"}"#),
            ("dist/thing.js", "whole"),
            ("dist/thing.min.css", "p {}"),
            ("lib/main.js", "main"),
        ],
    );
    // What an earlier look-up of the range has found.
    write(&cache.join("thing"), &[(".1", "1.2.3"), (".latest", "1.2.3")]);
    write(&cache.join("@fortawesome+fontawesome-free/6.0.0"), &[("package.json", "{}"), ("css/all.min.css", "i {}")]);
    write(
        &cache.join("@fontsource+open-sans/5.0.0"),
        &[("package.json", "{}"), ("files/open-sans-latin-400-normal.woff2", "font")],
    );
    write(&cache.join("@fontsource+open-sans"), &[(".latest", "5.0.0")]);
    let mut options = unsandboxed();
    options.cache = base.join("cache");
    options.network = network;
    let running = deploy(&locate(text(&base.join("app"))).unwrap(), &options).await.unwrap();
    let arguments = running.browser_args();
    let proxy = arguments.iter().find_map(|one| one.strip_prefix("--proxy-server=")).unwrap();
    let client = Client::builder().proxy(Proxy::all(proxy).unwrap()).tls_danger_accept_invalid_certs(true);
    (running, client.build().unwrap())
}

fn header(response: &Response, name: &str) -> String {
    response.headers()[name].to_str().unwrap().to_owned()
}

#[tokio::test]
async fn files_of_packages_stand_in_for_cdns() {
    let base = tempfile::tempdir().unwrap();
    let (running, client) = up(base.path(), Network::Cdn).await;
    for (url, body, kind) in [
        ("https://unpkg.com/thing@1.2.3/dist/thing.js", "whole", "javascript"),
        ("https://unpkg.com/thing@1", "whole", "javascript"),
        ("https://unpkg.com/thing", "whole", "javascript"),
        ("https://cdn.jsdelivr.net/npm/thing@1.2.3", "main", "javascript"),
        ("https://cdn.jsdelivr.net/npm/thing@1.2.3/dist/thing.min.js", "whole", "javascript"),
        (
            "https://cdn.jsdelivr.net/combine/npm/thing@1.2.3,npm/thing@1.2.3/dist/thing.js",
            "main\nwhole\n",
            "javascript",
        ),
        ("https://cdnjs.cloudflare.com/ajax/libs/Thing/1.2.3/thing.min.css", "p {}", "text/css"),
        ("http://cdnjs.cloudflare.com/ajax/libs/font-awesome/6.0.0/css/all.min.css", "i {}", "text/css"),
    ] {
        let response = client.get(url).send().await.unwrap_or_else(|error| panic!("{url}: {error:?}"));
        assert_eq!(response.status(), 200, "{url}");
        assert!(header(&response, "content-type").contains(kind), "{url}");
        assert_eq!(header(&response, "access-control-allow-origin"), "*");
        assert_eq!(response.text().await.unwrap(), body, "{url}");
    }
    let sheet = client.get("https://fonts.googleapis.com/css2?family=Open+Sans:wght@400;700&display=swap").send().await;
    let sheet = sheet.unwrap().text().await.unwrap();
    let font = sheet.split("url(").nth(1).unwrap().split(')').next().unwrap().to_owned();
    assert!(sheet.contains("font-family: 'Open Sans'") && !sheet.contains("font-weight: 700"), "{sheet}");
    assert_eq!(client.get(font).send().await.unwrap().text().await.unwrap(), "font");

    let record = running.stop().await;
    let first =
        record.outside.iter().find(|one| one.url.ends_with("dist/thing.js") && one.url.contains("unpkg")).unwrap();
    assert_eq!(
        (first.fate, first.detail.as_str(), first.times),
        (OutsideFate::Package, "thing@1.2.3/dist/thing.js", 1)
    );
}

#[tokio::test]
async fn everything_else_is_refused_and_recorded() {
    let base = tempfile::tempdir().unwrap();
    let (running, client) = up(base.path(), Network::Cdn).await;
    for url in
        ["https://example.com/a", "http://example.com/b", "https://unpkg.com/thing@1.2.3/dist/..%2f..%2f..%2fsecret"]
    {
        assert_eq!(client.get(url).send().await.unwrap().status(), 502, "{url}");
    }
    let record = running.stop().await;
    assert_eq!(record.outside.len(), 3);
    assert!(record.outside.iter().all(|one| one.fate == OutsideFate::Refused), "{:?}", record.outside);
    assert!(record.outside.iter().any(|one| one.url == "https://example.com/a"));
}

#[tokio::test]
async fn without_a_network_nothing_is_reached() {
    let base = tempfile::tempdir().unwrap();
    let (running, client) = up(base.path(), Network::None).await;
    assert_eq!(client.get("https://unpkg.com/thing@1.2.3/dist/thing.js").send().await.unwrap().status(), 502);
    assert_eq!(running.stop().await.outside[0].detail, "the network is off");
}

#[tokio::test]
async fn an_open_network_is_passed_on_to() {
    let base = tempfile::tempdir().unwrap();
    let (running, client) = up(base.path(), Network::Open).await;
    // Something that is not the app, on this machine.
    let (other, _) = up(&base.path().join("other"), Network::None).await;
    let body = client.get(other.url.clone()).send().await.unwrap().text().await.unwrap();
    assert_eq!(body, "<p>hi</p>");
    let record = running.stop().await;
    assert_eq!((record.outside[0].fate, record.outside[0].url.as_str()), (OutsideFate::Open, other.url.as_str()));
}

/// An address of this machine that others could reach it by; none where it has no network.
fn address_beyond_loopback() -> Option<IpAddr> {
    // Nothing is sent: the system only chooses the address that it would send from.
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect("192.0.2.1:9").ok()?;
    let address = socket.local_addr().ok()?.ip();
    let usable = !address.is_loopback() && !address.is_unspecified();
    if !usable {
        eprintln!("skipped: this machine has no address but loopback");
    }
    usable.then_some(address)
}

/// A server on such an address, and how often it was asked.
async fn outside_server(address: IpAddr) -> (String, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let listener = tokio::net::TcpListener::bind((address, 0)).await.unwrap();
    let place = listener.local_addr().unwrap().to_string();
    let app = axum::Router::new().fallback(move || {
        count.fetch_add(1, Ordering::SeqCst);
        async { ([("set-cookie", "known=yes"), ("x-of-its-own", "kept")], "from outside") }
    });
    tokio::spawn(async move { axum::serve(listener, app).await });
    (place, asked)
}

/// What the proxy answers to a request for a tunnel, and what comes through it.
async fn tunnel(running: &Running, place: &str) -> (String, String) {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let arguments = running.browser_args();
    let proxy = arguments.iter().find_map(|one| one.strip_prefix("--proxy-server=http://")).unwrap();
    let mut stream = tokio::net::TcpStream::connect(proxy).await.unwrap();
    stream.write_all(format!("CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n\r\n").as_bytes()).await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    let first = String::from_utf8(head).unwrap().lines().next().unwrap_or_default().to_owned();
    let mut body = String::new();
    if first.contains("200") {
        let request = format!("GET / HTTP/1.1\r\nHost: {place}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        stream.read_to_string(&mut body).await.unwrap();
    }
    (first, body)
}

#[tokio::test]
async fn another_machine_is_reached_when_the_network_is_open() {
    let Some(address) = address_beyond_loopback() else { return };
    let base = tempfile::tempdir().unwrap();
    let (running, client) = up(base.path(), Network::Open).await;
    let (place, asked) = outside_server(address).await;
    let url = format!("http://{place}/data?of=it");
    let response = client.get(&url).send().await.unwrap();
    assert_eq!(
        (header(&response, "set-cookie"), header(&response, "x-of-its-own")),
        ("known=yes".into(), "kept".into())
    );
    assert!(!response.headers().contains_key("access-control-allow-origin"), "what it does not allow is not allowed");
    assert_eq!((response.status().as_u16(), response.text().await.unwrap().as_str()), (200, "from outside"));
    let (answer, body) = tunnel(&running, &place).await;
    assert!(answer.contains("200") && body.ends_with("from outside"), "{answer}: {body}");
    assert_eq!(asked.load(Ordering::SeqCst), 2);
    let seen: Vec<_> = running.stop().await.outside.into_iter().map(|one| (one.url, one.fate, one.times)).collect();
    assert_eq!(seen, [(place, OutsideFate::Open, 1), (url, OutsideFate::Open, 1)]);
}

#[tokio::test]
async fn another_machine_is_not_reached_otherwise() {
    let Some(address) = address_beyond_loopback() else { return };
    for network in [Network::Cdn, Network::None] {
        let base = tempfile::tempdir().unwrap();
        let (running, client) = up(base.path(), network).await;
        let (place, asked) = outside_server(address).await;
        let url = format!("http://{place}/data?of=it");
        let response = client.get(&url).send().await.unwrap();
        assert_eq!(response.status(), 502, "{network:?}");
        let (answer, _) = tunnel(&running, &place).await;
        assert!(answer.contains("403"), "{network:?}: {answer}");
        assert_eq!(asked.load(Ordering::SeqCst), 0, "{network:?}: it was asked all the same");
        let seen: Vec<_> = running.stop().await.outside.into_iter().map(|one| (one.url, one.fate, one.times)).collect();
        assert_eq!(seen, [(place, OutsideFate::Refused, 1), (url, OutsideFate::Refused, 1)], "{network:?}");
    }
}
