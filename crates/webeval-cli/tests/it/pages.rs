//! The commands that look at one page, on the fixtures and on pages whose faults are known.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::Html;
use axum::routing::get;
use serde_json::Value;

use crate::command::{browser_is_there, outcome, repository, webeval};

/// A page of which everything that is wrong is known: one text of contrast 1.6, nothing else.
const PALE: &str = r##"<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Pale</title>
<meta name="viewport" content="width=device-width"><style>body { margin: 0; font: 16px/1.5 sans-serif }
section { padding: 40px }</style></head><body>
<section id="one"><h1>A clear heading</h1><p id="clear">Text that anybody can read without any trouble.</p></section>
<section id="two"><h2>Another heading</h2><p id="pale" style="color: #ccc">Text that hardly anybody can read.</p></section>
</body></html>"##;

fn fixtures() -> PathBuf {
    repository().join("fixtures/sections")
}

/// Runs a command that must succeed, and gives its output.
fn succeed(arguments: &[&str]) -> String {
    let (code, stdout, stderr) = outcome(webeval().args(arguments));
    assert_eq!(code, 0, "{arguments:?}: {stderr}");
    stdout
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&succeed(arguments)).unwrap()
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn what_is_no_page_is_refused() {
    let base = tempfile::tempdir().unwrap();
    let out = base.path().join("out");
    let (pdf, other) = (base.path().join("paper.pdf"), base.path().join("other"));
    std::fs::write(&pdf, "%PDF-1.4").unwrap();
    std::fs::create_dir(&other).unwrap();
    let page = fixtures().join("pages/landing.html");
    let refused: [(&[&str], &str); 8] = [
        (&["check", "/no/such.html"], "/no/such.html does not exist"),
        (&["detect", text(&pdf)], "is not an .html file"),
        (&["check", text(&other)], "is a folder"),
        (&["check", "ftp://example.org/"], "is not an http or https URL"),
        (&["check", text(&page), "--root", text(&other)], "does not lie in --root"),
        (&["sections", text(&page), "--out", text(base.path())], "is not empty"),
        (&["degrade", text(&page), "--seed", "1", "--out", text(base.path())], "is not empty"),
        (&["sections", text(&other), "--out", text(&out)], "no .html file"),
    ];
    for (arguments, words) in refused {
        let (code, stdout, stderr) = outcome(webeval().args(arguments));
        if stderr.contains("chromedriver") {
            eprintln!("skipped: {stderr}");
            continue;
        }
        assert_eq!((code, stdout.as_str()), (2, ""), "{arguments:?}: {stderr}");
        assert!(stderr.contains(words) && stderr.trim_end().lines().count() == 1, "{arguments:?}: {stderr}");
        assert!(!out.join("sections.json").exists());
    }
}

#[test]
fn a_known_fault_is_found_and_nothing_else() {
    if !browser_is_there() {
        return;
    }
    let base = tempfile::tempdir().unwrap();
    let page = base.path().join("pale page.html");
    std::fs::write(&page, PALE).unwrap();
    let report = json(&["check", text(&page), "--json"]);
    let findings: Vec<&Value> =
        report["findings"].as_array().unwrap().iter().filter(|finding| finding["severity"] != "note").collect();
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!((&findings[0]["rule"], &findings[0]["selector"]), (&"contrast".into(), &"#pale".into()));
    // 0.05 + 1 over 0.05 + the luminance of #cccccc, by the formula of WCAG.
    let luminance = ((204.0_f64 / 255.0 + 0.055) / 1.055).powf(2.4);
    let measured = findings[0]["value"].as_f64().unwrap();
    assert!((measured - 1.05 / (luminance + 0.05)).abs() < 0.01, "{measured}");
    assert_eq!(report["scores"]["TR"], 3);
    let told = succeed(&["check", text(&page)]);
    assert!(told.contains("#pale") && told.contains("1 faults"), "{told}");

    let verdicts = json(&["detect", text(&page), "--json"]);
    let degraded: Vec<(&Value, &Value)> = verdicts["rows"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["degraded"] == true)
        .map(|row| (&row["section"], &row["category"]))
        .collect();
    assert_eq!(verdicts["rows"].as_array().unwrap().len(), 6);
    assert_eq!(degraded, [(&"two".into(), &"text".into())]);
    assert!(succeed(&["detect", text(&page)]).contains("1 of 6 degraded"));
}

#[test]
fn a_page_is_taken_apart_at_several_sizes() {
    if !browser_is_there() {
        return;
    }
    let base = tempfile::tempdir().unwrap();
    let (page, root, out) = (fixtures().join("pages/landing.html"), fixtures(), base.path().join("out"));
    let sizes = ["--viewport", "1280x800", "--viewport", "400x800"];
    succeed(&[&["sections", text(&page), "--root", text(&root), "--out", text(&out)], &sizes[..]].concat());
    for (size, width) in [("1280x800", 1280.0), ("400x800", 400.0)] {
        let file = read(&out.join(size).join("sections.json"));
        assert_eq!(file["viewport"][0], width);
        for section in file["sections"].as_array().unwrap() {
            let shot = out.join(size).join(section["screenshot_path"].as_str().unwrap());
            let png = std::fs::read(&shot).unwrap();
            let side = |at: usize| f64::from(u32::from_be_bytes(png[at..at + 4].try_into().unwrap()));
            let rect = &section["rect"];
            assert!((side(16) - rect["width"].as_f64().unwrap()).abs() <= 1.0, "{}", shot.display());
            assert!((side(20) - rect["height"].as_f64().unwrap()).abs() <= 1.0, "{}", shot.display());
        }
    }
    assert!(out.join("1280x800/images/section_01_img_01_hero.png").is_file());
}

