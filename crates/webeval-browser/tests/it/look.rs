//! What an observation holds.

use webeval_browser::{Affordance, Node, NodeState};
use webeval_evidence::{ActionKind, ConsoleLevel, PageErrorKind};

use crate::site::id as by_id;
use crate::site::{Site, click, driver, on, step};

const PAGE: &str = r#"<title>Look</title>
<h1>Heading</h1>
<button id=plain>Plain</button>
<div id=hand style="cursor:pointer">Hand</div>
<div id=ears>Ears</div>
<div role=button id=role aria-pressed=true>Role</div>
<label for=name>Your name</label><input id=name required maxlength=9 value=start>
<input type=checkbox id=box aria-label="Box">
<select id=pick><option value=a>A<option value=b selected>B</select>
<div id=words contenteditable>words</div>
<div id=host></div>
<iframe id=frame srcdoc="<button id=inner>Inner</button>"></iframe>
<canvas id=paint width=40 height=40></canvas>
<p hidden><button>Hidden</button></p>
<img src=/missing.png alt="Gone">
<script nonce=n>
ears.addEventListener("mousedown", () => {});
host.attachShadow({mode: "open"}).innerHTML = "<button id=deep>Deep</button>";
document.addEventListener("keydown", () => {});
paint.getContext("2d").fillRect(0, 0, 20, 20);
console.warn("careful", 7);
setTimeout(() => { throw new TypeError("thrown") }, 0);
Promise.reject(new Error("rejected"));
document.body.dataset.untouched = String(EventTarget.prototype.addEventListener).includes("[native code]")
  && String(setTimeout).includes("[native code]") && Object.keys(window).every((key) => !/webeval/i.test(key))
  && addEventListener.name === "addEventListener" && setTimeout.length === 1;
</script>"#;

#[tokio::test]
async fn one_look_tells_everything_about_a_page() {
    let Some(driver) = driver().await else { return };
    let site = Site::serve(&[("/", PAGE)]).await;
    let (mut session, page) = site.open(&driver).await;

    assert_eq!((page.url.as_str(), page.title.as_str(), page.viewport), ("app:/", "Look", (1280, 800)));
    let node = |name: &str| page.nodes.iter().find(|node| node.name == name).unwrap_or_else(|| panic!("no {name}"));
    assert_eq!((node("Plain").role.as_str(), node("Plain").why.as_slice()), ("button", &[Affordance::Native][..]));
    let hand = page.nodes.iter().find(|node| node.text == "Hand").unwrap();
    assert_eq!(hand.why, [Affordance::Cursor]);
    let ears = page.nodes.iter().find(|node| node.text == "Ears").unwrap();
    assert_eq!(
        (ears.why.as_slice(), ears.listeners.as_slice()),
        (&[Affordance::Listener][..], &["mousedown".to_owned()][..])
    );
    assert!(node("Role").why.contains(&Affordance::Role) && node("Role").is(NodeState::Pressed));
    let name = page.nodes.iter().find(|node| node.role == "textbox" && node.name == "Your name").unwrap();
    assert_eq!(name.value.as_deref(), Some("start"));
    assert!(name.is(NodeState::Required) && name.field.as_ref().unwrap().max_length == Some(9));
    assert!(!node("Box").is(NodeState::Checked));
    let pick = page.nodes.iter().find(|node| node.role == "combobox").unwrap();
    assert_eq!((pick.value.as_deref(), pick.field.as_ref().unwrap().options.len()), (Some("b"), 2));
    assert!(page.nodes.iter().any(|node| node.why.contains(&Affordance::Editable)));
    assert_eq!(node("Deep").selector.as_deref(), Some("#host >>> #deep"));
    assert_eq!(node("Inner").selector.as_deref(), Some("#frame |> #inner"));
    assert!(page.nodes.iter().any(|node| node.role == "canvas"));
    assert!(page.nodes.iter().all(|node| node.name != "Hidden"));
    assert_eq!(page.listeners, ["keydown"]);

    let warning = page.console.iter().find(|message| message.level == ConsoleLevel::Warning).unwrap();
    assert_eq!(warning.text, "\"careful\" 7");
    let mut errors: Vec<_> = page.errors.iter().map(|error| (error.kind, error.message.as_str())).collect();
    errors.sort_by_key(|(kind, _)| *kind == PageErrorKind::Rejection);
    assert_eq!(errors, [(PageErrorKind::Uncaught, "TypeError: thrown"), (PageErrorKind::Rejection, "Error: rejected")]);
    // The browser asks for /favicon.ico as well, and gets 404 too.
    assert_eq!(
        page.network.iter().map(|one| (one.url.as_str(), one.status)).collect::<Vec<_>>(),
        [("app:/missing.png", Some(404))]
    );

    let html = page.html.unwrap();
    for part in [
        "data-webeval-value=\"start\"",
        "data-webeval-checked=\"false\"",
        "value=\"b\" selected=\"\" data-webeval-selected=\"true\"",
        "data-webeval-canvas=\"",
        "<template shadowrootmode=\"open\"><button id=\"deep\">",
        "<template data-webeval-frame><html>",
        "data-untouched=\"true\"",
    ] {
        assert!(html.contains(part), "no {part} in {html}");
    }
    // The page's own source is not part of its state.
    assert!(!html.contains("attachShadow"));
    let own =
        session.evaluate("return document.documentElement.outerHTML.includes('data-webeval')", &[]).await.unwrap();
    assert_eq!(own, false);
}

