//! Text files that the command line names.

use std::path::Path;

use crate::failure::Failure;

/// Reads a UTF-8 file; one that cannot be read is bad input.
pub(crate) fn read_text(path: &Path) -> Result<String, Failure> {
    let bytes =
        std::fs::read(path).map_err(|error| Failure::Input(format!("cannot read {}: {error}", path.display())))?;
    String::from_utf8(bytes).map_err(|error| {
        Failure::Input(format!("{} is not UTF-8 (byte {})", path.display(), error.utf8_error().valid_up_to()))
    })
}

/// Writes a file that is asked for.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text).map_err(|error| Failure::Failed(format!("cannot write {}: {error}", path.display())))
}
