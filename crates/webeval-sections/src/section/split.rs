//! The choice between ancestors and descendants.

use webeval_evidence::Rect;

use super::MIN_HEIGHT;
use crate::checks::heading_level;
use crate::geometry::RectExt as _;
use crate::page::Page;

/// Elements taller than this many screens are split wherever they can be.
const TALL: f64 = 1.5;
/// Deepest nesting that is followed.
const MAX_DEPTH: usize = 40;

/// Bars, drawers and dialogs: the outermost elements that stay in place while the page scrolls, or that are modal.
pub(super) fn overlays(page: &Page) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    for index in page.indices() {
        let (node, style) = (page.node(index), page.style(index));
        let floats = matches!(style.position.as_str(), "fixed" | "sticky");
        let modal = node.tag == "dialog" || node.attribute("aria-modal") == Some("true");
        let nested = page.ancestors(index).any(|at| found.contains(&at));
        if (floats || modal) && !nested && is_substantial(page, index) {
            found.push(index);
        }
    }
    found
}

/// A fixed box that covers the screen and holds nearly everything is the page itself, not something over it.
fn is_substantial(page: &Page, index: usize) -> bool {
    let Some(rect) = extent(page, &[index], &[]) else { return false };
    let texts = |within: bool| {
        page.indices()
            .filter(|&at| page.visible_text(at).is_some() && (!within || page.lineage(at).any(|up| up == index)))
            .count()
    };
    let whole = texts(true) * 10 >= texts(false) * 9 && page.node(index).tag != "dialog";
    let says_something = page.indices().any(|at| shows(page, at) && page.lineage(at).any(|up| up == index));
    rect.height >= 16.0 && rect.width >= 40.0 && !whole && says_something
}

/// Whether the element itself puts something on the screen that a reader would look at.
pub(super) fn shows(page: &Page, index: usize) -> bool {
    let node = page.node(index);
    page.visible_text(index).is_some() || (node.media.is_some() || node.control.is_some()) && page.is_visible(index)
}

/// Groups of siblings, each a section of the page in flow.
pub(super) fn flow(page: &Page, overlays: &[usize]) -> Vec<Vec<usize>> {
    let body = page.indices().find(|&index| matches!(page.node(index).tag.as_str(), "body" | "frameset"));
    let Some(root) = body.or_else(|| page.indices().next()) else { return Vec::new() };
    let mut splitter = Splitter { page, overlays, content: content_flags(page, overlays) };
    if !splitter.content[root] {
        return Vec::new();
    }
    splitter.split(root, 0)
}

/// For every element, whether it or anything in it shows, overlays left out.
fn content_flags(page: &Page, overlays: &[usize]) -> Vec<bool> {
    let mut flags = vec![false; page.indices().len()];
    for index in page.indices().rev() {
        let own = shows(page, index) || page.is_visible(index) && page.style(index).background_image.contains("url(");
        flags[index] = !overlays.contains(&index) && (own || page.children(index).iter().any(|&child| flags[child]));
    }
    flags
}

/// The box of what a group shows: its elements' boxes, and what of their content sticks out.
pub(super) fn extent(page: &Page, roots: &[usize], overlays: &[usize]) -> Option<Rect> {
    let mut all: Option<Rect> = None;
    let mut stack: Vec<usize> = roots.to_vec();
    while let Some(index) = stack.pop() {
        if overlays.contains(&index) {
            continue;
        }
        let own = (roots.contains(&index) || shows(page, index)) && page.is_visible(index);
        let boxes = [own.then(|| page.clipped(index, page.rect(index))).flatten(), page.visible_text(index)];
        for rect in boxes.into_iter().flatten() {
            all = Some(all.map_or(rect, |all| all.union(&rect)));
        }
        stack.extend_from_slice(page.children(index));
    }
    all
}

struct Splitter<'a> {
    page: &'a Page,
    overlays: &'a [usize],
    content: Vec<bool>,
}