#[test]
fn a_folder_is_converted_and_gone_on_with() {
    if !browser_is_there() {
        return;
    }
    let base = tempfile::tempdir().unwrap();
    let (folder, out) = (base.path().join("in"), base.path().join("out"));
    std::fs::create_dir_all(folder.join("deep")).unwrap();
    std::fs::write(folder.join("a.html"), PALE).unwrap();
    std::fs::write(folder.join("deep/b.html"), PALE).unwrap();
    std::fs::write(folder.join("readme.txt"), "no page").unwrap();
    let arguments = ["sections", text(&folder), "--out", text(&out), "--jobs", "2"];
    assert!(succeed(&arguments).contains("2 pages converted, 0 kept"));
    assert_eq!(read(&out.join("deep/b/sections.json"))["sections"].as_array().unwrap().len(), 2);
    std::fs::remove_file(out.join("a/sections.json")).unwrap();
    assert!(succeed(&arguments).contains("1 pages converted, 1 kept"));
}

#[test]
fn a_degraded_copy_is_told_from_the_original() {
    if !browser_is_there() {
        return;
    }
    let base = tempfile::tempdir().unwrap();
    let (page, root, out) = (fixtures().join("pages/landing.html"), fixtures(), base.path().join("out"));
    let arguments = ["degrade", text(&page), "--root", text(&root), "--seed", "3", "--grade", "gross", "--out"];
    succeed(&[&arguments[..], &[text(&out)]].concat());
    let faults = read(&out.join("faults.json"));
    let copy = out.join(faults["page"].as_str().unwrap());
    assert!(out.join("pictures/shore.png").is_file(), "the copy has no pictures");
    assert!(!faults["faults"].as_array().unwrap().is_empty());
    let degraded = |page: &Path, root: &Path| {
        let verdicts = json(&["detect", text(page), "--root", text(root), "--json"]);
        verdicts["rows"].as_array().unwrap().iter().filter(|row| row["degraded"] == true).count()
    };
    assert_eq!(degraded(&page, &root), 0, "the original is called degraded");
    assert!(degraded(&copy, &out) > 0, "no fault was found: {faults:#}");
    // The same seed, the same faults.
    let again = base.path().join("again");
    succeed(&[&arguments[..], &[text(&again)]].concat());
    assert_eq!(read(&again.join("faults.json"))["faults"], faults["faults"]);
}

#[test]
fn odd_pages_give_what_there_is() {
    if !browser_is_there() {
        return;
    }
    let base = tempfile::tempdir().unwrap();
    let vertical = r#"<!doctype html><html lang="ja" style="writing-mode: vertical-rl"><meta charset="utf-8"><title>縦</title>
        <section><h1>見出し</h1><p>本文がここにあります。</p></section></html>"#;
    let reloads = "<!doctype html><title>Reloads</title><section><h1>Here again</h1><p>And again.</p></section>\
        <script>setTimeout(() => location.reload(), 150)</script>";
    let written = [("vertical.html", vertical), ("reloads.html", reloads)].map(|(name, html)| {
        let path = base.path().join(name);
        std::fs::write(&path, html).unwrap();
        path
    });
    let odd = ["frameset.html", "hollow.html", "page.xhtml", "restless.html", "rtl.html", "shadow.html"];
    let pages = odd.iter().map(|name| fixtures().join("odd").join(name)).chain(written);
    for (number, page) in pages.enumerate() {
        let out = base.path().join(number.to_string());
        let root = page.parent().unwrap();
        succeed(&["sections", text(&page), "--root", text(root), "--out", text(&out)]);
        let file = read(&out.join("sections.json"));
        let sections = file["sections"].as_array().unwrap();
        let empty = page.ends_with("hollow.html");
        assert_eq!(sections.is_empty(), empty, "{}: {file:#}", page.display());
        if page.ends_with("vertical.html") {
            assert_eq!(sections[0]["heading_h1"], "見出し");
        }
        let notes: Vec<&str> =
            file["notes"].as_array().into_iter().flatten().map(|note| note.as_str().unwrap()).collect();
        if page.ends_with("reloads.html") {
            assert_eq!(sections[0]["heading_h1"], "Here again");
            // Which of its questions a reload gets in the way of is up to the machine; nothing else is wrong with it.
            let known = ["the page did not come to rest, it is taken as it was: ", "paint order was not measured: "];
            assert!(notes.iter().all(|note| known.iter().any(|known| note.starts_with(known))), "{notes:?}");
            continue;
        }
        assert!(notes.is_empty(), "{}: {notes:?}", page.display());
    }
}

