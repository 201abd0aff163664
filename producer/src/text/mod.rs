//! Source text: characters, comments, tokens and diagnostics.

pub(crate) mod characters;
pub(crate) mod comments;
pub mod diagnostics;
pub(crate) mod file;
pub(crate) mod token;

pub use diagnostics::{Diagnostic, Diagnostics};
