//! Why a C program is not lowered.

/// What is wrong with the program, or not supported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Problem {
    /// The byte of the preprocessed text.
    pub at: usize,
    pub message: String,
    /// How to put it right.
    pub hint: Option<&'static str>,
}

/// What stops the lowering.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    /// The program is wrong or not supported.
    #[error("{0}")]
    Problem(Problem),
    /// As [`Fault::Problem`], several times. Never empty.
    #[error("{} problems", .0.len())]
    Problems(Vec<Problem>),
    /// A whole-program fact came to light that the pass did not know.
    #[error("the lowering does not come to an end")]
    NeedsRestart,
}

impl Fault {
    /// The program is wrong.
    pub(crate) fn wrong(at: usize, message: impl Into<String>) -> Self {
        Fault::Problem(Problem { at, message: message.into(), hint: None })
    }

    /// The program is C, but this part of it is not modelled.
    pub(crate) fn unsupported(at: usize, what: impl std::fmt::Display) -> Self {
        Fault::wrong(at, format!("not supported: {what}"))
    }

    /// The same with how to put it right.
    pub(crate) fn hint(mut self, hint: &'static str) -> Self {
        if let Fault::Problem(problem) = &mut self {
            problem.hint = Some(hint);
        }
        self
    }

    /// What is wrong, unless the pass has to begin again.
    pub(crate) fn problems(self) -> Option<Vec<Problem>> {
        match self {
            Fault::Problem(problem) => Some(vec![problem]),
            Fault::Problems(problems) => Some(problems),
            Fault::NeedsRestart => None,
        }
    }
}

/// The outcome of a part of the lowering.
pub(crate) type Lower<T> = Result<T, Fault>;

/// Problems of independent parts of a program.
#[derive(Debug, Default)]
pub(crate) struct Problems(Vec<Problem>);

impl Problems {
    /// Keeps what is wrong with one part, to go on with the next.
    pub(crate) fn keep<T>(&mut self, outcome: Lower<T>) -> Lower<Option<T>> {
        match outcome {
            Ok(done) => Ok(Some(done)),
            Err(Fault::NeedsRestart) => Err(Fault::NeedsRestart),
            Err(fault) => {
                self.0.extend(fault.problems().into_iter().flatten());
                Ok(None)
            }
        }
    }

    /// All of them, if there are any.
    pub(crate) fn all(self) -> Lower<()> {
        if self.0.is_empty() { Ok(()) } else { Err(Fault::Problems(self.0)) }
    }
}
