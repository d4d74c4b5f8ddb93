//! What a model can take and what it costs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use webeval_evidence::TokenUsage;

use crate::Error;

/// How far a model follows a JSON Schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JsonSupport {
    /// `response_format: json_schema`.
    #[default]
    Schema,
    /// `response_format: json_object`; the schema goes into words.
    Object,
    /// Neither; the schema goes into words.
    None,
}

/// The request's field for the most tokens to answer with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MaxTokensField {
    /// `max_completion_tokens`, the current name.
    #[default]
    MaxCompletionTokens,
    /// `max_tokens`, the old name that many servers know alone.
    MaxTokens,
}

/// Prices for prompts up to a size, in US dollars per million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriceTier {
    /// Holds for prompts of at most this many tokens; for all when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up_to: Option<u64>,
    /// Prompt tokens.
    pub input: f64,
    /// Prompt tokens read from the provider's cache; as `input` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<f64>,
    /// Completion tokens.
    pub output: f64,
}

/// A model's prices, by size of the prompt.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Prices(pub Vec<PriceTier>);

impl Prices {
    /// What one call costs in US dollars (WebGen-V, appendix C: tokens × price per million, input and output); none
    /// when no tier fits. Of several tiers the one with the smallest `up_to` that holds the prompt counts.
    #[must_use]
    pub fn cost(&self, input: u64, cached: u64, output: u64) -> Option<f64> {
        let tier = self.tier(input as f64)?;
        let cached = cached.min(input);
        let fresh = (input - cached) as f64 * tier.input;
        let read = cached as f64 * tier.cached.unwrap_or(tier.input);
        Some((fresh + read + output as f64 * tier.output) / 1e6)
    }

    fn tier(&self, prompt: f64) -> Option<&PriceTier> {
        let fits = |tier: &&PriceTier| tier.up_to.is_none_or(|most| prompt <= most as f64);
        self.0.iter().filter(fits).min_by_key(|tier| tier.up_to.unwrap_or(u64::MAX))
    }
}

/// What one model can take, and what it costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Profile {
    /// Takes images.
    pub vision: bool,
    /// Calls tools.
    pub tools: bool,
    /// Follows JSON Schemas.
    pub json: JsonSupport,
    /// Takes a seed.
    pub seed: bool,
    /// Takes a temperature.
    pub temperature: bool,
    /// Name of the field for the answer's limit.
    pub max_tokens_field: MaxTokensField,
    /// Tokens that prompt and answer share.
    pub context: u64,
    /// Most images in one request.
    pub max_images: usize,
    /// Longest edge of an image, in pixels; larger ones are made smaller.
    pub max_image_edge: u32,
    /// Most bytes of an encoded image; larger ones are made smaller.
    pub max_image_bytes: usize,
    /// Prices; empty when they are not known.
    pub price: Prices,
    /// Further fields of the request's body, such as `reasoning_effort`.
    pub extra: Map<String, Value>,
}

impl Default for Profile {
    /// A capable model of unknown price.
    fn default() -> Self {
        Self {
            vision: true,
            tools: true,
            json: JsonSupport::Schema,
            seed: true,
            temperature: true,
            max_tokens_field: MaxTokensField::default(),
            context: 128_000,
            // WebGen-V (limitations): two of three models degrade beyond 30 images.
            max_images: 30,
            // Providers scale larger images down themselves; doing it here makes what was sent known.
            max_image_edge: 2000,
            max_image_bytes: 4 << 20,
            price: Prices::default(),
            extra: Map::new(),
        }
    }
}

impl Profile {
    /// Fills in what the calls recorded in `usage` cost together, from their sums.
    pub(crate) fn charge(&self, usage: &mut TokenUsage) {
        usage.cost_usd = self.price.cost(usage.input, usage.cached, usage.output);
    }
}

/// A model file: profiles by model name, in TOML.
///
/// ```
/// let file = webeval_llm::Profiles::from_toml(r#"
///     [models."gemini-2.5-pro"]
///     max_images = 30
///     price = [
///         { up_to = 200000, input = 0.625, output = 5.0 },
///         { input = 1.25, output = 7.5 },
///     ]
///     [models."gemini-2.5-pro".extra]
///     reasoning_effort = "high"
/// "#)?;
/// assert_eq!(file.get("gemini-2.5-pro").price.cost(100_000, 0, 10_000), Some(0.1125));
/// # Ok::<(), webeval_llm::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Profiles {
    /// Profiles by model name.
    #[serde(default)]
    pub models: BTreeMap<String, Profile>,
}

impl Profiles {
    /// Reads a model file.
    ///
    /// # Errors
    /// [`Error::ModelFile`] with line and column.
    pub fn from_toml(text: &str) -> Result<Self, Error> {
        Ok(toml::from_str(text)?)
    }

    /// The profile of `model`; the default one for a model the file does not name.
    #[must_use]
    pub fn get(&self, model: &str) -> Profile {
        self.models.get(model).cloned().unwrap_or_default()
    }
}
