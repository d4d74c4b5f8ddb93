//! Apps that are out to do harm, as build and as server command: what they try fails, they are reported, and what runs
//! beside and after them is not affected.

use std::time::{Duration, Instant};

use webeval_deploy::{Error, Options, deploy, locate};
use webeval_evidence::Deployment;

use crate::{sandbox_is_there, text, write};

/// Each does something that must not work, and says `BREACH` when it does.
const CASES: &[(&str, &str)] = &[
    (
        "write to the home of whoever runs it",
        "try { fs.writeFileSync(outside + '/evil', 'x'); console.log('BREACH'); } catch {}",
    ),
    (
        "read a file that only root may",
        "for (const f of ['/etc/shadow', '/root/.ssh/id_rsa', '/root/.npmrc', secret]) try { fs.readFileSync(f); console.log('BREACH ' + f); } catch {}",
    ),
    (
        "write to the system",
        "for (const f of ['/usr/bin/evil', '/etc/evil', '/evil', '/lib/evil', '/dev/evil', '/proc/sys/kernel/core_pattern']) try { fs.writeFileSync(f, 'x'); console.log('BREACH ' + f); } catch {}",
    ),
    (
        "reach the host's loopback",
        "await new Promise(done => { const s = net.connect(port, '127.0.0.1', () => { console.log('BREACH'); done(); }); s.on('error', done); })",
    ),
    (
        "reach the network by address",
        "await new Promise(done => { const s = net.connect({port: 53, host: '1.1.1.1', timeout: 2000}, () => { console.log('BREACH'); done(); }); s.on('error', done); s.on('timeout', done); })",
    ),
    (
        "resolve a name",
        "await new Promise(done => require('dns').lookup('example.com', error => { if (!error) console.log('BREACH'); done(); }))",
    ),
    (
        "send datagrams",
        "await new Promise(done => { const s = require('dgram').createSocket('udp4'); s.send('x', 53, '1.1.1.1', error => { if (!error) console.log('BREACH'); s.close(); done(); }); })",
    ),
    (
        "read the environment of the tool",
        "if (process.env.WEBEVAL_TEST_SECRET || Object.keys(process.env).some(k => /TOKEN|KEY|SECRET|CARGO/.test(k))) console.log('BREACH'); for (const p of fs.readdirSync('/proc').filter(n => /^\\d+$/.test(n))) try { if (/CARGO|WEBEVAL_TEST/.test(fs.readFileSync(`/proc/${p}/environ`, 'utf8'))) console.log('BREACH ' + p); } catch {}",
    ),
    (
        "see or signal processes outside",
        "for (let p = 2; p < 100000; p++) if (p !== process.pid) try { process.kill(p, 0); if (!fs.readFileSync(`/proc/${p}/stat`, 'utf8').length) throw 1; if (/chrom|cargo|it-/.test(fs.readFileSync(`/proc/${p}/comm`, 'utf8'))) console.log('BREACH ' + p); } catch {}",
    ),
    (
        "become root",
        "try { process.setuid(0); if (process.getuid() === 0 && fs.existsSync('/etc/shadow')) console.log('BREACH'); } catch {} try { cp.execSync('su -c true || sudo -n true', {stdio: 'ignore'}); console.log('BREACH'); } catch {}",
    ),
    (
        "mount something",
        "try { cp.execSync('mount -t tmpfs none /tmp', {stdio: 'ignore'}); console.log('BREACH'); } catch {}",
    ),
    (
        "leave a process behind",
        "cp.spawn('sh', ['-c', `trap '' TERM HUP INT; while :; do echo alive >> /app/alive; sleep 0.1; done`], {detached: true, stdio: 'ignore'}).unref()",
    ),
    (
        "replace files of another user's where temporary files are",
        "for (const f of [require('os').homedir(), require('os').tmpdir()]) { const { mode } = fs.statSync(f); if (mode & 0o002 && !(mode & 0o1000)) console.log('BREACH ' + f); }",
    ),
    (
        "make a device",
        "try { cp.execSync('mknod /app/disk b 8 0 && cat /app/disk', {stdio: 'ignore'}); console.log('BREACH'); } catch {}",
    ),
    (
        "lead out by a link",
        "try { fs.symlinkSync(outside, '/app/out'); console.log(fs.readdirSync('/app/out')); console.log('BREACH'); } catch {}",
    ),
];

