//! The pictures of a page: what its sections show, saved once per content under names that say what they are.
//!
//! Only what a rendered element refers to is saved (the usage filter of WebGen-V E.3): the address that `img`,
//! `srcset` and `picture` came to, `background-image` of elements and of their generated boxes from any sheet, video
//! posters, data URIs and inline SVG.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use serde::Deserialize;
use serde_json::{Value, json};
use webeval_browser::Session;

use crate::capture::ask;
use crate::geometry::RectExt as _;
use crate::process::{create, write};
use crate::raster::{Drawing, draw};
use crate::section::{BY_RULE, MediaItem, Role, SectionContent};
use crate::{Error, Page};

const SOURCES: &str = concat!(include_str!("js/find.js"), include_str!("js/sources.js"));

/// What pictures are made of where no address tells it: each distinct text once, and its number by picture.
#[derive(Default, Deserialize)]
struct Sources {
    texts: Vec<String>,
    places: Vec<Option<usize>>,
}

/// Saves pictures into a folder.
pub(crate) struct Assets<'a> {
    session: &'a mut Session,
    out: PathBuf,
    frame: String,
    /// Name under which a content was saved.
    saved: HashMap<Vec<u8>, String>,
    /// Name under which the content of an address was saved; none where it could not be had.
    known: HashMap<String, Option<String>>,
    /// Sources in full, by the element's path.
    sources: HashMap<String, String>,
    /// What is to be drawn as PNG as well.
    drawings: Vec<Drawing>,
}

impl<'a> Assets<'a> {
    pub(crate) async fn new(session: &'a mut Session, out: &Path) -> Result<Self, Error> {
        create(&out.join("images"))?;
        let tree = session.cdp("Page.getResourceTree", json!({})).await?;
        let frame = tree["frameTree"]["frame"]["id"].as_str().unwrap_or_default().to_owned();
        Ok(Self {
            session,
            out: out.to_owned(),
            frame,
            saved: HashMap::new(),
            known: HashMap::new(),
            sources: HashMap::new(),
            drawings: Vec::new(),
        })
    }

    /// Saves every section's pictures and enters them in its `images` map.
    pub(crate) async fn save(
        mut self,
        page: &Page,
        contents: &mut [SectionContent],
        notes: &mut Vec<String>,
    ) -> Result<(), Error> {
        self.read_sources(contents).await;
        let mut missing = 0;
        for content in contents.iter_mut() {
            let mut number = 0;
            for item in content.media.clone() {
                let role = role(page, content, &item);
                let stem = format!("images/section_{:02}_img_{:02}_{}", content.order, number + 1, role.as_str());
                let Some(name) = self.saved_as(&item, &stem).await? else {
                    missing += usize::from(is_picture(&item));
                    continue;
                };
                number += 1;
                let key = if item.src.is_empty() { item.selector.clone() } else { item.src.clone() };
                content.images.insert(key, name);
            }
            let roles: Vec<Role> = content.media.iter().map(|item| role(page, content, item)).collect();
            for (item, role) in content.media.iter_mut().zip(roles) {
                item.role = Some(role);
                item.role_by = BY_RULE.to_owned();
            }
        }
        self.rasterise(contents, notes).await?;
        if missing > 0 {
            notes.push(format!("{} could not be had", counted(missing)));
        }
        Ok(())
    }

    /// Draws what was saved in a format that models do not take, and enters it in the `rasters` maps.
    async fn rasterise(&mut self, contents: &mut [SectionContent], notes: &mut Vec<String>) -> Result<(), Error> {
        let pictures = draw(self.session, &self.drawings).await?;
        let mut drawn = HashMap::new();
        for (drawing, picture) in self.drawings.iter().zip(pictures) {
            let Some(png) = picture else { continue };
            let name = format!("{}.png", drawing.file);
            write(&self.out.join(&name), &png)?;
            drawn.insert(drawing.file.as_str(), name);
        }
        let failed = self.drawings.len() - drawn.len();
        if failed > 0 {
            notes.push(format!("{} could not be drawn as PNG", counted(failed)));
        }
        for content in contents {
            let rasters =
                content.images.values().filter_map(|file| Some((file.clone(), drawn.get(file.as_str())?.clone())));
            content.rasters = rasters.collect();
        }
        Ok(())
    }

    /// One question for all pictures: one each would take longer than all the rest on a page with a thousand.
    async fn read_sources(&mut self, contents: &[SectionContent]) {
        let media = contents.iter().flat_map(|content| &content.media);
        let paths: Vec<String> =
            media.filter(|item| item.kind == "svg" || is_cut(&item.src)).map(|item| item.selector.clone()).collect();
        if paths.is_empty() {
            return;
        }
        let answer = ask(self.session, SOURCES, &[json!(paths)]).await.unwrap_or_default();
        let sources: Sources = serde_json::from_str(answer.as_str().unwrap_or_default()).unwrap_or_default();
        for (path, place) in paths.into_iter().zip(sources.places) {
            if let Some(text) = place.and_then(|place| sources.texts.get(place)) {
                self.sources.insert(path, text.clone());
            }
        }
    }

