//! `webeval generate`.

use std::path::{Path, PathBuf};

use clap::Args;
use webeval_evidence::Viewport;
use webeval_judges::{Prompts, webgen};

use crate::args::EndpointArgs;
use crate::commands::judge::{capture, cost};
use crate::failure::Failure;
use crate::pipeline::judge_failure;
use crate::{files, model, pipeline, plain};

#[derive(Debug, Args)]
pub(crate) struct GenerateArgs {
    /// The instruction, a text or Markdown file
    #[arg(value_name = "INSTRUCTION", required_unless_present = "from")]
    pub(crate) instruction: Option<PathBuf>,
    /// Make the instruction from this page first: an .html file, a folder, or a URL
    #[arg(long, value_name = "PAGE", conflicts_with = "instruction")]
    pub(crate) from: Option<String>,
    /// With --from: write the instruction and stop
    #[arg(long, requires = "from")]
    pub(crate) instruction_only: bool,
    /// Model that writes
    #[arg(long, value_name = "NAME")]
    pub(crate) model: String,
    #[command(flatten)]
    pub(crate) endpoint: EndpointArgs,
    /// Folder to write: index.html, and with --from instruction.md, images/ and the page it was made from
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Seed of the model's sampling
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Folder of prompt templates that take the places of the built-in ones (docs/judging.md)
    #[arg(long, value_name = "DIR")]
    pub(crate) prompts: Option<PathBuf>,
    /// A WebDriver to use instead of starting chromedriver
    #[arg(long, value_name = "URL", env = "WEBEVAL_WEBDRIVER")]
    pub(crate) webdriver: Option<String>,
}

pub(crate) async fn run(args: GenerateArgs) -> Result<(), Failure> {
    let prompts = prompts(args.prompts.as_deref())?;
    let instruction = args.instruction.as_deref().map(read_text).transpose()?;
    let page = args.out.join("index.html");
    if page.exists() {
        return Err(Failure::Input(format!("{} is there already; choose another folder", page.display())));
    }
    let app = args.from.as_deref().map(webeval_deploy::locate).transpose().map_err(Failure::input)?;
    // Before anything is written: whether the model could be set up.
    drop(model::open_all(std::slice::from_ref(&args.model), &args.endpoint, None)?);
    create(&args.out)?;
    let model = model::named(&args.model, &args.endpoint, &args.out)?;
    let instruction = match (instruction, &app) {
        (Some(instruction), _) => instruction,
        (None, Some(app)) => {
            let driver = pipeline::driver(args.webdriver.as_deref()).await?;
            let up = plain::bring_up_at(app).await?;
            let source = args.out.join("source");
            let captured = capture(&driver, &up, Viewport::default(), &source).await;
            up.stop().await;
            copy_images(&source.join("images"), &args.out.join("images")).map_err(Failure::failed)?;
            let made =
                webgen::instruct(&captured?, model.as_ref(), &prompts, args.seed).await.map_err(judge_failure)?;
            let path = args.out.join("instruction.md");
            write(&path, &made.markdown)?;
            eprintln!("webeval: {}", cost(&made.usage));
            println!("{}", path.display());
            made.markdown
        }
        (None, None) => return Err(Failure::Input("give an instruction, or a page by --from".to_owned())),
    };
    if args.instruction_only {
        return Ok(());
    }
    let written = webgen::generate(&instruction, model.as_ref(), &prompts, args.seed).await.map_err(judge_failure)?;
    write(&page, &written.html)?;
    eprintln!("webeval: {}", cost(&written.usage));
    println!("{}", page.display());
    Ok(())
}

/// The built-in templates, or those of a folder in their places.
pub(crate) fn prompts(folder: Option<&Path>) -> Result<Prompts, Failure> {
    folder.map_or_else(|| Ok(Prompts::default()), Prompts::with_overrides).map_err(Failure::input)
}

/// A text file that must not be empty.
pub(crate) fn read_text(path: &Path) -> Result<String, Failure> {
    let text = files::read_text(path)?;
    if text.trim().is_empty() { Err(Failure::Input(format!("{} is empty", path.display()))) } else { Ok(text) }
}

pub(crate) fn create(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::Input(format!("cannot make the folder {}: {error}", folder.display())))
}

pub(crate) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text).map_err(|error| Failure::Failed(format!("cannot write {}: {error}", path.display())))
}

fn copy_images(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from).into_iter().flatten() {
        let entry = entry?;
        std::fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(())
}
