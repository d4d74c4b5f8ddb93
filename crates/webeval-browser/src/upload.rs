//! Small files of every common kind, made for file inputs.

use std::path::Path;

use crate::error::Error;
use crate::session::Session;

/// A PNG of one red pixel.
const PNG: &[u8] = &[
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1, 0, 0, 0, 1, 8,
    2, 0, 0, 0, 0x90, 0x77, 0x53, 0xde, 0, 0, 0, 0x0c, 0x49, 0x44, 0x41, 0x54, 0x08, 0xd7, 0x63, 0xf8, 0xcf, 0xc0, 0,
    0, 0x03, 0x01, 0x01, 0, 0x18, 0xdd, 0x8d, 0xb0, 0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
];

/// The content of the file that an upload gives under `name`; its extension tells the kind.
#[must_use]
pub fn sample_file(name: &str) -> Vec<u8> {
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match extension {
        "png" => PNG.to_vec(),
        "csv" => b"name,amount,date\nApple,3,2024-01-15\nPear,5,2024-02-20\n".to_vec(),
        "json" => br#"{"name": "Sample", "items": [1, 2, 3]}"#.to_vec(),
        "html" => b"<!DOCTYPE html><title>Sample</title><p>Hello</p>".to_vec(),
        "svg" => {
            br#"<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><circle cx="10" cy="10" r="8"/></svg>"#
                .to_vec()
        }
        "md" => b"# Sample\n\nSome *text*.\n".to_vec(),
        _ => b"Hello from a small file.\nSecond line.\n".to_vec(),
    }
}

impl Session {
    /// Makes the file `name` and tells its path.
    pub(crate) async fn upload_file(&self, name: &str) -> Result<String, Error> {
        let name = Path::new(name).file_name().map_or_else(|| "sample.txt".into(), |name| name.to_owned());
        let folder = self.driver.folder().await.unwrap_or_else(std::env::temp_dir).join("uploads");
        let path = folder.join(&name);
        std::fs::create_dir_all(&folder).map_err(Error::io("make a folder for uploads"))?;
        std::fs::write(&path, sample_file(&name.to_string_lossy())).map_err(Error::io("make a file to upload"))?;
        Ok(path.display().to_string())
    }
}
