//! `webeval detect`: which sections of a page look degraded, in which category, without seeing the original.

use clap::Args;
use serde::Serialize;
use webeval_evidence::Rect;
use webeval_sections::degrade::{self, Category, Grounds};
use webeval_sections::measure::{HitTests, Options};
use webeval_sections::{capture, section};

use crate::commands::check::REST;
use crate::failure::Failure;
use crate::page::{OpenPage, PageArgs};

#[derive(Debug, Args)]
pub(crate) struct DetectArgs {
    #[command(flatten)]
    page: PageArgs,
    /// Print one JSON object, with the grounds' values and boxes, instead of a table
    #[arg(long)]
    json: bool,
}

/// What is printed as JSON.
#[derive(Debug, Serialize)]
struct Verdicts {
    url: String,
    viewport: [f64; 2],
    rows: Vec<Row>,
    notes: Vec<String>,
}

/// One section and category.
#[derive(Debug, Serialize)]
struct Row {
    section: String,
    name: String,
    rect: Rect,
    category: Category,
    degraded: bool,
    grounds: Vec<Grounds>,
}

pub(crate) async fn run(args: DetectArgs) -> Result<(), Failure> {
    let verdicts = OpenPage::visit(&args.page, verdicts).await?;
    if args.json {
        println!("{}", serde_json::to_string_pretty(&verdicts).map_err(Failure::failed)?);
    } else {
        print(&verdicts);
    }
    Ok(())
}

async fn verdicts(open: &mut OpenPage) -> Result<Verdicts, Failure> {
    let mut notes = capture::prepare(&mut open.session, REST).await.map_err(Failure::measuring)?;
    let whole = Options { hit: HitTests::Page, ..Options::default() };
    let page = capture::measure(&mut open.session, whole).await.map_err(Failure::measuring)?;
    notes.extend(page.measurement().notes.iter().cloned());
    let sections = section::detect(&page);
    let rows = degrade::detect(&page, &sections).into_iter().filter_map(|prediction| {
        let section = sections.iter().find(|section| section.id == prediction.section)?;
        Some(Row {
            section: prediction.section,
            name: section.name.clone(),
            rect: section.rect,
            category: prediction.category,
            degraded: prediction.degraded,
            grounds: prediction.grounds,
        })
    });
    let (rows, measured) = (rows.collect(), page.measurement());
    Ok(Verdicts { url: measured.url.clone(), viewport: measured.viewport, rows, notes })
}

fn print(verdicts: &Verdicts) {
    let width = verdicts.rows.iter().map(|row| row.section.chars().count()).max().unwrap_or(0).max(7);
    for row in &verdicts.rows {
        let category = format!("{:?}", row.category).to_lowercase();
        let verdict = if row.degraded { "degraded" } else { "clean" };
        let grounds = row
            .grounds
            .first()
            .map_or(String::new(), |grounds| format!("{} [{}]", grounds.finding.message, grounds.finding.selector));
        println!("{}", format!("{:<width$}  {category:<8} {verdict:<9} {grounds}", row.section).trim_end());
    }
    let degraded = verdicts.rows.iter().filter(|row| row.degraded).count();
    println!("{degraded} of {} degraded", verdicts.rows.len());
    for note in &verdicts.notes {
        println!("note: {note}");
    }
}
