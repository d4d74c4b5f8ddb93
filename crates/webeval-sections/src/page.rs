//! A measured page with its tree: what the checks and the section detection read.

use webeval_evidence::Rect;

use crate::geometry::RectExt as _;
use crate::measure::{Measurement, Node, Style};

/// A measured page.
#[derive(Clone, Debug)]
pub struct Page {
    measurement: Measurement,
    children: Vec<Vec<usize>>,
    /// Whether neither the element nor one around it is hidden by one of the usual tricks.
    rendered: Vec<bool>,
}

/// Boxes and texts smaller than this are invisible to the eye.
const SPECK: f64 = 1.0;

impl Page {
    /// Builds the tree over a measurement.
    #[must_use]
    pub fn new(measurement: Measurement) -> Self {
        let count = measurement.nodes.len();
        let mut children = vec![Vec::new(); count];
        let mut rendered = vec![true; count];
        for (index, node) in measurement.nodes.iter().enumerate() {
            let style = &measurement.styles[node.style];
            let parent = usize::try_from(node.parent).ok();
            if let Some(parent) = parent {
                children[parent].push(index);
            }
            let parent_rendered = parent.is_none_or(|parent| rendered[parent]);
            rendered[index] = parent_rendered && is_rendered(node, style);
        }
        Self { measurement, children, rendered }
    }

    /// What the script measured.
    #[must_use]
    pub fn measurement(&self) -> &Measurement {
        &self.measurement
    }

    /// Every element's index, in document order.
    pub(crate) fn indices(&self) -> std::ops::Range<usize> {
        0..self.measurement.nodes.len()
    }

    pub(crate) fn node(&self, index: usize) -> &Node {
        &self.measurement.nodes[index]
    }

    pub(crate) fn style(&self, index: usize) -> &Style {
        &self.measurement.styles[self.node(index).style]
    }

    pub(crate) fn rect(&self, index: usize) -> Rect {
        Rect::of(self.node(index).bounds)
    }

    pub(crate) fn children(&self, index: usize) -> &[usize] {
        &self.children[index]
    }

    pub(crate) fn parent(&self, index: usize) -> Option<usize> {
        usize::try_from(self.node(index).parent).ok()
    }

