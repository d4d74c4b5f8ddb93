//! `webeval sections`: a page, or a folder of pages, in WebGen-V's structured form.

use std::path::{Path, PathBuf};

use clap::Args;
use webeval_browser::Driver;
use webeval_deploy::Server;
use webeval_evidence::Viewport;
use webeval_judges::{Prompts, webgen};
use webeval_sections::process::{Options, process};
use webeval_sections::{Converted, SectionsFile, convert};

use crate::args::{EndpointArgs, viewport};
use crate::commands::instrument::check_vacant;
use crate::commands::judge::cost;
use crate::failure::Failure;
use crate::model::{self, Model};
use crate::page::{OpenPage, OpeningArgs, Source, address};
use crate::pipeline;

#[derive(Debug, Args)]
pub(crate) struct SectionsArgs {
    /// An .html file, the URL of a page, or a folder whose pages are all converted
    #[arg(value_name = "PAGE")]
    page: String,
    /// Where sections.json and the pictures go. For a folder, each page gets a folder of its own there, and pages that
    /// have one from an earlier run are kept; else it must not exist yet, or be empty
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Size of the page in CSS pixels; given several times, each size gets a folder of its own [default: 1280x800]
    #[arg(long = "viewport", value_name = "WxH", value_parser = viewport)]
    viewports: Vec<Viewport>,
    /// Pages of a folder that are converted at a time [default: as many as there are processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=64))]
    jobs: Option<u8>,
    /// Model that says what each picture is for: logo, hero, feature, icon or background; without it, rules do
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    #[command(flatten)]
    endpoint: EndpointArgs,
    #[command(flatten)]
    opening: OpeningArgs,
}

pub(crate) async fn run(args: SectionsArgs) -> Result<(), Failure> {
    let source = Source::parse(&args.page, args.opening.root.as_deref())?;
    let mut options = Options::default();
    options.viewports.clone_from(&args.viewports);
    if let Source::Folder { folder, root } = &source {
        if args.out.is_file() {
            return Err(Failure::Input(format!("{} is a file; --out takes a folder", args.out.display())));
        }
        check_model(&args)?;
        let driver = pipeline::driver(args.opening.webdriver.as_deref()).await?;
        return convert_all(&args, &driver, (folder, root), &options).await;
    }
    check_vacant(&args.out)?;
    check_model(&args)?;
    let driver = pipeline::driver(args.opening.webdriver.as_deref()).await?;
    let processed =
        async |page: &mut OpenPage| process(&mut page.session, &args.out, &options).await.map_err(Failure::measuring);
    for file in OpenPage::with(&driver, &source, args.viewports.first().copied(), processed).await? {
        print(&file);
    }
    if let Some(name) = &args.model {
        let model = model::named(name, &args.endpoint, &args.out)?;
        for folder in options.folders(&args.out) {
            println!("{}", classify(&folder, &model).await?);
        }
    }
    println!("{}", args.out.display());
    Ok(())
}

/// Whether the model that is named, if any, can be set up and asked. Nothing is written and nothing sent.
fn check_model(args: &SectionsArgs) -> Result<(), Failure> {
    let Some(name) = &args.model else { return Ok(()) };
    let models = model::open_all(std::slice::from_ref(name), &args.endpoint, None)?;
    if models.iter().any(|model| !model.profile().vision) {
        return Err(Failure::Input(format!("{name} takes no pictures, so it cannot say what they are for")));
    }
    // A recording that is to be replayed is read; one that is to be written is not begun.
    args.endpoint.replay.is_some().then(|| model::tape(&args.endpoint, &args.out)).transpose().map(drop)
}

/// Has the model say what the pictures in a folder are for.
async fn classify(folder: &Path, model: &Model) -> Result<String, Failure> {
    let classified = webgen::classify(folder, model.as_ref(), &Prompts::default(), 0).await;
    let classified = classified.map_err(pipeline::judge_failure)?;
    let kept = match classified.by_rule {
        0 => String::new(),
        some => format!(", {some} keep theirs by rule"),
    };
    Ok(format!("{} pictures have a role by {}{kept}: {}", classified.pictures, model.name(), cost(&classified.usage)))
}

fn print(file: &SectionsFile) {
    let [width, height] = file.extent;
    println!("{width:.0} x {height:.0} at {:.0} x {:.0}", file.viewport[0], file.viewport[1]);
    for section in &file.sections {
        let rect = section.section.rect;
        println!(
            "{:>4}  {:<30} {:>5.0} x {:<6.0} {}",
            section.order, section.section.name, rect.width, rect.height, section.screenshot_path
        );
    }
    for note in &file.notes {
        println!("note: {note}");
    }
}

async fn convert_all(
    args: &SectionsArgs,
    driver: &Driver,
    (folder, root): (&Path, &Path),
    options: &Options,
) -> Result<(), Failure> {
    let server = Server::start(root.to_owned()).await.map_err(Failure::failed)?;
    let jobs = args.jobs.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from);
    let (mut done, mut kept, mut failed) = (0, 0, 0);
    let mut folders = Vec::new();
    let converted = convert(
        driver,
        (folder, &args.out),
        |page| address(&server, root, page).unwrap_or_default(),
        (options, jobs),
        |page, written, converted| {
            let name = page.strip_prefix(folder).unwrap_or(page).display();
            if !matches!(converted, Converted::Failed(_)) {
                folders.extend_from_slice(written);
            }
            match converted {
                Converted::Done(sections) => {
                    done += 1;
                    println!("{name}: {sections} sections");
                }
                Converted::Kept => kept += 1,
                Converted::Failed(error) => {
                    failed += 1;
                    eprintln!("webeval: {name}: {error}");
                }
                _ => {}
            }
        },
    )
    .await;
    server.stop().await;
    converted.map_err(Failure::input)?;
    if let Some(name) = args.model.as_ref().filter(|_| !folders.is_empty()) {
        let model = model::named(name, &args.endpoint, &args.out)?;
        for folder in folders {
            println!("{}: {}", folder.display(), classify(&folder, &model).await?);
        }
    }
    match (done + kept, failed) {
        (0, 0) => Err(Failure::Input(format!("no .html file in {}", folder.display()))),
        (_, 0) => {
            println!("{done} pages converted, {kept} kept from before: {}", args.out.display());
            Ok(())
        }
        (fine, _) => Err(Failure::Failed(format!("{failed} of {} pages could not be converted", fine + failed))),
    }
}
