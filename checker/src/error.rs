//! Why a check did not accept: each reason is its own variant (SPEC.md section 10).

use crate::verdict::{Verdict, printable};
use std::fmt;
use threadproof_format::cbor::CborError;
pub use threadproof_format::work::Budget;
use threadproof_format::work::Spent;

/// What went wrong. [`Reason::verdict`] says what follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Over a limit of the table in SPEC.md section 11.
    Limit(&'static str),
    /// The certificate's bytes are not deterministic CBOR of the schema, or of another version.
    Encoding(CborError),
    /// A text is not a core form: line, column, what is wrong.
    Syntax(usize, usize, String),
    /// The same of the program that the certificate should be about: there is nothing to judge.
    Input(Box<Reason>),
    /// The certificate is about another program.
    ProgramDigest,
    /// A number that names nothing.
    Index(&'static str),
    /// An expression that is not well sorted.
    Sort(&'static str),
    /// A list that must be ascending (or without duplicates) is not.
    Order(&'static str),
    /// Something that nothing refers to.
    Unused(&'static str),
    /// A predicate's formula is syntactically a conjunction (Definition 4.2, condition 1).
    Conjunction,
    /// Two predicates are the same formula about the same templates.
    DuplicatePredicate,
    /// An instance names a thread twice, or one of another template.
    Instance(&'static str),
    /// A precondition mentions a thread that is neither acting nor in the postcondition
    /// (Definition 4.2, condition 2).
    Irrelevant,
    /// A step of a refutation.
    Refutation(RefutationReason),
    /// A configuration's step that its hints do not close.
    StepOpen,
    /// A hint that is no embedding, or that brings nothing new.
    Embedding(&'static str),
    /// A configuration that the initial states may satisfy.
    Accepting,
    /// A configuration with two threads of a single template.
    SingleTwice,
    /// An execution that is not one of the program.
    Replay(&'static str),
    /// An abstract program or thread that does not fit the concrete one.
    Abstraction(AbstractionReason),
}

/// Reasons of one kind, each with its text.
macro_rules! reasons {
    ($($(#[$about:meta])* $kind:ident as $of:ident { $($name:ident $text:literal,)* })*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $kind { $(#[doc = $text] $name,)* }

        impl fmt::Display for $kind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $($kind::$name => $text,)* })
            }
        }

        impl From<$kind> for Reason {
            fn from(reason: $kind) -> Self {
                Reason::$of(reason)
            }
        }
    )*};
}
reasons! {
    /// Why a refutation is wrong (SPEC.md section 6).
    RefutationReason as Refutation {
        UnknownLiteral "unknown literal",
        ClauseOrder "clause not strictly ascending",
        UnknownClause "unknown clause",
        NotUnit "hinted clause is not unit",
        NoConflict "hints do not end in the conflict",
        UnknownConstraint "unknown linear constraint",
        Multiplier "multiplier is not positive",
        NoContradiction "the combination is no contradiction",
        ArrayLemma "array lemma does not fit its leaves",
        AtomForm "atom not new or not in normal form",
        NoEmptyClause "the last step is not the empty clause",
        UnusedStep "a step that nothing uses",
    }
    /// Why an abstract program or thread does not fit the concrete one (SPEC.md section 12).
    AbstractionReason as Abstraction {
        Globals "the globals differ",
        Init "the initial conditions differ",
        Templates "the number of templates differs",
        ManyToOne "any number of threads come to a single template",
        Uncovered "no template comes to one of the abstract program",
        SeveralToOne "several templates come to a single one",
        Counted "threads of an abstracted template are counted",
        Kept "a kept template differs",
        Copies "number of copies",
        CopySort "a copy of another sort",
        Input "an input of the abstract thread that is no next value",
        Local "a local of the abstract thread is no copy",
        Invariants "number of invariants",
        Refutation "a refutation is missing",
    }
}

impl Reason {
    /// What the checker says for this reason: it declines, has no program, or rejects.
    pub fn verdict(&self) -> Verdict {
        match self.category() {
            "limit" | "version" => Verdict::Declined,
            _ if matches!(self, Reason::Input(_)) => Verdict::BadInput,
            _ => Verdict::Rejected,
        }
    }

    /// This reason, of the program that the checker was given.
    pub(crate) fn of_input(self) -> Self {
        if matches!(self, Reason::Syntax(..)) { Reason::Input(Box::new(self)) } else { self }
    }

    /// The error category of SPEC.md section 10.
    pub fn category(&self) -> &'static str {
        self.told().0
    }

    /// Category and text.
    fn told(&self) -> (&'static str, String) {
        match self {
            Reason::Limit(what) => ("limit", format!("over the limit: {what}")),
            Reason::Encoding(error) => (category(error), error.to_string()),
            Reason::Syntax(l, c, what) => ("syntax", format!("line {l}, column {c}: {what}")),
            Reason::Input(reason) => reason.told(),
            Reason::Index(what) => ("index", format!("a number that names no {what}")),
            Reason::Sort(what) => ("sort", format!("not well sorted: {what}")),
            Reason::Order(what) => ("order", format!("not ascending: {what}")),
            Reason::Unused(what) => ("unused", format!("nothing uses this {what}")),
            Reason::Instance(what) => {
                ("instance", format!("not an instance of the predicate: {what}"))
            }
            Reason::Refutation(reason) => ("refutation", format!("not a refutation: {reason}")),
            Reason::Embedding(what) => ("embedding", format!("not a useful embedding: {what}")),
            Reason::Replay(what) => ("replay", format!("not an execution: {what}")),
            Reason::Abstraction(reason) => ("abstraction", format!("no abstraction: {reason}")),
            Reason::ProgramDigest => ("digest", "the certificate is about another program".into()),
            Reason::Conjunction => ("conjunction", "a predicate that is a conjunction".into()),
            Reason::DuplicatePredicate => {
                ("duplicate-predicate", "a predicate that is listed already".into())
            }
            Reason::Irrelevant => {
                ("irrelevant-thread", "a precondition about an irrelevant thread".into())
            }
            Reason::StepOpen => ("step-open", "the hints leave this step open".into()),
            Reason::Accepting => {
                ("accepting", "an initial state may satisfy this configuration".into())
            }
            Reason::SingleTwice => ("single-twice", "two threads of a single template".into()),
        }
    }
}

/// The category of bytes that are refused.
fn category(error: &CborError) -> &'static str {
    match error {
        CborError::Limit(_) => "limit",
        CborError::Version(_) => "version",
        CborError::NotDeterministic(..) => "encoding",
        CborError::Shape(_) => "schema",
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told().1)
    }
}

impl std::error::Error for Reason {}

/// A reason and where in the program or certificate it arose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Path, from the outside in, such as `configuration 3, step 12`.
    pub place: String,
    /// What is wrong there.
    pub reason: Reason,
}

impl Failure {
    /// The same failure inside a place.
    pub(crate) fn inside(self, outer: &str) -> Self {
        let place = match self.place.is_empty() {
            true => outer.to_owned(),
            false => format!("{outer}, {}", self.place),
        };
        Failure { place, ..self }
    }
}

/// As text that a terminal shows as it is: parts of it can be the certificate's.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.place.is_empty() { "" } else { ": " };
        f.write_str(&printable(&format!("{}{place}{}", self.place, self.reason)))
    }
}

impl std::error::Error for Failure {}

/// Adds a place to a reason.
pub(crate) trait At<T> {
    fn at(self, place: impl FnOnce() -> String) -> Result<T, Failure>;
}

impl<T, E: Into<Reason>> At<T> for Result<T, E> {
    fn at(self, place: impl FnOnce() -> String) -> Result<T, Failure> {
        self.map_err(|reason| Failure { place: place(), reason: reason.into() })
    }
}

impl From<Spent> for Reason {
    fn from(Spent: Spent) -> Self {
        Reason::Limit("work")
    }
}

impl<E: Into<Reason>> From<E> for Failure {
    fn from(reason: E) -> Self {
        Failure { place: String::new(), reason: reason.into() }
    }
}
