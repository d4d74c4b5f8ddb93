//! `webeval degrade`: a copy of a page with known faults in it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde::Serialize;
use serde_json::{Value, json};
use webeval_sections::degrade::{self, Degradation, Options};

use crate::commands::instrument::check_vacant;
use crate::failure::Failure;
use crate::page::{OpenPage, PageArgs, Source};
use crate::pipeline;

/// How bad the faults may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Grade {
    /// To be seen by comparing with the original
    Barely,
    /// To be seen by looking for it
    Plain,
    /// To be seen at once
    Gross,
}

#[derive(Debug, Args)]
pub(crate) struct DegradeArgs {
    #[command(flatten)]
    page: PageArgs,
    /// Seed of every choice
    #[arg(long, value_name = "N")]
    seed: u64,
    /// How bad the faults may be, each as likely
    #[arg(long, value_enum, value_name = "GRADE", value_delimiter = ',', default_values_t = [Grade::Plain, Grade::Gross])]
    grade: Vec<Grade>,
    /// Where the copy and faults.json go; must not exist yet, or be empty
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// `faults.json`.
#[derive(Debug, Serialize)]
struct Faults<'a> {
    /// Version of this shape: 1.
    format: u32,
    /// The copy, relative to this file.
    page: &'a str,
    /// What it was made from.
    source: &'a str,
    viewport: [f64; 2],
    options: &'a Options,
    faults: &'a [Degradation],
}

pub(crate) async fn run(args: DegradeArgs) -> Result<(), Failure> {
    let source = Source::parse(&args.page.page, args.page.opening.root.as_deref())?;
    check_vacant(&args.out)?;
    let driver = pipeline::driver(args.page.opening.webdriver.as_deref()).await?;
    OpenPage::with(&driver, &source, args.page.viewport, async |page| degraded(&args, &source, page).await).await
}

async fn degraded(args: &DegradeArgs, source: &Source, page: &mut OpenPage) -> Result<(), Failure> {
    let grades = args.grade.iter().map(|grade| match grade {
        Grade::Barely => degrade::Grade::Barely,
        Grade::Plain => degrade::Grade::Plain,
        Grade::Gross => degrade::Grade::Gross,
    });
    let mut options = Options::with_seed(args.seed);
    options.grades = grades.collect();
    let result = degrade::degrade(&mut page.session, &options).await.map_err(Failure::measuring)?;
    let tree = page
        .session
        .cdp("Page.getResourceTree", json!({}))
        .await
        .map_err(|source| Failure::measuring(source.into()))?;
    let name = match source {
        Source::File { page: path, root } => {
            copy_files(&tree["frameTree"], page, root, &args.out)?;
            let name = path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned();
            let html = std::fs::read(path).map_err(cannot("read", path))?;
            let copy = degrade::page_with(&String::from_utf8_lossy(&html), "", &result.faults);
            write(&args.out.join(&name), copy.as_bytes())?;
            name
        }
        _ => {
            let html = source_of(page, &tree["frameTree"]["frame"]["id"]).await?;
            let copy = degrade::page_with(&html, &page.url, &result.faults);
            write(&args.out.join("page.html"), copy.as_bytes())?;
            "page.html".to_owned()
        }
    };
    let faults = Faults {
        format: 1,
        page: &name,
        source: &args.page.page,
        viewport: result.page.measurement().viewport,
        options: &options,
        faults: &result.faults,
    };
    write(&args.out.join("faults.json"), &serde_json::to_vec_pretty(&faults).map_err(Failure::failed)?)?;
    for fault in &result.faults {
        let word = |value: &dyn std::fmt::Debug| format!("{value:?}").to_lowercase();
        println!(
            "{:<7} {:<6} {} to {:.2} [{}]",
            word(&fault.category),
            word(&fault.grade),
            serde_json::to_value(fault.kind).unwrap_or_default().as_str().unwrap_or_default(),
            fault.magnitude,
            fault.selector
        );
    }
    println!("{} faults: {}", result.faults.len(), args.out.join(name).display());
    Ok(())
}

/// The page's text as it came.
async fn source_of(page: &mut OpenPage, frame: &Value) -> Result<String, Failure> {
    let url = page.session.evaluate("return location.href", &[]).await.map_err(Failure::failed)?;
    let asked = json!({"frameId": frame, "url": url});
    let answer = page.session.cdp("Page.getResourceContent", asked).await.map_err(Failure::failed)?;
    match answer["content"].as_str() {
        Some(html) if answer["base64Encoded"] != true => Ok(html.to_owned()),
        _ => Err(Failure::Failed(format!("cannot have the source of {}: it is not text", page.url))),
    }
}

/// Copies what the page has loaded from the served folder, to the same places under `out`.
fn copy_files(tree: &Value, page: &OpenPage, root: &Path, out: &Path) -> Result<(), Failure> {
    let mut urls = BTreeSet::new();
    collect(tree, &mut urls);
    for relative in urls.iter().filter_map(|url| page.file_of(url)) {
        let from = root.join(&relative);
        // What leads out of the served folder was not served, and is none of the page's.
        if from.canonicalize().is_ok_and(|path| path.starts_with(root) && path.is_file()) {
            let content = std::fs::read(&from).map_err(cannot("read", &from))?;
            write(&out.join(&relative), &content)?;
        }
    }
    Ok(())
}

fn collect(tree: &Value, urls: &mut BTreeSet<String>) {
    urls.extend(tree["frame"]["url"].as_str().map(str::to_owned));
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    urls.extend(list(&tree["resources"]).iter().filter_map(|resource| Some(resource["url"].as_str()?.to_owned())));
    list(&tree["childFrames"]).iter().for_each(|child| collect(child, urls));
}

fn write(path: &Path, content: &[u8]) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder).map_err(cannot("create", folder))?;
    std::fs::write(path, content).map_err(cannot("write", path))
}

fn cannot(what: &str, path: &Path) -> impl FnOnce(std::io::Error) -> Failure {
    move |error| Failure::Failed(format!("cannot {what} {}: {error}", path.display()))
}
