//! The code that an instrumented file carries: its counters and, read only when somebody asks, its maps.
//!
//! Counters live in one typed array in a variable of the file. `__coverage__[path]` has Istanbul's keys; `s`, `f` and
//! `b` read from and write to the array through accessors that are made when one of them is first read, so that a page
//! which is never asked never pays. Several places may share a counter, hence the table from Istanbul's order (all
//! statements, then functions, then arms, then truthiness counters) to the array's.

use sha1::{Digest, Sha1};

use crate::Options;
use crate::coverage::{COVERAGE_SCHEMA, FileCoverage};
use crate::write::{self, Sink};

/// Name of the hidden property by which copies of a file on one page find the counters of the first.
pub(crate) const HANDLE: &str = "_wc";

/// The names that an instrumented file adds to its scope.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    /// The counters, Istanbul's name for the file: `cov_` and 48 bits of the path's SHA-1 in base 36.
    pub(crate) counters: String,
    /// The function that makes them.
    pub(crate) make: String,
    /// The function that counts truthy values.
    pub(crate) truthy: String,
}

impl Names {
    pub(crate) fn new(path: &str) -> Self {
        let digest = Sha1::digest(path.as_bytes());
        let mut number = digest[..6].iter().fold(0u64, |number, &byte| number << 8 | u64::from(byte));
        let mut digits = Vec::new();
        loop {
            digits.push(b"0123456789abcdefghijklmnopqrstuvwxyz"[(number % 36) as usize]);
            number /= 36;
            if number == 0 {
                break;
            }
        }
        let digits: String = digits.iter().rev().map(|&digit| char::from(digit)).collect();
        let counters = format!("cov_{digits}");
        Self { make: format!("{counters}_"), truthy: format!("{counters}_t"), counters }
    }
}

/// What a preamble is made of.
pub(crate) struct Preamble<'p> {
    pub(crate) names: &'p Names,
    pub(crate) options: &'p Options,
    /// The initial coverage; its hash is filled in.
    pub(crate) coverage: &'p mut FileCoverage,
    /// For each of Istanbul's counters in order, the counter that counts it.
    pub(crate) table: &'p [u32],
    pub(crate) counters: u32,
    pub(crate) input_source_map: Option<&'p str>,
}

