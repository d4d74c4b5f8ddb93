//! What is done with keys, on canvases and to the page as a whole.

use webeval_browser::{Node, NodeState, Observation};
use webeval_evidence::{Action, ActionKind, Point};

use super::candidates::{Candidate, add, control};
use super::forms::is_text_field;
use super::memory::{RESTART, WAIT};

/// Keys that games and shortcuts use, most usual first.
const KEYS: &[&str] = &[
    "Enter",
    " ",
    "ArrowRight",
    "ArrowLeft",
    "ArrowUp",
    "ArrowDown",
    "w",
    "a",
    "s",
    "d",
    "Escape",
    "p",
    "r",
    "x",
    "z",
    "m",
    "h",
    "n",
    "1",
    "2",
];

fn hears_keys(page: &Observation) -> bool {
    page.listeners.iter().any(|type_| matches!(type_.as_str(), "keydown" | "keyup" | "keypress"))
}

pub(super) fn keyboard(page: &Observation, list: &mut Vec<Candidate>) {
    if !hears_keys(page) {
        return;
    }
    let canvas = page.nodes.iter().any(|node| node.role == "canvas");
    let mut named: Vec<String> = named_keys(page);
    for key in KEYS {
        if !named.iter().any(|known| known == key) {
            named.push((*key).to_owned());
        }
    }
    let plain = |key: &str, hold_ms: u32, prior: f64, what: &str| Candidate {
        id: format!("{what} {key}"),
        family: what.to_owned(),
        prior,
        fade: 0.93,
        action: Action { kind: ActionKind::Key { key: key.to_owned(), hold_ms }, target: None },
        then: Vec::new(),
        reason: "the page hears keys".to_owned(),
    };
    for (place, key) in named.iter().take(28).enumerate() {
        let place = i32::try_from(place).unwrap_or(i32::MAX);
        let mut press = plain(key, 0, 0.85 * 0.97_f64.powi(place), "press");
        if key == "p" || key == "Escape" {
            // These stop most games, and nothing is left to try in a game that stands still.
            press.then = vec![press.id.clone()];
        }
        list.push(press);
        let held = canvas && (key.starts_with("Arrow") || key == " " || "wasd".contains(key.as_str()));
        if held {
            list.push(plain(key, 600, 0.8 * 0.97_f64.powi(place), "hold"));
        }
    }
    if page.moves {
        rounds(list);
    }
}

/// What is done in one go while a game runs: a game gets somewhere only if nobody pauses or restarts it meanwhile. Each is a
/// list of keys that are held, an empty one being a wait.
const ROUNDS: &[(&str, &[&str])] = &[
    ("upwards", &["ArrowUp", "w", "ArrowRight", "ArrowUp", "ArrowLeft", "ArrowUp"]),
    ("shooting", &[" ", "ArrowRight", " ", "ArrowLeft", " ", "ArrowUp", " "]),
    ("downwards", &["ArrowDown", "ArrowLeft", " ", "ArrowDown", "ArrowRight", "ArrowDown"]),
    ("idle", &["", "", ""]),
];

/// How long a key is held in a round, and how long nothing is done, in milliseconds.
const HELD: u32 = 1000;
const IDLE: u32 = 4000;

/// Family of the waits for a timer that is set.
pub(crate) const TIMER: &str = "wait for a timer";

/// Family of the steps of a round.
pub(super) const ROUND: &str = "play";

/// Rounds of a game that is running.
fn rounds(list: &mut Vec<Candidate>) {
    for (place, (name, keys)) in ROUNDS.iter().enumerate() {
        let place = i32::try_from(place).unwrap_or(i32::MAX);
        let step = |at: usize, key: &str| Candidate {
            id: format!("play {name} {at}"),
            family: ROUND.to_owned(),
            prior: 0.0,
            fade: 1.0,
            action: Action {
                kind: match key {
                    "" => ActionKind::Wait { ms: IDLE },
                    key => ActionKind::Key { key: key.to_owned(), hold_ms: HELD },
                },
                target: None,
            },
            then: Vec::new(),
            reason: format!("the game is played on, {name}"),
        };
        let mut steps: Vec<Candidate> = keys.iter().enumerate().map(|(at, key)| step(at, key)).collect();
        let then = steps.iter().skip(1).map(|step| step.id.clone()).collect();
        if let Some(first) = steps.first_mut() {
            first.prior = 0.62 * 0.97_f64.powi(place);
            first.then = then;
        }
        list.append(&mut steps);
    }
}

