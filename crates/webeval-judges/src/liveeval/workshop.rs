//! The bench of those who look behind the scenes: source files and the build record.

use std::path::{Path, PathBuf};

use regex::RegexBuilder;
use serde_json::Value;
use webeval_evidence::{Deployment, RunRecord, StepKind};

use super::bench::{Bench, BenchFuture, Shown};
use super::{Evaluator, ToolKind};
use crate::Error;

/// Files listed, lines read and matches shown at once.
const PAGE: usize = 200;

/// Largest file that is read, in bytes.
const LARGEST: u64 = 1 << 20;

/// Folders that hold nobody's own work.
const FOREIGN: [&str; 8] = ["node_modules", ".git", "dist", "build", ".next", ".astro", "coverage", "vendor"];

/// Source files and build record, and a page where one is given for the tools that need it.
pub struct Workshop {
    sources: PathBuf,
    deployment: Option<Deployment>,
    page: Option<Box<dyn Bench>>,
}

impl std::fmt::Debug for Workshop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Workshop").field("sources", &self.sources).finish_non_exhaustive()
    }
}

impl Workshop {
    /// A workshop over the app's source folder, or its only file, and its `run.json`; `page` serves the tools of the
    /// browser.
    #[must_use]
    pub fn new(sources: impl Into<PathBuf>, record: &RunRecord, page: Option<Box<dyn Bench>>) -> Self {
        Self { sources: sources.into(), deployment: record.deployment.clone(), page }
    }

    /// Whether an evaluator can do with a workshop that has no page.
    #[must_use]
    pub fn suffices_for(evaluator: &Evaluator) -> bool {
        evaluator.tools.iter().all(|tool| tool.is_behind_the_scenes())
    }

    fn look(&self, tool: ToolKind, arguments: &Value) -> Result<Shown, Error> {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
        let number = |name: &str| arguments.get(name).and_then(Value::as_u64).unwrap_or_default() as usize;
        Ok(Shown::text(match tool {
            ToolKind::ListFiles => self.list()?,
            ToolKind::ReadFile => self.read(text("path"), number("from_line"))?,
            ToolKind::SearchSource => self.search(text("pattern"))?,
            ToolKind::BuildRecord => self.build_record(),
            other => format!("{} needs a page, and there is none", other.name()),
        }))
    }

    fn list(&self) -> Result<String, Error> {
        let files = files(&self.sources)?;
        let mut text: Vec<String> =
            files.iter().take(PAGE).map(|(name, size)| format!("{name} ({size} bytes)")).collect();
        if files.len() > PAGE {
            text.push(format!("(and {} more)", files.len() - PAGE));
        }
        Ok(if text.is_empty() { "there are no source files".to_owned() } else { text.join("\n") })
    }

    /// A name outside of the folder is not found: only names that were listed are read.
    fn read(&self, name: &str, from_line: usize) -> Result<String, Error> {
        let name = name.trim_start_matches("./");
        let Some((_, size)) = files(&self.sources)?.into_iter().find(|(listed, _)| listed == name) else {
            return Ok(format!("there is no file {name:?}; list_files names what there is"));
        };
        if size > LARGEST {
            return Ok(format!("{name} has {size} bytes and is not read"));
        }
        let text = self.content(name)?;
        let lines: Vec<&str> = text.lines().collect();
        let from = from_line.max(1) - 1;
        let shown = lines.iter().enumerate().skip(from).take(PAGE);
        let mut shown: Vec<String> = shown.map(|(at, line)| format!("{}: {}", at + 1, shorten(line))).collect();
        shown.push(format!("({} lines in all)", lines.len()));
        Ok(shown.join("\n"))
    }

