//! Coverage, errors and the app's bounds over navigation.

use std::collections::BTreeMap;

use webeval_browser::Observation;
use webeval_evidence::{ActionKind, Effect, OutcomeStatus};

use crate::site::{Site, click, driver, step};

/// Sum of the increments of several looks.
#[derive(Default)]
struct Sum(BTreeMap<String, u64>);

impl Sum {
    fn add(&mut self, page: &Observation) {
        for delta in &page.deltas {
            for (name, hits) in serde_json::from_str::<BTreeMap<String, u64>>(delta).unwrap() {
                *self.0.entry(name).or_default() += hits;
            }
        }
    }

    fn of(&self, name: &str) -> u64 {
        self.0.get(name).copied().unwrap_or_default()
    }
}

const LEAVING: &str = r#"<a id=link href=/strict>Link</a><a id=away href=http://localhost:9/far>Away</a><button id=again>Again</button>
<iframe src=/inner></iframe>
<script nonce=n>
hit("load");
link.addEventListener("click", () => hit("link"));
away.addEventListener("click", () => hit("away"));
again.onclick = () => { hit("again"); location.reload(); };
addEventListener("beforeunload", () => hit("before"));
addEventListener("pagehide", () => hit("hide"));
</script>"#;

#[tokio::test]
async fn nothing_that_ran_on_a_page_that_is_gone_is_lost_or_counted_twice() {
    let Some(driver) = driver().await else { return };
    let strict = r#"<script nonce=n>hit("strict");</script><a id=home href=/>Home</a>"#;
    let inner = r#"<script nonce=n>hit("inner");</script>"#;
    let site = Site::serve(&[("/", LEAVING), ("/strict", strict), ("/inner", inner)]).await;
    let (mut session, page) = site.open(&driver).await;
    let mut sum = Sum::default();
    sum.add(&page);
    assert_eq!((sum.of("load"), sum.of("inner")), (1, 1));

    // A link to a page whose policy allows next to nothing, and back by a link of its own.
    let stepped = click(&mut session, "link").await;
    sum.add(&stepped.observation);
    assert_eq!(stepped.outcome.effects, [Effect::Navigated { url: "app:/strict".into() }]);
    assert_eq!((sum.of("link"), sum.of("before"), sum.of("hide"), sum.of("strict")), (1, 1, 1, 1));
    sum.add(&click(&mut session, "home").await.observation);
    assert_eq!((sum.of("load"), sum.of("inner")), (2, 2));

    // A reload by the page itself, one by the browser, back and forward.
    sum.add(&click(&mut session, "again").await.observation);
    assert_eq!((sum.of("again"), sum.of("load"), sum.of("before"), sum.of("hide")), (1, 3, 2, 2));
    sum.add(&step(&mut session, ActionKind::Reload).await.observation);
    assert_eq!((sum.of("load"), sum.of("hide")), (4, 3));
    sum.add(&step(&mut session, ActionKind::Back).await.observation);
    assert_eq!(sum.of("hide"), 4);

    // Out of the app and brought back: what ran until then came along.
    sum.add(&step(&mut session, ActionKind::Load { url: "app:/".into() }).await.observation);
    let out = click(&mut session, "away").await;
    sum.add(&out.observation);
    assert!(
        out.outcome.effects.contains(&Effect::LeftApp { url: "http://localhost:9/far".into() }),
        "{:?}",
        out.outcome
    );
    assert_eq!(out.observation.url, "app:/");
    assert_eq!(sum.of("away"), 1);
}

#[tokio::test]
async fn tabs_within_the_app_are_kept_and_others_closed() {
    let Some(driver) = driver().await else { return };
    let site = Site::serve(&[
        ("/", r#"<a id=in href=/two target=_blank>In</a><a id=out href=http://localhost:9/ target=_blank>Out</a>"#),
        ("/two", r#"<title>Two</title><button id=shut onclick="window.close()">Shut</button><script nonce=n>hit("two")</script>"#),
    ]).await;
    let (mut session, _) = site.open(&driver).await;
    let opened = click(&mut session, "in").await;
    assert_eq!(opened.outcome.effects, [Effect::NewTab { url: "app:/two".into() }]);
    assert_eq!((opened.observation.tabs, opened.observation.tab), (2, 0));
    let out = click(&mut session, "out").await;
    assert!(matches!(&out.outcome.effects[..], [Effect::LeftApp { .. }]), "{:?}", out.outcome);
    assert_eq!(out.observation.tabs, 2);
    let other = step(&mut session, ActionKind::SwitchTab { index: 1 }).await.observation;
    assert_eq!((other.title.as_str(), other.tab, other.deltas.len()), ("Two", 1, 1));
    let shut = click(&mut session, "shut").await;
    assert!(shut.outcome.effects.contains(&Effect::Closed), "{:?}", shut.outcome);
    assert_eq!(
        (shut.outcome.status, shut.observation.url.as_str(), shut.observation.tabs),
        (OutcomeStatus::Performed, "app:/", 1)
    );
}

#[tokio::test]
async fn code_in_a_sealed_frame_is_counted() {
    let Some(driver) = driver().await else { return };
    let sealed = r#"<iframe srcdoc="Within"></iframe><script nonce=n>hit("sealed"); addEventListener("message", () => hit("message"));</script>"#;
    let page = r#"<iframe id=box sandbox=allow-scripts src=/sealed></iframe>
        <button id=send onclick="box.contentWindow.postMessage(1, '*')">Send</button>"#;
    let site = Site::serve(&[("/", page), ("/sealed", sealed)]).await;
    let (mut session, first) = site.open(&driver).await;
    let mut sum = Sum::default();
    sum.add(&first);
    // The frame may be loaded only after the page has settled.
    sum.add(&click(&mut session, "send").await.observation);
    let last = session.observe().await.unwrap();
    sum.add(&last);
    assert_eq!((sum.of("sealed"), sum.of("message")), (1, 1));
    // Nobody counts the frame within it, and that is said.
    assert_eq!(last.uncounted, ["frames within sandboxed frames: all that they run"]);
}

#[tokio::test]
async fn code_in_a_worker_is_counted() {
    let Some(driver) = driver().await else { return };
    let page = r#"<button id=go>Go</button><p id=out></p><script nonce=n>
        const code = 'globalThis.hits = { started: 1 }; onmessage = () => { hits.asked = (hits.asked || 0) + 1; postMessage(hits.asked); };';
        const worker = new Worker(URL.createObjectURL(new Blob([code])));
        worker.onmessage = (event) => { out.textContent = event.data; };
        go.onclick = () => worker.postMessage(1);
        document.title = String(worker instanceof Worker);
        </script>"#;
    let site = Site::serve(&[("/", page)]).await;
    let (mut session, first) = site.open(&driver).await;
    assert_eq!(first.title, "true");
    let mut sum = Sum::default();
    sum.add(&first);
    for _ in 0..2 {
        sum.add(&click(&mut session, "go").await.observation);
    }
    // What was not told in time comes with the next look.
    sum.add(&session.observe().await.unwrap());
    assert_eq!((sum.of("started"), sum.of("asked")), (1, 2));
    assert_eq!(first.uncounted, ["workers: what one runs between the last look and its end"]);
}
