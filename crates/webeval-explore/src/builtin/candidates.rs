//! What could be done on a page.

use std::collections::HashMap;

use webeval_browser::{Affordance, Node, NodeState, Observation};
use webeval_evidence::{Action, ActionKind, Point};

use super::memory::{RESTART, WAIT};
use super::values;

/// Something that could be done.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    /// What it is called in memory: the same control on another visit has the same name.
    pub(crate) id: String,
    /// What it has in common with others of its kind, such as the same button of another row.
    pub(crate) family: String,
    /// How much it promises by its kind alone.
    pub(crate) prior: f64,
    /// What is left of that after each of its kind that brought nothing.
    pub(crate) fade: f64,
    /// What is done.
    pub(crate) action: Action,
    /// What has to follow at once, by id.
    pub(crate) then: Vec<String>,
    /// Why, for the trace.
    pub(crate) reason: String,
}

/// Everything that could be done on the page, in document order.
pub(crate) fn candidates(page: &Observation, entry: &str) -> Vec<Candidate> {
    let mut list = Vec::new();
    for node in page.nodes.iter().filter(|node| !node.is(NodeState::Disabled)) {
        if node.is_actionable() {
            of_node(page, node, &mut list);
        }
        if node.reveals && node.selector.is_some() {
            add(&mut list, node, "hover", 0.55, ActionKind::Hover { at: None }, "something is hidden in it");
        }
    }
    thin_out(&mut list);
    forms(page, &mut list);
    keyboard(page, &mut list);
    pointer(page, &mut list);
    whole_page(page, entry, &mut list);
    list
}

/// Most actions of one family, such as the same click on each cell of a board.
const MOST_ALIKE: usize = 16;

/// Of many alike keeps a few, spread over the page, and always the same ones.
fn thin_out(list: &mut Vec<Candidate>) {
    let mut sizes: HashMap<String, usize> = HashMap::new();
    for candidate in list.iter() {
        *sizes.entry(candidate.family.clone()).or_default() += 1;
    }
    let mut seen: HashMap<String, usize> = HashMap::new();
    list.retain(|candidate| {
        let size = sizes.get(&candidate.family).copied().unwrap_or_default();
        let place = seen.entry(candidate.family.clone()).or_default();
        *place += 1;
        // The first few, and of the rest every so many.
        size <= MOST_ALIKE || *place <= 4 || (*place * (MOST_ALIKE - 4)) % size < MOST_ALIKE - 4
    });
}

/// The selector without positions: rows of one list share it.
fn shape(node: &Node) -> String {
    let selector = node.selector.as_deref().unwrap_or_default();
    let mut out = String::new();
    let mut rest = selector;
    while let Some(at) = rest.find(":nth-of-type(") {
        out.push_str(&rest[..at]);
        rest = rest[at..].find(')').map_or("", |end| &rest[at + end + 1..]);
    }
    out.push_str(rest);
    out
}

/// What a control is called in memory.
pub(crate) fn control(node: &Node) -> String {
    let name = if node.name.is_empty() { &node.hint } else { &node.name };
    format!("{} {} {}", node.role, name, node.selector.as_deref().unwrap_or_default())
}

fn add(list: &mut Vec<Candidate>, node: &Node, what: &str, prior: f64, kind: ActionKind, reason: &str) {
    let shown = if node.name.is_empty() { &node.hint } else { &node.name };
    list.push(Candidate {
        id: format!("{what} {}", control(node)),
        family: format!("{what} {} {}", node.role, shape(node)),
        prior,
        fade: 0.75,
        action: Action { kind, target: Some(node.target()) },
        then: Vec::new(),
        reason: if shown.is_empty() { reason.to_owned() } else { format!("{reason} ({shown})") },
    });
}

