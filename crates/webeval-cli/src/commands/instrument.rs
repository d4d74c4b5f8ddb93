//! `webeval instrument`.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use webeval_instrument::{Error, Kind, Options, Project, SourceFile, instrument_project};

use crate::args::Format;
use crate::failure::Failure;
use crate::files::read_text;

/// Its options have the names that Istanbul gives them, in dashes.
#[derive(Debug, Args)]
#[command(
    after_help = "Understands JavaScript, JSX, TypeScript, HTML, Vue, Svelte and Astro by their extensions. What is not code is \
                  copied, as is code of others: node_modules, vendor and the like, and *.min.js. A file that cannot be \
                  instrumented is copied as it is and listed, and the exit code is then 1. Coverage names files by their \
                  paths from PATH on."
)]
pub(crate) struct InstrumentArgs {
    /// A source file or a folder
    pub(crate) path: PathBuf,
    /// Where the copy goes; must not exist yet, or be empty
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Also write the initial coverage map (every counter at zero) to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) coverage_map: Option<PathBuf>,
    /// How to print what was done
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// Name of the global variable that holds the coverage
    #[arg(long, value_name = "NAME", default_value = "__coverage__")]
    pub(crate) coverage_variable: String,
    /// Expression that gives the global object
    #[arg(long, value_name = "EXPRESSION", default_value = "this")]
    pub(crate) coverage_global_scope: String,
    /// Whether .js files are modules or scripts; without it their text tells
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) es_modules: Option<bool>,
    /// Whether comments stay in the output
    #[arg(
        long,
        value_name = "BOOL",
        num_args = 0..=1,
        require_equals = true,
        default_value_t = true,
        default_missing_value = "true",
        action = clap::ArgAction::Set
    )]
    pub(crate) preserve_comments: bool,
    /// Leave out methods, and named function expressions, of this name; can be given more than once
    #[arg(long = "ignore-class-method", value_name = "NAME")]
    pub(crate) ignore_class_methods: Vec<String>,
    /// Also count how often each operand of `&&`, `||` and `??` was truthy
    #[arg(long)]
    pub(crate) report_logic: bool,
    /// Also count the arms of `?.`, `??=`, `||=` and `&&=` (Istanbul has no such option)
    #[arg(long)]
    pub(crate) report_optional: bool,
    /// Write a source map beside each instrumented file
    #[arg(long)]
    pub(crate) produce_source_map: bool,
    /// Source map from PATH, a single file, to what it was made of
    #[arg(long, value_name = "FILE")]
    pub(crate) input_source_map: Option<PathBuf>,
}

/// What the command did, for programs.
#[derive(Debug, Serialize)]
struct Done {
    instrumented: Vec<String>,
    skipped: Vec<Skipped>,
    statements: usize,
    functions: usize,
    branches: usize,
}

/// A file that was copied as it is, in whole or, if it is a document, in part.
#[derive(Debug, Serialize)]
struct Skipped {
    path: String,
    reason: String,
    /// The kind of error, for programs.
    kind: &'static str,
    line: Option<u32>,
    column: Option<u32>,
}

impl Skipped {
    fn new(path: &str, error: &Error) -> Self {
        let (line, column) = error.position().unzip();
        Self { path: path.to_owned(), reason: error.to_string(), kind: error.kind(), line, column }
    }
}

pub(crate) fn run(args: &InstrumentArgs) -> Result<(), Failure> {
    let (root, files) = list(&args.path)?;
    let options = options(args)?;
    check_vacant(&args.out)?;
    let mut read = Vec::new();
    for file in &files {
        if file.code {
            read.push(fs::read(root.join(&file.inside)).map_err(failed("read", &root.join(&file.inside)))?);
        }
    }
    let code: Vec<&File> = files.iter().filter(|file| file.code).collect();
    let sources: Vec<SourceFile<'_>> =
        code.iter().zip(&read).map(|(file, bytes)| SourceFile { path: &file.name, bytes }).collect();
    let project = instrument_project(&sources, &options);
    if let Some((_, error @ Error::Option { .. })) = project.failures.first() {
        return Err(Failure::input(error));
    }
    write(args, &root, &files, &project)?;
    print(args, &code, &project)?;
    match project.failures.len() {
        0 => Ok(()),
        1 => Err(Failure::Failed("1 file could not be instrumented and was copied as it is".to_owned())),
        many => {
            Err(Failure::Failed(format!("{many} files or scripts could not be instrumented and were left as they are")))
        }
    }
}

fn options(args: &InstrumentArgs) -> Result<Options, Failure> {
    let mut options = Options::default();
    options.coverage_variable.clone_from(&args.coverage_variable);
    options.coverage_global_scope.clone_from(&args.coverage_global_scope);
    options.es_modules = args.es_modules;
    options.preserve_comments = args.preserve_comments;
    options.ignore_class_methods.clone_from(&args.ignore_class_methods);
    options.report_logic = args.report_logic;
    options.report_optional = args.report_optional;
    options.produce_source_map = args.produce_source_map;
    if let Some(map) = &args.input_source_map {
        if args.path.is_dir() {
            let path = args.path.display();
            return Err(Failure::Input(format!("--input-source-map belongs to a single file, and {path} is a folder")));
        }
        options.input_source_map = Some(read_text(map)?);
    }
    Ok(options)
}

