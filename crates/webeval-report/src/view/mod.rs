//! The parts of the page, each as the data its template needs.

mod coverage;
mod faults;
mod overview;
mod scores;
mod states;
mod times;
mod trace;

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use askama::Template;
use webeval_evidence::{BlobRef, Rect};

use crate::evidence::{Evidence, Part};
use crate::pictures::{Picture, Pictures};
use crate::summary::Summary;
use crate::text::{Markup, clip, plural};

/// The page.
#[derive(Template)]
#[template(path = "page.html")]
pub(crate) struct Page {
    css: Markup,
    overview: overview::Overview,
    scores: scores::Scores,
    states: states::States,
    coverage: coverage::CoverageView,
    trace: trace::TraceView,
    faults: faults::Faults,
    times: Vec<times::Row>,
    viewers: Vec<Viewer>,
}

/// A screenshot in full size, shown when its address is visited.
struct Viewer {
    picture: Picture,
    caption: String,
    back: String,
    back_words: String,
    previous: Option<usize>,
    next: Option<usize>,
}

/// What all parts look things up in.
pub(crate) struct Context<'a> {
    pub(crate) evidence: &'a Evidence,
    pub(crate) pictures: &'a Pictures,
    steps: HashSet<u32>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(evidence: &'a Evidence, pictures: &'a Pictures) -> Self {
        let steps = evidence.trace.steps.iter().map(|step| step.index).collect();
        Self { evidence, pictures, steps }
    }

    /// A link to a step; plain words when the trace has no such step.
    fn step_link(&self, step: u32) -> Markup {
        if self.steps.contains(&step) {
            Markup(format!("<a href=\"#step-{step}\">step {step}</a>"))
        } else {
            Markup(format!("step {step} (not in the trace)"))
        }
    }

    /// Links to steps by number, the first dozen of them.
    fn step_links(&self, steps: &[u32]) -> Markup {
        const SHOWN: usize = 12;
        let mut links = Markup::default();
        for (position, step) in steps.iter().take(SHOWN).enumerate() {
            links.raw(if position > 0 { ", " } else { "" });
            if self.steps.contains(step) {
                let _ = write!(links, "<a href=\"#step-{step}\" aria-label=\"step {step}\">{step}</a>");
            } else {
                let _ = write!(links, "{step}");
            }
        }
        if steps.len() > SHOWN {
            let _ = write!(links, " and {} more", steps.len() - SHOWN);
        }
        links
    }

    /// A link to a state's card; plain words when the graph has no such state.
    fn state_link(&self, name: &str) -> Markup {
        let mut link = Markup::default();
        match self.evidence.graph.present().and_then(|graph| Some((graph.find(name)?, graph))) {
            Some((card, graph)) => {
                let _ = write!(link, "<a href=\"#state-{card}\" class=\"state-name\">");
                link.text(&clip(&graph.nodes[card].name, 12));
                link.raw("</a>");
            }
            None => {
                link.raw("state ");
                link.text(&clip(name, 40));
                link.raw(" (not in the graph)");
            }
        }
        link
    }

    /// A thumbnail that links to the picture in full, with a frame round `spot` (CSS pixels of the viewport).
    fn thumbnail(&self, reference: Option<&BlobRef>, alt: &str, spot: Option<Rect>) -> Markup {
        let Some(reference) = reference else { return Markup::default() };
        let mut thumbnail = Markup::default();
        let Some(picture) = self.pictures.get(reference) else {
            thumbnail.raw("<span class=\"gone\">screenshot cannot be read</span>");
            return thumbnail;
        };
        let _ = write!(thumbnail, "<a class=\"thumb\" href=\"#picture-{}\" aria-label=\"", picture.id);
        thumbnail.text(alt);
        let _ = write!(
            thumbnail,
            "\"><span class=\"shot p{}\" style=\"aspect-ratio:{}/{}\">{}</span></a>",
            picture.id,
            picture.width,
            picture.height,
            spot.map(|rect| frame(picture, rect)).unwrap_or_default()
        );
        thumbnail
    }
}

/// A frame over a picture, in shares of its size; nothing where the spot is not in the picture.
fn frame(picture: &Picture, rect: Rect) -> String {
    let (width, height) = (f64::from(picture.width), f64::from(picture.height));
    let (left, top) = (rect.x.max(0.0), rect.y.max(0.0));
    let (right, bottom) = ((rect.x + rect.width).min(width), (rect.y + rect.height).min(height));
    if !(left < right && top < bottom) {
        return String::new();
    }
    let share = |value: f64, of: f64| value * 100.0 / of;
    format!(
        "<i class=\"spot\" style=\"left:{:.2}%;top:{:.2}%;width:{:.2}%;height:{:.2}%\"></i>",
        share(left, width),
        share(top, height),
        share(right - left, width),
        share(bottom - top, height)
    )
}

impl Page {
    pub(crate) fn build(evidence: &Evidence, pictures: &Pictures) -> Self {
        let context = Context::new(evidence, pictures);
        let summary = Summary::from_evidence(evidence);
        let states = states::States::build(&context);
        let mut css = String::from(include_str!("../../templates/style.css"));
        css.push_str(&states.css);
        css.push_str(&pictures.css());
        Self {
            css: Markup(css),
            overview: overview::Overview::build(&context, &summary),
            scores: scores::Scores::build(&context),
            coverage: coverage::CoverageView::build(&context),
            trace: trace::TraceView::build(&context),
            faults: faults::Faults::build(&context),
            times: times::rows(&evidence.trace),
            viewers: viewers(&context),
            states,
        }
    }
}

fn viewers(context: &Context<'_>) -> Vec<Viewer> {
    let mut shown_at: HashMap<usize, Vec<u32>> = HashMap::new();
    let mut all: Vec<Option<Picture>> = vec![None; context.pictures.len()];
    for step in &context.evidence.trace.steps {
        if let Some(picture) = step.screenshot.as_ref().and_then(|reference| context.pictures.get(reference)) {
            shown_at.entry(picture.id).or_default().push(step.index);
        }
    }
    for reference in context.evidence.pictures() {
        if let Some(picture) = context.pictures.get(&reference) {
            all[picture.id] = Some(picture.clone());
        }
    }
    let count = all.len();
    let viewer = |picture: Picture| {
        let steps = shown_at.get(&picture.id).map_or(&[][..], Vec::as_slice);
        let (back, back_words) = match steps.first() {
            Some(step) => (format!("step-{step}"), format!("Back to step {step}")),
            None => ("scores".to_owned(), "Back to the scores".to_owned()),
        };
        let caption = match steps {
            [] => "Screenshot that no step shows".to_owned(),
            [step] => format!("The page after step {step}"),
            [step, rest @ ..] => format!("The page after step {step} and {}", plural(rest.len(), "later step")),
        };
        let next = (picture.id + 1 < count).then_some(picture.id + 1);
        Viewer { previous: picture.id.checked_sub(1), next, picture, caption, back, back_words }
    };
    all.into_iter().flatten().map(viewer).collect()
}

/// A sentence for a part that is not there; none when it is.
fn absence<T>(part: &Part<T>, file: &str, absent: &str) -> Option<String> {
    match part {
        Part::Present(_) => None,
        Part::Absent => Some(absent.to_owned()),
        Part::Unreadable(reason) => Some(format!("{file} is there but cannot be read: {}", clip(reason, 200))),
    }
}