#[tokio::test]
async fn references_stay_and_the_canvas_tells_its_picture() {
    let Some(driver) = driver().await else { return };
    let site = Site::serve(&[("/", r#"<button id=go>Go</button><canvas id=paint width=40 height=40></canvas>
        <script nonce=n>go.onclick = () => { paint.getContext("2d").fillRect(0, 0, 20, 20); go.before(document.createElement("hr")); }</script>"#)]).await;
    let (mut session, before) = site.open(&driver).await;
    let canvas = |html: &str| html.split("data-webeval-canvas=\"").nth(1).unwrap()[..8].to_owned();
    let after = click(&mut session, "go").await.observation;
    let go = |page: &webeval_browser::Observation| {
        page.nodes.iter().find(|node| node.name == "Go").unwrap().reference.clone()
    };
    assert_eq!(go(&before), go(&after));
    assert_ne!(canvas(before.html.as_ref().unwrap()), canvas(after.html.as_ref().unwrap()));
}

#[tokio::test]
async fn a_page_is_waited_for_exactly_as_long_as_something_is_under_way() {
    let Some(driver) = driver().await else { return };
    let site = Site::serve(&[(
        "/",
        r#"<button id=late>Late</button><button id=now>Now</button><button id=often>Often</button><p id=out></p>
        <script nonce=n>
        late.onclick = () => setTimeout(() => setTimeout(() => { out.textContent = "done"; }, 150), 150);
        now.onclick = () => { out.textContent = "at once"; };
        often.onclick = () => setInterval(() => { out.textContent = Math.random(); }, 5);
        </script>"#,
    )])
    .await;
    let (mut session, _) = site.open(&driver).await;
    let now = click(&mut session, "now").await.observation;
    assert!(now.settled_ms < 100.0, "{}", now.settled_ms);
    let late = click(&mut session, "late").await.observation;
    assert!(late.html.unwrap().contains("done"), "after {} ms", late.settled_ms);
    // What never ends is given up on.
    let often = click(&mut session, "often").await.observation;
    assert!(often.settled_ms < 1000.0 && often.moves, "{}", often.settled_ms);
    let hover = on(&mut session, by_id("now"), ActionKind::Hover { at: None }).await;
    assert!(hover.observation.moves);
    step(&mut session, ActionKind::Reload).await;
}

#[tokio::test]
async fn the_determinism_kit_fixes_chance_time_and_place() {
    let Some(driver) = driver().await else { return };
    let site = Site::serve(&[("/", r#"<script nonce=n>document.title = [Math.random(), Math.random()].join() + " " + new Date().toISOString().slice(0, 15)
        + " " + Intl.DateTimeFormat().resolvedOptions().timeZone + " " + navigator.language + " " + (new Date(0) instanceof Date) + " " + Date.now.name;</script>"#)]).await;
    let mut titles = Vec::new();
    for seed in [7, 7, 8] {
        let mut options = site.options();
        options.deterministic = Some(seed);
        titles.push(site.open_with(&driver, options).await.1.title);
    }
    assert_eq!(titles[0], titles[1]);
    assert_ne!(titles[0], titles[2]);
    assert!(titles[0].ends_with(" 2024-06-15T12:0 UTC en-US true now"), "{}", titles[0]);
}

/// As the wrapper that SvelteKit's template puts around a whole app.
#[tokio::test]
async fn what_an_element_without_a_box_holds_is_in_the_tree() {
    let Some(driver) = driver().await else { return };
    let page = r#"<div id=wrapper style="display:contents"><main><button id=go>Go</button></main>
        <a id=link href="/x" style="display:contents"><div id=card>Card</div></a></div>
        <div id=listens style="display:contents"><div id=row>Row</div></div>
        <div style="display:none"><div style="display:contents"><button id=not>Not</button></div></div>
        <div id=host></div>
        <script nonce=n>
          document.getElementById("host").attachShadow({ mode: "open" }).innerHTML = "<slot><button id=deep>Deep</button></slot>";
          document.getElementById("listens").addEventListener("click", () => {});
        </script>"#;
    let site = Site::serve(&[("/", page)]).await;
    let (mut session, seen) = site.open(&driver).await;
    let words = |node: &Node| if node.name.is_empty() { node.text.clone() } else { node.name.clone() };
    let actionable: Vec<String> = seen.nodes.iter().filter(|node| node.is_actionable()).map(words).collect();
    assert_eq!(actionable, ["Go", "Card", "Row", "Deep"]);
    let told = session.explain("#wrapper").await.unwrap();
    assert!(!told.shown && told.reasons.iter().any(|one| one.contains("display: contents")), "{told:?}");
}

/// Notes as React 18, Solid and Svelte 5 leave them on elements, beside the listeners that they have at the root.
#[tokio::test]
async fn of_libraries_that_listen_at_the_root_only_the_handlers_count() {
    let Some(driver) = driver().await else { return };
    let page = r#"<div id=root><h1>Title</h1><p id=card>Card</p><p id=solid>Solid</p><p id=svelte>Svelte</p></div>
        <script nonce=n>
          const root = document.getElementById("root");
          for (const type of ["click", "dblclick", "contextmenu", "mousedown"]) root.addEventListener(type, () => {});
          root._reactListening1a2b3c = true;
          document.getElementById("card").__reactProps$1a2b3c = { onClick() {}, children: "Card" };
          document.getElementById("solid").$$dblclick = () => {};
          document.getElementById("svelte").__click = () => {};
        </script>"#;
    let site = Site::serve(&[("/", page)]).await;
    let (_session, seen) = site.open(&driver).await;
    let acted: Vec<(String, Vec<String>)> = seen
        .nodes
        .iter()
        .filter(|node| node.is_actionable())
        .map(|node| (node.text.clone(), node.listeners.clone()))
        .collect();
    let heard = |text: &str, type_: &str| (text.to_owned(), vec![type_.to_owned()]);
    assert_eq!(acted, [heard("Card", "click"), heard("Solid", "dblclick"), heard("Svelte", "click")]);
}

#[tokio::test]
async fn why_an_element_is_in_the_tree_or_not_has_an_answer() {
    let Some(driver) = driver().await else { return };
    let page = r#"<button id=go>Go</button><button id=off disabled>Off</button><p id=text>Text</p>
        <div id=empty></div><div id=hidden style="display:none"><button id=within>Within</button></div>
        <span id=unseen style="visibility:hidden">x</span><details id=more><summary>More</summary><a id=link href=#x>Link</a></details>
        <select><option id=choice>A</select><div id=host></div><iframe id=frame srcdoc="<button id=inner>Inner</button>"></iframe>
        <div id=lid style="position:fixed;inset:0;background:#fff8">Lid</div>
        <script nonce=n>document.getElementById("host").attachShadow({ mode: "open" }).innerHTML = "<button id=deep>Deep</button>";</script>"#;
    let site = Site::serve(&[("/", page)]).await;
    let (mut session, seen) = site.open(&driver).await;
    for (selector, shown, actionable, reason) in [
        ("#go", true, true, "native"),
        ("#go", true, true, "covered by div#lid"),
        ("#off", true, false, "it is disabled"),
        ("#text", true, false, "no listener for input"),
        ("#empty", false, false, "no text of its own"),
        ("#hidden", false, false, "it has display: none"),
        ("#within", false, false, "div#hidden \"Within\", which it lies in, has display: none"),
        ("#unseen", false, false, "its visibility is hidden"),
        ("#link", false, false, "is closed"),
        ("#choice", false, false, "told as a whole"),
        ("script", false, false, "which shows nothing"),
        ("#deep", false, false, "write #host >>> #deep to get to it"),
        ("#host >>> #deep", true, true, "native"),
        ("#inner", false, false, "write #frame |> #inner to get to it"),
        ("#nowhere", false, false, "no element of the page matches it"),
        ("#no >>> b", false, false, "no element of the page matches it"),
        ("p[", false, false, "no valid CSS selector"),
    ] {
        let told = session.explain(selector).await.unwrap();
        assert_eq!((told.shown, told.actionable), (shown, actionable), "{told:?}");
        assert!(told.reasons.iter().any(|one| one.contains(reason)), "{reason}: {told:?}");
        // What is said agrees with what the observation holds.
        let listed = told.reference.as_ref().is_some_and(|reference| seen.node(reference).is_some());
        assert_eq!(listed, shown, "{told:?}");
    }
}
