//! The determinism kit's clock: the page's time moves by what it is given, and everything in the page goes by it.

use webeval_evidence::ActionKind;

use crate::site::{Site, click, driver, step, text};

/// Notes what happens, with the milliseconds since the document began.
const NOTES: &str = r#"<ul id=notes></ul><script nonce=n>
    const lines = []; const start = Date.now();
    function note(what) { lines.push(`${what} ${Date.now() - start}`); document.getElementById("notes").textContent = lines.join("; "); }
</script>"#;

fn page(rest: &str) -> String {
    format!("{NOTES}{rest}")
}

#[tokio::test]
async fn timers_fire_in_their_order_at_their_time() {
    let Some(driver) = driver().await else { return };
    let page = page(
        r#"<script nonce=n>
        setTimeout(() => note("second"), 20);
        setTimeout(() => { note("first"); Promise.resolve().then(() => note("microtask")); }, 10);
        setTimeout(() => note("sibling"), 10);
        setTimeout("note('string')", 30);
        setTimeout((a, b) => note(a + b), 40, "arg", "uments");
        clearTimeout(setTimeout(() => note("never"), 15));
        let ticks = 0;
        const interval = setInterval(() => { note("tick"); if (++ticks === 3) clearInterval(interval); }, 100);
        AbortSignal.timeout(350).onabort = (event) => note(event.target.reason.name);
        const nested = (depth) => setTimeout(() => depth < 7 ? nested(depth + 1) : note("nested"), 0);
        setTimeout(() => nested(1), 400);
        setTimeout(() => { throw new Error("in a timer"); }, 450);
        requestIdleCallback((deadline) => note("idle " + (deadline.timeRemaining() > 0)));
        </script>"#,
    );
    let site = Site::serve(&[("/", &page)]).await;
    let mut options = site.options();
    options.deterministic = Some(1);
    let (mut session, first) = site.open_with(&driver, options).await;
    let last = step(&mut session, ActionKind::Wait { ms: 1000 }).await.observation;
    // Of the eight nested ones (the outermost counts) five come at once, then one every four milliseconds, as in Chromium.
    assert_eq!(
        text(&mut session, "notes").await,
        "idle true 1; first 10; microtask 10; sibling 10; second 20; string 30; arguments 40; tick 100; tick 200; \
         tick 300; TimeoutError 350; nested 412"
    );
    let errors = [first.errors, last.errors].concat();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0].message.contains("in a timer"));
}

#[tokio::test]
async fn time_stands_still_between_steps_and_frames_come_sixty_times_a_second() {
    let Some(driver) = driver().await else { return };
    let page = page(
        r#"<button id=go>Go</button><script nonce=n>
        const stamps = []; const frame = (stamp) => { stamps.push([stamp, performance.now()]); requestAnimationFrame(frame); };
        go.onclick = (event) => { note("click " + (event.timeStamp === performance.now())); const cancelled = requestAnimationFrame(() => note("never")); cancelAnimationFrame(cancelled); requestAnimationFrame(frame); };
        const wait = (ms) => { const begun = Date.now(); while (Date.now() - begun < ms); return Date.now() - begun; };
        </script>"#,
    );
    let site = Site::serve(&[("/", &page)]).await;
    let mut options = site.options();
    options.deterministic = Some(1);
    let (mut session, _) = site.open_with(&driver, options).await;
    let now = "return [Date.now(), performance.now(), new Date().getTime(), document.timeline.currentTime]";
    let before = session.evaluate(now, &[]).await.unwrap();
    session.screenshot().await.unwrap();
    assert_eq!(session.evaluate(now, &[]).await.unwrap(), before);

    let at = before[1].as_f64().unwrap();
    click(&mut session, "go").await;
    assert!(text(&mut session, "notes").await.starts_with(&format!("click true {at}")));
    let count = "return stamps.length";
    let frames = session.evaluate(count, &[]).await.unwrap().as_u64().unwrap();
    step(&mut session, ActionKind::Key { key: "x".into(), hold_ms: 1000 }).await;
    let held = session.evaluate(count, &[]).await.unwrap().as_u64().unwrap() - frames;
    // A second while the key is down, and what every look gives.
    let looked = held - 60;
    assert!((6..=60).contains(&looked), "{looked}");
    let even = "return stamps.every(([stamp, now], i) => stamp === now && (!i || Math.abs(stamp - stamps[i - 1][0] - 1000 / 60) < 1e-6))";
    assert_eq!(session.evaluate(even, &[]).await.unwrap(), true);

    // Code that waits in a loop gets what it waits for.
    assert!(session.evaluate("return wait(50)", &[]).await.unwrap().as_u64().unwrap() >= 50);
}

