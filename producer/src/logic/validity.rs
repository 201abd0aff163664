//! Validity of single Hoare triples and of predicates at the start, by z3, with answers kept.

use crate::logic::basis::{Basis, Triple};
use crate::logic::convert::{self, Item};
use crate::logic::formula::Formula;
use crate::logic::linear::Var;
use crate::logic::model::{Facts, acting, index};
use crate::logic::predicates::{Instance, Predicates, Thread};
use crate::logic::rewrite::Rewrite as _;
use crate::solve::{self, encode, least, solver};
use std::collections::HashMap;
use threadproof_format::{Expr, Op};
use z3::ast::{Bool, Dynamic};
use z3::{SatResult, Solver};

/// The solver for single triples and what it has answered.
pub struct Validity {
    solver: Solver,
    constants: HashMap<(Var, u32), Dynamic>,
    triples: HashMap<Triple, bool>,
    initial: HashMap<u32, bool>,
}

/// A command taken by a thread, and the templates of the threads around.
#[derive(Clone, Copy)]
pub struct Act<'a> {
    /// The program.
    pub facts: &'a Facts<'a>,
    /// Template of each thread: indices into `Program::templates`.
    pub threads: &'a [u32],
    /// Command: an index into `Facts::commands`.
    pub command: usize,
    /// The acting thread.
    pub thread: Thread,
}

impl Act<'_> {
    /// The acting thread as far as predicates can be about it: not in a single template.
    pub fn actor(&self) -> Option<Thread> {
        let template = self.facts.commands[self.command].template;
        self.facts.many[template].then_some(self.thread)
    }

    /// The post-state formula in terms of the state before and the inputs.
    pub fn before(&self, post: &Expr) -> Formula {
        let command = &self.facts.commands[self.command];
        let actor = usize::from(self.thread);
        let variable = |v: Var| {
            let sort = match v {
                Var::Input(i) => command.inputs[index(i)],
                v => self.facts.sort(self.threads, v),
            };
            Item::variable(v, sort)
        };
        convert::formula(post, &|v| {
            let update = command.updates.iter().find(|(u, _)| acting(*u, actor) == v);
            match update {
                Some((_, value)) => convert::item(value, &|w| variable(acting(w, actor))),
                None => variable(v),
            }
        })
    }

    /// The guard's conjuncts over the trace's threads.
    pub fn guard(&self) -> Vec<Formula> {
        let command = &self.facts.commands[self.command];
        let actor = usize::from(self.thread);
        let guard = command.guard.iter();
        guard.map(|g| g.rename(&mut |v| acting(v, actor))).collect()
    }
}

impl Validity {
    /// About a program; what always holds of counters is taken for granted.
    pub fn new(facts: &Facts) -> Self {
        let mut validity = Validity {
            solver: solver(),
            constants: HashMap::new(),
            triples: HashMap::new(),
            initial: HashMap::new(),
        };
        let act = Act { facts, threads: &[], command: 0, thread: Thread::MAX };
        for formula in facts.counting() {
            let term = validity.term(&act, &formula.expr());
            validity.solver.assert(term);
        }
        validity
    }

    /// How much z3 has done for the whole search so far, in its own unit.
    pub fn work(&self) -> u64 {
        solve::done(&self.solver)
    }

    /// Whether {pre} (act) {post} is valid. An answer that z3 doesn't know counts as no.
    pub fn valid(
        &mut self,
        predicates: &Predicates,
        act: &Act,
        pre: &[Instance],
        post: &Instance,
    ) -> bool {
        let triple = Basis::variants(predicates, act.command, act.actor(), pre, post)
            .pop_first()
            .expect("one variant at least");
        if let Some(known) = self.triples.get(&triple) {
            return *known;
        }
        self.solver.push();
        self.assert_command(predicates, act, post);
        for instance in pre {
            let formula = self.term(act, &predicates.expr(instance));
            self.solver.assert(formula);
        }
        let valid = solve::check(&self.solver) == SatResult::Unsat;
        self.solver.pop(1);
        self.triples.insert(triple, valid);
        valid
    }