/// A PDF of one page with one word on it.
fn pdf() -> Vec<u8> {
    let stream = "BT /F 24 Tf 20 40 Td (Paper) Tj ET";
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{stream}\nendstream", stream.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
    ];
    let mut file = "%PDF-1.4\n".to_owned();
    let mut places = String::new();
    for (number, object) in (1..).zip(&objects) {
        places.push_str(&format!("{:010} 00000 n \n", file.len()));
        file.push_str(&format!("{number} 0 obj\n{object}\nendobj\n"));
    }
    let (size, start) = (objects.len() + 1, file.len());
    file.push_str(&format!("xref\n0 {size}\n0000000000 65535 f \n{places}trailer << /Size {size} /Root 1 0 R >>\n"));
    file.push_str(&format!("startxref\n{start}\n%%EOF\n"));
    file.into_bytes()
}

/// Asks for a picture only once it is loaded, so that loading does not wait for it.
const WAITS: &str = r#"<!doctype html><html lang="en"><title>Waits</title><section style="height: 300px"><h1>Waits</h1>
<p>For a picture.</p></section><script>addEventListener("load", () => setTimeout(() => {
const late = new Image(90, 60); late.src = "/never.png"; late.alt = "Late"; document.querySelector("section").append(late); }))
</script></html>"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_url_is_opened_and_what_does_not_answer_is_told() {
    if !browser_is_there() {
        return;
    }
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let app = Router::new()
        .route("/pale", get(|| async { Html(PALE) }))
        .route("/paper.pdf", get(|| async { ([(CONTENT_TYPE, "application/pdf")], pdf()) }))
        .route("/waits", get(|| async { Html(WAITS) }))
        .route("/never.png", get(std::future::pending::<()>))
        .fallback(|| async { (StatusCode::NOT_FOUND, Html("<h1>Gone</h1>")) });
    tokio::spawn(async move { axum::serve(listener, app).await });
    tokio::task::spawn_blocking(move || {
        let report = json(&["check", &format!("{url}/pale"), "--json"]);
        assert!(report["findings"].as_array().unwrap().iter().any(|finding| finding["selector"] == "#pale"));
        let base = tempfile::tempdir().unwrap();
        let (out, paper) = (base.path().join("out"), base.path().join("paper.pdf"));
        std::fs::write(&paper, pdf()).unwrap();
        let refused = |arguments: &[&str]| {
            let (code, stdout, stderr) = outcome(webeval().args(arguments));
            assert_eq!((stdout.as_str(), stderr.lines().count()), ("", 1), "{arguments:?}: {stderr}");
            assert!(!out.join("sections.json").exists() && !out.join("faults.json").exists());
            (code, stderr)
        };
        let (code, stderr) = refused(&["check", &format!("{url}/gone")]);
        assert!(code == 1 && stderr.contains("it answers 404"), "{stderr}");
        let place = format!("{url}/paper.pdf");
        for (command, rest) in [
            ("check", &[][..]),
            ("detect", &[]),
            ("sections", &["--out", text(&out)]),
            ("degrade", &["--seed", "1", "--out", text(&out)]),
        ] {
            let (code, stderr) = refused(&[&[command, place.as_str()], rest].concat());
            let words = format!("{place} is application/pdf, which has no elements to measure: give a web page");
            assert!(code == 1 && stderr.contains(&words), "{command}: {stderr}");
            let (code, stderr) = refused(&[&[command, text(&paper)], rest].concat());
            let words = format!("{} is not an .html file; give an HTML file or the URL of a page", paper.display());
            assert!(code == 2 && stderr.contains(&words), "{command}: {stderr}");
        }
        let waits = base.path().join("waits");
        succeed(&["sections", &format!("{url}/waits"), "--out", text(&waits)]);
        let notes = read(&waits.join("sections.json"))["notes"].clone();
        let expected = serde_json::json!(["1 picture had not arrived in time", "1 picture could not be had"]);
        assert_eq!(notes, expected);
        let (code, _, stderr) = outcome(webeval().args(["check", "http://127.0.0.1:9/"]));
        assert!(code == 1 && stderr.contains("cannot open http://127.0.0.1:9/"), "{stderr}");
    })
    .await
    .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_lost_to_the_page_is_started_once_more() {
    if !browser_is_there() {
        return;
    }
    // The first document hangs as soon as it is scrolled, later ones do not.
    let served = Arc::new(AtomicUsize::new(0));
    let hung = Arc::clone(&served);
    let hangs = get(move || {
        let visit = hung.fetch_add(1, Ordering::SeqCst);
        let script = if visit == 0 { "addEventListener('scroll', () => { for (;;) {} })" } else { "" };
        async move {
            Html(
                PALE.replace("</body>", &format!("<div style='height: 3000px'></div><script>{script}</script></body>")),
            )
        }
    });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, Router::new().route("/", hangs)).await });
    let report = tokio::task::spawn_blocking(move || json(&["check", &url, "--json"])).await.unwrap();
    assert!(report["findings"].as_array().unwrap().iter().any(|finding| finding["selector"] == "#pale"));
    assert_eq!(served.load(Ordering::SeqCst), 2);
}
