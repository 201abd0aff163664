//! Threads that can always be there.

use super::state::{Shape, Thread, Variables, index, numbers};
use crate::solve::{self, decode, encode};
use threadproof_checker::internals::counters::Place;
use threadproof_format::{Expr, Op};
use z3::ast::Bool;
use z3::{SatResult, Solver};

/// A thread that has not moved, with locals that it can have whatever the globals are.
pub struct Idle {
    /// Template and initial location.
    pub place: Place,
    /// Values of its locals.
    pub values: Vec<Op>,
}

impl Idle {
    /// The first that is found among the templates of many threads.
    pub fn find(shape: &Shape) -> Option<Idle> {
        let templates = &shape.program.templates;
        let mut many = numbers(templates).filter(|t| templates[index(*t)].is_many());
        many.find_map(|t| Idle::of(shape, t))
    }

    /// That the locals of a thread at its place are those of an idle one.
    pub fn equations(&self, thread: &Thread) -> Vec<Bool> {
        let values = self.values.iter().map(|value| {
            let value = Expr(vec![value.clone()]);
            encode::encode(&value, &mut |_| unreachable!("a value"), &mut Vec::new())
        });
        thread.locals.iter().zip(values).map(|(local, value)| local.eq(value)).collect()
    }

    /// Looks for locals in one initial state, and whether they are possible in all.
    fn of(shape: &Shape, template: u32) -> Option<Idle> {
        let mut variables = Variables::default();
        let state = shape.initial(&[], &mut variables);
        let thread = shape.thread((template, 0), &mut variables);
        let program = shape.program;
        let singles = program.templates.iter().filter(|t| !t.is_many()).map(|t| &t.init);
        let solver = Solver::new();
        for formula in singles.chain([&program.init]) {
            solver.assert(shape.formula(formula, &state, None));
        }
        let init = shape.formula(&program.templates[index(template)].init, &state, Some(&thread));
        solver.push();
        solver.assert(&init);
        if solve::check(&solver) != SatResult::Sat {
            return None;
        }
        let model = solver.get_model()?;
        solver.pop(1);
        let mut values = Vec::new();
        for variable in &thread.locals {
            let value = model.eval(variable, true)?;
            values.push(decode::value(&value)?);
            solver.assert(variable.eq(&value));
        }
        solver.assert(init.not());
        let always = solve::check(&solver) == SatResult::Unsat;
        always.then_some(Idle { place: (template, 0), values })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use threadproof_format::Int;

    fn idle(init: &str) -> Option<Idle> {
        let text = format!(
            "core 1;
global g: int;
init g >= 3;
many first {{ local x: int; init x == g; location a; location b; edge a -> b {{ }} }}
many second {{ local x: int; local y: int; init {init}; location a; location b; edge a -> b {{ }} }}"
        );
        let (program, _) =
            threadproof_checker::internals::core_form::parse(&text).expect("a program");
        Idle::find(&Shape::new(&program, false, Vec::new()))
    }

    #[test]
    fn locals_that_every_initial_state_allows_are_found() {
        let found = idle("x == 5 && y == 2 && y < g").expect("an idle thread");
        assert_eq!(found.place, (1, 0));
        assert_eq!(found.values, [5, 2].map(|v: i32| Op::Int(Int(v.into()))));
    }

    #[test]
    fn no_thread_is_idle_whose_start_depends_on_the_globals() {
        assert!(idle("x == 5 && y == g").is_none());
        assert!(idle("x < x").is_none());
    }
}