fn of_node(page: &Observation, node: &Node, list: &mut Vec<Candidate>) {
    if let Some(field) = &node.field {
        match field.kind.as_str() {
            "checkbox" | "radio" => {
                let checked = node.is(NodeState::Checked);
                if field.kind == "checkbox" || !checked {
                    add(
                        list,
                        node,
                        if checked { "untick" } else { "tick" },
                        0.9,
                        ActionKind::Check { checked: !checked },
                        "a choice not made yet",
                    );
                }
                return;
            }
            "select" | "select-multiple" => {
                let open = field
                    .options
                    .iter()
                    .filter(|choice| !choice.disabled && node.value.as_deref() != Some(&choice.value));
                for (place, choice) in open.take(12).enumerate() {
                    let place = i32::try_from(place).unwrap_or(i32::MAX);
                    let kind = ActionKind::Select { values: vec![choice.value.clone()] };
                    add(
                        list,
                        node,
                        &format!("select {}", choice.value),
                        0.8 * 0.9_f64.powi(place),
                        kind,
                        "a choice not tried yet",
                    );
                }
                return;
            }
            "file" => {
                let name = file_for(field.accept.as_deref().unwrap_or_default());
                add(list, node, "upload", 0.8, ActionKind::Upload { files: vec![name.to_owned()] }, "a file to give");
                return;
            }
            "submit" | "button" | "reset" | "image" => {}
            _ => {
                if !node.is(NodeState::Readonly) {
                    text_field(page, node, list);
                }
            }
        }
    }
    clicks(node, list);
}

fn file_for(accept: &str) -> &'static str {
    let kinds = [
        ("image", "picture.png"),
        ("json", "sample.json"),
        ("csv", "table.csv"),
        ("html", "page.html"),
        ("svg", "drawing.svg"),
        ("md", "notes.md"),
    ];
    kinds.iter().find(|(word, _)| accept.contains(word)).map_or("sample.txt", |(_, name)| name)
}

fn text_field(page: &Observation, node: &Node, list: &mut Vec<Candidate>) {
    let Some(field) = &node.field else { return };
    let alone = fields_of(page, node.form.as_deref()).len() == 1;
    let enters = alone && !matches!(field.kind.as_str(), "textarea" | "editable" | "range" | "color" | "date" | "time");
    let end = if enters { "\n" } else { "" };
    for (place, value) in values::sensible(node, field).iter().enumerate() {
        let place = i32::try_from(place).unwrap_or(i32::MAX);
        let text = format!("{value}{end}");
        let prior = if alone { 1.1 } else { 0.35 } * 0.8_f64.powi(place);
        add(list, node, &format!("type {text:?}"), prior, ActionKind::Type { text }, "a sensible value");
    }
    let odd = values::boundary(node, field).into_iter().chain(values::wrong(node, field));
    for (place, value) in odd.enumerate() {
        let place = i32::try_from(place).unwrap_or(i32::MAX);
        let text = format!("{value}{end}");
        let prior = if alone { 0.6 } else { 0.25 } * 0.8_f64.powi(place);
        add(list, node, &format!("type {text:?}"), prior, ActionKind::Type { text }, "a value at the edge");
    }
}

