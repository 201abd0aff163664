//! What a specification relies on other threads to do: a relation of the globals after the thread's
//! last step, of which it keeps copies, and now ("Abstract Threads", Appendix A).

use super::super::super::ir::{Slot, Term};
use super::super::run::too_large;
use super::super::step::{State, id};
use crate::frontend::tp::ast::Span;
use crate::logic::names::Names;
use crate::logic::rewrite::Rewrite as _;
use crate::solve::{self, encode};
use crate::text::Diagnostic;
use threadproof_format::program::{Edge, Variable};
use threadproof_format::{Cmp, Expr, Op};
use z3::SatResult;

/// The copies that a specification keeps: of the globals whose earlier values its environment
/// mentions.
pub(super) struct Copies {
    /// The globals and the copies' names.
    of: Vec<(usize, String)>,
}

impl Copies {
    /// The copies that some relations need. Each is reflexive, and all together are transitive.
    pub(super) fn new(
        environment: &[(Term, Span)],
        globals: &[Variable],
        names: &mut Names,
    ) -> Result<Self, Vec<Diagnostic>> {
        let mentioned = |global: usize| {
            let is = move |slot| slot == Slot::Global(global);
            environment.iter().find(|(relation, _)| relation.mentions(&is)).map(|(_, span)| span)
        };
        let (mut of, mut errors) = (Vec::new(), Vec::new());
        for (i, global) in globals.iter().enumerate() {
            let Some(span) = mentioned(i) else { continue };
            of.push((i, names.fresh(&format!("copy_{}", global.name))));
            if global.sort.element().is_some() {
                let message = format!("the environment mentions the array `{}`", global.name);
                let hint = "no thread keeps a copy of an array, as arrays are not compared";
                errors.push(Diagnostic::new(span.clone(), message).hint(hint));
            }
        }
        if errors.is_empty() {
            errors.extend(check(environment, globals));
        }
        if errors.is_empty() { Ok(Copies { of }) } else { Err(errors) }
    }

    /// The locals that hold the copies.
    pub(super) fn variables(&self, globals: &[Variable]) -> Vec<Variable> {
        let copy = |(global, name): &(usize, String)| Variable {
            name: name.clone(),
            ..globals[*global].clone()
        };
        self.of.iter().map(copy).collect()
    }

    /// What `Slot::Local` is in a formula of `since`.
    pub(super) fn frame(&self) -> Vec<Op> {
        (0..self.of.len()).map(|copy| Op::Local(0, id(copy))).collect()
    }

    /// That the copies are the globals' values.
    pub(super) fn init(&self) -> Expr {
        let mut out = Vec::new();
        for (copy, (global, _)) in self.of.iter().enumerate() {
            out.extend([Op::Local(0, id(copy)), Op::Global(id(*global)), Op::Cmp(Cmp::Eq)]);
            if copy > 0 {
                out.push(Op::And);
            }
        }
        if out.is_empty() { Expr::bool(true) } else { Expr(out) }
    }

    /// A relation of the copies and the globals now.
    pub(super) fn since(&self, relation: &Term) -> Term {
        relation.replace(&|slot| match slot {
            Slot::Local(global) => Some(Term::Var(Slot::Global(global))),
            Slot::Global(global) => {
                let copy = self.of.iter().position(|(of, _)| *of == global)?;
                Some(Term::Var(Slot::Local(copy)))
            }
        })
    }

    /// What a step makes of the copies: the globals' new values.
    pub(super) fn updates(&self, step: &Edge) -> Vec<(Op, Expr)> {
        let new = |(copy, (global, _)): (usize, &(usize, String))| {
            let global = Op::Global(id(*global));
            let update = step.updates.iter().find(|(variable, _)| *variable == global);
            let value = update.map_or_else(|| Expr(vec![global]), |(_, value)| value.clone());
            (Op::Local(0, id(copy)), value)
        };
        self.of.iter().enumerate().map(new).collect()
    }
}

/// What is wrong with an environment: other threads may take no step or several, so it has to be
/// reflexive and transitive.
fn check(environment: &[(Term, Span)], globals: &[Variable]) -> Option<Diagnostic> {
    for (relation, span) in environment {
        let Some(same) = between(relation, globals.len(), 0, 0) else {
            return Some(too_large(span));
        };
        if !contradictory(&[same.negate()], globals) {
            let hint = "other threads may do nothing: each value has to be related to itself";
            let message = "this environment is not known to be reflexive";
            return Some(Diagnostic::new(span.clone(), message).hint(hint));
        }
    }
    let (_, span) = environment.first()?;
    let all = environment.iter().map(|(relation, _)| relation.clone());
    let all = all.reduce(Term::and)?;
    let pair = |before, after| between(&all, globals.len(), before, after);
    let (Some(first), Some(second), Some(both)) = (pair(0, 1), pair(1, 2), pair(0, 2)) else {
        return Some(too_large(span));
    };
    if contradictory(&[first, second, both.negate()], globals) {
        return None;
    }
    let hint =
        "other threads may take several steps: what they do in two has to be allowed as well";
    let message = "the environment is not known to be transitive";
    Some(Diagnostic::new(span.clone(), message).hint(hint))
}

/// A relation of the values of the globals at two positions; `None` if it grows too large.
fn between(relation: &Term, globals: usize, before: u32, after: u32) -> Option<Expr> {
    let apart = relation.replace(&|slot| match slot {
        Slot::Global(global) => Some(Term::Var(Slot::Local(globals + global))),
        Slot::Local(_) => None,
    });
    let values = |position| (0..globals).map(move |global| Op::Local(position, id(global)));
    let frame: Vec<Op> = values(after).chain(values(before)).collect();
    let mut state = State::default();
    let formula = Expr(state.formula(&apart, &frame));
    (!state.too_large).then_some(formula)
}

/// Whether z3 finds that formulas over the globals at some positions contradict each other.
fn contradictory(formulas: &[Expr], globals: &[Variable]) -> bool {
    let solver = solve::solver();
    let mut leaf = |op: &Op| {
        let sorts = |(i, global): (usize, &Variable)| match op {
            Op::Local(_, local) => (*local == id(i)).then_some(global.sort),
            _ => None,
        };
        let sort = globals.iter().enumerate().find_map(sorts);
        encode::constant(&format!("{op:?}"), sort.expect("a global"))
    };
    for formula in formulas {
        solver.assert(encode::formula(formula, &mut leaf));
    }
    solver.check() == SatResult::Unsat
}
