//! Instructions from pages (WebGen-V §3.1.2, appendix E), and pages from instructions (appendix F).

use std::collections::BTreeSet;

use serde_json::{Value, json};
use webeval_evidence::TokenUsage;
use webeval_llm::{ChatModel, ChatRequest, JsonSchema, ask};

use super::html::{Written, ask_for_page};
use super::page::{SectionPage, structured};
use crate::fence::Fence;
use crate::{Error, Prompts};

/// Most tokens of the summaries of a page.
const SUMMARY_TOKENS: u32 = 16_000;

/// Most links that an instruction names.
const MOST_LINKS: usize = 60;

/// An instruction that was made from a page.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Instruction {
    /// Markdown of four parts: overview, sections, assets with sizes, calls to action and links.
    pub markdown: String,
    /// Tokens and money over all calls.
    pub usage: TokenUsage,
}

/// Makes an instruction from a page that could be made from it anew. A model writes the overview and a summary of each
/// section, without layout or style; pictures with their sizes and links are the page's own.
///
/// # Errors
/// [`Error::Stopped`] when the model does not answer; [`Error::Prompt`] for a template that cannot be used.
pub async fn instruct(
    page: &SectionPage,
    model: &dyn ChatModel,
    prompts: &Prompts,
    seed: u64,
) -> Result<Instruction, Error> {
    let links = links(page);
    let sections: Vec<Value> = page.sections().iter().map(structured).collect();
    let fence = Fence::default();
    let listed: Vec<String> =
        links.iter().enumerate().map(|(at, (label, href))| format!("{at}: {label:?} {href}")).collect();
    let values = json!({
        "title": fence.fence(&page.file.title),
        "sections": fence.fence(&serde_json::to_string_pretty(&sections).unwrap_or_default()),
        "links": fence.fence(&listed.join("\n")),
    });
    let summary = json!({
        "type": "object",
        "properties": {"order": {"type": "integer"}, "summary": {"type": "string", "minLength": 3, "maxLength": 800}},
        "required": ["order", "summary"],
        "additionalProperties": false
    });
    let schema = json!({
        "type": "object",
        "properties": {
            "overview": {"type": "string", "minLength": 3, "maxLength": 1500},
            "sections": {"type": "array", "items": summary},
            "calls_to_action": {"type": "array", "items": {"type": "integer"}, "maxItems": 12}
        },
        "required": ["overview", "sections", "calls_to_action"],
        "additionalProperties": false
    });
    let request = ChatRequest::new("generate/instruction", prompts.render("instruction.txt", values, Vec::new())?)
        .expecting(JsonSchema::new("instruction", schema))
        .with_seed(seed)
        .with_max_tokens(SUMMARY_TOKENS);
    let orders: BTreeSet<u64> = page.sections().iter().map(|section| u64::from(section.order)).collect();
    let complaints = |verdict: &Value| {
        let told = verdict["sections"].as_array().into_iter().flatten();
        let told: BTreeSet<u64> = told.filter_map(|section| section["order"].as_u64()).collect();
        orders.difference(&told).map(|order| format!("section {order} has no summary")).collect()
    };
    let answer = ask(model, &request, &complaints).await;
    let answer = answer.map_err(|failure| Error::Stopped { source: failure.error })?;
    Ok(Instruction { markdown: markdown(page, &answer.value, &links), usage: answer.usage })
}

fn markdown(page: &SectionPage, told: &Value, links: &[(String, String)]) -> String {
    let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut text = format!(
        "# {}\n\n## Overview\n\n{}\n\n## Sections\n\n",
        line(&page.file.title),
        line(told["overview"].as_str().unwrap_or_default())
    );
    let summaries = told["sections"].as_array().map(Vec::as_slice).unwrap_or_default();
    for section in page.sections() {
        let own = summaries.iter().find(|summary| summary["order"] == section.order);
        // A section that was not summarised still has to be named.
        let words = own.and_then(|own| own["summary"].as_str()).unwrap_or("(no summary)");
        text.push_str(&format!("{}. **{}**: {}\n", section.order, line(&section.section.name), line(words)));
    }
    text.push_str("\n## Assets\n\n");
    let assets = assets(page);
    text.push_str(if assets.is_empty() { "None.\n" } else { "" });
    for (file, size, about) in assets {
        text.push_str(&format!("- `{file}`, {size}{}\n", line(&about)));
    }
    text.push_str("\n## Calls to action and links\n\n");
    text.push_str(if links.is_empty() { "None.\n" } else { "" });
    let primary: BTreeSet<u64> =
        told["calls_to_action"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
    for (at, (label, href)) in (0_u64..).zip(links) {
        let mark = if primary.contains(&at) { " (call to action)" } else { "" };
        text.push_str(&format!("- \"{}\" leads to `{}`{mark}\n", line(label), line(href)));
    }
    text
}

/// The page's links, each once, in order.
fn links(page: &SectionPage) -> Vec<(String, String)> {
    let mut seen = BTreeSet::new();
    let all = page.sections().iter().flat_map(|section| &section.links);
    let all = all.map(|link| (link.label.clone(), link.href.clone()));
    all.filter(|link| !link.0.is_empty() && seen.insert(link.clone())).take(MOST_LINKS).collect()
}

/// The pictures that were saved, each once: file, size in pixels, what it is.
fn assets(page: &SectionPage) -> Vec<(String, String, String)> {
    let mut seen = BTreeSet::new();
    let mut assets = Vec::new();
    for section in page.sections() {
        for item in &section.media {
            let Some(file) = section.file_of(item).filter(|file| seen.insert(*file)) else { continue };
            let [width, height] =
                if item.natural[0] > 0.0 { item.natural } else { [item.rect.width, item.rect.height] };
            let role = item.role.map(|role| format!(", {}", role.as_str())).unwrap_or_default();
            let alt =
                item.alt.as_deref().filter(|alt| !alt.is_empty()).map(|alt| format!(": {alt}")).unwrap_or_default();
            assets.push((file.to_owned(), format!("{width:.0} × {height:.0}"), format!("{role}{alt}")));
        }
    }
    assets
}

/// Has a model write the page that an instruction describes.
///
/// # Errors
/// [`Error::Stopped`] when the model does not answer; [`Error::NoPage`] when its answer is no page also after it was sent
/// back; [`Error::Prompt`] for a template that cannot be used.
pub async fn generate(
    instruction: &str,
    model: &dyn ChatModel,
    prompts: &Prompts,
    seed: u64,
) -> Result<Written, Error> {
    let values = json!({ "instruction": Fence::default().fence(instruction) });
    let messages = prompts.render("generate.txt", values, Vec::new())?;
    ask_for_page(model, ChatRequest::new("generate/page", messages).with_seed(seed)).await
}