fn clicks(node: &Node, list: &mut Vec<Candidate>) {
    let hears = |types: &[&str]| types.iter().any(|type_| node.hears(type_));
    let is_field = node
        .field
        .as_ref()
        .is_some_and(|field| !matches!(field.kind.as_str(), "submit" | "button" | "reset" | "image"));
    let delegated = node.why.contains(&Affordance::Delegated);
    let clickable =
        node.why.iter().any(|why| matches!(why, Affordance::Native | Affordance::Role | Affordance::Cursor));
    if !is_field {
        let prior = match node.role.as_str() {
            "button" | "tab" | "menuitem" | "switch" | "option" => 1.0,
            "link" => link_prior(node),
            _ if delegated => 0.6,
            _ if hears(&["click", "mousedown", "pointerdown", "mouseup", "pointerup"]) => 0.9,
            _ if clickable => 0.8,
            _ => 0.3,
        };
        add(list, node, "click", prior, ActionKind::Click { at: None }, "a control");
    } else if hears(&["click", "mousedown", "focus"]) {
        add(list, node, "click", 0.5, ActionKind::Click { at: None }, "a field that hears clicks");
    }
    if hears(&["dblclick"]) {
        add(list, node, "double click", 1.0, ActionKind::DoubleClick { at: None }, "it hears double clicks");
    } else if hears(&["click"]) && !is_field {
        // Some tell a double click by the time between two clicks.
        add(list, node, "double click", 0.25, ActionKind::DoubleClick { at: None }, "it may tell two clicks from one");
    }
    if hears(&["contextmenu"]) {
        add(list, node, "right click", 0.9, ActionKind::RightClick { at: None }, "it hears the second button");
    }
    if hears(&[
        "mouseenter",
        "mouseover",
        "pointerenter",
        "pointerover",
        "mousemove",
        "pointermove",
        "mouseout",
        "mouseleave",
    ]) {
        add(list, node, "hover", 0.7, ActionKind::Hover { at: None }, "it hears the pointer");
    }
    if hears(&["wheel"]) {
        add(list, node, "wheel", 0.6, ActionKind::Scroll { dx: 0, dy: 200 }, "it hears the wheel");
    }
    if hears(&["touchstart", "touchend", "touchmove"]) {
        add(list, node, "touch", 0.6, ActionKind::Touch { at: None }, "it hears touches");
    }
    if hears(&["keydown", "keyup", "keypress"]) {
        for (place, key) in ["Enter", "Escape", "ArrowDown", "ArrowUp", " "].into_iter().enumerate() {
            let place = i32::try_from(place).unwrap_or(i32::MAX);
            add(
                list,
                node,
                &format!("key {key}"),
                0.6 * 0.9_f64.powi(place),
                ActionKind::Key { key: key.to_owned(), hold_ms: 0 },
                "it hears keys",
            );
        }
    }
}

fn link_prior(node: &Node) -> f64 {
    match node.href.as_deref() {
        Some(href) if href.starts_with("http") || href.starts_with("//") || href.starts_with("mailto:") => 0.15,
        Some(href) if href.starts_with('#') || href.starts_with("javascript:") => 0.9,
        Some(_) => 0.7,
        None => 0.8,
    }
}

fn is_text_field(node: &Node) -> bool {
    node.is_actionable()
        && !node.is(NodeState::Disabled)
        && !node.is(NodeState::Readonly)
        && node.field.as_ref().is_some_and(|field| {
            !matches!(
                field.kind.as_str(),
                "submit" | "button" | "reset" | "image" | "checkbox" | "radio" | "file" | "select" | "select-multiple"
            )
        })
}

/// Text fields of a form; of none, those that belong to no form.
fn fields_of<'p>(page: &'p Observation, form: Option<&str>) -> Vec<&'p Node> {
    page.nodes.iter().filter(|node| is_text_field(node) && node.form.as_deref() == form).collect()
}

/// Forms of several fields are filled whole, then sent: once right, once wrong, once at the edge, once empty.
fn forms(page: &Observation, list: &mut Vec<Candidate>) {
    let mut done: Vec<Option<&str>> = Vec::new();
    for node in page.nodes.iter().filter(|node| is_text_field(node)) {
        let form = node.form.as_deref();
        if done.contains(&form) {
            continue;
        }
        done.push(form);
        let fields = fields_of(page, form);
        if fields.len() < 2 || fields.len() > 12 {
            continue;
        }
        let last = fields.last().copied().unwrap_or(node);
        let submit = submit_of(page, form, last);
        let choose = |node: &Node, turn: usize| {
            let field = node.field.clone().unwrap_or_default();
            let sensible = values::sensible(node, &field);
            match turn {
                0 | 2 => sensible.get(turn / 2 % sensible.len().max(1)).cloned(),
                1 => values::wrong(node, &field).or_else(|| sensible.first().cloned()),
                _ => values::boundary(node, &field).first().cloned().or_else(|| sensible.first().cloned()),
            }
        };
        for (turn, (word, prior)) in
            [("right", 1.3), ("wrong", 1.0), ("right again", 0.7), ("at the edge", 0.6)].into_iter().enumerate()
        {
            // Terms have to be agreed to before a form that is filled in right is taken.
            let ticks = if word.starts_with("right") { boxes_of(page, form) } else { Vec::new() };
            fill(list, &fields, &ticks, submit, word, prior, &|node| choose(node, turn).unwrap_or_default());
        }
    }
}

