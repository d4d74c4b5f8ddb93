//! Counting tokens and money, and stopping at a limit.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use webeval_evidence::TokenUsage;

use crate::{ChatFuture, ChatModel, ChatRequest, Error, Profile};

/// What was used so far, by purpose. Clones share one account, so that several models can be held to one limit.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    account: Arc<Mutex<BTreeMap<String, TokenUsage>>>,
    limit: Option<f64>,
}

impl Ledger {
    /// An account with a limit in US dollars, or without one.
    #[must_use]
    pub fn new(limit: Option<f64>) -> Self {
        Self { account: Arc::default(), limit }
    }

    /// Usage by [`ChatRequest::purpose`].
    #[must_use]
    pub fn by_purpose(&self) -> BTreeMap<String, TokenUsage> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Usage over all purposes.
    #[must_use]
    pub fn total(&self) -> TokenUsage {
        let mut total = TokenUsage::default();
        self.by_purpose().into_values().for_each(|usage| total += usage);
        total
    }

    /// Adds usage, such as that of an earlier sitting.
    pub fn add(&self, purpose: &str, usage: TokenUsage) {
        let mut account = self.account.lock().unwrap_or_else(PoisonError::into_inner);
        *account.entry(purpose.to_owned()).or_default() += usage;
    }

    fn admit(&self) -> Result<(), Error> {
        let Some(limit) = self.limit else { return Ok(()) };
        let spent: f64 = self.by_purpose().values().filter_map(|usage| usage.cost_usd).sum();
        if spent < limit { Ok(()) } else { Err(Error::OverBudget { spent, limit }) }
    }
}

/// A model whose use is counted in a [`Ledger`]. Once the ledger's limit is reached nothing more is sent; calls already
/// under way are let finish, so the limit is passed by at most what those cost.
#[derive(Debug)]
pub struct Metered<M> {
    model: M,
    ledger: Ledger,
}

impl<M: ChatModel> Metered<M> {
    /// Counts the use of `model` in `ledger`.
    ///
    /// # Errors
    /// [`Error::Config`] when the ledger has a limit and the model no price: the limit could not be kept.
    pub fn new(model: M, ledger: Ledger) -> Result<Self, Error> {
        if ledger.limit.is_some() && model.profile().price.0.is_empty() {
            let message = format!("no prices are known for {}, so a cost limit cannot be kept", model.name());
            return Err(Error::Config { message });
        }
        Ok(Self { model, ledger })
    }
}

impl<M: ChatModel> ChatModel for Metered<M> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn profile(&self) -> &Profile {
        self.model.profile()
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest) -> ChatFuture<'a> {
        Box::pin(async move {
            self.ledger.admit()?;
            let reply = self.model.chat(request).await?;
            self.ledger.add(&request.purpose, reply.usage);
            Ok(reply)
        })
    }
}
