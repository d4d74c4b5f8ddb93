//! Aesthetics and usability: the formula, the citations, resuming.

use std::sync::{Arc, Mutex};

use serde_json::{Map, Value, json};
use webeval_evidence::{Citation, ScoreEntry, ScoreStatus};
use webeval_judges::webcraft::{self, AESTHETICS_ASPECTS, Options, USABILITY_ASPECTS};
use webeval_judges::{Error, Event, Task};
use webeval_llm::{Ledger, Metered, Profile};

use crate::runs::{Made, screen, todo};
use crate::support::{Server, Turn};
use crate::{model, model_with};

pub(crate) fn task() -> Task {
    Task::new("todo", "a to-do list")
}

pub(crate) fn is_final(request: &Value) -> bool {
    system(request).contains("You are the final judge")
}

pub(crate) fn is_aesthetics(request: &Value) -> bool {
    system(request).contains("visual quality")
}

pub(crate) fn system(request: &Value) -> &str {
    request["messages"][0]["content"].as_str().unwrap()
}

/// A final judgement: a base score and one adjustment, cited.
pub(crate) fn verdict(request: &Value, base: f64, adjustment: f64, evidence: Value) -> Value {
    let names = if is_aesthetics(request) { AESTHETICS_ASPECTS } else { USABILITY_ASPECTS };
    let mut aspects = Map::new();
    for name in names {
        aspects.insert(name.into(), json!({"adjustment": 0, "rationale": "no adjustment needed", "evidence": []}));
    }
    aspects[names[0]] = json!({"adjustment": adjustment, "rationale": "seen", "evidence": evidence});
    json!({"impression": "fair", "base": base, "aspects": aspects})
}

pub(crate) fn good_evidence(request: &Value) -> Value {
    if is_aesthetics(request) { json!([{"screenshot": "P1", "place": "top left"}]) } else { json!(["step 1"]) }
}

pub(crate) fn observations(request: &Value) -> Value {
    let (aspect, claim) = if is_aesthetics(request) {
        ("layout_structure", "the columns line up")
    } else {
        ("core_operations", "adding works")
    };
    json!({"observations": [{"aspect": aspect, "claim": claim, "evidence": good_evidence(request)}]})
}

/// Final judges that give these five bases, by the seed they are asked with.
fn answer(request: &Value, bases: [f64; 5]) -> Turn {
    if !is_final(request) {
        return Turn::Json(observations(request));
    }
    let round = request["seed"].as_u64().unwrap() as usize;
    Turn::Json(verdict(request, bases[round % 5], 0.5, good_evidence(request)))
}

async fn judged(made: &Made, server: &Server) -> ScoreEntry {
    webcraft::judge(&made.run, Some(&task()), &model(server), &Options::default(), &|_| {}).await.unwrap()
}

fn bases_in_turn(bases: Vec<f64>) -> impl Fn(&Value, usize) -> Turn + Send + Sync {
    let next = Arc::new(Mutex::new((0, 0)));
    move |request, _| {
        if !is_final(request) {
            return Turn::Json(observations(request));
        }
        let mut next = next.lock().unwrap();
        let turn = if is_aesthetics(request) { &mut next.0 } else { &mut next.1 };
        let base = bases[*turn % bases.len()];
        *turn += 1;
        Turn::Json(verdict(request, base, 0.5, good_evidence(request)))
    }
}

