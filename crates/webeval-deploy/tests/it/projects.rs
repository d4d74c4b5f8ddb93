//! Apps with packages, from folder to running. Those here need nothing from the network; the apps of
//! `fixtures/apps-build` do, and are run by `scripts/deploy-matrix`.

use std::time::Duration;

use webeval_deploy::{Error, Options, Running, deploy, locate};
use webeval_evidence::{DeployFailure, DeployMode, FailureOwner, StepKind};

use crate::{sandbox_is_there, text, write};

async fn bring_up(files: &[(&str, &str)]) -> (tempfile::TempDir, Result<Running, Error>) {
    bring_up_with(files, |_| {}).await
}

async fn bring_up_with(
    files: &[(&str, &str)],
    set: impl Fn(&mut Options),
) -> (tempfile::TempDir, Result<Running, Error>) {
    let base = tempfile::tempdir().unwrap();
    write(&base.path().join("app"), files);
    let mut options = Options::default();
    options.cache = base.path().join("cache");
    options.limits.build = Duration::from_secs(60);
    options.limits.start = Duration::from_secs(20);
    set(&mut options);
    let running = deploy(&locate(text(&base.path().join("app"))).unwrap(), &options).await;
    (base, running)
}

fn failure(result: Result<Running, Error>) -> DeployFailure {
    match result {
        Err(Error::Undeployable { record }) => record.failure.unwrap(),
        other => panic!("{other:?}"),
    }
}

async fn get(running: &Running, path: &str) -> (u16, String) {
    let response =
        reqwest::Client::new().get(format!("{}{path}", running.origin())).header("accept", "text/html").send();
    let response = response.await.unwrap();
    (response.status().as_u16(), response.text().await.unwrap())
}

/// Puts `src/app.js` and a page together, as a bundler would.
const BUNDLER: &str = "const fs = require('fs'); fs.mkdirSync('dist', {recursive: true});
fs.writeFileSync('dist/app.js', fs.readFileSync('src/app.js')); fs.writeFileSync('dist/index.html', '<p>built</p><script src=/app.js></script>');";

