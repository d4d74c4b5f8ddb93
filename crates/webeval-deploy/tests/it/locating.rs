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

/// Framework, folder and workspace of an app with these files.
fn detected(files: &[(&str, &str)]) -> (String, String, String) {
    let base = tempfile::tempdir().unwrap();
    write(base.path(), files);
    let found = detect(&locate(text(base.path())).unwrap()).unwrap();
    (found.framework.name().to_owned(), found.folder, found.workspace)
}

#[test]
fn frameworks_are_told_by_their_configuration() {
    for (framework, package) in [
        ("vite", r#"{"scripts":{"build":"tsc -b && vite build"},"devDependencies":{"vite":"^7"}}"#),
        ("next", r#"{"scripts":{"build":"next build"},"dependencies":{"next":"15","react":"19"}}"#),
        ("create-react-app", r#"{"scripts":{"build":"react-scripts build"},"dependencies":{"react-scripts":"5"}}"#),
        ("astro", r#"{"dependencies":{"astro":"5"},"devDependencies":{"vite":"^6"}}"#),
        ("sveltekit", r#"{"devDependencies":{"@sveltejs/kit":"2","vite":"5"}}"#),
        ("nuxt", r#"{"dependencies":{"nuxt":"3"}}"#),
        ("angular", r#"{"dependencies":{"@angular/core":"18"}}"#),
        ("webpack", r#"{"scripts":{"build":"webpack --mode production"},"devDependencies":{"webpack":"5"}}"#),
        ("parcel", r#"{"scripts":{"build":"parcel build index.html"},"devDependencies":{"parcel":"2"}}"#),
        ("node", r#"{"scripts":{"start":"node server.js"},"dependencies":{"express":"5"}}"#),
        ("node", r#"{"scripts":{"start":"NODE_ENV=production node server.js"}}"#),
        ("custom", r#"{"scripts":{"build":"node build.mjs"}}"#),
    ] {
        assert_eq!(
            detected(&[("package.json", package)]),
            (framework.into(), String::new(), String::new()),
            "{package}"
        );
    }
}

#[test]
fn a_test_runner_is_not_a_bundler() {
    let package = r#"{"scripts":{"test":"vitest"},"devDependencies":{"vite":"^7","vitest":"^3"}}"#;
    assert_eq!(detected(&[("index.html", ""), ("package.json", package)]).0, "static");
}

const VITE: &str = r#"{"scripts":{"build":"vite build"},"devDependencies":{"vite":"^7"}}"#;

#[test]
fn an_app_in_a_folder_is_found() {
    let server = r#"{"scripts":{"start":"node index.js"},"dependencies":{"express":"5"}}"#;
    let beside = [("frontend/package.json", VITE), ("backend/package.json", server), ("README.md", "")];
    assert_eq!(detected(&beside), ("vite".into(), "frontend".into(), "frontend".into()));
    let delegating = r#"{"scripts":{"build":"npm run build --prefix client"}}"#;
    let below = [("client/package.json", VITE), ("package.json", delegating)];
    assert_eq!(detected(&below), ("vite".into(), "client".into(), "client".into()));
}

#[test]
fn a_workspace_is_installed_from_its_root() {
    for root in [
        ("package.json", r#"{"workspaces":["packages/*","apps/*"]}"#),
        ("package.json", r#"{"workspaces":{"packages":["./apps/**","packages/*"]}}"#),
    ] {
        let files = [root, ("apps/web/package.json", VITE), ("packages/ui/package.json", r#"{"name":"ui"}"#)];
        assert_eq!(detected(&files), ("vite".into(), "apps/web".into(), String::new()));
    }
    let pnpm = [
        ("package.json", "{}"),
        ("pnpm-workspace.yaml", "packages:\n  # all\n  - 'apps/*'\n  - \"packages/*\"\nother: 1\n"),
        ("apps/web/package.json", VITE),
    ];
    assert_eq!(detected(&pnpm), ("vite".into(), "apps/web".into(), String::new()));
}

#[test]
fn a_package_without_a_build_is_static() {
    let base = tempfile::tempdir().unwrap();
    write(base.path(), &[("index.html", ""), ("package.json", r#"{"dependencies":{"todomvc-common":"1"}}"#)]);
    assert_eq!(detect(&locate(text(base.path())).unwrap()).unwrap().framework.name(), "static");
}
