//! Conformance: each step of a thread is one of its abstract thread, from some candidate (SPEC.md
//! sections 12.2 and 12.3; "Abstract Threads", Section 3).

use super::thread;
use crate::error::{At, Budget, Failure, Held, Reason, get, number};
use crate::proof_space::basis::substitute;
use crate::refute::Obligation;
use crate::sorts::require;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use threadproof_format::program::{Edge, Program, Template, Variable};
use threadproof_format::proof::abstraction::Conformance;
use threadproof_format::{Cmp, Expr, Op, Sort};

/// The position of the concrete thread's locals in an invariant.
pub const CONCRETE: u32 = 0;
/// The position of the candidates, a truth value for each location of the abstract thread.
pub const CANDIDATES: u32 = 1;
/// The position of the abstract thread's locals.
pub const ABSTRACT: u32 = 2;
/// The position of the candidates after a step.
const AFTER: u32 = 3;

/// A template and the one that abstracts it.
#[derive(Debug)]
pub struct Pair<'a> {
    shared: &'a [Variable],
    /// The program's initial condition.
    init: &'a Expr,
    /// The concrete thread T, its locals at position 0.
    pub concrete: Template,
    /// The abstract thread T#, its locals at position 0.
    pub abstraction: Template,
}

/// An edge of the abstract thread as a relation of the states before and after, if the concrete
/// step has the new values: its source, and the conjuncts beside "the source is a candidate".
type Relation = (u32, Vec<Expr>);

impl<'a> Pair<'a> {
    /// The templates of a number in two programs.
    ///
    /// # Errors
    /// `Index` or `Limit`.
    pub fn new(
        concrete: &'a Program,
        program: &Program,
        of: u32,
        budget: &mut Budget,
    ) -> Result<Self, Reason> {
        Ok(Pair {
            shared: thread::shared(concrete),
            init: &concrete.init,
            concrete: thread::thread(concrete, of, budget)?,
            abstraction: thread::thread(program, of, budget)?,
        })
    }

    /// Whether both are one thread, whatever its name.
    pub fn same(&self) -> bool {
        let name = self.concrete.name.clone();
        self.concrete == Template { name, ..self.abstraction.clone() }
    }

    /// Checks that the concrete thread conforms to the abstract one (section 12.3).
    ///
    /// # Errors
    /// Why the proof does not show it, and where.
    pub fn check(&self, proof: &Conformance, budget: &mut Budget) -> Result<(), Failure> {
        let mut refutations = proof.refutations.iter();
        self.each_obligation(proof, budget, |obligation, budget| {
            let missing = Reason::Abstraction("a refutation is missing");
            obligation.check(refutations.next().ok_or(missing)?, budget)
        })?;
        match refutations.next() {
            None => Ok(()),
            Some(_) => Err(Reason::Unused("refutation").into()),
        }
    }

    /// All that has to be refuted, in order. The proof's refutations are not looked at.
    ///
    /// # Errors
    /// If the proof or the abstract thread is not well formed.
    pub fn obligations(
        &self,
        proof: &Conformance,
        budget: &mut Budget,
    ) -> Result<Vec<Obligation>, Failure> {
        let mut list = Vec::new();
        self.each_obligation(proof, budget, |obligation, _| {
            list.push(obligation);
            Ok(())
        })?;
        Ok(list)
    }

    /// Forms each obligation and gives it away.
    fn each_obligation(
        &self,
        proof: &Conformance,
        budget: &mut Budget,
        mut with: impl FnMut(Obligation, &mut Budget) -> Result<(), Reason>,
    ) -> Result<(), Failure> {
        self.well_formed(proof, budget)?;
        let invariants: BTreeMap<u32, &Expr> =
            locations(&self.concrete).zip(&proof.invariants).collect();
        let mut give = |name: String, made: Result<Vec<Expr>, Reason>, inputs, budget: &mut _| {
            let formed = made.and_then(|formulas| self.obligation(name.clone(), formulas, inputs));
            formed.and_then(|obligation| with(obligation, budget)).at(|| name)
        };
        give("start".to_owned(), self.start(proof, invariants.get(&0).copied()), &[], budget)?;
        for (location, invariant) in &invariants {
            let name = format!("location {location}");
            give(name, self.candidates_left(invariant, budget), &[], budget)?;
        }
        for (i, edge) in self.concrete.edges.iter().enumerate() {
            let Some(before) = invariants.get(&edge.source) else { continue };
            let made = match invariants.get(&edge.target) {
                None => self.wrong(before, edge, budget),
                Some(after) => self.step(&proof.copies, (before, after), edge, budget),
            };
            give(format!("edge {i}"), made, &edge.inputs, budget)?;
        }
        Ok(())
    }

