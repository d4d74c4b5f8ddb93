//! `webeval doctor`: what is missing on this machine, and how to get it.

use clap::Args;
use serde::Serialize;
use tokio::process::Command;

use crate::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Print one JSON object instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

/// One thing that was looked for.
#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    /// Without it nothing runs.
    required: bool,
    /// What was found; none when it is missing.
    found: Option<String>,
    /// What it is for, and how to get it.
    advice: &'static str,
}

pub(crate) async fn run(args: &DoctorArgs) -> Result<(), Failure> {
    let checks = checks().await;
    if args.json {
        println!("{}", serde_json::to_string_pretty(&checks).map_err(Failure::failed)?);
    } else {
        print_table(&checks);
    }
    let missing: Vec<&str> = checks.iter().filter(|c| c.required && c.found.is_none()).map(|c| c.name).collect();
    if missing.is_empty() { Ok(()) } else { Err(Failure::Failed(format!("missing: {}", missing.join(", ")))) }
}

async fn checks() -> Vec<Check> {
    let browser = version("chromium", "--version").await;
    let driver = version("chromedriver", "--version").await;
    let matching = match (&browser, &driver) {
        (Some(browser), Some(driver)) if major(browser) == major(driver) => major(browser),
        _ => None,
    };
    let key = std::env::var("OPENAI_API_KEY").ok().filter(|key| !key.is_empty());
    let required = |name, found, advice| Check { name, required: true, found, advice };
    let optional = |name, found, advice| Check { name, required: false, found, advice };
    vec![
        required("chromium", browser, "the browser; scripts/setup, or: apt-get install chromium"),
        required("chromedriver", driver, "its driver; scripts/setup, or: apt-get install chromium-driver"),
        required(
            "matching versions",
            matching.map(|version| format!("both {version}")),
            "browser and driver must be of one major version; install both from one source",
        ),
        optional("fonts", fonts().await, "without them pages render in boxes; apt-get install fonts-liberation"),
        optional("node", version("node", "--version").await, "for apps that need a build; apt-get install nodejs npm"),
        optional("bwrap", version("bwrap", "--version").await, "sandbox for builds; apt-get install bubblewrap"),
        optional(
            "OPENAI_API_KEY",
            key.map(|_| "set".to_owned()),
            "only for --model; set it, and OPENAI_BASE_URL for an endpoint of your own",
        ),
    ]
}

/// Says so when Chromium and its driver are both there and of different major versions.
pub(crate) async fn mismatch() -> Option<String> {
    let (browser, driver) = tokio::join!(version("chromium", "--version"), version("chromedriver", "--version"));
    let (browser, driver) = (browser?, driver?);
    let advice = "versions that do not match; install both from one source, as scripts/setup does";
    (major(&browser) != major(&driver)).then(|| format!("{browser} and {driver} are {advice}"))
}

fn print_table(checks: &[Check]) {
    for check in checks {
        let (mark, text) = match &check.found {
            Some(found) => ("ok     ", found.as_str()),
            None if check.required => ("MISSING", check.advice),
            None => ("absent ", check.advice),
        };
        println!("{mark}  {:<18} {text}", check.name);
    }
}

async fn version(program: &str, flag: &str) -> Option<String> {
    let output = Command::new(program).arg(flag).output().await.ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    output.status.success().then(|| text.lines().next().unwrap_or_default().trim().to_owned())
}

async fn fonts() -> Option<String> {
    let output = Command::new("fc-list").arg("--format=x").output().await.ok()?;
    let count = output.stdout.len();
    (output.status.success() && count > 0).then(|| format!("{count} font files"))
}

/// The first number of a version line: `Chromium 156.0.8078.73 …` is 156.
fn major(version: &str) -> Option<String> {
    let digits = version.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
    digits.split('.').next().map(str::to_owned)
}