/// A file of the given tree.
#[derive(Debug)]
struct File {
    /// Its path from the tree's root on.
    inside: PathBuf,
    /// The same as the coverage names it.
    name: String,
    /// Whether it is to be instrumented.
    code: bool,
}

impl File {
    fn new(inside: PathBuf) -> Self {
        let parts: Vec<_> = inside.iter().map(|part| part.to_string_lossy()).collect();
        let name = parts.join("/");
        Self { code: Kind::from_path(&name).is_some() && !webeval_deploy::is_third_party(&name), inside, name }
    }
}

/// The tree's root and its files, in order. Version control's folders, and links that lead out, are left out.
fn list(path: &Path) -> Result<(PathBuf, Vec<File>), Failure> {
    let unreadable = |error| Failure::Input(format!("cannot open {}: {error}", path.display()));
    let root = path.canonicalize().map_err(unreadable)?;
    if root.is_file() {
        let name = root.file_name().map(PathBuf::from).unwrap_or_default();
        if Kind::from_path(&name.to_string_lossy()).is_none() {
            let error = Error::NotCode { path: path.display().to_string() };
            return Err(Failure::input(error));
        }
        let file = File { name: name.to_string_lossy().into_owned(), code: true, inside: name };
        return Ok((root.parent().map(Path::to_owned).unwrap_or_default(), vec![file]));
    }
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let here = root.join(&folder);
        for entry in fs::read_dir(&here).map_err(failed("read", &here))? {
            let entry = entry.map_err(failed("read", &here))?;
            let inside = folder.join(entry.file_name());
            let kind = entry.file_type().map_err(failed("inspect", &entry.path()))?;
            if kind.is_dir() {
                if ![".git", ".hg", ".svn"].iter().any(|name| entry.file_name() == *name) {
                    folders.push(inside);
                }
            } else if kind.is_file() || stays_inside(&entry.path(), &root) {
                files.push(File::new(inside));
            }
        }
    }
    files.sort_by(|a, b| a.inside.cmp(&b.inside));
    Ok((root, files))
}

/// Whether a link leads to a file within the root.
fn stays_inside(link: &Path, root: &Path) -> bool {
    link.canonicalize().is_ok_and(|target| target.is_file() && target.starts_with(root))
}

fn failed<'p>(what: &'p str, path: &'p Path) -> impl Fn(std::io::Error) -> Failure + 'p {
    move |error| Failure::Failed(format!("cannot {what} {}: {error}", path.display()))
}

/// Refuses a folder for output that holds something already.
pub(crate) fn check_vacant(out: &Path) -> Result<(), Failure> {
    let occupied = fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_some()) || out.is_file();
    if occupied {
        Err(Failure::Input(format!("{} exists and is not empty; choose another folder", out.display())))
    } else {
        Ok(())
    }
}

fn write(args: &InstrumentArgs, root: &Path, files: &[File], project: &Project) -> Result<(), Failure> {
    let mut outputs = project.code.iter().zip(&project.source_maps);
    for file in files {
        let output = if file.code { outputs.next() } else { None };
        let target = args.out.join(&file.inside);
        let folder = target.parent().unwrap_or(&args.out);
        fs::create_dir_all(folder).map_err(failed("create", folder))?;
        let Some((Some(code), map)) = output else {
            fs::copy(root.join(&file.inside), &target).map_err(failed("copy to", &target))?;
            continue;
        };
        fs::write(&target, code).map_err(failed("write", &target))?;
        if let Some(map) = map {
            write_source_map(&target, map)?;
        }
    }
    if let Some(path) = &args.coverage_map {
        let text = serde_json::to_string(&project.coverage).map_err(Failure::failed)?;
        fs::write(path, text).map_err(failed("write", path))?;
    }
    Ok(())
}

/// Writes a source map beside its file, and has the file tell of it where its language knows how to.
fn write_source_map(target: &Path, map: &str) -> Result<(), Failure> {
    let name = format!("{}.map", target.file_name().unwrap_or_default().to_string_lossy());
    let beside = target.with_file_name(&name);
    fs::write(&beside, map).map_err(failed("write", &beside))?;
    if Kind::from_path(&target.to_string_lossy()).is_some_and(Kind::is_document) {
        return Ok(());
    }
    let mut file = fs::OpenOptions::new().append(true).open(target).map_err(failed("open", target))?;
    writeln!(file, "\n//# sourceMappingURL={name}").map_err(failed("write", target))
}

fn print(args: &InstrumentArgs, code: &[&File], project: &Project) -> Result<(), Failure> {
    let summary = project.coverage.summary();
    let done = Done {
        instrumented: code
            .iter()
            .zip(&project.code)
            .filter(|(_, code)| code.is_some())
            .map(|(file, _)| file.name.clone())
            .collect(),
        skipped: project.failures.iter().map(|(index, error)| Skipped::new(&code[*index].name, error)).collect(),
        statements: summary.statements.total,
        functions: summary.functions.total,
        branches: summary.branches.total,
    };
    if args.format == Format::Json {
        println!("{}", serde_json::to_string_pretty(&done).map_err(Failure::failed)?);
        return Ok(());
    }
    for skipped in &done.skipped {
        println!("as it was: {}: {}", skipped.path, skipped.reason);
    }
    println!(
        "{}: {} files with counters: {} statements, {} functions, {} branch arms",
        args.out.display(),
        done.instrumented.len(),
        done.statements,
        done.functions,
        done.branches
    );
    Ok(())
}
