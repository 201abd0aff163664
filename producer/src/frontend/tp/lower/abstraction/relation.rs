//! The relation of an abstract edge as a command. Next values that it fixes are assigned; the
//! others are inputs, so that the guard can speak of them.

use super::super::step::{State, id};
use crate::frontend::tp::ir::{Slot, Term};
use crate::logic::names::Names;
use std::collections::BTreeMap;
use threadproof_format::program::{Edge, Variable};
use threadproof_format::{Cmp, Op};

/// A relation of the globals and their next values (`Slot::Local`) that is not plainly false.
pub(super) struct Relation {
    /// Next values that depend on the values before alone.
    fixed: BTreeMap<usize, Term>,
    /// What holds besides, without the next values that are fixed.
    rest: Vec<Term>,
}

impl Relation {
    /// Solves a relation for the next values that it fixes; `None` if it is false.
    pub(super) fn new(relation: Term) -> Option<Self> {
        let mut out = Relation { fixed: BTreeMap::new(), rest: Vec::new() };
        conjuncts(relation, &mut out.rest);
        while let Some((at, global, value)) = out.next_fixed() {
            out.rest.remove(at);
            for term in std::mem::take(&mut out.rest) {
                let by = |slot| (slot == Slot::Local(global)).then(|| value.clone());
                conjuncts(term.replace(&by), &mut out.rest);
            }
            out.fixed.insert(global, value);
        }
        (!out.rest.contains(&Term::Bool(false))).then_some(out)
    }

    fn next_fixed(&self) -> Option<(usize, usize, Term)> {
        let mut all = self.rest.iter().enumerate();
        all.find_map(|(at, term)| fixes(term).map(|(global, value)| (at, global, value)))
    }

    /// The command, without source and target. A global that is not `kept` may change; `None` if a
    /// term grows too large.
    pub(super) fn command(
        &self,
        kept: &[bool],
        globals: &[Variable],
        names: &Names,
    ) -> Option<Edge> {
        let mut state = State::default();
        // Next values that are fixed or kept do not occur: the variable stands for them.
        let mut next: Vec<Op> = (0..globals.len()).map(|global| Op::Global(id(global))).collect();
        let free = |global: &usize| !kept[*global] && !self.fixed.contains_key(global);
        for global in (0..globals.len()).filter(free) {
            let name = format!("next_{}", globals[global].name);
            next[global] = state.input(name, globals[global].sort);
        }
        for term in &self.rest {
            let formula = state.formula(term, &next);
            state.require(formula);
        }
        let fixed = self.fixed.iter().map(|(global, value)| (*global, state.eval(value, &next)));
        let fixed: Vec<(usize, Vec<Op>)> = fixed.collect();
        for (global, value) in next.into_iter().enumerate() {
            state.assign(Op::Global(id(global)), vec![value]);
        }
        for (global, value) in fixed {
            state.assign(Op::Global(id(global)), value);
        }
        if state.too_large {
            return None;
        }
        let (inputs, guard, updates) = state.finish(names);
        Some(Edge { source: 0, target: 0, inputs, guard, updates })
    }
}

/// Appends the conjuncts of a formula that do not always hold.
fn conjuncts(term: Term, out: &mut Vec<Term>) {
    match term {
        Term::And(a, b) => {
            conjuncts(*a, out);
            conjuncts(*b, out);
        }
        Term::Bool(true) => {}
        other => out.push(other),
    }
}

/// The next value that a conjunct fixes: of which global, and what it is.
fn fixes(term: &Term) -> Option<(usize, Term)> {
    let next = |e: &Term| match e {
        Term::Var(Slot::Local(global)) => Some(*global),
        _ => None,
    };
    // A quotient is the logic's where the sign of what is divided is known: formulas tell it apart.
    let known = |e: &Term| !e.divides() && !e.mentions(&|slot| matches!(slot, Slot::Local(_)));
    match term {
        Term::Var(_) => next(term).map(|global| (global, Term::Bool(true))),
        Term::Not(e) => next(e).map(|global| (global, Term::Bool(false))),
        Term::Cmp(Cmp::Eq, a, b) => match (next(a), next(b)) {
            (Some(global), None) if known(b) => Some((global, (**b).clone())),
            (None, Some(global)) if known(a) => Some((global, (**a).clone())),
            _ => None,
        },
        _ => None,
    }
}
