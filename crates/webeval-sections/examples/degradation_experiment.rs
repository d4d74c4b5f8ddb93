//! The degradation experiment of WebGen-V §4.3: puts known faults into pages, predicts where they are, and prints
//! precision, recall and F1 in the shape of table 2.
//!
//! `degradation_experiment [--seeds N] [--barely] [--verbose] PAGE.html…`

use webeval_browser::{Driver, DriverOptions, Session, SessionOptions};
use webeval_evidence::{Action, ActionKind};
use webeval_sections::degrade::{self, Counts, Grade, Options, Tally};

type Failure = Box<dyn std::error::Error>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let mut pages: Vec<String> = std::env::args().skip(1).collect();
    let mut flag = |name: &str| pages.iter().position(|arg| arg == name).map(|at| pages.remove(at)).is_some();
    let (barely, verbose) = (flag("--barely"), flag("--verbose"));
    let seeds = match pages.iter().position(|arg| arg == "--seeds") {
        Some(at) => pages.drain(at..at + 2).next_back().and_then(|n| n.parse().ok()).unwrap_or(1),
        None => 1,
    };
    let mut options = Options::default();
    if barely {
        options.grades = vec![Grade::Barely];
    }
    let driver = Driver::start(&DriverOptions::default()).await?;
    let (mut degraded, mut untouched) = (Tally::default(), Tally::default());
    for page in &pages {
        let mut session_options = SessionOptions::new("file://");
        session_options.offline = true;
        let mut session = Session::open(&driver, session_options).await?;
        if let Err(error) = run(&mut session, page, seeds, &mut options, verbose, (&mut degraded, &mut untouched)).await
        {
            eprintln!("{page}: {error}");
        }
        session.close().await?;
    }
    println!("degraded pages");
    table(&degraded);
    println!("\nuntouched pages");
    table(&untouched);
    Ok(())
}

async fn run(
    session: &mut Session,
    page: &str,
    seeds: u64,
    options: &mut Options,
    verbose: bool,
    (degraded, untouched): (&mut Tally, &mut Tally),
) -> Result<(), Failure> {
    let path = std::fs::canonicalize(page)?;
    let load = ActionKind::Load { url: format!("app:{}", path.display()) };
    for seed in 1..=seeds {
        session.step(&Action { kind: load.clone(), target: None }).await?;
        // Another page, another draw: one seed for all would put the same kinds everywhere.
        options.seed = page.bytes().fold(seed, |seed, byte| seed.wrapping_mul(31).wrapping_add(u64::from(byte)));
        let result = degrade::degrade(session, options).await?;
        let predictions = degrade::detect(&result.page, &result.sections);
        degraded.add(&predictions, &result.sections, &result.faults);
        if verbose {
            explain(page, seed, &result, &predictions);
        }
        if seed == 1 {
            let clean = degrade::detect(&result.clean, &result.clean_sections);
            untouched.add(&clean, &result.clean_sections, &[]);
        }
    }
    Ok(())
}

fn explain(page: &str, seed: u64, result: &degrade::Degraded, predictions: &[degrade::Prediction]) {
    for fault in &result.faults {
        let home = degrade::home(&result.sections, fault).map(|section| section.id.as_str());
        let hit =
            predictions.iter().any(|p| p.degraded && Some(p.section.as_str()) == home && p.category == fault.category);
        let verdict = if hit { "found" } else { "MISSED" };
        println!(
            "{verdict} {page}@{seed} {:?} {:?} {:.2} {:?} {}",
            fault.kind, fault.grade, fault.magnitude, home, fault.selector
        );
    }
    for prediction in predictions.iter().filter(|prediction| prediction.degraded) {
        let labelled = result.faults.iter().any(|fault| {
            fault.category == prediction.category
                && degrade::home(&result.sections, fault).is_some_and(|section| section.id == prediction.section)
        });
        if !labelled {
            let grounds = prediction.grounds.first();
            let message = grounds.map_or("", |grounds| grounds.finding.message.as_str());
            println!("FALSE {page}@{seed} {} {:?} {message}", prediction.section, prediction.category);
        }
    }
}

fn table(tally: &Tally) {
    println!("{:<10} {:>5} {:>5} {:>5} {:>5}   {:>6} {:>6} {:>6}", "category", "tp", "fp", "fn", "tn", "P", "R", "F1");
    let row = |name: &str, counts: Counts, scores: [f64; 3]| {
        let Counts { true_positive, false_positive, false_negative, true_negative, .. } = counts;
        let [precision, recall, f1] = scores;
        println!(
            "{name:<10} {true_positive:>5} {false_positive:>5} {false_negative:>5} {true_negative:>5}   {precision:>6.3} {recall:>6.3} {f1:>6.3}"
        );
    };
    for (category, &counts) in &tally.categories {
        row(&format!("{category:?}"), counts, [counts.precision(), counts.recall(), counts.f1()]);
    }
    let micro = tally.micro();
    row("micro", micro, [micro.precision(), micro.recall(), micro.f1()]);
    println!("{:<10} {:>23}   {:>6} {:>6} {:>6.3}", "macro", "", "", "", tally.macro_f1());
}
