//! Apps as they come, brought up and asked for over HTTP.

#![allow(clippy::unwrap_used, reason = "a test that fails should stop")]

mod locating;
mod serving;
mod staging;

use std::path::Path;

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
