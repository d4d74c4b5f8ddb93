//! What the caller passes in to watch an exploration and to stop it.

use tokio::sync::watch;
use webeval_evidence::{Hint, Step};

/// Told what happens while it happens. Every method has a body that does nothing.
pub trait Events: Send {
    /// A step is over and recorded.
    fn step(&mut self, step: &Step) {
        let _ = step;
    }

    /// The advisor gave a hint.
    fn hint(&mut self, hint: &Hint) {
        let _ = hint;
    }

    /// Something went wrong that does not end the exploration.
    fn trouble(&mut self, message: &str) {
        let _ = message;
    }
}

/// Watches nothing.
impl Events for () {}

/// Asks an exploration to stop after the step that is under way.
#[derive(Clone, Debug)]
pub struct Canceller(std::sync::Arc<watch::Sender<bool>>);

/// What an exploration looks at to know whether it was asked to stop.
#[derive(Clone, Debug)]
pub struct Cancel(Option<watch::Receiver<bool>>);

impl Cancel {
    /// Both ends.
    #[must_use]
    pub fn pair() -> (Canceller, Self) {
        let (sender, receiver) = watch::channel(false);
        (Canceller(std::sync::Arc::new(sender)), Self(Some(receiver)))
    }

    /// Never asked to stop.
    #[must_use]
    pub fn never() -> Self {
        Self(None)
    }

    /// Whether it was asked to stop.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.as_ref().is_some_and(|receiver| *receiver.borrow())
    }

    /// Returns when it is asked to stop.
    pub async fn cancelled(&self) {
        if let Some(receiver) = &self.0
            && receiver.clone().wait_for(|stop| *stop).await.is_ok()
        {
            return;
        }
        std::future::pending::<()>().await;
    }
}

impl Canceller {
    /// Asks to stop.
    pub fn cancel(&self) {
        self.0.send_replace(true);
    }
}
