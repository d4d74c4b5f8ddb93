//! Snapshots into a graph, in a process of their own so that peak memory says something.
//!
//!     states_batch graph THREADS SNAPSHOTS DISTINCT    10,000 pages of 60 kB, say, of which so many differ
//!     states_batch garbage MEGABYTES                   unclosed tags, NUL bytes, entities, quotes; must not panic
//!
//! Prints seconds and the process's peak memory. `scripts/states-batch` runs what docs/states.md reports.
#![allow(clippy::print_stdout, reason = "printing is what it is for")]

use std::fmt::Write;
use std::time::Instant;

use webeval_states::{Error, Options, Snapshot, StateGraph, identify};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| arguments.get(at).and_then(|text| text.parse::<usize>().ok());
    let started = match (arguments.first().map(String::as_str), number(1), number(2), number(3)) {
        (Some("graph"), Some(threads), Some(snapshots), Some(distinct)) => {
            rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
            let template = shop(150);
            let started = Instant::now();
            let load = |at: usize| {
                let html = template.replace("Shop front", &format!("Shop front {}", word(at % distinct)));
                Ok::<_, Error>(Snapshot::new(html, at as u64))
            };
            let graph = StateGraph::from_snapshots(snapshots, load, &Options::default())?;
            print!(
                "{snapshots} snapshots of {} kB, {} states, {threads} threads: ",
                template.len() / 1000,
                graph.states().len()
            );
            started
        }
        (Some("garbage"), Some(megabytes), ..) => {
            let page = garbage(megabytes * 1_000_000);
            let started = Instant::now();
            let identity = identify(&page, &Options::default())?;
            print!("{megabytes} MB of garbage, {}: ", identity.level0);
            started
        }
        _ => return Err("usage: states_batch graph THREADS SNAPSHOTS DISTINCT | garbage MEGABYTES".into()),
    };
    println!("{:.2} s, peak {} MB", started.elapsed().as_secs_f64(), peak_megabytes()?);
    Ok(())
}

/// Pieces of markup in an order that means nothing; nothing in it swallows all that follows.
fn garbage(bytes: usize) -> String {
    const PIECES: [&str; 16] = [
        "<div",
        " a='",
        "'",
        "\"",
        ">",
        "\0",
        "&#x110000;",
        "<p class=\"b\">",
        "<ul><li>",
        "12:30:",
        "</b>",
        "</i>",
        "é<",
        "<b>",
        "<table>",
        " text ",
    ];
    let mut page = String::with_capacity(bytes + 16);
    let mut state = 1_u64;
    while page.len() < bytes {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        page.push_str(PIECES[(state >> 60) as usize]);
    }
    page
}

/// A name that is no number: the crate may take numbers for clocks.
fn word(mut n: usize) -> String {
    let mut word = String::new();
    loop {
        word.push(char::from(b'a' + (n % 26) as u8));
        n /= 26;
        if n == 0 {
            return word;
        }
    }
}

/// A page of a shop as a browser would serialise it, about `items` × 400 bytes.
fn shop(items: usize) -> String {
    let mut page = "<!DOCTYPE html><html><head><title>Shop</title></head><body><h1>Shop front</h1><ul>".to_owned();
    for i in 0..items {
        let _ = write!(
            page,
            "<li class=\"card css-1q2w3e\" data-v-7ba5bd90=\"\"><a class=\"card__link\" href=\"/p/{i}\"><img \
             class=\"card__image\" src=\"/i/{i}.jpg\" alt=\"Product {i}\"><h3 class=\"card__title\">Product number \
             {i}</h3></a><p class=\"card__text\">Updated 2026-11-{:02} 09:{:02}, ${i}.90 each</p><button type=\"button\" \
             class=\"btn btn-primary\" aria-describedby=\":r{i}:\">Add to cart</button></li>",
            i % 28 + 1,
            i % 60
        );
    }
    page + "</ul></body></html>"
}

fn peak_megabytes() -> Result<u64, Box<dyn std::error::Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM")).ok_or("no VmHWM in /proc/self/status")?;
    Ok(line.split_whitespace().nth(1).ok_or("an empty VmHWM")?.parse::<u64>()? / 1000)
}
