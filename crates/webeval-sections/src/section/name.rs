//! Deterministic names (WebGen-V appendix G.1): from landmarks, words, headings, position and content.

use std::collections::HashMap;

use webeval_evidence::Rect;

use super::{Layer, Section};
use crate::checks::heading_level;
use crate::measure::MediaKind;
use crate::page::Page;

/// Words in an id, class or heading that give a section its usual name.
const KNOWN: [(&str, &[&str]); 22] = [
    ("Hero", &["hero", "banner", "jumbotron", "masthead"]),
    ("Pricing", &["pricing", "prices", "plans"]),
    ("Features", &["features", "feature", "benefits"]),
    ("Testimonials", &["testimonials", "testimonial", "reviews"]),
    ("FAQ", &["faq", "faqs", "questions"]),
    ("Contact", &["contact"]),
    ("About", &["about"]),
    ("Gallery", &["gallery", "portfolio", "showcase"]),
    ("Team", &["team"]),
    ("Newsletter", &["newsletter", "subscribe"]),
    ("Call to action", &["cta"]),
    ("Statistics", &["stats", "statistics", "metrics"]),
    ("Partners", &["partners", "clients", "sponsors"]),
    ("Services", &["services"]),
    ("Blog", &["blog", "articles", "news"]),
    ("Products", &["products", "shop", "catalog"]),
    ("Login", &["login", "signin", "signup", "register"]),
    ("Settings", &["settings", "preferences", "options"]),
    ("Results", &["results", "output"]),
    ("Toolbar", &["toolbar", "controls"]),
    ("Sidebar", &["sidebar"]),
    ("Dialog", &["modal", "dialog"]),
];

/// Names every section and gives it an id that no other has.
pub(super) fn label(page: &Page, groups: Vec<(Vec<usize>, Rect, Layer)>) -> Vec<Section> {
    let mut used: HashMap<String, usize> = HashMap::new();
    let mut hero_given = false;
    let mut sections = Vec::new();
    for (position, (roots, rect, layer)) in groups.into_iter().enumerate() {
        let name = name_of(page, &roots, layer, position, &mut hero_given);
        let kind = match roots.as_slice() {
            [only] => page.node(*only).tag.clone(),
            _ => "group".to_owned(),
        };
        let base = stable_id(page, &roots, &name);
        let count = used.entry(base.clone()).or_default();
        *count += 1;
        let id = if *count == 1 { base } else { format!("{base}-{count}") };
        let selectors = roots.iter().map(|&root| page.selector(root)).collect();
        sections.push(Section { id, name, layer, rect, selectors, kind, roots });
    }
    sections
}

fn name_of(page: &Page, roots: &[usize], layer: Layer, position: usize, hero_given: &mut bool) -> String {
    let heading = heading_of(page, roots);
    let landmark = by_landmark(page, roots);
    // A tall banner with the page's title is what people call the hero.
    let banner = landmark == Some("Header") && page.rect(roots[0]).height > 250.0;
    if let Some(name) = landmark.filter(|_| !banner) {
        return name.to_owned();
    }
    let titled = heading.as_ref().is_some_and(|(level, _)| *level == 1);
    if titled && layer == Layer::Flow && !*hero_given {
        *hero_given = true;
        return "Hero".to_owned();
    }
    if let Some(name) = by_words(page, roots, heading.as_ref().map(|(_, text)| text.as_str())) {
        return name.to_owned();
    }
    if let Some((_, text)) = heading {
        return text;
    }
    by_content(page, roots, layer).map_or_else(|| format!("Section {}", position + 1), str::to_owned)
}

fn by_landmark(page: &Page, roots: &[usize]) -> Option<&'static str> {
    // A wrapper of one landmark is that landmark.
    let mut at = match roots {
        [only] => *only,
        _ => return None,
    };
    loop {
        let node = page.node(at);
        let found = match (node.attribute("role"), node.tag.as_str()) {
            (Some("banner"), _) | (None, "header") => Some("Header"),
            (Some("navigation"), _) | (None, "nav") => Some("Navigation"),
            (Some("contentinfo"), _) | (None, "footer") => Some("Footer"),
            (Some("complementary"), _) | (None, "aside") => Some("Sidebar"),
            (Some("search"), _) => Some("Search"),
            (Some("dialog"), _) | (None, "dialog") => Some("Dialog"),
            _ => None,
        };
        match (found, page.children(at)) {
            (Some(found), _) => return Some(found),
            (None, [only]) => at = *only,
            _ => return holds_navigation(page, at).then_some("Navigation"),
        }
    }
}

