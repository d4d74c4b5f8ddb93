//! How fast files are instrumented, and how fast coverage is merged, summed up and brought up to date.
#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use webeval_instrument::coverage::{CoverageMap, Delta};
use webeval_instrument::{Options, SourceFile, instrument, instrument_all};

/// Code such as apps are made of, repeated to a size.
fn program(bytes: usize) -> String {
    let piece = include_str!("../../fixtures/instrument/istanbul/branches.js");
    (0..=bytes / piece.len()).map(|index| format!("(function part{index}() {{\n{piece}}})();\n")).collect()
}

fn instrumenting(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("instrument");
    for (name, bytes) in [("10 kB", 10_000), ("1 MB", 1_000_000)] {
        let source = program(bytes);
        group.throughput(Throughput::Bytes(source.len() as u64));
        let mut options = Options::default();
        group.bench_function(name, |bencher| {
            bencher.iter(|| instrument(black_box(&source), "a.js", &options).unwrap());
        });
        options.produce_source_map = true;
        group.bench_function(format!("{name} with source map"), |bencher| {
            bencher.iter(|| instrument(black_box(&source), "a.js", &options).unwrap());
        });
    }
    let source = program(20_000);
    let files = vec![SourceFile { path: "a.js", bytes: source.as_bytes() }; 64];
    group.throughput(Throughput::Bytes(64 * source.len() as u64));
    group.bench_function("64 files in parallel", |bencher| {
        bencher.iter(|| instrument_all(black_box(&files), &Options::default()));
    });
    group.finish();
}

fn coverage(criterion: &mut Criterion) {
    let file = instrument(&program(200_000), "a.js", &Options::default()).unwrap().coverage;
    let map: CoverageMap = [file].into_iter().collect();
    let delta = Delta::from_json(r#"{"a.js":{"i":[0,7,100,999,1500,2100],"n":[1,2,3,4,5,6]}}"#).unwrap();
    let mut group = criterion.benchmark_group("coverage");
    group.bench_function("summary", |bencher| bencher.iter(|| black_box(&map).summary()));
    group.bench_function("apply", |bencher| {
        bencher.iter_batched_ref(|| map.clone(), |map| map.apply(black_box(&delta)), BatchSize::LargeInput);
    });
    group.bench_function("merge", |bencher| {
        bencher.iter_batched_ref(|| map.clone(), |own| own.merge(black_box(&map)), BatchSize::LargeInput);
    });
    group.finish();
}

criterion_group!(benches, instrumenting, coverage);
criterion_main!(benches);