/// Boxes of a form that are not ticked yet.
fn boxes_of<'p>(page: &'p Observation, form: Option<&str>) -> Vec<&'p Node> {
    let is_box = |node: &&Node| node.field.as_ref().is_some_and(|field| field.kind == "checkbox");
    let of_form = page.nodes.iter().filter(|node| node.form.is_some() && node.form.as_deref() == form);
    of_form.filter(is_box).filter(|node| node.is_actionable() && !node.is(NodeState::Checked)).collect()
}

fn fill(
    list: &mut Vec<Candidate>,
    fields: &[&Node],
    ticks: &[&Node],
    submit: Option<&Node>,
    word: &str,
    prior: f64,
    value: &dyn Fn(&Node) -> String,
) {
    let Some(first) = fields.first() else { return };
    let mut steps: Vec<String> = Vec::new();
    for (place, node) in fields.iter().enumerate() {
        let before = list.len();
        let text = value(node);
        add(
            list,
            node,
            &format!("fill {word}"),
            0.0,
            ActionKind::Type { text },
            &format!("the form is filled in, {word}"),
        );
        if place > 0 {
            steps.push(list[before].id.clone());
        }
    }
    steps.extend(ticks.iter().map(|node| format!("tick {}", control(node))));
    match submit {
        Some(button) => steps.push(format!("click {}", control(button))),
        None => {
            let last = fields.last().unwrap_or(first);
            let before = list.len();
            add(list, last, "send", 0.0, ActionKind::Key { key: "Enter".to_owned(), hold_ms: 0 }, "the form is sent");
            steps.push(list[before].id.clone());
        }
    }
    let start = list.len() - fields.len() - usize::from(submit.is_none());
    list[start].prior = prior;
    list[start].then = steps;
}

/// The button that sends a form, or without a form the first button after its last field.
fn submit_of<'p>(page: &'p Observation, form: Option<&str>, last: &Node) -> Option<&'p Node> {
    let buttons = || page.nodes.iter().filter(|node| node.role == "button" && node.is_actionable());
    let after = page.nodes.iter().position(|node| node.reference == last.reference)?;
    match form {
        Some(form) => {
            let mine = || buttons().filter(|node| node.form.as_deref() == Some(form));
            mine()
                .find(|node| node.field.as_ref().is_some_and(|field| field.kind == "submit"))
                .or_else(|| mine().next_back())
        }
        None => page.nodes.iter().skip(after + 1).find(|node| node.role == "button" && node.is_actionable()),
    }
}

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

fn keyboard(page: &Observation, list: &mut Vec<Candidate>) {
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
fn pointer(page: &Observation, list: &mut Vec<Candidate>) {
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

fn whole_page(page: &Observation, entry: &str, list: &mut Vec<Candidate>) {
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
    plain(RESTART, "restart", 0.1, ActionKind::Load { url: format!("app:{entry}") }, "from the beginning");
    plain(
        "back",
        "back",
        if hears("popstate") || hears("hashchange") { 0.6 } else { 0.15 },
        ActionKind::Back,
        "the page before",
    );
    plain("reload", "reload", 0.3, ActionKind::Reload, "what is kept over a reload");
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
        plain(
            &format!("wait for {about}"),
            "wait for a timer",
            0.75,
            ActionKind::Wait { ms: about + 100 },
            "a timer is set",
        );
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
}
