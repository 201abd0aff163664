//! Variables in scope and their sorts (SPEC.md section 3.2).

use crate::counters;
use crate::error::{Reason, get};
use crate::refute::Obligation;
use threadproof_format::program::{Program, Template, Variable};
use threadproof_format::{Expr, Op, Sort};

/// What an expression may mention: globals, locals of the threads at some positions, inputs,
/// counters.
#[derive(Clone, Debug)]
pub struct Scope<'a> {
    /// The program.
    pub program: &'a Program,
    /// The template of each thread position; `None` where there is no thread.
    pub threads: Vec<Option<u32>>,
    /// Inputs of the command.
    pub inputs: &'a [Variable],
}

impl Scope<'_> {
    /// The sort of a variable, input or counter.
    ///
    /// # Errors
    /// `Index` if it is not in scope.
    pub fn sort(&self, op: &Op) -> Result<Sort, Reason> {
        let variable = match op {
            Op::Global(i) => get(&self.program.globals, *i, "global")?,
            Op::Input(i) => get(self.inputs, *i, "input")?,
            Op::Local(position, i) => {
                let template = get(&self.threads, *position, "thread position")?;
                let template = template.ok_or(Reason::Index("thread position"))?;
                get(&get(&self.program.templates, template, "template")?.locals, *i, "local")?
            }
            Op::Count(of, location) => {
                counters::known(self.program, (*of, *location))?;
                return Ok(Sort::Int);
            }
            _ => return Err(Reason::Index("variable")),
        };
        Ok(variable.sort)
    }

    /// An obligation about formulas in this scope.
    ///
    /// # Errors
    /// `Index` if a formula mentions what is not in scope.
    pub fn obligation(&self, name: String, formulas: Vec<Expr>) -> Result<Obligation, Reason> {
        let mut sorts = std::collections::HashMap::new();
        for op in formulas.iter().flat_map(|f| &f.0) {
            if op.is_symbol() && !sorts.contains_key(op) {
                sorts.insert(op.clone(), self.sort(op)?);
            }
        }
        Ok(Obligation { name, sorts, formulas })
    }
}

/// A template by number.
pub(crate) fn template(program: &Program, number: u32) -> Result<&Template, Reason> {
    get(&program.templates, number, "template")
}
