//! `webeval check`: what can be measured to be wrong with a page.

use std::time::Duration;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use webeval_evidence::Severity;
use webeval_sections::{Finding, Report, capture};

use crate::failure::Failure;
use crate::page::{OpenPage, PageArgs};

/// Longest wait for a page to come to rest.
pub(crate) const REST: Duration = Duration::from_secs(5);

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    page: PageArgs,
    /// A text that the page has to show word for word; may be given several times
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    require: Vec<String>,
    /// Print one JSON object, with boxes and notes, instead of lines
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(args: CheckArgs) -> Result<(), Failure> {
    let report = OpenPage::visit(&args.page, async |page| check(page, &args.require).await).await?;
    if args.json {
        println!("{}", serde_json::to_string_pretty(&report).map_err(Failure::failed)?);
    } else {
        print(&report);
    }
    Ok(())
}

async fn check(page: &mut OpenPage, required: &[String]) -> Result<Report, Failure> {
    let mut notes = capture::prepare(&mut page.session, REST).await.map_err(Failure::measuring)?;
    let mut report = capture::check_for(&mut page.session, required).await.map_err(Failure::measuring)?;
    notes.append(&mut report.page.notes);
    report.page.notes = notes;
    Ok(report)
}

fn print(report: &Report) {
    let (notes, faults): (Vec<&Finding>, Vec<&Finding>) =
        report.findings.iter().partition(|finding| finding.severity == Severity::Note);
    for finding in &faults {
        let grade = match (finding.visible_error, finding.severity) {
            (true, _) => "visible",
            (false, Severity::Major) => "major",
            (false, _) => "minor",
        };
        let times = if finding.count > 1 { format!(" (and {} like it)", finding.count - 1) } else { String::new() };
        println!("{grade:<8} {:<5} {}{times}\n{:15}{}", metric(finding.metric), finding.message, "", finding.selector);
    }
    let scores: Vec<String> = report.scores.iter().map(|(&name, score)| format!("{} {score}", metric(name))).collect();
    println!("{} faults, {} notes below a fault", faults.len(), notes.len());
    println!("scores of 1 to 5: {}", scores.join(", "));
    for note in &report.page.notes {
        println!("note: {note}");
    }
}

/// The metric's short name.
fn metric(metric: webeval_sections::Metric) -> String {
    format!("{metric:?}").to_uppercase()
}
