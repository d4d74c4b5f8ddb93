//! Instructions, pages, and the refine loop, over real HTTP.

use std::path::PathBuf;

use serde_json::{Value, json};
use webeval_judges::webgen::{self, Input, Metric, RefineOptions, Refined, Render, RenderFuture};
use webeval_judges::{Error, Prompts};
use webeval_stats::sections::HeadToHead;

use crate::deliberation::system;
use crate::injection::{outside, texts};
use crate::model;
use crate::runs::Made;
use crate::sections::{COMMAND, metrics, page};
use crate::support::{Server, Turn};

const HTML: &str = "<!doctype html><html><body>PAGE</body></html>";

fn html(word: &str) -> String {
    HTML.replace("PAGE", word)
}

fn is_judge(request: &Value) -> bool {
    system(request).contains("strict design reviewer")
}

/// Pages that are all made alike; what they say is in their markup.
struct Paper {
    made: Vec<Made>,
    folder: PathBuf,
    seen: Vec<String>,
}

impl Render for Paper {
    fn render<'a>(&'a mut self, turn: u32, html: &'a str) -> RenderFuture<'a> {
        Box::pin(async move {
            let at = usize::try_from(turn).unwrap();
            if self.seen.len() == at {
                self.seen.push(html.to_owned());
                self.made.push(Made::new());
            }
            assert_eq!(self.seen[at], html, "a resumed turn is the same page");
            let page = page(&self.folder.join(format!("turn-{turn}")));
            Ok((self.made[at].run.clone(), page))
        })
    }
}

/// Rates the page of turn t: spacing from `spacing`, everything else 5; the writer answers `better 1`, `better 2`, ….
async fn server(spacing: &'static [u8]) -> Server {
    let (rated, written) = (std::sync::atomic::AtomicUsize::new(0), std::sync::atomic::AtomicUsize::new(0));
    let order = std::sync::atomic::Ordering::SeqCst;
    Server::answering(move |request, _| {
        if is_judge(request) {
            let one = metrics(5, |m| {
                // Two sections a turn, asked side by side.
                let turn = rated.fetch_add(1, order) / 2;
                m["SPC"]["score"] = json!(spacing[turn.min(spacing.len() - 1)]);
                m["SPC"]["feedback"] = json!(format!("more room. {COMMAND}"));
            });
            if system(request).starts_with("You judge one section") {
                return Turn::Json(json!({"metrics": one}));
            }
            return Turn::Json(json!({"sections": [{"name": "All", "metrics": one}]}));
        }
        Turn::Text(format!("```html\n{}\n```", html(&format!("better {}", written.fetch_add(1, order) + 1))))
    })
    .await
}

async fn refined(server: &Server, paper: &mut Paper, options: &RefineOptions) -> Refined {
    let model = model(server);
    webgen::refine(COMMAND, &html("first"), &model, &model, paper, options, &|_| {}).await.unwrap()
}

fn paper(folder: &tempfile::TempDir) -> Paper {
    Paper { made: Vec::new(), folder: folder.path().to_owned(), seen: Vec::new() }
}

#[tokio::test]
async fn a_page_is_rewritten_rated_again_and_compared_as_it_came() {
    let folder = tempfile::tempdir().unwrap();
    let mut paper = paper(&folder);
    // The second section has a measured spacing error: 5 becomes 3 there. Turn 0: 1 and 1; turn 1: 5 and 3; turn 2: 2 and 2.
    let server = server(&[1, 5, 2]).await;
    let mut options = RefineOptions::default();
    options.turns = 2;
    let refined = refined(&server, &mut paper, &options).await;
    let pages: Vec<&str> = refined.turns.iter().map(|turn| turn.html.trim()).collect();
    assert_eq!(pages, [html("first"), html("better 1"), html("better 2")]);
    assert_eq!(refined.turns.iter().map(|turn| turn.corrections).collect::<Vec<_>>(), [2, 1, 0]);
    let comparison = refined.comparison().unwrap();
    // The last page as it came: spacing 1 -> 2 wins, everything else ties.
    assert_eq!(comparison.outcome, HeadToHead { wins: 1, ties: 8, losses: 0 });
    let spacing = comparison.metrics.iter().find(|change| change.metric == Metric::Spc).unwrap();
    assert_eq!((spacing.before, spacing.after, spacing.low_after.below), (Some(1.0), Some(2.0), 2));
    // The better one is another: turn 1, with figures 5 and 3.
    assert_eq!(refined.better(), 1);
    assert_eq!(refined.usage.calls, 3 * 2 + 2);

    let rewrites: Vec<Value> = server.requests().into_iter().filter(|request| !is_judge(request)).collect();
    let content = rewrites[0]["messages"][1]["content"].to_string();
    assert!(content.contains("SPC 1 of 5: more room.") && content.contains("PAGE".replace("PAGE", "first").as_str()));
    assert!(rewrites[1]["messages"][1]["content"].to_string().contains("(measured: a gap of 90 px among 20 px)"));
    // Instruction, page and advice hold the command; none of it is outside of a fence.
    for request in &rewrites {
        assert!(!system(request).contains(COMMAND) && request.to_string().contains(COMMAND));
        assert!(texts(request).iter().all(|(_, text)| !outside(text).contains(COMMAND)));
    }
}