#[tokio::test]
async fn the_score_is_the_trimmed_mean_times_twenty() {
    let made = todo();
    let server = Server::answering(bases_in_turn(vec![3.0, 4.75, 1.0, 2.0, 3.5])).await;
    let entry = judged(&made, &server).await;
    // With 0.5 added: 3.5, 5.25 clipped to 5, 1.5, 2.5, 4; without 1.5 and 5: 10 / 3 × 20.
    for dimension in ["aesthetics", "usability"] {
        let score = &entry.dimensions[dimension];
        assert_eq!(score.status, ScoreStatus::Judged, "{}", score.grounds);
        assert!((score.value.unwrap() - 200.0 / 3.0).abs() < 1e-12);
    }
    for kind in ["functional", "content", "visual"] {
        let score = &entry.dimensions[&format!("alignment.{kind}")];
        assert_eq!(
            (score.status, &score.grounds),
            (ScoreStatus::NotApplicable, &format!("the task gives no {kind} criteria"))
        );
    }
    assert_eq!((entry.usage.calls, entry.usage.input), (14, 1400));
    assert_eq!(made.run.scores().unwrap().entries, [entry]);
    let judgements = made.run.judgements().unwrap();
    let roles: Vec<_> = judgements.iter().map(|j| format!("{} {}", j.dimension, j.role)).collect();
    assert_eq!(roles.iter().filter(|role| *role == "usability final").count(), 5);
    assert_eq!((roles.len(), &roles[0][..], &roles[1][..]), (14, "aesthetics advocate", "aesthetics critic"));
    let Citation::Screenshot { screenshot, place } = &judgements[0].citations[0] else { panic!() };
    assert_eq!((screenshot, place.as_deref()), (&judgements[0].screenshots[0].to_string(), Some("top left")));
    assert_eq!(judgements[7].citations, [Citation::Step { step: 1 }]);
    assert!(webeval_evidence::schema::validate(made.run.root()).unwrap().is_empty());
}

#[tokio::test]
async fn final_judges_see_the_claims_and_advocates_see_no_scores() {
    let made = todo();
    let server = Server::answering(|request, _| answer(request, [3.0; 5])).await;
    judged(&made, &server).await;
    let requests = server.requests();
    let finals: Vec<&Value> = requests.iter().filter(|request| is_final(request)).collect();
    let seeds: std::collections::BTreeSet<_> = finals.iter().map(|request| request["seed"].to_string()).collect();
    assert_eq!((finals.len(), seeds.len()), (10, 5));
    for request in finals {
        let text = request["messages"][1]["content"].to_string();
        let claim = if is_aesthetics(request) { "the columns line up" } else { "adding works" };
        assert_eq!(text.matches(claim).count(), 2, "{text}");
    }
    let advocates = requests.iter().filter(|request| !is_final(request));
    for request in advocates {
        let schema = request["response_format"]["json_schema"]["schema"].to_string();
        assert!(!schema.contains("score") && !schema.contains("base") && !schema.contains("number"), "{schema}");
    }
    let pictures = requests[0]["messages"][1]["content"].as_array().unwrap();
    assert_eq!(pictures.iter().filter(|part| part["type"] == "image_url").count(), 3);
}

#[tokio::test]
async fn citations_of_nothing_are_sent_back_once_and_then_struck() {
    let made = todo();
    let server = Server::answering(|request, _| {
        let nothing = if is_aesthetics(request) {
            json!([{"screenshot": "P9", "place": "top left"}])
        } else {
            json!(["step 77", "S1->S3", "S9"])
        };
        Turn::Json(match is_final(request) {
            true => verdict(request, 2.0, 1.5, nothing),
            false => json!({"observations": [
                {"aspect": if is_aesthetics(request) { "visual_detail" } else { "core_operations" },
                 "claim": "made up", "evidence": nothing}
            ]}),
        })
    })
    .await;
    let entry = judged(&made, &server).await;
    // Every adjustment of 1.5 is struck: five times 2.0.
    assert_eq!((entry.dimensions["aesthetics"].value, entry.dimensions["usability"].value), (Some(40.0), Some(40.0)));
    assert_eq!(server.requests().len(), 28);
    let repair = server.requests()[1]["messages"][3]["content"].as_str().unwrap().to_owned();
    assert!(repair.contains("there is no screenshot \"P9\"; there are P1, P2, P3"), "{repair}");
    let judgements = made.run.judgements().unwrap();
    assert!(judgements.iter().all(|j| j.citations.is_empty() && !j.struck.is_empty()));
    assert_eq!(judgements[0].verdict, json!({"observations": []}));
    let critic = server.requests()[5]["messages"][1]["content"].to_string();
    assert!(!critic.contains("made up"));
    assert_eq!(judgements[13].verdict["aspects"]["core_operations"]["struck"], json!(1.5));
    // Aesthetics: 7 × 1; usability: 7 × 3.
    assert!(entry.notes.contains(&"28 citations of evidence that does not exist were struck.".to_owned()));
}

