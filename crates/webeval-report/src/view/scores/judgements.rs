//! What each model call said.

use serde_json::Value;
use webeval_evidence::Judgement;

use super::criteria::cite;
use crate::text::{Markup, clip};
use crate::view::Context;

/// Deepest nesting of a verdict that is laid out; what is deeper is shown as JSON.
const DEPTH: usize = 5;
const LONGEST: usize = 4000;

/// One call.
pub(crate) struct JudgementView {
    pub(crate) title: String,
    pub(crate) failure: Option<String>,
    pub(crate) verdict: Markup,
    pub(crate) citations: Vec<Markup>,
    pub(crate) struck: Vec<String>,
    pub(crate) pictures: Vec<Markup>,
}

/// One call, laid out.
pub(crate) fn view(context: &Context<'_>, said: &Judgement) -> JudgementView {
    let mut verdict = Markup::default();
    lay_out(&mut verdict, &said.verdict, 0);
    let pictures =
        said.screenshots.iter().map(|shot| context.thumbnail(Some(shot), "Screenshot that the judge saw", None));
    JudgementView {
        title: format!("{} · {} · {}", clip(&said.dimension, 60), clip(&said.role, 60), round(said)),
        failure: said.failure.as_ref().map(|failure| clip(failure, 600)),
        verdict,
        citations: said.citations.iter().map(|citation| cite(context, citation)).collect(),
        struck: said.struck.iter().map(|struck| clip(struck, 200)).collect(),
        pictures: pictures.collect(),
    }
}

/// Which of several calls in one role it was, in the method's own words.
fn round(said: &Judgement) -> String {
    match (said.method.as_str(), said.role.as_str()) {
        // A jury counts its tasks within its runs.
        ("liveeval", "task" | "review") => format!("run {}, task {}", said.round / 1000 + 1, said.round % 1000 + 1),
        ("liveeval", _) => format!("run {}", said.round + 1),
        (_, "section") => format!("section {}", said.round),
        _ => format!("round {}", said.round + 1),
    }
}

/// JSON as lists that a person can read.
fn lay_out(out: &mut Markup, value: &Value, depth: usize) {
    match value {
        Value::Null => {}
        Value::Bool(flag) => out.raw(if *flag { "yes" } else { "no" }),
        Value::Number(number) => out.text(&number.to_string()),
        Value::String(text) => out.text(&clip(text, LONGEST)),
        nested if depth >= DEPTH => out.text(&clip(&nested.to_string(), LONGEST)),
        Value::Array(items) => {
            out.raw("<ul>");
            for item in items {
                out.raw("<li>");
                lay_out(out, item, depth + 1);
                out.raw("</li>");
            }
            out.raw("</ul>");
        }
        Value::Object(fields) => {
            out.raw("<dl>");
            for (name, field) in fields {
                out.raw("<dt>");
                out.text(&clip(&name.replace('_', " "), 80));
                out.raw("</dt><dd>");
                lay_out(out, field, depth + 1);
                out.raw("</dd>");
            }
            out.raw("</dl>");
        }
    }
}