    fn search(&self, pattern: &str) -> Result<String, Error> {
        let regex = match RegexBuilder::new(pattern).size_limit(1 << 20).build() {
            Ok(regex) if pattern.chars().count() <= 500 => regex,
            Ok(_) => return Ok("a pattern may have 500 characters".to_owned()),
            Err(error) => return Ok(format!("the pattern cannot be used: {error}")),
        };
        let mut found = Vec::new();
        for (name, _) in files(&self.sources)?.into_iter().filter(|(_, size)| *size <= LARGEST) {
            let text = self.content(&name)?;
            let matches = text.lines().enumerate().filter(|(_, line)| regex.is_match(line));
            found.extend(matches.map(|(at, line)| format!("{name}:{}: {}", at + 1, shorten(line))));
            if found.len() > PAGE {
                found.truncate(PAGE);
                found.push("(and more)".to_owned());
                break;
            }
        }
        Ok(if found.is_empty() { "no matches".to_owned() } else { found.join("\n") })
    }

    fn content(&self, name: &str) -> Result<String, Error> {
        let path = if self.sources.is_file() { self.sources.clone() } else { self.sources.join(name) };
        let bytes = std::fs::read(&path).map_err(|source| Error::Io { action: "read", path, source })?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn build_record(&self) -> String {
        let Some(deployment) = &self.deployment else {
            return "nothing is recorded of how it was brought up".to_owned();
        };
        let mut text = format!("framework: {} ({})\n", deployment.framework, deployment.grounds);
        // What its author said to do, and what that left to be done; other notes are about us.
        for note in deployment.notes.iter().filter(|note| note.contains("instructions say")) {
            text.push_str(&format!("{note}\n"));
        }
        for command in &deployment.commands {
            if let Some(repair) = &command.repair {
                text.push_str(&format!("repair before it: {repair}\n"));
            }
            let exit = command.exit.map_or_else(|| "killed".to_owned(), |code| format!("exit {code}"));
            let kind = match command.kind {
                StepKind::Install => "install",
                StepKind::Check => "check that the app declares",
                StepKind::Build => "build",
                StepKind::Serve => "its server",
                StepKind::Repair => "repair",
                _ => "command",
            };
            text.push_str(&format!(
                "{kind}: $ {}\n{exit} after {:.1} s\n{}\n",
                command.command, command.seconds, command.tail
            ));
        }
        if deployment.commands.is_empty() {
            text.push_str("no command and no repair was needed: the files were served as they are\n");
        }
        text
    }
}

impl Bench for Workshop {
    fn overview(&mut self) -> BenchFuture<'_, Shown> {
        Box::pin(async move {
            if let Some(page) = &mut self.page {
                return page.overview().await;
            }
            Ok(Shown::text(format!("{}\nThe source files:\n{}", self.build_record(), self.list()?)))
        })
    }

    fn use_tool<'a>(&'a mut self, tool: ToolKind, arguments: &'a Value) -> BenchFuture<'a, Shown> {
        Box::pin(async move {
            match &mut self.page {
                Some(page) if !tool.is_behind_the_scenes() => page.use_tool(tool, arguments).await,
                _ => self.look(tool, arguments),
            }
        })
    }
}

/// Own files under a folder, by name relative to it, `/` as separator, sorted. Links are not followed.
fn files(root: &Path) -> Result<Vec<(String, u64)>, Error> {
    let mut found = Vec::new();
    // Of an app that is one file, only that file is the app's: its folder may hold anything.
    if root.is_file() {
        let size = root.metadata().map_err(|source| Error::Io { action: "read", path: root.to_owned(), source })?.len();
        return Ok(vec![(root.file_name().unwrap_or_default().to_string_lossy().into_owned(), size)]);
    }
    let mut open = vec![(root.to_owned(), String::new())];
    while let Some((folder, prefix)) = open.pop() {
        let failed = |source| Error::Io { action: "read", path: folder.clone(), source };
        for entry in std::fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let kind = entry.file_type().map_err(failed)?;
            if kind.is_dir() && !FOREIGN.contains(&name.as_str()) {
                open.push((entry.path(), format!("{prefix}{name}/")));
            } else if kind.is_file() {
                found.push((format!("{prefix}{name}"), entry.metadata().map_err(failed)?.len()));
            }
        }
    }
    found.sort();
    Ok(found)
}

fn shorten(line: &str) -> String {
    match line.char_indices().nth(300) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_owned(),
    }
}
