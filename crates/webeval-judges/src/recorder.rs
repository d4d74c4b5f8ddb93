//! `judgements.jsonl`: what is there already, and what is added.

use std::sync::{Mutex, PoisonError};

use serde_json::Value;
use webeval_evidence::{BlobRef, Citation, Judgement, Log, RunDir, TokenUsage};
use webeval_llm::{ChatModel, ChatRequest, ask};

use crate::{Error, Event};

/// What identifies a call: where it stands in the procedure, and everything that was asked.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) dimension: String,
    pub(crate) role: &'static str,
    pub(crate) round: u32,
    pub(crate) prompt: String,
    pub(crate) request: String,
}

/// A question as it is put to a model.
pub(crate) struct Question<'q> {
    pub(crate) call: Call,
    /// The request; its seed is chosen when it is sent.
    pub(crate) request: ChatRequest,
    pub(crate) seed: u64,
    /// Screenshots that are sent with it.
    pub(crate) screenshots: &'q [BlobRef],
    /// Takes what cannot stand out of a verdict and tells what it took. It is applied to a copy first, and what it would
    /// take is sent back to the model once.
    pub(crate) settle: &'q (dyn Fn(&mut Value) -> Checked + Sync),
}

/// What a verdict cites: evidence that exists, and what was struck.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    pub(crate) valid: Vec<Citation>,
    pub(crate) struck: Vec<String>,
}

pub(crate) struct Recorder<'a> {
    method: &'static str,
    judge: String,
    repeat: u32,
    earlier: Vec<Judgement>,
    now: Mutex<Now>,
    events: &'a (dyn Fn(Event) + Sync),
}

#[derive(Debug)]
struct Now {
    log: Log<Judgement>,
    usage: TokenUsage,
    struck: usize,
}

impl std::fmt::Debug for Recorder<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recorder").field("judge", &self.judge).field("repeat", &self.repeat).finish_non_exhaustive()
    }
}

impl<'a> Recorder<'a> {
    pub(crate) fn open(
        run: &RunDir,
        method: &'static str,
        judge: &str,
        repeat: u32,
        events: &'a (dyn Fn(Event) + Sync),
    ) -> Result<Self, Error> {
        let ours = |j: &Judgement| j.method == method && j.judge == judge && j.repeat == repeat;
        let earlier = run.judgements()?.into_iter().filter(ours).collect();
        let now = Now { log: run.judgement_log()?, usage: TokenUsage::default(), struck: 0 };
        Ok(Self { method, judge: judge.to_owned(), repeat, earlier, now: Mutex::new(now), events })
    }

    /// The verdict of an earlier sitting on the same question.
    pub(crate) fn earlier(&self, call: &Call) -> Option<Judgement> {
        let same = |j: &&Judgement| {
            (j.dimension.as_str(), j.role.as_str(), j.round) == (&call.dimension, call.role, call.round)
                && (j.prompt.as_str(), j.request.as_str()) == (&call.prompt, &call.request)
                && j.failure.is_none()
        };
        let found = self.earlier.iter().rev().find(same)?.clone();
        self.count(&found);
        self.tell(&found, true);
        Some(found)
    }

    /// The seed to ask with: another one each time the same call failed before, or a recorded answer that cannot be used
    /// would come back for ever.
    pub(crate) fn seed(&self, call: &Call, seed: u64) -> u64 {
        let failed = |j: &&Judgement| {
            (j.dimension.as_str(), j.role.as_str(), j.round) == (&call.dimension, call.role, call.round)
                && j.request == call.request
                && j.failure.is_some()
        };
        let failures = self.earlier.iter().filter(failed).count() as u64;
        seed.wrapping_add(failures.wrapping_mul(1000))
    }

    /// An empty line for a call.
    pub(crate) fn line(&self, call: &Call) -> Judgement {
        Judgement {
            method: self.method.to_owned(),
            judge: self.judge.clone(),
            repeat: self.repeat,
            dimension: call.dimension.clone(),
            role: call.role.to_owned(),
            round: call.round,
            prompt: call.prompt.clone(),
            request: call.request.clone(),
            verdict: serde_json::Value::Null,
            citations: Vec::new(),
            struck: Vec::new(),
            screenshots: Vec::new(),
            usage: TokenUsage::default(),
            failure: None,
        }
    }

    /// Asks a question, unless it was answered in an earlier sitting, and records the answer or the failure.
    ///
    /// # Errors
    /// [`Error::Stopped`] for a failure that no further question would survive.
    pub(crate) async fn put(&self, model: &dyn ChatModel, question: Question<'_>) -> Result<Judgement, Error> {
        let Question { call, request, seed, screenshots, settle } = question;
        if let Some(earlier) = self.earlier(&call) {
            return Ok(earlier);
        }
        let request = request.with_seed(self.seed(&call, seed));
        let mut line = self.line(&call);
        line.screenshots = screenshots.to_vec();
        let complaints = |verdict: &Value| settle(&mut verdict.clone()).struck;
        let fatal = match ask(model, &request, &complaints).await {
            Ok(answer) => {
                line.usage = answer.usage;
                line.verdict = answer.value;
                let checked = settle(&mut line.verdict);
                (line.citations, line.struck) = (checked.valid, checked.struck);
                None
            }
            Err(failure) => {
                line.usage = failure.usage;
                line.failure = Some(failure.to_string());
                failure.error.is_fatal().then_some(failure.error)
            }
        };
        self.add(&line)?;
        match fatal {
            Some(source) => Err(Error::Stopped { source }),
            None => Ok(line),
        }
    }

    pub(crate) fn add(&self, judgement: &Judgement) -> Result<(), Error> {
        self.count(judgement);
        self.now.lock().unwrap_or_else(PoisonError::into_inner).log.append(judgement)?;
        self.tell(judgement, false);
        Ok(())
    }

    fn count(&self, judgement: &Judgement) {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        now.usage += judgement.usage;
        now.struck += judgement.struck.len();
    }

    fn tell(&self, judgement: &Judgement, reused: bool) {
        let Judgement { dimension, role, round, usage, failure, .. } = judgement.clone();
        (self.events)(match failure {
            Some(failure) => Event::Failed { dimension, role, round, failure },
            None => Event::Judged { dimension, role, round, reused, usage },
        });
    }

    /// Tokens and money over all verdicts that count, those of earlier sittings included.
    pub(crate) fn usage(&self) -> TokenUsage {
        self.now.lock().unwrap_or_else(PoisonError::into_inner).usage
    }

    /// Citations struck over all verdicts that count.
    pub(crate) fn struck(&self) -> usize {
        self.now.lock().unwrap_or_else(PoisonError::into_inner).struck
    }
}
