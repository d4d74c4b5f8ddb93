//! Contrast against figures that the W3C publishes or that follow from the formula by hand.

use webeval_sections::color::Color;

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 0.005
}

#[test]
fn contrast_is_that_of_wcag() {
    assert!(close(Color::BLACK.contrast(Color::WHITE), 21.0));
    assert!(close(Color::WHITE.contrast(Color::WHITE), 1.0));
    // The grey that WebAIM and W3C name as the lightest to pass 4.5:1 on white, and its neighbour that fails.
    assert!(Color::rgb(0x76, 0x76, 0x76).contrast(Color::WHITE) >= 4.5);
    assert!(Color::rgb(0x77, 0x77, 0x77).contrast(Color::WHITE) < 4.5);
    // Pure red on white: L = 0.2126, so 1.05 / 0.2626.
    assert!(close(Color::rgb(255, 0, 0).contrast(Color::WHITE), 1.05 / 0.2626));
}

#[test]
fn translucent_colours_mix() {
    let half = Color::parse("rgba(0, 0, 0, 0.5)").unwrap().over(Color::WHITE);
    assert_eq!(half, Color { r: 127.5, g: 127.5, b: 127.5, a: 1.0 });
}

#[test]
fn reads_computed_forms() {
    assert_eq!(Color::parse("rgb(1, 2, 3)"), Some(Color::rgb(1, 2, 3)));
    assert_eq!(Color::parse("rgb(1 2 3 / 0.25)"), Some(Color { a: 0.25, ..Color::rgb(1, 2, 3) }));
    assert_eq!(Color::parse("transparent"), Some(Color::TRANSPARENT));
    assert_eq!(Color::parse("blue"), None);
    let stops = Color::all_in("linear-gradient(90deg, rgb(0, 0, 0) 10%, rgba(255, 255, 255, 0.5) 90%)");
    assert_eq!(stops, [Color::BLACK, Color { a: 0.5, ..Color::WHITE }]);
}
