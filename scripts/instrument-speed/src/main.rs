fn main() { let _ = oxc_coverage_instrument::instrument("a()", "a.js", &Default::default()); }