impl Splitter<'_> {
    fn children(&self, index: usize) -> Vec<usize> {
        self.page.children(index).iter().copied().filter(|&child| self.content[child]).collect()
    }

    fn split(&mut self, index: usize, depth: usize) -> Vec<Vec<usize>> {
        let children = self.children(index);
        let own_text = self.page.visible_text(index).is_some();
        match children.as_slice() {
            [only] if self.is_declared(index) && self.landmarks_in(*only) < 2 => vec![vec![index]],
            [only] if !own_text && depth < MAX_DEPTH && self.is_container(*only) => {
                let inner = self.split(*only, depth + 1);
                // The wrapper may carry the background: where the child stays whole, the wrapper is the section.
                if inner.len() == 1 && !self.is_root(index) { vec![vec![index]] } else { inner }
            }
            [] | [_] => vec![vec![index]],
            _ if own_text || depth >= MAX_DEPTH || !self.separates(index, &children) => vec![vec![index]],
            _ => self.runs(&children).into_iter().flat_map(|run| self.refine(run, depth)).collect(),
        }
    }

    /// A run that is one container, after whatever introduces it, may be split further.
    fn refine(&mut self, run: Vec<usize>, depth: usize) -> Vec<Vec<usize>> {
        let Some((&last, loose)) = run.split_last() else { return Vec::new() };
        if !self.is_container(last) || loose.iter().any(|&at| self.is_large(at)) {
            return vec![run];
        }
        let mut inner = self.split(last, depth + 1);
        match (loose, inner.len()) {
            ([], _) => return inner,
            (_, 1) => return vec![run],
            _ => {}
        }
        let low = extent(self.page, loose, self.overlays).is_none_or(|rect| rect.height <= MIN_HEIGHT);
        match inner.first_mut() {
            Some(first) if low => first.splice(0..0, loose.iter().copied()).for_each(drop),
            _ => inner.insert(0, loose.to_vec()),
        }
        inner
    }

    fn is_root(&self, index: usize) -> bool {
        matches!(self.page.node(index).tag.as_str(), "html" | "body" | "main")
    }

    fn is_container(&self, index: usize) -> bool {
        let node = self.page.node(index);
        let tag = matches!(
            node.tag.as_str(),
            "div"
                | "section"
                | "header"
                | "footer"
                | "nav"
                | "main"
                | "article"
                | "aside"
                | "form"
                | "fieldset"
                | "center"
                | "frameset"
                | "frame"
                | "iframe"
                | "html"
                | "body"
                | "slot"
        );
        let role = matches!(
            node.attribute("role"),
            Some("banner" | "main" | "navigation" | "contentinfo" | "complementary" | "region" | "form" | "search")
        );
        tag || role || node.tag.contains('-')
    }

    fn is_landmark(&self, index: usize) -> bool {
        let node = self.page.node(index);
        matches!(node.tag.as_str(), "section" | "header" | "footer" | "nav" | "main" | "article" | "aside")
            || matches!(
                node.attribute("role"),
                Some("banner" | "main" | "navigation" | "contentinfo" | "complementary" | "region")
            )
    }

    /// What its author declared a part of the page: a landmark, but not the page's own frame or an article, which is a
    /// page in itself.
    fn is_declared(&self, index: usize) -> bool {
        self.is_landmark(index) && self.page.node(index).tag != "article" && !self.is_root(index)
    }

    /// Landmarks of some height within an element, up to the outermost of each branch.
    fn landmarks_in(&self, index: usize) -> usize {
        let inner = |child: usize| {
            let counts = self.is_landmark(child) && self.height(child) > MIN_HEIGHT;
            if counts { 1 } else { self.landmarks_in(child) }
        };
        self.children(index).into_iter().map(inner).sum()
    }

    fn height(&self, index: usize) -> f64 {
        extent(self.page, &[index], self.overlays).map_or(0.0, |rect| rect.height)
    }

    /// Whether an element's children are separate things rather than parts of one.
    fn separates(&self, index: usize, children: &[usize]) -> bool {
        let large: Vec<usize> = children
            .iter()
            .copied()
            .filter(|&child| self.is_container(child) && self.height(child) > MIN_HEIGHT)
            .collect();
        if large.is_empty() || self.is_grid(&large) && large.len() == children.len() {
            return false;
        }
        let declared = self.is_declared(index);
        let tall = self.height(index) > TALL * self.page.measurement().viewport[1];
        if self.is_root(index) || tall && !declared {
            return large.len() >= 2 || self.headings_at(children) >= 1 && large.len() < children.len();
        }
        if large.len() < 2 || self.is_grid(&large) {
            return false;
        }
        // What its author called a section stays one, unless there are sections in it.
        if declared {
            return self.landmarks_in(index) >= 2;
        }
        let landmarks = large.iter().filter(|&&child| self.is_landmark(child)).count();
        let headed = large.iter().filter(|&&child| self.has_heading(child)).count();
        let mixed = large.windows(2).any(|pair| self.background(pair[0]) != self.background(pair[1]));
        landmarks >= 2 || headed >= 2 || mixed
    }

    /// Repeated siblings: all of one tag and class, three or more, or two side by side.
    fn is_grid(&self, members: &[usize]) -> bool {
        let [first, rest @ ..] = members else { return false };
        let node = self.page.node(*first);
        let alike = rest.iter().all(|&other| {
            let other = self.page.node(other);
            other.tag == node.tag && other.class() == node.class()
        });
        let plain = !matches!(node.tag.as_str(), "section" | "header" | "footer" | "main" | "nav");
        let classed = !node.class().is_empty();
        let beside = rest.iter().any(|&other| {
            let (a, b) = (self.page.rect(*first), self.page.rect(other));
            a.y < b.bottom() - 2.0 && b.y < a.bottom() - 2.0
        });
        let small = members.iter().all(|&member| self.height(member) < 0.6 * self.page.measurement().viewport[1]);
        alike && plain && !rest.is_empty() && (beside || classed && rest.len() >= 2 && small)
    }

    fn headings_at(&self, children: &[usize]) -> usize {
        children.iter().filter(|&&child| heading_level(self.page, child).is_some()).count()
    }

    fn has_heading(&self, index: usize) -> bool {
        heading_level(self.page, index).is_some_and(|level| level <= 3)
            || self.page.children(index).iter().any(|&child| self.content[child] && self.has_heading(child))
    }

    fn background(&self, index: usize) -> (String, bool) {
        let style = self.page.style(index);
        let color = if style.background_color.a > 0.05 { style.background_color.hex() } else { String::new() };
        (color, style.background_image != "none")
    }

    /// Cuts a row of siblings into runs: a large container stands alone, with the loose siblings (headings, small
    /// boxes) that introduce it; a heading starts a new run; repeated containers stay together.
    fn runs(&self, children: &[usize]) -> Vec<Vec<usize>> {
        let mut runs: Vec<Vec<usize>> = Vec::new();
        let mut open = false;
        for &child in children {
            let container = self.is_container(child) && self.height(child) > MIN_HEIGHT;
            let starts = heading_level(self.page, child).is_some_and(|level| level <= 2);
            let repeats = runs.last().and_then(|run| run.last()).is_some_and(|&last| self.is_grid(&[last, child]));
            let joins = match runs.last() {
                None => false,
                Some(run) if container => {
                    repeats
                        || open
                            && !self.is_landmark(child)
                            && run.iter().all(|&at| !self.is_large(at))
                            && self.introduces(run)
                }
                Some(run) => !starts && (open || !self.stands_alone(run)),
            };
            match runs.last_mut() {
                Some(run) if joins => run.push(child),
                _ => runs.push(vec![child]),
            }
            open = !container;
        }
        self.join_slivers(runs)
    }

    fn is_large(&self, index: usize) -> bool {
        self.is_container(index) && self.height(index) > MIN_HEIGHT
    }

    /// Whether a run of loose siblings is the heading of what follows.
    fn introduces(&self, run: &[usize]) -> bool {
        let headed = run.iter().any(|&at| self.has_heading(at));
        headed && extent(self.page, run, self.overlays).is_some_and(|rect| rect.height < 250.0)
    }

    fn stands_alone(&self, run: &[usize]) -> bool {
        run.iter().any(|&at| self.is_landmark(at) || self.is_large(at))
    }

    /// Runs lower than a section may be join the one before them, or after them when they are first.
    fn join_slivers(&self, runs: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
        let mut joined: Vec<Vec<usize>> = Vec::new();
        let mut waiting: Vec<usize> = Vec::new();
        for mut run in runs {
            let low = extent(self.page, &run, self.overlays).is_none_or(|rect| rect.height <= MIN_HEIGHT);
            let named = run.iter().any(|&at| self.is_landmark(at));
            if low && !named {
                match joined.last_mut() {
                    Some(last) => last.append(&mut run),
                    None => waiting.append(&mut run),
                }
            } else {
                waiting.append(&mut run);
                joined.push(std::mem::take(&mut waiting));
            }
        }
        if !waiting.is_empty() {
            joined.push(waiting);
        }
        joined
    }
}
