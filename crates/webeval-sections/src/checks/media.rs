//! Pictures and videos: shown at all, in proportion, sharp, in place, described.

use webeval_evidence::{Rect, Severity};

use super::{Fault, Sink};
use crate::finding::Rule;
use crate::geometry::RectExt as _;
use crate::measure::{Media, MediaKind, MediaState};
use crate::page::Page;

/// Deviation from the intrinsic proportions: what the rule allows, and what a person sees.
const STRETCH: f64 = 0.02;
const STRETCH_SEEN: f64 = 0.1;
/// CSS pixels a picture's pixel: what the rule allows, and what looks coarse.
const UPSCALE: f64 = 1.5;
const UPSCALE_SEEN: f64 = 2.5;
/// Pixels by which media may leave a box unnoticed.
const SLACK: f64 = 3.0;
/// Smaller pictures are ornaments.
const ORNAMENT: f64 = 16.0;

pub(super) fn check(sink: &mut Sink<'_>) {
    let page = sink.page;
    for index in page.indices() {
        let Some(media) = &page.node(index).media else { continue };
        if page.is_visible(index) {
            if broken(sink, index, media) {
                continue;
            }
            described(sink, index, media);
            stretched(sink, index, media);
            upscaled(sink, index, media);
            outside(sink, index);
            off_screen(sink, index, media);
            unlike(sink, index);
        } else {
            collapsed(sink, index, media);
        }
    }
}

fn broken(sink: &mut Sink<'_>, index: usize, media: &Media) -> bool {
    let page = sink.page;
    if media.state != Some(MediaState::Broken) {
        return media.state.is_some();
    }
    // Another host that gave no answer may only be out of reach from here.
    let unreachable = media.external && media.status == 0;
    let answer = if media.status > 0 { format!("HTTP {}", media.status) } else { "no picture".to_owned() };
    sink.report(Fault {
        node: index,
        rule: Rule::BrokenMedia,
        severity: if unreachable { Severity::Note } else { Severity::Major },
        visible: !unreachable,
        rect: page.rect(index),
        value: f64::from(media.status),
        limit: 200.0,
        message: if unreachable {
            format!("{} on another host could not be loaded", media.src)
        } else {
            format!("{} did not load: {answer}", media.src)
        },
    });
    true
}

fn described(sink: &mut Sink<'_>, index: usize, media: &Media) {
    let page = sink.page;
    let rect = page.rect(index);
    if media.kind != MediaKind::Img || rect.width < ORNAMENT || rect.height < ORNAMENT {
        return;
    }
    let named_otherwise = page.within(index, |node, _| {
        node.attribute("aria-hidden") == Some("true")
            || (node.tag == "img" || node.control.is_some()) && node.attribute("aria-label").is_some()
            || matches!(node.attribute("role"), Some("presentation" | "none"))
    });
    let what = match &media.alt {
        _ if named_otherwise => return,
        None => "has no text alternative",
        Some(alt) if is_file_name(alt) => "has its file name for a text alternative",
        Some(_) => return,
    };
    sink.report(Fault {
        node: index,
        rule: Rule::MediaAlt,
        severity: Severity::Minor,
        visible: false,
        rect,
        value: 0.0,
        limit: 1.0,
        message: format!("picture {} {what}", page.selector(index)),
    });
}

fn is_file_name(alt: &str) -> bool {
    let Some((stem, extension)) = alt.trim().rsplit_once('.') else { return false };
    let known = ["png", "jpg", "jpeg", "gif", "webp", "svg", "avif"];
    !stem.is_empty() && known.contains(&extension.to_ascii_lowercase().as_str())
}

/// The box that the picture itself fills.
fn content_box(page: &Page, index: usize) -> Rect {
    let (rect, style) = (page.rect(index), page.style(index));
    let (left, top) = (style.border_left_width + style.padding_left, style.border_top_width + style.padding_top);
    let (right, bottom) =
        (style.border_right_width + style.padding_right, style.border_bottom_width + style.padding_bottom);
    Rect { x: rect.x + left, y: rect.y + top, width: rect.width - left - right, height: rect.height - top - bottom }
}

fn is_turned(page: &Page, index: usize) -> bool {
    page.within(index, |_, style| {
        let numbers = style.transform.strip_prefix("matrix(");
        let skewed = numbers.is_some_and(|rest| {
            rest.split(',').skip(1).take(2).any(|n| n.trim().parse::<f64>().is_ok_and(|n| n.abs() > 0.01))
        });
        skewed || style.transform.starts_with("matrix3d")
    })
}