/// Single letters and key names that the page's text speaks of as keys.
fn named_keys(page: &Observation) -> Vec<String> {
    let mut keys = Vec::new();
    for node in &page.nodes {
        for text in [&node.text, &node.name] {
            if text.is_empty() {
                continue;
            }
            let lower = text.to_lowercase();
            let speaks =
                ["press", "key", "arrow", "space", "control", "[", "move", "="].iter().any(|word| lower.contains(word))
                    || node.tag == "kbd";
            if !speaks {
                continue;
            }
            for (word, key) in [
                ("space", " "),
                ("enter", "Enter"),
                ("esc", "Escape"),
                ("tab", "Tab"),
                ("backspace", "Backspace"),
                ("delete", "Delete"),
            ] {
                if lower.contains(word) {
                    keys.push(key.to_owned());
                }
            }
            let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() == 1);
            keys.extend(words.filter(|word| *word != "A" && *word != "a" && *word != "I").map(str::to_lowercase));
        }
    }
    let mut seen = std::collections::HashSet::new();
    keys.retain(|key| seen.insert(key.clone()));
    keys.truncate(14);
    keys
}

/// Clicks and drags on canvases, which hold controls that no tree shows.
pub(super) fn pointer(page: &Observation, list: &mut Vec<Candidate>) {
    let hears = page.listeners.iter().any(|type_| {
        type_.starts_with("mouse") || type_.starts_with("pointer") || type_ == "click" || type_.starts_with("touch")
    });
    for node in page.nodes.iter().filter(|node| node.role == "canvas" && node.rect[2] >= 20.0 && node.rect[3] >= 20.0) {
        if !hears && node.listeners.is_empty() {
            continue;
        }
        let area = node.area();
        let at = |x: f64, y: f64| Point { x: (area.x + area.width * x).floor(), y: (area.y + area.height * y).floor() };
        for (place, (x, y)) in [
            (0.5, 0.5),
            (0.25, 0.25),
            (0.75, 0.75),
            (0.25, 0.75),
            (0.75, 0.25),
            (0.5, 0.1),
            (0.5, 0.9),
            (0.1, 0.5),
            (0.9, 0.5),
        ]
        .into_iter()
        .enumerate()
        {
            let place = i32::try_from(place).unwrap_or(i32::MAX);
            add(
                list,
                node,
                &format!("click at {x} {y}"),
                0.8 * 0.9_f64.powi(place),
                ActionKind::Click { at: Some(at(x, y)) },
                "a place of the canvas",
            );
        }
        add(
            list,
            node,
            "drag across",
            0.75,
            ActionKind::Drag { onto: None, to: Some(at(0.8, 0.7)) },
            "a stroke over the canvas",
        );
    }
    let draggable: Vec<&Node> =
        page.nodes.iter().filter(|node| node.is(NodeState::Draggable) || node.hears("dragstart")).collect();
    let landing = |node: &&Node| node.hears("drop") || node.hears("dragover") || node.is(NodeState::Draggable);
    for node in draggable.iter().take(6) {
        for (place, onto) in
            page.nodes.iter().filter(landing).filter(|onto| onto.reference != node.reference).take(4).enumerate()
        {
            let place = i32::try_from(place).unwrap_or(i32::MAX);
            let kind = ActionKind::Drag { onto: Some(onto.target()), to: None };
            add(
                list,
                node,
                &format!("drag onto {}", control(onto)),
                0.9 * 0.9_f64.powi(place),
                kind,
                "it can be dragged",
            );
        }
    }
    for node in page
        .nodes
        .iter()
        .filter(|node| node.role != "canvas" && node.hears("mousedown") || node.hears("pointerdown"))
        .take(6)
    {
        let area = node.area();
        let to =
            Point { x: (area.x + area.width / 2.0 + 60.0).floor(), y: (area.y + area.height / 2.0 + 40.0).floor() };
        add(list, node, "drag away", 0.6, ActionKind::Drag { onto: None, to: Some(to) }, "it hears the button go down");
    }
}

