//! What could be done on a page.

use std::collections::{HashMap, HashSet};

use webeval_browser::{Affordance, Node, NodeState, Observation};
use webeval_evidence::{Action, ActionKind, Point};

use super::forms::{fields_with, forms};
use super::play::{keyboard, pointer, whole_page};
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
        if node.is_actionable() && has_size(node) {
            of_node(page, node, &mut list);
        }
        // A listener at the root of the page hears what is done to the items of a list.
        for (event, what, kind) in [
            ("dblclick", "double click", ActionKind::DoubleClick { at: None }),
            ("contextmenu", "right click", ActionKind::RightClick { at: None }),
        ] {
            let root = page.listeners.iter().any(|heard| heard == event);
            if root && node.role == "listitem" && node.selector.is_some() && !node.hears(event) && has_size(node) {
                add(&mut list, node, what, 0.6, kind, "the page hears it");
            }
        }
        if node.reveals && node.selector.is_some() {
            add(&mut list, node, "hover", 0.55, ActionKind::Hover { at: None }, "something is hidden in it");
        }
    }
    parts(page, &mut list);
    thin_out(&mut list);
    forms(page, &mut list);
    keyboard(page, &mut list);
    pointer(page, &mut list);
    whole_page(page, entry, &mut list);
    list
}

/// Other places than the middle of what is made of several parts, such as a card with a picture over its title: the listener
/// may ask which part it was.
fn parts(page: &Observation, list: &mut Vec<Candidate>) {
    let holds: HashSet<usize> =
        page.nodes.iter().filter(|node| node.is_actionable()).filter_map(|node| node.parent).collect();
    for (index, node) in page.nodes.iter().enumerate() {
        let plain = matches!(node.role.as_str(), "generic" | "listitem" | "figure" | "article" | "group");
        let pointed = node.why.iter().any(|why| matches!(why, Affordance::Delegated | Affordance::Cursor));
        if !plain || !pointed || node.field.is_some() || holds.contains(&index) || node.is(NodeState::Disabled) {
            continue;
        }
        let area = node.area();
        if area.height < 32.0 || area.width < 16.0 {
            continue;
        }
        for (what, share) in [("click the lower part", 0.75), ("click the upper part", 0.25)] {
            let at = Point { x: area.center().x.floor(), y: (area.y + area.height * share).floor() };
            add(list, node, what, 0.3, ActionKind::Click { at: Some(at) }, "a part of it");
            list.last_mut().into_iter().for_each(|added| added.fade = 0.5);
        }
    }
}