fn stretched(sink: &mut Sink<'_>, index: usize, media: &Media) {
    let page = sink.page;
    let picture = matches!(media.kind, MediaKind::Img | MediaKind::Video);
    let fills = page.style(index).object_fit == "fill";
    let [width, height] = media.natural;
    let shown = content_box(page, index);
    if !picture
        || !fills
        || width < 2.0
        || height < 2.0
        || is_turned(page, index)
        || shown.height < 8.0
        || shown.width < 8.0
    {
        return;
    }
    let proportion = (shown.width / shown.height) / (width / height);
    let deviation = proportion.max(1.0 / proportion) - 1.0;
    let pixels =
        (shown.width - shown.height * width / height).abs().min((shown.height - shown.width * height / width).abs());
    if deviation <= STRETCH || pixels <= 1.5 {
        return;
    }
    let seen = deviation > STRETCH_SEEN;
    sink.report(Fault {
        node: index,
        rule: Rule::StretchedMedia,
        severity: if seen { Severity::Major } else { Severity::Minor },
        visible: seen,
        rect: page.rect(index),
        value: deviation,
        limit: STRETCH,
        message: format!(
            "{} is {width:.0} × {height:.0} but shown {:.0} × {:.0}, {:.0} % out of proportion",
            page.selector(index),
            shown.width,
            shown.height,
            deviation * 100.0
        ),
    });
}

fn upscaled(sink: &mut Sink<'_>, index: usize, media: &Media) {
    let page = sink.page;
    let vector = media.src.contains(".svg") || media.src.starts_with("data:image/svg");
    let pixelated = matches!(page.style(index).image_rendering.as_str(), "pixelated" | "crisp-edges");
    let shown = content_box(page, index);
    if media.kind != MediaKind::Img || vector || pixelated || media.natural[0] < 2.0 || shown.width < 48.0 {
        return;
    }
    let fit = page.style(index).object_fit.as_str();
    let (across, down) = (shown.width / media.natural[0], shown.height / media.natural[1]);
    let scale = match fit {
        "none" => 1.0,
        "contain" | "scale-down" => across.min(down),
        _ => across.max(down),
    };
    if scale <= UPSCALE {
        return;
    }
    let seen = scale > UPSCALE_SEEN;
    sink.report(Fault {
        node: index,
        rule: Rule::UpscaledMedia,
        severity: if seen { Severity::Major } else { Severity::Minor },
        visible: seen,
        rect: page.rect(index),
        value: scale,
        limit: UPSCALE,
        message: format!("{} is shown at {scale:.1} times its size", page.selector(index)),
    });
}

/// Media in flow that leaves the painted box around it, or the page.
fn outside(sink: &mut Sink<'_>, index: usize) {
    let page = sink.page;
    let rect = page.rect(index);
    let Some((container, outer)) = container_of(page, index) else { return };
    let across = (rect.right() - outer.right()).max(outer.x - rect.x);
    let down = (rect.bottom() - outer.bottom()).max(outer.y - rect.y);
    let value = across.max(down);
    if value <= SLACK || rect.intersection(&outer).is_none() {
        return;
    }
    sink.report(Fault {
        node: index,
        rule: Rule::MediaOutside,
        severity: if value > 16.0 { Severity::Major } else { Severity::Minor },
        visible: value > 8.0,
        rect,
        value,
        limit: SLACK,
        message: format!("{} leaves {} by {value:.0} px", page.selector(index), page.selector(container)),
    });
}

fn container_of(page: &Page, index: usize) -> Option<(usize, Rect)> {
    for at in page.lineage(index) {
        let style = page.style(at);
        let moved = matches!(style.position.as_str(), "absolute" | "fixed" | "sticky")
            || style.transform != "none"
            || style.margin_left < 0.0
            || style.margin_top < 0.0
            || style.margin_right < 0.0;
        if at == index {
            if moved || style.float != "none" {
                return None;
            }
            continue;
        }
        if style.overflow_x != "visible" {
            return None;
        }
        if matches!(page.node(at).tag.as_str(), "html" | "body") {
            let [width, _] = page.measurement().client;
            let height = page.measurement().extent[1];
            return Some((at, Rect { x: 0.0, y: 0.0, width, height }));
        }
        if moved {
            return None;
        }
        if style.display != "inline" && style.display != "contents" {
            return Some((at, page.rect(at)));
        }
    }
    None
}

/// Share of a picture beyond the page's edges from which it is worth a note.
const LOST: f64 = 0.25;

