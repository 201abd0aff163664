//! The path to a statement: the calls that are inlined and the iterations of unrolled loops.

use crate::frontend::c::error::{Fault, Lower};

/// Calls inside each other.
const MAX_CALLS: usize = 60;

/// The calls and iterations that lead to the statement at work, outermost first.
#[derive(Default)]
pub(crate) struct Path {
    calls: Vec<(String, usize)>,
    /// The loop's place, and which iteration it is.
    iterations: Vec<[usize; 2]>,
}

impl Path {
    /// Opens the body of a function that is called.
    pub(crate) fn enter(&mut self, function: &str, at: usize) -> Lower<()> {
        if self.calls.iter().any(|(name, _)| name == function) {
            return Err(Fault::unsupported(at, format!("`{function}` calls itself")));
        }
        if self.calls.len() >= MAX_CALLS {
            return Err(Fault::unsupported(at, "calls inside so many others"));
        }
        self.calls.push((function.to_owned(), at));
        Ok(())
    }

    /// Leaves the innermost function.
    pub(crate) fn leave(&mut self) {
        self.calls.pop();
    }

    /// Opens an iteration of an unrolled loop.
    pub(crate) fn begin_iteration(&mut self, at: usize, iteration: usize) {
        self.iterations.push([at, iteration]);
    }

    /// Leaves an iteration.
    pub(crate) fn end_iteration(&mut self) {
        self.iterations.pop();
    }

    /// The function that is inlined innermost.
    pub(crate) fn function(&self) -> Option<&str> {
        self.calls.last().map(|(name, _)| name.as_str())
    }

    /// The place of the outermost call of a function of some kind.
    pub(crate) fn outermost(&self, is: impl Fn(&str) -> bool) -> Option<usize> {
        self.calls.iter().find(|(name, _)| is(name)).map(|(_, at)| *at)
    }

    /// Places of the calls, innermost first.
    pub(crate) fn places(&self) -> impl Iterator<Item = usize> {
        self.calls.iter().rev().map(|(_, at)| *at)
    }

    /// What tells a place apart from itself in other calls and iterations.
    pub(crate) fn to(&self, at: usize) -> Vec<usize> {
        let mut out: Vec<usize> = self.calls.iter().map(|(_, at)| *at).collect();
        out.push(at);
        // No place is that far behind.
        out.extend(
            self.iterations.iter().flat_map(|[at, iteration]| [*at, usize::MAX - iteration]),
        );
        out
    }
}
