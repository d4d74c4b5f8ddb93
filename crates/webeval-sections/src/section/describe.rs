//! What a section says and shows, in the shape of WebGen-V's appendix E.1.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use webeval_evidence::Rect;

use super::name::{inside, text_within};
use super::{Layer, Section};
use crate::checks::{Backdrop, backdrop, heading_level};
use crate::geometry::RectExt as _;
use crate::page::Page;

/// A link's words and address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Link {
    /// Its visible words, or its accessible name.
    pub label: String,
    /// Its `href` as written.
    pub href: String,
}

/// A text with its looks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct TextRun {
    /// The words.
    pub text: String,
    /// Box of its lines.
    pub rect: Rect,
    /// First family of the font.
    pub font: String,
    /// Font size in CSS pixels.
    pub size: f64,
    /// Font weight, 100 to 900.
    pub weight: f64,
    /// `#rrggbb`.
    pub color: String,
    /// What is behind it, `#rrggbb`; several for a gradient, none where there is a picture.
    pub background: Vec<String>,
}

/// A picture, video, canvas or frame in a section.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct MediaItem {
    /// CSS path.
    pub selector: String,
    /// `img`, `video`, `svg`, …; `background` for a CSS picture.
    pub kind: String,
    /// Address.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub src: String,
    /// Text alternative.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alt: Option<String>,
    /// Poster of a video.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poster: Option<String>,
    /// Intrinsic width and height.
    pub natural: [f64; 2],
    /// Where it is shown.
    pub rect: Rect,
    /// What it is for; none before pictures were saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// Who says so: `rule`, or the name of a model.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub role_by: String,
    /// What it shows, in a few words of a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shows: Option<String>,
}

/// Who says what a picture is for, where no model does.
pub const BY_RULE: &str = "rule";

/// What a picture is for (WebGen-V §3.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The mark of whose page it is.
    Logo,
    /// The large picture that a page opens with.
    Hero,
    /// Shows or illustrates something.
    Feature,
    /// A small sign.
    Icon,
    /// Behind the content.
    Background,
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Logo, Self::Hero, Self::Feature, Self::Icon, Self::Background];

    /// Its name in file names.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Logo => "logo",
            Self::Hero => "hero",
            Self::Feature => "feature",
            Self::Icon => "icon",
            Self::Background => "background",
        }
    }
}

/// One section's entry in `sections.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct SectionContent {
    /// Place in the order of reading, from 1.
    pub order: u32,
    /// What it is: id, name, box.
    #[serde(flatten)]
    pub section: Section,
    /// First heading of each level, `heading_h1` to `heading_h6`; absent levels are empty.
    #[serde(flatten)]
    pub headings: BTreeMap<String, String>,
    /// Its text that is no heading, list item or link.
    pub body: String,
    /// Its markup.
    pub html: String,
    /// Its list items.
    pub bullets: Vec<String>,
    /// Its links.
    pub links: Vec<Link>,
    /// Addresses of its pictures, and the files they were saved as.
    pub images: BTreeMap<String, String>,
    /// Those of the files that are neither PNG nor JPEG, and the PNG that the browser drew of each.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rasters: BTreeMap<String, String>,
    /// Its picture, relative to the output folder; empty where none was taken.
    pub screenshot_path: String,
    /// Its texts with their looks.
    pub text_runs: Vec<TextRun>,
    /// Its media with their sizes.
    pub media: Vec<MediaItem>,
}

impl SectionContent {
    /// The file that one of its media was saved as, relative to the output folder.
    #[must_use]
    pub fn file_of(&self, item: &MediaItem) -> Option<&str> {
        self.images.get(&item.src).or_else(|| self.images.get(&item.selector)).map(String::as_str)
    }
}

