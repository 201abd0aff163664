//! Files of at most `MAX_BYTES`; an error names the file.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::string::FromUtf8Error;
use threadproof_format::limits::MAX_BYTES;

/// An error, and the file that it is about.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", .path.display())]
pub(crate) struct FileError<E> {
    path: PathBuf,
    source: E,
}

impl<E> FileError<E> {
    /// Names the file that an error is about.
    pub(crate) fn of(path: &Path) -> impl Fn(E) -> FileError<E> {
        move |source| FileError { path: path.to_owned(), source }
    }
}

/// Why a file of text is not read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TextError {
    /// What the system says.
    #[error(transparent)]
    System(#[from] io::Error),
    /// Its bytes are no text.
    #[error("the text is not UTF-8")]
    Encoding(#[from] FromUtf8Error),
}

/// Reads a file of at most `MAX_BYTES` (and one byte more, which is then over the limit).
///
/// # Errors
/// What the system says, with the file's name.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, FileError<io::Error>> {
    bytes(path).map_err(FileError::of(path))
}

/// Reads a file of text.
///
/// # Errors
/// As [`read`], or that it is not UTF-8.
pub(crate) fn read_text(path: &Path) -> Result<String, FileError<TextError>> {
    let text = || Ok(String::from_utf8(bytes(path)?)?);
    text().map_err(FileError::of(path))
}

fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
