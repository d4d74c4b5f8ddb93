//! The files that a single HTML page uses, found by the paths it mentions.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use super::is_page;

/// Files that are read for further references.
const READ: &[&str] = &["html", "htm", "xhtml", "css", "js", "mjs", "json", "svg"];
/// A page that leads to more files than this is a whole site, and should be given as a folder.
const MOST: usize = 500;

/// `page` and the files under its folder that it, or what it uses, mentions by a relative path. Other pages are left
/// out: a page given by itself is the whole app. A mention that is not a use costs a needless copy, nothing more.
pub(crate) fn page_and_its_files(root: &Path, page: &str) -> Vec<PathBuf> {
    let mut found = BTreeSet::from([PathBuf::from(page)]);
    let mut unread = vec![PathBuf::from(page)];
    while let Some(file) = unread.pop() {
        let Ok(text) = std::fs::read(root.join(&file)) else { continue };
        let folder = file.parent().unwrap_or(Path::new(""));
        for mention in mentions(&String::from_utf8_lossy(&text)) {
            let Some(path) = inside(folder, mention) else { continue };
            if found.len() < MOST && !found.contains(&path) && is_file_under(root, &path) {
                if has_extension(&path, READ) {
                    unread.push(path.clone());
                }
                found.insert(path);
            }
        }
    }
    found.into_iter().map(|path| root.join(path)).collect()
}

/// Runs of characters that could be a relative path with an extension.
fn mentions(text: &str) -> impl Iterator<Item = &str> {
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '(' | ')' | '=' | ',' | '<' | '>' | ';');
    text.split(ends)
        .map(|token| token.split(['?', '#']).next().unwrap_or_default())
        .filter(|token| token.len() < 300 && token.rfind('.').is_some_and(|dot| dot + 1 < token.len()))
        .filter(|token| !token.contains("://") && !token.starts_with("//") && !is_page(token))
}

/// The mention as a path from the root, without `.` and `..`; none when it leads out.
pub(crate) fn inside(folder: &Path, mention: &str) -> Option<PathBuf> {
    let absolute = mention.starts_with('/');
    let joined = if absolute { PathBuf::from(mention.trim_start_matches('/')) } else { folder.join(mention) };
    let mut path = PathBuf::new();
    for part in joined.components() {
        match part {
            Component::Normal(name) => path.push(name),
            Component::CurDir => {}
            Component::ParentDir if path.pop() => {}
            _ => return None,
        }
    }
    Some(path)
}

fn is_file_under(root: &Path, path: &Path) -> bool {
    root.join(path).canonicalize().is_ok_and(|real| real.starts_with(root) && real.is_file())
}

fn has_extension(path: &Path, wanted: &[&str]) -> bool {
    path.extension().is_some_and(|found| wanted.iter().any(|one| found.eq_ignore_ascii_case(one)))
}
