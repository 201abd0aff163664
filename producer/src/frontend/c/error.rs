//! Why a C program is not lowered.

/// What stops the lowering.
#[derive(Debug)]
pub(crate) enum Fault {
    /// An error at a byte of the preprocessed text.
    Error(usize, String),
    /// Something came to light that the lowering has to know from the beginning.
    Again,
}

impl Fault {
    /// The program is wrong.
    pub(crate) fn wrong(at: usize, message: String) -> Self {
        Fault::Error(at, message)
    }

    /// The program is C, but this part of it is not modelled.
    pub(crate) fn unsupported(at: usize, what: impl std::fmt::Display) -> Self {
        Fault::Error(at, format!("not supported: {what}"))
    }
}

/// The outcome of a part of the lowering.
pub(crate) type Lower<T> = Result<T, Fault>;
