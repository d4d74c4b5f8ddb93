//! The same seed makes the same trace of a deterministic app.

use webeval_browser::{Driver, Session, SessionOptions};
use webeval_evidence::{Step, Timings};
use webeval_explore::{App, BuiltIn, Cancel, Cast, Options, explore};
use webeval_instrument::coverage::COLLECT_DELTA;

use crate::site::{Site, driver, run_dir};

const PAGE: &str = r#"<!DOCTYPE html><title>Same</title>
<form id=f><input name=email type=email required><input name=age type=number min=1 max=120><select name=s><option>a<option>b</select><button>Send</button></form>
<a href=second.html>Second</a><button id=ask>Ask</button><ul id=out></ul>
<script>
f.addEventListener("submit", (event) => { event.preventDefault(); const row = document.createElement("li"); row.textContent = f.email.value; out.append(row); });
ask.onclick = () => { if (confirm("Really?")) out.innerHTML = ""; };
</script>"#;

const SECOND: &str = r#"<!DOCTYPE html><title>Second</title><a href=index.html>First</a><button onclick="go()">Go</button>
<script>function go() { document.title = "Gone"; console.log("gone"); }</script>"#;

/// Chance and the date decide what it shows.
const FICKLE: &str = r#"<!DOCTYPE html><title>Fickle</title>
<button id=roll>Roll</button><button id=day>Day</button><ul id=out></ul>
<script>
const say = (text) => { const row = document.createElement("li"); row.textContent = text; out.append(row); };
roll.onclick = () => { const n = Math.floor(Math.random() * 6); say(n); if (n > 2) { const more = document.createElement("button"); more.textContent = "Bonus " + n; more.onclick = () => more.remove(); out.append(more); } };
day.onclick = () => say(new Date().toDateString() + new Date().getTimezoneOffset() + Intl.DateTimeFormat().resolvedOptions().locale);
</script>"#;

/// Everything in it moves by itself: a clock, frames, a transition whose end is heard, chance that timers use up, requests
/// whose answers come in some order, a picture, a canvas.
const LIVELY: &str = r#"<!DOCTYPE html><title>Lively</title>
<style>#bar { width: 10px; height: 10px; transition: width .4s } #bar.long { width: 200px } .new { animation: come 300ms } @keyframes come { from { opacity: 0 } }</style>
<p id=clock></p><p id=frames></p><p id=dice></p><div id=bar></div><canvas id=field width=60 height=60></canvas>
<button id=go>Go</button><button id=load>Load</button><ul id=out></ul>
<script>
const say = (text) => { const row = document.createElement("li"); row.className = "new"; row.textContent = text; row.onanimationend = () => row.dataset.came = performance.now().toFixed(1); out.append(row); };
setInterval(() => { clock.textContent = new Date().toISOString() + " " + performance.now().toFixed(3); }, 40);
setInterval(() => { dice.textContent = Math.floor(Math.random() * 1000); }, 70);
let count = 0; const pen = field.getContext("2d");
const frame = (at) => { frames.textContent = ++count + " " + at.toFixed(2); pen.fillStyle = `rgb(${count % 256} 0 0)`; pen.fillRect(count % 60, 20, 2, 20); requestAnimationFrame(frame); };
requestAnimationFrame(frame);
bar.ontransitionend = (event) => say("moved " + event.timeStamp.toFixed(1) + " " + crypto.randomUUID());
go.onclick = () => bar.classList.toggle("long");
load.onclick = () => {
  for (const name of ["one.json", "two.json", "three.json"]) fetch(name).then((answer) => answer.json()).then((told) => say(told + " " + Date.now()));
  const image = new Image(); image.onload = () => say("picture " + Date.now()); image.src = "dot.svg";
};
addEventListener("keydown", (event) => { if (!event.repeat) say(event.key + " " + count); });
</script>"#;

const DOT: &str = "<svg xmlns='http://www.w3.org/2000/svg' width='5' height='5'/>";

#[tokio::test]
async fn the_same_seed_gives_the_same_trace() {
    let Some(driver) = driver().await else { return };
    same(&driver, &[("index.html", PAGE), ("second.html", SECOND)], None).await;
}

#[tokio::test]
async fn under_the_kit_chance_and_date_are_the_same_too() {
    let Some(driver) = driver().await else { return };
    same(&driver, &[("index.html", FICKLE)], Some(5)).await;
}

#[tokio::test]
async fn under_the_kit_what_moves_by_itself_is_the_same_too() {
    let Some(driver) = driver().await else { return };
    let files = [("index.html", LIVELY), ("one.json", "1"), ("two.json", "2"), ("three.json", "3"), ("dot.svg", DOT)];
    same(&driver, &files, Some(5)).await;
}

/// Explores a site three times, each time on another port, and compares the traces.
async fn same(driver: &Driver, files: &[(&str, &str)], kit: Option<u64>) {
    let mut traces: Vec<Vec<String>> = Vec::new();
    for _ in 0..3 {
        let site = Site::serve(files).await;
        let mut options = SessionOptions::new(&site.origin);
        options.collect = Some(COLLECT_DELTA.to_owned());
        options.offline = true;
        options.deterministic = kit;
        let mut session = Session::open(driver, options).await.unwrap();
        let root = tempfile::tempdir().unwrap();
        let dir = run_dir(&root);
        let app = App { entry: "/index.html".into(), coverage: Some(site.coverage.clone()) };
        let mut options = Options::default();
        options.steps = 18;
        options.screenshots = false;
        let cast = Cast { tester: &mut BuiltIn::new(3), advisor: None, probes: Vec::new() };
        explore(&mut session, &app, &dir, &options, cast, &mut (), &Cancel::never()).await.unwrap();
        // What a snapshot says comes before its name, which only tells that something differs.
        let untimed = |step: Step| {
            let shown = step.snapshot.as_ref().map(|name| dir.load_text(name).unwrap());
            let step = serde_json::to_string(&Step { timings: Timings::default(), ..step }).unwrap();
            format!("{}\n{step}", shown.unwrap_or_default())
        };
        traces.push(dir.trace().unwrap().steps.into_iter().map(untimed).collect());
    }
    // The origin, with its port, is nowhere.
    assert!(traces[0].iter().all(|step| !step.contains("127.0.0.1")));
    for other in &traces[1..] {
        assert_eq!(traces[0].len(), other.len());
        traces[0].iter().zip(other).for_each(|(one, other)| assert_eq!(one, other));
    }
}
