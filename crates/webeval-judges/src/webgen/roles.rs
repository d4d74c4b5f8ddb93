//! What a page's pictures are for, asked of a model (WebGen-V E.2, algorithm 3).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use futures::future::join_all;
use serde_json::{Value, json};
use webeval_evidence::TokenUsage;
use webeval_llm::{ChatModel, ChatRequest, Image, JsonSchema, Part, ask};
use webeval_sections::SectionsFile;
use webeval_sections::section::{BY_RULE, MediaItem, Role, SectionContent};

use super::page::{clip, load, parse, write};
use crate::fence::Fence;
use crate::{Error, Prompts};

/// Most tokens of an answer: two words fit a hundred times, reasoning models need room to think.
const ANSWER_TOKENS: u32 = 2000;
/// Most characters of a section's text that are sent with a picture.
const MOST_TEXT: usize = 1500;
/// Most characters of the markup around a picture that are sent, on either side of where it is named.
const MOST_MARKUP: usize = 400;
/// Most letters of a picture's name.
const MOST_NAME: usize = 48;

/// What a note says of a picture about which the model gave no role.
const KEEPS: &str = "keeps its role by rule";

/// What came of asking.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Classified {
    /// Pictures that the model gave a role.
    pub pictures: usize,
    /// Pictures that keep the role they have by rule: the answer was none.
    pub by_rule: usize,
    /// Tokens and money over all calls.
    pub usage: TokenUsage,
}

/// A picture to ask about: the section and the medium that show it first.
struct Picture<'a> {
    file: &'a str,
    section: &'a SectionContent,
    item: &'a MediaItem,
}

struct Named {
    role: Role,
    /// Lower case letters, digits and hyphens.
    name: String,
}

/// Asks `model` what every picture is for that [`process`](webeval_sections::process()) saved into `folder`, each content
/// once, from the picture, the section's screenshot and the words around it. The answers become the media's roles in
/// `sections.json`, with the model's name, and the names of the picture files.
///
/// A picture about which the model gives no role, also after its answer was sent back, keeps the one it has by rule, and
/// the file's notes say so. Pictures that a model gave a role before are left as they are.
///
/// # Errors
/// [`Error::NoEvidence`] when `folder` holds no `sections.json` of ours or the model takes no pictures;
/// [`Error::Stopped`] when the model fails in a way no further call would survive, after writing what was answered until
/// then; [`Error::Prompt`] for a template that cannot be used; [`Error::Io`].
pub async fn classify(folder: &Path, model: &dyn ChatModel, prompts: &Prompts, seed: u64) -> Result<Classified, Error> {
    if !model.profile().vision {
        return Err(Error::NoEvidence { missing: format!("a model that takes images: {} does not", model.name()) });
    }
    let path = folder.join("sections.json");
    let mut file: SectionsFile = parse(&path)?;
    let pictures = pictures(&file);
    let mut requests = Vec::new();
    for picture in &pictures {
        // All pictures are read before any money is spent.
        requests.push(request(folder, picture, prompts)?.with_seed(seed));
    }
    let asked: Vec<String> = pictures.iter().map(|picture| picture.file.to_owned()).collect();
    let answers = join_all(requests.iter().map(|request| ask(model, request, &|_| Vec::new()))).await;
    let (mut classified, mut stopped) = (Classified::default(), None);
    let (mut named, mut notes) = (BTreeMap::new(), Vec::new());
    for (picture, answer) in pictures.iter().zip(answers) {
        match answer {
            Ok(answer) => {
                classified.usage += answer.usage;
                named.extend(read(&answer.value).map(|named| (picture.file.to_owned(), named)));
            }
            Err(failure) => {
                classified.usage += failure.usage;
                if failure.error.is_fatal() {
                    stopped = stopped.or(Some(failure.error));
                    continue;
                }
                classified.by_rule += 1;
                notes.push(format!("{} {KEEPS}: {} gave none: {}", picture.file, model.name(), failure.error));
            }
        }
    }
    classified.pictures = named.len();
    // What was noted of these pictures before is out of date.
    file.notes.retain(|note| !is_noted(note, &asked));
    file.notes.extend(notes);
    let moved = enter(&mut file, &named, model.name());
    // New names first, old ones away last: what sections.json names is there at any time.
    for (from, to) in &moved {
        write(&folder.join(to), &load(folder, from)?)?;
    }
    write(&path, &serde_json::to_vec_pretty(&file).unwrap_or_default())?;
    for from in moved.keys() {
        // A file that stays behind does no harm.
        let _ = std::fs::remove_file(folder.join(from));
    }
    stopped.map_or(Ok(classified), |source| Err(Error::Stopped { source }))
}

/// Whether a note says of one of these files that it keeps its role.
fn is_noted(note: &str, files: &[String]) -> bool {
    note.split_once(KEEPS).is_some_and(|(file, _)| files.iter().any(|other| other == file.trim_end()))
}

