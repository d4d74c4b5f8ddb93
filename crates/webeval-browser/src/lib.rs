//! One WebDriver session: launch, look, act, collect
