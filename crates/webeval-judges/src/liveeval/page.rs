//! The bench of those who use the app: a browser session, seen as the evaluator sees it.

use std::io::Cursor;

use image::{ImageFormat, RgbImage};
use serde_json::Value;
use webeval_browser::{Driver, Node, NodeState, Observation, Session, SessionOptions};
use webeval_evidence::{Action, ActionKind, OutcomeStatus, Point, Target};
use webeval_llm::Image;

use super::bench::{Bench, BenchFuture, Shown};
use super::{Evaluator, InputProfile, ToolKind, simulate};
use crate::Error;

/// Most elements that a look at the page lists.
const MOST_NODES: usize = 400;

/// Longest wait that a tool grants, in milliseconds.
const LONGEST_WAIT: u32 = 5000;

/// Style that tells of feedback: what changes on hovering, pressing, choosing.
const STYLE: &str = "const e = document.querySelector(arguments[0]); if (!e) return null; const s = getComputedStyle(e); \
    const o = {}; for (const p of ['color','background-color','background-image','border-color','border-width', \
    'box-shadow','opacity','transform','filter','outline','text-decoration','cursor','font-weight','visibility']) \
    o[p] = s.getPropertyValue(p); return o;";

/// What lies under a point.
const UNDER: &str = "const e = document.elementFromPoint(arguments[0], arguments[1]); if (!e) return null; \
    const r = e.getBoundingClientRect(); return e.tagName.toLowerCase() + (e.id ? '#' + e.id : '') + ' \"' + \
    (e.innerText || e.getAttribute('aria-label') || '').trim().slice(0, 80) + '\" at ' + \
    [r.left, r.top, r.width, r.height].map(Math.round).join(',');";

/// A page of the app in a browser of its own.
///
/// Around each action the bench takes a picture before and after, measures how they differ, and reads the target's style
/// before and after, so that a subtle change is not missed for want of something to compare with.
#[derive(Debug)]
pub struct PageBench {
    session: Session,
    evaluator: Evaluator,
    entry: String,
    seen: Observation,
    /// Before and after the last action, or the last picture alone.
    last: Vec<(String, Vec<u8>)>,
    started: bool,
}

impl PageBench {
    /// Opens a browser with a fresh profile, in the evaluator's window. `origin` is where the app is served, `entry` the
    /// path of its first page.
    ///
    /// # Errors
    /// [`Error::Browser`] when no browser can be started.
    pub async fn open(driver: &Driver, origin: &str, entry: &str, evaluator: &Evaluator) -> Result<Self, Error> {
        Self::open_with(driver, origin, entry, evaluator, &[]).await
    }

    /// The same, with further switches for the browser.
    ///
    /// # Errors
    /// As [`PageBench::open`].
    pub async fn open_with(
        driver: &Driver,
        origin: &str,
        entry: &str,
        evaluator: &Evaluator,
        args: &[String],
    ) -> Result<Self, Error> {
        let mut options = SessionOptions::new(origin);
        options.args = args.to_vec();
        options.viewport = evaluator.viewport.unwrap_or_default();
        let session = Session::open(driver, options).await?;
        let (entry, evaluator) = (entry.trim_start_matches('/').to_owned(), evaluator.clone());
        Ok(Self { session, evaluator, entry, seen: Observation::default(), last: Vec::new(), started: false })
    }

    async fn start(&mut self) -> Result<(), Error> {
        if !self.started {
            self.started = true;
            let load = Action { kind: ActionKind::Load { url: format!("app:/{}", self.entry) }, target: None };
            self.seen = self.session.step(&load).await?.observation;
        }
        Ok(())
    }

