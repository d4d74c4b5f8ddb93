//! Pages from a model: the answer is a whole HTML document, or it is sent back once.

use std::sync::LazyLock;

use regex::Regex;
use webeval_evidence::TokenUsage;
use webeval_llm::{ChatModel, ChatRequest, Finish, Message, Reply};

use crate::Error;

/// Most tokens of a page; the paper's pages take 10,000 to 25,000.
const PAGE_TOKENS: u32 = 64_000;

/// A page that a model wrote.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Written {
    /// The document.
    pub html: String,
    /// Tokens and money over all calls.
    pub usage: TokenUsage,
}

/// Asks for a page.
pub(super) async fn ask_for_page(model: &dyn ChatModel, request: ChatRequest) -> Result<Written, Error> {
    let half = u32::try_from(model.profile().context / 2).unwrap_or(u32::MAX);
    let mut request = request.with_max_tokens(PAGE_TOKENS.min(half));
    let mut usage = TokenUsage::default();
    let mut fault = String::new();
    for attempt in 0..2 {
        let reply = model.chat(&request).await.map_err(|source| Error::Stopped { source: Box::new(source) })?;
        usage += reply.usage;
        fault = match page_in(&reply) {
            Ok(html) => return Ok(Written { html, usage }),
            Err(fault) => fault,
        };
        if attempt == 0 {
            request.messages.push(Message::Assistant { text: reply.text, tool_calls: Vec::new() });
            request.messages.push(Message::user(format!(
                "That cannot be used: {fault}. Give the whole page again, from <!doctype html> to </html> and nothing else."
            )));
        }
    }
    Err(Error::NoPage { fault })
}

/// The document in an answer, or what is wrong with it.
fn page_in(reply: &Reply) -> Result<String, String> {
    static START: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i)<!doctype\s+html|<html[\s>]").ok());
    static END: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i)</html\s*>").ok());
    if reply.finish == Finish::Length {
        return Err("it was cut at the token limit; write a shorter page".to_owned());
    }
    let start = START.as_ref().and_then(|start| start.find(&reply.text)).map(|found| found.start());
    let end = END.as_ref().and_then(|end| end.find_iter(&reply.text).last()).map(|found| found.end());
    match (start, end) {
        (Some(start), Some(end)) if start < end => Ok(format!("{}\n", &reply.text[start..end])),
        (Some(_), _) => Err("the page does not end with </html>".to_owned()),
        _ => Err("it is not a page: there is no <!doctype html>".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_found_in_whatever_stands_around_it() {
        let page = |text: &str| page_in(&Reply::text(text));
        let html = "<!DOCTYPE html><html><body>x</body></html>";
        assert_eq!(page(html).unwrap(), format!("{html}\n"));
        assert_eq!(page(&format!("Here it is:\n```html\n{html}\n```\nEnjoy.")).unwrap(), format!("{html}\n"));
        assert_eq!(page("<html lang=en></HTML>").unwrap(), "<html lang=en></HTML>\n");
        assert!(page("I cannot do that.").unwrap_err().contains("not a page"));
        assert!(page("<!doctype html><html><body>").unwrap_err().contains("does not end"));
        let cut = Reply { finish: Finish::Length, ..Reply::text(html) };
        assert!(page_in(&cut).unwrap_err().contains("cut"));
    }
}
