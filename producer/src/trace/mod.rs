//! A trace as formulas: states in static single assignment, with a switch for every piece of the
//! initial condition, of a guard and of an update.

pub mod execution;

use crate::logic::convert::{self, Item};
use crate::logic::formula::Formula;
use crate::logic::linear::{Leaf, Linear, Var};
use crate::logic::model::{Facts, Slot, acting, index, number};
use crate::logic::predicates::{Instance, Predicates, Thread};
use crate::solve::{self, encode, solver};
use num_traits::One;
use std::collections::{BTreeMap, HashMap};
use threadproof_format::{Expr, Op, Sort};
use z3::ast::{Bool, Dynamic, Int};
use z3::{Model, SatResult, Solver};

/// A path of several threads through their control-flow graphs, as a word over commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Template of each thread: indices into `Program::templates`.
    pub threads: Vec<u32>,
    /// Commands (indices into `Facts::commands`) and acting threads (indices into `threads`), in
    /// the order of time.
    pub steps: Vec<(usize, Thread)>,
}

/// What a piece of a trace is, in the order in which they are given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A conjunct of the initial condition.
    Initial,
    /// An update x := x + constant.
    SelfUpdate,
    /// Another update.
    Update,
    /// A conjunct of a guard.
    Assume,
    /// What is taken for granted before a step; never given up.
    Granted,
}

/// A piece of a trace that can be switched off.
pub struct Piece {
    /// What it states.
    pub kind: Kind,
    /// Its step, counted from 1; 0 for the initial condition.
    pub step: usize,
    literal: Bool,
}

type Values = BTreeMap<Var, Dynamic>;

/// An error trace as formulas in a solver of the current z3 context, and the pieces that are on.
pub struct Trace<'a> {
    facts: &'a Facts<'a>,
    /// Template of each thread, as in [`Word`].
    pub threads: Vec<u32>,
    /// Commands and acting threads, as in [`Word`].
    pub steps: Vec<(usize, Thread)>,
    /// How many of the steps count: fewer than all after [`Trace::truncate`].
    pub length: usize,
    /// The pieces, ascending by step, but granted ones after all others.
    pub pieces: Vec<Piece>,
    /// Whether each piece is on, in the order of `pieces`.
    pub enabled: Vec<bool>,
    solver: Solver,
    /// The variables' terms before step 1, after step 1, ...
    states: Vec<Values>,
    /// The inputs of each step.
    inputs: Vec<Vec<Dynamic>>,
    /// Index terms of the array accesses.
    indices: Vec<Int>,
    /// Models of prefixes, with the prefix's length.
    models: Vec<(usize, Model)>,
    implied: HashMap<(usize, Instance), bool>,
}

impl<'a> Trace<'a> {
    /// Translates an error trace, with all pieces on. Nothing is granted yet: [`Trace::grant`].
    pub fn new(facts: &'a Facts<'a>, word: &Word) -> Self {
        let mut trace = Trace {
            facts,
            threads: word.threads.clone(),
            steps: word.steps.clone(),
            length: word.steps.len(),
            pieces: Vec::new(),
            enabled: Vec::new(),
            solver: solver(),
            states: Vec::new(),
            inputs: Vec::new(),
            indices: Vec::new(),
            models: Vec::new(),
            implied: HashMap::new(),
        };
        trace.start();
        for step in 1..=trace.steps.len() {
            trace.step(step);
        }
        trace.enabled = vec![true; trace.pieces.len()];
        trace
    }

