//! A scripted model as the tester: what it is told, and what happens when it talks nonsense.

use std::sync::{Arc, Mutex};

use webeval_evidence::{ActionKind, OutcomeStatus};
use webeval_explore::{App, Cancel, Cast, Ended, ModelTester, Options, View, explore};
use webeval_llm::{ChatFuture, ChatModel, ChatRequest, Message, Part, Profile, Reply, ToolCall};

use crate::site::{Site, driver, run_dir};

const PAGE: &str = r#"<!DOCTYPE html><title>Talk</title><input id=name aria-label="Name"><button id=greet>Greet</button><p id=out></p>
<script>greet.onclick = () => { out.textContent = "Hello " + document.getElementById("name").value; };</script>"#;

/// Gives its replies in order and keeps what it was asked.
#[derive(Debug)]
struct Scripted {
    profile: Profile,
    replies: Mutex<Vec<(&'static str, &'static str)>>,
    asked: Mutex<Vec<ChatRequest>>,
}

impl ChatModel for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest) -> ChatFuture<'a> {
        self.asked.lock().unwrap().push(request.clone());
        let (tool, arguments) = self.replies.lock().unwrap().remove(0);
        let mut reply = Reply::text(if tool.is_empty() { arguments } else { "" });
        if !tool.is_empty() {
            reply.tool_calls = vec![ToolCall { id: "c".into(), name: tool.into(), arguments: arguments.into() }];
        }
        Box::pin(async move { Ok(reply) })
    }
}

fn said(message: &Message) -> String {
    match message {
        Message::System { text } | Message::Assistant { text, .. } | Message::Tool { text, .. } => text.clone(),
        Message::User { parts } => {
            parts.iter().map(|part| if let Part::Text { text } = part { text.as_str() } else { "" }).collect()
        }
    }
}

#[tokio::test]
async fn a_model_acts_sees_the_difference_and_is_told_its_mistakes() {
    let Some(driver) = driver().await else { return };
    let site = Site::serve(&[("index.html", PAGE)]).await;
    let mut session = site.open(&driver).await;
    let root = tempfile::tempdir().unwrap();
    let dir = run_dir(&root);
    let replies = vec![
        ("type", r#"{"ref": "e1", "text": "Ada", "why": "a name"}"#),
        ("click", r#"{"ref": "e99"}"#),
        ("click", "not json"),
        ("", "I would like to click."),
        ("click", r#"{"ref": "e2"}"#),
        ("finish", r#"{"functionality": ["greets"], "interactions": ["typed", "clicked"], "failures": []}"#),
    ];
    let model =
        Arc::new(Scripted { profile: Profile::default(), replies: Mutex::new(replies), asked: Mutex::default() });
    let mut tester = ModelTester::new(model.clone(), 0);
    let app = App { entry: "/".into(), coverage: Some(site.coverage.clone()) };
    let cast = Cast { tester: &mut tester, advisor: None, probes: Vec::new() };
    let mut options = Options::default();
    options.screenshots = false;
    let done = explore(&mut session, &app, &dir, &options, cast, &mut (), &Cancel::never()).await.unwrap();
    assert_eq!(done.ended, Ended::Finished);

    let trace = dir.trace().unwrap();
    let kinds: Vec<&str> = trace.steps.iter().map(|step| step.action.kind.name()).collect();
    // Three replies without a usable action: the step passes with a short wait, and the next is asked for.
    assert_eq!(kinds, ["load", "type", "wait", "click"]);
    assert_eq!(trace.steps[1].reason.as_deref(), Some("a name"));
    assert!(matches!(&trace.steps[1].action.kind, ActionKind::Type { text } if text == "Ada"));
    assert!(trace.steps.iter().all(|step| step.outcome.status == OutcomeStatus::Performed));
    assert_eq!(trace.summary.unwrap().functionality, ["greets"]);

    let asked = model.asked.lock().unwrap();
    let first: Vec<String> = asked[0].messages.iter().map(said).collect();
    assert!(
        first[1].contains("- textbox \"Name\" [e1]") && first[1].contains("- button \"Greet\" [e2]"),
        "{}",
        first[1]
    );
    // Neither source nor coverage is shown.
    assert!(asked.iter().flat_map(|request| &request.messages).all(|message| !said(message).contains("onclick")));
    let complaints: Vec<String> = asked[4].messages.iter().map(said).collect();
    assert!(complaints.iter().any(|text| text.contains("no element \"e99\"")));
    assert!(complaints.iter().any(|text| text.contains("not JSON")));
    let last = said(asked[5].messages.last().unwrap());
    assert!(last.contains("Hello Ada"), "{last}");
}

const LONG: &str = r#"<!DOCTYPE html><title>Long</title><h1>Top</h1><button id=near>Near</button><p>Just text</p>
<div style="height:3000px"></div><button id=far>Far away</button>
<script>far.onclick = () => { document.title = "Reached"; };</script>"#;

#[tokio::test]
async fn what_a_filtered_view_leaves_out_can_be_found_and_acted_on() {
    let Some(driver) = driver().await else { return };
    let site = Site::serve(&[("index.html", LONG)]).await;
    let mut session = site.open(&driver).await;
    let root = tempfile::tempdir().unwrap();
    let dir = run_dir(&root);
    let mut replies = vec![("find", r#"{"text": "no such text"}"#), ("find", r#"{"text": "FAR"}"#)];
    replies.extend([
        ("click", r#"{"ref": "e4"}"#),
        ("finish", r#"{"functionality": [], "interactions": [], "failures": []}"#),
    ]);
    let model =
        Arc::new(Scripted { profile: Profile::default(), replies: Mutex::new(replies), asked: Mutex::default() });
    let mut tester = ModelTester::new(model.clone(), 0).with_view(View::Filtered);
    let app = App { entry: "/".into(), coverage: Some(site.coverage.clone()) };
    let cast = Cast { tester: &mut tester, advisor: None, probes: Vec::new() };
    let mut options = Options::default();
    options.screenshots = false;
    explore(&mut session, &app, &dir, &options, cast, &mut (), &Cancel::never()).await.unwrap();

    let asked = model.asked.lock().unwrap();
    let first = said(&asked[0].messages[1]);
    assert!(first.contains("button \"Near\"") && first.contains("heading \"Top\""), "{first}");
    assert!(
        !first.contains("Far away") && !first.contains("Just text") && first.contains("2 more elements"),
        "{first}"
    );
    assert_eq!(said(asked[1].messages.last().unwrap()), "No element holds \"no such text\".");
    let found = said(asked[2].messages.last().unwrap());
    let reference = found.split(['[', ']']).nth(1).unwrap();
    assert_eq!(found, format!("- button \"Far away\" [{reference}]"));
    // The search is no step, and what it found can be clicked.
    let steps = dir.trace().unwrap().steps;
    assert_eq!(steps.iter().map(|step| step.action.kind.name()).collect::<Vec<_>>(), ["load", "click"]);
    assert_eq!((reference, steps[1].title.as_str()), ("e4", "Reached"));
}
