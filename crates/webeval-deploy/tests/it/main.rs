//! Apps as they come, brought up and asked for over HTTP.

#![allow(clippy::unwrap_used, reason = "a test that fails should stop")]

mod archives;
mod beside;
mod hostile;
mod instructions;
mod locating;
mod mending;
mod outside;
mod projects;
mod replies;
mod serving;
mod staging;
mod within;

use std::path::Path;

use webeval_deploy::Options;

/// Writes files under `root`; a name may have folders in it.
fn write(root: &Path, files: &[(&str, &str)]) {
    for (name, content) in files {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, content).expect("a file");
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("temporary paths are UTF-8")
}

/// For apps that run no command.
fn unsandboxed() -> Options {
    let mut options = Options::default();
    options.sandbox = false;
    options
}

/// Whether packages can be fetched.
fn registry_is_there() -> bool {
    let asked = std::process::Command::new("npm").args(["view", "is-number", "version"]).output();
    let there = asked.is_ok_and(|output| output.status.success());
    if !there {
        eprintln!("skipped: the package registry cannot be reached");
    }
    there
}

/// Whether what an app runs can be tested here.
fn sandbox_is_there() -> bool {
    let there = |program: &str| std::process::Command::new(program).arg("--version").output().is_ok();
    let all = there("bwrap") && there("node") && there("npm");
    if !all {
        eprintln!("skipped: bubblewrap, node or npm is missing (scripts/setup installs them)");
    }
    all
}
