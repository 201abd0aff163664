//! Why a C program is not lowered.

/// What stops the lowering.
#[derive(Debug)]
pub(super) enum Fault {
    /// An error at a byte of the preprocessed text.
    Error(usize, String),
    /// Something came to light that the lowering has to know from the beginning.
    Again,
}

impl Fault {
    /// The program is wrong.
    pub(super) fn wrong(at: usize, message: String) -> Self {
        Fault::Error(at, message)
    }

    /// The program is C, but this part of it is not modelled.
    pub(super) fn unsupported(at: usize, what: impl std::fmt::Display) -> Self {
        Fault::Error(at, format!("not supported: {what}"))
    }
}

/// The outcome of a part of the lowering.
pub(super) type Lower<T> = Result<T, Fault>;