#[tokio::test]
async fn what_exists_can_be_cited_in_every_form() {
    let made = todo();
    let server = Server::answering(|request, _| {
        let given = json!(["step 2", "Step 3", "S2", "state S3", "S1->S2", "S2 -> S3", "edge S2→S3"]);
        let evidence = if is_aesthetics(request) { good_evidence(request) } else { given };
        Turn::Json(if is_final(request) { verdict(request, 2.0, 1.0, evidence) } else { observations(request) })
    })
    .await;
    let entry = judged(&made, &server).await;
    assert_eq!(entry.dimensions["usability"].value, Some(60.0));
    let edge = |from: &str, to: &str| Citation::Edge { from: from.into(), to: to.into() };
    let state = |state: &str| Citation::State { state: state.into(), quote: None };
    let expected = [
        Citation::Step { step: 2 },
        Citation::Step { step: 3 },
        state("S2"),
        state("S3"),
        edge("S1", "S2"),
        edge("S2", "S3"),
        edge("S2", "S3"),
    ];
    assert_eq!(made.run.judgements().unwrap().last().unwrap().citations, expected);
}

#[tokio::test]
async fn a_crash_between_the_five_runs_costs_nothing_twice() {
    let made = todo();
    let good = |request: &Value| answer(request, [3.0; 5]);
    // Money enough for advocate, critic and the first two finals of aesthetics: a call costs 0.00182.
    let server = Server::answering(move |request, _| good(request)).await;
    let price = "[models.m]\nprice = [{ input = 10.0, cached = 1.0, output = 100.0 }]";
    let profile = webeval_llm::Profiles::from_toml(price).unwrap().get("m");
    let metered = Metered::new(model_with(&server, profile), Ledger::new(Some(0.00182 * 3.5))).unwrap();
    let error = webcraft::judge(&made.run, Some(&task()), &metered, &Options::default(), &|_| {}).await.unwrap_err();
    assert!(matches!(&error, Error::Stopped { source } if matches!(**source, webeval_llm::Error::OverBudget { .. })));
    let paid = server.requests().len();
    assert_eq!(paid, 4);
    let entry = made.run.scores().unwrap().entries.remove(0);
    assert_eq!(entry.dimensions["aesthetics"].status, ScoreStatus::NotJudged);
    assert_eq!(entry.usage.calls as usize, paid);
    // The process died while it wrote the next line.
    let log = made.run.root().join("judgements.jsonl");
    let mut torn = std::fs::read(&log).unwrap();
    torn.extend_from_slice(b"{\"method\": \"webcr");
    std::fs::write(&log, torn).unwrap();

    let reused = Mutex::new(0);
    let count = |event: Event| {
        if matches!(event, Event::Judged { reused: true, .. }) {
            *reused.lock().unwrap() += 1;
        }
    };
    let entry = webcraft::judge(&made.run, Some(&task()), &model(&server), &Options::default(), &count).await.unwrap();
    assert_eq!((*reused.lock().unwrap(), server.requests().len()), (paid, 14));
    assert_eq!((entry.dimensions["usability"].value, entry.usage.calls), (Some(70.0), 14));
    // A third time nothing is asked, and another seed or another repeat is another question.
    judged(&made, &server).await;
    assert_eq!(server.requests().len(), 14);
    let mut options = Options::default();
    options.repeat = 1;
    webcraft::judge(&made.run, Some(&task()), &model(&server), &options, &|_| {}).await.unwrap();
    assert_eq!((server.requests().len(), made.run.scores().unwrap().entries.len()), (28, 2));
}

#[tokio::test]
async fn a_judge_that_fails_is_recorded_and_no_score_is_made_up() {
    let made = todo();
    let server = Server::answering(|request, _| match is_final(request) && is_aesthetics(request) {
        // One of the five finals breaks its schema twice.
        true if request["seed"] == json!(4) => Turn::Json(json!({"base": 9})),
        _ => Turn::Json(if is_final(request) { verdict(request, 3.0, 0.0, json!([])) } else { observations(request) }),
    })
    .await;
    let entry = judged(&made, &server).await;
    let score = &entry.dimensions["aesthetics"];
    // One run is missing: 3 three times and 0 or 5 dropped either way.
    assert_eq!((score.status, score.value, score.bounds), (ScoreStatus::Incomplete, Some(60.0), Some((60.0, 60.0))));
    assert!(
        score.grounds.contains("1 of 5 failed: the answer breaks its schema after one repair"),
        "{}",
        score.grounds
    );
    assert_eq!(entry.dimensions["usability"].value, Some(60.0));
    let failed: Vec<_> = made.run.judgements().unwrap().into_iter().filter(|j| j.failure.is_some()).collect();
    assert_eq!((failed.len(), failed[0].usage.calls, failed[0].verdict.is_null()), (1, 2, true));
}