    /// Section 12.2, and the sorts of the invariants.
    fn well_formed(&self, proof: &Conformance, budget: &mut Budget) -> Result<(), Failure> {
        if proof.copies.len() != self.abstraction.locals.len() {
            return Err(Reason::Abstraction("number of copies").into());
        }
        for (i, edge) in self.abstraction.edges.iter().enumerate().filter(|(_, e)| self.inner(e)) {
            let place = || format!("abstract edge {i}");
            budget.spend(edge.updates.len() + proof.copies.len()).at(place)?;
            let (error, next) = (self.is_error(edge), next_values(edge).len());
            if edge.inputs.len() != if error { 0 } else { next } {
                let what = "an input of the abstract thread that is no next value";
                return Err(Reason::Abstraction(what)).at(place);
            }
            if !error {
                self.copied(&proof.copies, edge).at(place)?;
            }
        }
        if proof.invariants.len() != locations(&self.concrete).count() {
            return Err(Reason::Abstraction("number of invariants").into());
        }
        for (location, invariant) in locations(&self.concrete).zip(&proof.invariants) {
            budget.spend(invariant.0.len())?;
            let leaf = |op: &Op| match op {
                Op::Local(CONCRETE | CANDIDATES | ABSTRACT, _) => self.sort(op, &[]),
                _ => Err(Reason::Index("variable of an invariant")),
            };
            require(invariant, Sort::Bool, &leaf)
                .at(|| format!("invariant of location {location}"))?;
        }
        Ok(())
    }

    /// After each of its steps each local of the abstract thread equals the global it copies.
    fn copied(&self, copies: &[u32], edge: &Edge) -> Result<(), Reason> {
        let updates: HashMap<&Op, &Expr> = edge.updates.iter().map(|(v, e)| (v, e)).collect();
        for (local, global) in (0..).zip(copies) {
            let sort = get(self.shared, *global, "global")?.sort;
            let value = Expr(vec![Op::Global(*global)]);
            let value = updates.get(&Op::Global(*global)).copied().unwrap_or(&value);
            let same = updates.get(&Op::Local(0, local)).is_some_and(|own| *own == value);
            if !same || get(&self.abstraction.locals, local, "local")?.sort != sort {
                return Err(Reason::Abstraction("a local of the abstract thread is no copy"));
            }
        }
        Ok(())
    }

    /// At the start the initial location is the only candidate.
    fn start(&self, proof: &Conformance, invariant: Option<&Expr>) -> Result<Vec<Expr>, Reason> {
        let invariant = invariant.ok_or(Reason::Index("location"))?;
        let mut values: Vec<(Op, Expr)> = locations(&self.abstraction)
            .map(|x| (Op::Local(CANDIDATES, x), Expr::bool(x == 0)))
            .collect();
        let copies = (0..).zip(&proof.copies);
        values.extend(copies.map(|(j, g)| (Op::Local(ABSTRACT, j), Expr(vec![Op::Global(*g)]))));
        let mut goal = substitute(invariant, &values)?;
        goal.0.extend(substitute(&in_abstraction(&self.abstraction.init), &values)?.0);
        goal.0.push(Op::And);
        Ok(vec![self.init.clone(), self.concrete.init.clone(), goal.negate()])
    }

    /// There is a candidate at a location.
    fn candidates_left(&self, invariant: &Expr, budget: &mut Budget) -> Result<Vec<Expr>, Reason> {
        budget.spend(invariant.0.len() + self.abstraction.locations.len())?;
        let none = locations(&self.abstraction).map(|x| candidate(x).negate());
        Ok([invariant.clone()].into_iter().chain(none).collect())
    }

