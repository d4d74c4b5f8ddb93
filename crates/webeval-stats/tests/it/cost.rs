//! Token costs; the published table is checked in `published`.

use crate::close;
use webeval_stats::cost::{Cost, Price, Pricing};

#[test]
fn tiers_start_above_their_size() {
    let (low, high) = (Price { input: 1.0, output: 2.0 }, Price { input: 3.0, output: 4.0 });
    let pricing = Pricing::flat(low).with_tier(200_000, high);
    assert_eq!(pricing.price(200_000.0), low);
    assert_eq!(pricing.price(200_001.0), high);
    let top = Price { input: 9.0, output: 9.0 };
    let pricing = pricing.with_tier(100, top);
    assert_eq!(pricing.price(150.0), top);
    assert_eq!(pricing.price(300_000.0), high);
}

#[test]
fn costs_follow_the_formula() {
    // 10 pages of 1,000 tokens in at $2 and 500 out at $8 a million.
    let pricing = Pricing::flat(Price { input: 2.0, output: 8.0 });
    let cost = Cost::of(10, 1_000.0, 500.0, &pricing).unwrap();
    close(cost.tokens, 15_000.0, 0.0);
    close(cost.input, 0.02, 1e-15);
    close(cost.output, 0.04, 1e-15);
    close(cost.total(), 0.06, 1e-15);
    assert!(Cost::of(10, -1.0, 0.0, &pricing).is_err());
    assert!(Cost::of(10, f64::NAN, 0.0, &pricing).is_err());
    let broken = Pricing::flat(Price { input: -2.0, output: 8.0 });
    assert!(Cost::of(10, 1.0, 1.0, &broken).is_err());
}
