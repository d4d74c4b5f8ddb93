//! The degradation experiment: what is put in is what was said, the same for the same seed, and it is found.

use webeval_sections::degrade::{self, Category, FaultKind, Grade, Options, Tally};

use crate::support::{browser, open};

#[tokio::test]
async fn plain_and_gross_faults_are_found_on_the_fixtures() {
    let Some(mut session) = browser().await else { return };
    let (mut tally, mut untouched) = (Tally::default(), Tally::default());
    for name in ["pages/landing.html", "pages/shop.html", "pages/article.html"] {
        for seed in 1..=4 {
            open(&mut session, name).await;
            let result = degrade::degrade(&mut session, &Options::with_seed(seed)).await.unwrap();
            let predictions = degrade::detect(&result.page, &result.sections);
            tally.add(&predictions, &result.sections, &result.faults);
            let clean = degrade::detect(&result.clean, &result.clean_sections);
            untouched.add(&clean, &result.clean_sections, &[]);
        }
    }
    assert!(tally.micro().f1() >= 0.9, "{tally:#?}");
    for category in Category::ALL {
        assert!(tally.categories[&category].f1() >= 0.85, "{category:?} {tally:#?}");
    }
    assert_eq!(untouched.micro().false_positive, 0, "{untouched:#?}");
}

#[tokio::test]
async fn a_seed_gives_the_same_faults_and_their_magnitudes_are_in_range() {
    let Some(mut session) = browser().await else { return };
    let mut all = Vec::new();
    for seed in [7, 7] {
        open(&mut session, "pages/landing.html").await;
        all.push(degrade::degrade(&mut session, &Options::with_seed(seed)).await.unwrap().faults);
    }
    assert_eq!(all[0], all[1]);
    assert!(!all[0].is_empty());
    for fault in &all[0] {
        let range = match (fault.kind, fault.grade) {
            (FaultKind::TextSize, Grade::Plain) => (6.5, 8.5),
            (FaultKind::TextSize, Grade::Gross) => (3.0, 6.0),
            (FaultKind::TextColor, Grade::Plain) => (1.5, 2.1),
            (FaultKind::TextColor, Grade::Gross) => (1.05, 1.35),
            (FaultKind::Spacing, Grade::Plain) => (20.0, 36.0),
            (FaultKind::Spacing, Grade::Gross) => (48.0, 96.0),
            (FaultKind::Alignment, Grade::Plain) => (12.0, 28.0),
            (FaultKind::Alignment, Grade::Gross) => (36.0, 80.0),
            (FaultKind::Aspect, Grade::Plain) => (1.25, 1.5),
            (FaultKind::Aspect, Grade::Gross) => (1.8, 2.6),
            _ => (f64::MIN, f64::MAX),
        };
        assert!(fault.magnitude >= range.0 && fault.magnitude <= range.1, "{fault:?}");
    }
}

#[test]
fn a_copy_carries_the_faults_and_finds_its_files() {
    let page =
        degrade::page_with("<html><head><title>t</title></head><body><p>x</p></body></html>", "http://h/a/", &[]);
    assert_eq!(
        page,
        "<html><head><base href=\"http://h/a/\"><title>t</title></head><body><p>x</p><style>\n</style>\n</body></html>"
    );
}
