//! Writes the report of a run directory: of the one given, or of an empty one made for the purpose.
use webeval_evidence::{AppSource, RunDir, RunRecord, Settings};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scratch = std::env::temp_dir().join(format!("webeval-report-example-{}", std::process::id()));
    let run = match std::env::args().nth(1).filter(|path| std::path::Path::new(path).join("run.json").exists()) {
        Some(path) => RunDir::open(path)?,
        None => RunDir::create(
            &scratch,
            &RunRecord::new(AppSource::HtmlFile { path: "todo.html".into() }, None, Settings::default()),
        )?,
    };
    let page = webeval_report::write(&run)?;
    println!("{} has {} bytes", page.display(), std::fs::metadata(&page)?.len());
    let _ = std::fs::remove_dir_all(scratch);
    Ok(())
}
