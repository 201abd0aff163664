//! The program as the search uses it: edges numbered through, their guards and updates as
//! normal forms, what they write, and what holds at the start.

use crate::logic::convert::{self, Item};
use crate::logic::counters::Counters;
use crate::logic::formula::{Formula, Relation};
use crate::logic::linear::{Leaf, Linear, Var};
use std::collections::BTreeMap;
use threadproof_format::program::{Program, Template};
use threadproof_format::{Expr, Sort};

/// An edge of some template, as the search uses it. The acting thread is number 0.
#[derive(Clone, Debug)]
pub struct Command {
    /// An index into `Program::templates`.
    pub template: usize,
    /// An index into the template's edges.
    pub edge: usize,
    /// Location before: an index into the template's locations.
    pub source: u32,
    /// Location after: an index into the template's locations.
    pub target: u32,
    /// Conjuncts of the guard.
    pub guard: Vec<Formula>,
    /// The variables that are written and their new values, in terms of the state before.
    pub updates: Vec<(Var, Expr)>,
    /// Sorts of the inputs, in the order of the edge.
    pub inputs: Vec<Sort>,
}

impl Command {
    /// Whether the command writes the variable; thread 0 is the acting one.
    pub fn writes(&self, var: Var) -> bool {
        self.updates.iter().any(|(v, _)| *v == var)
    }
}

/// A program as a transition system.
pub struct Facts<'a> {
    /// The program, with the ghosts of `counters` among its globals.
    pub program: &'a Program,
    /// Edges of all templates, in order.
    pub commands: Vec<Command>,
    /// Whether any number of threads run each template.
    pub many: Vec<bool>,
    /// What holds of globals at the start, with the single templates' conditions.
    pub init: Vec<Formula>,
    /// The ghost globals that count threads, if the search uses them.
    pub counters: Counters,
    /// What holds of the locals of each template's threads (number 0) at the start.
    pub thread_init: Vec<Vec<Formula>>,
}

/// A thread's template and location.
///
/// The paper's configurations may hold threads without a location. Relevance (Definition 4.2,
/// condition 2) keeps them out here: a precondition's threads are the acting one and those of
/// the postcondition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot {
    /// An index into `Program::templates`.
    pub template: u32,
    /// An index into the template's locations.
    pub location: u32,
}

/// An atom about a variable, unless it is an array.
fn atom(var: Var, sort: Sort) -> Option<Formula> {
    match Item::variable(var, sort) {
        Item::Int(value) => Some(Formula::linear(Relation::Le, value)),
        Item::Bool(value) => Some(value),
        Item::Array(_) => None,
    }
}

/// An index of the format as `usize`.
pub fn index(i: u32) -> usize {
    usize::try_from(i).expect("32-bit indices fit")
}

/// An index as the format has it, in 32 bits.
pub fn number(i: usize) -> u32 {
    u32::try_from(i).expect("no more than 2^32 things")
}

/// Puts a thread in the place of the acting thread, number 0.
pub fn acting(var: Var, actor: usize) -> Var {
    match var {
        Var::Local(0, i) => Var::Local(number(actor), i),
        other => other,
    }
}

impl<'a> Facts<'a> {
    /// Reads the program, whose ghost globals are given.
    pub fn new(program: &'a Program, counters: Counters) -> Self {
        let mut facts = Facts {
            program,
            commands: Vec::new(),
            many: program.templates.iter().map(Template::is_many).collect(),
            init: Vec::new(),
            counters,
            thread_init: Vec::new(),
        };
        facts.init = facts.read(&program.init, 0).conjuncts();
        for (t, template) in program.templates.iter().enumerate() {
            let init = facts.read(&template.init, t).conjuncts();
            if facts.many[t] {
                facts.thread_init.push(init);
            } else {
                facts.init.extend(init);
                facts.thread_init.push(Vec::new());
            }
            for (e, edge) in template.edges.iter().enumerate() {
                let inputs: Vec<Sort> = edge.inputs.iter().map(|v| v.sort).collect();
                let guard = convert::formula(&edge.guard, &|v| {
                    Item::variable(v, facts.command_sort(t, &inputs, v))
                });
                let updates = edge.updates.iter().map(|(op, value)| {
                    let var = Var::of(op).expect("an update of a variable");
                    (var, value.clone())
                });
                let command = Command {
                    template: t,
                    edge: e,
                    source: edge.source,
                    target: edge.target,
                    guard: guard.conjuncts(),
                    updates: updates.collect(),
                    inputs,
                };
                facts.commands.push(command);
            }
        }
        facts
    }