/// Each uses up something without end: it has to be ended, and the kind of failure says why. The number is the time, in
/// seconds, after which it is ended in any case.
const ENDLESS: &[(&str, &str, &[&str], u64)] = &[
    (
        "fork 10,000 processes",
        "for (let i = 0; i < 10000; i++) try { cp.spawn('sleep', ['60'], {stdio: 'ignore'}).on('error', () => {}) } catch {} setInterval(() => {}, 1000)",
        &["too-many-processes", "timeout"],
        3,
    ),
    (
        "a fork bomb in the shell",
        "cp.spawn('sh', ['-c', 'f() { f | f & }; f; wait'], {stdio: 'ignore'}).on('error', () => {}); setInterval(() => {}, 1000)",
        &["too-many-processes", "no-answer"],
        3,
    ),
    (
        "write one file of 10 GB",
        "const b = Buffer.alloc(1 << 24); const f = fs.openSync('/app/big', 'w'); for (let i = 0; i < 640; i++) fs.writeSync(f, b)",
        &["build", "disk-full"],
        20,
    ),
    (
        "write 10 GB in many files",
        "const b = Buffer.alloc(1 << 23); for (let i = 0; i < 1280; i++) { fs.writeFileSync('/app/f' + i, b); if (i % 8 == 0) await new Promise(r => setTimeout(r, 40)) }",
        &["disk-full"],
        20,
    ),
    (
        "use all memory",
        "const a = []; for (;;) { a.push(Buffer.alloc(1 << 24, 1)); await new Promise(r => setTimeout(r, 10)) }",
        &["out-of-memory"],
        20,
    ),
    ("run for ever", "for (;;);", &["no-answer"], 2),
    (
        "ignore every signal and sleep",
        "for (const s of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(s, () => {}); setInterval(() => {}, 1000)",
        &["timeout"],
        2,
    ),
];

struct Bench {
    base: tempfile::TempDir,
    /// Something of the host that listens.
    listener: std::net::TcpListener,
}

impl Bench {
    fn new() -> Self {
        let base = tempfile::tempdir().unwrap();
        std::fs::create_dir(base.path().join("outside")).unwrap();
        std::fs::write(base.path().join("secret"), "secret").unwrap();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        Self { base, listener }
    }

    fn script(&self, action: &str, then: &str) -> String {
        let port = self.listener.local_addr().unwrap().port();
        let (outside, secret) = (self.base.path().join("outside"), self.base.path().join("secret"));
        format!(
            "const fs = require('fs'), net = require('net'), cp = require('child_process');\n\
             const port = {port}, outside = {outside:?}, secret = {secret:?};\n\
             (async () => {{ {action};\n{then} }})();\n"
        )
    }

    async fn deploy(&self, seconds: u64, name: &str, files: &[(&str, &str)]) -> Result<Deployment, Deployment> {
        let folder = self.base.path().join(name.replace(|c: char| !c.is_alphanumeric(), "-"));
        write(&folder, files);
        match deploy(&locate(text(&folder)).unwrap(), &self.options(seconds)).await {
            Ok(running) => Ok(running.stop().await),
            Err(Error::Undeployable { record }) => Err(*record),
            Err(error) => panic!("{name}: {error}"),
        }
    }

    fn options(&self, seconds: u64) -> Options {
        let mut options = Options::default();
        options.cache = self.base.path().join("cache");
        options.limits.build = Duration::from_secs(seconds);
        options.limits.start = Duration::from_secs(seconds);
        options.limits.memory = 600 << 20;
        options.limits.processes = 200;
        options.limits.file = 64 << 20;
        options.limits.disk = 128 << 20;
        options
    }

    fn check(&self, name: &str, record: &Deployment) {
        let printed: String = record.commands.iter().map(|step| step.tail.as_str()).collect();
        assert!(!printed.contains("BREACH"), "{name}: {printed}");
        assert_eq!(std::fs::read_dir(self.base.path().join("outside")).unwrap().count(), 0, "{name}");
        assert!(self.listener.accept().is_err(), "{name}: it reached the host");
    }
}

const BUILD: &str = r#"{"scripts": {"build": "node evil.js"}}"#;
const SERVER: &str = r#"{"scripts": {"start": "node evil.js"}}"#;
const PAGE: &str = "fs.mkdirSync('dist', {recursive: true}); fs.writeFileSync('dist/index.html', '<p>built</p>'); process.exitCode = 0";
const SERVE: &str = "require('http').createServer((q, r) => r.end('<p>served</p>')).listen(process.env.PORT)";

