//! The walk over the syntax tree: each thread's body, with its calls inlined, becomes an automaton
//! of elementary steps.
//!
//! [`Lowering`] holds the parts of one pass. Each part owns its state, and gets what it needs of
//! others as arguments. The walk brings them together: declarations (`declaration`), statements,
//! expressions, calls, accesses to objects (`access`), and the threads (`program`).

mod access;
mod call;
pub(crate) mod declaration;
mod expression;
pub(crate) mod program;
mod statement;
pub(crate) mod thread;

use crate::frontend::c::assumptions::Assumed;
use crate::frontend::c::check::assertions::{Assertions, LABEL};
use crate::frontend::c::check::{Checks, Options};
use crate::frontend::c::error::Lower;
use crate::frontend::c::facts::{Facts, Known};
use crate::frontend::c::lower::thread::{Inlined, Thread};
use crate::frontend::c::memory::Memory;
use crate::frontend::c::steps::builder::Steps;
use crate::frontend::c::steps::command::Command;
use crate::frontend::c::syntax::source::Source;
use crate::frontend::c::threads::Threads;
use crate::frontend::c::types::layout::Types;
use crate::frontend::c::unit::Unit;
use lang_c::span::Span;

/// Words of what may change the layout of structures.
const ATTRIBUTES: [&str; 4] = ["packed", "aligned", "_Alignas", "#pragma pack"];

/// One pass of the lowering: its parts, each with one job.
pub(crate) struct Lowering<'a> {
    source: &'a Source,
    /// What is checked.
    pub checks: Checks,
    /// What the translation assumes.
    pub assumed: Assumed,
    /// Whole-program facts.
    pub facts: Facts,
    /// What becomes of assertions.
    pub assertions: Assertions,
    /// Declarations and names.
    pub unit: Unit<'a>,
    /// Objects and shared variables.
    pub memory: Memory,
    /// The threads that are created.
    pub threads: Threads,
    /// The thread at work.
    pub thread: Thread,
    /// The functions that are inlined in it.
    inlined: Inlined,
    /// Its automaton.
    steps: Steps<'a>,
}

impl<'a> Lowering<'a> {
    pub(crate) fn new(source: &'a Source, options: &Options, known: Known) -> Self {
        Lowering {
            source,
            checks: Checks::new(options.checks.clone()),
            assumed: Assumed::default(),
            facts: Facts::new(known),
            assertions: Assertions::default(),
            unit: Unit::new(Types::new(options.data_model, source.mentions(&ATTRIBUTES))),
            memory: Memory::new(),
            threads: Threads::default(),
            thread: Thread::default(),
            inlined: Inlined::default(),
            steps: Steps::new(source, Span::span(0, 0)),
        }
    }

    /// The program goes wrong here.
    pub(crate) fn fail(&mut self, at: usize) -> Lower<()> {
        let at = self.failing(at);
        let error = self.steps.error(LABEL, at);
        self.steps.edge(error, Command::default(), false)?;
        self.steps.nowhere();
        Ok(())
    }
}
