//! The same actions on an app several times over, and what was to be seen after each.

use std::collections::HashSet;

use serde::Serialize;
use serde_json::json;
use webeval_browser::{Driver, Node, NodeState, Observation, Session, SessionOptions};
use webeval_deploy::Running;
use webeval_evidence::{Action, ActionKind, ConsoleLevel};

/// What passes on the page's clock after each action, in milliseconds.
const TIME: u32 = 640;

/// A caret blinks by the browser's own time, and so does scrolling.
const STILL: &str = "document.addEventListener('DOMContentLoaded', () => {
  const style = document.createElement('style');
  style.textContent = '*, *::before, *::after { caret-color: transparent !important; scroll-behavior: auto !important }';
  (document.head ?? document.documentElement).append(style);
}, { once: true });";

/// What was to be seen after an action.
pub(crate) struct Look {
    pub(crate) action: Action,
    pub(crate) picture: image::RgbaImage,
}

/// One run of the actions.
pub(crate) struct Run {
    pub(crate) looks: Vec<Look>,
    /// Errors and warnings of console and network.
    pub(crate) errors: Vec<String>,
    /// Why it ended before the actions did.
    pub(crate) stopped: Option<String>,
}

/// How pictures of one action differ.
#[derive(Serialize)]
pub(crate) struct Difference {
    pub(crate) action: String,
    /// Pixels on which all plain runs agree with each other, and not with the one with counters.
    pub(crate) differing: usize,
    /// Pixels that differ, as they do between plain runs.
    pub(crate) restless: usize,
}

/// Loads the app and acts: as `script` says, or, without one, on what there is, `steps` times.
pub(crate) async fn run(
    driver: &Driver,
    running: &Running,
    script: Option<&[Look]>,
    steps: usize,
) -> Result<Run, Box<dyn std::error::Error>> {
    let mut options = SessionOptions::new(running.origin());
    options.limit = std::time::Duration::from_secs(60);
    options.settle = std::time::Duration::from_secs(4);
    options.args = running.browser_args();
    options.deterministic = Some(1);
    let mut session = Session::open(driver, options).await?;
    session.cdp("Page.addScriptToEvaluateOnNewDocument", json!({"source": STILL})).await?;

    let mut run = Run { looks: Vec::new(), errors: Vec::new(), stopped: None };
    let mut used = HashSet::new();
    let mut seen = Observation::default();
    for at in 0..=script.map_or(steps, |script| script.len().saturating_sub(1)) {
        let action = match script {
            _ if at == 0 => {
                let url = format!("app:{}", running.record.entry);
                Action { kind: ActionKind::Load { url }, target: None }
            }
            Some(script) => match found_again(&script[at].action, &seen) {
                Some(action) => action,
                None => {
                    run.stopped = Some(format!("there is no {}", script[at].action.label()));
                    break;
                }
            },
            None => choose(&seen, at, steps, &mut used),
        };
        let stepped = session.step(&action).await?;
        note(&mut run.errors, &stepped.observation);
        let waited = session.step(&Action { kind: ActionKind::Wait { ms: TIME }, target: None }).await?;
        note(&mut run.errors, &waited.observation);
        seen = waited.observation;
        // What the browser itself shows over the page, such as why a form is not sent, fades in by its own time.
        tokio::time::sleep(std::time::Duration::from_millis(400)).await;
        let picture = image::load_from_memory(&session.screenshot().await?)?.to_rgba8();
        run.looks.push(Look { action, picture });
    }
    session.close().await?;
    run.errors.sort();
    Ok(run)
}

fn note(errors: &mut Vec<String>, seen: &Observation) {
    let loud = |level: ConsoleLevel| matches!(level, ConsoleLevel::Error | ConsoleLevel::Warning);
    errors.extend(seen.console.iter().filter(|one| loud(one.level)).map(|one| format!("console: {}", one.text)));
    errors.extend(seen.errors.iter().map(|one| format!("{:?}: {}", one.kind, one.message)));
    errors.extend(seen.network.iter().map(|one| format!("network: {} {:?} {:?}", one.url, one.status, one.error)));
}

