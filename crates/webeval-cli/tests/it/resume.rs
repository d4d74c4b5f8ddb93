//! Interrupted and killed runs go on from where they were.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use webeval_evidence::{RunDir, Stage, StageStatus};

use crate::command::{app, browser_is_there, outcome, webeval};

/// Starts a run and waits until a few steps are recorded.
fn begun(out: &Path) -> Child {
    let mut command = webeval();
    command
        .arg("run")
        .arg(app("todo"))
        .args(["--steps", "60", "--out"])
        .arg(out)
        .stderr(Stdio::piped())
        .stdout(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut progress = BufReader::new(child.stderr.take().unwrap()).lines();
    let trace = out.join("trace.jsonl");
    while std::fs::read_to_string(&trace).map_or(0, |text| text.lines().count()) < 5 {
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert!(child.try_wait().unwrap().is_none(), "it ended early: {:?}", progress.next());
    }
    // The pipe is read on, so that the command never waits for it.
    std::thread::spawn(move || progress.for_each(drop));
    child
}

fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([format!("-{name}"), child.id().to_string()]).status().unwrap().success());
}

/// Goes on with the run, and checks that every step is there exactly once.
fn finish(out: &Path) -> RunDir {
    let before = RunDir::open(out).unwrap().trace().unwrap();
    assert!(before.summary.is_none());
    let mut command = webeval();
    command.arg("run").arg(app("todo")).args(["--steps", "60", "--resume", "--out"]).arg(out);
    let (code, _, stderr) = outcome(&mut command);
    assert_eq!(code, 0, "{stderr}");
    let run = RunDir::open(out).unwrap();
    let after = run.trace().unwrap();
    assert_eq!(after.steps[..before.steps.len()], before.steps[..], "recorded steps changed");
    let numbers: Vec<u32> = after.steps.iter().map(|step| step.index).collect();
    assert_eq!(numbers, (0..after.steps.len() as u32).collect::<Vec<_>>(), "a step is lost or doubled");
    assert!(after.summary.is_some());
    let covered = |step: &webeval_evidence::Step| step.coverage.unwrap().after.statements.covered;
    assert!(after.steps.windows(2).all(|pair| covered(&pair[0]) <= covered(&pair[1])), "coverage was forgotten");
    run
}

#[test]
fn ctrl_c_leaves_a_run_that_can_be_gone_on_with() {
    if !browser_is_there() {
        return;
    }
    let base = tempfile::tempdir().unwrap();
    let out = base.path().join("run");
    let mut child = begun(&out);
    signal(&child, "INT");
    assert_eq!(child.wait().unwrap().code(), Some(1));
    let record = RunDir::open(&out).unwrap().run().unwrap();
    assert_eq!(record.stages[&Stage::Explore].status, StageStatus::Interrupted);
    finish(&out);
}

#[test]
fn a_killed_run_leaves_no_browser_and_can_be_gone_on_with() {
    if !browser_is_there() {
        return;
    }
    let base = tempfile::tempdir().unwrap();
    let out = base.path().join("run");
    let mut child = begun(&out);
    let driver = children(child.id(), "chromedriver");
    assert_eq!(driver.len(), 1, "one driver is running");
    signal(&child, "KILL");
    child.wait().unwrap();
    for _ in 0..100 {
        if !Path::new("/proc").join(driver[0].to_string()).exists() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    assert!(!Path::new("/proc").join(driver[0].to_string()).exists(), "the driver outlives the command");
    finish(&out);
}

/// A click fills the page with noise, whose screenshot is far larger than that of the plain page.
const NOISY: &str = r#"<!DOCTYPE html><title>Noise</title><button id=noise>Noise</button><canvas id=paint width=700 height=600></canvas>
<script>
document.getElementById("noise").onclick = () => {
  const context = paint.getContext("2d"), image = context.createImageData(700, 600);
  let x = 1;
  for (let i = 0; i < image.data.length; i++) {
    x ^= x << 13; x ^= x >>> 17; x ^= x << 5;
    image.data[i] = i % 4 === 3 ? 255 : x & 255;
  }
  context.putImageData(image, 0, 0);
};
</script>"#;

/// A process that ends with the test, however that ends.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_disk_that_is_full_loses_no_recorded_step() {
    if !browser_is_there() {
        return;
    }
    let base = tempfile::tempdir().unwrap();
    let (folder, out) = (base.path().join("app"), base.path().join("run"));
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("index.html"), NOISY).unwrap();
    // A limit on the size of a file refuses the large screenshot as a full disk would. The browser must not be under it.
    let mut driver = Ended(
        Command::new("chromedriver").arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap(),
    );
    let port = BufReader::new(driver.0.stdout.take().unwrap()).lines().map_while(Result::ok).find_map(|line| {
        let rest = line.split_once("started successfully on port ")?.1;
        Some(rest.trim_end_matches('.').to_owned())
    });
    let url = format!("http://127.0.0.1:{}/", port.unwrap());
    let program = webeval().get_program().to_owned();
    let mut limited = Command::new("sh");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 300; exec \"$0\" \"$@\""]).arg(program);
    limited.arg("run").arg(&folder).args(["--steps", "12", "--webdriver", &url, "--out"]).arg(&out);
    let (code, _, stderr) = outcome(&mut limited);
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("screenshots/"), "what could not be written is named: {stderr}");
    let before = RunDir::open(&out).unwrap().trace().unwrap();
    assert!(!before.steps.is_empty() && before.summary.is_none());

    let mut command = webeval();
    command.arg("run").arg(&folder).args(["--steps", "12", "--resume", "--webdriver", &url, "--out"]).arg(&out);
    let (code, _, stderr) = outcome(&mut command);
    assert_eq!(code, 0, "{stderr}");
    let after = RunDir::open(&out).unwrap().trace().unwrap();
    assert_eq!(after.steps[..before.steps.len()], before.steps[..], "recorded steps changed");
    let numbers: Vec<u32> = after.steps.iter().map(|step| step.index).collect();
    assert_eq!(numbers, (0..after.steps.len() as u32).collect::<Vec<_>>());
}

/// Processes below `root` whose program has this name.
fn children(root: u32, name: &str) -> Vec<u32> {
    let listed = Command::new("ps").args(["-e", "-o", "pid=,ppid=,comm="]).output().unwrap();
    let text = String::from_utf8_lossy(&listed.stdout).into_owned();
    let rows: Vec<(u32, u32, String)> = text
        .lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?, words.next()?.to_owned()))
        })
        .collect();
    let mut below = vec![root];
    let mut at = 0;
    while at < below.len() {
        let parent = below[at];
        below.extend(rows.iter().filter(|row| row.1 == parent).map(|row| row.0));
        at += 1;
    }
    rows.iter()
        .filter(|(pid, _, command)| below.contains(pid) && command.starts_with(name))
        .map(|(pid, _, _)| *pid)
        .collect()
}
