//! Words that name the parts and conditions of interfaces, whatever they were built with.

/// Whether elements with this role come in lists.
pub(super) fn is_item_role(role: &str) -> bool {
    matches!(
        role,
        "listitem"
            | "row"
            | "option"
            | "article"
            | "treeitem"
            | "menuitem"
            | "menuitemradio"
            | "menuitemcheckbox"
    )
}

/// Whether a role only takes away what the element would be.
pub(super) fn is_silent_role(role: &str) -> bool {
    matches!(role, "presentation" | "none" | "img" | "generic" | "")
}

/// Whether an element with this role has come up, or takes input.
pub(super) fn is_telling_role(role: &str) -> bool {
    matches!(
        role,
        "dialog"
            | "alertdialog"
            | "menu"
            | "listbox"
            | "tooltip"
            | "alert"
            | "textbox"
            | "searchbox"
            | "combobox"
            | "spinbutton"
            | "slider"
    )
}

/// Whether a class names one thing of many: `card`, `product-item`, `todo__row`.
pub(super) fn is_item_class(token: &str) -> bool {
    const ITEMS: &[&str] = &[
        "item", "card", "row", "entry", "tile", "comment", "task", "todo", "bubble", "chip",
        "review", "message", "article", "listitem", "cell", "teaser", "preview",
    ];
    let last = token.rsplit(['-', '_']).next().unwrap_or(token);
    // Camel case: `productCard`.
    let last = last
        .rfind(|c: char| c.is_ascii_uppercase())
        .map_or(last, |at| &last[at..]);
    ITEMS.iter().any(|item| last.eq_ignore_ascii_case(item))
}

/// Whether `base` is what the container with this open tag is named for: `product` in `products` or `product-list`.
pub(super) fn is_member(base: &str, container: &str) -> bool {
    // An open tag longer than this names nothing.
    if base.len() < 3 || container.len() > 200 {
        return false;
    }
    container.match_indices(base).any(|(at, _)| {
        let starts = at > 0 && matches!(container.as_bytes()[at - 1], b' ' | b'"' | b'-' | b'_');
        let rest = &container[at + base.len()..];
        let end = rest.find([' ', '"']).unwrap_or(rest.len());
        let rest = rest[..end].trim_start_matches(['-', '_']);
        starts
            && matches!(
                rest,
                "s" | "es"
                    | "list"
                    | "List"
                    | "grid"
                    | "Grid"
                    | "s-list"
                    | "s-grid"
                    | "s-container"
            )
    })
}

/// Whether a list of classes takes its element out of sight at every width of the window.
pub(super) fn hides(tokens: &[&str]) -> bool {
    let hidden = tokens.iter().any(|t| is_hiding_class(t));
    let sometimes = || {
        tokens.iter().any(|t| {
            t.contains(':')
                || (t.starts_with("d-") && t.matches('-').count() == 2)
                || matches!(*t, "show" | "active" | "visible" | "open")
        })
    };
    let pages = tokens.iter().any(|t| {
        let last = t.rsplit("__").next().unwrap_or(t);
        matches!(last, "pagination" | "pager" | "paginator" | "page-numbers")
    });
    pages || (hidden && !sometimes())
}

/// Whether an accessible name is that of the pages of a list, which say how much data there is.
pub(super) fn is_paging_label(label: &str) -> bool {
    label.len() < 40 && label.to_ascii_lowercase().contains("paginat")
}

/// Whether a class takes its element out of sight, at some width of the window at least.
pub(super) fn is_hiding_class(token: &str) -> bool {
    matches!(
        token,
        "hidden" | "d-none" | "is-hidden" | "hide" | "u-hidden"
    )
}

/// Whether a class says that something is open, edited or wrong.
pub(super) fn is_telling_class(token: &str) -> bool {
    let bare = token
        .strip_prefix("is-")
        .or_else(|| token.strip_prefix("has-"))
        .unwrap_or(token);
    let bare = bare.rsplit("--").next().unwrap_or(bare);
    matches!(
        bare,
        "open"
            | "opened"
            | "expanded"
            | "editing"
            | "edit-mode"
            | "error"
            | "errors"
            | "invalid"
            | "is-invalid"
    )
}

/// The condition in a class: `active` in `is-active`, `tab--active` and `router-link-active`.
fn condition(token: &str) -> &str {
    let bare = token
        .strip_prefix("is-")
        .or_else(|| token.strip_prefix("has-"))
        .unwrap_or(token);
    let bare = bare.rsplit("--").next().unwrap_or(bare);
    match bare.rsplit_once('-') {
        Some((_, last @ ("active" | "selected" | "current" | "disabled" | "checked"))) => last,
        _ => bare,
    }
}

/// Whether a class says that this one of several is chosen.
pub(super) fn is_selected_class(token: &str) -> bool {
    matches!(condition(token), "active" | "selected" | "current")
}

/// Whether a class says how a thing is, not what it is.
pub(super) fn is_state_class(token: &str) -> bool {
    matches!(
        condition(token),
        "active"
            | "selected"
            | "current"
            | "checked"
            | "disabled"
            | "enabled"
            | "open"
            | "opened"
            | "closed"
            | "show"
            | "shown"
            | "visible"
            | "hidden"
            | "hide"
            | "expanded"
            | "collapsed"
            | "completed"
            | "done"
            | "editing"
            | "error"
            | "invalid"
            | "valid"
            | "success"
            | "loading"
            | "loaded"
            | "read"
            | "unread"
            | "new"
            | "focus"
            | "focused"
            | "hover"
            | "hovered"
            | "pressed"
            | "dragging"
            | "favorite"
            | "liked"
            | "pinned"
    )
}

/// Whether an id or name was written by a person for one place: it counts nothing.
pub(super) fn is_stable_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 40
        && !name.bytes().any(|b| b.is_ascii_digit())
        && !super::ids::is_generated(name)
}