#[tokio::test]
async fn animations_and_frames_within_the_page_go_by_the_same_clock() {
    let Some(driver) = driver().await else { return };
    let page = page(
        r#"<style nonce=n>#box { width: 100px; transition: width 2s linear } #box.wide { width: 300px }
        @keyframes fade { to { opacity: 0 } } #old { animation: fade 700ms }</style>
        <div id=box>Box</div><div id=old>Old</div><button id=go>Go</button>
        <iframe srcdoc="<script nonce=n>setInterval(() => parent.note('frame'), 500)</script>"></iframe>
        <script nonce=n>
        old.onanimationend = () => note("animation");
        box.ontransitionend = () => note("transition");
        go.onclick = () => { box.className = "wide"; setTimeout(() => note(getComputedStyle(box).width), 1000); };
        </script>"#,
    );
    let site = Site::serve(&[("/", &page)]).await;
    let mut notes = Vec::new();
    for _ in 0..2 {
        let mut options = site.options();
        options.deterministic = Some(1);
        let (mut session, _) = site.open_with(&driver, options).await;
        step(&mut session, ActionKind::Wait { ms: 1500 }).await;
        let clicked = session.evaluate("return performance.now()", &[]).await.unwrap().as_f64().unwrap();
        click(&mut session, "go").await;
        step(&mut session, ActionKind::Wait { ms: 2500 }).await;
        let told = text(&mut session, "notes").await;
        // Halfway through the transition, halfway between the widths.
        let (half, over) = (clicked + 1000.0, clicked + 2000.0);
        for expected in ["animation 700", &format!("200px {half:.0}"), &format!("transition {over:.0}"), "frame 500; "]
        {
            assert!(told.contains(expected), "{expected}: {told}");
        }
        notes.push(told);
    }
    assert_eq!(notes[0], notes[1]);
}

#[tokio::test]
async fn what_takes_real_time_is_waited_for_before_the_clock_moves() {
    let Some(driver) = driver().await else { return };
    let picture = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>";
    let page = page(&format!(
        r#"<button id=go>Go</button><script nonce=n>
        go.onclick = () => {{
          for (const name of ["/b", "/a", "/c"]) fetch(name).then((answer) => answer.text()).then((body) => note("fetch " + body.slice(-1)));
          const request = new XMLHttpRequest(); request.open("GET", "/d"); request.onload = () => note("xhr"); request.send();
          const image = new Image(); image.onload = () => note("image"); image.src = "{picture}";
          setTimeout(() => note("timer"), 1);
        }};
        </script>"#
    ));
    let site = Site::serve(&[("/", &page), ("/a", "a"), ("/b", "b"), ("/c", "c"), ("/d", "d")]).await;
    let mut options = site.options();
    options.deterministic = Some(1);
    let (mut session, _) = site.open_with(&driver, options).await;
    let at = session.evaluate("return performance.now()", &[]).await.unwrap().as_f64().unwrap();
    click(&mut session, "go").await;
    let told = text(&mut session, "notes").await;
    assert!(told.ends_with(&format!("timer {}", at + 1.0)), "{told}");
    let requests: Vec<&str> =
        told.split("; ").filter(|line| line.starts_with("fetch") || line.starts_with("xhr")).collect();
    let expected = ["fetch b", "fetch a", "fetch c", "xhr"].map(|name| format!("{name} {at}"));
    assert_eq!(requests, expected);
    assert!(told.contains(&format!("image {at}")), "{told}");
}

#[tokio::test]
async fn every_document_begins_at_the_same_moment_and_chance_repeats() {
    let Some(driver) = driver().await else { return };
    let page = page(
        r#"<script nonce=n>document.title = [new Date().toISOString(), new Intl.DateTimeFormat("en", { dateStyle: "short", timeStyle: "medium" }).format(), crypto.randomUUID(), crypto.getRandomValues(new Uint8Array(3)), performance.now(), setTimeout.name, /native code/.test(setTimeout)].join(" ");</script>"#,
    );
    let site = Site::serve(&[("/", &page)]).await;
    let mut options = site.options();
    options.deterministic = Some(1);
    let (mut session, first) = site.open_with(&driver, options).await;
    assert!(first.title.starts_with("2024-06-15T12:00:00.000Z 6/15/24, 12:00:00"), "{}", first.title);
    assert!(first.title.ends_with(" 0 setTimeout true"), "{}", first.title);
    step(&mut session, ActionKind::Wait { ms: 5000 }).await;
    assert_eq!(step(&mut session, ActionKind::Reload).await.observation.title, first.title);
}
