//! Which dimensions a benchmark scores and how they become one total.

use crate::error::{StatsError, finite};
use crate::names::DimensionName;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// One scored quality with the ends of its scale.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "RawDimension")]
pub struct Dimension {
    name: DimensionName,
    low: f64,
    high: f64,
}

/// What a file may hold before it has been checked.
#[derive(Deserialize)]
struct RawDimension {
    name: DimensionName,
    low: f64,
    high: f64,
}

impl TryFrom<RawDimension> for Dimension {
    type Error = StatsError;

    fn try_from(raw: RawDimension) -> Result<Self, StatsError> {
        Dimension::new(raw.name, raw.low, raw.high)
    }
}

impl Dimension {
    /// A dimension whose scores lie in [`low`, `high`].
    ///
    /// # Errors
    /// Ends that are not finite or not in ascending order.
    pub fn new(name: impl Into<DimensionName>, low: f64, high: f64) -> Result<Self, StatsError> {
        finite("the low end of a scale", low)?;
        finite("the high end of a scale", high)?;
        if low >= high {
            return Err(StatsError::Undefined {
                what: "a dimension's scale",
                why: "its low end is not below its high end",
            });
        }
        Ok(Dimension { name: name.into(), low, high })
    }

    fn known(name: &str, low: f64, high: f64) -> Self {
        Dimension { name: name.into(), low, high }
    }

    /// Its name.
    pub fn name(&self) -> &DimensionName {
        &self.name
    }

    /// The worst possible score.
    pub fn low(&self) -> f64 {
        self.low
    }

    /// The best possible score.
    pub fn high(&self) -> f64 {
        self.high
    }
}

/// How dimensions become components, and components the total.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Combine {
    /// Each dimension's mean is standardised; a component is the mean of its z-scores, not
    /// standardised again, and the total the mean of the components (WebCraftBench §4.4).
    StandardisedMean,
    /// A component is the sum of its dimensions' means, the total the sum of the components
    /// (LiveEvalBench A.3).
    Sum,
    /// A component is the mean of its dimensions' means, the total the mean of the components.
    Mean,
}

/// A group of dimensions with a figure of its own on the leaderboard.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Component {
    name: String,
    /// Places of its dimensions in the scheme.
    members: Vec<usize>,
}

impl Component {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The places of its dimensions in [`Scheme::dimensions`].
    pub fn members(&self) -> &[usize] {
        &self.members
    }
}

/// A benchmark's dimensions, components and total.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "RawScheme")]
pub struct Scheme {
    name: String,
    combine: Combine,
    dimensions: Vec<Dimension>,
    components: Vec<Component>,
}

/// What a file may hold before it has been checked.
#[derive(Deserialize)]
struct RawScheme {
    name: String,
    combine: Combine,
    dimensions: Vec<Dimension>,
    components: Vec<Component>,
}

impl TryFrom<RawScheme> for Scheme {
    type Error = StatsError;

    fn try_from(raw: RawScheme) -> Result<Self, StatsError> {
        let count = raw.dimensions.len();
        let members = raw.components.iter().flat_map(|c| &c.members);
        if !members.copied().eq(0..count) {
            return Err(StatsError::Undefined {
                what: "a scheme",
                why: "its components do not name each dimension once and in order",
            });
        }
        let mut rest = raw.dimensions.into_iter();
        let components = raw.components.into_iter().map(|c| (c.name, rest.by_ref().take(c.members.len()).collect()));
        Scheme::new(raw.name, raw.combine, components.collect())
    }
}

