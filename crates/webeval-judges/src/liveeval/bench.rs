//! What an evaluator's tools act on.

use std::pin::Pin;

use serde_json::Value;
use webeval_llm::Image;

use super::{Evaluator, ToolKind};
use crate::Error;

/// What the methods of [`Bench`] and [`Benches`] return.
pub type BenchFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'a>>;

/// What a tool shows.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// Text; it may come from the app and is fenced before it is sent.
    pub text: String,
    /// Pictures with their captions.
    pub pictures: Vec<(String, Image)>,
    /// Whether this shows a change against a capture from before the action.
    pub compared: bool,
}

impl Shown {
    /// Text alone.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

/// An app as one evaluator meets it: its page, its source, its build record, as far as the evaluator's tools reach.
pub trait Bench: Send {
    /// What is there at first sight, in words: criteria are grounded in it.
    fn overview(&mut self) -> BenchFuture<'_, Shown>;

    /// Uses a tool. What is wrong with the arguments is told in words that a model can act on; an error ends the run.
    fn use_tool<'a>(&'a mut self, tool: ToolKind, arguments: &'a Value) -> BenchFuture<'a, Shown>;
}

/// Opens benches, each with a browser session and storage of its own, so that evaluators cannot disturb one another.
pub trait Benches: Sync {
    /// A fresh bench for one run of one evaluator.
    fn open<'a>(&'a self, evaluator: &'a Evaluator) -> BenchFuture<'a, Box<dyn Bench>>;

    /// Why an evaluator cannot work on this app at all, in words; none when it can. What it would have judged is
    /// recorded as not checked, never as failed.
    fn obstacle(&self, evaluator: &Evaluator) -> Option<String> {
        let _ = evaluator;
        None
    }
}
