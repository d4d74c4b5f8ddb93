//! Citations, checked against the evidence.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use webeval_evidence::{BlobRef, Citation};

use crate::dossier::{Dossier, name_of};

/// What a dimension's judges may cite.
#[derive(Debug)]
pub(super) enum Citer<'a> {
    /// A place in one of these screenshots, by the names they were shown under.
    Screenshots(BTreeMap<String, BlobRef>),
    /// A step, a state, or a transition.
    Session(&'a Dossier),
}

impl Citer<'_> {
    /// JSON Schema of one citation. It leaves the names open: one that does not exist is struck, which must not cost
    /// the whole answer.
    pub(super) fn schema(&self) -> Value {
        match self {
            Self::Screenshots(_) => json!({
                "type": "object",
                "properties": {"screenshot": {"type": "string"}, "place": {"type": "string"}},
                "required": ["screenshot", "place"],
                "additionalProperties": false
            }),
            Self::Session(_) => json!({"type": "string"}),
        }
    }

    /// The evidence that a citation names, or what is wrong with it.
    pub(super) fn check(&self, given: &Value) -> Result<Citation, String> {
        match self {
            Self::Screenshots(known) => place_in_picture(known, given),
            Self::Session(dossier) => {
                let text = given.as_str().unwrap_or_default();
                session(dossier, text)
                    .ok_or_else(|| format!("{text:?} names no step, state or transition of the session"))
            }
        }
    }
}

fn place_in_picture(known: &BTreeMap<String, BlobRef>, given: &Value) -> Result<Citation, String> {
    let field = |name: &str| given.get(name).and_then(Value::as_str).unwrap_or_default().trim();
    let (name, place) = (field("screenshot"), field("place"));
    let Some(blob) = known.get(name) else {
        let names: Vec<&str> = known.keys().map(String::as_str).collect();
        return Err(format!("there is no screenshot {name:?}; there are {}", names.join(", ")));
    };
    if place.chars().filter(|c| c.is_alphabetic()).count() < 3 {
        return Err(format!("no place in screenshot {name} is named"));
    }
    Ok(Citation::Screenshot { screenshot: blob.to_string(), place: Some(place.to_owned()) })
}

fn session(dossier: &Dossier, text: &str) -> Option<Citation> {
    let text = text.trim();
    let after = |prefix: &str| {
        let head = text.get(..prefix.len())?;
        head.eq_ignore_ascii_case(prefix).then(|| text[prefix.len()..].trim_matches([' ', ':', '#']))
    };
    if let Some(number) = after("step").or_else(|| text.strip_prefix('#')) {
        let step = dossier.step(number.parse().ok()?)?;
        return Some(Citation::Step { step: step.index });
    }
    let named = after("state").or_else(|| after("edge")).or_else(|| after("transition")).unwrap_or(text);
    if let Some((from, to)) = named.split_once("->").or_else(|| named.split_once('→')) {
        let (from, to) = (dossier.place(from)?, dossier.place(to)?);
        return dossier.has_edge(from, to).then(|| Citation::Edge { from: name_of(from), to: name_of(to) });
    }
    let place = dossier.place(named)?;
    Some(Citation::State { state: name_of(place), quote: None })
}
