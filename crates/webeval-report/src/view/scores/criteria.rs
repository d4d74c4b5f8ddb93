//! Acceptance criteria: verdict, analysis, cited evidence.

use std::fmt::Write as _;

use webeval_evidence::{BlobKind, Citation, CriterionKind, CriterionVerdict};

use crate::text::{Markup, clip};
use crate::view::Context;

/// One criterion.
pub(crate) struct CriterionView {
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) verdict: &'static str,
    pub(crate) tone: &'static str,
    pub(crate) analysis: String,
    pub(crate) confidence: Option<String>,
    pub(crate) citations: Vec<Markup>,
}

/// The criteria of one kind.
pub(crate) struct CriteriaSet {
    pub(crate) name: &'static str,
    pub(crate) tally: String,
    pub(crate) criteria: Vec<CriterionView>,
}

/// The criteria by kind; kinds without any are left out.
pub(crate) fn sets(context: &Context<'_>, criteria: &[CriterionVerdict]) -> Vec<CriteriaSet> {
    let kinds = [
        (CriterionKind::Functional, "Functional criteria"),
        (CriterionKind::Content, "Content criteria"),
        (CriterionKind::Visual, "Visual criteria"),
    ];
    let set = |(kind, name)| {
        let of_kind: Vec<&CriterionVerdict> = criteria.iter().filter(|criterion| criterion.kind == kind).collect();
        (!of_kind.is_empty()).then(|| {
            let met = of_kind.iter().filter(|criterion| criterion.met == Some(true)).count();
            let open = of_kind.iter().filter(|criterion| criterion.met.is_none()).count();
            let unjudged = if open > 0 { format!(", {open} not judged") } else { String::new() };
            CriteriaSet {
                name,
                tally: format!("{met} of {} met{unjudged}", of_kind.len()),
                criteria: of_kind.into_iter().map(|criterion| view(context, criterion)).collect(),
            }
        })
    };
    kinds.into_iter().filter_map(set).collect()
}

fn view(context: &Context<'_>, criterion: &CriterionVerdict) -> CriterionView {
    let (verdict, tone) = match criterion.met {
        Some(true) => ("met", "good"),
        Some(false) => ("not met", "bad"),
        None => ("not judged", "plain"),
    };
    CriterionView {
        id: clip(&criterion.id, 40),
        text: clip(&criterion.text, 1000),
        verdict,
        tone,
        analysis: clip(&criterion.analysis, 3000),
        confidence: criterion.confidence.map(|share| format!("{:.0} %", share.clamp(0.0, 1.0) * 100.0)),
        citations: criterion.citations.iter().map(|citation| cite(context, citation)).collect(),
    }
}

/// A citation as a link to what it cites; plain words where that is not on the page.
pub(crate) fn cite(context: &Context<'_>, citation: &Citation) -> Markup {
    match citation {
        Citation::Step { step } => context.step_link(*step),
        Citation::State { state, quote } => {
            let mut link = context.state_link(state);
            if let Some(quote) = quote {
                link.raw(" <q>");
                link.text(&clip(quote, 300));
                link.raw("</q>");
            }
            link
        }
        Citation::Edge { from, to } => {
            let mut link = context.state_link(from);
            link.raw(" → ");
            link.raw(&context.state_link(to).0);
            link
        }
        Citation::Screenshot { screenshot, place } => {
            let mut link = Markup::default();
            match context.pictures.by_name(screenshot) {
                Some(picture) => {
                    let _ = write!(link, "<a href=\"#picture-{}\">screenshot</a>", picture.id);
                }
                None => {
                    let folder = webeval_evidence::BlobRef::of(BlobKind::Screenshot, b"");
                    let known = screenshot.starts_with(folder.as_str().split('/').next().unwrap_or_default());
                    link.raw(if known { "screenshot (not readable) " } else { "screenshot " });
                    link.text(&clip(screenshot, 80));
                }
            }
            if let Some(place) = place {
                link.raw(", ");
                link.text(&clip(place, 200));
            }
            link
        }
        _ => Markup("evidence of a kind that this version does not know".to_owned()),
    }
}
