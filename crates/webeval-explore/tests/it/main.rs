//! Explorations in the real browser. Without chromedriver every test says so and passes.

mod site;
mod static_page;