    /// The parent, its parent, … up to the root.
    pub(crate) fn ancestors(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.parent(index), |&at| self.parent(at))
    }

    /// The element and then its ancestors.
    pub(crate) fn lineage(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::once(index).chain(self.ancestors(index))
    }

    /// Whether one of the two is inside the other, or they are the same.
    pub(crate) fn related(&self, a: usize, b: usize) -> bool {
        self.lineage(a).any(|at| at == b) || self.lineage(b).any(|at| at == a)
    }

    /// The deepest element that holds both.
    pub(crate) fn common_ancestor(&self, a: usize, b: usize) -> Option<usize> {
        self.lineage(a).find(|&at| self.lineage(b).any(|other| other == at))
    }

    /// The whole page's box.
    pub(crate) fn extent(&self) -> Rect {
        let [width, height] = self.measurement.extent;
        Rect { x: 0.0, y: 0.0, width, height }
    }

    /// What of `rect`, which belongs to the element, is left by its ancestors' overflow and the page's edges.
    pub(crate) fn clipped(&self, index: usize, rect: Rect) -> Option<Rect> {
        let on_page = match self.node(index).clip {
            Some(clip) => rect.intersection(&Rect::of(clip))?,
            None => rect,
        };
        on_page.intersection(&self.extent())
    }

    /// Whether the element's own painting reaches the screen: not hidden, faded away, collapsed or clipped off.
    pub(crate) fn is_visible(&self, index: usize) -> bool {
        self.is_painted(index) && self.clipped(index, self.rect(index)).is_some_and(|rect| big_enough(&rect))
    }

    /// As [`Page::is_visible`], for the element's own text.
    pub(crate) fn visible_text(&self, index: usize) -> Option<Rect> {
        let text = self.node(index).text.as_ref()?;
        if !self.is_painted(index) {
            return None;
        }
        self.clipped_text(index, Rect::of(text.bounds)).filter(big_enough)
    }

    /// As [`Page::clipped`], for the element's own text, which its own overflow cuts too.
    pub(crate) fn clipped_text(&self, index: usize, rect: Rect) -> Option<Rect> {
        let style = self.style(index);
        let own = style.overflow_x != "visible" && style.display != "inline" && style.display != "contents";
        let root = matches!(self.node(index).tag.as_str(), "html" | "body");
        let kept = if own && !root { rect.intersection(&self.rect(index))? } else { rect };
        self.clipped(index, kept)
    }

    fn is_painted(&self, index: usize) -> bool {
        self.rendered[index] && self.node(index).opacity > 0.05 && self.style(index).visibility == "visible"
    }

    /// Whether an element or one it lies in satisfies `test`.
    pub(crate) fn within(&self, index: usize, test: impl Fn(&Node, &Style) -> bool) -> bool {
        self.lineage(index).any(|at| test(self.node(at), self.style(at)))
    }

    /// Whether the element paints a box of its own: a background, a border, a shadow.
    pub(crate) fn has_painted_box(&self, index: usize) -> bool {
        let style = self.style(index);
        let border = style.border_top_width + style.border_bottom_width > 0.0
            && style.border_left_width + style.border_right_width > 0.0
            && style.border_top_color.a > 0.05;
        style.background_color.a > 0.05 || style.background_image != "none" || border || style.box_shadow != "none"
    }

    /// A CSS path to the element; steps into shadow roots are written ` >>> `, into frames ` |> `.
    #[must_use]
    pub fn selector(&self, index: usize) -> String {
        let mut path = String::new();
        for at in self.lineage(index) {
            let node = self.node(at);
            let id = node.attribute("id").filter(|id| plain_identifier(id));
            let step = match (id, node.tag.as_str()) {
                (Some(id), _) => format!("#{id}"),
                (None, tag @ ("html" | "body")) => tag.to_owned(),
                (None, tag) => format!("{tag}:nth-of-type({})", node.nth),
            };
            let parent = self.parent(at).map(|parent| self.node(parent));
            let joint = match parent {
                Some(parent) if parent.host => " >>> ",
                Some(parent) if node.tag == "html" && parent.tag.ends_with("frame") => " |> ",
                _ => " > ",
            };
            path = if path.is_empty() { step } else { format!("{step}{path}") };
            if parent.is_none() || (id.is_some() && joint == " > " && !self.crosses_boundary(at)) {
                break;
            }
            path.insert_str(0, joint);
        }
        path
    }

    fn crosses_boundary(&self, index: usize) -> bool {
        self.ancestors(index).any(|at| self.node(at).host || self.node(at).tag.ends_with("frame"))
    }
}

fn big_enough(rect: &Rect) -> bool {
    rect.width > SPECK && rect.height > SPECK
}

fn plain_identifier(id: &str) -> bool {
    let mut chars = id.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

/// Elements hidden by the usual tricks (clip paths, one-pixel boxes, the back of a turned card) are not rendered.
fn is_rendered(node: &Node, style: &Style) -> bool {
    let [x, y, width, height] = node.bounds;
    let far_away = x + width < -500.0 || y + height < -500.0;
    let collapsed = width <= SPECK && height <= SPECK && style.overflow_x != "visible";
    let clipped_away = matches!(style.clip_path.as_str(), "inset(50%)" | "inset(100%)" | "circle(0px)");
    let turned_away = style.backface_visibility == "hidden" && faces_away(&style.transform);
    !(far_away || collapsed || clipped_away || turned_away)
}

/// Whether a `matrix3d` turns the front away from the viewer: its z axis points backwards.
fn faces_away(transform: &str) -> bool {
    let numbers = transform.strip_prefix("matrix3d(").and_then(|rest| rest.strip_suffix(')'));
    numbers.and_then(|numbers| numbers.split(',').nth(10)?.trim().parse::<f64>().ok()).is_some_and(|z| z < 0.0)
}
