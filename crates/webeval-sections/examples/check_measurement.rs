//! Reads measurements that the script made and prints what is wrong with each page.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for path in std::env::args().skip(1) {
        let answer = std::fs::read_to_string(&path)?;
        let page = webeval_sections::Page::new(webeval_sections::measure::Measurement::parse(&answer)?);
        let report = webeval_sections::check(&page);
        println!("{path}: {:?}", report.scores);
        for finding in report.findings {
            println!("  {:?} {} ×{} [{}]", finding.severity, finding.message, finding.count, finding.selector);
        }
    }
    Ok(())
}
