//! Programs: the statement that a certificate is about (SPEC.md section 4).

use crate::work::{self, Name, Seq};
use crate::{Expr, Sort};

/// A variable or input: its name in the core form and its sort.
#[derive(Debug)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq))]
pub struct Variable {
    /// Name, unique in its scope.
    pub name: Name,
    /// Sort.
    pub sort: Sort,
    /// For a local of a single template, which is held among the globals: that template.
    pub owner: Option<u32>,
}

/// How many threads run a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Multiplicity {
    /// Any number of threads.
    Many,
    /// Exactly one. Its locals are held in `Program::globals`.
    One,
}

/// A control location.
#[derive(Debug)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq))]
pub struct Location {
    /// Name, unique in its template.
    pub name: Name,
    /// Whether the program is wrong when a thread is here.
    pub error: bool,
}

/// A guarded simultaneous update with inputs: one atomic step from `source` to `target`.
///
/// Its expressions range over globals, locals of the acting thread (at position 0), inputs and
/// counters.
#[derive(Debug)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq))]
pub struct Edge {
    /// Location before: an index into `Template::locations`.
    pub source: u32,
    /// Location after: an index into `Template::locations`.
    pub target: u32,
    /// Fresh nondeterministic values.
    pub inputs: Seq<Variable>,
    /// The step can be taken iff this holds, for some values of the inputs.
    pub guard: Expr,
    /// New values, all at once; variables that are not named keep theirs. The first component is
    /// `Op::Global` or `Op::Local(0, _)`; each variable occurs once at most.
    pub updates: Seq<(crate::Op, Expr)>,
}

/// A thread template.
#[derive(Debug)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq))]
pub struct Template {
    /// Name, unique in the program.
    pub name: Name,
    /// Number of threads.
    pub multiplicity: Multiplicity,
    /// Locals of each thread; empty for a single template.
    pub locals: Seq<Variable>,
    /// What holds of a thread's locals at the start (position 0), together with globals.
    pub init: Expr,
    /// Locations; the first is the initial one.
    pub locations: Seq<Location>,
    /// Edges of the control-flow graph.
    pub edges: Seq<Edge>,
}

/// A program.
#[derive(Debug)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq))]
pub struct Program {
    /// What the front end assumed. Printed with every claim.
    pub assumptions: Seq<Name>,
    /// Globals, then the locals of the single templates in the order of the templates.
    pub globals: Seq<Variable>,
    /// What holds of the globals at the start.
    pub init: Expr,
    /// Thread templates.
    pub templates: Seq<Template>,
}

impl Template {
    /// Whether any number of threads run this template.
    pub fn is_many(&self) -> bool {
        self.multiplicity == Multiplicity::Many
    }

    /// Whether the threads at a location are counted (SPEC.md section 4.4): at all locations but
    /// the error locations and, of many threads, the initial one.
    pub fn counts(&self, location: u32) -> bool {
        let locations = work::elements(&self.locations);
        let at = usize::try_from(location).ok().and_then(|l| locations.get(l));
        at.is_some_and(|l| !l.error) && !(self.is_many() && location == 0)
    }
}