    async fn do_tool(&mut self, tool: ToolKind, arguments: &Value) -> Result<Shown, Error> {
        self.start().await?;
        match tool {
            ToolKind::PageContext | ToolKind::AccessibilityTree => {
                self.seen = self.session.observe().await?;
                Ok(Shown::text(self.describe(tool == ToolKind::AccessibilityTree)))
            }
            ToolKind::PreviewClickAt => {
                let point = [arguments["x"].clone(), arguments["y"].clone()];
                let under = self.session.evaluate(UNDER, &point).await?;
                Ok(Shown::text(under.as_str().unwrap_or("nothing lies there").to_owned()))
            }
            ToolKind::Screenshot => {
                let picture = self.picture().await?;
                self.last = vec![("now".to_owned(), picture)];
                self.show_last("the window as it is now")
            }
            ToolKind::InspectLastScreenshot if self.last.is_empty() => Ok(Shown::text("no picture was taken yet")),
            ToolKind::InspectLastScreenshot => self.show_last("the pictures taken last"),
            other => match self.action(other, arguments) {
                Ok(action) => self.act(tool, &action).await,
                Err(word) => Ok(Shown::text(word)),
            },
        }
    }

    /// The action that a tool call asks for, or what is wrong with the call.
    fn action(&self, tool: ToolKind, arguments: &Value) -> Result<Action, String> {
        let text = |name: &str| arguments[name].as_str().map(str::to_owned).ok_or_else(|| format!("{name} is missing"));
        let number = |name: &str| arguments[name].as_f64().ok_or_else(|| format!("{name} is missing"));
        let target = || self.target(&text("ref")?).map(Some);
        let (kind, target) = match tool {
            ToolKind::Navigate => {
                let path = text("path")?;
                // Addresses elsewhere are none of the app's pages.
                let path = path.trim_start_matches('/');
                (ActionKind::Load { url: format!("app:/{path}") }, None)
            }
            ToolKind::ClickElement => (ActionKind::Click { at: None }, target()?),
            ToolKind::ClickAt => (ActionKind::Click { at: Some(Point { x: number("x")?, y: number("y")? }) }, None),
            ToolKind::Hover => (ActionKind::Hover { at: None }, target()?),
            ToolKind::Touch => (ActionKind::Touch { at: None }, target()?),
            ToolKind::Type => (ActionKind::Type { text: text("text")? }, target()?),
            ToolKind::Key => (ActionKind::Key { key: text("key")?, hold_ms: 0 }, None),
            ToolKind::Select => (ActionKind::Select { values: vec![text("value")?] }, target()?),
            ToolKind::Drag => {
                let to = Some(Point { x: number("to_x")?, y: number("to_y")? });
                (ActionKind::Drag { onto: None, to }, target()?)
            }
            ToolKind::Scroll => (ActionKind::Scroll { dx: 0, dy: number("dy")? as i32 }, None),
            ToolKind::Wait => (ActionKind::Wait { ms: (number("ms")?.max(0.0) as u32).min(LONGEST_WAIT) }, None),
            other => return Err(format!("{} is no tool of a page", other.name())),
        };
        Ok(Action { kind, target })
    }

    fn target(&self, reference: &str) -> Result<Target, String> {
        let node = self.seen.nodes.iter().find(|node| node.reference == reference);
        node.map(Node::target).ok_or_else(|| format!("there is no element {reference:?} on the page as last looked at"))
    }

    async fn act(&mut self, tool: ToolKind, action: &Action) -> Result<Shown, Error> {
        let sighted = self.is_sighted();
        let before = if sighted { Some(self.picture().await?) } else { None };
        let style_before = self.style(action).await;
        let stepped = self.session.step(action).await?;
        self.seen = stepped.observation;
        let mut words = vec![match stepped.outcome.status {
            OutcomeStatus::Performed => format!("done: {}", action.label()),
            status => format!("{status:?}: {}", stepped.outcome.detail.unwrap_or_default()),
        }];
        words.extend(stepped.outcome.effects.iter().map(|effect| format!("effect: {effect:?}")));
        words.extend(self.faults());
        let style_after = self.style(action).await;
        words.extend(style_changes(&style_before, &style_after));
        let mut shown = Shown::default();
        if let Some(before) = before {
            let after = self.picture().await?;
            words.push(difference(&before, &after));
            self.last = vec![("before the action".to_owned(), before), ("after the action".to_owned(), after)];
            shown.compared = true;
            // Feedback to hovering is what is missed without seeing both.
            if tool == ToolKind::Hover {
                shown = self.show_last("")?;
            }
        }
        shown.text = words.join("\n");
        Ok(shown)
    }

