//! Hot paths of webeval-states: identities of single pages, and many snapshots into one graph.
//!
//! `STATES_CORPUS=DIR cargo bench -p webeval-benches --bench states` also times every page of at least 20 kB in DIR.

use std::fs;
use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use webeval_states::{Dom, Error, Options, Snapshot, StateGraph, apply, diff, identify};

/// A page of a shop as a browser would serialise it, about `items` × 400 bytes; `seed` varies its data.
fn shop(items: usize, seed: usize) -> String {
    let cards: String = (0..items)
        .map(|i| {
            let n = i * 7 + seed * 13;
            format!(
                "<li class=\"card css-1q2w3e\" data-v-7ba5bd90=\"\"><a class=\"card__link\" href=\"/p/{n}\">\
                 <img class=\"card__image\" src=\"/i/{n}.jpg\" alt=\"Product {n}\"><h3 class=\"card__title\">Product \
                 number {n}</h3></a><p class=\"card__text\">Updated 2026-11-{:02} 09:{:02}, ${n}.90 each</p><button \
                 type=\"button\" class=\"btn btn-primary\" aria-describedby=\":r{i}:\">Add to cart</button></li>",
                n % 28 + 1,
                n % 60
            )
        })
        .collect();
    format!(
        "<!DOCTYPE html><html><head><title>Shop {seed}</title><style>p{{}}</style></head><body><header \
         class=\"top\"><nav><a href=\"/\">Home</a></nav></header><main><ul class=\"cards\">{cards}</ul></main>\
         <script>let x = 1 < 2;</script></body></html>"
    )
}

fn pages() -> Vec<(String, String)> {
    let mut pages = vec![("shop".to_owned(), shop(150, 1)), ("shop, long".to_owned(), shop(5000, 1))];
    if let Some(dir) = std::env::var_os("STATES_CORPUS") {
        let files = fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut found: Vec<_> = files
            .filter_map(|path| Some((path.file_name()?.to_str()?.to_owned(), fs::read_to_string(path).ok()?)))
            .filter(|(_, html)| html.len() >= 20_000)
            .collect();
        found.sort();
        pages.extend(found);
    }
    pages
}

fn identities(c: &mut Criterion) {
    let options = Options::default();
    let mut group = c.benchmark_group("identify");
    group.sample_size(20);
    for (name, html) in pages() {
        group.throughput(Throughput::Bytes(html.len() as u64));
        group.bench_with_input(BenchmarkId::from_parameter(name), &html, |b, html| {
            b.iter(|| identify(black_box(html), &options));
        });
    }
    group.finish();
}

/// 10,000 snapshots of 60 kB, one in ten of them new, on one thread and on all.
fn batch(c: &mut Criterion) {
    let options = Options::default();
    let variants: Vec<String> = (0..100).map(|seed| shop(128, seed)).collect();
    let load = |i: usize| Ok::<_, Error>(Snapshot::new(variants[i / 10 % 100].as_str(), i as u64));
    let mut group = c.benchmark_group("10,000 snapshots into a graph");
    group.sample_size(10);
    for threads in [1, rayon::current_num_threads()] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        group.bench_function(format!("{threads} threads"), |b| {
            b.iter(|| pool.install(|| StateGraph::from_snapshots(10_000, load, &options)));
        });
    }
    group.finish();
}

fn diffs(c: &mut Criterion) {
    let options = Options::default();
    let before = Dom::parse(&shop(150, 1), &options).expect("small");
    let after = Dom::parse(&shop(150, 1).replacen("Add to cart", "Added", 1), &options).expect("small");
    c.bench_function("diff and apply", |b| b.iter(|| apply(&before, &diff(&before, &after))));
}

criterion_group!(benches, identities, batch, diffs);
criterion_main!(benches);
