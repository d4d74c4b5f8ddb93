//! What pages ask for from elsewhere. The packages that answer are put where fetched ones are kept, so that no test needs
//! the network.

use std::path::Path;

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