    /// Who has no picture tools is shown no pictures, and compares by the accessibility tree alone.
    fn is_sighted(&self) -> bool {
        self.evaluator.tools.contains(&ToolKind::Screenshot)
    }

    /// The window as the evaluator sees it.
    async fn picture(&mut self) -> Result<Vec<u8>, Error> {
        let bytes = self.session.screenshot().await?;
        let (Some(vision), Ok(picture)) = (self.evaluator.colour_vision, image::load_from_memory(&bytes)) else {
            return Ok(bytes);
        };
        let seen = simulate(&picture.to_rgb8(), vision);
        let mut encoded = Vec::new();
        match seen.write_to(&mut Cursor::new(&mut encoded), ImageFormat::Png) {
            Ok(()) => Ok(encoded),
            Err(_) => Ok(bytes),
        }
    }

    fn show_last(&self, words: &str) -> Result<Shown, Error> {
        let mut shown = Shown::text(words);
        for (caption, bytes) in &self.last {
            let image = Image::new(caption.clone(), bytes.clone());
            let image = image.map_err(|source| Error::Stopped { source: Box::new(source) })?;
            shown.pictures.push((caption.clone(), image));
        }
        shown.compared = self.last.len() > 1;
        Ok(shown)
    }

    async fn style(&mut self, action: &Action) -> Option<Value> {
        let target = action.target.as_ref()?;
        // Steps into shadow roots and frames are no CSS.
        if target.selector.is_empty() || target.selector.contains(" >>> ") || target.selector.contains(" |> ") {
            return None;
        }
        let style = self.session.evaluate(STYLE, &[Value::String(target.selector.clone())]).await.ok()?;
        style.is_object().then_some(style)
    }

    fn faults(&self) -> Vec<String> {
        let errors = self.seen.errors.iter().map(|error| format!("uncaught error: {}", error.message));
        let network = self.seen.network.iter().map(|failure| {
            let why = failure.status.map(|status| status.to_string()).or_else(|| failure.error.clone());
            format!("request failed: {} {}", failure.url, why.unwrap_or_default())
        });
        errors.chain(network).collect()
    }

    /// The page in lines; for a screen reader without boxes and without what has neither name nor text.
    fn describe(&self, accessible: bool) -> String {
        let mut lines = vec![format!(
            "{} {:?}, window {}×{}",
            self.seen.url, self.seen.title, self.seen.viewport.0, self.seen.viewport.1
        )];
        lines.extend(self.faults());
        let told =
            |node: &&Node| node.is_actionable() || !node.name.is_empty() || (!accessible && !node.text.is_empty());
        let nodes: Vec<&Node> = self.seen.nodes.iter().filter(told).collect();
        lines.extend(nodes.iter().take(MOST_NODES).map(|node| line(node, accessible, self.evaluator.input)));
        if nodes.len() > MOST_NODES {
            lines.push(format!("(and {} more)", nodes.len() - MOST_NODES));
        }
        lines.join("\n")
    }
}

impl Bench for PageBench {
    fn overview(&mut self) -> BenchFuture<'_, Shown> {
        Box::pin(async move {
            self.start().await?;
            let mut shown = Shown::text(self.describe(self.evaluator.tools.contains(&ToolKind::AccessibilityTree)));
            if self.is_sighted() {
                let picture = self.picture().await?;
                self.last = vec![("the window at first".to_owned(), picture)];
                shown.pictures = self.show_last("")?.pictures;
            }
            Ok(shown)
        })
    }

    fn use_tool<'a>(&'a mut self, tool: ToolKind, arguments: &'a Value) -> BenchFuture<'a, Shown> {
        Box::pin(self.do_tool(tool, arguments))
    }
}