fn pictures(file: &SectionsFile) -> Vec<Picture<'_>> {
    let mut seen = BTreeSet::new();
    let mut pictures = Vec::new();
    for section in &file.sections {
        for item in section.media.iter().filter(|item| item.role_by == BY_RULE) {
            let Some(file) = section.file_of(item).filter(|file| seen.insert(*file)) else { continue };
            pictures.push(Picture { file, section, item });
        }
    }
    pictures
}

fn request(folder: &Path, picture: &Picture<'_>, prompts: &Prompts) -> Result<ChatRequest, Error> {
    let Picture { file, section, item } = picture;
    let shown = section.rasters.get(*file).map_or(*file, String::as_str);
    // What is in a format that models do not take and was not drawn is judged by what stands around it.
    let image = Image::new(shown, load(folder, shown)?).ok();
    let shot = match section.screenshot_path.as_str() {
        "" => None,
        name => Image::new(name, load(folder, name)?).ok(),
    };
    let context = serde_json::to_string_pretty(&context(section, item)).unwrap_or_default();
    let values = json!({
        "context": Fence::default().fence(&context),
        "picture": image.is_some(),
        "screenshot": shot.is_some(),
    });
    let images: Vec<Part> = image.into_iter().chain(shot).map(Part::from).collect();
    let schema = json!({
        "type": "object",
        "properties": {
            "category": {"type": "string", "enum": Role::ALL.map(Role::as_str)},
            "name": {"type": "string", "minLength": 1, "maxLength": 120}
        },
        "required": ["category", "name"],
        "additionalProperties": false
    });
    Ok(ChatRequest::new("sections/image-role", prompts.render("image-role.txt", values, images)?)
        .expecting(JsonSchema::new("image_role", schema))
        .with_max_tokens(ANSWER_TOKENS))
}

fn context(section: &SectionContent, item: &MediaItem) -> Value {
    let round = |rect: &webeval_evidence::Rect| [rect.x, rect.y, rect.width, rect.height].map(f64::round);
    let headings: Vec<&String> = section.headings.values().filter(|text| !text.is_empty()).collect();
    let links: Vec<&String> = section.links.iter().map(|link| &link.label).take(20).collect();
    json!({
        "section": {"order": section.order, "name": section.section.name, "box": round(&section.section.rect),
            "headings": headings, "body": clip(&section.body, MOST_TEXT), "links": links},
        "picture": {"kind": item.kind, "address": clip(&item.src, 200), "alt": item.alt, "shown": round(&item.rect),
            "natural": item.natural},
        "markup": markup_around(&section.html, &item.src),
    })
}

/// The markup around the place where a picture's file is named; the section's first where it is not.
fn markup_around(html: &str, address: &str) -> String {
    let name = address.rsplit('/').next().unwrap_or_default();
    let at = if name.is_empty() { 0 } else { html.find(name).unwrap_or(0) };
    let before = html[..at].chars().rev().take(MOST_MARKUP).collect::<Vec<_>>();
    before.into_iter().rev().chain(html[at..].chars().take(MOST_MARKUP)).collect()
}

fn read(answer: &Value) -> Option<Named> {
    let role = serde_json::from_value(answer["category"].clone()).ok()?;
    let words = answer["name"].as_str()?.to_lowercase();
    let words: Vec<&str> = words.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let mut name = words.join("-");
    name.truncate(MOST_NAME);
    Some(Named { role, name: name.trim_end_matches('-').to_owned() })
}

/// Writes roles and file names into the sections; gives the files' old names and their new ones.
fn enter(file: &mut SectionsFile, named: &BTreeMap<String, Named>, model: &str) -> BTreeMap<String, String> {
    let mut moved = BTreeMap::new();
    for section in &mut file.sections {
        let files: Vec<Option<String>> =
            section.media.iter().map(|item| section.file_of(item).map(str::to_owned)).collect();
        for (item, file) in section.media.iter_mut().zip(files) {
            let Some(named) = file.and_then(|file| named.get(&file)) else { continue };
            item.role = Some(named.role);
            model.clone_into(&mut item.role_by);
            item.shows = (!named.name.is_empty()).then(|| named.name.clone());
        }
        let rasters = std::mem::take(&mut section.rasters);
        for file in section.images.values_mut() {
            let raster = rasters.get(file).cloned();
            if let Some(new) = named.get(file).and_then(|named| renamed(file, named)) {
                moved.insert(file.clone(), new.clone());
                *file = new;
            }
            if let Some(raster) = raster {
                let new = format!("{file}.png");
                if new != raster {
                    moved.insert(raster, new.clone());
                }
                section.rasters.insert(file.clone(), new);
            }
        }
    }
    moved
}

/// `images/section_01_img_02_hero.png` with the model's role and words: `images/section_01_img_02_logo_red-boat.png`.
fn renamed(file: &str, named: &Named) -> Option<String> {
    let (stem, ending) = file.rsplit_once('.')?;
    let (place, _) = stem.rsplit_once('_')?;
    let words = if named.name.is_empty() { String::new() } else { format!("_{}", named.name) };
    Some(format!("{place}_{}{words}.{ending}", named.role.as_str())).filter(|new| new != file)
}
