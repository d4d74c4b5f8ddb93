//! How much: the ranges that magnitudes are drawn from.
//!
//! | kind | barely visible | plain | gross |
//! | --- | --- | --- | --- |
//! | text size | × 0.85–0.92 | 6.5–8.5 px | 3–6 px |
//! | text colour, contrast left | 3.0–4.2 | 1.5–2.1 | 1.05–1.35 |
//! | letter spacing | −0.03…−0.05 em | −0.12…−0.17 em | −0.2…−0.3 em |
//! | line height | 1.0–1.05 | 0.6–0.8 | 0.35–0.55 |
//! | blur | 0.3–0.5 px | 1.2–2 px | 2.5–4 px |
//! | spacing, gap changed by | 3–5 px | 20–36 px | 48–96 px |
//! | alignment, out of line by | 2–3 px | 12–28 px | 36–80 px |
//! | position, moved by | 2–4 px | onto 0.6–0.9 of a line | onto 1–1.6 lines |
//! | resize | × 1.03–1.08 | × 1.4–1.8 or ÷ 2–3 | × 2–3 or ÷ 4–6 |
//! | aspect | × 1.02–1.05 | × 1.25–1.5 | × 1.8–2.6 |

use serde::{Deserialize, Serialize};

use super::random::Random;
use super::targets::Target;
use super::{Degradation, FaultKind};
use crate::checks::{Backdrop, backdrop, has_like_media};
use crate::color::Color;
use crate::geometry::RectExt as _;
use crate::page::Page;

/// How bad a fault is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// Only side by side with the original.
    Barely,
    /// Seen by whoever looks.
    Plain,
    /// Seen at once.
    Gross,
}

impl Grade {
    fn pick<T>(self, barely: T, plain: T, gross: T) -> T {
        match self {
            Self::Barely => barely,
            Self::Plain => plain,
            Self::Gross => gross,
        }
    }
}

type Css = Vec<(String, String)>;

fn px(value: f64) -> String {
    format!("{value:.2}px")
}

