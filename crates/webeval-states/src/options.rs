//! What takes part in identity, and at which levels.

use std::fmt;

use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use crate::Level;

/// How far one kind of dynamic state reaches: the coarsest level at which it still takes part in identity, or
/// `None` where it never does. Reaching a coarse level includes every finer one, which is why levels nest
/// whatever is chosen here.
pub type Reach = Option<Level>;

/// The parts of a page's state that its markup alone does not show, and how far each reaches.
///
/// | part | read from | default |
/// | --- | --- | --- |
/// | values of fields | `data-webeval-value`, else `value` or the text of a `textarea` | content |
/// | checkedness, selectedness | `data-webeval-checked`, `data-webeval-selected`, else `checked`, `selected` | content |
/// | checkedness in list items | the same | structure |
/// | pixels of a canvas | `data-webeval-canvas` | content |
/// | `open` of `dialog` and `details` | the attribute | structure |
/// | shadow roots | `<template shadowrootmode>` | structure |
/// | documents of frames | `<template data-webeval-frame>` | structure |
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct DynamicState {
    /// Values of text fields and selects. Labels of buttons are not values.
    pub values: Reach,
    /// Checkedness of checkboxes and radio buttons, selectedness of options.
    pub checked: Reach,
    /// Checkedness of checkboxes and radio buttons in the items of a list: what is done or picked there.
    pub checked_items: Reach,
    /// The pixel hash of a canvas.
    pub canvas: Reach,
    /// Whether a `dialog` or `details` is open.
    pub open: Reach,
    /// The content of shadow roots.
    pub shadow_roots: Reach,
    /// The documents of frames.
    pub frames: Reach,
}

impl Default for DynamicState {
    fn default() -> Self {
        Self {
            values: Some(Level::Content),
            checked: Some(Level::Content),
            checked_items: Some(Level::Structure),
            canvas: Some(Level::Content),
            open: Some(Level::Structure),
            shadow_roots: Some(Level::Structure),
            frames: Some(Level::Structure),
        }
    }
}

/// Whether something that reaches `reach` takes part in `level`.
pub(crate) fn reaches(reach: Reach, level: Level) -> bool {
    reach.is_some_and(|coarsest| level <= coarsest)
}

/// What identities look at. The default is what the rest of webeval uses and what ids are compared under.
///
/// ```
/// use webeval_states::{Level, Options, normalize};
///
/// let mut options = Options::default();
/// options.drop_attribute("data-build-*");
/// let form = normalize(r#"<p data-build-id="7f3" title="a">x</p>"#, Level::Exact, &options)?;
/// assert_eq!(form, r#"<p title="a">x</p>"#);
/// # Ok::<(), webeval_states::Error>(())
/// ```
#[derive(Clone)]
pub struct Options {
    /// How far dynamic state reaches.
    pub dynamic: DynamicState,
    dropped: FxHashSet<Box<str>>,
    dropped_prefixes: Vec<Box<str>>,
    /// First bytes of all dropped names, so that most attributes are told apart by one look.
    firsts: u128,
}