/// Collects what a section says and shows. Markup, picture files and screenshot are the caller's to fill in.
#[must_use]
pub fn describe(page: &Page, section: &Section, order: u32) -> SectionContent {
    let mut elements = inside(page, &section.roots);
    if section.layer == Layer::Flow {
        elements.retain(|&index| !page.within(index, |_, style| matches!(style.position.as_str(), "fixed" | "sticky")));
    }
    let items: Vec<usize> = elements.iter().copied().filter(|&index| page.node(index).tag == "li").collect();
    let texts = |wanted: &dyn Fn(usize) -> bool| -> Vec<String> {
        let wanted = elements.iter().copied().filter(|&index| wanted(index));
        wanted.map(|index| text_within(page, index)).filter(|text| !text.is_empty()).collect()
    };
    SectionContent {
        order,
        section: section.clone(),
        headings: headings(page, &elements),
        body: body(page, &elements).join("\n"),
        html: String::new(),
        bullets: texts(&|index| items.contains(&index)),
        links: links(page, &elements),
        images: BTreeMap::new(),
        rasters: BTreeMap::new(),
        screenshot_path: String::new(),
        text_runs: elements.iter().filter_map(|&index| text_run(page, index)).collect(),
        media: elements.iter().flat_map(|&index| media_items(page, index)).collect(),
    }
}

fn headings(page: &Page, elements: &[usize]) -> BTreeMap<String, String> {
    let first = |level: u8| {
        let heading = elements.iter().copied().find(|&index| heading_level(page, index) == Some(level));
        heading.map(|index| text_within(page, index)).unwrap_or_default()
    };
    (1..=6).map(|level| (format!("heading_h{level}"), first(level))).collect()
}

fn body(page: &Page, elements: &[usize]) -> Vec<String> {
    let elsewhere = |index: usize| {
        page.lineage(index).any(|at| {
            let node = page.node(at);
            heading_level(page, at).is_some() || node.tag == "li" || node.tag == "a"
        })
    };
    let own = elements.iter().copied().filter(|&index| page.visible_text(index).is_some() && !elsewhere(index));
    own.filter_map(|index| page.node(index).text.as_ref().map(|text| text.text.clone())).collect()
}

fn links(page: &Page, elements: &[usize]) -> Vec<Link> {
    let link = |index: usize| {
        let node = page.node(index);
        let href = node.attribute("href").filter(|_| node.tag == "a" && page.is_visible(index))?;
        let words = text_within(page, index);
        let label = if words.is_empty() { node.attribute("aria-label").unwrap_or_default().to_owned() } else { words };
        Some(Link { label, href: href.to_owned() })
    };
    elements.iter().filter_map(|&index| link(index)).collect()
}

fn text_run(page: &Page, index: usize) -> Option<TextRun> {
    let rect = page.visible_text(index)?;
    let style = page.style(index);
    let background = match backdrop(page, index) {
        Backdrop::Colors(colors) => colors.into_iter().map(crate::color::Color::hex).collect(),
        Backdrop::Pixels => Vec::new(),
    };
    let family = style.font_family.split(',').next().unwrap_or_default();
    Some(TextRun {
        text: page.node(index).text.as_ref()?.text.clone(),
        rect,
        font: family.trim().trim_matches('"').to_owned(),
        size: style.font_size,
        weight: style.font_weight,
        color: style.webkit_text_fill_color.hex(),
        background,
    })
}

fn media_items(page: &Page, index: usize) -> Vec<MediaItem> {
    if !page.is_visible(index) {
        return Vec::new();
    }
    let (node, rect, selector) = (page.node(index), page.rect(index), page.selector(index));
    let own = node.media.as_ref().map(|media| MediaItem {
        selector: selector.clone(),
        kind: format!("{:?}", media.kind).to_lowercase(),
        src: media.src.clone(),
        alt: media.alt.clone(),
        poster: media.poster.clone(),
        natural: media.natural,
        rect,
        role: None,
        role_by: String::new(),
        shows: None,
    });
    let backgrounds = std::iter::once(page.style(index).background_image.as_str())
        .chain(node.pseudo.iter().map(|pseudo| pseudo.image.as_str()))
        .flat_map(urls);
    let behind = backgrounds.map(|src| MediaItem {
        selector: selector.clone(),
        kind: "background".to_owned(),
        src,
        alt: None,
        poster: None,
        natural: [0.0; 2],
        rect,
        role: None,
        role_by: String::new(),
        shows: None,
    });
    own.into_iter().chain(behind).filter(|item| item.rect.area() > 0.0).collect()
}

/// Addresses in a computed `background-image`.
fn urls(value: &str) -> Vec<String> {
    value.split("url(\"").skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect()
}