#[tokio::test(flavor = "multi_thread")]
async fn a_build_cannot_do_harm() {
    if !sandbox_is_there() {
        return;
    }
    let bench = Bench::new();
    for (name, action) in CASES {
        let script = bench.script(action, PAGE);
        let record = bench.deploy(20, name, &[("package.json", BUILD), ("evil.js", &script)]).await;
        let record = record.unwrap_or_else(|record| panic!("{name}: {:?}", record.failure));
        bench.check(name, &record);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_cannot_do_harm() {
    if !sandbox_is_there() {
        return;
    }
    let bench = Bench::new();
    let script = bench.script(&everything(), SERVE);
    let record = bench.deploy(20, "server", &[("package.json", SERVER), ("evil.js", &script)]).await;
    let record = record.unwrap_or_else(|record| panic!("{:?}", record.failure));
    bench.check("server", &record);
    let last = CASES.last().map_or("", |(name, _)| name);
    assert!(record.commands[0].tail.contains(last), "not all was tried: {}", record.commands[0].tail);
}

/// All of [`CASES`], one after the other, each of them named in the output.
fn everything() -> String {
    let one = |(name, action): &(&str, &str)| format!("console.log({name:?}); {{ {action} }}");
    CASES.iter().map(one).collect::<Vec<_>>().join(";\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn what_has_no_end_is_ended_and_named() {
    if !sandbox_is_there() {
        return;
    }
    let bench = Bench::new();
    for (number, (name, action, kinds, seconds)) in ENDLESS.iter().enumerate() {
        // Every other one as a server.
        let package = if number % 2 == 0 { BUILD } else { SERVER };
        let script = bench.script(action, "");
        let began = Instant::now();
        let record = bench.deploy(*seconds, name, &[("package.json", package), ("evil.js", &script)]).await;
        let record = record.expect_err(name);
        bench.check(name, &record);
        let failure = record.failure.unwrap();
        assert!(kinds.contains(&failure.kind.as_str()), "{name}: {failure:?}");
        assert!(began.elapsed() < Duration::from_secs(40), "{name} took {:?}", began.elapsed());
    }
    // The next one is not affected.
    let script = bench.script("", PAGE);
    bench.deploy(20, "good", &[("package.json", BUILD), ("evil.js", &script)]).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gigabyte_of_logs_is_read_and_not_kept() {
    if !sandbox_is_there() {
        return;
    }
    let bench = Bench::new();
    let action =
        "cp.spawnSync('sh', ['-c', 'yes line | head -c 300000000'], {stdio: 'inherit'}); console.log('the end')";
    let script = bench.script(action, PAGE);
    let record = bench.deploy(20, "logs", &[("package.json", BUILD), ("evil.js", &script)]).await.unwrap();
    let tail = &record.commands.last().unwrap().tail;
    assert!(tail.len() < 10_000 && tail.ends_with("the end"), "{}", tail.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_on_another_port_is_found_and_noted() {
    if !sandbox_is_there() {
        return;
    }
    let bench = Bench::new();
    let script = bench.script("", "require('http').createServer((q, r) => r.end('<p>served</p>')).listen(4321)");
    let record = bench.deploy(20, "port", &[("package.json", SERVER), ("evil.js", &script)]).await.unwrap();
    assert!(record.notes.iter().any(|note| note.contains("4321")), "{:?}", record.notes);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_a_server_outlives_it() {
    if !sandbox_is_there() {
        return;
    }
    let bench = Bench::new();
    // A number that no other command line has.
    let mark = format!("3{}.125", std::process::id());
    let action = format!(
        "cp.spawn('sh', ['-c', \"trap '' TERM; sleep {mark}; sleep {mark}\"], {{detached: true, stdio: 'ignore'}}).unref()"
    );
    let script = bench.script(&action, SERVE);
    let folder = bench.base.path().join("app");
    write(&folder, &[("package.json", SERVER), ("evil.js", &script)]);
    let running = deploy(&locate(text(&folder)).unwrap(), &bench.options(20)).await.unwrap();
    // The server may answer before what it has started runs.
    let limit = Instant::now() + Duration::from_secs(5);
    while !is_running(&mark) && Instant::now() < limit {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(is_running(&mark), "the test looks for the wrong thing");
    running.stop().await;
    let limit = Instant::now() + Duration::from_secs(5);
    while is_running(&mark) && Instant::now() < limit {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(!is_running(&mark));
}

fn is_running(mark: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let lines = processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    lines.into_iter().any(|line| {
        let line = String::from_utf8_lossy(&line).into_owned();
        line.starts_with("sleep") && line.contains(mark)
    })
}

/// Packages whose install scripts do the same.
#[tokio::test(flavor = "multi_thread")]
async fn install_scripts_run_only_when_asked_for_and_cannot_do_harm() {
    if !sandbox_is_there() {
        return;
    }
    let bench = Bench::new();
    let script = bench.script(&everything(), "fs.writeFileSync(__dirname + '/ran', 'x')");
    let folder = bench.base.path().join("app");
    let package = r#"{"scripts": {"build": "node build.js"}, "dependencies": {"evil": "file:./evil.tgz"}}"#;
    let build = "const fs = require('fs'); fs.mkdirSync('dist'); \
                 fs.writeFileSync('dist/index.html', String(fs.existsSync('node_modules/evil/ran')))";
    let evil = r#"{"name": "evil", "version": "1.0.0", "scripts": {"install": "node index.js"}}"#;
    write(&folder, &[("package.json", package), ("build.js", build)]);
    let mut tar = tar::Builder::new(flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast()));
    for (name, content) in [("package/package.json", evil), ("package/index.js", script.as_str())] {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, name, content.as_bytes()).unwrap();
    }
    std::fs::write(folder.join("evil.tgz"), tar.into_inner().unwrap().finish().unwrap()).unwrap();
    for scripts in [false, true] {
        let mut options = bench.options(20);
        options.limits.build = Duration::from_secs(60);
        options.limits.memory = 2 << 30;
        options.scripts = scripts;
        let running = deploy(&locate(text(&folder)).unwrap(), &options)
            .await
            .unwrap_or_else(|error| panic!("{error}: {error:?}"));
        let page = reqwest::get(running.url.clone()).await.unwrap().text().await.unwrap();
        assert_eq!(page, scripts.to_string(), "{:?}", running.record.commands);
        bench.check("install script", &running.stop().await);
    }
}