    /// Where the concrete thread can go wrong, a candidate can.
    fn wrong(&self, before: &Expr, edge: &Edge, budget: &mut Budget) -> Result<Vec<Expr>, Reason> {
        let mut formulas = vec![before.clone(), edge.guard.clone()];
        formulas.extend(self.right());
        budget.spend(formulas.iter().map(|f| f.0.len()).sum())?;
        Ok(formulas)
    }

    /// No candidate can go wrong.
    fn right(&self) -> impl Iterator<Item = Expr> {
        let wrong = self.abstraction.edges.iter().filter(|e| self.is_error(e));
        wrong.map(|e| and(candidate(e.source), in_abstraction(&e.guard)).negate())
    }

    /// A step leads from the invariant before to the one after, with the candidates that the abstract
    /// thread's steps with the same globals before and after give.
    fn step(
        &self,
        copies: &[u32],
        (before, after): (&Expr, &Expr),
        edge: &Edge,
        budget: &mut Budget,
    ) -> Result<Vec<Expr>, Reason> {
        let mut formulas = vec![before.clone()];
        formulas.extend(self.right());
        formulas.push(edge.guard.clone());
        let new = |op: Op| {
            let update = edge.updates.iter().find(|(variable, _)| *variable == op);
            update.map_or_else(|| Expr(vec![op]), |(_, value)| value.clone())
        };
        let mentioned: BTreeSet<u32> = after
            .0
            .iter()
            .filter_map(|op| match op {
                Op::Local(CANDIDATES, x) => Some(*x),
                _ => None,
            })
            .collect();
        let mut held = Held::default();
        for target in &mentioned {
            let steps = self.relations(*target, edge, budget)?;
            let mut sum = Expr::bool(false);
            for (source, conjuncts) in steps {
                let all = conjuncts.into_iter().fold(candidate(source), and);
                budget.spend(all.0.len())?;
                held.hold(all.0.len())?;
                sum.0.extend(all.0);
                sum.0.push(Op::Or);
            }
            sum.0.extend([Op::Local(AFTER, *target), Op::Cmp(Cmp::Eq)]);
            formulas.push(sum);
        }
        let mut values: Vec<(Op, Expr)> = edge.updates.clone();
        let after_step = |x: &u32| (Op::Local(CANDIDATES, *x), Expr(vec![Op::Local(AFTER, *x)]));
        values.extend(mentioned.iter().map(after_step));
        let copies = (0..).zip(copies);
        values.extend(copies.map(|(j, g)| (Op::Local(ABSTRACT, j), new(Op::Global(*g)))));
        formulas.push(substitute(after, &values)?.negate());
        budget.spend(formulas.iter().map(|f| f.0.len()).sum())?;
        Ok(formulas)
    }

    /// The abstract thread's edges to a location, as relations of the globals before and after a
    /// concrete step (section 12.3). One that the step cannot be is left out.
    fn relations(
        &self,
        target: u32,
        step: &Edge,
        budget: &mut Budget,
    ) -> Result<Vec<Relation>, Reason> {
        let all = self.abstraction.edges.iter();
        let mut out = Vec::new();
        for edge in all.filter(|e| e.target == target && self.inner(e)) {
            if let Some(conjuncts) = self.relation(edge, step, budget)? {
                out.push((edge.source, conjuncts));
            }
        }
        Ok(out)
    }