/// A picture with something to show that reaches over the page's top or left edge, where nobody can scroll to. Often
/// enough that is a decoration, so it is a note.
fn off_screen(sink: &mut Sink<'_>, index: usize, media: &Media) {
    let page = sink.page;
    let rect = page.rect(index);
    let says = media.kind == MediaKind::Video || media.alt.as_ref().is_some_and(|alt| !alt.trim().is_empty());
    let moved = page.within(index, |_, style| style.transform != "none" || style.position == "fixed");
    if !says || moved || page.node(index).clip.is_some() || rect.x >= 0.0 && rect.y >= 0.0 {
        return;
    }
    let lost = 1.0 - page.clipped(index, rect).map_or(0.0, |rest| rest.area()) / rect.area();
    if lost < LOST {
        return;
    }
    sink.report(Fault {
        node: index,
        rule: Rule::MediaOutside,
        severity: Severity::Note,
        visible: false,
        rect,
        value: lost,
        limit: LOST,
        message: format!(
            "{:.0} % of {} lie beyond the page's edge, where nobody can scroll to",
            lost * 100.0,
            page.selector(index)
        ),
    });
}

/// Share of a size within which pictures count as equally large, and beyond which one is unlike the others.
const ALIKE: f64 = 0.03;
const UNLIKE: f64 = 0.2;

/// Other pictures in the same place of the same kind of container, which their author meant to be of one size: at
/// least two, all equally wide and high.
fn like_media(page: &Page, index: usize) -> Option<Rect> {
    let kind = |at: usize| {
        let step = |at: usize| (page.node(at).tag.as_str(), page.node(at).class());
        page.lineage(at).take(4).map(step).collect::<Vec<_>>()
    };
    let own = kind(index);
    let others =
        page.indices().filter(|&other| other != index && page.node(other).media.is_some() && kind(other) == own);
    let rects: Vec<Rect> = others.filter(|&other| page.is_visible(other)).map(|other| page.rect(other)).collect();
    let first = rects.first().copied()?;
    let alike = |rect: &Rect| near(rect.width, first.width, ALIKE) && near(rect.height, first.height, ALIKE);
    (rects.len() >= 2 && rects.iter().all(alike)).then_some(first)
}

fn near(a: f64, b: f64, share: f64) -> bool {
    (a - b).abs() <= a.max(b) * share
}

/// Whether there are like pictures that this one is as large as.
pub(crate) fn has_like_media(page: &Page, index: usize) -> bool {
    let own = page.rect(index);
    like_media(page, index)
        .is_some_and(|other| near(own.width, other.width, ALIKE) && near(own.height, other.height, ALIKE))
}

fn unlike(sink: &mut Sink<'_>, index: usize) {
    let page = sink.page;
    let rect = page.rect(index);
    let media = page.node(index).media.as_ref();
    if media.is_none_or(|media| !matches!(media.kind, MediaKind::Img | MediaKind::Video)) {
        return;
    }
    let Some(usual) = like_media(page, index) else { return };
    if near(rect.width, usual.width, UNLIKE) || near(rect.height, usual.height, UNLIKE) {
        return;
    }
    sink.report(Fault {
        node: index,
        rule: Rule::MediaSize,
        severity: Severity::Major,
        visible: true,
        rect,
        value: rect.width / usual.width,
        limit: 1.0,
        message: format!(
            "{} is {:.0} × {:.0}, its like are {:.0} × {:.0}",
            page.selector(index),
            rect.width,
            rect.height,
            usual.width,
            usual.height
        ),
    });
}

/// A picture that has pixels but is given next to none of the screen.
fn collapsed(sink: &mut Sink<'_>, index: usize, media: &Media) {
    let page = sink.page;
    let rect = page.rect(index);
    let style = page.style(index);
    let hidden = page.node(index).opacity < 0.05 || style.visibility != "visible" || media.state.is_some();
    let flat = (rect.width <= 1.0) != (rect.height <= 1.0);
    if media.kind != MediaKind::Img || hidden || !flat || media.natural[0] < ORNAMENT || media.natural[1] < ORNAMENT {
        return;
    }
    let parent_flat = page.parent(index).is_some_and(|parent| page.rect(parent).height <= 1.0);
    if parent_flat {
        return;
    }
    sink.report(Fault {
        node: index,
        rule: Rule::MediaSize,
        severity: Severity::Minor,
        visible: false,
        rect,
        value: rect.width.min(rect.height),
        limit: 1.0,
        message: format!("{} is given {:.0} × {:.0} px", page.selector(index), rect.width, rect.height),
    });
}
