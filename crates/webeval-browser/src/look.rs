//! What the script in the page answers.

use serde::Deserialize;
use webeval_evidence::Effect;

use crate::{Node, Scroll};

/// One look.
#[derive(Debug, Deserialize)]
pub(crate) struct Look {
    pub(crate) url: String,
    pub(crate) title: String,
    pub(crate) document: f64,
    pub(crate) viewport: (u32, u32),
    pub(crate) scroll: [f64; 4],
    pub(crate) nodes: Vec<Node>,
    pub(crate) left: u32,
    pub(crate) listeners: Vec<String>,
    pub(crate) lost: Vec<String>,
    pub(crate) deltas: Vec<String>,
    pub(crate) dialogs: Vec<Asked>,
    pub(crate) rejections: Vec<String>,
    pub(crate) scripts: u32,
    /// Frames with code of the app that the page may not look into, by their CSS paths.
    #[serde(default)]
    pub(crate) sealed: Vec<String>,
    /// Whether one of them has frames of its own, which nobody counts.
    #[serde(skip)]
    pub(crate) nested: bool,
    /// Workers that the page has started.
    #[serde(default)]
    pub(crate) workers: u32,
    /// Downloads that the page has asked for since the last look.
    #[serde(default)]
    pub(crate) downloads: u32,
    pub(crate) due: Option<u32>,
    pub(crate) moves: bool,
    pub(crate) html: Option<String>,
    /// Milliseconds: settling, collecting coverage, the tree, the page as HTML.
    pub(crate) spent: [f64; 4],
}

/// A dialog, as the page asked for it.
#[derive(Debug, Deserialize)]
pub(crate) struct Asked {
    pub(crate) kind: String,
    pub(crate) message: String,
}

impl From<[f64; 4]> for Scroll {
    fn from([x, y, max_x, max_y]: [f64; 4]) -> Self {
        Self { x, y, max_x: max_x.max(0.0), max_y: max_y.max(0.0) }
    }
}

/// The driver tells the text of a dialog only; the page, once it can be asked, tells the kind.
pub(crate) fn name_dialogs(effects: &mut [Effect], asked: &[Asked]) {
    let mut asked = asked.iter();
    for effect in effects {
        if let Effect::Dialog { kind, message, .. } = effect {
            if let Some(found) = asked.clone().find(|one| one.message == *message) {
                kind.clone_from(&found.kind);
                asked.next();
            } else if message.is_empty() {
                "beforeunload".clone_into(kind);
            }
        }
    }
}
