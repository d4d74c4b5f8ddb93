//! What the command prints at its end.

use webeval_evidence::{Count, RunDir, ScoreStatus, Step};
use webeval_report::{Score, Summary, summary};

use crate::failure::Failure;

/// Prints a run's figures, as a table or as one JSON object, and where the report is.
pub(crate) fn print(run: &RunDir, json: bool, timings: bool) -> Result<(), Failure> {
    let figures = summary(run).map_err(Failure::failed)?;
    if json {
        println!("{}", serde_json::to_string(&figures).map_err(Failure::failed)?);
        return Ok(());
    }
    print_figures(&figures);
    print_scores(&figures.scores);
    if timings {
        print_timings(&run.trace().map_err(Failure::failed)?.steps);
    }
    let report = run.root().join("report.html");
    println!("\n{}", if report.is_file() { report.display() } else { run.root().display() });
    Ok(())
}

fn line(name: &str, value: impl std::fmt::Display) {
    println!("{name:<24}{value}");
}

fn print_figures(figures: &Summary) {
    line("status", figures.status.name());
    line("steps", format!("{} of {} in {:.1} s", figures.steps, figures.budget, figures.wall_seconds));
    if let (Some(states), Some(transitions)) = (figures.states, figures.transitions) {
        line("states", format!("{states}, {transitions} transitions"));
    }
    match &figures.coverage {
        Some(coverage) => {
            for (name, count) in [
                ("statements covered", coverage.statements),
                ("functions covered", coverage.functions),
                ("branches covered", coverage.branches),
                ("lines covered", coverage.lines),
            ] {
                line(name, share(count));
            }
        }
        None => line("coverage", "none: the app is a black box"),
    }
    let seen = &figures.failures;
    line("page errors", seen.page_errors);
    line("console errors", seen.console_errors);
    line("failed requests", seen.failed_requests);
    line("blocked actions", seen.blocked);
    line("hangs and crashes", seen.hangs);
}

fn share(count: Count) -> String {
    let percent = 100.0 * f64::from(count.covered) / f64::from(count.total.max(1));
    format!("{percent:.1} % ({} of {})", count.covered, count.total)
}

fn print_scores(scores: &[Score]) {
    let width = scores.iter().map(|score| score.dimension.len()).max().unwrap_or(0) + 2;
    let mut judge = String::new();
    for score in scores {
        let heading = format!("{} by {}", score.method, score.judge);
        if heading != judge {
            println!("\nscores: {heading}");
            judge = heading;
        }
        println!("  {:<width$}{}", score.dimension, value(score));
    }
}

fn value(score: &Score) -> String {
    match (score.status, score.value, score.bounds) {
        (ScoreStatus::NotApplicable, _, _) => "not applicable".to_owned(),
        (ScoreStatus::Incomplete, None, Some((low, high))) => format!("not checked (between {low:.1} and {high:.1})"),
        (ScoreStatus::NotJudged, _, _) | (_, None, _) => "not judged".to_owned(),
        (ScoreStatus::Incomplete, Some(value), Some((low, high))) => {
            format!("{value:.1} (incomplete: between {low:.1} and {high:.1})")
        }
        (ScoreStatus::Undeployable, Some(value), _) => format!("{value:.1} (could not be deployed)"),
        (_, Some(value), _) => format!("{value:.1}"),
    }
}

fn print_timings(steps: &[Step]) {
    println!("\n{:<12}{:>10}{:>10}{:>10}", "ms a step", "median", "90 %", "99 %");
    type Part = fn(&Step) -> f64;
    let parts: [(&str, Part); 7] = [
        ("total", |step| step.timings.total),
        ("act", |step| step.timings.act),
        ("settle", |step| step.timings.settle),
        ("observe", |step| step.timings.observe),
        ("screenshot", |step| step.timings.screenshot),
        ("model", |step| step.timings.model),
        ("own work", |step| step.timings.own),
    ];
    for (name, part) in parts {
        let mut times: Vec<f64> = steps.iter().skip(1).map(part).collect();
        times.sort_by(f64::total_cmp);
        let at =
            |share: f64| times.get(((times.len() as f64 * share) as usize).min(times.len().saturating_sub(1))).copied();
        let [median, ninety, last] = [0.5, 0.9, 0.99].map(|share| at(share).unwrap_or(0.0));
        println!("{name:<12}{median:>10.1}{ninety:>10.1}{last:>10.1}");
    }
}
