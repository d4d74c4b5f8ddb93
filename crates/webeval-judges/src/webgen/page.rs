//! A page as the section judge sees it.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use webeval_browser::Session;
use webeval_evidence::{Action, ActionKind, Rect};
use webeval_sections::section::SectionContent;
use webeval_sections::{Finding, Report, SectionsFile, capture, process};

use crate::Error;

/// Most characters of a section's running text that are sent; the rest is counted.
const MOST_TEXT: usize = 6000;

/// Most texts of a section whose looks are listed.
const MOST_LOOKS: usize = 60;

/// A rendered page: its sections, the faults measured on it, and the page as a whole, in a folder.
#[derive(Clone, Debug)]
pub struct SectionPage {
    folder: PathBuf,
    pub(super) file: SectionsFile,
    report: Report,
}

impl SectionPage {
    /// Loads `path` of the session's app and writes everything about it into `folder`: `sections.json`, `screenshots/`
    /// and `images/` as [`process`](webeval_sections::process()) does, the measured faults as `checks.json`, and the whole
    /// page as `page.png` and `page.html`.
    ///
    /// # Errors
    /// When the page cannot be loaded or measured, or the disk refuses.
    pub async fn capture(session: &mut Session, path: &str, folder: &Path) -> Result<Self, Error> {
        let url = format!("app:/{}", path.trim_start_matches('/'));
        session.step(&Action { kind: ActionKind::Load { url }, target: None }).await?;
        let markup = session.evaluate("return document.documentElement.outerHTML", &[]).await?;
        let files = process(session, folder, &process::Options::default()).await?;
        let extent = files.first().map_or([1.0; 2], |file| file.extent);
        let whole = process::picture(session, Rect { x: 0.0, y: 0.0, width: extent[0], height: extent[1] }).await?;
        let report = capture::check(session).await?;
        write(&folder.join("page.png"), &whole)?;
        write(&folder.join("page.html"), markup.as_str().unwrap_or_default().as_bytes())?;
        // Last, since its presence says that all of it is there.
        write(&folder.join("checks.json"), &serde_json::to_vec_pretty(&report).unwrap_or_default())?;
        Self::read(folder)
    }

    /// Reads what [`SectionPage::capture`] wrote.
    ///
    /// # Errors
    /// When a file is missing or none of ours.
    pub fn read(folder: &Path) -> Result<Self, Error> {
        let file = parse(&folder.join("sections.json"))?;
        let report = parse(&folder.join("checks.json"))?;
        Ok(Self { folder: folder.to_owned(), file, report })
    }

    /// Whether `folder` holds a captured page.
    #[must_use]
    pub fn is_in(folder: &Path) -> bool {
        folder.join("checks.json").is_file()
    }

    pub(super) fn sections(&self) -> &[SectionContent] {
        &self.file.sections
    }

    /// A section's screenshot; none where none could be taken.
    pub(super) fn screenshot(&self, section: &SectionContent) -> Result<Option<Vec<u8>>, Error> {
        if section.screenshot_path.is_empty() { Ok(None) } else { self.load(&section.screenshot_path).map(Some) }
    }

    /// The whole page's screenshot.
    pub(super) fn picture(&self) -> Result<Vec<u8>, Error> {
        self.load("page.png")
    }

    /// The whole page's markup as rendered.
    pub(super) fn markup(&self) -> Result<String, Error> {
        Ok(String::from_utf8_lossy(&self.load("page.html")?).into_owned())
    }

    fn load(&self, name: &str) -> Result<Vec<u8>, Error> {
        load(&self.folder, name)
    }

    /// Visible errors measured on the page.
    pub(super) fn errors(&self) -> impl Iterator<Item = &Finding> {
        self.report.findings.iter().filter(|finding| finding.visible_error)
    }

    /// Visible errors whose middle lies in a section.
    pub(super) fn errors_in(&self, section: &SectionContent) -> Vec<&Finding> {
        let area = section.section.rect;
        let inside = |finding: &&Finding| {
            let (x, y) = (finding.rect.x + finding.rect.width / 2.0, finding.rect.y + finding.rect.height / 2.0);
            (area.x..=area.x + area.width).contains(&x) && (area.y..=area.y + area.height).contains(&y)
        };
        self.errors().filter(inside).collect()
    }
}

/// A section's text and pictures as the judge reads them: JSON, without what says nothing.
pub(super) fn structured(section: &SectionContent) -> Value {
    let headings: serde_json::Map<String, Value> = section
        .headings
        .iter()
        .filter(|(_, text)| !text.is_empty())
        .map(|(level, text)| (level.clone(), json!(text)))
        .collect();
    let links: Vec<Value> =
        section.links.iter().map(|link| json!({"label": link.label, "href": clip(&link.href, 200)})).collect();
    let round = |rect: &Rect| [rect.x, rect.y, rect.width, rect.height].map(f64::round);
    let looks: Vec<Value> = section
        .text_runs
        .iter()
        .take(MOST_LOOKS)
        .map(|run| {
            json!({"text": clip(&run.text, 80), "box": round(&run.rect), "font": run.font, "size": run.size,
                "weight": run.weight, "color": run.color, "on": run.background})
        })
        .collect();
    let images: Vec<Value> = section
        .media
        .iter()
        .map(|item| {
            let name = section.file_of(item).map_or_else(|| clip(&item.src, 200), str::to_owned);
            json!({"file": name, "kind": item.kind, "role": item.role.map(|role| role.as_str()), "alt": item.alt,
                "shown": round(&item.rect), "natural": item.natural})
        })
        .collect();
    json!({
        "order": section.order,
        "name": section.section.name,
        "type": section.section.kind,
        "box": round(&section.section.rect),
        "headings": headings,
        "body": clip(&section.body, MOST_TEXT),
        "bullets": section.bullets,
        "links": links,
        "texts": looks,
        "images": images,
    })
}

/// Text of at most so many characters; what is left out is counted.
pub(super) fn clip(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{} … ({} characters more)", &text[..at], text[at..].chars().count()),
        None => text.to_owned(),
    }
}

pub(super) fn load(folder: &Path, name: &str) -> Result<Vec<u8>, Error> {
    let path = folder.join(name);
    std::fs::read(&path).map_err(|source| Error::Io { action: "read", path, source })
}

pub(super) fn parse<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, Error> {
    let bytes = std::fs::read(path).map_err(|source| Error::Io { action: "read", path: path.to_owned(), source })?;
    serde_json::from_slice(&bytes).map_err(|error| Error::NoEvidence {
        missing: format!("{} is not what was written there: {error}", path.display()),
    })
}

pub(super) fn write(path: &Path, content: &[u8]) -> Result<(), Error> {
    let failed = |source| Error::Io { action: "write", path: path.to_owned(), source };
    let partial = PathBuf::from(format!("{}.partial", path.display()));
    std::fs::write(&partial, content).and_then(|()| std::fs::rename(&partial, path)).map_err(failed)
}
