//! Normal forms that were reviewed by eye and ids that another implementation of XXH3 worked out of them
//! (`scripts/states-golden.py`). A change here is a change of the format: raise `FORMAT`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use webeval_states::{FORMAT, Level, Options, identify, normalize};

fn fixture(name: &str) -> Option<String> {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "../../fixtures/states", name].iter().collect();
    std::fs::read_to_string(path).ok()
}

#[test]
fn forms_and_ids_are_those_of_this_format() {
    // The fixtures are not part of the published package.
    let Some(ids) = fixture("ids.json") else {
        return;
    };
    assert_eq!(FORMAT, 1);
    let ids: BTreeMap<String, BTreeMap<String, String>> = serde_json::from_str(&ids).expect("a map of maps");
    assert_eq!(ids.len(), 3);
    for (name, ids) in ids {
        let page = fixture(&format!("{name}.html")).expect("a page");
        let identity = identify(&page, &Options::default()).expect("small");
        for level in Level::ALL {
            let form = fixture(&format!("{name}.level{}.html", level.number())).expect("a form");
            assert_eq!(normalize(&page, level, &Options::default()).expect("small"), form, "{name} {level}");
            assert_eq!(identity.at(level).to_string(), ids[&format!("level{}", level.number())], "{name} {level}");
        }
    }
}