fn declare(pairs: &[(&str, String)]) -> Css {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

/// Draws a magnitude for a target and writes the declarations; none where the kind cannot be applied after all.
pub(super) fn draw(
    page: &Page,
    target: &Target,
    grade: Grade,
    section: &str,
    random: &mut Random,
) -> Option<Degradation> {
    let (magnitude, css) = match target.kind {
        FaultKind::TextSize => text_size(page, target, grade, random),
        FaultKind::TextColor => text_color(page, target, grade, random)?,
        FaultKind::LetterSpacing => {
            let em = random.within(grade.pick((-0.05, -0.03), (-0.17, -0.12), (-0.3, -0.2)));
            (em, declare(&[("letter-spacing", format!("{em:.3}em"))]))
        }
        FaultKind::LineHeight => {
            let share = random.within(grade.pick((1.0, 1.05), (0.6, 0.8), (0.35, 0.55)));
            (share, declare(&[("line-height", format!("{share:.3}"))]))
        }
        FaultKind::Blur => {
            let radius = random.within(grade.pick((0.3, 0.5), (1.2, 2.0), (2.5, 4.0)));
            (radius, declare(&[("filter", format!("blur({})", px(radius)))]))
        }
        FaultKind::Spacing => spacing(page, target, grade, random),
        FaultKind::Alignment => alignment(page, target, grade, random),
        FaultKind::Position => position(page, target, grade, random)?,
        FaultKind::Resize => resize(page, target, grade, random),
        FaultKind::Aspect => aspect(page, target, grade, random),
    };
    Some(Degradation {
        selector: page.selector(target.element),
        section: section.to_owned(),
        category: target.kind.category(),
        kind: target.kind,
        grade,
        magnitude,
        css,
        rect: page.rect(target.element),
        beside: target.before.map(|before| page.selector(before)),
    })
}

fn text_size(page: &Page, target: &Target, grade: Grade, random: &mut Random) -> (f64, Css) {
    let share = random.within((0.85, 0.92));
    let (magnitude, size) = match grade {
        Grade::Barely => (share, page.style(target.element).font_size * share),
        _ => {
            let size = random.within(grade.pick((0.0, 0.0), (6.5, 8.5), (3.0, 6.0)));
            (size, size)
        }
    };
    (magnitude, declare(&[("font-size", px(size))]))
}

fn text_color(page: &Page, target: &Target, grade: Grade, random: &mut Random) -> Option<(f64, Css)> {
    let Backdrop::Colors(backdrops) = backdrop(page, target.element) else { return None };
    let behind = *backdrops.first()?;
    let wanted = random.within(grade.pick((3.0, 4.2), (1.5, 2.1), (1.05, 1.35)));
    let ink = page.style(target.element).webkit_text_fill_color.over(behind);
    let color = towards(ink, behind, wanted);
    let value = color.hex();
    Some((wanted, declare(&[("color", value.clone()), ("-webkit-text-fill-color", value)])))
}

/// The mixture of ink and background that has the wanted contrast with the background.
fn towards(ink: Color, behind: Color, wanted: f64) -> Color {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..24 {
        let middle = (low + high) / 2.0;
        if ink.faded(middle).over(behind).contrast(behind) < wanted { low = middle } else { high = middle }
    }
    ink.faded(high).over(behind)
}

fn spacing(page: &Page, target: &Target, grade: Grade, random: &mut Random) -> (f64, Css) {
    let by = random.within(grade.pick((3.0, 5.0), (20.0, 36.0), (48.0, 96.0)));
    let style = page.style(target.element);
    let (name, margin) =
        if target.column { ("margin-top", style.margin_top) } else { ("margin-left", style.margin_left) };
    (by, declare(&[(name, px(margin + by))]))
}

fn alignment(page: &Page, target: &Target, grade: Grade, random: &mut Random) -> (f64, Css) {
    let by = random.within(grade.pick((2.0, 3.0), (12.0, 28.0), (36.0, 80.0)));
    let side = if target.column { "left" } else { "top" };
    // Authors put things out of line by an offset, a margin or a transform.
    let means = (random.unit() * 3.0) as u8;
    let style = page.style(target.element);
    let css = match (means, target.column) {
        (0, _) => declare(&[("position", "relative".to_owned()), (side, px(by))]),
        (1, true) => declare(&[("margin-left", px(style.margin_left + by))]),
        (1, false) => declare(&[("margin-top", px(style.margin_top + by))]),
        (_, true) => declare(&[("transform", format!("translateX({})", px(by)))]),
        (_, false) => declare(&[("transform", format!("translateY({})", px(by)))]),
    };
    (by, css)
}

fn position(page: &Page, target: &Target, grade: Grade, random: &mut Random) -> Option<(f64, Css)> {
    let rect = page.visible_text(target.element)?;
    let above = page.visible_text(target.before?)?;
    let (size, size_above) = (page.style(target.element).font_size, page.style(target.before?).font_size);
    // Letters fill about 0.7 em of a line; the rest of the content area is blank.
    let line = 0.7 * size.min(size_above);
    let gap = rect.y - above.bottom() + 0.25 * (size + size_above);
    let share = random.within(grade.pick((0.0, 1.0), (0.6, 0.9), (1.0, 1.6)));
    let by = if grade == Grade::Barely { 2.0 + 2.0 * share } else { gap + line * share };
    Some((by, declare(&[("position", "relative".to_owned()), ("top", px(-by))])))
}

fn resize(page: &Page, target: &Target, grade: Grade, random: &mut Random) -> (f64, Css) {
    let larger = random.within(grade.pick((1.03, 1.08), (1.4, 1.8), (2.0, 3.0)));
    let smaller = 1.0 / random.within(grade.pick((1.03, 1.08), (2.0, 3.0), (4.0, 6.0)));
    let shrinks = random.unit() < 0.5 && has_like_media(page, target.element);
    let factor = if shrinks { smaller } else { larger };
    (factor, sized(page, target.element, factor, factor))
}

fn aspect(page: &Page, target: &Target, grade: Grade, random: &mut Random) -> (f64, Css) {
    let factor = random.within(grade.pick((1.02, 1.05), (1.25, 1.5), (1.8, 2.6)));
    // Wider by half the change and lower by the other half keeps the area.
    let side = factor.sqrt();
    let (across, down) = if random.unit() < 0.5 { (side, 1.0 / side) } else { (1.0 / side, side) };
    let mut css = sized(page, target.element, across, down);
    css.push(("object-fit".to_owned(), "fill".to_owned()));
    (factor, css)
}

fn sized(page: &Page, element: usize, across: f64, down: f64) -> Css {
    let rect = page.rect(element);
    let size = [("width", rect.width * across), ("height", rect.height * down)];
    let mut css = declare(&[
        ("box-sizing", "border-box".to_owned()),
        ("aspect-ratio", "auto".to_owned()),
        ("flex", "none".to_owned()),
    ]);
    for (side, length) in size {
        css.push((side.to_owned(), px(length)));
        css.push((format!("min-{side}"), "0".to_owned()));
        css.push((format!("max-{side}"), "none".to_owned()));
    }
    css
}
