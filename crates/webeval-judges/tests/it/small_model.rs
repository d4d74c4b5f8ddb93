//! One whole judgement by a real model on a real server, where there is one (`scripts/small-model` starts it).

use std::time::{Duration, Instant};

use webeval_judges::Task;
use webeval_judges::webcraft::{self, Options};
use webeval_llm::{ApiKey, Endpoint, Limits, OpenAi, Profiles};

use crate::runs::todo;

const WHERE: &str = "WEBEVAL_SMALL_MODEL";

#[tokio::test]
async fn a_real_model_judges_usability_by_its_schema() {
    let Ok(base_url) = std::env::var(WHERE) else {
        eprintln!("skipped: {WHERE} names no server; scripts/small-model says how to start one");
        return;
    };
    // Without eyes, so that what is judged is usability: an advocate, a critic and five final judges.
    let profile = "[models.small]\nvision = false\ntools = false\ncontext = 7000\nmax_tokens_field = \"max_tokens\"";
    let profile = Profiles::from_toml(profile).unwrap().get("small");
    let endpoint = Endpoint { base_url, key: ApiKey::default(), model: "small".into() };
    let limits =
        Limits::default().with_timeouts(Duration::from_secs(600), Duration::from_secs(900)).with_concurrency(1);
    let model = OpenAi::new(endpoint, profile, limits).unwrap();
    let made = todo();
    let begun = Instant::now();
    let task = Task::new("todo", "a to-do list");
    let told = |event| eprintln!("{event:?}");
    let entry = webcraft::judge(&made.run, Some(&task), &model, &Options::default(), &told).await.unwrap();
    eprintln!("{:?} after {:.0} s: {:?}", entry.dimensions["usability"], begun.elapsed().as_secs_f64(), entry.usage);
    let judgements = made.run.judgements().unwrap();
    assert_eq!(judgements.len(), 7);
    for judgement in &judgements {
        assert!(judgement.usage.calls >= 1 && judgement.usage.output > 0, "{judgement:?}");
        // Cut answers are the small model's failure; whatever was accepted follows the schema.
        assert!(judgement.failure.is_some() || judgement.verdict.is_object(), "{judgement:?}");
    }
    let answered = judgements.iter().filter(|judgement| judgement.failure.is_none()).count();
    assert!(answered > 0, "no answer followed its schema");
    if let Some(value) = entry.dimensions["usability"].value {
        assert!((0.0..=100.0).contains(&value));
    }
    assert!(webeval_evidence::schema::validate(made.run.root()).unwrap().is_empty());
}
