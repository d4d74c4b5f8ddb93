use std::os::unix::fs::symlink;
use std::path::Path;

use webeval_deploy::{Staged, locate, stage};

use crate::{text, write};

fn staged(app: &Path, target: &Path) -> Staged {
    stage(&locate(text(app)).unwrap(), target, None).unwrap()
}

fn exists(target: &Path, name: &str) -> bool {
    target.join(name).exists()
}

#[test]
fn scripts_get_counters_and_nothing_else_changes() {
    let (base, target) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let page = "<!doctype html>\n<p>hello</p>\n<script>function greet() { return 1; }</script>\n<script src=app.js></script>\n";
    write(base.path(), &[("index.html", page), ("app.js", "const one = 1;\n"), ("style.css", "p { color: red }")]);
    let found = staged(base.path(), target.path());
    assert_eq!(found.instrumented, ["app.js", "index.html"]);
    // One return and one initialiser; one function.
    let summary = found.coverage.summary();
    assert_eq!((summary.statements.total, summary.functions.total, summary.statements.covered), (2, 1, 0));
    let written = std::fs::read_to_string(target.path().join("index.html")).unwrap();
    assert!(written.contains("<p>hello</p>\n<script>") && written.contains("return 1;"));
    assert_eq!(written.lines().count(), page.lines().count());
    assert_eq!(std::fs::read_to_string(target.path().join("style.css")).unwrap(), "p { color: red }");
    assert_eq!(std::fs::read_to_string(base.path().join("index.html")).unwrap(), page);
}

#[test]
fn a_script_that_cannot_be_parsed_is_served_as_it_was_and_named() {
    let (base, target) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(
        base.path(),
        &[("index.html", "<script src=bad.js></script>"), ("bad.js", "let x = ;\n"), ("good.js", "let x = 1;")],
    );
    let found = staged(base.path(), target.path());
    assert_eq!(found.instrumented, ["good.js"]);
    assert_eq!(found.skipped.len(), 1);
    assert_eq!(found.skipped[0].path, "bad.js");
    assert!(found.skipped[0].reason.contains(" 1:8"), "line and column are named: {}", found.skipped[0].reason);
    assert_eq!(std::fs::read_to_string(target.path().join("bad.js")).unwrap(), "let x = ;\n");
}

#[test]
fn bytes_that_are_not_utf_8_and_third_party_code_are_left_alone() {
    let (base, target) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(base.path(), &[("index.html", ""), ("vendor/lib.js", "let a = 1"), ("jquery.min.js", "let b = 1")]);
    std::fs::write(base.path().join("latin.js"), b"let umlaut = '\xe4';").unwrap();
    let found = staged(base.path(), target.path());
    assert!(found.instrumented.is_empty());
    let third_party: Vec<_> = found.skipped.iter().map(|s| (s.path.as_str(), s.third_party)).collect();
    assert_eq!(third_party, [("jquery.min.js", true), ("latin.js", false), ("vendor/lib.js", true)]);
    assert_eq!(std::fs::read(target.path().join("latin.js")).unwrap(), b"let umlaut = '\xe4';");
}

#[test]
fn links_that_lead_out_of_the_app_are_not_followed() {
    let (base, target) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let app = base.path().join("app");
    write(
        base.path(),
        &[("secret.txt", "key"), ("secrets/a.txt", "key"), ("app/index.html", ""), ("app/real.css", "")],
    );
    symlink(base.path().join("secret.txt"), app.join("stolen.txt")).unwrap();
    symlink(base.path().join("secrets"), app.join("stolen")).unwrap();
    symlink("real.css", app.join("alias.css")).unwrap();
    symlink(".", app.join("loop")).unwrap();
    staged(&app, target.path());
    assert!(exists(target.path(), "alias.css") && exists(target.path(), "real.css"));
    assert!(!exists(target.path(), "stolen.txt") && !exists(target.path(), "stolen"));
}

#[test]
fn a_single_page_brings_the_files_that_it_mentions() {
    let (base, target) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let page = r#"<link href="css/a.css" rel=stylesheet><script type=module src="./js/a.mjs"></script><a href="other.html">x</a>"#;
    let files = [
        ("page.html", page),
        ("other.html", ""),
        ("unrelated.js", ""),
        ("css/a.css", "body { background: url(../img/b.png) }"),
        ("img/b.png", "png"),
        ("js/a.mjs", "import './b.mjs'; fetch('/data.json')"),
        ("js/b.mjs", "export {}"),
        ("data.json", "{}"),
    ];
    write(base.path(), &files);
    staged(&base.path().join("page.html"), target.path());
    for used in ["page.html", "css/a.css", "img/b.png", "js/a.mjs", "js/b.mjs", "data.json"] {
        assert!(exists(target.path(), used), "{used}");
    }
    assert!(!exists(target.path(), "other.html") && !exists(target.path(), "unrelated.js"));
}

#[test]
fn uninstrumented_sources_are_kept_for_the_report() {
    let base = tempfile::tempdir().unwrap();
    let (app, target, sources) = (base.path().join("app"), base.path().join("out"), base.path().join("sources"));
    write(&app, &[("index.html", "<p>no script</p>"), ("js/app.js", "let a = 1;")]);
    stage(&locate(text(&app)).unwrap(), &target, Some(&sources)).unwrap();
    assert_eq!(std::fs::read_to_string(sources.join("js/app.js")).unwrap(), "let a = 1;");
    assert!(!exists(&sources, "index.html"));
}

/// The hash that a browser would compute, by another implementation than ours.
fn openssl(kind: &str, content: &[u8]) -> String {
    let script = "const c = require('crypto'); process.stdout.write(c.createHash(process.argv[1]).update(require('fs').readFileSync(0)).digest('base64'))";
    let mut child = std::process::Command::new("node")
        .args(["-e", script, kind])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), content).unwrap();
    format!("{kind}-{}", String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap())
}

#[test]
fn hashes_that_vouch_for_scripts_are_computed_anew() {
    if std::process::Command::new("node").arg("--version").output().is_err() {
        eprintln!("skipped: node is missing (scripts/setup installs it)");
        return;
    }
    let (base, target) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (script, inline) = ("let a = 1;\n", "let b = a + 1;");
    let page = format!(
        "<!doctype html><html><head><meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'self'; script-src 'self' '{}'\">\n\
         <script src=\"js/a.js\" integrity=\"{}\"></script>\n\
         <script src=\"https://elsewhere.example/x.js\" integrity=\"sha384-kept\"></script></head><body><script>{inline}</script></body></html>",
        openssl("sha256", inline.as_bytes()),
        openssl("sha384", script.as_bytes())
    );
    write(base.path(), &[("index.html", &page), ("js/a.js", script)]);
    staged(base.path(), target.path());
    let written = std::fs::read_to_string(target.path().join("index.html")).unwrap();
    let counted = std::fs::read(target.path().join("js/a.js")).unwrap();
    assert!(written.contains(&format!("integrity=\"{}\"", openssl("sha384", &counted))), "{written}");
    assert!(written.contains("sha384-kept"));
    let inline: Vec<&str> =
        written.split("<script>").skip(1).map(|rest| rest.split("</script>").next().unwrap()).collect();
    assert_eq!(inline.len(), 2, "the preamble and the page's own");
    for script in inline {
        let hash = openssl("sha256", script.as_bytes());
        assert!(written.contains(&format!("'{hash}'")), "{hash} is not in the policy: {written}");
    }
}
