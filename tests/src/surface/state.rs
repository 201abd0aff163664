//! States of a program: where its threads are, and the values of its variables.

use super::abstraction::Abstract;
use super::ast::Decl;
use super::control::{Frame, Layout};
use crate::explicit::Value;
use crate::traces::is_small;

/// Where a thread is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Control<'a> {
    Code(Vec<Frame<'a>>),
    Abstract(Abstract),
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Thread<'a> {
    pub template: usize,
    pub control: Control<'a>,
}

/// A state. Its threads are sorted, as their order has no meaning.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State<'a> {
    pub(super) globals: Vec<Value>,
    pub(super) threads: Vec<Thread<'a>>,
    /// Whether an assertion has failed.
    pub(super) wrong: bool,
}

impl<'a> State<'a> {
    pub(super) fn is_small(&self) -> bool {
        let threads = 0..self.threads.len();
        let mut locals = threads.flat_map(|t| self.frames(t)).flat_map(|f| &f.variables);
        self.globals.iter().all(is_small) && locals.all(is_small)
    }

    pub(super) fn frames(&self, thread: usize) -> &[Frame<'a>] {
        match &self.threads[thread].control {
            Control::Code(frames) => frames,
            Control::Abstract(_) => &[],
        }
    }

    pub(super) fn frame_mut(&mut self, thread: usize) -> &mut Frame<'a> {
        match &mut self.threads[thread].control {
            Control::Code(frames) => frames.last_mut().expect("a frame"),
            Control::Abstract(_) => panic!("an abstract thread runs no code"),
        }
    }

    /// Changes a variable: of the thread's body, or else a global.
    pub(super) fn write(
        &mut self,
        layout: &Layout<'a>,
        thread: usize,
        name: &str,
        change: impl FnOnce(&Value) -> Value,
    ) {
        let frame = self.frame_mut(thread);
        let own = layout.variables(frame.body).position(|d| d.name == name);
        let variable = match own {
            Some(own) => &mut frame.variables[own],
            None => &mut self.globals[index(layout.globals(), name)],
        };
        *variable = change(variable);
    }

    /// The states with one of these threads more, not before the last one of its template.
    pub(super) fn with_one_of(&self, starts: &[Thread<'a>]) -> Vec<State<'a>> {
        let fits = |t: &&Thread<'a>| {
            self.threads.last().is_none_or(|last| last.template != t.template || *t >= last)
        };
        let with = |thread: &Thread<'a>| {
            let mut state = self.clone();
            state.threads.push(thread.clone());
            state
        };
        starts.iter().filter(fits).map(with).collect()
    }
}

/// The number of a variable.
pub(super) fn index(decls: &[Decl], name: &str) -> usize {
    let found = decls.iter().position(|d| d.name == name);
    found.unwrap_or_else(|| panic!("{name} is not declared"))
}