/// The action with its target as it is called now.
fn found_again(action: &Action, seen: &Observation) -> Option<Action> {
    let Some(target) = &action.target else { return Some(action.clone()) };
    let node = seen.nodes.iter().find(|node| node.selector.as_deref() == Some(&target.selector))?;
    Some(Action { kind: action.kind.clone(), target: Some(node.target()) })
}

/// Something to do that has not been done yet: spread over the page, every third time a key where keys are listened for.
fn choose(seen: &Observation, at: usize, steps: usize, used: &mut HashSet<String>) -> Action {
    let keys = seen.listeners.iter().any(|kind| kind.starts_with("key"));
    if keys && at.is_multiple_of(3) {
        let key = ["ArrowRight", "Enter", "ArrowUp", " "][at / 3 % 4].to_owned();
        return Action { kind: ActionKind::Key { key, hold_ms: 0 }, target: None };
    }
    let (width, height) = (f64::from(seen.viewport.0), f64::from(seen.viewport.1));
    let usable = |node: &&Node| {
        let centre = node.area().center();
        let inside = centre.x > 0.0 && centre.y > 0.0 && centre.x < width && centre.y < height;
        let away = node.href.as_deref().is_some_and(|href| href.contains("://") || href.starts_with("mailto:"));
        let fresh = node.selector.as_ref().is_some_and(|selector| !used.contains(selector));
        node.is_actionable() && inside && fresh && !away && node.role != "file" && !node.is(NodeState::Disabled)
    };
    let nodes: Vec<&Node> = seen.nodes.iter().filter(usable).collect();
    let Some(node) = nodes.get(nodes.len() * (at - 1) / steps) else {
        return Action { kind: ActionKind::Scroll { dx: 0, dy: 300 }, target: None };
    };
    used.extend(node.selector.clone());
    let field = node.field.as_ref().filter(|_| !node.is(NodeState::Readonly));
    let kind = match field.map(|field| (field.kind.as_str(), field)) {
        Some(("text" | "search" | "textarea" | "editable", _)) => ActionKind::Type { text: "Milk 12\n".to_owned() },
        Some(("number", _)) => ActionKind::Type { text: "12".to_owned() },
        Some(("select", field)) => match field.options.iter().rfind(|choice| !choice.disabled) {
            Some(choice) => ActionKind::Select { values: vec![choice.value.clone()] },
            None => ActionKind::Click { at: None },
        },
        _ => ActionKind::Click { at: None },
    };
    Action { kind, target: Some(node.target()) }
}

/// Compares, action by action, the picture with counters with that of the first plain run, as far as both went. Where
/// they differ, the other plain runs tell whether the page is the same from one run to the next at all.
pub(crate) fn compare(plain: &[Run], counted: &Run) -> Vec<Difference> {
    let one = |(at, ours): (usize, &Look)| {
        let first = plain[0].looks.get(at)?;
        let others: Vec<_> = plain[1..].iter().map(|run| run.looks.get(at).map(|look| &look.picture)).collect();
        let mut difference = Difference { action: ours.action.label(), differing: 0, restless: 0 };
        let settled = |x, y, pixel| others.iter().flatten().all(|other| other.get_pixel_checked(x, y) == Some(pixel));
        let everywhere = first.picture.dimensions() != ours.picture.dimensions();
        for (x, y, pixel) in first.picture.enumerate_pixels() {
            if everywhere || ours.picture.get_pixel(x, y) != pixel {
                let agreed = others.iter().all(Option::is_some) && settled(x, y, pixel);
                *(if agreed { &mut difference.differing } else { &mut difference.restless }) += 1;
            }
        }
        Some(difference)
    };
    counted.looks.iter().enumerate().map_while(one).collect()
}
