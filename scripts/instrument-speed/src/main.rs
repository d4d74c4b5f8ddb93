//! Measures, on the same files in one run and on one thread: this project's instrumenter with and without a source map,
//! `oxc_coverage_instrument` 0.12 with and without one, oxc's parser alone, with its semantic analysis and with its
//! printer, and the writing of the output's bytes alone. And what a second thread gains on many files.
//!
//! `instrument-speed ROUNDS FILE…` prints one JSON object a file: for each of them, seconds of its fastest round. The last
//! one has the seconds that many files take on one and on two threads, by the clock.
use std::hint::black_box;
use std::time::Instant;

use cpu_time::ThreadTime;
use oxc_allocator::Allocator;
use oxc_codegen::Codegen;
use oxc_parser::{ParseOptions, Parser};
use oxc_span::SourceType;
use webeval_instrument::{Options, SourceFile, instrument_all};

/// What is measured: a name and something to run.
type Task<'t> = (&'static str, Box<dyn FnMut() -> usize + 't>);

/// Runs all tasks in turn, round after round, so that a busy spell of the machine meets all of them, and gives each
/// one's fastest round in seconds of processor time.
fn measure_all(rounds: usize, tasks: &mut [Task<'_>]) -> serde_json::Map<String, serde_json::Value> {
    let mut fastest = vec![f64::INFINITY; tasks.len()];
    for _ in 0..rounds {
        for (best, (_, run)) in fastest.iter_mut().zip(tasks.iter_mut()) {
            let start = ThreadTime::now();
            black_box(run());
            *best = best.min(start.elapsed().as_secs_f64());
        }
    }
    tasks.iter().zip(fastest).map(|((name, _), best)| ((*name).to_owned(), best.into())).collect()
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let rounds: usize = arguments.next().and_then(|rounds| rounds.parse().ok()).unwrap_or(5);
    let sources: Vec<(String, String)> = arguments
        .map(|path| {
            let source = std::fs::read_to_string(&path).expect("a file to read");
            (path, source)
        })
        .collect();
    for (path, source) in &sources {
        measure(path, source, rounds);
    }
    measure_threads(&sources, rounds);
}

/// All files of at most a megabyte, several times over, as if they were those of a project.
fn measure_threads(sources: &[(String, String)], rounds: usize) {
    let small = sources.iter().filter(|(_, source)| source.len() <= 1 << 20);
    let files: Vec<SourceFile<'_>> =
        small.map(|(path, source)| SourceFile { path, bytes: source.as_bytes() }).collect::<Vec<_>>().repeat(6);
    let pools = [1, 2].map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads"));
    let mut fastest = [f64::INFINITY; 2];
    for _ in 0..rounds {
        for (best, pool) in fastest.iter_mut().zip(&pools) {
            let start = Instant::now();
            pool.install(|| black_box(instrument_all(&files, &Options::default())));
            *best = best.min(start.elapsed().as_secs_f64());
        }
    }
    println!("{}", serde_json::json!({ "files": files.len(), "threads": fastest }));
}

fn measure(path: &str, source: &str, rounds: usize) {
    let source_type = SourceType::from_path(path).unwrap_or_default();
    let parse_options =
        ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
    let plain = Options::default();
    let mut mapped = Options::default();
    mapped.produce_source_map = true;
    let ours = |options| webeval_instrument::instrument(source, path, options).map_or(0, |done| done.code.len());
    let their_plain = oxc_coverage_instrument::InstrumentOptions::default();
    let their_mapped = oxc_coverage_instrument::InstrumentOptions { source_map: true, ..Default::default() };
    let theirs =
        |options| oxc_coverage_instrument::instrument(source, path, options).map_or(0, |done| done.code.len());
    let done = webeval_instrument::instrument(source, path, &plain).expect("instruments");
    let theirs_size = theirs(&their_plain);
    let mut tasks: Vec<Task<'_>> = vec![
        ("ours", Box::new(|| ours(&plain))),
        ("theirs", Box::new(|| theirs(&their_plain))),
        ("oursMap", Box::new(|| ours(&mapped))),
        ("theirsMap", Box::new(|| theirs(&their_mapped))),
        ("parse", Box::new(|| {
            let allocator = Allocator::default();
            Parser::new(&allocator, source, source_type).with_options(parse_options).parse().program.body.len()
        })),
        ("semantic", Box::new(|| {
            let allocator = Allocator::default();
            let parsed = Parser::new(&allocator, source, source_type).with_options(parse_options).parse();
            oxc_semantic::SemanticBuilder::new().build(&parsed.program).semantic.nodes().len()
        })),
        ("codegen", Box::new(|| {
            let allocator = Allocator::default();
            let parsed = Parser::new(&allocator, source, source_type).with_options(parse_options).parse();
            Codegen::new().build(&parsed.program).code.len()
        })),
        ("write", Box::new(|| {
            let mut out: Vec<u8> = Vec::with_capacity(done.code.len());
            out.extend_from_slice(black_box(done.code.as_bytes()));
            black_box(&out).len()
        })),
    ];
    let mut report = measure_all(rounds, &mut tasks);
    report.insert("path".into(), path.into());
    report.insert("bytes".into(), source.len().into());
    report.insert("oursSize".into(), done.code.len().into());
    report.insert("theirsSize".into(), theirs_size.into());
    println!("{}", serde_json::Value::Object(report));
}