impl Preamble<'_> {
    /// Writes the code, all on one line.
    pub(crate) fn write(&mut self, out: &mut Vec<u8>) {
        let (counters, make) = (&self.names.counters, &self.names.make);
        out.extend_from_slice(format!("var {counters}={make}();function {make}(){{var p=").as_bytes());
        write::string(out, &self.coverage.path);
        out.extend_from_slice(b",h=\"");
        let hash_at = out.len();
        out.extend_from_slice(&[b'0'; 40]);
        out.extend_from_slice(b"\",v=");
        write::string(out, &self.options.coverage_variable);
        out.extend_from_slice(format!(",g={}", self.scope()).as_bytes());
        out.extend_from_slice(BEGIN.replace("$H", HANDLE).replace("$V", counters).as_bytes());
        write::number(out, self.counters);
        out.extend_from_slice(b");function D(){var path=p,hash=h,gcv=v,coverageData=");
        let hash = self.data(out);
        out[hash_at..hash_at + 40].copy_from_slice(hash.as_bytes());
        out.extend_from_slice(b";return coverageData}function M(){var t=-1;return m||(m=\"");
        self.write_table(out);
        out.extend_from_slice(
            END.replace("$H", HANDLE).replace("$K", self.keys()).replace("$T", self.truthy_views()).as_bytes(),
        );
        if self.coverage.b_t.is_some() {
            out.extend_from_slice(self.truthy_function().as_bytes());
        }
        self.coverage.coverage_schema = Some(COVERAGE_SCHEMA.to_owned());
        self.coverage.hash = Some(hash);
    }

    fn scope(&self) -> &str {
        match self.options.coverage_global_scope.as_str() {
            "this" => "globalThis",
            other => other,
        }
    }

    /// Writes the data as a literal, or as a text that is parsed, and returns its hash, the SHA-1 of the same as JSON.
    fn data(&self, out: &mut Vec<u8>) -> String {
        if self.options.maps_as_text {
            let mut json = Vec::new();
            write::initial::<true, _>(&mut json, self.coverage, self.input_source_map);
            json.extend_from_slice(format!(",\"_coverageSchema\":\"{COVERAGE_SCHEMA}\"}}").as_bytes());
            out.extend_from_slice(b"G.JSON.parse('");
            for &byte in &json {
                if matches!(byte, b'\'' | b'\\') {
                    out.push(b'\\');
                }
                out.push(byte);
            }
            out.extend_from_slice(b"')");
            let mut hasher = Hasher::default();
            hasher.put(&json);
            return hasher.finish();
        }
        write::initial::<false, _>(out, self.coverage, self.input_source_map);
        // `readInitialCoverage` looks for this key and wants an identifier.
        out.extend_from_slice(format!(",_coverageSchema:\"{COVERAGE_SCHEMA}\"}}").as_bytes());
        let mut hasher = Hasher::default();
        write::initial::<true, _>(&mut hasher, self.coverage, self.input_source_map);
        hasher.put(format!(",\"_coverageSchema\":\"{COVERAGE_SCHEMA}\"}}").as_bytes());
        hasher.finish()
    }

    /// The table as differences, an empty one standing for 1: mostly commas.
    fn write_table(&self, out: &mut Vec<u8>) {
        let mut last = u32::MAX;
        for (index, &counter) in self.table.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            match counter.wrapping_sub(last) {
                1 => {}
                step if step <= i32::MAX as u32 => write::number(out, step),
                step => {
                    out.push(b'-');
                    write::number(out, step.wrapping_neg());
                }
            }
            last = counter;
        }
    }

    fn keys(&self) -> &'static str {
        match (self.input_source_map.is_some(), self.coverage.b_t.is_some()) {
            (false, false) => "",
            (true, false) => " inputSourceMap",
            (false, true) => " bT",
            (true, true) => " inputSourceMap bT",
        }
    }

    fn truthy_views(&self) -> &'static str {
        if self.coverage.b_t.is_some() { "W(d.bT,W(d.b,W(d.f,W(d.s,0))))" } else { "W(d.b,W(d.f,W(d.s,0)))" }
    }

    /// Counts a value that is truthy, and neither an empty array nor an empty object.
    fn truthy_function(&self) -> String {
        let Names { counters, make, truthy } = self.names;
        format!(
            "function {truthy}(i,x){{var G=globalThis,O=G.Object,c={counters}||{make}();if(x&&(!G.Array.isArray(x)||x.length)&&\
             (O.getPrototypeOf(x)!==O.prototype||O.values(x).length))++c[i];return x}}"
        )
    }
}

/// Hashes what it takes.
#[derive(Default)]
struct Hasher(Sha1);

impl Sink for Hasher {
    fn put(&mut self, text: &[u8]) {
        self.0.update(text);
    }
}

impl Hasher {
    fn finish(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// From the coverage variable to the counters. `$V` is the counters' variable, `$H` the handle. A program may have taken
/// names like `Object` for something else.
const BEGIN: &str = ",C=g[v]||(g[v]={}),e=C[p],G=globalThis,O=G.Object,P=O.defineProperty,c,d,m,o={},E={path:p};\
if(e&&e.hash===h){if(e.$H)return $V=e.$H.c}else e=0;c=$V=new G.Float64Array(";

/// From the table to the end. `$K` stands for further keys, `$T` for the call that makes the accessors.
///
/// `M` decodes the table, `A` defines an accessor, `S` copies values, `W` makes accessors of counters, `L` makes the
/// data. A counter's value is what was counted plus an offset (`o`), which assigning to it sets.
const END: &str = "\".split(\",\").map(function(x){return t+=x?+x:1}))}\
function A(x,k,t,s){P(x,k,{enumerable:!0,configurable:!0,get:t,set:s})}\
function S(y,x){for(var k in x)y[k]=x[k]}\
function W(x,i){O.keys(x).forEach(function(k){var a=x[k],j;if(typeof a==\"object\"){i=W(a,i);\
A(x,k,function(){return a},function(y){S(a,y)})}else{j=M()[i++];\
(function(n){A(x,k,function(){return c[j]+(o[n]||0)},function(y){o[n]=y-c[j]})})(i)}});return i}\
function L(){if(!d){d=D();$T}return d}\
\"statementMap fnMap branchMap s f b$K _coverageSchema\".split(\" \").forEach(function(k){\
A(E,k,function(){return L()[k]},function(x){S(L()[k],x)})});\
E.hash=h;P(E,\"$H\",{value:{c:c,m:M}});if(e){S(E.s,e.s);S(E.f,e.f);S(E.b,e.b)}C[p]=E;return c}";
