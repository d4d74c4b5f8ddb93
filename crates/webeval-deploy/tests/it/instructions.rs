//! What setup instructions say to run is tried first, and what had to be done beyond them is recorded.

use std::time::Duration;

use webeval_deploy::{Options, Running, deploy, extract, locate};
use webeval_evidence::StepKind;

use crate::{sandbox_is_there, text, write};

async fn up(base: &tempfile::TempDir, given: &str) -> Running {
    let mut options = Options::default();
    options.cache = base.path().join("cache");
    options.limits.build = Duration::from_secs(60);
    options.limits.start = Duration::from_secs(20);
    deploy(&locate(text(&base.path().join(given))).unwrap(), &options).await.unwrap()
}

async fn reply(text: &str) -> (tempfile::TempDir, Running) {
    let base = tempfile::tempdir().unwrap();
    write(base.path(), &[("reply.md", text)]);
    let running = up(&base, "reply.md").await;
    (base, running)
}

async fn page(running: &Running) -> String {
    reqwest::get(running.url.clone()).await.unwrap().text().await.unwrap()
}

/// Commands of a kind that were run, and how they ended.
fn ran(running: &Running, kind: StepKind) -> Vec<(&str, Option<i32>)> {
    let steps = running.record.commands.iter().filter(|step| step.kind == kind);
    steps.map(|step| (step.command.as_str(), step.exit)).collect()
}

fn noted(running: &Running, words: &str) -> bool {
    running.record.notes.iter().any(|note| note.contains(words))
}

/// Writes a page that says what made it.
fn maker(says: &str) -> String {
    format!(
        "require('fs').mkdirSync('dist', {{recursive: true}}); require('fs').writeFileSync('dist/index.html', '{says}');"
    )
}

fn server(says: &str) -> String {
    format!("require('http').createServer((request, response) => response.end('{says}')).listen(process.env.PORT);")
}

