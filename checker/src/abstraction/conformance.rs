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
pub const AFTER: u32 = 3;

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

/// Variables and their values.
pub type Values = Vec<(Op, Expr)>;

impl<'a> Pair<'a> {
    /// A template of the concrete program and one of the abstract program, each by its number.
    ///
    /// # Errors
    /// `Index` or `Limit`.
    pub fn new(
        (concrete, of): (&'a Program, u32),
        (program, to): (&Program, u32),
        budget: &mut Budget,
    ) -> Result<Self, Reason> {
        budget.spend(concrete.globals.len())?;
        Ok(Pair {
            shared: thread::shared(concrete),
            init: &concrete.init,
            concrete: thread::thread(concrete, of, budget)?,
            abstraction: thread::thread(program, to, budget)?,
        })
    }

    /// Whether both are one thread, whatever its name and whether it is single.
    pub fn same(&self) -> bool {
        thread::same(&self.concrete, &self.abstraction)
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
        for (local, global) in self.abstraction.locals.iter().zip(&proof.copies) {
            if get(self.shared, *global, "global")?.sort != local.sort {
                return Err(Reason::Abstraction("a copy of another sort").into());
            }
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
            let value = Expr(vec![Op::Global(*global)]);
            let value = updates.get(&Op::Global(*global)).copied().unwrap_or(&value);
            if updates.get(&Op::Local(0, local)).is_none_or(|own| *own != value) {
                return Err(Reason::Abstraction("a local of the abstract thread is no copy"));
            }
        }
        Ok(())
    }

    /// At the start the initial location is the only candidate.
    fn start(&self, proof: &Conformance, invariant: Option<&Expr>) -> Result<Vec<Expr>, Reason> {
        let invariant = invariant.ok_or(Reason::Index("location"))?;
        let (premises, goal, values) = self.beginning(&proof.copies)?;
        let all = and(substitute(invariant, &values)?, goal);
        Ok([premises, vec![all.negate()]].concat())
    }

    /// How T and T# begin: what is known, what must be known, and the values of the candidates and
    /// of T#'s locals.
    ///
    /// # Errors
    /// `Limit`.
    pub fn beginning(&self, copies: &[u32]) -> Result<(Vec<Expr>, Expr, Values), Reason> {
        let mut values: Values = locations(&self.abstraction)
            .map(|x| (Op::Local(CANDIDATES, x), Expr::bool(x == 0)))
            .collect();
        let copies = (0..).zip(copies);
        values.extend(copies.map(|(j, g)| (Op::Local(ABSTRACT, j), Expr(vec![Op::Global(*g)]))));
        let goal = substitute(&in_abstraction(&self.abstraction.init), &values)?;
        Ok((vec![self.init.clone(), self.concrete.init.clone()], goal, values))
    }

    /// There is a candidate at a location.
    fn candidates_left(&self, invariant: &Expr, budget: &mut Budget) -> Result<Vec<Expr>, Reason> {
        budget.spend(invariant.0.len() + self.abstraction.locations.len())?;
        Ok([vec![invariant.clone()], self.no_candidate()].concat())
    }

    /// No candidate is left.
    pub fn no_candidate(&self) -> Vec<Expr> {
        locations(&self.abstraction).map(|x| candidate(x).negate()).collect()
    }

    /// Where the concrete thread can go wrong, a candidate can.
    fn wrong(&self, before: &Expr, edge: &Edge, budget: &mut Budget) -> Result<Vec<Expr>, Reason> {
        budget.spend(self.abstraction.edges.len())?;
        let mut formulas = vec![before.clone()];
        formulas.extend(self.wrong_alone(edge));
        budget.spend(formulas.iter().map(|f| f.0.len()).sum())?;
        Ok(formulas)
    }

    /// The concrete thread can go wrong by an edge, and no candidate can.
    pub fn wrong_alone(&self, edge: &Edge) -> Vec<Expr> {
        [edge.guard.clone()].into_iter().chain(self.right()).collect()
    }

    /// No candidate can go wrong: the no-error formulas of section 12.3.
    pub fn right(&self) -> impl Iterator<Item = Expr> {
        let wrong = self.abstraction.edges.iter().filter(|e| self.is_error(e));
        wrong.map(|e| and(candidate(e.source), in_abstraction(&e.guard)).negate())
    }

    /// A step leads from the invariant before to the one after.
    fn step(
        &self,
        copies: &[u32],
        (before, after): (&Expr, &Expr),
        edge: &Edge,
        budget: &mut Budget,
    ) -> Result<Vec<Expr>, Reason> {
        let mentioned = after.0.iter().filter_map(|op| match op {
            Op::Local(CANDIDATES, x) => Some(*x),
            _ => None,
        });
        let (relation, values) = self.transition(copies, edge, mentioned.collect(), budget)?;
        let after = substitute(after, &values)?.negate();
        budget.spend(before.0.len() + after.0.len())?;
        Ok([vec![before.clone()], relation, vec![after]].concat())
    }

    /// A step of the concrete thread between locations that are no errors, from a state in which no candidate can
    /// go wrong: what holds of it, and the values after it of T's locals, of some of the candidates
    /// (those that T#'s steps with the same globals before and after lead to) and of T#'s locals.
    ///
    /// # Errors
    /// `Limit`.
    pub fn transition(
        &self,
        copies: &[u32],
        edge: &Edge,
        candidates: BTreeSet<u32>,
        budget: &mut Budget,
    ) -> Result<(Vec<Expr>, Values), Reason> {
        budget.spend(self.abstraction.edges.len())?;
        let mut formulas: Vec<Expr> = self.right().collect();
        formulas.push(edge.guard.clone());
        budget.spend(formulas.iter().map(|f| f.0.len()).sum())?;
        let mut values = edge.updates.clone();
        let mut held = Held::default();
        for target in candidates {
            let mut sum = Expr::bool(false);
            for relation in self.relations(target, edge, budget)? {
                held.hold(relation.0.len())?;
                sum.0.extend(relation.0);
                sum.0.push(Op::Or);
            }
            let after = Op::Local(AFTER, target);
            formulas.push(equal(sum, Expr(vec![after.clone()])));
            values.push((Op::Local(CANDIDATES, target), Expr(vec![after])));
        }
        budget.spend(edge.updates.len())?;
        let updates: HashMap<&Op, &Expr> = edge.updates.iter().map(|(v, e)| (v, e)).collect();
        for (j, global) in (0..).zip(copies) {
            let op = Op::Global(*global);
            let size = updates.get(&op).map_or(1, |value| value.0.len());
            budget.spend(size)?;
            // Many locals may copy one global.
            held.hold(size)?;
            let new = updates.get(&op).map_or_else(|| Expr(vec![op]), |value| (*value).clone());
            values.push((Op::Local(ABSTRACT, j), new));
        }
        Ok((formulas, values))
    }

    /// The abstract thread's edges to a location, as relations of the globals before and after a
    /// concrete step (section 12.3). One that the step cannot be is left out.
    fn relations(
        &self,
        target: u32,
        step: &Edge,
        budget: &mut Budget,
    ) -> Result<Vec<Expr>, Reason> {
        budget.spend(self.abstraction.edges.len())?;
        let edges = self.abstraction.edges.iter();
        let edges = edges.filter(|e| e.target == target && self.is_step(e));
        let relations = edges.map(|edge| self.relation(edge, step, budget));
        relations.filter_map(Result::transpose).collect()
    }

    /// One edge of the abstract thread as a relation: its source is a candidate, its guard holds with the concrete
    /// step's new values in place of its inputs, and its new values are the concrete step's. `None`
    /// if two arrays' new values are written differently.
    fn relation(
        &self,
        edge: &Edge,
        step: &Edge,
        budget: &mut Budget,
    ) -> Result<Option<Expr>, Reason> {
        budget.spend(step.updates.len() + edge.updates.len() + self.abstraction.locals.len())?;
        let theirs: HashMap<&Op, &Expr> = step.updates.iter().map(|(v, e)| (v, e)).collect();
        let ours: HashMap<&Op, &Expr> = edge.updates.iter().map(|(v, e)| (v, e)).collect();
        let new = |global: u32| {
            let op = Op::Global(global);
            theirs.get(&op).map_or_else(|| Expr(vec![op.clone()]), |value| (*value).clone())
        };
        let inputs = next_values(edge).into_iter();
        let mut values: Values = inputs.map(|(input, g)| (Op::Input(input), new(g))).collect();
        let locals = 0..number(self.abstraction.locals.len())?;
        values.extend(locals.map(|j| (Op::Local(0, j), Expr(vec![Op::Local(ABSTRACT, j)]))));
        let mut relation = and(candidate(edge.source), substitute(&edge.guard, &values)?);
        for (global, variable) in (0..).zip(self.shared) {
            let op = Op::Global(global);
            let own = Expr(vec![op.clone()]);
            let value = substitute(ours.get(&op).copied().unwrap_or(&own), &values)?;
            let theirs = new(global);
            budget.spend(value.0.len() + theirs.0.len())?;
            if value == theirs {
                continue;
            }
            match variable.sort {
                Sort::Int | Sort::Bool => relation = and(relation, equal(value, theirs)),
                Sort::IntArray | Sort::BoolArray => return Ok(None),
            }
        }
        budget.spend(relation.0.len())?;
        Ok(Some(relation))
    }

    /// Whether an edge of the abstract thread begins at a node.
    fn inner(&self, edge: &Edge) -> bool {
        is_node(&self.abstraction, edge.source)
    }

    /// Whether an edge of the abstract thread goes from node to node.
    pub fn is_step(&self, edge: &Edge) -> bool {
        self.inner(edge) && is_node(&self.abstraction, edge.target)
    }

    /// Whether the abstract thread goes wrong by this edge.
    fn is_error(&self, edge: &Edge) -> bool {
        self.inner(edge) && !is_node(&self.abstraction, edge.target)
    }

    /// The program's shared globals.
    pub fn shared(&self) -> &[Variable] {
        self.shared
    }

    /// The sort of a variable of an obligation; `inputs` are those of the concrete step.
    ///
    /// # Errors
    /// `Index` if there is none.
    pub fn sort(&self, op: &Op, inputs: &[Variable]) -> Result<Sort, Reason> {
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

/// For each input of an edge that is the new value of a global: the first such global in the order
/// of declaration (section 12.3.8).
fn next_values(edge: &Edge) -> BTreeMap<u32, u32> {
    let mut globals = BTreeMap::new();
    for (variable, value) in &edge.updates {
        if let (Op::Global(global), [Op::Input(input)]) = (variable, &value.0[..]) {
            let first = globals.entry(*input).or_insert(*global);
            *first = (*first).min(*global);
        }
    }
    globals
}

/// The locations of a thread that are no error locations, in order.
pub fn locations(thread: &Template) -> impl Iterator<Item = u32> {
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

/// Whether a location is one that is no error location.
fn is_node(thread: &Template, location: u32) -> bool {
    get(&thread.locations, location, "location").is_ok_and(|l| !l.error)
}
