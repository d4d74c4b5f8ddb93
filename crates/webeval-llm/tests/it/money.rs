//! Prices, counting, and the limit.

use webeval_llm::{ChatModel, ChatRequest, Error, Ledger, Message, Metered, PriceTier, Prices, Profile};

use crate::support::{Server, Turn};
use crate::{model, profile};

const PRICED: &str = "price = [{ input = 10.0, cached = 1.0, output = 100.0 }]";

fn hello(purpose: &str) -> ChatRequest {
    ChatRequest::new(purpose, vec![Message::user("Hello?")])
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-12
}

/// WebGen-V, table 4: mean tokens in and out per page, and the total cost of 100 pages. The zero-shot row of
/// Gemini-2.5-Pro is left out: its $7.40 is the price of the upper tier, which its prompts of 5,749 tokens do not reach.
#[test]
fn appendix_c_costs_come_out_as_published() {
    let tier = |up_to, input, output| PriceTier { up_to, input, cached: None, output };
    let claude = Prices(vec![tier(None, 15.0, 75.0)]);
    let gpt5 = Prices(vec![tier(None, 1.25, 10.0)]);
    let gemini = Prices(vec![tier(None, 1.25, 7.5), tier(Some(200_000), 0.625, 5.0)]);
    for (prices, input, output, published) in [
        (&claude, 11_862, 9_728, 90.75),
        (&claude, 23_529, 22_077, 200.87),
        (&claude, 19_094, 22_142, 194.71),
        (&gpt5, 8_178, 7_263, 8.28),
        (&gpt5, 16_422, 20_117, 22.17),
        (&gpt5, 15_009, 25_382, 27.26),
        (&gemini, 16_411, 20_290, 11.17),
        (&gemini, 14_478, 21_303, 11.55),
    ] {
        let cost = 100.0 * prices.cost(input, 0, output).unwrap();
        // The published total is a sum of two rounded figures.
        assert!((cost - published).abs() <= 0.011, "{cost} against {published}");
    }
    assert!(close(gemini.cost(200_000, 0, 1000).unwrap(), 0.13));
    assert!(close(gemini.cost(200_001, 0, 1000).unwrap(), 0.250_001_25 + 0.0075));
}

#[test]
fn cached_tokens_have_their_own_price_and_no_tier_means_no_price() {
    let tier = PriceTier { up_to: Some(1000), input: 10.0, cached: Some(1.0), output: 100.0 };
    let prices = Prices(vec![tier]);
    // 80 × 10 + 20 × 1 + 10 × 100 = 1820 millionths.
    assert!(close(prices.cost(100, 20, 10).unwrap(), 0.00182));
    assert_eq!(prices.cost(1001, 0, 0), None);
}

#[tokio::test]
async fn use_is_counted_by_purpose() {
    let server = Server::answering(|_, _| Turn::Text("ok".into())).await;
    let ledger = Ledger::new(None);
    let model = Metered::new(model(&server, profile(PRICED)), ledger.clone()).unwrap();
    for purpose in ["a", "b", "a"] {
        model.chat(&hello(purpose)).await.unwrap();
    }
    let account = ledger.by_purpose();
    assert_eq!((account["a"].calls, account["b"].calls, ledger.total().input), (2, 1, 300));
    assert!(close(account["a"].cost_usd.unwrap(), 0.00364));
}

#[tokio::test]
async fn the_limit_stops_before_the_next_call() {
    let server = Server::answering(|_, _| Turn::Text("ok".into())).await;
    let ledger = Ledger::new(Some(0.003));
    let model = Metered::new(model(&server, profile(PRICED)), ledger.clone()).unwrap();
    model.chat(&hello("a")).await.unwrap();
    model.chat(&hello("a")).await.unwrap();
    let error = model.chat(&hello("a")).await.unwrap_err();
    assert!(matches!(error, Error::OverBudget { .. }) && error.is_fatal());
    assert_eq!(error.to_string(), "the cost limit of $0.0030 is reached ($0.0036 spent)");
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn a_limit_without_prices_is_refused() {
    let server = Server::playing(vec![]).await;
    let error = Metered::new(model(&server, Profile::default()), Ledger::new(Some(1.0))).unwrap_err();
    assert_eq!(error.to_string(), "no prices are known for scripted, so a cost limit cannot be kept");
}
