//! Archives as they come, and as nobody should make them.

use std::io::Write;
use std::path::{Path, PathBuf};

use tar::{Builder, EntryType, Header};
use webeval_deploy::{Error, detect, locate};
use webeval_evidence::AppSource;

use crate::text;

fn tar_of(entries: &[(&str, EntryType, &str)]) -> Vec<u8> {
    let mut builder = Builder::new(Vec::new());
    for (name, kind, content) in entries {
        let mut header = Header::new_gnu();
        header.set_entry_type(*kind);
        header.set_mode(0o644);
        // Written as bytes: the library refuses to make what must be refused here.
        header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
        if kind.is_file() {
            header.set_size(content.len() as u64);
            header.set_cksum();
            builder.append(&header, content.as_bytes()).unwrap();
        } else {
            header.as_gnu_mut().unwrap().linkname[..content.len()].copy_from_slice(content.as_bytes());
            header.set_size(0);
            header.set_cksum();
            builder.append(&header, std::io::empty()).unwrap();
        }
    }
    builder.into_inner().unwrap()
}

fn zip_of(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in entries {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zst(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

fn put(base: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = base.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn all_forms_are_read_and_a_folder_at_the_top_is_the_app() {
    let base = tempfile::tempdir().unwrap();
    let regular = EntryType::Regular;
    let tar = tar_of(&[("app/index.html", regular, "<p>hi</p>"), ("app/js/a.js", regular, "1")]);
    let zip = zip_of(&[("app/index.html", b"<p>hi</p>"), ("app/js/a.js", b"1"), ("__MACOSX/app/._a.js", b"")]);
    for (name, bytes) in
        [("a.zip", zip), ("a.tar.gz", gz(&tar)), ("a.tgz", gz(&tar)), ("a.tar.zst", zst(&tar)), ("a.tar", tar)]
    {
        let app = locate(text(&put(base.path(), name, &bytes))).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(matches!(app.source(), AppSource::Archive { path } if path.ends_with(name)));
        assert_eq!(detect(&app).unwrap().entry, "index.html", "{name}");
        let folder = app.folder().unwrap().to_owned();
        assert_eq!(std::fs::read_to_string(folder.join("js/a.js")).unwrap(), "1");
        drop(app);
        assert!(!folder.exists(), "{name}: what was unpacked is still there");
    }
}

#[test]
fn a_link_inside_becomes_what_it_leads_to() {
    let base = tempfile::tempdir().unwrap();
    let entries = [("index.html", EntryType::Regular, "x"), ("b/alias.html", EntryType::Symlink, "../index.html")];
    let app = locate(text(&put(base.path(), "a.tar", &tar_of(&entries)))).unwrap();
    let alias = app.folder().unwrap().join("b/alias.html");
    assert!(alias.symlink_metadata().unwrap().is_file());
    assert_eq!(std::fs::read_to_string(alias).unwrap(), "x");
}

/// Expects a refusal that names the entry, and nothing to be written beside the temporary folder.
fn refuses(name: &str, bytes: &[u8], entry: &str, reason: &str) {
    let base = tempfile::tempdir().unwrap();
    let error = locate(text(&put(base.path(), name, bytes))).unwrap_err();
    assert!(matches!(&error, Error::HostileArchive { .. }), "{entry}: {error}");
    let message = error.to_string();
    assert!(message.contains(entry) && message.contains(reason), "{message}");
}

#[test]
fn entries_that_lead_out_are_refused_by_name() {
    let regular = EntryType::Regular;
    for entry in ["../evil.js", "a/../../evil.js", "..\\evil.js"] {
        refuses("a.tar", &tar_of(&[(entry, regular, "x")]), &entry.replace('\\', "\\\\"), "leads out");
        refuses("a.zip", &zip_of(&[(entry, b"x")]), &entry.replace('\\', "\\\\"), "leads out");
    }
    for entry in ["/etc/evil.js", "C:/evil.js", "C:\\evil.js"] {
        refuses("a.tar", &tar_of(&[(entry, regular, "x")]), &entry.replace('\\', "\\\\"), "absolute");
    }
    for (to, kind) in
        [("/etc/passwd", EntryType::Symlink), ("../../etc/passwd", EntryType::Symlink), ("../x", EntryType::Link)]
    {
        refuses("a.tar", &tar_of(&[("link.html", kind, to)]), "link.html", "link that leads out");
    }
}

#[test]
fn devices_and_pipes_are_refused() {
    for kind in [EntryType::Char, EntryType::Block, EntryType::Fifo] {
        refuses("a.tar", &tar_of(&[("device", kind, "")]), "device", "is no file");
    }
}

#[test]
fn bombs_are_refused() {
    // 600 MB of zeros, in about 600 kB.
    let zeros = vec![0_u8; 600 << 20];
    refuses("a.zip", &zip_of(&[("index.html", b"x"), ("zeros.bin", &zeros)]), "zeros.bin", "more than 512 MB");
}

#[test]
fn a_hundred_thousand_files_are_refused() {
    let names: Vec<String> = (0..100_000).map(|number| format!("f/{number}.js")).collect();
    let entries: Vec<(&str, EntryType, &str)> =
        names.iter().map(|name| (name.as_str(), EntryType::Regular, "")).collect();
    refuses("a.tar.gz", &gz(&tar_of(&entries)), "f/50000.js", "more than 50000 entries");
}

#[test]
fn what_is_no_archive_is_told_so() {
    let base = tempfile::tempdir().unwrap();
    for name in ["a.zip", "a.tar.gz", "a.tar.zst"] {
        let error = locate(text(&put(base.path(), name, b"this is text"))).unwrap_err();
        assert!(matches!(error, Error::BadArchive { .. }), "{name}: {error}");
    }
}
