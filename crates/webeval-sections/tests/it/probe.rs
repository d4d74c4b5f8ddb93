//! The probe's blob, in the shape that judges read.

use webeval_explore::Probe;
use webeval_sections::VisualProbe;

use crate::support::{browser, open};

#[tokio::test]
async fn a_state_is_measured_as_json() {
    let Some(mut session) = browser().await else { return };
    open(&mut session, "pages/faults.html").await;
    let blob = VisualProbe::default().inspect(&mut session).await.unwrap();
    assert_eq!(blob["format"], 1);
    assert_eq!(blob["page"]["title"], "Planted faults");
    let pale = blob["findings"].as_array().unwrap().iter().find(|finding| finding["selector"] == "#pale").unwrap();
    assert_eq!(pale["metric"], "TR");
    assert_eq!(pale["rule"], "contrast");
    assert_eq!(pale["severity"], "major");
    assert_eq!(pale["visible_error"], true);
    assert_eq!(pale["limit"], 4.5);
    // #d0d0d0: channel 208/255 → L = 0.6308, so 1.05 / 0.6808.
    assert_eq!(pale["value"], 1.54);
    assert_eq!(pale["count"], 1);
    assert!(blob["scores"]["TR"].as_u64().unwrap() <= 3);
}