#[tokio::test(flavor = "multi_thread")]
async fn what_is_built_is_served_with_counters() {
    if !sandbox_is_there() {
        return;
    }
    let files = [
        ("package.json", r#"{"scripts": {"build": "eslint . && node build.config.js"}}"#),
        ("build.config.js", BUNDLER),
        ("src/app.js", "function hello() { return 1; }\nhello();\n"),
    ];
    let (base, running) = bring_up(&files).await;
    let running = running.unwrap();
    assert_eq!(running.record.mode, DeployMode::Instrumented);
    assert_eq!(running.record.instrumented, ["src/app.js"]);
    assert!(get(&running, "/").await.1.contains("<p>built</p>"));
    // An address that only the page's own script knows.
    assert!(get(&running, "/some/route").await.1.contains("<p>built</p>"));
    let script = get(&running, "/app.js").await.1;
    assert!(script.contains("__coverage__") && script.contains("return 1;"), "{script}");
    let summary = running.coverage.as_ref().unwrap().summary();
    assert_eq!((summary.statements.total, summary.functions.total), (2, 1));
    // The linter that is not there is a failed check, and stops nothing.
    let check = running.record.commands.iter().find(|step| step.kind == StepKind::Check).unwrap();
    assert_eq!((check.command.as_str(), check.exit), ("eslint .", Some(127)));
    let given = std::fs::read_to_string(base.path().join("app/src/app.js")).unwrap();
    assert_eq!(given, files[2].1, "the original was touched");
    assert!(!base.path().join("app/dist").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn who_judges_the_code_has_its_checks_run() {
    if !sandbox_is_there() {
        return;
    }
    let scripts = r#"{"scripts": {"build": "node build.config.js", "lint": "node -e 'process.exit(3)'",
        "test": "node -e 'console.log(process.env.CI + \" ok\")'"}}"#;
    let files = [("package.json", scripts), ("build.config.js", BUNDLER), ("src/app.js", "1;\n")];
    let set = |options: &mut Options| (options.counters, options.declared_checks) = (false, true);
    let (_base, running) = bring_up_with(&files, set).await;
    let running = running.unwrap();
    let checks = running.record.commands.iter().filter(|step| step.kind == StepKind::Check);
    let told: Vec<_> = checks.map(|step| (step.exit, step.tail.trim())).collect();
    assert_eq!(told, [(Some(3), ""), (Some(0), "true ok")]);
    // Without counters it is what was given.
    assert_eq!((running.record.mode, running.coverage.is_none()), (DeployMode::BlackBox, true));
    assert_eq!(get(&running, "/app.js").await.1, files[2].1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_fails_because_of_counters_gets_them_in_what_it_builds() {
    if !sandbox_is_there() {
        return;
    }
    // The build looks at its source, as a test of a snapshot would.
    let picky = format!(
        "if (require('fs').readFileSync('src/app.js', 'utf8').includes('__coverage__')) {{ console.error('no!'); process.exit(1) }}\n{BUNDLER}"
    );
    let package = ("package.json", r#"{"scripts": {"build": "node build.config.js"}}"#);
    let (_base, running) = bring_up(&[package, ("build.config.js", &picky), ("src/app.js", "let a = 1;")]).await;
    let running = running.unwrap();
    assert_eq!(running.record.mode, DeployMode::Bundle);
    assert_eq!(running.record.instrumented, ["dist/app.js"]);
    let script = get(&running, "/app.js").await.1;
    assert!(script.contains("__coverage__") && script.contains("let a = 1;"), "{script}");
    assert_eq!(running.coverage.as_ref().unwrap().summary().statements.total, 1);
    assert!(running.record.notes.iter().any(|note| note.contains("figures are of the bundles")));

    // When it says which file it does not like, the others keep theirs.
    let naming = picky.replace("'no!'", "'in src/app.js'");
    let files =
        [package, ("build.config.js", naming.as_str()), ("src/app.js", "let a = 1;"), ("src/b.js", "let b = 1;")];
    let (_base, running) = bring_up(&files).await;
    let running = running.unwrap();
    assert_eq!(running.record.mode, DeployMode::Instrumented);
    assert_eq!(running.record.instrumented, ["src/b.js"]);
    assert_eq!(running.record.skipped[0].path, "src/app.js");
}

/// Puts what it imports and a package together, with a source map that is exact to the character, and refuses sources
/// that are not what they were.
const MAPPING_BUNDLER: &str = r"
const fs = require('fs'), crypto = require('crypto');
const hash = (file) => crypto.createHash('sha256').update(fs.readFileSync(file)).digest('hex');
if (hash('src/app.js') !== fs.readFileSync('hash.txt', 'utf8').trim()) { console.error('not what was released'); process.exit(1); }
const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const vlq = (n) => { let v = n < 0 ? (-n << 1) | 1 : n << 1, out = ''; do { out += digits[(v & 31) | (v > 31 ? 32 : 0)]; v >>>= 5; } while (v); return out; };
const sources = ['vendor/package.js', 'src/app.js'];
let code = '', mappings = [], last = [0, 0, 0];
sources.forEach((file, index) => fs.readFileSync(file, 'utf8').trimEnd().split('\n').forEach((line, number) => {
  code += line + '\n';
  mappings.push([...line].map((_, at) => { const [s, l, c] = last; last = [index, number, at]; return vlq(at ? 1 : 0) + vlq(index - s) + vlq(number - l) + vlq(at - c); }).join(','));
}));
fs.mkdirSync('dist', { recursive: true });
fs.writeFileSync('dist/app.js', code + '//# sourceMappingURL=app.js.map');
fs.writeFileSync('dist/app.js.map', JSON.stringify({ version: 3, sources: sources.map((file) => '../' + file), names: [], mappings: mappings.join(';') }));
fs.writeFileSync('dist/vendor.js', 'function library() {}');
const vouched = crypto.createHash('sha256').update(fs.readFileSync('dist/app.js')).digest('base64');
fs.writeFileSync('dist/index.html', `<p>built</p><script src=/vendor.js></script><script integrity=sha256-${vouched} src=/app.js></script>`);";

#[tokio::test(flavor = "multi_thread")]
async fn source_maps_lead_from_bundles_to_sources() {
    if !sandbox_is_there() {
        return;
    }
    let app = "function hello(name) {\n  return name ? `hello ${name}` : 'hello';\n}\nhello();\n";
    let digest = <sha2::Sha256 as sha2::Digest>::digest(app.as_bytes());
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let files = [
        ("package.json", r#"{"scripts": {"build": "node build.config.js"}}"#),
        ("build.config.js", MAPPING_BUNDLER),
        ("hash.txt", digest.as_str()),
        ("vendor/package.js", "function packaged() { return 1; }\npackaged();\n"),
        ("src/app.js", app),
        ("src/unused.js", "export function unused() { return 2; }\n"),
    ];
    let (base, running) = bring_up_with(&files, |options| options.sources = Some(options.cache.join("sources"))).await;
    let running = running.unwrap();
    assert_eq!(running.record.mode, DeployMode::Bundle);
    assert_eq!(running.record.instrumented, ["dist/app.js"]);
    assert_eq!(running.record.skipped[0].path, "dist/vendor.js");
    // Of the sources: what the package has is left out, what the build left out is not.
    let coverage = running.coverage.as_ref().unwrap();
    let known: Vec<&str> = coverage.files().map(|file| file.path.as_str()).collect();
    assert_eq!(known, ["src/app.js", "src/unused.js"]);
    let expected = webeval_instrument::instrument(app, "src/app.js", &webeval_instrument::Options::default()).unwrap();
    let (found, expected) = (coverage.get("src/app.js").unwrap(), expected.coverage);
    let starts = |file: &webeval_instrument::coverage::FileCoverage| {
        file.statement_map.values().map(|place| place.start).collect::<Vec<_>>()
    };
    assert_eq!(starts(found), starts(&expected));
    assert_eq!(found.fn_map.values().map(|one| one.decl).collect::<Vec<_>>(), [expected.fn_map.get(0).unwrap().decl]);
    assert_eq!(found.summary().branches.total, 2);
    assert_eq!(std::fs::read_to_string(base.path().join("cache/sources/src/app.js")).unwrap(), app);
    // Counters in the bundle are told of the source: `packaged()` is nobody's.
    let origins = running.origins.as_ref().unwrap();
    let counted =
        webeval_instrument::coverage::Delta::from_json(r#"{"dist/app.js": {"i": [0, 1, 2, 3], "n": [5, 6, 7, 8]}}"#)
            .unwrap();
    let told = serde_json::to_value(origins.translate(&counted)).unwrap();
    assert_eq!(told, serde_json::json!({"src/app.js": {"h": "", "i": [0, 1], "n": [7.0, 8.0]}}));
    // The page vouches for the script as it is now.
    let (page, script) = (get(&running, "/").await.1, get(&running, "/app.js").await.1);
    let digest = <sha2::Sha256 as sha2::Digest>::digest(script.as_bytes());
    let vouched = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, digest);
    assert!(script.contains("__coverage__") && page.contains(&vouched), "{page}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_takes_no_counters_runs_without() {
    if !sandbox_is_there() {
        return;
    }
    let server = "const fs = require('fs');
if (fs.readFileSync('server.js', 'utf8').includes('__' + 'coverage__')) { console.error('no!'); process.exit(1); }
require('http').createServer((request, response) => response.end('<p>served</p>')).listen(process.env.PORT);";
    let (_base, running) =
        bring_up(&[("package.json", r#"{"scripts": {"start": "node server.js"}}"#), ("server.js", server)]).await;
    let running = running.unwrap();
    assert_eq!((running.record.mode, running.coverage.is_none()), (DeployMode::BlackBox, true));
    assert!(get(&running, "/").await.1.contains("served"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_runs_with_counters_on_both_sides() {
    if !sandbox_is_there() {
        return;
    }
    let server = "const http = require('http'), fs = require('fs');
function page() { return fs.readFileSync('public/index.html'); }
function never() { return 2; }
http.createServer((request, response) => {
  if (request.url === '/crash') return never();
  response.end(request.url === '/app.js' ? fs.readFileSync('public/app.js') : page());
}).listen(process.env.PORT);";
    let files = [
        ("package.json", r#"{"scripts": {"start": "node server.js"}}"#),
        ("server.js", server),
        ("public/index.html", "<p>served</p><script src=app.js></script>"),
        ("public/app.js", "let a = 1;"),
    ];
    let (_base, running) = bring_up(&files).await;
    let running = running.unwrap();
    assert!(get(&running, "/").await.1.contains("<p>served</p>"));
    assert!(get(&running, "/app.js").await.1.contains("__coverage__"));
    let browser: Vec<&str> = running.coverage.as_ref().unwrap().files().map(|file| file.path.as_str()).collect();
    assert_eq!(browser, ["public/app.js"]);
    tokio::time::sleep(Duration::from_millis(700)).await;
    let counted = running.server_coverage().unwrap();
    let paths: Vec<&str> = counted.files().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["server.js"]);
    // `page` and the handler ran, `never` did not.
    let functions = counted.summary().functions;
    assert_eq!((functions.covered, functions.total), (2, 3));
    let record = running.stop().await;
    assert_eq!(record.commands.last().unwrap().kind, StepKind::Serve);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_app_is_reported_with_its_reason() {
    if !sandbox_is_there() {
        return;
    }
    let build = r#"{"scripts": {"build": "node build.config.js"}}"#;
    let server = r#"{"scripts": {"start": "node server.js"}}"#;
    for (kind, package, file, code) in [
        ("missing-file", build, "build.config.js", "require('./src/lacking.js')"),
        ("missing-dependency", build, "build.config.js", "require('No-Such-Name')"),
        ("syntax-error", build, "build.config.js", "let x = ;"),
        ("build", build, "build.config.js", "process.exit(3)"),
        ("no-output", build, "build.config.js", "1"),
        ("needs-service", server, "server.js", "require('net').connect(5432, '127.0.0.1')"),
        ("needs-network", server, "server.js", "fetch('http://example.com').then(() => 0, e => { throw e.cause })"),
        ("missing-file", server, "other.js", "1"),
        ("start", server, "server.js", "process.exit(4)"),
    ] {
        let (_base, result) = bring_up(&[("package.json", package), (file, code)]).await;
        let failure = failure(result);
        assert_eq!((failure.kind.as_str(), failure.whose), (kind, FailureOwner::App), "{code}: {}", failure.message);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn variables_come_from_the_example_with_a_diff() {
    if !sandbox_is_there() {
        return;
    }
    let build = format!(
        "if (!require('fs').existsSync('.env')) throw new Error('environment variable API_URL is not set');\n{BUNDLER}"
    );
    let files = [
        ("package.json", r#"{"scripts": {"build": "node build.config.js"}}"#),
        ("build.config.js", build.as_str()),
        (".env.example", "API_URL=http://localhost\n"),
        ("src/app.js", "let a = 1;"),
    ];
    let (_base, running) = bring_up(&files).await;
    let running = running.unwrap();
    let repair = running.record.commands.iter().find_map(|step| step.repair.as_ref()).unwrap();
    assert!(repair.contains("+++ b/.env") && repair.contains("+API_URL=http://localhost"), "{repair}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_built_for_a_path_is_served_under_it() {
    if !sandbox_is_there() {
        return;
    }
    let build = BUNDLER.replace("src=/app.js", "src=\"/my/app/app.js\"");
    let package = ("package.json", r#"{"scripts": {"build": "node build.config.js"}}"#);
    let (_base, running) = bring_up(&[package, ("build.config.js", &build), ("src/app.js", "let a = 1;")]).await;
    let running = running.unwrap();
    assert_eq!(running.url.path(), "/my/app/");
    assert!(get(&running, "/my/app/").await.1.contains("<p>built</p>"));
    assert!(get(&running, "/my/app/app.js").await.1.contains("let a = 1;"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_out_of_the_output_is_not_followed() {
    if !sandbox_is_there() {
        return;
    }
    let build = format!(
        "{BUNDLER}\nfs.symlinkSync('/etc/passwd', 'dist/passwd.txt'); fs.symlinkSync('/etc', 'dist/etc'); fs.symlinkSync('app.js', 'dist/alias.js')"
    );
    let package = ("package.json", r#"{"scripts": {"build": "node build.config.js"}}"#);
    let (_base, running) = bring_up(&[package, ("build.config.js", &build), ("src/app.js", "let a = 1;")]).await;
    let running = running.unwrap();
    for path in ["/passwd.txt", "/etc/passwd"] {
        assert!(!get(&running, path).await.1.contains("root:"), "{path}");
    }
    assert!(get(&running, "/alias.js").await.1.contains("let a = 1;"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_missing_is_named() {
    if !sandbox_is_there() {
        return;
    }
    let server = r#"{"scripts": {"start": "node server.js"}}"#;
    for (kind, name, code) in [
        ("needs-service", "PostgreSQL", "require('net').connect(5432, '127.0.0.1')"),
        ("needs-service", "MySQL", "require('net').connect(3306, '127.0.0.1')"),
        ("needs-service", "Redis", "require('net').connect(6379, '127.0.0.1')"),
        ("needs-service", "MongoDB", "require('net').connect(27017, '127.0.0.1')"),
        ("needs-service", "PostgreSQL", "require('net').connect(5432, 'postgres')"),
        ("missing-environment", "JWT_SECRET", "if (!process.env.JWT_SECRET) throw new Error('JWT_SECRET is not set')"),
        (
            "missing-environment",
            "SUPABASE_URL",
            "process.env.SUPABASE_URL; throw new Error('supabaseUrl is required.')",
        ),
    ] {
        let (_base, result) = bring_up(&[("package.json", server), ("server.js", code)]).await;
        let failure = failure(result);
        assert_eq!((failure.kind.as_str(), failure.whose), (kind, FailureOwner::App), "{code}: {}", failure.message);
        assert!(failure.message.contains(name), "{code}: {}", failure.message);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_waits_for_its_database_is_told_from_one_that_is_silent() {
    if !sandbox_is_there() {
        return;
    }
    let waits = "const net = require('net'); setInterval(() => net.connect(5432, '127.0.0.1').on('error', (error) => console.error(error)), 300)";
    for (kind, code) in [("needs-service", waits), ("no-answer", "setInterval(() => {}, 1000)")] {
        let files = [("package.json", r#"{"scripts": {"start": "node server.js"}}"#), ("server.js", code)];
        let set = |options: &mut Options| options.limits.start = Duration::from_secs(5);
        let failure = failure(bring_up_with(&files, set).await.1);
        assert_eq!((failure.kind.as_str(), failure.whose), (kind, FailureOwner::App), "{}", failure.message);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_is_found_on_the_port_that_it_insists_on() {
    if !sandbox_is_there() {
        return;
    }
    // Another one may have it on this machine: each app has a network of its own.
    let code = "require('http').createServer((request, response) => response.end('on 3000')).listen(3000);";
    let files = [("package.json", r#"{"scripts": {"start": "node server.js"}}"#), ("server.js", code)];
    let (first, second) = tokio::join!(bring_up(&files), bring_up(&files));
    for (_base, running) in [first, second] {
        let running = running.unwrap();
        assert_eq!(get(&running, "/").await, (200, "on 3000".to_owned()));
        let notes = &running.record.notes;
        assert!(notes.iter().any(|note| note == "it listens on port 3000 whatever PORT says"), "{notes:?}");
    }
}
