//! Actions and what comes of them.

use webeval_browser::DialogPolicy;
use webeval_evidence::{ActionKind, Effect, OutcomeStatus, Point};

use crate::site::{Site, click, driver, id, on, step, text};

const PAGE: &str = r#"<title>Act</title>
<style>body{margin:0} .box{width:80px;height:40px;background:#ddd;margin:4px} #cover{position:fixed;left:0;top:0;width:90px;height:50px;background:#fffa}</style>
<div style="height:60px"></div>
<input id=name><input id=day type=date><input id=tick type=checkbox><select id=pick><option value=a>A<option value=b>B</select>
<textarea id=area></textarea><input id=file type=file>
<div class=box id=pad>pad</div><div class=box id=from draggable=true>from</div><div class=box id=onto>onto</div>
<button id=off disabled>Off</button>
<p id=log></p>
<div style="height:2000px"></div><button id=far>Far</button>
<script nonce=n>
const say = (what) => { log.textContent += what + ";"; };
for (const type of ["click", "dblclick", "contextmenu", "mouseenter", "touchstart", "pointerdown"]) pad.addEventListener(type, (e) => say(type + (e.isTrusted ? "" : "!")));
document.getElementById("name").addEventListener("input", (e) => say("in:" + e.target.value));
day.addEventListener("change", () => say("day:" + day.value));
tick.addEventListener("change", () => say("tick:" + tick.checked));
pick.addEventListener("change", () => say("pick:" + pick.value));
file.addEventListener("change", () => say("file:" + file.files[0].name + ":" + file.files[0].size));
area.addEventListener("keydown", (e) => { if (e.key === "z" && e.ctrlKey) say("undo"); });
let down = 0;
document.addEventListener("keydown", (e) => { if (e.key === "ArrowLeft") down = performance.now(); });
document.addEventListener("keyup", (e) => { if (e.key === "ArrowLeft") say("held:" + (performance.now() - down >= 250)); });
from.addEventListener("dragstart", (e) => { e.dataTransfer.setData("text/plain", "x"); say("dragstart"); });
onto.addEventListener("dragover", (e) => e.preventDefault());
onto.addEventListener("drop", (e) => say("drop:" + e.dataTransfer.getData("text/plain")));
far.onclick = () => say("far");
addEventListener("wheel", () => say("wheel"), { once: true });
addEventListener("resize", () => say("size:" + innerWidth));
addEventListener("blur", () => say("blur"));
document.addEventListener("visibilitychange", () => say(document.visibilityState));
let repeats = 0;
document.addEventListener("keydown", (e) => { if (e.code === "ArrowUp") e.repeat ? repeats++ : say("up"); });
document.addEventListener("keyup", (e) => { if (e.code === "ArrowUp") say("let go " + (repeats >= 2 && repeats <= 12)); });
</script>"#;

#[tokio::test]
async fn every_kind_of_input_reaches_the_page_as_a_user_makes_it() {
    let Some(driver) = driver().await else { return };
    let site = Site::serve(&[("/", PAGE)]).await;
    let (mut session, _) = site.open(&driver).await;
    let mut done = Vec::new();
    let pad = || id("pad");
    for (target, kind) in [
        (Some(pad()), ActionKind::Hover { at: None }),
        (Some(pad()), ActionKind::Click { at: None }),
        (Some(pad()), ActionKind::DoubleClick { at: None }),
        (Some(pad()), ActionKind::RightClick { at: None }),
        (Some(pad()), ActionKind::Touch { at: None }),
        (Some(id("name")), ActionKind::Type { text: "ab".into() }),
        (Some(id("name")), ActionKind::Type { text: "c".into() }),
        (Some(id("name")), ActionKind::Clear),
        (Some(id("day")), ActionKind::Type { text: "2024-06-15".into() }),
        (Some(id("tick")), ActionKind::Check { checked: true }),
        (Some(id("tick")), ActionKind::Check { checked: true }),
        (Some(id("pick")), ActionKind::Select { values: vec!["b".into()] }),
        (Some(id("file")), ActionKind::Upload { files: vec!["note.txt".into()] }),
        (Some(id("area")), ActionKind::Key { key: "Control+z".into(), hold_ms: 0 }),
        (None, ActionKind::Key { key: "ArrowLeft".into(), hold_ms: 300 }),
        (None, ActionKind::Key { key: "ArrowUp".into(), hold_ms: 900 }),
        (Some(id("from")), ActionKind::Drag { onto: Some(id("onto")), to: None }),
        (None, ActionKind::Scroll { dx: 0, dy: 50 }),
        (Some(id("far")), ActionKind::Click { at: None }),
        (None, ActionKind::Resize { width: 700, height: 600 }),
        (None, ActionKind::Click { at: Some(Point { x: 300.0, y: 20.0 }) }),
        (None, ActionKind::LookAway { ms: 50 }),
    ] {
        let stepped = session.step(&webeval_evidence::Action { kind: kind.clone(), target }).await.unwrap();
        assert_eq!(stepped.outcome.status, OutcomeStatus::Performed, "{kind:?}: {:?}", stepped.outcome);
        done.push(stepped);
    }
    let log = text(&mut session, "log").await;
    let wanted = "mouseenter;pointerdown;click;pointerdown;click;pointerdown;click;dblclick;pointerdown;contextmenu;\
        pointerdown;touchstart;click;in:a;in:ab;in:c;in:;day:2024-06-15;tick:true;pick:b;file:note.txt:38;undo;held:true;\
        up;let go true;dragstart;drop:x;wheel;far;size:700;blur;hidden;visible;";
    // A tap makes the emulated mouse leave or enter, and on a machine that is slow at it counts as a long press: the
    // browser's own affair. What Control+z undoes, too.
    let log = log
        .replace("mouseenter;", "")
        .replace("touchstart;contextmenu;", "touchstart;")
        .replace("in:c;undo", "undo")
        .replace("undo;in:c;", "undo;");
    assert_eq!(log, wanted.replace("mouseenter;", ""));
    assert_eq!(done[19].observation.viewport, (700, 600));
    assert_eq!(done[21].observation.viewport, (700, 600));
}

#[tokio::test]
async fn what_a_user_could_not_do_is_not_done() {
    let Some(driver) = driver().await else { return };
    let site = Site::serve(&[("/", r#"<style>body{margin:0}#under{position:absolute;left:10px;top:10px}
        #lid{position:fixed;inset:0;background:#0003}</style><button id=under onclick="hit('x')">Under</button><div id=lid>Lid</div>
        <button id=gone>Gone</button><div id=flat style="height:0"></div>"#)]).await;
    let (mut session, page) = site.open(&driver).await;
    let covered = click(&mut session, "under").await;
    assert_eq!(covered.outcome.status, OutcomeStatus::Blocked);
    assert_eq!(covered.outcome.detail.as_deref(), Some("covered by div#lid \"Lid\""));
    assert!(covered.observation.deltas.is_empty());
    let gone = page.nodes.iter().find(|node| node.name == "Gone").unwrap().target();
    session.evaluate("document.getElementById('gone').remove()", &[]).await.unwrap();
    assert_eq!(on(&mut session, gone, ActionKind::Click { at: None }).await.outcome.status, OutcomeStatus::Stale);
    assert_eq!(click(&mut session, "flat").await.outcome.status, OutcomeStatus::Blocked);
    // The page cannot be scrolled by a user, so neither is it here.
    session
        .evaluate(
            "document.body.style.overflow = 'hidden'; document.getElementById('lid').remove();\
        document.body.insertAdjacentHTML('beforeend', '<div style=height:3000px></div><button id=deep>Deep</button>')",
            &[],
        )
        .await
        .unwrap();
    let deep = click(&mut session, "deep").await;
    assert_eq!(deep.outcome.detail.as_deref(), Some("it lies outside the viewport"));
    assert_eq!((deep.outcome.status, deep.observation.scroll.y), (OutcomeStatus::Blocked, 0.0));
    for kind in [
        ActionKind::Key { key: "NoKey".into(), hold_ms: 0 },
        ActionKind::SwitchTab { index: 7 },
        ActionKind::Click { at: None },
    ] {
        assert_eq!(step(&mut session, kind.clone()).await.outcome.status, OutcomeStatus::Invalid, "{kind:?}");
    }
}

#[tokio::test]
async fn dialogs_are_answered_in_turn_and_told() {
    let Some(driver) = driver().await else { return };
    let site = Site::serve(&[("/", r#"<button id=ask>Ask</button><p id=log></p><script nonce=n>
        ask.onclick = () => { alert("hello"); log.textContent += confirm("sure?") + "," + prompt("Your name?", "nobody") + ";"; };
        </script>"#)]).await;
    let (mut session, _) = site.open(&driver).await;
    let told = |stepped: webeval_browser::Stepped| {
        stepped
            .outcome
            .effects
            .into_iter()
            .map(|effect| match effect {
                Effect::Dialog { kind, message, accepted } => format!("{kind} {message} {accepted}"),
                other => format!("{other:?}"),
            })
            .collect::<Vec<_>>()
    };
    let first = told(click(&mut session, "ask").await);
    assert_eq!(first, ["alert hello true", "confirm sure? true", "prompt Your name? true"]);
    let second = told(click(&mut session, "ask").await);
    assert_eq!(second, ["alert hello false", "confirm sure? false", "prompt Your name? false"]);
    assert_eq!(text(&mut session, "log").await, "true,Sample;false,null;");
}

#[tokio::test]
async fn a_dialog_can_be_left_to_the_tester() {
    let Some(driver) = driver().await else { return };
    let page = r#"<button id=ask>Ask</button><p id=log></p><script nonce=n>ask.onclick = () => { log.textContent = prompt("Name?"); };</script>"#;
    let site = Site::serve(&[("/", page)]).await;
    let mut options = site.options();
    options.dialogs = DialogPolicy::Leave;
    let (mut session, _) = site.open_with(&driver, options).await;
    let asked = click(&mut session, "ask").await;
    assert_eq!(asked.observation.dialog.unwrap().message, "Name?");
    let early = click(&mut session, "ask").await;
    assert_eq!((early.outcome.status, early.observation.dialog.is_some()), (OutcomeStatus::Invalid, true));
    let answer = ActionKind::AnswerDialog { accept: true, text: Some("Ada".into()) };
    let answered = step(&mut session, answer).await;
    let told = Effect::Dialog { kind: "prompt".into(), message: "Name?".into(), accepted: true };
    assert_eq!((answered.outcome.effects, answered.observation.dialog), (vec![told], None));
    assert_eq!(text(&mut session, "log").await, "Ada");
}

#[tokio::test]
async fn what_is_downloaded_is_told_with_the_step_that_asked_for_it() {
    let Some(driver) = driver().await else { return };
    let page = r#"<a id=file download=note.txt href="data:text/plain,hello">File</a><button id=made>Made</button><button id=none>None</button>
        <script nonce=n>made.onclick = () => {
          const link = document.createElement("a");
          link.download = "table.csv";
          link.href = URL.createObjectURL(new Blob(["a,b"]));
          link.click();
        };</script>"#;
    let site = Site::serve(&[("/", page)]).await;
    let (mut session, _) = site.open(&driver).await;
    for (button, wanted) in [("file", Some("note.txt")), ("none", None), ("made", Some("table.csv")), ("none", None)] {
        let stepped = click(&mut session, button).await;
        let wanted: Vec<Effect> = wanted.iter().map(|name| Effect::Download { name: (*name).into() }).collect();
        assert_eq!((stepped.outcome.status, stepped.outcome.effects), (OutcomeStatus::Performed, wanted), "{button}");
    }
}