    /// One edge of the abstract thread as a relation: its guard, with the concrete step's new values in place
    /// of its inputs, and that its new values are the concrete step's. `None` if two arrays' new
    /// values are written differently.
    fn relation(
        &self,
        edge: &Edge,
        step: &Edge,
        budget: &mut Budget,
    ) -> Result<Option<Vec<Expr>>, Reason> {
        let theirs: HashMap<&Op, &Expr> = step.updates.iter().map(|(v, e)| (v, e)).collect();
        let ours: HashMap<&Op, &Expr> = edge.updates.iter().map(|(v, e)| (v, e)).collect();
        let new = |global: u32| {
            let op = Op::Global(global);
            theirs.get(&op).map_or_else(|| Expr(vec![op.clone()]), |value| (*value).clone())
        };
        let mut values: Vec<(Op, Expr)> = next_values(edge)
            .into_iter()
            .map(|(input, global)| (Op::Input(input), new(global)))
            .collect();
        let locals = (0..number(self.abstraction.locals.len())?)
            .map(|j| (Op::Local(0, j), Expr(vec![Op::Local(ABSTRACT, j)])));
        values.extend(locals);
        let mut conjuncts = vec![substitute(&edge.guard, &values)?];
        for (global, variable) in (0..).zip(self.shared) {
            budget.spend(1)?;
            let op = Op::Global(global);
            let own = Expr(vec![op.clone()]);
            let value = substitute(ours.get(&op).copied().unwrap_or(&own), &values)?;
            let theirs = new(global);
            budget.spend(value.0.len() + theirs.0.len())?;
            if value == theirs {
                continue;
            }
            match variable.sort {
                Sort::Int | Sort::Bool => conjuncts.push(equal(value, theirs)),
                Sort::IntArray | Sort::BoolArray => return Ok(None),
            }
        }
        Ok(Some(conjuncts))
    }

    /// Whether an edge of the abstract thread begins at a location that is no error.
    fn inner(&self, edge: &Edge) -> bool {
        !self.abstraction.locations[index(edge.source)].error
    }

    /// Whether the abstract thread goes wrong by this edge.
    fn is_error(&self, edge: &Edge) -> bool {
        self.inner(edge) && self.abstraction.locations[index(edge.target)].error
    }

    /// The sort of a variable of an obligation.
    fn sort(&self, op: &Op, inputs: &[Variable]) -> Result<Sort, Reason> {
        match op {
            Op::Global(i) => Ok(get(self.shared, *i, "global")?.sort),
            Op::Local(CONCRETE, i) => Ok(get(&self.concrete.locals, *i, "local")?.sort),
            Op::Local(CANDIDATES | AFTER, x) => {
                match get(&self.abstraction.locations, *x, "location")?.error {
                    true => Err(Reason::Index("candidate")),
                    false => Ok(Sort::Bool),
                }
            }
            Op::Local(ABSTRACT, j) => Ok(get(&self.abstraction.locals, *j, "local")?.sort),
            Op::Input(i) => Ok(get(inputs, *i, "input")?.sort),
            Op::Count(..) => Ok(Sort::Int),
            _ => Err(Reason::Index("variable")),
        }
    }

    fn obligation(
        &self,
        name: String,
        formulas: Vec<Expr>,
        inputs: &[Variable],
    ) -> Result<Obligation, Reason> {
        let mut sorts = HashMap::new();
        for op in formulas.iter().flat_map(|f| &f.0).filter(|op| op.is_symbol()) {
            if !sorts.contains_key(op) {
                sorts.insert(op.clone(), self.sort(op, inputs)?);
            }
        }
        Ok(Obligation { name, sorts, formulas })
    }
}

/// For each input of an edge that is the new value of a global: the first such global.
fn next_values(edge: &Edge) -> BTreeMap<u32, u32> {
    let mut globals = BTreeMap::new();
    for (variable, value) in &edge.updates {
        if let (Op::Global(global), [Op::Input(input)]) = (variable, &value.0[..]) {
            globals.entry(*input).or_insert(*global);
        }
    }
    globals
}

/// The locations of a thread that are no error locations, in order.
fn locations(thread: &Template) -> impl Iterator<Item = u32> {
    (0..).zip(&thread.locations).filter(|(_, l)| !l.error).map(|(i, _)| i)
}

/// "This location of the abstract thread is a candidate."
fn candidate(location: u32) -> Expr {
    Expr(vec![Op::Local(CANDIDATES, location)])
}

/// A formula of the abstract thread, in which its own locals are at position 0, in an obligation.
fn in_abstraction(formula: &Expr) -> Expr {
    formula.rename(&[ABSTRACT])
}

fn and(mut left: Expr, right: Expr) -> Expr {
    left.0.extend(right.0);
    left.0.push(Op::And);
    left
}

fn equal(mut left: Expr, right: Expr) -> Expr {
    left.0.extend(right.0);
    left.0.push(Op::Cmp(Cmp::Eq));
    left
}

fn index(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
