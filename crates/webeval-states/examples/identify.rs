//! Prints the normal form and the ids of a page at every level: `cargo run --example identify -- page.html`.
#![allow(clippy::print_stdout)]

use webeval_states::{Level, Options, StateId, normalize};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let html = match std::env::args().nth(1) {
        Some(path) => std::fs::read_to_string(path)?,
        None => r#"<ul><li class="card">Tea, 3 minutes ago<li class="card">Milk, 09:05</ul>"#.to_owned(),
    };
    for level in Level::ALL {
        let form = normalize(&html, level, &Options::default())?;
        println!("{level} {}\n{form}\n", StateId::of_normal_form(&form, level));
    }
    Ok(())
}
