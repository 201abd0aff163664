//! Files of at most `MAX_BYTES`; an error names the file.

use std::io::Read as _;
use std::path::Path;
use threadproof_format::limits::MAX_BYTES;

/// Reads a file of at most `MAX_BYTES` (and one byte more, which is then over the limit).
///
/// # Errors
/// What the system says, with the file's name.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, String> {
    let name = |error: std::io::Error| format!("{}: {error}", path.display());
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(name)?;
    file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(name)?;
    Ok(bytes)
}

/// Reads a file of text.
///
/// # Errors
/// As [`read`], or that it is not UTF-8.
pub(crate) fn read_text(path: &Path) -> Result<String, String> {
    let text = String::from_utf8(read(path)?);
    text.map_err(|_| format!("{}: the text is not UTF-8", path.display()))
}
