use webeval_deploy::{Error, detect, locate};
use webeval_evidence::AppSource;

use crate::{text, write};

#[test]
fn what_was_given_is_told_apart() {
    let base = tempfile::tempdir().unwrap();
    write(base.path(), &[("index.html", ""), ("notes.txt", "")]);
    let source = |given: &str| locate(given).map(|app| app.source().clone());
    assert!(matches!(source(text(base.path())), Ok(AppSource::Folder { .. })));
    assert!(matches!(source(text(&base.path().join("index.html"))), Ok(AppSource::HtmlFile { .. })));
    assert!(matches!(source("http://127.0.0.1:9/x"), Ok(AppSource::Url { url }) if url == "http://127.0.0.1:9/x"));
    assert!(matches!(source(text(&base.path().join("notes.txt"))), Err(Error::NotHtml { .. })));
    assert!(matches!(source("/no/such/app"), Err(Error::NoSuchApp { .. })));
    assert!(matches!(source("file:///etc/passwd"), Err(Error::BadScheme { .. })));
    assert!(matches!(source("http://"), Err(Error::BadUrl { .. })));
}

#[test]
fn the_first_page_is_the_shallowest_index() {
    let entry = |files: &[(&str, &str)]| {
        let base = tempfile::tempdir().unwrap();
        write(base.path(), files);
        detect(&locate(text(base.path())).unwrap()).map(|found| found.entry)
    };
    assert_eq!(entry(&[("about.html", ""), ("index.html", ""), ("a/index.html", "")]).unwrap(), "index.html");
    assert_eq!(entry(&[("game.html", ""), ("docs/index.html", "")]).unwrap(), "game.html");
    assert_eq!(entry(&[("docs/other.html", ""), ("docs/index.htm", "")]).unwrap(), "docs/index.htm");
    assert!(matches!(entry(&[("app.js", "")]), Err(Error::NoPage { .. })));
}

#[test]
fn an_app_that_has_to_be_built_is_named_as_such() {
    let base = tempfile::tempdir().unwrap();
    let package = r#"{"scripts":{"build":"vite build"},"devDependencies":{"vite":"^7"}}"#;
    write(base.path(), &[("index.html", ""), ("package.json", package)]);
    let error = detect(&locate(text(base.path())).unwrap()).unwrap_err();
    assert!(matches!(&error, Error::NeedsBuild { framework, .. } if framework == "Vite"), "{error}");
}

#[test]
fn a_package_without_a_build_is_static() {
    let base = tempfile::tempdir().unwrap();
    write(base.path(), &[("index.html", ""), ("package.json", r#"{"dependencies":{"todomvc-common":"1"}}"#)]);
    assert_eq!(detect(&locate(text(base.path())).unwrap()).unwrap().framework.name(), "static");
}