#[tokio::test]
async fn a_model_without_eyes_judges_no_looks() {
    let made = todo();
    let server = Server::answering(|request, _| answer(request, [3.0; 5])).await;
    let blind = webeval_llm::Profiles::from_toml("[models.m]\nvision = false").unwrap().get("m");
    let model = model_with(&server, blind);
    let entry = webcraft::judge(&made.run, Some(&task()), &model, &Options::default(), &|_| {}).await.unwrap();
    assert_eq!(entry.dimensions["aesthetics"].grounds, "scripted takes no images");
    assert_eq!((entry.dimensions["usability"].value, server.requests().len()), (Some(70.0), 7));
}

#[tokio::test]
async fn representative_screenshots_are_chosen() {
    let mut made = Made::new();
    // Blank, half loaded (one line of twelve), full, nearly the same as full, dark, red, long.
    let white = image::RgbImage::from_pixel(640, 400, image::Rgb([255, 255, 255]));
    let mut nearly = screen(12, [10, 10, 10]);
    nearly.put_pixel(0, 0, image::Rgb([254, 254, 254]));
    let pictures = [
        white,
        screen(1, [10, 10, 10]),
        screen(12, [10, 10, 10]),
        nearly,
        screen(12, [0, 0, 120]),
        screen(12, [220, 0, 0]),
        screen(7, [10, 10, 10]),
    ];
    let mut stored = Vec::new();
    for picture in &pictures {
        let blob = made.png(picture);
        stored.push(blob.clone().unwrap());
        made.step(webeval_evidence::ActionKind::Reload, None, |step| step.screenshot = blob);
    }
    let server = Server::answering(|request, _| answer(request, [3.0; 5])).await;
    let entry = judged(&made, &server).await;
    let shown = made.run.judgements().unwrap()[0].screenshots.clone();
    assert_eq!(shown, [&stored[2], &stored[4], &stored[5], &stored[6]].map(Clone::clone));
    assert!(
        entry.notes.contains(&"2 of 7 different screenshots were blank or half loaded".to_owned()),
        "{:?}",
        entry.notes
    );
    assert_eq!(Profile::default().max_images, 30);
}

#[tokio::test]
async fn a_screenshot_that_is_no_picture_is_told_before_anything_is_sent() {
    let mut made = todo();
    let page = made.run.store(webeval_evidence::BlobKind::Screenshot, b"<html>").unwrap();
    made.step(webeval_evidence::ActionKind::Reload, None, |step| step.screenshot = Some(page.clone()));
    let server = Server::answering(|request, _| answer(request, [3.0; 5])).await;
    let error =
        webcraft::judge(&made.run, Some(&task()), &model(&server), &Options::default(), &|_| {}).await.unwrap_err();
    assert!(error.to_string().starts_with(&format!("{page} is not a picture: ")), "{error}");
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn a_long_session_is_condensed_and_never_cut() {
    let mut made = todo();
    for number in 0..400 {
        let snapshot = made.html("<h1>Todo</h1><button>Add</button><ul></ul>");
        made.click("button", "Again and again a button with quite a long name", |step| {
            (step.snapshot, step.changed) = (snapshot, number % 2 == 0);
            if number == 399 {
                step.errors.push(crate::runs::thrown("the very last thing"));
            }
        });
    }
    let server = Server::answering(|request, _| answer(request, [3.0; 5])).await;
    let small = webeval_llm::Profiles::from_toml("[models.m]\ncontext = 8000").unwrap().get("m");
    let model = model_with(&server, small);
    let entry = webcraft::judge(&made.run, Some(&task()), &model, &Options::default(), &|_| {}).await.unwrap();
    assert!(entry.notes[0].starts_with("The session was condensed"));
    let requests = server.requests();
    let usability = requests.iter().find(|request| !is_aesthetics(request)).unwrap();
    let text = usability["messages"][1]["content"].as_str().unwrap();
    assert!(text.len() < 12_000, "{}", text.len());
    assert!(text.contains("the very last thing") && text.contains("blocked, something lies over the target"));
    assert!(text.contains("again, with the same outcome: step"));
}
