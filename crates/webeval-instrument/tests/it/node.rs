//! Runs programs in Node.
use std::process::Command;

use webeval_instrument::{Kind, Options, instrument};

/// Runs a script and returns what it printed.
pub(crate) fn run(script: &str) -> String {
    let file = tempfile::Builder::new().suffix(".cjs").tempfile().unwrap();
    std::fs::write(file.path(), script).unwrap();
    let output =
        Command::new("node").arg("--experimental-vm-modules").arg("--no-warnings").arg(file.path()).output().unwrap();
    assert!(output.status.success(), "{}\n{script}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The instrumented text of a source of that kind.
pub(crate) fn code(source: &str, kind: Kind) -> String {
    let mut options = Options::default();
    options.kind = Some(kind);
    instrument(source, "/app/test.js", &options).unwrap_or_else(|error| panic!("{error}\n{source}")).code
}

/// What a script prints as it is and instrumented. `show(x)` prints a value as JSON.
pub(crate) fn both(source: &str) -> (String, String) {
    let show = "function show(...x){console.log(JSON.stringify(x.map(v=>typeof v=='undefined'?'undefined':v)))}\n";
    (run(&format!("{show}{source}")), run(&format!("{show}{}", code(source, Kind::Script))))
}
