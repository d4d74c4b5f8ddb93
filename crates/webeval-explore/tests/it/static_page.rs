//! A small to-do list, whose functions and statements are known.

use webeval_evidence::ActionKind;
use webeval_explore::{App, BuiltIn, Cancel, Cast, Ended, Options, explore};

use crate::site::{Site, driver, run_dir};

/// Five functions: add, toggle, remove, clear and the handler of Enter.
const PAGE: &str = r#"<!DOCTYPE html><title>List</title>
<input id="text" placeholder="What needs doing?"><button id="add">Add</button>
<select id="mode"><option value="all">All</option><option value="done">Done</option></select>
<ul id="list"></ul><button id="clear">Clear</button>
<script>
const list = document.getElementById("list"), text = document.getElementById("text");
function add() {
  if (!text.value.trim()) return;
  const row = document.createElement("li");
  const label = document.createElement("span");
  label.textContent = text.value;
  label.addEventListener("click", () => { label.style.textDecoration = "line-through"; });
  const remove = document.createElement("button");
  remove.textContent = "x";
  remove.addEventListener("click", () => { row.remove(); });
  row.append(label, remove);
  list.append(row);
  text.value = "";
}
document.getElementById("add").addEventListener("click", add);
text.addEventListener("keydown", (event) => { if (event.key === "Enter") add(); });
document.getElementById("clear").addEventListener("click", () => { list.innerHTML = ""; });
document.getElementById("mode").addEventListener("change", (event) => { document.body.className = event.target.value; });
</script>"#;

#[tokio::test]
async fn every_function_of_a_list_is_reached() {
    let Some(driver) = driver().await else { return };
    let site = Site::serve(&[("index.html", PAGE)]).await;
    let mut session = site.open(&driver).await;
    let root = tempfile::tempdir().unwrap();
    let dir = run_dir(&root);
    let app = App { entry: "/".into(), coverage: Some(site.coverage.clone()) };
    let mut options = Options::default();
    options.steps = 25;
    let cast = Cast { tester: &mut BuiltIn::new(1), advisor: None, probes: Vec::new() };
    let done = explore(&mut session, &app, &dir, &options, cast, &mut (), &Cancel::never()).await.unwrap();
    assert_eq!(done.ended, Ended::Budget);

    let trace = dir.trace().unwrap();
    for step in &trace.steps {
        println!(
            "{} {:?} {:?} {:?} gain {:?} {:?}",
            step.index,
            step.action.kind,
            step.action.target.as_ref().map(|t| &t.name),
            step.outcome.status,
            step.coverage.map(|c| c.gain),
            step.timings
        );
    }
    // The load and 25 interactions.
    assert_eq!(trace.steps.len(), 26);
    assert!(matches!(&trace.steps[0].action.kind, ActionKind::Load { url } if url == "app:/"));
    assert!(trace.summary.is_some());
    // Six functions are written down in the page: add, and five arrows.
    let functions = done.coverage.unwrap().functions;
    assert_eq!((functions.covered, functions.total), (6, 6));
    assert!(trace.steps.iter().all(|step| step.snapshot.is_some() && step.screenshot.is_some()));
    assert!(trace.steps.iter().all(|step| step.errors.is_empty() && step.network.is_empty()));
}