/// A bar with a `nav` in it, next to a name or a button.
fn holds_navigation(page: &Page, index: usize) -> bool {
    let bar = page.rect(index).height <= 120.0;
    bar && inside(page, &[index]).into_iter().any(|at| page.node(at).tag == "nav" && page.is_visible(at))
}

/// The highest heading among a group's texts: its level and words.
pub(super) fn heading_of(page: &Page, roots: &[usize]) -> Option<(u8, String)> {
    let mut best: Option<(u8, usize)> = None;
    for index in inside(page, roots) {
        let Some(level) = heading_level(page, index) else { continue };
        if best.is_none_or(|(other, _)| level < other) && !text_within(page, index).is_empty() {
            best = Some((level, index));
        }
    }
    best.map(|(level, index)| (level, shorten(&text_within(page, index), 48)))
}

fn by_words(page: &Page, roots: &[usize], heading: Option<&str>) -> Option<&'static str> {
    let marks =
        roots.iter().flat_map(|&root| [page.node(root).attribute("id").unwrap_or_default(), page.node(root).class()]);
    let text = marks.chain(heading).collect::<Vec<_>>().join(" ").to_lowercase();
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let short = heading.is_none_or(|heading| heading.split_whitespace().count() <= 4);
    KNOWN.iter().find(|(_, keys)| short && keys.iter().any(|key| words.contains(key))).map(|(name, _)| *name)
}

fn by_content(page: &Page, roots: &[usize], layer: Layer) -> Option<&'static str> {
    let count = |wanted: &dyn Fn(usize) -> bool| inside(page, roots).into_iter().filter(|&index| wanted(index)).count();
    let media =
        |kind: MediaKind| count(&|index| page.node(index).media.as_ref().is_some_and(|media| media.kind == kind));
    let fields = count(&|index| matches!(page.node(index).tag.as_str(), "input" | "select" | "textarea"));
    let buttons = count(&|index| page.node(index).control.is_some());
    let tag = |name: &str| count(&|index| page.node(index).tag == name);
    Some(match () {
        () if layer == Layer::Overlay => "Overlay",
        () if media(MediaKind::Canvas) > 0 => "Canvas",
        () if fields >= 1 => "Form",
        () if tag("table") > 0 => "Table",
        () if media(MediaKind::Img) >= 3 => "Gallery",
        () if media(MediaKind::Video) > 0 => "Video",
        () if buttons >= 3 => "Controls",
        () if tag("li") >= 2 => "List",
        () if tag("p") >= 1 => "Text",
        () => return None,
    })
}

fn stable_id(page: &Page, roots: &[usize], name: &str) -> String {
    let own = roots.iter().find_map(|&root| page.node(root).attribute("id"));
    let id = slug(own.unwrap_or(name));
    if id.is_empty() { "section".to_owned() } else { id }
}

fn slug(text: &str) -> String {
    let mut slug = String::new();
    for c in text.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.trim_end_matches('-').to_owned()
}

pub(super) fn shorten(text: &str, length: usize) -> String {
    if text.chars().count() <= length {
        return text.to_owned();
    }
    let cut: String = text.chars().take(length).collect();
    format!("{}…", cut.rsplit_once(' ').map_or(cut.as_str(), |(head, _)| head))
}

/// A group's elements and all that is in them, in document order.
pub(super) fn inside(page: &Page, roots: &[usize]) -> Vec<usize> {
    let mut all = Vec::new();
    let mut stack: Vec<usize> = roots.iter().rev().copied().collect();
    while let Some(index) = stack.pop() {
        all.push(index);
        stack.extend(page.children(index).iter().rev());
    }
    all
}

/// All visible text in an element, in document order.
pub(super) fn text_within(page: &Page, index: usize) -> String {
    let own = |at: usize| page.visible_text(at).and(page.node(at).text.as_ref()).map(|text| text.text.as_str());
    inside(page, &[index]).into_iter().filter_map(own).collect::<Vec<_>>().join(" ")
}
