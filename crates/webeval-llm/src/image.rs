//! Pictures as models take them.

use std::io::Cursor;
use std::sync::Arc;

use image::ImageFormat;
use image::imageops::FilterType;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{Adjustment, Error, Profile};

/// A PNG or JPEG picture. In recordings it stands as its name and hash, without its bytes.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// What it is called in records, such as `screenshots/9f86d081884c7d65.png`.
    pub name: String,
    sha256: String,
    #[serde(skip)]
    bytes: Arc<[u8]>,
}

impl std::fmt::Debug for Image {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Image({}, {} bytes)", self.name, self.bytes.len())
    }
}

impl Image {
    /// A picture from an encoded file.
    ///
    /// # Errors
    /// [`Error::Image`] when it is neither PNG nor JPEG.
    pub fn new(name: impl Into<String>, bytes: impl Into<Arc<[u8]>>) -> Result<Self, Error> {
        let (name, bytes) = (name.into(), bytes.into());
        let sha256 = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        let image = Self { name, sha256, bytes };
        image.size()?;
        Ok(image)
    }

    /// Width and height in pixels.
    ///
    /// # Errors
    /// [`Error::Image`] when the file's head cannot be read.
    pub fn size(&self) -> Result<(u32, u32), Error> {
        let reader = image::ImageReader::new(Cursor::new(&self.bytes[..])).with_guessed_format();
        let reader = reader.map_err(|error| self.unreadable(error))?;
        reader.into_dimensions().map_err(|error| self.unreadable(error))
    }

    /// The encoded file.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn media_type(&self) -> &'static str {
        match image::guess_format(&self.bytes) {
            Ok(ImageFormat::Jpeg) => "image/jpeg",
            _ => "image/png",
        }
    }

    /// The picture within the model's limits, and what had to be done for that.
    pub(crate) fn fit(&self, profile: &Profile) -> Result<(Self, Option<Adjustment>), Error> {
        let (width, height) = self.size()?;
        if width.max(height) <= profile.max_image_edge && self.bytes.len() <= profile.max_image_bytes {
            return Ok((self.clone(), None));
        }
        let whole = image::load_from_memory(&self.bytes).map_err(|error| self.unreadable(error))?;
        let mut edge = profile.max_image_edge.min(width.max(height));
        loop {
            let smaller = whole.resize(edge, edge, FilterType::Triangle);
            let mut bytes = Vec::new();
            smaller.write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png).map_err(|error| self.unreadable(error))?;
            if bytes.len() <= profile.max_image_bytes || edge <= 64 {
                let adjustment = Adjustment::ImageDownscaled {
                    name: self.name.clone(),
                    from: format!("{width}x{height}"),
                    to: format!("{}x{}", smaller.width(), smaller.height()),
                };
                return Ok((Self::new(self.name.clone(), bytes)?, Some(adjustment)));
            }
            edge = edge * 3 / 4;
        }
    }

    fn unreadable(&self, source: impl std::error::Error + Send + Sync + 'static) -> Error {
        Error::Image { name: self.name.clone(), source: Box::new(source) }
    }
}
