//! Times ways to normalise pages: `states-compare FILE…` prints one JSON line a page with MB/s by way, best of
//! several runs, in CPU time of one thread. The ways take turns, so that a busy machine slows all alike.

use std::cell::Cell;
use std::hint::black_box;
use std::sync::LazyLock;

use cpu_time::ThreadTime;
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use webeval_states::{Options, identify};

/// Counts attributes, so that nothing is optimised away.
struct Counter(Cell<usize>);

impl TokenSink for Counter {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        if let Token::TagToken(tag) = token {
            self.0.set(self.0.get() + tag.attrs.len());
            if tag.kind == TagKind::StartTag {
                return match &*tag.name {
                    "script" => TokenSinkResult::RawData(RawKind::ScriptData),
                    "style" => TokenSinkResult::RawData(RawKind::Rawtext),
                    _ => TokenSinkResult::Continue,
                };
            }
        }
        TokenSinkResult::Continue
    }
}

fn html5ever_tokenizer(html: &str) -> usize {
    let queue = BufferQueue::default();
    queue.push_back(StrTendril::from(html));
    let tokenizer = Tokenizer::new(Counter(Cell::new(0)), TokenizerOpts::default());
    while let html5ever::TokenizerResult::Script(()) = tokenizer.feed(&queue) {}
    tokenizer.end();
    tokenizer.sink.0.get()
}

fn html5ever_rcdom(html: &str) -> usize {
    let dom = html5ever::parse_document(markup5ever_rcdom::RcDom::default(), Default::default()).one(html);
    dom.document.children.borrow().len()
}

/// Removes scripts, styles and the attributes that a level-0 form would remove by name.
fn lol_html_strip(html: &str) -> usize {
    let settings = lol_html::RewriteStrSettings::new()
        .append_element_content_handler(lol_html::element!("script, style", |element| {
            element.remove();
            Ok(())
        }))
        .append_element_content_handler(lol_html::element!("*", |element| {
            let dropped: Vec<String> =
                element.attributes().iter().map(|a| a.name()).filter(|name| OPTIONS.drops(name)).collect();
            dropped.iter().for_each(|name| element.remove_attribute(name));
            Ok(())
        }));
    lol_html::rewrite_str(html, settings).map_or(0, |out| out.len())
}

/// Made once, as every caller with more than one page does.
static OPTIONS: LazyLock<Options> = LazyLock::new(Options::default);

fn webeval(html: &str) -> usize {
    identify(html, &OPTIONS).map_or(0, |identity| identity.level2.as_u128() as usize)
}

fn main() {
    let ways: [(&str, fn(&str) -> usize); 4] = [
        ("webeval-states", webeval),
        ("html5ever tokenizer", html5ever_tokenizer),
        ("html5ever rcdom", html5ever_rcdom),
        ("lol_html", lol_html_strip),
    ];
    for path in std::env::args().skip(1) {
        let Ok(html) = std::fs::read_to_string(&path) else {
            eprintln!("{path}: not readable as UTF-8, skipped");
            continue;
        };
        let rounds = (8_000_000 / html.len().max(1)).clamp(5, 100);
        let mut best = [f64::INFINITY; 4];
        for _ in 0..rounds {
            for (best, (_, way)) in best.iter_mut().zip(ways) {
                let start = ThreadTime::now();
                black_box(way(black_box(&html)));
                *best = best.min(start.elapsed().as_secs_f64());
            }
        }
        let rates: Vec<String> = ways
            .iter()
            .zip(best)
            .map(|((name, _), seconds)| format!("\"{name}\": {:.1}", html.len() as f64 / seconds / 1e6))
            .collect();
        println!("{{\"file\": {path:?}, \"bytes\": {}, {}}}", html.len(), rates.join(", "));
    }
}
