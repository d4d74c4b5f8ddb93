use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{ArmLocation, IdMap, Range};

/// The constant by which `readInitialCoverage` of Istanbul 4-schema tools finds coverage data in a program:
/// the SHA-1 of `istanbul-lib-instrument@4`.
pub const COVERAGE_SCHEMA: &str = "1a1c01bbd47fc00a2c39e90264f33305004495a9";

/// A function as Istanbul describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionMapping {
    /// The function's own name, else `(anonymous_N)`.
    pub name: String,
    /// Where its name stands, else its first character.
    pub decl: Range,
    /// Its body.
    pub loc: Range,
    /// The line its body starts on.
    #[serde(default)]
    pub line: u32,
}

/// What kind of decision a branch is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BranchKind {
    /// `if`, with its two arms.
    If,
    /// `switch`, an arm a case.
    Switch,
    /// `a ? b : c`.
    Conditional,
    /// The operands of a chain of `&&`, `||` and `??`.
    Logical,
    /// A default value of a parameter or of a destructured name.
    DefaultValue,
    /// `a?.b`: taken and short-circuited. Only with the option `reportOptional`.
    OptionalChain,
    /// `a ??= b`, `a ||= b`, `a &&= b`: assigned or not. Only with the option `reportOptional`.
    LogicalAssignment,
    /// A kind that another tool wrote.
    Other(String),
}

impl BranchKind {
    /// The name that stands in the JSON.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::If => "if",
            Self::Switch => "switch",
            Self::Conditional => "cond-expr",
            Self::Logical => "binary-expr",
            Self::DefaultValue => "default-arg",
            Self::OptionalChain => "optional-chain",
            Self::LogicalAssignment => "logical-assignment",
            Self::Other(name) => name,
        }
    }
}

impl From<&str> for BranchKind {
    fn from(name: &str) -> Self {
        match name {
            "if" => Self::If,
            "switch" => Self::Switch,
            "cond-expr" => Self::Conditional,
            "binary-expr" => Self::Logical,
            "default-arg" => Self::DefaultValue,
            "optional-chain" => Self::OptionalChain,
            "logical-assignment" => Self::LogicalAssignment,
            other => Self::Other(other.to_owned()),
        }
    }
}

impl Serialize for BranchKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for BranchKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::from(String::deserialize(deserializer)?.as_str()))
    }
}

/// A decision and its arms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BranchMapping {
    /// The whole of it.
    pub loc: Range,
    /// What kind of decision.
    #[serde(rename = "type")]
    pub kind: BranchKind,
    /// Its arms, in the order of their counters.
    pub locations: Vec<ArmLocation>,
    /// The line it starts on.
    #[serde(default)]
    pub line: u32,
}

/// The coverage of one file: Istanbul's maps and counters.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FileCoverage {
    /// The file, as it was named when it was instrumented.
    pub path: String,
    /// Where the statements are.
    pub statement_map: IdMap<Range>,
    /// Where the functions are.
    pub fn_map: IdMap<FunctionMapping>,
    /// Where the branches are.
    pub branch_map: IdMap<BranchMapping>,
    /// How often each statement ran.
    pub s: IdMap<u64>,
    /// How often each function was called.
    pub f: IdMap<u64>,
    /// How often each arm of each branch was taken.
    pub b: IdMap<Vec<u64>>,
    /// The source map from the file to what it was made of, if one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_source_map: Option<serde_json::Value>,
    /// How often each operand of a logical expression was truthy, if that was asked for.
    #[serde(rename = "bT", default, skip_serializing_if = "Option::is_none")]
    pub b_t: Option<IdMap<Vec<u64>>>,
    /// [`COVERAGE_SCHEMA`] in data that a program carries.
    #[serde(rename = "_coverageSchema", default, skip_serializing_if = "Option::is_none")]
    pub coverage_schema: Option<String>,
    /// SHA-1 of the data before any count: tells versions of a file apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// Set by nyc for a file that was never loaded.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
}

impl FileCoverage {
    /// Coverage without any statement, function or branch.
    #[must_use]
    pub fn empty(path: &str) -> Self {
        Self { path: path.to_owned(), ..Self::default() }
    }

    /// Sets every counter to zero.
    pub fn reset_hits(&mut self) {
        self.s.values_mut().chain(self.f.values_mut()).for_each(|count| *count = 0);
        let truthy = self.b_t.iter_mut().flat_map(IdMap::values_mut);
        self.b.values_mut().chain(truthy).for_each(|arms| arms.fill(0));
    }

    /// Number of counters: statements, functions, arms, and truthiness counters.
    #[must_use]
    pub fn counters(&self) -> usize {
        let truthy: usize = self.b_t.iter().flat_map(IdMap::values).map(Vec::len).sum();
        self.s.len() + self.f.len() + self.b.values().map(Vec::len).sum::<usize>() + truthy
    }
}
