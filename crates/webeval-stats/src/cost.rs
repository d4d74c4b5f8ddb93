//! What a run over many pages costs (WebGen-V appendix C).

use crate::error::{StatsError, in_range};
use serde::{Deserialize, Serialize};

/// Prices in US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Price {
    /// Per million prompt tokens.
    pub input: f64,
    /// Per million completion tokens.
    pub output: f64,
}

/// A price list by size of the prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pricing {
    base: Price,
    tiers: Vec<Tier>,
}

/// The price of prompts longer than a number of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Tier {
    above: u64,
    price: Price,
}

impl Pricing {
    /// One price for all prompts.
    pub fn flat(price: Price) -> Self {
        Pricing { base: price, tiers: Vec::new() }
    }

    /// Adds another price for prompts of *more* than `above` tokens.
    pub fn with_tier(mut self, above: u64, price: Price) -> Self {
        self.tiers.push(Tier { above, price });
        self.tiers.sort_by_key(|tier| tier.above);
        self
    }

    /// The price of a prompt of so many tokens.
    pub fn price(&self, prompt_tokens: f64) -> Price {
        self.tiers.iter().rfind(|tier| prompt_tokens > tier.above as f64).map_or(self.base, |tier| tier.price)
    }
}

/// Tokens and US dollars of a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// `T = N (t̄_in + t̄_out)`.
    pub tokens: f64,
    /// Input cost in US dollars.
    pub input: f64,
    /// Output cost in US dollars.
    pub output: f64,
}

impl Cost {
    /// `N / 10⁶ · (p_in t̄_in + p_out t̄_out)` for `pages` pages with these mean tokens per page.
    ///
    /// The tier is chosen by the mean prompt, as if each page were one request of that size.
    ///
    /// # Errors
    /// A token count or price that is negative or not finite.
    pub fn of(pages: u64, mean_input: f64, mean_output: f64, pricing: &Pricing) -> Result<Self, StatsError> {
        let amount = |what, value| in_range(what, value, 0.0, f64::MAX);
        amount("mean input tokens", mean_input)?;
        amount("mean output tokens", mean_output)?;
        let price = pricing.price(mean_input);
        amount("an input price", price.input)?;
        amount("an output price", price.output)?;
        let pages = pages as f64;
        Ok(Cost {
            tokens: amount("the tokens of a run", pages * (mean_input + mean_output))?,
            input: amount("an input cost", pages / 1e6 * price.input * mean_input)?,
            output: amount("an output cost", pages / 1e6 * price.output * mean_output)?,
        })
    }

    /// Input and output cost together, in US dollars.
    pub fn total(&self) -> f64 {
        self.input + self.output
    }
}