/// Name and ends of a dimension of a scheme known at compile time.
type KnownDimension = (&'static str, f64, f64);

impl Scheme {
    /// A scheme from its components in order, each with its dimensions.
    ///
    /// # Errors
    /// No component, a component without a dimension, or two dimensions of one name.
    pub fn new(
        name: impl Into<String>,
        combine: Combine,
        components: Vec<(String, Vec<Dimension>)>,
    ) -> Result<Self, StatsError> {
        crate::error::at_least("a scheme's components", 1, components.len())?;
        let mut scheme = Scheme { name: name.into(), combine, dimensions: Vec::new(), components: Vec::new() };
        let mut names = BTreeSet::new();
        for (component, dimensions) in components {
            crate::error::at_least("a component's dimensions", 1, dimensions.len())?;
            for dimension in &dimensions {
                if !names.insert(dimension.name.clone()) {
                    return Err(StatsError::Duplicate { cell: format!("dimension {}", dimension.name) });
                }
            }
            scheme.push(component, dimensions);
        }
        Ok(scheme)
    }

    fn push(&mut self, component: String, dimensions: Vec<Dimension>) {
        let first = self.dimensions.len();
        self.dimensions.extend(dimensions);
        self.components.push(Component { name: component, members: (first..self.dimensions.len()).collect() });
    }

    fn known(name: &str, combine: Combine, components: &[(&str, &[KnownDimension])]) -> Self {
        let mut scheme = Scheme { name: name.to_owned(), combine, dimensions: Vec::new(), components: Vec::new() };
        for (component, dimensions) in components {
            let dimensions = dimensions.iter().map(|&(name, low, high)| Dimension::known(name, low, high));
            scheme.push((*component).to_owned(), dimensions.collect());
        }
        scheme
    }

    /// WebCraftBench (§4.4): aesthetics, usability, and alignment of `functional`, `content` and
    /// `visual` criteria, each 0–100, by standardised means.
    pub fn webcraftbench() -> Self {
        Self::known(
            "webcraftbench",
            Combine::StandardisedMean,
            &[
                ("aesthetics", &[("aesthetics", 0.0, 100.0)]),
                ("usability", &[("usability", 0.0, 100.0)]),
                ("alignment", &[("functional", 0.0, 100.0), ("content", 0.0, 100.0), ("visual", 0.0, 100.0)]),
            ],
        )
    }

    /// LiveEvalBench (A.3): build 15, code 15 + 15, UI 22.5 + 22.5, summed to 90 points.
    pub fn liveevalbench() -> Self {
        Self::known(
            "liveevalbench",
            Combine::Sum,
            &[
                ("build", &[("build_smoothness", 0.0, 15.0)]),
                ("code", &[("implementation_quality", 0.0, 15.0), ("instruction_following", 0.0, 15.0)]),
                ("ui", &[("visual_quality", 0.0, 22.5), ("interaction_experience", 0.0, 22.5)]),
            ],
        )
    }

    /// WebGen-V (§4.1): nine metrics of 1–5 in three groups, by plain means.
    pub fn webgen_v() -> Self {
        const fn metric(name: &'static str) -> KnownDimension {
            (name, 1.0, 5.0)
        }
        Self::known(
            "webgen-v",
            Combine::Mean,
            &[
                ("text", &[metric("TA"), metric("TP"), metric("TR")]),
                ("media", &[metric("TIA"), metric("MP"), metric("MSA")]),
                ("layout", &[metric("MOR"), metric("ALN"), metric("SPC")]),
            ],
        )
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How means become the total.
    pub fn combine(&self) -> Combine {
        self.combine
    }

    /// The dimensions in order.
    pub fn dimensions(&self) -> &[Dimension] {
        &self.dimensions
    }

    /// The components in order.
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// Where a dimension stands in [`dimensions`](Self::dimensions).
    ///
    /// # Errors
    /// [`StatsError::Unknown`].
    pub fn place(&self, dimension: &DimensionName) -> Result<usize, StatsError> {
        self.dimensions
            .iter()
            .position(|d| d.name == *dimension)
            .ok_or_else(|| StatsError::Unknown { kind: "dimension", name: dimension.to_string() })
    }

    /// What one unit of each dimension adds to the total: in z-scores for
    /// [`Combine::StandardisedMean`], in raw scores otherwise.
    pub fn weights(&self) -> Vec<f64> {
        let mut weights = vec![1.0; self.dimensions.len()];
        if self.combine != Combine::Sum {
            for component in &self.components {
                for &member in &component.members {
                    weights[member] = 1.0 / (self.components.len() as f64 * component.members.len() as f64);
                }
            }
        }
        weights
    }

    /// The component of these values of its members, of which those without a value do not count;
    /// `None` where none has one.
    pub(crate) fn component(&self, values: &[Option<f64>]) -> Option<f64> {
        let sum: f64 = values.iter().flatten().sum();
        let count = values.iter().flatten().count();
        match self.combine {
            _ if count == 0 => None,
            Combine::Sum => Some(sum),
            _ => Some(sum / count as f64),
        }
    }

    /// The total of all components, `None` where one has no value.
    pub(crate) fn total(&self, components: &[Option<f64>]) -> Option<f64> {
        let all: Option<Vec<f64>> = components.iter().copied().collect();
        self.component(&all?.into_iter().map(Some).collect::<Vec<_>>())
    }
}