    /// The terms of the initial state and the initial condition.
    fn start(&mut self) {
        let mut values = Values::new();
        for (i, variable) in (0u32..).zip(&self.facts.program.globals) {
            let term = encode::constant(&format!("g{i}.0"), variable.sort);
            values.insert(Var::Global(i), term);
        }
        for (t, template) in (0u32..).zip(&self.threads) {
            let locals = &self.facts.program.templates[index(*template)].locals;
            for (i, variable) in (0u32..).zip(locals) {
                let term = encode::constant(&format!("l{t}.{i}.0"), variable.sort);
                values.insert(Var::Local(t, i), term);
            }
        }
        self.states.push(values);
        let facts = self.facts;
        for formula in &facts.init {
            self.assert(Kind::Initial, 0, &formula.expr(), 0, &[]);
        }
        for (t, template) in self.threads.clone().into_iter().enumerate() {
            for formula in &facts.thread_init[index(template)] {
                self.assert(Kind::Initial, 0, &formula.expr(), t, &[]);
            }
        }
    }

    /// The terms and formulas of a step.
    fn step(&mut self, step: usize) {
        let (command, actor) = self.steps[step - 1];
        let actor = usize::from(actor);
        let facts = self.facts;
        let command = &facts.commands[command];
        let inputs: Vec<Dynamic> = command
            .inputs
            .iter()
            .enumerate()
            .map(|(i, sort)| encode::constant(&format!("u{step}.{i}"), *sort))
            .collect();
        for formula in &command.guard {
            self.assert(Kind::Assume, step, &formula.expr(), actor, &inputs);
        }
        let mut after = self.states[step - 1].clone();
        for (var, value) in &command.updates {
            let old = encode_at(&self.states[step - 1], actor, value, &inputs, &mut self.indices);
            let var = acting(*var, actor);
            let sort = facts.sort(&self.threads, var);
            let name = match var {
                Var::Local(t, i) => format!("l{t}.{i}.{step}"),
                Var::Global(i) | Var::Input(i) => format!("g{i}.{step}"),
            };
            let new = encode::constant(&name, sort);
            let kind = if self_update(facts, &self.threads, var, value, actor) {
                Kind::SelfUpdate
            } else {
                Kind::Update
            };
            self.switch(kind, step, &new.eq(&old));
            after.insert(var, new);
        }
        self.states.push(after);
        self.inputs.push(inputs);
    }

    /// Takes for granted what always holds of the states before the last step: of counters, of
    /// where the threads are that act later, and invariants.
    pub fn grant(&mut self, invariants: &[Expr]) {
        if self.facts.counters.is_empty() {
            return;
        }
        let counting: Vec<Expr> = self.facts.counting().iter().map(Formula::expr).collect();
        for steps in 0..self.steps.len() {
            let located = self.located(steps);
            let located = located.iter().map(Formula::expr).collect::<Vec<Expr>>();
            let all = counting.iter().chain(&located).chain(invariants);
            let all: Vec<Bool> = all.map(|formula| self.formula_at(steps, formula)).collect();
            self.switch(Kind::Granted, steps + 1, &Bool::and(&all));
            self.enabled.push(true);
        }
    }

    /// Where the threads that act later are after some steps.
    pub fn later(&self, steps: usize) -> Vec<Slot> {
        let mut slots: BTreeMap<Thread, Slot> = BTreeMap::new();
        for (command, thread) in &self.steps[steps..] {
            let command = &self.facts.commands[*command];
            let slot = Slot { template: number(command.template), location: command.source };
            slots.entry(*thread).or_insert(slot);
        }
        slots.into_values().collect()
    }

    /// What the location axiom says after some steps of the threads that act later.
    pub fn located(&self, steps: usize) -> Vec<Formula> {
        let mut counts: BTreeMap<Slot, u32> = BTreeMap::new();
        self.later(steps).into_iter().for_each(|slot| *counts.entry(slot).or_default() += 1);
        let mut out = Vec::new();
        for (Slot { template, location }, count) in counts {
            let many = self.facts.many[index(template)];
            let counters = self.facts.counters.iter();
            for (var, (_, at)) in counters.filter(|(_, (t, _))| *t == template) {
                let form = Linear::leaf(Leaf::Var(var));
                if at == location {
                    let least = (1..=count).map(|n| Linear::constant(n.into()));
                    out.extend(least.map(|least| Formula::le(least, form.clone())));
                } else if !many {
                    out.push(Formula::le(form, Linear::default()));
                }
            }
        }
        out
    }

