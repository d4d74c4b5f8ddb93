//! Words that a page has to show (TA): measured only when somebody says which.

use webeval_evidence::Severity;

use crate::finding::{Finding, Rule};
use crate::page::Page;

/// A finding for every required text that `words` lacks. `words` is what the page shows, in several writings; blanks are
/// alike, everything else has to be the same.
pub(crate) fn missing(page: &Page, required: &[String], words: &[String]) -> Vec<Finding> {
    let words: Vec<String> = words.iter().map(|words| squeezed(words)).collect();
    let lacks = |text: &&String| !words.iter().any(|words| words.contains(&squeezed(text)));
    let finding = |text: &String| Finding {
        metric: Rule::MissingText.metric(),
        rule: Rule::MissingText,
        severity: Severity::Major,
        message: format!("the page does not show “{text}”"),
        selector: "html".to_owned(),
        rect: page.extent(),
        value: 0.0,
        limit: 1.0,
        // Whoever asked for the words looks for them first.
        visible_error: true,
        count: 1,
        node: 0,
    };
    required.iter().filter(lacks).map(finding).collect()
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