/// Attributes that frameworks and extensions write and rewrite by themselves, so that they say nothing about the
/// state of a page. A trailing `*` stands for any ending.
///
/// Event handler attributes (`on…`) are scripts and always removed; `style` is removed but for what hides an
/// element, which is kept as `hidden`; generated ids are renamed and hashed classes stripped of their hashes, see
/// the [crate documentation](crate).
pub const MUTABLE_ATTRIBUTES: &[&str] = &[
    // Focus, hover and placement, as the pointer or the viewport left them.
    "aria-activedescendant",
    "data-active-item",
    "data-focus",
    "data-focused",
    "data-focus-visible",
    "data-focus-visible-added",
    "data-focus-within",
    "data-hover",
    "data-hovered",
    "data-highlighted",
    "data-popper-*",
    "data-floating-*",
    "data-side",
    "data-align",
    "data-scroll-locked",
    "data-scroll-x",
    "data-scroll-y",
    // Security tokens.
    "nonce",
    "integrity",
    "data-csrf",
    "data-csrf-token",
    // React, Preact, Next, styled-components, emotion, react-helmet, react-beautiful-dnd.
    "data-reactroot",
    "data-reactid",
    "data-react-checksum",
    "data-react-helmet",
    "data-rh",
    "data-emotion",
    "data-styled",
    "data-styled-version",
    "data-rbd-*",
    "data-rfd-*",
    "data-nimg",
    "data-precedence",
    // Vue, Nuxt, Vite.
    "data-v-*",
    "data-vue-*",
    "data-server-rendered",
    "data-ssr",
    "data-n-head",
    "data-hid",
    "data-vite-*",
    // Angular.
    "_ngcontent-*",
    "_nghost-*",
    "ng-version",
    "ng-reflect-*",
    "ng-server-context",
    "ngh",
    "jsaction",
    "data-mat-*",
    "cdk-describedby-host",
    "aria-describedby-cdk-*",
    // Svelte, Astro, Solid, Qwik, Lit, Ember, Alpine, htmx, Turbo.
    "data-svelte-*",
    "data-astro-*",
    "data-hk",
    "data-hydrated",
    "q:*",
    "data-ember-*",
    "data-turbo-*",
    "data-turbolinks-*",
    // jQuery and its kin.
    "jquery*",
    "sizzle*",
    "data-jquery-*",
    "data-select2-id",
    // Browser extensions.
    "cz-shortcut-listen",
    "data-gr-*",
    "data-new-gr-*",
    "data-gramm*",
    "data-lt-*",
    "data-lpignore",
    "data-1p-ignore",
    "data-darkreader-*",
];

impl Default for Options {
    fn default() -> Self {
        let mut options = Self {
            dynamic: DynamicState::default(),
            dropped: FxHashSet::default(),
            dropped_prefixes: Vec::new(),
            firsts: 0,
        };
        for pattern in MUTABLE_ATTRIBUTES {
            options.drop_attribute(pattern);
        }
        options
    }
}

impl Options {
    /// Also removes attributes that match `pattern`: a name in lower case, or its start with a trailing `*`.
    pub fn drop_attribute(&mut self, pattern: &str) -> &mut Self {
        self.firsts |= first_bit(pattern.bytes().find(|b| *b != b'*'));
        match pattern.strip_suffix('*') {
            Some(prefix) => self.dropped_prefixes.push(prefix.into()),
            None => {
                self.dropped.insert(pattern.into());
            }
        }
        self
    }

    /// Keeps attributes that `pattern`, exactly as it stands in [`MUTABLE_ATTRIBUTES`] or was given to
    /// [`Options::drop_attribute`], would remove.
    pub fn keep_attribute(&mut self, pattern: &str) -> &mut Self {
        match pattern.strip_suffix('*') {
            Some(prefix) => self.dropped_prefixes.retain(|p| **p != *prefix),
            None => {
                self.dropped.remove(pattern);
            }
        }
        self
    }

    /// Whether attributes called `name` (in lower case) are removed.
    #[must_use]
    pub fn drops(&self, name: &str) -> bool {
        let may = self.firsts & first_bit(name.bytes().next()) != 0;
        may && (self.dropped.contains(name) || self.dropped_prefixes.iter().any(|prefix| name.starts_with(&**prefix)))
    }
}

/// The bit of a first byte. Whatever is not ASCII, and a pattern that matches everything, have all of them.
fn first_bit(byte: Option<u8>) -> u128 {
    match byte {
        Some(byte) if byte.is_ascii() => 1 << byte,
        _ => u128::MAX,
    }
}

impl fmt::Debug for Options {
    /// The patterns are many and mostly the default ones, so only their number is shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("dynamic", &self.dynamic)
            .field("dropped", &(self.dropped.len() + self.dropped_prefixes.len()))
            .finish()
    }
}
