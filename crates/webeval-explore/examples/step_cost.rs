//! What a step costs: medians over many steps on a static page with some 20,000 counters.
//!
//! `step_cost [STEPS]` prints milliseconds of the whole step without and with a screenshot, of our own work, and of
//! reading the coverage in the page.

use std::fmt::Write;

use axum::Router;
use axum::response::Html;
use axum::routing::get;
use webeval_browser::{Driver, DriverOptions, Session, SessionOptions};
use webeval_evidence::{Action, ActionKind, AppSource, RunDir, RunRecord, Settings, Target};
use webeval_explore::{App, Cancel, Cast, Decision, Error, Options, Situation, Tester, Waiting, explore};
use webeval_instrument::coverage::{COLLECT_DELTA, CoverageMap};
use webeval_instrument::{Options as Counting, instrument};

/// Clicks the same button all the time.
#[derive(Debug, Default)]
struct Clicker {
    counted: Vec<f64>,
}

impl Tester for Clicker {
    fn name(&self) -> String {
        "clicker".to_owned()
    }

    fn decide<'a>(&'a mut self, situation: Situation<'a>) -> Waiting<'a, Result<Decision, Error>> {
        self.counted.push(situation.page.counted_ms);
        let target = Target { selector: "#go".to_owned(), ..Target::default() };
        let action = Action { kind: ActionKind::Click { at: None }, target: Some(target) };
        Box::pin(async move { Ok(Decision { action, reason: Some("to measure".to_owned()) }) })
    }

    fn summarize<'a>(&'a mut self, _: Situation<'a>) -> Waiting<'a, Result<webeval_evidence::Summary, Error>> {
        Box::pin(async { Ok(webeval_evidence::Summary::default()) })
    }
}

fn page() -> String {
    let mut script = String::from("let turn = 0;\nconst all = [];\n");
    for function in 0..200 {
        writeln!(script, "all.push(() => {{ let x = {function};").unwrap_or_default();
        for _ in 0..98 {
            script.push_str("  x += 1;\n");
        }
        script.push_str("});\n");
    }
    script.push_str("go.onclick = () => { all[turn++ % all.length](); };\n");
    let rows = "<p>Some <b>text</b> of a page</p>".repeat(60);
    format!("<!DOCTYPE html><title>Cost</title><button id=go>Go</button>{rows}<script>{script}</script>")
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let steps = std::env::args().nth(1).map_or(Ok(100), |text| text.parse())?;
    let done = instrument(&page(), "index.html", &Counting::default())?;
    let counters = done.coverage.counters();
    let coverage: CoverageMap = [done.coverage].into_iter().collect();
    let code = done.code;
    let router = Router::new().route("/", get(move || async move { Html(code) }));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let mut options = SessionOptions::new(format!("http://{}", listener.local_addr()?));
    options.collect = Some(COLLECT_DELTA.to_owned());
    tokio::spawn(async move { axum::serve(listener, router).await });

    let driver = Driver::start(&DriverOptions::default()).await?;
    println!("{counters} counters, {steps} steps; medians in milliseconds (p99)");
    println!(
        "{:<12} {:>8} {:>8} {:>8} {:>8} {:>8} {:>9} {:>9}",
        "screenshot", "step", "act", "settle", "observe", "picture", "own", "coverage"
    );
    for screenshots in [false, true] {
        let mut session = Session::open(&driver, options.clone()).await?;
        let root = tempfile::tempdir()?;
        let record = RunRecord::new(AppSource::HtmlFile { path: "index.html".to_owned() }, None, Settings::default());
        let dir = RunDir::create(root.path().join("run"), &record)?;
        let mut exploring = Options::default();
        exploring.steps = steps;
        exploring.screenshots = screenshots;
        let app = App { entry: "/".to_owned(), coverage: Some(coverage.clone()) };
        let mut tester = Clicker::default();
        let cast = Cast { tester: &mut tester, advisor: None, probes: Vec::new() };
        explore(&mut session, &app, &dir, &exploring, cast, &mut (), &Cancel::never()).await?;
        let timings: Vec<_> = dir.trace()?.steps.iter().skip(1).map(|step| step.timings).collect();
        let of = |part: fn(&webeval_evidence::Timings) -> f64| median(timings.iter().map(part).collect());
        let mut own: Vec<f64> = timings.iter().map(|timing| timing.own).collect();
        own.sort_by(f64::total_cmp);
        let worst = own.get(own.len() * 99 / 100).copied().unwrap_or_default();
        println!(
            "{screenshots:<12} {:>8.1} {:>8.1} {:>8.1} {:>8.1} {:>8.1} {:>4.1} ({worst:.1}) {:>6.2}",
            of(|timing| timing.total),
            of(|timing| timing.act),
            of(|timing| timing.settle),
            of(|timing| timing.observe),
            of(|timing| timing.screenshot),
            of(|timing| timing.own),
            median(tester.counted.clone()),
        );
    }
    Ok(())
}
