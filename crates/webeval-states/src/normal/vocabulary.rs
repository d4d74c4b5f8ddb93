//! Words that name the parts and conditions of interfaces, whatever they were built with.

/// Whether elements with this role come in lists.
pub(super) fn is_item_role(role: &str) -> bool {
    matches!(
        role,
        "listitem" | "row" | "option" | "article" | "treeitem" | "menuitem" | "menuitemradio" | "menuitemcheckbox"
    )
}

/// Whether a class names one thing of many: `card`, `product-item`, `todo__row`.
pub(super) fn is_item_class(token: &str) -> bool {
    let last = token.rsplit(['-', '_']).next().unwrap_or(token);
    // Camel case: `productCard`.
    let last = last.rfind(|c: char| c.is_ascii_uppercase()).map_or(last, |at| &last[at..]);
    const ITEMS: &[&str] = &[
        "item",
        "card",
        "row",
        "entry",
        "post",
        "tile",
        "result",
        "product",
        "message",
        "comment",
        "record",
        "task",
        "todo",
        "note",
        "review",
        "book",
        "recipe",
        "event",
        "contact",
        "bubble",
        "chip",
        "notification",
    ];
    ITEMS.iter().any(|item| last.eq_ignore_ascii_case(item))
}

/// Whether a class says how a thing is, not what it is.
pub(super) fn is_state_class(token: &str) -> bool {
    let bare = token.strip_prefix("is-").or_else(|| token.strip_prefix("has-")).unwrap_or(token);
    matches!(
        bare,
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