#[tokio::test]
async fn nothing_low_means_nothing_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let mut paper = paper(&folder);
    let server = server(&[5]).await;
    let mut options = RefineOptions::default();
    options.threshold = 2;
    let refined = refined(&server, &mut paper, &options).await;
    assert_eq!((refined.turns.len(), server.requests().len()), (1, 2));
    assert_eq!(refined.comparison().unwrap().outcome, HeadToHead { wins: 0, ties: 9, losses: 0 });
}

#[tokio::test]
async fn the_baseline_takes_its_feedback_from_the_whole_page_and_is_measured_alike() {
    let folder = tempfile::tempdir().unwrap();
    let mut paper = paper(&folder);
    let server = server(&[3]).await;
    let mut options = RefineOptions::default();
    options.feedback = Input::Page;
    let refined = refined(&server, &mut paper, &options).await;
    let requests = server.requests();
    let rewrite = requests.iter().find(|request| !is_judge(request)).unwrap()["messages"][1]["content"].to_string();
    assert!(rewrite.contains("Section \\\"All\\\", SPC 3 of 5"), "{rewrite}");
    let whole =
        requests.iter().filter(|request| is_judge(request) && request.to_string().contains("The page's markup"));
    assert_eq!((whole.count(), refined.turns[1].entry.method.as_str()), (1, "sections"));
    assert_eq!(requests.len(), 2 + 1 + 1 + 2);
}

#[tokio::test]
async fn money_gone_in_the_middle_resumes_without_rating_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut paper = paper(&folder);
    let answers = std::sync::atomic::AtomicUsize::new(0);
    let server = Server::answering(move |request, _| {
        if is_judge(request) {
            return Turn::Json(json!({"metrics": metrics(4, |_| {})}));
        }
        match answers.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
            0 => Turn::Status(402, vec![], json!({"error": {"message": "pay first"}}).to_string()),
            _ => Turn::Text(html("better")),
        }
    })
    .await;
    let model = model(&server);
    let options = RefineOptions::default();
    let error = webgen::refine(COMMAND, &html("first"), &model, &model, &mut paper, &options, &|_| {}).await;
    assert!(matches!(error, Err(Error::Stopped { .. })));
    let refined = refined(&server, &mut paper, &options).await;
    assert_eq!((refined.turns.len(), server.requests().len()), (2, 2 + 1 + 1 + 2));
}

#[tokio::test]
async fn an_answer_that_is_no_page_is_sent_back_once() {
    let server = Server::playing(vec![Turn::Text("Sure!".into()), Turn::Text(html("made"))]).await;
    let made = webgen::generate("a page about tides", &model(&server), &Prompts::default(), 7).await.unwrap();
    assert_eq!((made.html.trim(), made.usage.calls), (html("made").as_str(), 2));
    let requests = server.requests();
    assert!(requests[1]["messages"][3]["content"].as_str().unwrap().contains("it is not a page"));
    assert_eq!(requests[0]["seed"], 7);
    let server = Server::playing(vec![Turn::Text("Sure!".into()), Turn::CutText(html("made"))]).await;
    let error = webgen::generate("a page about tides", &model(&server), &Prompts::default(), 7).await.unwrap_err();
    assert!(matches!(&error, Error::NoPage { fault } if fault.contains("cut")), "{error}");
}

#[tokio::test]
async fn an_instruction_has_the_papers_four_parts() {
    let folder = tempfile::tempdir().unwrap();
    let page = page(folder.path());
    let server = Server::answering(|request, number| {
        let said: String = texts(request).iter().map(|(_, text)| outside(text)).collect();
        assert!(!said.contains(COMMAND) && !system(request).contains(COMMAND));
        let mut sections = vec![json!({"order": 1, "summary": "Says\nwelcome."})];
        if number > 0 {
            sections.push(json!({"order": 2, "summary": "Costs 9 euros."}));
        }
        Turn::Json(json!({"overview": "A harbour's page.", "sections": sections, "calls_to_action": [0, 99]}))
    })
    .await;
    let made = webgen::instruct(&page, &model(&server), &Prompts::default(), 0).await.unwrap();
    let expected = format!(
        "# {COMMAND}\n\n## Overview\n\nA harbour's page.\n\n## Sections\n\n1. **Hero**: Says welcome.\n\
         2. **Prices**: Costs 9 euros.\n\n## Assets\n\nNone.\n\n## Calls to action and links\n\n\
         - \"{COMMAND}\" leads to `/{COMMAND}` (call to action)\n"
    );
    assert_eq!(made.markdown, expected);
    let complaint = server.requests()[1]["messages"][3]["content"].to_string();
    assert!(complaint.contains("section 2 has no summary"), "{complaint}");
}
