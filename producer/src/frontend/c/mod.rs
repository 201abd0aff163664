//! C programs with POSIX threads, as they are written.
//!
//! The text is preprocessed by the system's compiler, with headers of our own for threads and
//! atomics, and parsed (`syntax`). Starting from `main`, the body of each thread is walked once,
//! calls inlined (`lower`): expressions become elementary steps, one for each access to a shared
//! variable, and terms over the thread's own variables between them (`steps`). Each part of the
//! walk's state has a room: declarations (`unit`) with their types (`types`), objects (`memory`),
//! the threads that are created (`threads`), whole-program facts (`facts`) and what is checked
//! (`check`). The steps of a thread are an automaton, which Lipton reduction makes small (`reduce`)
//! before it is a template of the core program.
//!
//! - **Integers** are mathematical integers in the range of their type: each variable starts there,
//!   and what leaves it wraps (a case for each number of times), except that signed arithmetic is
//!   assumed not to: the step then waits for ever, and the claim says so. On request that is an
//!   error instead, as are accesses out of bounds and data races.
//! - **Objects** have cells, one for each scalar in them: variables of the core program, or the
//!   elements of one array if there are many. A pointer is the number of a cell. One whose value is
//!   known where it is used (an address that is passed to an inlined function) costs nothing; any
//!   other may point to each cell of its type whose address the program keeps somewhere. A
//!   function's parameter that is never written and gets a constant is that constant.
//! - **The end of the program** (`abort`, `exit`, `main` that returns) is the end of the thread:
//!   that the others go on shows nothing that they could not have done before.
//! - **Whole-program facts** (which addresses are kept, where threads are created more than once)
//!   are the least fixed point of passes over the program (`fixed_point`).
//!
//! What is not modelled is an error with its place.

mod assumptions;
mod check;
mod error;
mod facts;
mod fixed_point;
mod lower;
mod memory;
mod read;
mod reduce;
mod steps;
mod syntax;
mod term;
mod threads;
mod types;
mod unit;

use crate::frontend::c::syntax::source::Source;
use crate::source;
use crate::text::characters::without_mark;
use crate::text::{Diagnostic, Diagnostics};

pub use check::{Check, Options};
pub use read::C;
pub use syntax::preprocess::{PreprocessError, preprocess, warnings};
pub use types::DataModel;

/// Bytes of the stack that parser and lowering recurse on.
const STACK: usize = 1 << 29;

/// The functions that are modelled: their names (what they begin with, if that ends in `_`), how
/// many operands they take, and whether more may follow.
pub fn modelled() -> impl Iterator<Item = (&'static str, usize, bool)> {
    syntax::modelled::FUNCTIONS.iter().map(|of| (of.name, of.takes.len(), of.more))
}

/// Lowers a preprocessed C text to the core program.
///
/// # Errors
///
/// What is wrong or not supported: in each declaration, or else in each thread the first of it.
pub fn lower(
    name: &str,
    text: &str,
    options: impl Into<Options>,
) -> Result<source::Source, Diagnostics> {
    let (options, text) = (options.into(), without_mark(text));
    let failed = |message: &str| Diagnostics::new(name, "", vec![Diagnostic::new(0..0, message)]);
    let work = || {
        let source = Source::new(name, text.to_owned());
        let lowered = fixed_point::lower_source(&source, &options);
        lowered.map_err(|fault| {
            let said = fault.to_string();
            fault.problems().map_or_else(|| failed(&said), |problems| source.diagnose(problems))
        })
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        let thread = thread.map_err(|e| failed(&e.to_string()))?;
        thread.join().map_err(|_| failed("the front end failed"))?
    })
}