    /// Fixes a variable of the initial state to a value, if it can have that value: an integer, or
    /// a truth value by its parity.
    pub fn prefer(&mut self, var: Var, sort: Sort, value: i64) {
        let term = self.states[0][&var].clone();
        let wish = match sort {
            Sort::Int => term.as_int().map(|term| term.eq(Int::from_i64(value))),
            Sort::Bool => term.as_bool().map(|term| term.iff(Bool::from_bool(value % 2 == 0))),
            Sort::IntArray | Sort::BoolArray => None,
        };
        let Some(wish) = wish else { return };
        let mut literals = self.literals(0);
        literals.push(wish.clone());
        if solve::check_assumptions(&self.solver, &literals) == SatResult::Sat {
            self.solver.assert(wish);
        }
    }

    /// A model of the initial condition.
    pub fn sample_model(&self) -> Option<Model> {
        (self.check(0) == SatResult::Sat).then(|| self.model()).flatten()
    }

    fn assert(
        &mut self,
        kind: Kind,
        step: usize,
        formula: &Expr,
        actor: usize,
        inputs: &[Dynamic],
    ) {
        let state = &self.states[step.saturating_sub(1)];
        let formula = encode_at(state, actor, formula, inputs, &mut self.indices);
        self.switch(kind, step, &formula.as_bool().expect("a formula"));
    }

    fn switch(&mut self, kind: Kind, step: usize, formula: &Bool) {
        let literal = Bool::new_const(format!("on{}", self.pieces.len()));
        self.solver.assert(literal.implies(formula));
        self.pieces.push(Piece { kind, step, literal });
    }

    /// The conjuncts of the initial condition that are on.
    pub fn initial_condition(&self) -> Vec<Formula> {
        let mut all = self.facts.init.clone();
        for (t, template) in self.threads.iter().enumerate() {
            let own = self.facts.thread_init[index(*template)].iter();
            all.extend(own.map(|f| f.rename(&mut |v| acting(v, t))));
        }
        all.into_iter().enumerate().filter(|(i, _)| self.is_on(0, *i)).map(|(_, f)| f).collect()
    }

    /// Whether a piece of a step is on: the guard's conjuncts are counted first, then the updates.
    pub fn is_on(&self, step: usize, number: usize) -> bool {
        let first = self.pieces.iter().position(|piece| piece.step == step);
        first.is_some_and(|first| self.enabled[first + number])
    }

    /// Switches all pieces on and makes all steps count again.
    pub fn reset(&mut self) {
        self.enabled = vec![true; self.pieces.len()];
        self.length = self.steps.len();
        self.forget();
    }

    /// Lets only the first steps count, and switches the pieces of later ones off.
    pub fn truncate(&mut self, steps: usize) {
        self.length = steps;
        for (piece, enabled) in self.pieces.iter().zip(&mut self.enabled) {
            *enabled &= piece.step <= steps;
        }
    }

    /// Checks the enabled pieces up to a step.
    pub fn check(&self, steps: usize) -> SatResult {
        let literals = self.literals(steps);
        solve::check_assumptions(&self.solver, &literals)
    }

    fn literals(&self, steps: usize) -> Vec<Bool> {
        let on = self.pieces.iter().zip(&self.enabled);
        on.filter(|(p, on)| **on && p.step <= steps).map(|(p, _)| p.literal.clone()).collect()
    }

    /// After an unsatisfiable check: which pieces it needed.
    pub fn core(&self) -> Vec<bool> {
        let core = self.solver.get_unsat_core();
        let needed = |p: &Piece| core.iter().any(|l| l.ast_eq(&p.literal));
        self.pieces.iter().map(needed).collect()
    }

    /// Forgets what was found out about prefixes, when other pieces are on.
    pub fn forget(&mut self) {
        self.models.clear();
        self.implied.clear();
    }

