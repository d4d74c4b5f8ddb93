//! Pages and processes that misbehave: each ends as an outcome within its limit, and the session goes on.

use std::time::{Duration, Instant};

use webeval_browser::{Driver, DriverOptions, Error, Session, SessionOptions};
use webeval_evidence::{ActionKind, OutcomeStatus};

use crate::site::{Site, click, driver, step};

const PAGE: &str = r#"<title>Bad</title><button id=loop onclick="while(true){}">Loop</button>
<button id=many onclick="for(let i=0;i<10000;i++){alert('again')}">Many</button><button id=good onclick="hit('good')">Good</button>
<button id=slow onclick="for(const t=performance.now();performance.now()-t<1500;){}">Slow</button>
<button id=hungry onclick="for(const all=[];;){all.push(new Array(100000).fill(1))}">Hungry</button>"#;

/// Kills the driver: the process of that name that works in the driver's folder.
async fn kill(driver: &Driver) {
    let folder = driver.folder().await.unwrap();
    let script = format!(
        "for p in /proc/[0-9]*; do grep -qsa 'chromedriver' $p/comm && grep -qsaF '{}' $p/environ && kill -KILL ${{p#/proc/}} && echo killed; done",
        folder.display()
    );
    let killed = tokio::process::Command::new("sh").args(["-c", &script]).output().await.unwrap();
    assert_eq!(String::from_utf8_lossy(&killed.stdout), "killed\n");
}

#[tokio::test]
async fn a_page_that_hangs_or_asks_without_end_is_left_behind() {
    let Some(driver) = driver().await else { return };
    let site = Site::serve(&[("/", PAGE)]).await;
    let mut options = site.options();
    options.limit = Duration::from_secs(3);
    let (mut session, _) = site.open_with(&driver, options).await;
    for name in ["loop", "many"] {
        let start = Instant::now();
        let hung = click(&mut session, name).await;
        assert_eq!(hung.outcome.status, OutcomeStatus::TimedOut, "{name}: {:?}", hung.outcome);
        // Its limit, and a browser that starts anew.
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
        assert_eq!(hung.observation.title, "Bad");
        let good = click(&mut session, "good").await;
        assert_eq!((good.outcome.status, good.observation.deltas.len()), (OutcomeStatus::Performed, 1));
    }
}

#[tokio::test]
async fn a_crash_of_the_page_or_the_death_of_the_driver_is_survived() {
    let Some(driver) = driver().await else { return };
    let site = Site::serve(&[("/", PAGE)]).await;
    let mut options = site.options();
    options.limit = Duration::from_secs(8);
    let (mut session, _) = site.open_with(&driver, options).await;
    let crashed = step(&mut session, ActionKind::Load { url: "chrome://crash".into() }).await;
    assert!(
        matches!(crashed.outcome.status, OutcomeStatus::Crashed | OutcomeStatus::TimedOut),
        "{:?}",
        crashed.outcome
    );
    assert_eq!(crashed.observation.title, "Bad");

    kill(&driver).await;
    let after = click(&mut session, "good").await;
    assert_eq!(after.outcome.status, OutcomeStatus::Crashed, "{:?}", after.outcome);
    assert_eq!(after.observation.title, "Bad");
    assert_eq!(click(&mut session, "good").await.outcome.status, OutcomeStatus::Performed);

    // In the middle of a step: the page is busy, and the driver waits for it.
    let (in_between, ()) = tokio::join!(click(&mut session, "slow"), async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        kill(&driver).await;
    });
    assert_eq!(in_between.outcome.status, OutcomeStatus::Crashed, "{:?}", in_between.outcome);
    assert_eq!(in_between.observation.title, "Bad");
    assert_eq!(click(&mut session, "good").await.outcome.status, OutcomeStatus::Performed);
}

#[tokio::test]
async fn a_page_that_takes_all_memory_is_survived() {
    let Some(driver) = driver().await else { return };
    let site = Site::serve(&[("/", PAGE)]).await;
    let mut options = site.options();
    options.limit = Duration::from_secs(10);
    // A small heap is soon full.
    options.args = vec!["--js-flags=--max-old-space-size=64".to_owned()];
    let (mut session, _) = site.open_with(&driver, options).await;
    let full = click(&mut session, "hungry").await;
    assert!(matches!(full.outcome.status, OutcomeStatus::Crashed | OutcomeStatus::TimedOut), "{:?}", full.outcome);
    assert_eq!(click(&mut session, "good").await.outcome.status, OutcomeStatus::Performed);
}

#[tokio::test]
async fn what_is_missing_is_named() {
    let mut options = DriverOptions::default();
    options.program = "/no/such/chromedriver".into();
    assert!(matches!(Driver::start(&options).await, Err(Error::DriverMissing { .. })));
    if driver().await.is_none() {
        return;
    }
    let mut options = DriverOptions::default();
    options.browser = Some("/no/such/browser".into());
    let driver = Driver::start(&options).await.unwrap();
    let refused = Session::open(&driver, SessionOptions::new("http://127.0.0.1:1")).await;
    assert!(matches!(refused, Err(Error::BrowserMissing { .. } | Error::Session { .. })), "{refused:?}");
}

#[tokio::test]
async fn nothing_is_left_behind() {
    let Some(driver) = driver().await else { return };
    let site = Site::serve(&[("/", PAGE)]).await;
    let (session, _) = site.open(&driver).await;
    let browser = session.environment().browser;
    assert!(browser.starts_with("chrome "), "{browser}");
    let folder = driver.folder().await.unwrap();
    assert!(folder.exists());
    drop(session);
    drop(driver);
    assert!(!folder.exists());
    let folder = folder.display().to_string();
    // A process that was killed is still listed until the system has taken it down.
    for _ in 0..50 {
        if naming(&folder).is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(naming(&folder), Vec::<std::path::PathBuf>::new());
}

/// The processes on whose command line `folder` stands.
fn naming(folder: &str) -> Vec<std::path::PathBuf> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let named = processes.filter_map(|entry| {
        let line = std::fs::read(entry.path().join("cmdline")).ok()?;
        String::from_utf8_lossy(&line).contains(folder).then(|| entry.path())
    });
    named.collect()
}

/// The system hands out a port that is free in one protocol of the internet and may be taken in the other.
#[tokio::test]
async fn a_driver_whose_port_is_taken_is_started_once_more() {
    if driver().await.is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (program, once) = (folder.path().join("chromedriver"), folder.path().join("once"));
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in *--version*) exec chromedriver --version;; esac\n\
         if [ ! -e '{0}' ]; then touch '{0}'; echo 'IPv4 port not available. Exiting...'; exit 1; fi\nexec chromedriver \"$@\"\n",
        once.display()
    );
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mut options = DriverOptions::default();
    options.program = program;
    let started = Driver::start(&options).await.unwrap();
    assert!(once.exists() && started.url().await.starts_with("http://127.0.0.1:"));
}
