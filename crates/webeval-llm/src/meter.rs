//! Counting tokens and money, and stopping at a limit.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use webeval_evidence::TokenUsage;

use crate::{ChatFuture, ChatModel, ChatRequest, Error, Profile};

/// What was used so far, by purpose. Clones share one account, so that several models can be held to one limit.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    account: Arc<Mutex<Account>>,
    limit: Option<f64>,
}

#[derive(Debug, Default)]
struct Account {
    by_purpose: BTreeMap<String, TokenUsage>,
    /// Calls that were let through and have not come back.
    under_way: u32,
}

/// A call under way; it is over when this is dropped.
struct UnderWay<'a>(&'a Ledger);

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.open().under_way -= 1;
    }
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
        self.open().by_purpose.clone()
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
        *self.open().by_purpose.entry(purpose.to_owned()).or_default() += usage;
    }

    fn open(&self) -> MutexGuard<'_, Account> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a call through, unless the money is spent or will be when those under way cost what calls cost so far.
    fn admit(&self) -> Result<UnderWay<'_>, Error> {
        let mut account = self.open();
        if let Some(limit) = self.limit {
            let spent: f64 = account.by_purpose.values().filter_map(|usage| usage.cost_usd).sum();
            let calls: u64 = account.by_purpose.values().map(|usage| usage.calls).sum();
            let expected = if calls == 0 { 0.0 } else { spent / calls as f64 * f64::from(account.under_way) };
            if spent + expected >= limit {
                return Err(Error::OverBudget { spent, limit });
            }
        }
        account.under_way += 1;
        Ok(UnderWay(self))
    }
}

/// A model whose use is counted in a [`Ledger`]. Once the ledger's limit is reached nothing more is sent; calls already
/// under way are let finish. Those are reckoned with at the mean price so far, so the limit is passed by little more than
/// one call.
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
            let _under_way = self.ledger.admit()?;
            let reply = self.model.chat(request).await?;
            self.ledger.add(&request.purpose, reply.usage);
            Ok(reply)
        })
    }
}