/// Whether there is anything to point at. Fields may show through their labels, and are found there.
fn has_size(node: &Node) -> bool {
    node.field.is_some()
        || (node.rect[2] >= 1.0 && node.rect[3] >= 1.0)
        || !matches!(node.role.as_str(), "generic" | "listitem")
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

/// A selector with the ids in it that were made up when the element was, as `#item-V1StGXR8Z5`, masked: on another visit
/// the same control has another one.
fn lasting(selector: &str) -> String {
    let mut out = String::with_capacity(selector.len());
    for (index, part) in selector.split('#').enumerate() {
        if index == 0 {
            out.push_str(part);
            continue;
        }
        let end = part.find([' ', '>', ':']).unwrap_or(part.len());
        out.push('#');
        let mut words = part[..end].split_inclusive(['-', '_']);
        if words.clone().any(is_made_up) {
            out.extend(words.by_ref().take_while(|word| !is_made_up(word)));
            out.push('*');
        } else {
            out.push_str(&part[..end]);
        }
        out.push_str(&part[end..]);
    }
    out
}

/// Whether a word of an id is nobody's choice: long, with digits among its letters, or a number of many digits.
fn is_made_up(word: &str) -> bool {
    let word = word.trim_end_matches(['-', '_']).as_bytes();
    let among = word.windows(2).any(|pair| pair[0].is_ascii_digit() && pair[1].is_ascii_alphabetic());
    (word.len() >= 8 && among) || (word.len() >= 6 && word.iter().all(u8::is_ascii_digit))
}

/// The selector without positions and numbers: rows of one list share it.
fn shape(selector: &str) -> String {
    let mut out = String::new();
    let lasting = lasting(selector);
    let mut rest = lasting.as_str();
    while let Some(at) = rest.find(":nth-of-type(") {
        out.push_str(&rest[..at]);
        rest = rest[at..].find(')').map_or("", |end| &rest[at + end + 1..]);
    }
    out.push_str(rest);
    // Rows that are numbered through have the same shape, and so have those named `:1`, …, `:z`.
    let words = out.split(' ').map(|word| match word.strip_prefix("#\\:") {
        Some(_) => "#:".to_owned(),
        None if word.starts_with('#') => word.chars().filter(|c| !c.is_ascii_digit()).collect(),
        None => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// What a control is called in memory.
pub(crate) fn control(node: &Node) -> String {
    let name = if node.name.is_empty() { &node.hint } else { &node.name };
    format!("{} {} {}", node.role, name, lasting(node.selector.as_deref().unwrap_or_default()))
}

/// What an action on a control has in common with the same on others of its kind.
pub(crate) fn family(what: &str, node: &Node) -> String {
    format!("{what} {} {}", node.role, shape(node.selector.as_deref().unwrap_or_default()))
}

/// Adds something that is done to an element.
pub(super) fn add(list: &mut Vec<Candidate>, node: &Node, what: &str, prior: f64, kind: ActionKind, reason: &str) {
    let shown = if node.name.is_empty() { &node.hint } else { &node.name };
    list.push(Candidate {
        id: format!("{what} {}", control(node)),
        family: family(what, node),
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
    clicks(page, node, list);
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
    let alone = fields_with(page, node).len() == 1;
    let enters = alone && !matches!(field.kind.as_str(), "textarea" | "editable" | "range" | "color" | "date" | "time");
    let end = if enters { "\n" } else { "" };
    for (place, value) in values::sensible(node, field).iter().enumerate() {
        let place = i32::try_from(place).unwrap_or(i32::MAX);
        let text = format!("{value}{end}");
        // A field that has just taken the keyboard, as a text does that is edited in its place, may soon be gone again.
        let waiting = alone && node.is(NodeState::Focused);
        let prior = if waiting {
            1.4
        } else if alone {
            1.1
        } else {
            0.35
        } * 0.8_f64.powi(place);
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

fn clicks(page: &Observation, node: &Node, list: &mut Vec<Candidate>) {
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
        if let Some(added) = list.last_mut().filter(|_| leads_out(node)) {
            // Once is enough to see what the page does when it is left.
            "leave the app".clone_into(&mut added.family);
            added.fade = 0.2;
        }
    } else if hears(&["click", "mousedown", "focus"]) {
        add(list, node, "click", 0.5, ActionKind::Click { at: None }, "a field that hears clicks");
    }
    if hears(&["dblclick"]) {
        add(list, node, "double click", 1.0, ActionKind::DoubleClick { at: None }, "it hears double clicks");
    } else if hears(&["click"]) && !is_field {
        // Some tell a double click by the time between two clicks; where the text of an item hears clicks, that is likely.
        let prior = if is_text(node) && is_in_list(page, node) { 0.6 } else { 0.25 };
        add(list, node, "double click", prior, ActionKind::DoubleClick { at: None }, "it may tell two clicks from one");
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

/// Whether it is a text, and no control of a kind that one click is meant for.
fn is_text(node: &Node) -> bool {
    let words = !node.text.is_empty() || !node.name.is_empty();
    words && matches!(node.role.as_str(), "generic" | "text" | "label" | "paragraph" | "heading" | "cell" | "gridcell")
}

/// Whether it is one of several that are alike.
fn is_in_list(page: &Observation, node: &Node) -> bool {
    let above = std::iter::successors(Some(node), |node| node.parent.and_then(|at| page.nodes.get(at)));
    above.into_iter().any(|node| matches!(node.role.as_str(), "listitem" | "row"))
}

/// Whether it is a link to elsewhere.
fn leads_out(node: &Node) -> bool {
    let out = |href: &str| ["http", "//", "mailto:"].iter().any(|start| href.starts_with(start));
    node.role == "link" && node.href.as_deref().is_some_and(out)
}

fn link_prior(node: &Node) -> f64 {
    match node.href.as_deref() {
        Some(_) if leads_out(node) => 0.35,
        Some(href) if href.starts_with('#') || href.starts_with("javascript:") => 0.9,
        Some(_) => 0.7,
        None => 0.8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_one_shape() {
        for (one, other) in [
            ("#todo-list_27_checkbox", "#todo-list_3_checkbox"),
            ("#\\:2 > div > label", "#\\:1a > div > label"),
            ("ul > li:nth-of-type(2) > a", "ul > li:nth-of-type(13) > a"),
        ] {
            assert_eq!(shape(one), shape(other));
        }
        assert_ne!(shape("#add > b"), shape("#drop > b"));
    }

    #[test]
    fn ids_that_were_made_up_are_masked() {
        for (selector, wanted) in [
            ("#todo-item-V1StGXR8Z5jdHi6B > div:nth-of-type(2)", "#todo-item-* > div:nth-of-type(2)"),
            ("ul >>> #row_3f2b8c1e-77aa > b", "ul >>> #row_* > b"),
            ("#item-12 > input", "#item-12 > input"),
            ("#section2-heading", "#section2-heading"),
            ("#x-1718452800000", "#x-*"),
            ("html > body > #new-todo", "html > body > #new-todo"),
        ] {
            assert_eq!(lasting(selector), wanted);
        }
    }
}
