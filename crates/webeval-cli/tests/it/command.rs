//! Running the command as a user would.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The repository's root.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository is there")
}

/// A fixture app's folder.
pub(crate) fn app(name: &str) -> PathBuf {
    repository().join("fixtures/apps").join(name)
}

/// The command, with no model configured by the environment.
pub(crate) fn webeval() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_webeval"));
    command.env_remove("OPENAI_API_KEY").env_remove("OPENAI_BASE_URL").env_remove("WEBEVAL_WEBDRIVER");
    command
}

/// Runs it and gives its exit code, output and error output.
pub(crate) fn outcome(command: &mut Command) -> (i32, String, String) {
    let Output { status, stdout, stderr } = command.output().expect("the command starts");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (status.code().unwrap_or(-1), text(stdout), text(stderr))
}

/// Whether a browser and its driver are there; says so when a test is skipped for want of them.
pub(crate) fn browser_is_there() -> bool {
    let there = ["chromium", "chromedriver"]
        .iter()
        .all(|program| Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success()));
    if !there {
        eprintln!("skipped: chromium or chromedriver is not installed (scripts/setup installs them)");
    }
    there
}
