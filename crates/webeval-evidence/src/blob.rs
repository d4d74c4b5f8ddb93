//! Content-addressed storage: the same snapshot or screenshot is stored once.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::Error;

/// What a blob holds, and so in which folder it lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlobKind {
    /// A page as HTML: `snapshots/*.html`.
    Snapshot,
    /// A picture: `screenshots/*.png`.
    Screenshot,
    /// Measurements as JSON: `probes/*.json`.
    Probe,
}

impl BlobKind {
    pub(crate) const ALL: [Self; 3] = [Self::Snapshot, Self::Screenshot, Self::Probe];

    pub(crate) fn folder(self) -> &'static str {
        match self {
            Self::Snapshot => "snapshots",
            Self::Screenshot => "screenshots",
            Self::Probe => "probes",
        }
    }

    fn extension(self) -> &'static str {
        match self {
            Self::Snapshot => "html",
            Self::Screenshot => "png",
            Self::Probe => "json",
        }
    }
}

/// Reference to a stored blob: its path relative to the run directory, such as `snapshots/9f86d081884c7d65.html`.
/// The name is the first 16 hex digits of the content's SHA-256.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct BlobRef(String);

impl BlobRef {
    /// The reference that `content` has when stored as `kind`.
    #[must_use]
    pub fn of(kind: BlobKind, content: &[u8]) -> Self {
        let digest = Sha256::digest(content);
        let name: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        Self(format!("{}/{name}.{}", kind.folder(), kind.extension()))
    }

    /// The path relative to the run directory, `/` as separator.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The kind, from the folder; none for a reference that names no blob folder of ours.
    #[must_use]
    pub fn kind(&self) -> Option<BlobKind> {
        let (folder, _) = self.0.split_once('/')?;
        BlobKind::ALL.into_iter().find(|kind| kind.folder() == folder)
    }

    /// The name without folder and extension.
    #[must_use]
    pub fn stem(&self) -> &str {
        let name = self.0.rsplit('/').next().unwrap_or_default();
        name.split('.').next().unwrap_or_default()
    }

    /// Where it lies under `root`. A reference read from a file may have been forged, so one that is not
    /// `folder/name.extension` is refused.
    pub(crate) fn resolve(&self, root: &Path) -> Result<std::path::PathBuf, Error> {
        let escape = || Error::Escape { reference: self.0.clone() };
        let kind = self.kind().ok_or_else(escape)?;
        let name = self.0.strip_prefix(kind.folder()).and_then(|rest| rest.strip_prefix('/')).ok_or_else(escape)?;
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty() || name.starts_with('.') || !name.chars().all(plain) {
            return Err(escape());
        }
        Ok(root.join(kind.folder()).join(name))
    }
}

impl std::fmt::Display for BlobRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
