use std::collections::BTreeMap;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::FileCoverage;

macro_rules! collect {
    ($variable:literal) => {
        concat!(
            // A page may have taken names like `Object` for something else.
            "(function(v){var G=globalThis,O=G.Object,C=G[v];if(!C)return\"{}\";if(!C._wd)O.defineProperty(C,\"_wd\",{value:",
            "function(){",
            // Data of other instrumenters has no typed array: its counters are listed on each reading.
            "function F(e){var a=[],k;for(k in e.s)a.push(e.s[k]);for(k in e.f)a.push(e.f[k]);",
            "for(k in e.b)a.push.apply(a,e.b[k]);if(e.bT)for(k in e.bT)a.push.apply(a,e.bT[k]);return a}",
            // From counters to the places that share them.
            "function R(w){var r=[];w.m().forEach(function(c,j){(r[c]||(r[c]=[])).push(j)});return r}",
            // The hot loop: nothing but a comparison for a counter that stands still.
            "function D(c,p,n,f){for(var i=0;i<n;i++)if(c[i]!==p[i]){f(i,c[i]-p[i]);p[i]=c[i]}}",
            "var state=new G.Map;return function(){var o={},x,C=G[v];if(C)O.keys(C).forEach(function(k){",
            "var e=C[k],w=e&&e._wc,c,s,I=[],N=[];if(!e||!w&&!e.s)return;c=w?w.c:F(e);s=w||state.get(e);",
            "if(!s)state.set(e,s={});if(!s.p)s.p=new G.Float64Array(c.length);",
            "D(c,s.p,c.length,w?function(i,n){(s.r||(s.r=R(w)))[i].forEach(function(j){I.push(j);N.push(n)})}",
            ":function(i,n){I.push(i);N.push(n)});",
            "if(I.length){x=1;o[k]={h:e.hash||\"\",i:I,n:N}}});return x?G.JSON.stringify(o):\"{}\"}",
            "}()});return C._wd()})(\"",
            $variable,
            "\")"
        )
    };
}
/// A JavaScript expression that gives, as a JSON string, what was counted since it was last evaluated in the same page
/// (a [`Delta`]).
///
/// It reads the coverage of the window, worker or Node process it is evaluated in; a frame of the same origin has its
/// own. Every page starts at zero, so increments stay exact over reloads and navigations, if each page is also read
/// once more when it goes away. The first evaluation leaves a hidden reader behind that later ones use; the program
/// cannot come across it by enumerating anything.
pub const COLLECT_DELTA: &str = collect!("__coverage__");

/// The expression of [`COLLECT_DELTA`] for another coverage variable.
#[must_use]
pub fn collect_delta(coverage_variable: &str) -> String {
    let name = serde_json::Value::from(coverage_variable).to_string();
    COLLECT_DELTA.replacen("\"__coverage__\"", &name, 1)
}

/// What pages counted between two readings: for each file, increments of counters.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Delta {
    files: BTreeMap<String, FileDelta>,
}

impl FromIterator<(String, FileDelta)> for Delta {
    fn from_iter<I: IntoIterator<Item = (String, FileDelta)>>(files: I) -> Self {
        Self { files: files.into_iter().collect() }
    }
}

/// The increments of one file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FileDelta {
    /// Hash of the file's initial coverage, empty if it has none.
    #[serde(rename = "h", default)]
    pub hash: String,
    /// Which counters: all statements in order of their ids, then functions, then the arms of branches, then
    /// truthiness counters.
    #[serde(rename = "i")]
    pub counters: Vec<u32>,
    /// By how much each of them rose. Negative if the page set a counter back.
    #[serde(rename = "n")]
    pub increments: Vec<f64>,
}

impl Delta {
    /// Reads what [`COLLECT_DELTA`] gave.
    ///
    /// # Errors
    ///
    /// If the text is no such JSON.
    pub fn from_json(json: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(json)
    }

    /// Whether nothing was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The files in which something was counted, by path.
    pub fn files(&self) -> impl ExactSizeIterator<Item = (&str, &FileDelta)> {
        self.files.iter().map(|(path, file)| (path.as_str(), file))
    }
}

/// What a delta covered for the first time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Gain {
    /// Statements.
    pub statements: usize,
    /// Functions.
    pub functions: usize,
    /// Arms of branches.
    pub branches: usize,
    /// Files, or versions of files, that the map does not have.
    pub unknown: Vec<String>,
}

impl AddAssign for Gain {
    fn add_assign(&mut self, other: Self) {
        self.statements += other.statements;
        self.functions += other.functions;
        self.branches += other.branches;
        self.unknown.extend(other.unknown);
    }
}

impl FileCoverage {
    /// Adds increments to the counters, and tells what that covered for the first time.
    pub fn apply(&mut self, delta: &FileDelta) -> Gain {
        let mut gain = Gain::default();
        let (statements, functions) = (self.s.len(), self.f.len());
        // Arms are numbered through, so each branch's first number is looked up.
        let starts = arm_starts(self.b.values().map(Vec::len));
        let arms = starts.last().copied().unwrap_or_default();
        for (&counter, &increment) in delta.counters.iter().zip(&delta.increments) {
            let mut index = counter as usize;
            if index < statements {
                gain.statements += usize::from(raise(self.s.nth_mut(index), increment));
                continue;
            }
            index -= statements;
            if index < functions {
                gain.functions += usize::from(raise(self.f.nth_mut(index), increment));
                continue;
            }
            index -= functions;
            if index < arms {
                let (branch, arm) = place(&starts, index);
                let hits = self.b.nth_mut(branch).and_then(|arms| arms.get_mut(arm));
                gain.branches += usize::from(raise(hits, increment));
                continue;
            }
            if let Some(truthy) = &mut self.b_t {
                let starts = arm_starts(truthy.values().map(Vec::len));
                let (branch, arm) = place(&starts, index - arms);
                raise(truthy.nth_mut(branch).and_then(|arms| arms.get_mut(arm)), increment);
            }
        }
        gain
    }
}

/// The number of each branch's first arm, and of all arms at the end.
fn arm_starts(lengths: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut total = 0;
    let mut starts = vec![0];
    starts.extend(lengths.map(|length| {
        total += length;
        total
    }));
    starts
}

/// Branch and arm of an arm's number.
fn place(starts: &[usize], index: usize) -> (usize, usize) {
    let branch = starts.partition_point(|&start| start <= index).saturating_sub(1);
    (branch, index - starts.get(branch).copied().unwrap_or_default())
}

/// Raises a counter, and tells whether that was the first time.
fn raise(hits: Option<&mut u64>, increment: f64) -> bool {
    let Some(hits) = hits else { return false };
    let before = *hits;
    *hits = (before as f64 + increment).max(0.0) as u64;
    before == 0 && *hits > 0
}
