//! Words that name the parts and conditions of interfaces, whatever they were built with.

/// Whether elements with this role come in lists.
pub(super) fn is_item_role(role: &str) -> bool {
    matches!(
        role,
        "listitem" | "row" | "option" | "article" | "treeitem" | "menuitem" | "menuitemradio" | "menuitemcheckbox"
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
    let bytes = token.as_bytes();
    let start = bytes.iter().rposition(|b| matches!(b, b'-' | b'_')).map_or(0, |at| at + 1);
    // Camel case: `productCard`.
    let start = bytes[start..].iter().rposition(u8::is_ascii_uppercase).map_or(start, |at| start + at);
    let mut lower = [0; 8];
    let Some(last) = lower.get_mut(..bytes.len() - start) else {
        return false;
    };
    last.copy_from_slice(&bytes[start..]);
    last.make_ascii_lowercase();
    matches!(
        &*last,
        b"item"
            | b"card"
            | b"row"
            | b"entry"
            | b"tile"
            | b"comment"
            | b"task"
            | b"todo"
            | b"bubble"
            | b"chip"
            | b"review"
            | b"message"
            | b"article"
            | b"listitem"
            | b"cell"
            | b"teaser"
            | b"preview"
    )
}

/// Whether `base` is what the container with this open tag is named for: `product` in `products` or `product-list`.
pub(super) fn is_member(base: &str, container: &str) -> bool {
    // An open tag longer than this names nothing.
    if base.len() < 3 || container.len() > 200 || container.len() <= base.len() {
        return false;
    }
    container.match_indices(base).any(|(at, _)| {
        let starts = at > 0 && matches!(container.as_bytes()[at - 1], b' ' | b'"' | b'-' | b'_');
        let rest = &container[at + base.len()..];
        let end = rest.find([' ', '"']).unwrap_or(rest.len());
        let rest = rest[..end].trim_start_matches(['-', '_']);
        starts && matches!(rest, "s" | "es" | "list" | "List" | "grid" | "Grid" | "s-list" | "s-grid" | "s-container")
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
    let pages =
        tokens.iter().any(|t| matches!(after_last(t, b"__"), "pagination" | "pager" | "paginator" | "page-numbers"));
    pages || (hidden && !sometimes())
}

/// Whether an accessible name is that of the pages of a list, which say how much data there is.
pub(super) fn is_paging_label(label: &str) -> bool {
    label.len() < 40 && label.to_ascii_lowercase().contains("paginat")
}

/// Whether a class takes its element out of sight, at some width of the window at least.
pub(super) fn is_hiding_class(token: &str) -> bool {
    matches!(token, "hidden" | "d-none" | "is-hidden" | "hide" | "u-hidden")
}

/// Whether a class says that something is open, edited or wrong.
pub(super) fn is_telling_class(token: &str) -> bool {
    let bare = token.strip_prefix("is-").or_else(|| token.strip_prefix("has-")).unwrap_or(token);
    matches!(
        after_last(bare, b"--"),
        "open" | "opened" | "expanded" | "editing" | "edit-mode" | "error" | "errors" | "invalid" | "is-invalid"
    )
}

/// What follows the last `separator` in `token`, or all of it.
fn after_last<'t>(token: &'t str, separator: &[u8; 2]) -> &'t str {
    token.as_bytes().windows(2).rposition(|pair| pair == separator).map_or(token, |at| &token[at + 2..])
}

/// The condition in a class: `active` in `is-active`, `tab--active` and `router-link-active`.
fn condition(token: &str) -> &str {
    let bare = token.strip_prefix("is-").or_else(|| token.strip_prefix("has-")).unwrap_or(token);
    let bare = after_last(bare, b"--");
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
    !name.is_empty() && name.len() <= 40 && !name.bytes().any(|b| b.is_ascii_digit()) && !super::ids::is_generated(name)
}