    /// A subset of the candidates that suffices as the precondition and loses that property with
    /// any of them left out. Candidates at the end are given up first.
    pub fn least_precondition(
        &mut self,
        predicates: &Predicates,
        act: &Act,
        candidates: &[Instance],
        post: &Instance,
    ) -> Option<Vec<Instance>> {
        self.solver.push();
        self.assert_command(predicates, act, post);
        let mut switches = Vec::new();
        for (i, instance) in candidates.iter().enumerate() {
            let literal = Bool::new_const(format!("pre{i}"));
            let formula = self.term(act, &predicates.expr(instance));
            self.solver.assert(literal.implies(&formula));
            switches.push(literal);
        }
        let least = least(&self.solver, &switches);
        self.solver.pop(1);
        least.map(|kept| kept.into_iter().map(|i| candidates[i]).collect())
    }

    /// Whether the initial condition entails a predicate, for all threads.
    pub fn initially(&mut self, facts: &Facts, predicates: &Predicates, predicate: u32) -> bool {
        if let Some(known) = self.initial.get(&predicate) {
            return *known;
        }
        let threads = predicates.get(predicate).threads.clone();
        let act = Act { facts, threads: &threads, command: 0, thread: Thread::MAX };
        self.solver.push();
        for formula in &facts.init {
            let term = self.term(&act, &formula.expr());
            self.solver.assert(term);
        }
        for (t, template) in threads.iter().enumerate() {
            for formula in &facts.thread_init[index(*template)] {
                let formula = formula.rename(&mut |v| acting(v, t));
                let term = self.term(&act, &formula.expr());
                self.solver.assert(term);
            }
        }
        let formula = self.term(&act, &predicates.get(predicate).expr);
        self.solver.assert(formula.not());
        let entailed = solve::check(&self.solver) == SatResult::Unsat;
        self.solver.pop(1);
        self.initial.insert(predicate, entailed);
        entailed
    }

    /// Of predicates about no thread, all initially true, those that are inductive together
    /// (Flanagan, Leino, "Houdini, an annotation assistant").
    pub fn inductive(
        &mut self,
        facts: &Facts,
        predicates: &Predicates,
        mut candidates: Vec<Instance>,
    ) -> Vec<Instance> {
        loop {
            let before = candidates.len();
            for command in 0..facts.commands.len() {
                let of = &facts.commands[command];
                let wrong = |l: u32| facts.is_error(of.template, l);
                if !wrong(of.source) && !wrong(of.target) {
                    candidates = self.kept(facts, predicates, command, candidates);
                }
            }
            if candidates.len() == before {
                return candidates;
            }
        }
    }

    /// The predicates that a command keeps if all that are kept hold before it.
    fn kept(
        &mut self,
        facts: &Facts,
        predicates: &Predicates,
        command: usize,
        mut candidates: Vec<Instance>,
    ) -> Vec<Instance> {
        let threads = [crate::logic::model::number(facts.commands[command].template)];
        let act = Act { facts, threads: &threads, command, thread: 0 };
        self.solver.push();
        self.assert_guard(&act);
        let switch = |kind: &str, i: &Instance| Bool::new_const(format!("{kind}{}", i.predicate));
        for instance in &candidates {
            let pre = self.term(&act, &predicates.expr(instance));
            self.solver.assert(switch("holds", instance).implies(&pre));
            let post = self.after(predicates, &act, instance);
            self.solver.assert(switch("fails", instance).implies(post.not()));
        }
        while !candidates.is_empty() {
            let holds = candidates.iter().map(|i| switch("holds", i));
            let fails: Vec<Bool> = candidates.iter().map(|i| switch("fails", i)).collect();
            self.solver.push();
            self.solver.assert(Bool::or(&fails));
            let answer = solve::check_assumptions(&self.solver, &holds.collect::<Vec<Bool>>());
            let model = if answer == SatResult::Sat { self.solver.get_model() } else { None };
            self.solver.pop(1);
            match (answer, model) {
                (SatResult::Unsat, _) => break,
                (_, Some(model)) => {
                    let before = candidates.len();
                    candidates.retain(|i| {
                        let post = self.after(predicates, &act, i);
                        model.eval(&post, true).and_then(|v| v.as_bool()) == Some(true)
                    });
                    if candidates.len() == before {
                        candidates.clear();
                    }
                }
                // What z3 doesn't know is not claimed.
                _ => candidates.clear(),
            }
        }
        self.solver.pop(1);
        candidates
    }