    /// The model of the last satisfiable check.
    pub fn model(&self) -> Option<Model> {
        self.solver.get_model()
    }

    /// Whether the enabled pieces of the first `steps` steps imply an instance after them. An
    /// answer that z3 doesn't know counts as no.
    pub fn implies(&mut self, steps: usize, instance: &Instance, predicates: &Predicates) -> bool {
        if let Some(known) = self.implied.get(&(steps, *instance)) {
            return *known;
        }
        let answer = self.implies_formula(steps, &predicates.expr(instance));
        self.implied.insert((steps, *instance), answer);
        answer
    }

    /// Whether the enabled pieces of the first `steps` steps imply a formula over the trace's
    /// threads after them.
    pub fn implies_formula(&mut self, steps: usize, formula: &Expr) -> bool {
        let term = self.formula_at(steps, formula);
        if self.refuted(steps, &term) {
            return false;
        }
        self.solver.push();
        self.solver.assert(term.not());
        let mut literals = self.literals(steps);
        let granted = |p: &&Piece| p.kind == Kind::Granted && p.step == steps + 1;
        literals.extend(self.pieces.iter().find(granted).map(|p| p.literal.clone()));
        let answer = solve::check_assumptions(&self.solver, &literals);
        if answer == SatResult::Sat {
            let model = self.solver.get_model();
            self.models.extend(model.map(|m| (steps, m)));
        }
        self.solver.pop(1);
        answer == SatResult::Unsat
    }

    /// Whether a known model of the prefix makes the formula false.
    fn refuted(&self, steps: usize, term: &Bool) -> bool {
        let models = self.models.iter().filter(|(n, _)| *n >= steps);
        models.rev().any(|(_, m)| m.eval(term, true).and_then(|v| v.as_bool()) == Some(false))
    }

    /// Remembers a model of a prefix, if it has one.
    pub fn sample(&mut self, steps: usize) {
        if self.check(steps) == SatResult::Sat {
            let model = self.solver.get_model();
            self.models.extend(model.map(|m| (steps, m)));
        }
    }

    fn formula_at(&self, steps: usize, formula: &Expr) -> Bool {
        let state = &self.states[steps];
        encode::formula(formula, &mut |op| {
            let var = Var::of(op).expect("a variable");
            state[&var].clone()
        })
    }

    /// The term of a global, or of a local of one of the threads, in the initial state.
    pub fn initial(&self, var: Var) -> &Dynamic {
        &self.states[0][&var]
    }

    /// The terms of the inputs of a step, counted from 0.
    pub fn inputs(&self, step: usize) -> &[Dynamic] {
        &self.inputs[step]
    }

    /// Index terms of all array accesses.
    pub fn indices(&self) -> &[Int] {
        &self.indices
    }
}

fn encode_at(
    state: &Values,
    actor: usize,
    expr: &Expr,
    inputs: &[Dynamic],
    indices: &mut Vec<Int>,
) -> Dynamic {
    let mut leaf = |op: &Op| match op {
        Op::Input(i) => inputs[index(*i)].clone(),
        op => state[&acting(Var::of(op).expect("a variable"), actor)].clone(),
    };
    encode::encode(expr, &mut leaf, indices)
}

/// Whether an update has the form x := x + constant.
fn self_update(facts: &Facts, threads: &[u32], var: Var, value: &Expr, actor: usize) -> bool {
    if facts.sort(threads, var) != Sort::Int || value.0.iter().any(|op| matches!(op, Op::Input(_)))
    {
        return false;
    }
    let item = convert::item(value, &|v| {
        let v = acting(v, actor);
        Item::variable(v, facts.sort(threads, v))
    });
    let Item::Int(Linear { terms, .. }) = item else {
        return false;
    };
    matches!(terms.as_slice(), [(Leaf::Var(v), c)] if *v == var && c.is_one())
}