    /// What holds of the ghosts in every state without an error: none is negative, and the one
    /// thread of a single template is somewhere.
    pub fn counting(&self) -> Vec<Formula> {
        let count = |var: Var| Linear::leaf(Leaf::Var(var));
        let mut sums: BTreeMap<u32, Linear> = BTreeMap::new();
        let mut out = Vec::new();
        for (var, (template, _)) in self.counters.iter() {
            out.push(Formula::le(Linear::default(), count(var)));
            if !self.many[index(template)] {
                let sum = sums.entry(template).or_default();
                *sum = std::mem::take(sum).add(count(var));
            }
        }
        let one = || Linear::constant(1.into());
        out.extend(sums.into_values().map(|sum| Formula::equal(sum, one())));
        out
    }

    /// Whether a location is an error location.
    pub fn is_error(&self, template: usize, location: u32) -> bool {
        self.program.templates[template].locations[index(location)].error
    }

    /// An atom about a global and its negation, if there is a global that has atoms.
    pub fn contradiction(&self) -> Vec<Formula> {
        let mut globals = (0u32..).zip(&self.program.globals);
        let atom = globals.find_map(|(i, variable)| atom(Var::Global(i), variable.sort));
        atom.map_or_else(Vec::new, |atom| vec![atom.negate(), atom])
    }

    /// An atom about each local of a thread that has atoms.
    pub fn locals(&self, threads: &[u32], thread: u8) -> Vec<Formula> {
        let locals = &self.program.templates[index(threads[usize::from(thread)])].locals;
        let atoms = (0u32..)
            .zip(locals)
            .filter_map(|(i, local)| atom(Var::Local(u32::from(thread), i), local.sort));
        atoms.collect()
    }

    fn read(&self, formula: &Expr, template: usize) -> Formula {
        convert::formula(formula, &|v| Item::variable(v, self.command_sort(template, &[], v)))
    }

    /// The sort of a variable of a command of the template.
    fn command_sort(&self, template: usize, inputs: &[Sort], var: Var) -> Sort {
        match var {
            Var::Global(i) => self.program.globals[index(i)].sort,
            Var::Local(_, i) => self.program.templates[template].locals[index(i)].sort,
            Var::Input(i) => inputs[index(i)],
        }
    }

    /// The sort of a variable of an assertion; `threads` gives the template of each thread.
    pub fn sort(&self, threads: &[u32], var: Var) -> Sort {
        match var {
            Var::Local(t, i) => {
                let template = index(threads[index(t)]);
                self.program.templates[template].locals[index(i)].sort
            }
            _ => self.command_sort(0, &[], var),
        }
    }
}

#[cfg(test)]
pub mod testing {
    //! A small program for tests.

    use super::Program;

    /// An integer global, a template with an integer local and locations 0 to 2.
    pub fn program() -> Program {
        let text = "core 1;
global g: int;
many t {
  local x: int;
  location a; location b; location c;
  edge a -> b { input u: int; when u <= g; x := u; }
  edge b -> c { g := g + x; }
}";
        threadproof_checker::internals::core_form::parse(text).expect("a program").0
    }

    /// Threads that raise a global twice and then find out whether it is at least two.
    pub fn counting() -> Program {
        let text = "core 1;
global g: int;
init g == 0;
many t {
  location a; location b; location c; location wrong error;
  edge a -> b { g := g + 1; }
  edge b -> c { g := g + 1; }
  edge c -> wrong { when g < 2; }
}";
        threadproof_checker::internals::core_form::parse(text).expect("a program").0
    }
}