fn line(node: &Node, accessible: bool, input: InputProfile) -> String {
    let mut words = format!("{} {}", node.reference, node.role);
    for text in [&node.name, &node.text] {
        if !text.is_empty() && (!accessible || text == &node.name) {
            words.push_str(&format!(" {text:?}"));
        }
    }
    if let Some(value) = node.value.as_ref().filter(|value| !value.is_empty()) {
        words.push_str(&format!(" value {value:?}"));
    }
    let states: Vec<String> = node.states.iter().map(|state: &NodeState| format!("{state:?}").to_lowercase()).collect();
    if !states.is_empty() {
        words.push_str(&format!(" [{}]", states.join(", ")));
    }
    if !accessible {
        let [x, y, width, height] = node.rect.map(f64::round);
        words.push_str(&format!(" at {x},{y} {width}×{height}"));
        if node.is_actionable() && input != InputProfile::Touch {
            words.push_str(" (can be acted on)");
        }
    }
    words
}

fn style_changes(before: &Option<Value>, after: &Option<Value>) -> Vec<String> {
    let (Some(before), Some(after)) =
        (before.as_ref().and_then(Value::as_object), after.as_ref().and_then(Value::as_object))
    else {
        return Vec::new();
    };
    let changed = before.iter().filter_map(|(property, old)| {
        let new = after.get(property)?;
        (new != old).then(|| format!("style of the target: {property} {old} became {new}"))
    });
    let changed: Vec<String> = changed.collect();
    if changed.is_empty() { vec!["style of the target: unchanged".to_owned()] } else { changed }
}

/// How two pictures differ: how many pixels, how much, and where.
fn difference(before: &[u8], after: &[u8]) -> String {
    let decode = |bytes: &[u8]| image::load_from_memory(bytes).map(|picture| picture.to_rgb8());
    let (Ok(before), Ok(after)) = (decode(before), decode(after)) else {
        return "the pictures cannot be compared".to_owned();
    };
    if before.dimensions() != after.dimensions() {
        return "the window changed its size".to_owned();
    }
    match changed_area(&before, &after) {
        None => "picture before and after: no pixel differs".to_owned(),
        Some(Changed { pixels, most, area: [left, top, right, bottom] }) => {
            let all = f64::from(before.width()) * f64::from(before.height());
            format!(
                "picture before and after: {pixels} pixels differ ({:.2} %), by up to {most} of 255, within {left},{top} to \
                 {right},{bottom}",
                100.0 * pixels as f64 / all
            )
        }
    }
}

/// Pixels that differ, the largest difference of a channel, and the box around them.
#[derive(Debug, PartialEq, Eq)]
struct Changed {
    pixels: usize,
    most: u8,
    area: [u32; 4],
}

fn changed_area(before: &RgbImage, after: &RgbImage) -> Option<Changed> {
    let mut changed: Option<Changed> = None;
    for (x, y, pixel) in before.enumerate_pixels() {
        let other = after.get_pixel(x, y);
        let by = pixel.0.iter().zip(other.0).map(|(a, b)| a.abs_diff(b)).max().unwrap_or_default();
        if by == 0 {
            continue;
        }
        let known = changed.get_or_insert(Changed { pixels: 0, most: 0, area: [x, y, x, y] });
        known.pixels += 1;
        known.most = known.most.max(by);
        let [left, top, right, bottom] = known.area;
        known.area = [left.min(x), top.min(y), right.max(x), bottom.max(y)];
    }
    changed
}

#[cfg(test)]
mod tests {
    use image::Rgb;

    use super::*;

    #[test]
    fn a_subtle_change_is_measured() {
        let before = RgbImage::from_pixel(10, 8, Rgb([200, 200, 200]));
        assert_eq!(changed_area(&before, &before), None);
        let mut after = before.clone();
        after.put_pixel(2, 3, Rgb([200, 198, 200]));
        after.put_pixel(5, 6, Rgb([200, 200, 203]));
        assert_eq!(changed_area(&before, &after), Some(Changed { pixels: 2, most: 3, area: [2, 3, 5, 6] }));
    }
}
