//! The JSON Schemas of the run directory's files, and a check against them.

use std::path::Path;

use schemars::{Schema, schema_for};
use serde_json::Value;

use crate::{Error, Judgement, RunRecord, ScoresFile, StatesFile, TraceLine};

/// A published schema: the file it is for, and whether that file holds one value a line.
#[derive(Clone, Debug)]
pub struct Published {
    /// Name of the file in a run directory.
    pub file: &'static str,
    /// One JSON value a line (`.jsonl`).
    pub lines: bool,
    /// The schema, JSON Schema 2020-12.
    pub schema: Value,
}

impl Published {
    /// Name of the file that the schema is published under: `run.schema.json`, …
    #[must_use]
    pub fn schema_name(&self) -> String {
        format!("{}.schema.json", self.file.split('.').next().unwrap_or(self.file))
    }
}

/// All published schemas.
#[must_use]
pub fn all() -> Vec<Published> {
    let published = |file: &'static str, schema: Schema| Published {
        file,
        lines: file.ends_with(".jsonl"),
        schema: schema.to_value(),
    };
    vec![
        published("run.json", schema_for!(RunRecord)),
        published("trace.jsonl", schema_for!(TraceLine)),
        published("states.json", schema_for!(StatesFile)),
        published("judgements.jsonl", schema_for!(Judgement)),
        published("scores.json", schema_for!(ScoresFile)),
        Published { file: "coverage.json", lines: false, schema: istanbul_schema() },
    ]
}

/// A place where a run directory departs from its schemas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The file.
    pub file: String,
    /// The line, in a `.jsonl` file, from 1.
    pub line: Option<usize>,
    /// JSON pointer to the value.
    pub pointer: String,
    /// What is wrong with it.
    pub message: String,
}

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if !self.pointer.is_empty() {
            write!(f, " at {}", self.pointer)?;
        }
        write!(f, ": {}", self.message)
    }
}

/// Checks the files that are there against their schemas, and every reference to a blob against the disk.
///
/// # Errors
/// When `root` is no run directory or a file cannot be read; a file that breaks its schema is not an error but a
/// [`Violation`].
pub fn validate(root: &Path) -> Result<Vec<Violation>, Error> {
    if !root.join("run.json").is_file() {
        return Err(Error::NotARun { path: root.to_owned() });
    }
    let mut violations = Vec::new();
    for published in all() {
        let path = root.join(published.file);
        let text = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(Error::io("read", &path)(error)),
        };
        check_file(root, &published, &text, &mut violations);
    }
    Ok(violations)
}

fn check_file(root: &Path, published: &Published, text: &[u8], violations: &mut Vec<Violation>) {
    let validator = match jsonschema::validator_for(&published.schema) {
        Ok(validator) => validator,
        Err(error) => {
            violations.push(Violation {
                file: published.file.to_owned(),
                line: None,
                pointer: String::new(),
                message: format!("its schema does not compile: {error}"),
            });
            return;
        }
    };
    let chunks: Vec<&[u8]> = if published.lines {
        text.split_inclusive(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).collect()
    } else {
        vec![text]
    };
    for (number, chunk) in chunks.into_iter().enumerate() {
        let line = published.lines.then_some(number + 1);
        let report =
            |pointer: String, message: String| Violation { file: published.file.to_owned(), line, pointer, message };
        let value: Value = match serde_json::from_slice(chunk) {
            Ok(value) => value,
            Err(_) if published.lines && !chunk.ends_with(b"\n") => continue,
            Err(error) => {
                violations.push(report(String::new(), format!("not JSON: {error}")));
                continue;
            }
        };
        for error in validator.iter_errors(&value) {
            violations.push(report(error.instance_path().to_string(), shorten(&error.to_string())));
        }
        for missing in missing_blobs(root, &value) {
            violations.push(report(String::new(), format!("{missing} is referred to and not there")));
        }
    }
}

/// Error texts quote the whole offending value, which can be a page long.
fn shorten(message: &str) -> String {
    const LIMIT: usize = 300;
    match message.char_indices().nth(LIMIT) {
        Some((at, _)) => format!("{}…", &message[..at]),
        None => message.to_owned(),
    }
}

fn missing_blobs(root: &Path, value: &Value) -> Vec<String> {
    let fields = ["snapshot", "screenshot", "probe"];
    let named = fields.iter().filter_map(|field| value.get(field)?.as_str());
    named
        .filter(|path| path.split('/').any(|part| part == "..") || !root.join(path).is_file())
        .map(str::to_owned)
        .collect()
}

/// The Istanbul coverage map's own shape, as its readers rely on it.
fn istanbul_schema() -> Value {
    let position = serde_json::json!({
        "type": "object",
        "properties": {"line": {"type": ["integer", "null"]}, "column": {"type": ["integer", "null"]}}
    });
    let range = serde_json::json!({
        "type": "object",
        "required": ["start", "end"],
        "properties": {"start": position, "end": position}
    });
    let counts = serde_json::json!({"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}});
    serde_json::json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Istanbul coverage map",
        "type": "object",
        "additionalProperties": {
            "type": "object",
            "required": ["path", "statementMap", "fnMap", "branchMap", "s", "f", "b"],
            "properties": {
                "path": {"type": "string"},
                "statementMap": {"type": "object", "additionalProperties": range},
                "fnMap": {"type": "object", "additionalProperties": {
                    "type": "object", "required": ["name", "decl", "loc"], "properties": {"decl": range, "loc": range}
                }},
                "branchMap": {"type": "object", "additionalProperties": {
                    "type": "object", "required": ["type", "locations"],
                    "properties": {"locations": {"type": "array", "items": range}}
                }},
                "s": counts,
                "f": counts,
                "b": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "integer", "minimum": 0}}}
            }
        }
    })
}
