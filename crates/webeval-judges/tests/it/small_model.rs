//! One whole judgement by a real model on a real server, where there is one (`scripts/small-model` starts it).

use std::time::{Duration, Instant};

use tokio::sync::Notify;
use webeval_judges::webcraft::{self, Options};
use webeval_judges::{Event, Task};
use webeval_llm::{ApiKey, Endpoint, Limits, OpenAi, Profiles};

use crate::runs::todo;

const WHERE: &str = "WEBEVAL_SMALL_MODEL";

#[tokio::test]
async fn a_real_model_judges_usability_by_its_schema() {
    let Ok(base_url) = std::env::var(WHERE) else {
        eprintln!("skipped: {WHERE} names no server; scripts/small-model says how to start one");
        return;
    };
    // Without eyes, so that what is judged is usability.
    let profile = "[models.small]\nvision = false\ntools = false\ncontext = 7000\nmax_tokens_field = \"max_tokens\"";
    let profile = Profiles::from_toml(profile).unwrap().get("small");
    let endpoint = Endpoint { base_url, key: ApiKey::default(), model: "small".into() };
    let limits =
        Limits::default().with_timeouts(Duration::from_secs(600), Duration::from_secs(900)).with_concurrency(1);
    let model = OpenAi::new(endpoint, profile, limits).unwrap();
    let made = todo();
    let begun = Instant::now();
    let task = Task::new("todo", "a to-do list");
    // Seven answers take such a model a quarter of an hour; dropping the judge after the first whole verdict is safe, and
    // what it has said is kept.
    let judged = Notify::new();
    let told = |event| {
        eprintln!("{event:?} after {:.0} s", begun.elapsed().as_secs_f64());
        if matches!(event, Event::Judged { .. }) {
            judged.notify_one();
        }
    };
    let options = Options::default();
    tokio::select! {
        entry = webcraft::judge(&made.run, Some(&task), &model, &options, &told) => eprintln!("{:?}", entry.unwrap().dimensions),
        () = judged.notified() => {}
    }
    let judgements = made.run.judgements().unwrap();
    let first = judgements.iter().find(|judgement| judgement.failure.is_none()).expect("no answer followed its schema");
    assert!(first.usage.calls >= 1 && first.usage.output > 0, "{first:?}");
    for observation in first.verdict["observations"].as_array().unwrap() {
        assert!(observation["claim"].is_string() && observation["evidence"].is_array(), "{observation}");
    }
    assert!(webeval_evidence::schema::validate(made.run.root()).unwrap().is_empty());
}
