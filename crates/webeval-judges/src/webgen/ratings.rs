//! Ratings: nine metrics of 1 to 5 a section, and the rules that the program holds the judge to (WebGen-V §4.1).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use webeval_evidence::{DimensionScore, ScoreStatus};
use webeval_sections::Finding;
use webeval_stats::sections::LowScores;

use crate::Error;
use crate::recorder::Checked;

/// Highest score of a metric with a visible error.
const CAP: u8 = 3;

/// Longest reason or feedback, in characters.
const LONGEST: u32 = 600;

/// The nine metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Metric {
    /// Text accuracy.
    Ta,
    /// Text placement.
    Tp,
    /// Text readability.
    Tr,
    /// Text–image association.
    Tia,
    /// Media positional accuracy.
    Mp,
    /// Media size and aspect compliance.
    Msa,
    /// Media overlap robustness.
    Mor,
    /// Alignment consistency.
    Aln,
    /// Spacing consistency.
    Spc,
}

impl Metric {
    /// All of them, in the paper's order.
    pub const ALL: [Self; 9] =
        [Self::Ta, Self::Tp, Self::Tr, Self::Tia, Self::Mp, Self::Msa, Self::Mor, Self::Aln, Self::Spc];

    /// Its abbreviation, as dimensions are named.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ta => "TA",
            Self::Tp => "TP",
            Self::Tr => "TR",
            Self::Tia => "TIA",
            Self::Mp => "MP",
            Self::Msa => "MSA",
            Self::Mor => "MOR",
            Self::Aln => "ALN",
            Self::Spc => "SPC",
        }
    }

    /// Whether it says nothing of a section without pictures.
    fn needs_media(self) -> bool {
        matches!(self, Self::Tia | Self::Mp | Self::Msa | Self::Mor)
    }

    /// The metric that a measured fault counts towards; none for the checks of the page as a whole.
    fn of(finding: &Finding) -> Option<Self> {
        use webeval_sections::Metric as Measured;
        Some(match finding.metric {
            Measured::Ta => Self::Ta,
            Measured::Tp => Self::Tp,
            Measured::Tr => Self::Tr,
            Measured::Tia => Self::Tia,
            Measured::Mp => Self::Mp,
            Measured::Msa => Self::Msa,
            Measured::Mor => Self::Mor,
            Measured::Aln => Self::Aln,
            Measured::Spc => Self::Spc,
            _ => return None,
        })
    }
}

/// One metric of one section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rating {
    /// 1 to 5; none where the metric has nothing to apply to.
    pub score: Option<u8>,
    /// Whether the judge sees an error in it.
    #[serde(default)]
    pub visible_error: bool,
    /// Why.
    #[serde(default)]
    pub reason: String,
    /// What to change.
    #[serde(default)]
    pub feedback: String,
    /// What the judge had given, where a visible error brought it down to 3, and the error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capped: Option<(u8, String)>,
}

/// The ratings of one section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SectionRating {
    /// The section's name.
    pub name: String,
    /// Its ratings.
    pub metrics: BTreeMap<Metric, Rating>,
}

impl SectionRating {
    /// The section's figure: its lowest metric (appendix H); none when no metric was rated.
    #[must_use]
    pub fn figure(&self) -> Option<u8> {
        self.metrics.values().filter_map(|rating| rating.score).min()
    }

    /// Its metrics at or below a threshold: what goes to refinement.
    pub fn at_most(&self, threshold: u8) -> impl Iterator<Item = (Metric, &Rating)> {
        let low = move |rating: &Rating| rating.score.is_some_and(|score| score <= threshold);
        self.metrics.iter().filter(move |(_, rating)| low(rating)).map(|(metric, rating)| (*metric, rating))
    }
}

/// Low scores of one metric on one page, by both of the paper's definitions.
///
/// # Errors
/// None for scores of 1 to 5.
pub fn low_scores(sections: &[SectionRating], metric: Metric) -> Result<LowScores, Error> {
    Ok(LowScores::of(&[scores(sections, metric)], LowScores::THRESHOLD)?)
}

fn scores(sections: &[SectionRating], metric: Metric) -> Vec<f64> {
    sections.iter().filter_map(|section| section.metrics.get(&metric)?.score).map(f64::from).collect()
}

/// JSON Schema of a section's metrics.
pub(super) fn metrics_schema() -> Value {
    let rating = json!({
        "type": "object",
        "properties": {
            "score": {"type": ["integer", "null"], "minimum": 1, "maximum": 5},
            "visible_error": {"type": "boolean"},
            "reason": {"type": "string", "maxLength": LONGEST},
            "feedback": {"type": "string", "maxLength": LONGEST}
        },
        "required": ["score", "visible_error", "reason", "feedback"],
        "additionalProperties": false
    });
    let names = Metric::ALL.map(Metric::name);
    let properties: serde_json::Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), rating.clone())).collect();
    json!({"type": "object", "properties": properties, "required": names, "additionalProperties": false})
}

