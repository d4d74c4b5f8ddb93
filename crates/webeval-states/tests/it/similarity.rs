//! The similarity against pairs counted by hand.

use webeval_states::{Options, Profile};

fn similarity(a: &str, b: &str) -> f64 {
    let profile = |html| Profile::new(html, &Options::default()).expect("small");
    let (there, back) = (profile(a).similarity(&profile(b)), profile(b).similarity(&profile(a)));
    assert_eq!(there, back);
    there.value()
}

#[test]
fn pairs_in_common_over_pairs_in_all() {
    let form = "<form><input type=text><button>x</button></form>";
    assert_eq!(similarity(form, form), 1.0);
    assert_eq!(similarity("", ""), 1.0);
    assert_eq!(similarity(form, ""), 0.0);
    // page-form, form-input, form-button; then form-select in place of form-input.
    assert_eq!(similarity(form, "<form><select></select><button>y</button></form>"), 2.0 / 4.0);
    assert_eq!(similarity(form, "<form><button>y</button></form>"), 2.0 / 3.0);
}