pub(super) fn whole_page(page: &Observation, entry: &str, list: &mut Vec<Candidate>) {
    let hears = |name: &str| page.listeners.iter().any(|type_| type_ == name);
    let mut plain = |id: &str, family: &str, prior: f64, kind: ActionKind, reason: &str| {
        list.push(Candidate {
            id: id.to_owned(),
            family: family.to_owned(),
            prior,
            fade: 0.8,
            action: Action { kind, target: None },
            then: Vec::new(),
            reason: reason.to_owned(),
        });
    };
    let (width, height) = page.viewport;
    let step = i32::try_from(height).unwrap_or(600) * 8 / 10;
    if page.scroll.max_y > 40.0 || hears("scroll") || hears("wheel") {
        let prior = if hears("scroll") || hears("wheel") { 0.8 } else { 0.3 };
        if page.scroll.y + 5.0 < page.scroll.max_y || hears("wheel") {
            plain("scroll down", "scroll", prior, ActionKind::Scroll { dx: 0, dy: step }, "there is more below");
        }
        if page.scroll.y > 5.0 {
            plain("scroll up", "scroll", prior * 0.6, ActionKind::Scroll { dx: 0, dy: -step }, "there is more above");
        }
    }
    if hears("mousemove") || hears("pointermove") || hears("mouseover") {
        for (x, y) in [(0.3, 0.3), (0.7, 0.6)] {
            let at = Point { x: (f64::from(width) * x).floor(), y: (f64::from(height) * y).floor() };
            plain(
                &format!("move to {x}"),
                "move",
                0.5,
                ActionKind::Hover { at: Some(at) },
                "the page hears the pointer",
            );
        }
    }
    if hears("click") || hears("mousedown") || hears("pointerdown") || hears("touchstart") {
        let at = Point { x: f64::from(width / 2), y: f64::from(height) - 20.0 };
        plain(
            "click beside",
            "click beside",
            0.4,
            ActionKind::Click { at: Some(at) },
            "the page hears clicks anywhere",
        );
    }
    if hears("resize") {
        plain("resize small", "resize", 0.6, ActionKind::Resize { width: 480, height: 800 }, "the page hears its size");
        plain("resize back", "resize", 0.5, ActionKind::Resize { width: 1280, height: 800 }, "the page hears its size");
    }
    if hears("blur") || hears("visibilitychange") || hears("pagehide") {
        let kind = ActionKind::LookAway { ms: 300 };
        plain("look away", "look away", 0.5, kind, "the page notices when it is out of sight");
    }
    plain(RESTART, "restart", 0.1, ActionKind::Load { url: format!("app:{entry}") }, "from the beginning");
    plain(
        "back",
        "back",
        if hears("popstate") || hears("hashchange") { 0.6 } else { 0.15 },
        ActionKind::Back,
        "the page before",
    );
    // What was entered may be kept; a game would begin anew.
    let enters = !page.moves && page.nodes.iter().any(is_text_field);
    let kept = if enters { 0.55 } else { 0.3 };
    plain("reload", "reload", kept, ActionKind::Reload, "what is kept over a reload");
    plain(
        "wait short",
        WAIT,
        if page.moves { 0.6 } else { 0.15 },
        ActionKind::Wait { ms: 700 },
        "something may happen by itself",
    );
    plain(
        "wait long",
        WAIT,
        if page.moves { 0.6 } else { 0.1 },
        ActionKind::Wait { ms: 2500 },
        "something may happen by itself",
    );
    if let Some(due) = page.due_ms.filter(|due| *due > 600 && *due <= 12_000) {
        // In round figures, so that the same timer has the same name.
        let about = due.div_ceil(500) * 500;
        plain(&format!("wait for {about}"), TIMER, 0.75, ActionKind::Wait { ms: about + 100 }, "a timer is set");
    }
    if page.tabs > 1 {
        plain(
            "other tab",
            "tab",
            0.5,
            ActionKind::SwitchTab { index: (page.tab + 1) % page.tabs },
            "another tab is open",
        );
    }
    // Each time is another action, but a timer that has brought nothing will hardly bring more at another time.
    list.iter_mut().filter(|candidate| candidate.family == TIMER).for_each(|candidate| candidate.fade = 0.5);
}
