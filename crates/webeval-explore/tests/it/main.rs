//! Explorations in the real browser. Without chromedriver every test says so and passes.

mod advice;
mod model;
mod same_again;
mod site;
mod static_page;
mod stopped;
