//! Instruments a folder into another: `instrument_tree FROM TO [MAP.json]`, options as JSON on standard input or none.
//!
//! What is not code, or cannot be instrumented, is left out of the output folder and listed.
use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use webeval_instrument::{Options, SourceFile, instrument_project};

#[allow(clippy::print_stderr)]
fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    let [from, to, rest @ ..] = arguments.as_slice() else {
        return Err("FROM TO [MAP] [OPTIONS]".into());
    };
    let options: Options = match rest.get(1) {
        Some(file) => serde_json::from_slice(&fs::read(file)?)?,
        None => Options::default(),
    };
    let mut paths = Vec::new();
    list(from, &mut paths)?;
    let read: Vec<(String, Vec<u8>)> =
        paths.iter().filter_map(|path| Some((path.to_string_lossy().into_owned(), fs::read(path).ok()?))).collect();
    let files: Vec<SourceFile<'_>> = read.iter().map(|(path, bytes)| SourceFile { path, bytes }).collect();
    let project = instrument_project(&files, &options);
    for (index, error) in &project.failures {
        eprintln!("{}: {error}", files[*index].path);
    }
    for (path, code) in paths.iter().zip(&project.code) {
        let Some(code) = code else { continue };
        let base = if from.is_file() { from.parent().unwrap_or(from) } else { from };
        let target = to.join(path.strip_prefix(base)?);
        fs::create_dir_all(target.parent().unwrap_or(to))?;
        fs::write(target, code)?;
    }
    if let Some(map) = rest.first() {
        fs::write(map, serde_json::to_vec(&project.coverage)?)?;
    }
    Ok(())
}

fn list(path: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let mut entries: Vec<PathBuf> =
        fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    entries.sort();
    entries.iter().try_for_each(|entry| list(entry, files))
}
