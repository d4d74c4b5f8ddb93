//! DOM snapshots in, state identities and a state-transition graph out.
//!
//! Someone explores a web application and keeps a snapshot of the page after every action. Hundreds of snapshots
//! show a dozen *states*: the empty list, the list with something in it, the open dialog. This crate says which
//! snapshots show the same state, and keeps the graph of states and of the actions between them (WebCraftBench, §4.3).
//! It reads text and returns values: no browser, no I/O, no clock.
//!
//! # Normal forms
//!
//! A page is reduced to a *normal form*, and pages with the same normal form are the same state. How much is reduced
//! is a [`Level`]:
//!
//! - [`Level::Exact`] removes scripts, styles and what frameworks write by themselves ([`MUTABLE_ATTRIBUTES`], hashes
//!   in class names), renames generated ids consistently, and puts `{time}` for clock and date strings.
//! - [`Level::Content`] also sorts the items of lists and drops repeated ones.
//! - [`Level::Structure`] drops all text and keeps the parts of the page (landmarks, lists, fields, buttons, whatever
//!   has a name) as nested sets. Of list items, rows and cards only what takes input or is open is kept, and what is
//!   hidden is not kept at all.
//!
//! Levels nest: pages equal at one level are equal at every coarser one. A normal form is HTML again, and normalising
//! it changes nothing. A [`StateId`] is the XXH3-128 of a normal form, stable within one [`FORMAT`].
//!
//! ```
//! use webeval_states::{Options, identify};
//!
//! let options = Options::default();
//! let tea = identify("<ul><li>Tea, 3 minutes ago</li></ul>", &options)?;
//! let later = identify("<ul><li>Tea, just now</li></ul>", &options)?;
//! let more = identify("<ul><li>Milk, 09:41</li><li>Tea, 09:38</li></ul>", &options)?;
//! let none = identify("<ul></ul>", &options)?;
//! assert_eq!(tea, later);
//! assert_ne!(tea.level1, more.level1);
//! assert_eq!(tea.level2, more.level2);
//! assert_ne!(tea.level2, none.level2);
//! # Ok::<(), webeval_states::Error>(())
//! ```
//!
//! Between pages that differ at level 2, [`Profile::similarity`] says how much.
//!
//! # Snapshots
//!
//! The input is the page as a browser serialises it, with what markup does not show written into the copy:
//!
//! | written | on | means |
//! | --- | --- | --- |
//! | `<template shadowrootmode="…">` | first child of the host | its open shadow root |
//! | `<template data-webeval-frame>` | child of `iframe` | the document in the frame |
//! | `data-webeval-value="…"` | `input`, `textarea`, `select` | the present value |
//! | `data-webeval-checked="true"` or `"false"` | `input` | the present checkedness; without a value, true |
//! | `data-webeval-selected="true"` or `"false"` | `option` | the present selectedness; without a value, true |
//! | `data-webeval-canvas="…"` | `canvas` | a hash of its pixels |
//! | `data-webeval-hidden` | anything | not displayed, by whatever style sheet |
//! | `data-webeval-volatile` | anything | changes without input: its content and pixels are ignored at all levels |
//!
//! How far each kind of state reaches, that is up to which level it counts, is set by [`DynamicState`].
//!
//! # Graph and diff
//!
//! A [`StateGraph`] keeps states and transitions, answers questions (the way to a state, what failed, dead ends), shows
//! itself at any level ([`StateGraph::view`]), and exports JSON, DOT, GraphML and an overview in words. [`diff`] says
//! what changed between two [`Dom`]s in steps that [`apply`] replays, with references that stay with their nodes.

mod diff;
mod error;
mod graph;
mod identity;
mod level;
mod normal;
mod options;
mod similarity;

pub use diff::{Dom, Inserted, NodeRef, Operation, TreeDiff, apply, diff};
pub use error::Error;
pub use graph::{
    GRAPH_FORMAT, GraphView, Observation, Outcome, READABLE_STATES, Snapshot, State, StateGraph, Transition, ViewState,
    ViewTransition,
};
pub use identity::{FORMAT, Identity, StateId, identify, normalize};
pub use level::Level;
pub use options::{DynamicState, MUTABLE_ATTRIBUTES, Options, Reach};
pub use similarity::{Profile, Similarity};

/// The longest page that is read, in bytes. Offsets into its forms, which can be a few times as long, then fit into
/// 32 bits.
pub const MAX_BYTES: usize = 1 << 29;