    fn assert_guard(&mut self, act: &Act) {
        for formula in act.guard() {
            let term = self.term(act, &formula.expr());
            self.solver.assert(term);
        }
    }

    /// Asserts the guard and that the postcondition fails after the updates.
    fn assert_command(&mut self, predicates: &Predicates, act: &Act, post: &Instance) {
        self.assert_guard(act);
        let after = self.after(predicates, act, post);
        self.solver.assert(after.not());
    }

    /// The postcondition after the updates, in terms of the state before and the inputs.
    fn after(&mut self, predicates: &Predicates, act: &Act, post: &Instance) -> Bool {
        let command = &act.facts.commands[act.command];
        let actor = usize::from(act.thread);
        let after = predicates.expr(post).substitute(|op| {
            let var = Var::of(op)?;
            let update = command.updates.iter().find(|(u, _)| acting(*u, actor) == var);
            let rename = |op: &Op| Some(vec![acting(Var::of(op)?, actor).op()]);
            update.map(|(_, value)| value.substitute(rename).0)
        });
        self.term(act, &after)
    }

    fn term(&mut self, act: &Act, formula: &Expr) -> Bool {
        let commands = &act.facts.commands;
        encode::formula(formula, &mut |op| {
            let var = Var::of(op).expect("a variable");
            let (sort, scope) = match var {
                Var::Input(i) => {
                    let sort = commands[act.command].inputs[index(i)];
                    (sort, crate::logic::model::number(act.command))
                }
                Var::Local(t, _) => (act.facts.sort(act.threads, var), act.threads[index(t)]),
                Var::Global(_) => (act.facts.sort(act.threads, var), 0),
            };
            let name = || format!("{var:?}/{scope}");
            self.constants
                .entry((var, scope))
                .or_insert_with(|| encode::constant(&name(), sort))
                .clone()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::counters::Counters;
    use crate::logic::formula::Relation;
    use crate::logic::linear::{Leaf, Linear};

    /// What x is goes to y and from there to z; the commands are read against this order, so that
    /// one round does not tell what depends on x.
    const PROGRAM: &str = "core 1;
global x: int;
global y: int;
global z: int;
init x == 0 && y == 0 && z == 0;
many t {
  location a; location wrong error;
  edge a -> a { z := y; }
  edge a -> a { y := x; }
  edge a -> a { x := x + 1; }
  edge a -> wrong { x := 0 - 1; }
}";

    #[test]
    fn exactly_the_inductive_candidates_are_kept() {
        let (program, _) =
            threadproof_checker::internals::core_form::parse(PROGRAM).expect("a program");
        let facts = Facts::new(&program, Counters::default());
        let mut predicates = Predicates::new(&facts);
        let mut validity = Validity::new(&facts);
        let mut bounds = |sign: i32| {
            [0, 1, 2].map(|global| {
                let form = Linear::leaf(Leaf::Var(Var::Global(global))).scale(&sign.into());
                let bound = Formula::linear(Relation::Le, form);
                predicates.intern(&bound, &[]).expect("a predicate about no thread")
            })
        };
        let (lower, upper) = (bounds(-1), bounds(1));
        let all: Vec<Instance> = [upper, lower].concat();
        assert!(all.iter().all(|i| validity.initially(&facts, &predicates, i.predicate)));
        // x grows; z and y are at most 0 only if x is.
        let kept = validity.inductive(&facts, &predicates, all);
        assert_eq!(kept, lower);
        // Without what they depend on they are lost too.
        assert_eq!(validity.inductive(&facts, &predicates, lower[1..].to_vec()), []);
    }
}
