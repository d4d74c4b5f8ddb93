//! `judgements.jsonl`: what is there already, and what is added.

use std::sync::{Mutex, PoisonError};

use webeval_evidence::{Judgement, Log, RunDir, TokenUsage};

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
