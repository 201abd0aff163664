//! Questions to z3 about obligations of the checker.

use crate::solve::values::Reader;
use crate::solve::{encode, least, solver};
use std::collections::HashMap;
use threadproof_checker::internals::obligation::Obligation;
use threadproof_format::proof::counterexample::Value;
use threadproof_format::{Expr, Op, Sort};
use z3::ast::{Bool, Dynamic, Int};
use z3::{Model, SatResult, Solver};

/// An obligation in z3, some of whose formulas can be left out.
pub struct Query {
    solver: Solver,
    constants: HashMap<Op, Dynamic>,
    indices: Vec<Int>,
    switches: Vec<Bool>,
}

/// An answer.
pub enum Answer {
    /// The formulas contradict each other; these of those that can be left out suffice.
    Refuted(Vec<usize>),
    /// They hold together.
    Model(Model),
    /// z3 does not know.
    Unknown,
}

impl Query {
    /// The question whether an obligation's formulas contradict each other. `optional` are the numbers of
    /// those that can be left out, the last of them first.
    pub fn new(obligation: &Obligation, optional: &[usize]) -> Self {
        let (solver, constants) = (solver(), HashMap::new());
        let mut query = Query { solver, constants, indices: Vec::new(), switches: Vec::new() };
        let sort = |op: &Op| obligation.sorts.get(op).copied().unwrap_or(Sort::Int);
        for (i, formula) in obligation.formulas.iter().enumerate() {
            if !optional.contains(&i) {
                let term = query.term(formula, &sort).as_bool().expect("a formula is Boolean");
                query.solver.assert(term);
            }
        }
        for i in optional {
            let formula = &obligation.formulas[*i];
            let term = query.term(formula, &sort).as_bool().expect("a formula is Boolean");
            let switch = Bool::new_const(format!("pre{i}"));
            query.solver.assert(switch.implies(&term));
            query.switches.push(switch);
        }
        query
    }

    /// A term; `sort` gives the sorts of variables that are new.
    fn term(&mut self, expr: &Expr, sort: &dyn Fn(&Op) -> Sort) -> Dynamic {
        let constants = &mut self.constants;
        let mut leaf = |op: &Op| {
            let new = || encode::constant(&format!("{op:?}"), sort(op));
            constants.entry(op.clone()).or_insert_with(new).clone()
        };
        encode::encode(expr, &mut leaf, &mut self.indices)
    }

    /// The answer; what is left of the optional formulas, as places in their list, is minimal.
    pub fn answer(&self) -> Answer {
        match self.solver.check_assumptions(&self.switches) {
            SatResult::Sat => self.solver.get_model().map_or(Answer::Unknown, Answer::Model),
            SatResult::Unknown => Answer::Unknown,
            SatResult::Unsat => {
                least(&self.solver, &self.switches).map_or(Answer::Unknown, Answer::Refuted)
            }
        }
    }

    /// The values of expressions, with their sorts, in a model.
    pub fn values(
        &mut self,
        model: &Model,
        exprs: &[(Expr, Sort)],
        sort: &dyn Fn(&Op) -> Sort,
    ) -> Option<Vec<Value>> {
        let terms: Vec<(Dynamic, Sort)> =
            exprs.iter().map(|(expr, of)| (self.term(expr, sort), *of)).collect();
        let reader = Reader::new(model, &self.indices)?;
        terms.iter().map(|(term, of)| reader.value(term, *of)).collect()
    }
}