#[test]
fn commands_keep_their_folders_and_lose_what_is_unsafe() {
    let reply = extract(
        "```sh\ncd backend\nnpm install && npm start\ncd ../frontend && npm i\n```\n```sh\nnpm run dev\ncd /etc && node a.js\n```\n\
         ```sh\nnpm run build; touch x\nnpm start | tee log\nnode $(which x)\nnpm run a > b\ncurl x | sh\nnode server.js &\nyarn\n```\n",
    );
    assert_eq!(
        reply.commands,
        [
            "cd backend && npm install",
            "cd backend && npm start",
            "cd frontend && npm i",
            "npm run dev",
            "node a.js",
            "yarn"
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_build_that_they_name_is_run() {
    if !sandbox_is_there() {
        return;
    }
    let scripts = r#"{"scripts": {"build": "node usual.config.js", "build:prod": "node prod.config.js"}}"#;
    let files = format!(
        "`package.json`\n```json\n{scripts}\n```\n`usual.config.js`\n```js\n{}\n```\n`prod.config.js`\n```js\n{}\n```\n\
         `src/app.js`\n```js\nlet a = 1;\n```\n",
        maker("usual"),
        maker("prod")
    );
    let (_base, running) = reply(&format!("{files}Then:\n```sh\ncd my-app\nnpm run build:prod\n```\n")).await;
    assert_eq!(page(&running).await, "prod");
    assert_eq!(ran(&running, StepKind::Build), [("npm run build:prod", Some(0))]);
    assert!(!noted(&running, "beyond what its instructions say"), "{:?}", running.record.notes);

    // One that fails stays in the record, and what is detected decides.
    let (_base, running) = reply(&format!("{files}Then run `npm run build:all`.\n")).await;
    assert_eq!(page(&running).await, "usual");
    let built = ran(&running, StepKind::Build);
    assert_eq!(built, [("npm run build:all", Some(1)), ("node usual.config.js", Some(0))]);
    assert!(noted(&running, "`npm run build:all`, which its instructions say to run, does not build it"));

    // None at all.
    let (_base, running) = reply(&format!("{files}Run `npm install` first.\n")).await;
    assert!(
        noted(&running, "done beyond what its instructions say: node usual.config.js"),
        "{:?}",
        running.record.notes
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_that_they_name_is_started() {
    if !sandbox_is_there() {
        return;
    }
    let files = format!(
        "`package.json`\n```json\n{{\"scripts\": {{\"start\": \"node old.js\"}}}}\n```\n`old.js`\n```js\n{}\n```\n`new.js`\n```js\n{}\n```\n",
        server("old"),
        server("new")
    );
    let (_base, running) = reply(&format!("{files}```bash\nnode new.js\n```\n")).await;
    assert_eq!(page(&running).await, "new");
    let (_base, running) = reply(&format!("{files}```bash\nnode lacking.js\n```\n")).await;
    assert_eq!(page(&running).await, "old");
    assert_eq!(ran(&running, StepKind::Serve), [("node lacking.js", Some(1)), ("npm start", None)]);
    assert!(noted(&running, "`node lacking.js`, which its instructions say to run, is not what serves it"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_of_a_front_end_serves_it_when_it_shows_its_page() {
    if !sandbox_is_there() {
        return;
    }
    let package = |start: &str| {
        format!(
            r#"{{"scripts": {{"start": "{start}", "build": "node vite/vite.js"}}, "devDependencies": {{"vite": "file:./vite"}}}}"#
        )
    };
    let shows = "const fs = require('fs'); require('http').createServer((request, response) =>
  response.end(request.url === '/api' ? 'api' : fs.readFileSync('dist/index.html'))).listen(process.env.PORT);";
    let api_only = "require('http').createServer((request, response) => { response.statusCode = 404; response.end(); }).listen(process.env.PORT);";
    for (start, own_server) in [("NODE_ENV=production node shows.js", true), ("node api.js", false)] {
        let base = tempfile::tempdir().unwrap();
        let (package, build) = (package(start), maker("built"));
        let files = [
            ("app/package.json", package.as_str()),
            ("app/vite/package.json", r#"{"name": "vite", "version": "1.0.0"}"#),
            ("app/vite/vite.js", build.as_str()),
            ("app/vite.config.js", ""),
            ("app/shows.js", shows),
            ("app/api.js", api_only),
            ("app/src/app.js", "let a = 1;"),
        ];
        write(base.path(), &files);
        let running = up(&base, "app").await;
        assert_eq!(page(&running).await, "built", "{start}");
        let api = reqwest::get(format!("{}/api", running.origin())).await.unwrap().text().await.unwrap();
        assert_eq!(api == "api", own_server, "{start}");
        let left = noted(&running, "`npm start`, which its start script says to run, is not what serves it");
        assert_eq!(left, !own_server, "{:?}", running.record.notes);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_development_server_is_noted_and_a_build_is_served() {
    if !sandbox_is_there() {
        return;
    }
    let base = tempfile::tempdir().unwrap();
    let package =
        r#"{"scripts": {"dev": "vite", "build": "node vite/vite.js"}, "devDependencies": {"vite": "file:./vite"}}"#;
    let files = [
        ("app/README.md", "# App\n\n```bash\nnpm install\nnpm run dev\n```\nor `npm install some-other-thing`\n"),
        ("app/package.json", package),
        ("app/vite/package.json", r#"{"name": "vite", "version": "1.0.0"}"#),
        ("app/vite/vite.js", &maker("built")),
        ("app/src/app.js", "let a = 1;"),
    ];
    write(base.path(), &files);
    let running = up(&base, "app").await;
    assert_eq!(page(&running).await, "built");
    assert!(
        noted(&running, "its README's instructions say to run: npm install; npm run dev"),
        "{:?}",
        running.record.notes
    );
    assert!(noted(&running, "`npm run dev` starts a development server; what is measured is a production build"));
    assert_eq!(ran(&running, StepKind::Install), [("npm install", Some(0))]);
}
