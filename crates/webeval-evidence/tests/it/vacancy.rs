use webeval_evidence::{Error, RunDir};

use crate::record;

#[test]
fn a_new_run_takes_a_missing_or_an_empty_folder() {
    let base = tempfile::tempdir().unwrap();
    RunDir::create(base.path().join("deep/new"), &record()).unwrap();
    let empty = base.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    RunDir::create(&empty, &record()).unwrap();
    assert!(empty.join("run.json").is_file());
}

#[test]
fn a_new_run_writes_nothing_over() {
    let base = tempfile::tempdir().unwrap();
    let other = base.path().join("notes.txt");
    std::fs::write(&other, "mine").unwrap();
    assert!(matches!(RunDir::create(base.path(), &record()), Err(Error::Occupied { what: "other files", .. })));
    assert!(matches!(RunDir::create(&other, &record()), Err(Error::Occupied { .. })));
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "mine");
    assert!(!base.path().join("run.json").exists());

    let run = base.path().join("run");
    RunDir::create(&run, &record()).unwrap();
    let before = std::fs::read(run.join("run.json")).unwrap();
    assert!(matches!(RunDir::create(&run, &record()), Err(Error::Occupied { what: "another run", .. })));
    assert_eq!(std::fs::read(run.join("run.json")).unwrap(), before);
}

#[test]
fn opening_something_else_or_something_newer_is_an_error() {
    let base = tempfile::tempdir().unwrap();
    assert!(matches!(RunDir::open(base.path()), Err(Error::NotARun { .. })));
    let mut newer = record();
    newer.format = webeval_evidence::FORMAT + 1;
    RunDir::create(base.path().join("newer"), &newer).unwrap();
    assert!(
        matches!(RunDir::open(base.path().join("newer")), Err(Error::Format { found, .. }) if found == newer.format)
    );
}

#[test]
fn the_record_comes_back_as_it_was_written() {
    let base = tempfile::tempdir().unwrap();
    let run = RunDir::create(base.path().join("run"), &record()).unwrap();
    assert_eq!(RunDir::open(run.root()).unwrap().run().unwrap(), record());
    let partials = std::fs::read_dir(run.root())
        .unwrap()
        .filter(|e| e.as_ref().unwrap().file_name().to_string_lossy().ends_with(".partial"));
    assert_eq!(partials.count(), 0);
}
