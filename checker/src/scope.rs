//! Variables in scope and their sorts (SPEC.md section 3.2).

use crate::budget::get;
use crate::error::{Budget, Reason};
use crate::obligation::{Obligation, ObligationId};
use threadproof_format::program::{Program, Template, Variable};
use threadproof_format::work::Seq;
use threadproof_format::{Expr, Op, Sort};

/// What an expression may mention: globals, locals of the threads at some positions, inputs,
/// counters.
#[derive(Debug)]
#[cfg_attr(not(threadproof_metered), derive(Clone))]
pub struct Scope<'a> {
    /// The program.
    pub program: &'a Program,
    /// The template of each thread position; `None` where there is no thread.
    pub threads: Seq<Option<u32>>,
    /// Inputs of the command.
    pub inputs: Option<&'a Seq<Variable>>,
}

impl Scope<'_> {
    /// The sort of a variable, input or counter.
    ///
    /// # Errors
    /// `Index` if it is not in scope, or `Limit`.
    pub fn sort(&self, op: &Op, budget: &Budget) -> Result<Sort, Reason> {
        let variable = match op {
            Op::Global(i) => get(&self.program.globals, *i, "global", budget)?,
            Op::Input(i) => input(self.inputs, *i, budget)?,
            Op::Local(position, i) => {
                let of = *get(&self.threads, *position, "thread position", budget)?;
                let of = of.ok_or(Reason::Index("thread position"))?;
                get(&template(self.program, of, budget)?.locals, *i, "local", budget)?
            }
            Op::Count(of, location) => {
                let template = template(self.program, *of, budget)?;
                get(&template.locations, *location, "location", budget)?;
                let known = template.counts(*location);
                return if known { Ok(Sort::Int) } else { Err(Reason::Index("counter")) };
            }
            _ => return Err(Reason::Index("variable")),
        };
        Ok(variable.sort)
    }

    /// An obligation about formulas in this scope.
    ///
    /// # Errors
    /// `Index` if a formula mentions what is not in scope, or `Limit`.
    pub fn obligation(
        &self,
        id: ObligationId,
        formulas: Seq<Expr>,
        budget: &Budget,
    ) -> Result<Obligation, Reason> {
        Obligation::new(id, formulas, |op| self.sort(op, budget), budget)
    }
}

/// An input by number, of a command that may have none.
pub(crate) fn input<'a>(
    inputs: Option<&'a Seq<Variable>>,
    number: u32,
    budget: &Budget,
) -> Result<&'a Variable, Reason> {
    get(inputs.ok_or(Reason::Index("input"))?, number, "input", budget)
}

/// A template by number.
pub(crate) fn template<'a>(
    program: &'a Program,
    number: u32,
    budget: &Budget,
) -> Result<&'a Template, Reason> {
    get(&program.templates, number, "template", budget)
}
