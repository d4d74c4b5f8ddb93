//! Measured faults, the worst first.

use webeval_evidence::{Finding, Severity};

use crate::text::{Markup, clip, one_line, plural};
use crate::view::Context;

/// Most findings of one severity.
const MOST: usize = 60;

/// One finding.
pub(crate) struct FindingView {
    pub(crate) rule: String,
    pub(crate) message: String,
    pub(crate) count: u32,
    pub(crate) selector: Option<String>,
    pub(crate) place: Option<String>,
    pub(crate) step: Markup,
    pub(crate) picture: Markup,
}

/// The findings of one severity.
pub(crate) struct FindingGroup {
    pub(crate) name: &'static str,
    pub(crate) meaning: &'static str,
    pub(crate) tone: &'static str,
    pub(crate) tally: String,
    pub(crate) findings: Vec<FindingView>,
    pub(crate) more: usize,
}

/// Findings by severity, the worst first; severities without any are left out.
pub(crate) fn groups(context: &Context<'_>, findings: &[Finding]) -> Vec<FindingGroup> {
    let severities = [
        (Severity::Critical, "Critical", "would stop a user", "bad"),
        (Severity::Major, "Major", "would hinder a user", "bad"),
        (Severity::Minor, "Minor", "would annoy a user", "warn"),
        (Severity::Note, "Notes", "worth knowing, takes nothing off", "plain"),
    ];
    let group = |(severity, name, meaning, tone)| {
        let of_it: Vec<&Finding> = findings.iter().filter(|finding| finding.severity == severity).collect();
        (!of_it.is_empty()).then(|| FindingGroup {
            name,
            meaning,
            tone,
            tally: plural(of_it.len(), "finding"),
            more: of_it.len().saturating_sub(MOST),
            findings: of_it.into_iter().take(MOST).map(|finding| view(context, finding)).collect(),
        })
    };
    severities.into_iter().filter_map(group).collect()
}

fn view(context: &Context<'_>, finding: &Finding) -> FindingView {
    let place = &finding.place;
    let rule = clip(&finding.rule, 60);
    FindingView {
        message: clip(&finding.message, 800),
        count: finding.count,
        selector: place.selector.as_ref().map(|selector| clip(&one_line(selector), 160)),
        place: place
            .rect
            .map(|rect| format!("{:.0} × {:.0} px at {:.0}, {:.0}", rect.width, rect.height, rect.x, rect.y)),
        step: place.step.map(|step| context.step_link(step)).unwrap_or_default(),
        picture: context.thumbnail(place.screenshot.as_ref(), &format!("Screenshot that shows it: {rule}"), place.rect),
        rule,
    }
}
