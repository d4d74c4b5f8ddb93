use webeval_evidence::{BlobKind, BlobRef, Error, RunDir};

use crate::record;

#[test]
fn one_content_is_stored_once_under_its_hash() {
    let base = tempfile::tempdir().unwrap();
    let run = RunDir::create(base.path().join("run"), &record()).unwrap();
    // SHA-256 of "test" begins 9f86d081884c7d65 (FIPS 180-2 test tools print the same).
    let first = run.store(BlobKind::Snapshot, b"test").unwrap();
    assert_eq!(first.as_str(), "snapshots/9f86d081884c7d65.html");
    assert_eq!(run.store(BlobKind::Snapshot, b"test").unwrap(), first);
    assert_eq!(std::fs::read_dir(run.root().join("snapshots")).unwrap().count(), 1);
    assert_eq!(run.load(&first).unwrap(), b"test");
    assert_eq!((first.kind(), first.stem()), (Some(BlobKind::Snapshot), "9f86d081884c7d65"));
}

#[test]
fn a_forged_reference_cannot_leave_the_run_directory() {
    let base = tempfile::tempdir().unwrap();
    let run = RunDir::create(base.path().join("run"), &record()).unwrap();
    std::fs::write(base.path().join("secret"), "key").unwrap();
    for forged in ["../secret", "snapshots/../../secret", "/etc/passwd", "snapshots/", "run.json", "snapshots/.."] {
        let reference: BlobRef = serde_json::from_value(forged.into()).unwrap();
        assert!(matches!(run.load(&reference), Err(Error::Escape { .. })), "{forged}");
    }
}
