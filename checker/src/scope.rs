//! Variables in scope and their sorts (SPEC.md section 3.2).

use crate::counters;
use crate::error::{Budget, Reason, get};
use crate::refute::Obligation;
use threadproof_format::program::{Program, Template, Variable};
use threadproof_format::work::{List as _, Map, Metered as _, Seq, Table as _};
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
                counters::known(self.program, (*of, *location), budget)?;
                return Ok(Sort::Int);
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
        name: String,
        formulas: Seq<Expr>,
        budget: &Budget,
    ) -> Result<Obligation, Reason> {
        let sorts = sorts(formulas.walk(budget)?, budget, |op| self.sort(op, budget))?;
        Ok(Obligation { name, sorts, formulas })
    }
}

/// The sorts of the variables, inputs and counters that occur in formulas.
pub(crate) fn sorts<'a>(
    formulas: impl IntoIterator<Item = &'a Expr>,
    budget: &Budget,
    sort: impl Fn(&Op) -> Result<Sort, Reason>,
) -> Result<Map<Op, Sort>, Reason> {
    let mut sorts = Map::new();
    for formula in formulas {
        for op in formula.0.walk(budget)?.filter(|op| op.is_symbol()) {
            if sorts.look(op, budget)?.is_none() {
                sorts.put(op.copy(budget)?, sort(op)?, budget)?;
            }
        }
    }
    Ok(sorts)
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

/// Whether a list ascends, each element above the one before; `below` compares two.
pub(crate) fn ascends<T>(
    list: &Seq<T>,
    budget: &Budget,
    below: impl Fn(&T, &T) -> Result<bool, Reason>,
) -> Result<bool, Reason> {
    let mut last = None;
    for item in list.walk(budget)? {
        if let Some(last) = last.replace(item)
            && !below(last, item)?
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Takes as many operands off a stack as an operator has.
pub(crate) fn operands<T>(stack: &mut Seq<T>, op: &Op) -> Result<[Option<T>; 3], Reason> {
    let mut operands = [None, None, None];
    for operand in operands.iter_mut().take(op.arity()).rev() {
        *operand = Some(stack.pop().ok_or(Reason::Sort("missing operand"))?);
    }
    Ok(operands)
}
