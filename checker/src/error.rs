//! Why a check did not accept: each reason is its own variant (SPEC.md section 10).

use crate::verdict::{Verdict, printable};
use std::fmt;
use threadproof_format::cbor::CborError;
pub use threadproof_format::work::Budget;
use threadproof_format::work::{List as _, Seq, Spent};

/// What went wrong. [`Reason::verdict`] says what follows.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
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
    Abstraction(&'static str),
}

/// Why a refutation is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RefutationReason {
    /// A literal that names no variable of the clausal form.
    UnknownLiteral,
    /// A clause that is not strictly ascending.
    ClauseOrder,
    /// A hint that names no clause.
    UnknownClause,
    /// A hinted clause that is not unit at that point.
    NotUnit,
    /// The hints end without a conflict, or go on after it.
    NoConflict,
    /// A Farkas constraint that is no linear literal or no earlier combination.
    UnknownConstraint,
    /// A Farkas multiplier that is zero or negative.
    Multiplier,
    /// The last combination is no contradiction.
    NoContradiction,
    /// An array lemma about leaves of another shape, or an unknown case.
    ArrayLemma,
    /// An atom that is not in normal form, or is known already.
    AtomForm,
    /// The last step does not derive the empty clause.
    NoEmptyClause,
    /// A step that no later step uses.
    UnusedStep,
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
        match self {
            Reason::Limit(_) | Reason::Encoding(CborError::Limit(_)) => "limit",
            Reason::Encoding(CborError::Version(_)) => "version",
            Reason::Encoding(CborError::NotDeterministic(..)) => "encoding",
            Reason::Encoding(CborError::Shape(_)) => "schema",
            Reason::Syntax(..) | Reason::Input(_) => "syntax",
            Reason::ProgramDigest => "digest",
            Reason::Index(_) => "index",
            Reason::Sort(_) => "sort",
            Reason::Order(_) => "order",
            Reason::Unused(_) => "unused",
            Reason::Conjunction => "conjunction",
            Reason::DuplicatePredicate => "duplicate-predicate",
            Reason::Instance(_) => "instance",
            Reason::Irrelevant => "irrelevant-thread",
            Reason::Refutation(_) => "refutation",
            Reason::StepOpen => "step-open",
            Reason::Embedding(_) => "embedding",
            Reason::Accepting => "accepting",
            Reason::SingleTwice => "single-twice",
            Reason::Replay(_) => "replay",
            Reason::Abstraction(_) => "abstraction",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Limit(what) => write!(f, "over the limit: {what}"),
            Reason::Encoding(error) => error.fmt(f),
            Reason::Syntax(line, column, what) => write!(f, "line {line}, column {column}: {what}"),
            Reason::Input(reason) => reason.fmt(f),
            Reason::ProgramDigest => f.write_str("the certificate is about another program"),
            Reason::Index(what) => write!(f, "a number that names no {what}"),
            Reason::Sort(what) => write!(f, "not well sorted: {what}"),
            Reason::Order(what) => write!(f, "not ascending: {what}"),
            Reason::Unused(what) => write!(f, "nothing uses this {what}"),
            Reason::Conjunction => f.write_str("a predicate that is a conjunction"),
            Reason::DuplicatePredicate => f.write_str("a predicate that is listed already"),
            Reason::Instance(what) => write!(f, "not an instance of the predicate: {what}"),
            Reason::Irrelevant => f.write_str("a precondition about an irrelevant thread"),
            Reason::Refutation(reason) => write!(f, "not a refutation: {}", reason.text()),
            Reason::StepOpen => f.write_str("the hints leave this step open"),
            Reason::Embedding(what) => write!(f, "not a useful embedding: {what}"),
            Reason::Accepting => f.write_str("an initial state may satisfy this configuration"),
            Reason::SingleTwice => f.write_str("two threads of a single template"),
            Reason::Replay(what) => write!(f, "not an execution: {what}"),
            Reason::Abstraction(what) => write!(f, "no abstraction: {what}"),
        }
    }
}

impl std::error::Error for Reason {}

impl RefutationReason {
    fn text(self) -> &'static str {
        match self {
            RefutationReason::UnknownLiteral => "unknown literal",
            RefutationReason::ClauseOrder => "clause not strictly ascending",
            RefutationReason::UnknownClause => "unknown clause",
            RefutationReason::NotUnit => "hinted clause is not unit",
            RefutationReason::NoConflict => "hints do not end in the conflict",
            RefutationReason::UnknownConstraint => "unknown linear constraint",
            RefutationReason::Multiplier => "multiplier is not positive",
            RefutationReason::NoContradiction => "the combination is no contradiction",
            RefutationReason::ArrayLemma => "array lemma does not fit its leaves",
            RefutationReason::AtomForm => "atom not new or not in normal form",
            RefutationReason::NoEmptyClause => "the last step is not the empty clause",
            RefutationReason::UnusedStep => "a step that nothing uses",
        }
    }
}

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

impl From<Spent> for Failure {
    fn from(spent: Spent) -> Self {
        Reason::from(spent).into()
    }
}

impl From<Reason> for Failure {
    fn from(reason: Reason) -> Self {
        Failure { place: String::new(), reason }
    }
}

impl From<RefutationReason> for Reason {
    fn from(reason: RefutationReason) -> Self {
        Reason::Refutation(reason)
    }
}

/// Looks an element up; a number that names nothing is an error.
pub(crate) fn get<'a, T>(
    list: &'a Seq<T>,
    index: u32,
    what: &'static str,
    budget: &Budget,
) -> Result<&'a T, Reason> {
    list.at(index, budget)?.ok_or(Reason::Index(what))
}

/// A list's length or index as a number of the format.
pub(crate) fn number(value: usize) -> Result<u32, Reason> {
    u32::try_from(value).map_err(|_| Reason::Limit("elements of a list"))
}

/// How many elements are held that the certificate does not list (SPEC.md section 11).
#[derive(Debug, Default)]
pub struct Held(usize);

impl Held {
    /// Adds `amount`.
    ///
    /// # Errors
    /// `Limit` when it is too much.
    pub fn hold(&mut self, amount: usize) -> Result<(), Reason> {
        self.0 = self.0.saturating_add(amount);
        if self.0 > threadproof_format::limits::MAX_HELD {
            return Err(Reason::Limit("elements held at one time"));
        }
        Ok(())
    }
}