/// What is known of a section besides what the judge says.
#[derive(Debug, Default)]
pub(super) struct Known<'a> {
    /// Whether it shows pictures, video or the like; none where nobody knows.
    pub(super) media: Option<bool>,
    /// Whether there is an instruction to hold its text against.
    pub(super) instructed: bool,
    /// Visible errors that were measured in it.
    pub(super) errors: Vec<&'a Finding>,
}

/// Holds the ratings in `metrics` to the rules, in place: no rating where there is nothing to rate, one where there is,
/// feedback with every rating below 5, and at most 3 with a visible error, whether the judge saw it or it was measured.
pub(super) fn hold_to_rules(metrics: &mut Value, known: &Known<'_>) -> Checked {
    let mut checked = Checked::default();
    for metric in Metric::ALL {
        let name = metric.name();
        let Some(rating) = metrics.get_mut(name).filter(|rating| rating.is_object()) else { continue };
        let applies = match metric {
            Metric::Ta => Some(known.instructed),
            metric if metric.needs_media() => known.media,
            _ => Some(true),
        };
        let Some(score) = rating["score"].as_u64().and_then(|score| u8::try_from(score).ok()) else {
            if applies == Some(true) {
                checked.struck.push(format!("{name} has no score, and there is something to rate"));
            }
            continue;
        };
        if applies == Some(false) {
            // Nothing rests on it and asking again would cost a call.
            rating["score"] = Value::Null;
            continue;
        }
        if score < 5 && rating["feedback"].as_str().unwrap_or_default().trim().is_empty() {
            checked.struck.push(format!("{name} is {score} without feedback on what to change"));
        }
        let seen = rating["visible_error"] == true;
        let measured = known.errors.iter().find(|finding| Metric::of(finding) == Some(metric));
        if score > CAP && (seen || measured.is_some()) {
            let error = measured.map_or_else(|| "named by the judge".to_owned(), |finding| finding.message.clone());
            rating["score"] = json!(CAP);
            rating["capped"] = json!([score, error]);
        }
    }
    checked
}

/// The dimensions of `scores.json`: the mean of each metric and of the sections' figures, 1 … 5 as 0 … 100. `missing`
/// counts sections that nobody could rate.
pub(super) fn dimensions(
    sections: &[SectionRating],
    missing: usize,
) -> Result<BTreeMap<String, DimensionScore>, Error> {
    let mut dimensions = BTreeMap::new();
    for metric in Metric::ALL {
        let scores = scores(sections, metric);
        let low = low_scores(sections, metric)?;
        let capped = sections.iter().filter(|s| s.metrics.get(&metric).is_some_and(|r| r.capped.is_some())).count();
        let told = format!(
            "{} below 4, {} at or below 4; {capped} brought down to 3 by a visible error",
            low.below, low.at_or_below
        );
        dimensions.insert(metric.name().to_owned(), mean(&scores, missing, &told));
    }
    let figures: Vec<f64> = sections.iter().filter_map(SectionRating::figure).map(f64::from).collect();
    dimensions.insert("page".to_owned(), mean(&figures, missing, "a section's figure is its lowest metric"));
    Ok(dimensions)
}

fn mean(scores: &[f64], missing: usize, told: &str) -> DimensionScore {
    if scores.is_empty() {
        let why = if missing > 0 { "no section could be rated" } else { "no section has anything to rate here" };
        return DimensionScore::not_judged(why);
    }
    let (sum, count) = (scores.iter().sum::<f64>(), scores.len() as f64);
    let mean = sum / count;
    let grounds = format!("mean {mean:.2} of 5 over {} sections; {told}", scores.len());
    if missing == 0 {
        return DimensionScore { status: ScoreStatus::Judged, value: Some(percent(mean)), bounds: None, grounds };
    }
    let all = count + missing as f64;
    let with = |rating: f64| percent((sum + rating * missing as f64) / all);
    let grounds = format!("{grounds}; {missing} sections could not be rated");
    DimensionScore {
        status: ScoreStatus::Incomplete,
        value: Some(percent(mean)),
        bounds: Some((with(1.0), with(5.0))),
        grounds,
    }
}

/// 1 … 5 as 0 … 100.
fn percent(rating: f64) -> f64 {
    (rating - 1.0) * 25.0
}
