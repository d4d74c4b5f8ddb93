//! Lists the sections of measured pages.
fn main() -> Result<(), Box<dyn std::error::Error>> {
    for path in std::env::args().skip(1) {
        let answer = std::fs::read_to_string(&path)?;
        let page = webeval_sections::Page::new(webeval_sections::measure::Measurement::parse(&answer)?);
        println!("{path}");
        for s in webeval_sections::detect(&page) {
            println!(
                "  {:?} {} [{}] {:.0},{:.0} {:.0}x{:.0} {:?}",
                s.layer, s.name, s.id, s.rect.x, s.rect.y, s.rect.width, s.rect.height, s.selectors
            );
        }
    }
    Ok(())
}
