//! C programs with POSIX threads, as they are written.
//!
//! The passes: the text is preprocessed by the system's compiler, with headers of our own for threads and atomics
//! (`preprocess`), and parsed (`source`). Declarations give types and objects (`declare`, `specify`, `types`, `typing`). Starting from `main`,
//! the body of each thread is walked once, calls inlined (`threads`, `handles`, `statement`, `unroll`, `call`, `builtin`, `heap`): expressions become
//! elementary steps, one for each access to a shared variable, and terms over the thread's own variables between
//! them (`expression`, `condition`, `operate`, `place`, `pointer`, `aggregate`). The steps of a thread are a graph, in which those that no other thread can tell
//! apart are joined (`graph`), and from which the core program is made (`finish`), with equal threads counted (`groups`).
//!
//! - **Integers** are mathematical integers in the range of their type: each variable starts there, and what leaves it
//!   wraps (a case for each number of times), except that signed arithmetic is assumed not to: the step then
//!   waits for ever, and the claim says so. On request that is an error instead, as are accesses out of bounds (`checks`)
//!   and data races (`race`).
//! - **Objects** have cells, one for each scalar in them: variables of the core program, or the elements of one array
//!   if there are many. A pointer is the number of a cell. One whose value is known where it is used (an address that is
//!   passed to an inlined function) costs nothing; any other may point to each cell of its type whose address the program
//!   keeps somewhere. A function's parameter that is never written and gets a constant is that constant.
//! - **The end of the program** (`abort`, `exit`, `main` that returns) is the end of the thread: that the others
//!   go on shows nothing that they could not have done before.
//! - What must be known from the beginning but is found on the way (which addresses are kept, where threads are created more
//!   than once) is put down, and the lowering begins again (`Known`).
//!
//! What is not modelled is an error with its place.

mod assumptions;
mod check;
mod error;
mod facts;
mod lower;
mod memory;
mod reduce;
mod steps;
mod syntax;
mod threads;
mod types;
mod unit;

use super::Lowered;
use super::characters::without_mark;
use crate::frontend::c::assumptions::assumptions;
use crate::frontend::c::error::{Fault, Lower};
use crate::frontend::c::facts::Known;
use crate::frontend::c::lower::Lowering;
use crate::frontend::c::syntax::source::Source;
use lang_c::ast::TranslationUnit;
use std::fmt;

pub use check::{Check, Options};
pub use syntax::preprocess::{preprocess, warnings};
pub use types::DataModel;

/// Times that the lowering begins again.
const MAX_ROUNDS: usize = 100;
/// Bytes of the stack that parser and lowering recurse on.
const STACK: usize = 1 << 29;

/// What is wrong with a C program, or not supported, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CError {
    /// The file, as the preprocessor names it.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in the preprocessed line, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for CError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.message)
    }
}

impl std::error::Error for CError {}

/// The functions that are modelled: their names (what they begin with, if that ends in `_`), how
/// many operands they take, and whether more may follow.
pub fn modelled() -> impl Iterator<Item = (&'static str, usize, bool)> {
    syntax::modelled::FUNCTIONS.iter().map(|of| (of.name, of.takes.len(), of.more))
}

/// Lowers a preprocessed C text to the core program.
///
/// # Errors
///
/// The first thing that is wrong or not supported.
pub fn lower(name: &str, text: &str, options: impl Into<Options>) -> Result<Lowered, CError> {
    let (options, text) = (options.into(), without_mark(text));
    let error = |message: &str| CError {
        file: name.to_owned(),
        line: 1,
        column: 1,
        message: message.to_owned(),
    };
    let work = || {
        let source = Source::new(name, text.to_owned());
        lower_source(&source, &options).map_err(|fault| match fault {
            Fault::Error(at, message) => {
                let place = source.place(at);
                let (line, column) = (place.line, place.column);
                CError { file: place.file.to_owned(), line, column, message }
            }
            Fault::Again => error("the lowering does not come to an end"),
        })
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        let thread = thread.map_err(|e| error(&e.to_string()))?;
        thread.join().map_err(|_| error("the front end failed"))?
    })
}

fn lower_source(source: &Source, options: &Options) -> Lower<Lowered> {
    let unit = source.parse()?;
    let mut known = Known::default();
    for _ in 0..MAX_ROUNDS {
        let mut found = known.clone();
        let outcome = round(source, &unit, options, known.clone(), &mut found);
        match outcome {
            Err(Fault::Again) => {}
            Ok(lowered) if found == known => return Ok(lowered),
            Ok(_) => {}
            Err(error) if found == known => return Err(error),
            Err(_) => {}
        }
        if found == known {
            return Err(Fault::Again);
        }
        known = found;
    }
    Err(Fault::Again)
}

/// Lowers the program with what is known; what is found is added to `found`.
fn round(
    source: &Source,
    unit: &TranslationUnit,
    options: &Options,
    known: Known,
    found: &mut Known,
) -> Lower<Lowered> {
    let Known { mut singles, repeated, .. } = known.clone();
    singles.retain(|site, _| !repeated.contains(site));
    let mut lowering = Lowering::new(source, options, Known { singles, ..known });
    let made = lowering.program(unit);
    found.extend(std::mem::take(&mut lowering.facts.found));
    let mut made = made?;
    check::race::monitor(&mut made, lowering.memory.shared());
    reduce::reduce(&mut made, lowering.memory.shared(), lowering.threads.handed())
        .map_err(|(at, what)| Fault::unsupported(at, what))?;
    let flags = lowering.threads.alike().map(|(_, spawned)| spawned.created.clone()).collect();
    for (key, spawned) in lowering.threads.alike() {
        let free = threads::free::is_free(&made, &spawned.created, &flags);
        if spawned.free && !free {
            let what = "threads created repeatedly in such a loop";
            return Err(Fault::unsupported(spawned.at, what));
        }
        if free {
            found.free.insert(key.clone());
        }
    }
    reduce::symmetry::join(&mut made, lowering.memory.shared(), lowering.threads.spawned());
    let mut assumptions = assumptions(&lowering.assumed, options);
    let assertions = std::mem::take(&mut lowering.assertions);
    assumptions.extend(assertions.missing(lowering.unit.functions(), source, &made));
    let (program, notes) = reduce::emit::program(&made, lowering.memory.shared(), assumptions);
    Ok(Lowered { program, notes, clauses: Vec::new(), layers: Vec::new() })
}