    /// Saves a picture unless it is saved already, and gives its name.
    async fn saved_as(&mut self, item: &MediaItem, stem: &str) -> Result<Option<String>, Error> {
        let address = match item.kind.as_str() {
            "svg" => "",
            "video" => item.poster.as_deref().unwrap_or_default(),
            _ if is_cut(&item.src) => "",
            _ => item.src.as_str(),
        };
        if let Some(known) = self.known.get(address) {
            return Ok(known.clone());
        }
        let name = match self.bytes(item).await {
            Some(bytes) => Some(self.keep(bytes, stem, item)?),
            None => None,
        };
        if !address.is_empty() {
            self.known.insert(address.to_owned(), name.clone());
        }
        Ok(name)
    }

    fn keep(&mut self, bytes: Vec<u8>, stem: &str, item: &MediaItem) -> Result<String, Error> {
        if let Some(name) = self.saved.get(&bytes) {
            return Ok(name.clone());
        }
        let name = format!("{stem}.{}", extension(&bytes));
        write(&self.out.join(&name), &bytes)?;
        let size = [item.rect.width, item.rect.height];
        self.drawings.extend(match item.kind.as_str() {
            "svg" => Some(Drawing::inline(name.clone(), item.selector.clone(), size)),
            // A tile of a pattern is smaller than what it covers.
            "background" => Drawing::content(&name, &bytes, None),
            _ => Drawing::content(&name, &bytes, Some(size)),
        });
        self.saved.insert(bytes, name.clone());
        Ok(name)
    }

    async fn bytes(&mut self, item: &MediaItem) -> Option<Vec<u8>> {
        match item.kind.as_str() {
            "svg" => self.sources.get(&item.selector).map(|text| text.as_bytes().to_vec()),
            "img" | "background" | "video" => self.resource(item).await,
            _ => None,
        }
    }

    /// A picture's content as the browser has it: no second request, no cross-origin rule.
    async fn resource(&mut self, item: &MediaItem) -> Option<Vec<u8>> {
        let address = if item.kind == "video" { item.poster.as_deref()? } else { item.src.as_str() };
        if let Some(data) = address.strip_prefix("data:") {
            let whole =
                if is_cut(address) || data.is_empty() { self.sources.get(&item.selector)?.as_str() } else { address };
            return decode_data(whole);
        }
        let asked = json!({"frameId": self.frame, "url": address});
        let answer = self.session.cdp("Page.getResourceContent", asked).await.ok()?;
        content_of(&answer)
    }
}

/// Whether there is something to be saved: a canvas or frame has no file, nor has a video without a poster.
fn is_picture(item: &MediaItem) -> bool {
    match item.kind.as_str() {
        "img" | "background" => !item.src.is_empty(),
        "video" => item.poster.is_some(),
        kind => kind == "svg",
    }
}

fn counted(pictures: usize) -> String {
    if pictures == 1 { "1 picture".to_owned() } else { format!("{pictures} pictures") }
}

/// Whether an address is a data URI that was too long for the measurement.
fn is_cut(address: &str) -> bool {
    address == "data:" || address.starts_with("data:") && address.ends_with('…')
}

fn content_of(answer: &Value) -> Option<Vec<u8>> {
    let content = answer["content"].as_str()?;
    let encoded = answer["base64Encoded"].as_bool().unwrap_or(false);
    let bytes = if encoded {
        base64::engine::general_purpose::STANDARD.decode(content).ok()?
    } else {
        content.as_bytes().to_vec()
    };
    (!bytes.is_empty()).then_some(bytes)
}

fn decode_data(address: &str) -> Option<Vec<u8>> {
    let (head, body) = address.strip_prefix("data:")?.split_once(',')?;
    if head.ends_with(";base64") {
        return base64::engine::general_purpose::STANDARD.decode(body.trim()).ok();
    }
    let mut bytes = Vec::new();
    let mut rest = body.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = (*first == b'%')
            .then(|| tail.get(..2).and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()))
            .flatten();
        bytes.push(hex.unwrap_or(*first));
        rest = if hex.is_some() { &tail[2..] } else { tail };
    }
    Some(bytes)
}

/// By the content's first bytes: addresses lie.
fn extension(bytes: &[u8]) -> &'static str {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => "png",
        [0xff, 0xd8, ..] => "jpg",
        [b'G', b'I', b'F', ..] => "gif",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "webp",
        [_, _, _, _, b'f', b't', b'y', b'p', b'a', b'v', b'i', b'f', ..] => "avif",
        [0, 0, 1, 0, ..] => "ico",
        _ if bytes.iter().take(1000).collect::<Vec<_>>().windows(4).any(|w| w == [&b'<', &b's', &b'v', &b'g']) => "svg",
        _ => "bin",
    }
}

/// What a picture is for, by rule (WebGen-V E.2 asks a model): its words, its size and where it stands.
fn role(page: &Page, content: &SectionContent, item: &MediaItem) -> Role {
    let words = format!("{} {} {}", item.src, item.alt.as_deref().unwrap_or_default(), item.selector).to_lowercase();
    let screen = page.measurement().viewport[0] * page.measurement().viewport[1];
    let small = item.rect.width <= 64.0 && item.rect.height <= 64.0;
    if item.kind == "background" {
        Role::Background
    } else if words.contains("logo") || words.contains("brand") {
        Role::Logo
    } else if small {
        Role::Icon
    } else if content.order <= 2 && item.rect.area() >= screen * 0.15 {
        Role::Hero
    } else {
        Role::Feature
    }
}
