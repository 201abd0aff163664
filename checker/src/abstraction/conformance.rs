//! Conformance: each step of a thread is one of its abstract thread, from some candidate (SPEC.md
//! sections 12.2 and 12.3; "Abstract Threads", Section 3).

use super::thread;
use crate::budget::{Held, get};
use crate::error::{AbstractionReason, At, Budget, Failure, Reason};
use crate::obligation::{Obligation, ObligationId};
use crate::scope::input;
use crate::sorts::require;
use crate::substitute::{negate, new, news, rename, replace, substitute};
use threadproof_format::program::{Edge, Program, Template, Variable};
use threadproof_format::proof::abstraction::Conformance;
use threadproof_format::work::{List as _, Metered as _, Seq, Size as _, Spent, gather, list};
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
    /// The globals that both programs share.
    pub shared: Seq<Variable>,
    /// The program's initial condition.
    init: &'a Expr,
    /// The concrete thread T, its locals at position 0.
    pub concrete: Template,
    /// The abstract thread T#, its locals at position 0.
    pub abstraction: Template,
}

/// Variables and their values.
pub type Values = Seq<(Op, Expr)>;

impl<'a> Pair<'a> {
    /// A template of the concrete program and one of the abstract program, each by its number.
    ///
    /// # Errors
    /// `Index` or `Limit`.
    pub fn new(
        (concrete, of): (&'a Program, u32),
        (program, to): (&Program, u32),
        budget: &Budget,
    ) -> Result<Self, Reason> {
        Ok(Pair {
            shared: thread::shared(concrete, budget)?,
            init: &concrete.init,
            concrete: thread::thread(concrete, of, budget)?,
            abstraction: thread::thread(program, to, budget)?,
        })
    }

    /// Whether both are one thread, whatever its name and whether it is single.
    ///
    /// # Errors
    /// `Limit`.
    pub fn same(&self, budget: &Budget) -> Result<bool, Reason> {
        Ok(thread::same(&self.concrete, &self.abstraction, budget)?)
    }

    /// Checks that the concrete thread conforms to the abstract one (section 12.3).
    ///
    /// # Errors
    /// Why the proof does not show it, and where.
    pub fn check(&self, proof: &Conformance, budget: &Budget) -> Result<(), Failure> {
        let mut refutations = proof.refutations.walk(budget)?;
        self.each_obligation(proof, budget, |obligation| {
            let missing = AbstractionReason::Refutation;
            obligation.check(refutations.next().ok_or(missing)?, budget)
        })?;
        match refutations.next() {
            None => Ok(()),
            Some(_) => Err(Reason::Unused("refutation").into()),
        }
    }

    /// Forms all that has to be refuted, in order, and gives it away. The proof's refutations are
    /// not looked at.
    ///
    /// # Errors
    /// If the proof or the abstract thread is not well formed, and those of `with`.
    pub fn each_obligation(
        &self,
        proof: &Conformance,
        budget: &Budget,
        mut with: impl FnMut(Obligation) -> Result<(), Reason>,
    ) -> Result<(), Failure> {
        self.well_formed(proof, budget)?;
        let mut given = proof.invariants.walk(budget)?;
        let locations = self.concrete.locations.walk(budget)?;
        let invariants = locations.map(|l| if l.error { None } else { given.next() });
        let invariants: Seq<Option<&Expr>> = list(invariants, budget)?;
        let mut give = |id: ObligationId, made: Result<Seq<Expr>, Reason>, inputs| {
            let sort = |op: &Op| self.sort(op, inputs, budget);
            let formed = made.and_then(|formulas| Obligation::new(id, formulas, sort, budget));
            formed.and_then(&mut with).at(|| id.to_string())
        };
        let start = self.start(proof, invariants.first().copied().flatten(), budget);
        give(ObligationId::Start, start, None)?;
        for (location, invariant) in invariants.walk(budget)?.enumerate() {
            if let Some(invariant) = invariant {
                // There is a candidate at the location.
                let left = headed(invariant, self.no_candidate(budget), budget);
                give(ObligationId::Location(location), left, None)?;
            }
        }
        for (i, edge) in self.concrete.edges.walk(budget)?.enumerate() {
            let Some(Some(before)) = invariants.at(edge.source, budget)? else { continue };
            let made = match invariants.at(edge.target, budget)? {
                Some(Some(after)) => self.step(&proof.copies, (before, after), edge, budget),
                // Where the concrete thread can go wrong, a candidate can.
                _ => headed(before, self.wrong_alone(edge, budget), budget),
            };
            give(ObligationId::Edge(i), made, Some(&edge.inputs))?;
        }
        Ok(())
    }

    /// Section 12.2, and the sorts of the invariants.
    fn well_formed(&self, proof: &Conformance, budget: &Budget) -> Result<(), Failure> {
        if proof.copies.len() != self.abstraction.locals.len() {
            return Err(AbstractionReason::Copies.into());
        }
        let copies = self.abstraction.locals.walk(budget)?.zip(proof.copies.walk(budget)?);
        for (local, global) in copies {
            if get(&self.shared, *global, "global", budget)?.sort != local.sort {
                return Err(AbstractionReason::CopySort.into());
            }
        }
        for (i, edge) in self.abstraction.edges.walk(budget)?.enumerate() {
            self.well_formed_edge(proof, edge, budget).at(|| format!("abstract edge {i}"))?;
        }
        let locations = locations(&self.concrete, budget)?;
        if proof.invariants.len() != locations.len() {
            return Err(AbstractionReason::Invariants.into());
        }
        let invariants = locations.walk(budget)?.zip(proof.invariants.walk(budget)?);
        for (location, invariant) in invariants {
            let leaf = |op: &Op| match op {
                Op::Local(CONCRETE | CANDIDATES | ABSTRACT, _) => self.sort(op, None, budget),
                _ => Err(Reason::Index("variable of an invariant")),
            };
            require(invariant, Sort::Bool, &leaf, budget)
                .at(|| format!("invariant of location {location}"))?;
        }
        Ok(())
    }

    /// An edge of an abstract thread that does not begin at an error location (section 12.2).
    fn well_formed_edge(
        &self,
        proof: &Conformance,
        edge: &Edge,
        budget: &Budget,
    ) -> Result<(), Reason> {
        if !self.inner(edge, budget)? {
            return Ok(());
        }
        let error = self.is_error(edge, budget)?;
        if edge.inputs.len() != if error { 0 } else { next_values(edge, budget)?.len() } {
            return Err(AbstractionReason::Input.into());
        }
        if error { Ok(()) } else { self.copied(&proof.copies, edge, budget) }
    }

    /// After each of its steps each local of the abstract thread equals the global it copies.
    fn copied(&self, copies: &Seq<u32>, edge: &Edge, budget: &Budget) -> Result<(), Reason> {
        let updates = news(edge.updates.walk(budget)?, budget)?;
        for (local, global) in (0..).zip(copies.walk(budget)?) {
            let own = alone(Op::Global(*global));
            let value = new(&updates, &Op::Global(*global), budget)?.unwrap_or(&own);
            let copy = new(&updates, &Op::Local(0, local), budget)?;
            if !copy.map_or(Ok(false), |copy| copy.same(value, budget))? {
                return Err(AbstractionReason::Local.into());
            }
        }
        Ok(())
    }

    /// At the start the initial location is the only candidate.
    fn start(
        &self,
        proof: &Conformance,
        invariant: Option<&Expr>,
        budget: &Budget,
    ) -> Result<Seq<Expr>, Reason> {
        let invariant = invariant.ok_or(Reason::Index("location"))?;
        let (mut formulas, goal, values) = self.beginning(&proof.copies, budget)?;
        let invariant = substitute(invariant, &values, budget)?;
        formulas.add(negate(join(invariant, goal, Op::And, budget)?, budget)?, budget)?;
        Ok(formulas)
    }

    /// How T and T# begin: what is known, what must be known, and the values of the candidates and
    /// of T#'s locals.
    ///
    /// # Errors
    /// `Limit`.
    pub fn beginning(
        &self,
        copies: &Seq<u32>,
        budget: &Budget,
    ) -> Result<(Seq<Expr>, Expr, Values), Reason> {
        let candidates = locations(&self.abstraction, budget)?.give(budget)?;
        let candidates = candidates.map(|x| (Op::Local(CANDIDATES, x), Expr::bool(x == 0)));
        let mut values: Values = list(candidates, budget)?;
        let copies = (0..).zip(copies.walk(budget)?);
        let copies = copies.map(|(j, global)| (Op::Local(ABSTRACT, j), alone(Op::Global(*global))));
        values.add_all(copies, budget)?;
        let init = in_abstraction(&self.abstraction.init, budget)?;
        let goal = substitute(&init, &values, budget)?;
        let known = [self.init.copy(budget)?, self.concrete.init.copy(budget)?];
        Ok((known.into(), goal, values))
    }

    /// No candidate is left.
    ///
    /// # Errors
    /// `Limit`.
    pub fn no_candidate(&self, budget: &Budget) -> Result<Seq<Expr>, Reason> {
        let nodes = locations(&self.abstraction, budget)?;
        let candidates =
            nodes.walk(budget)?.map(|x| negate(alone(Op::Local(CANDIDATES, *x)), budget));
        Ok(gather(candidates, budget)?)
    }

    /// The concrete thread can go wrong by an edge, and no candidate can.
    ///
    /// # Errors
    /// `Limit`.
    pub fn wrong_alone(&self, edge: &Edge, budget: &Budget) -> Result<Seq<Expr>, Reason> {
        headed(&edge.guard, self.right(budget), budget)
    }

    /// No candidate can go wrong: the no-error formulas of section 12.3.
    ///
    /// # Errors
    /// `Limit`.
    pub fn right(&self, budget: &Budget) -> Result<Seq<Expr>, Reason> {
        let mut formulas = Seq::new();
        for edge in self.abstraction.edges.walk(budget)? {
            if self.is_error(edge, budget)? {
                let guard = in_abstraction(&edge.guard, budget)?;
                let wrong =
                    join(alone(Op::Local(CANDIDATES, edge.source)), guard, Op::And, budget)?;
                formulas.add(negate(wrong, budget)?, budget)?;
            }
        }
        Ok(formulas)
    }

    /// A step leads from the invariant before to the one after.
    fn step(
        &self,
        copies: &Seq<u32>,
        (before, after): (&Expr, &Expr),
        edge: &Edge,
        budget: &Budget,
    ) -> Result<Seq<Expr>, Reason> {
        let mentioned = after.0.walk(budget)?.filter_map(|op| match op {
            Op::Local(CANDIDATES, x) => Some(*x),
            _ => None,
        });
        let mentioned = list(mentioned, budget)?.sorted(budget)?;
        let (relation, values) = self.transition(copies, edge, &mentioned, budget)?;
        let after = substitute(after, &values, budget)?;
        let mut formulas = headed(before, Ok(relation), budget)?;
        formulas.add(negate(after, budget)?, budget)?;
        Ok(formulas)
    }

    /// A step of the concrete thread between locations that are no errors, from a state in which no candidate can
    /// go wrong: what holds of it, and the values after it of T's locals, of some of the candidates
    /// (those that T#'s steps with the same globals before and after lead to) and of T#'s locals.
    ///
    /// # Errors
    /// `Limit`.
    pub fn transition(
        &self,
        copies: &Seq<u32>,
        edge: &Edge,
        candidates: &Seq<u32>,
        budget: &Budget,
    ) -> Result<(Seq<Expr>, Values), Reason> {
        let mut formulas = self.right(budget)?;
        formulas.add(edge.guard.copy(budget)?, budget)?;
        let mut values = edge.updates.copy(budget)?;
        let held = Held::default();
        for target in candidates.walk(budget)? {
            let mut sum = Expr::bool(false);
            for relation in self.relations(*target, edge, budget)?.give(budget)? {
                held.hold(relation.size())?;
                sum = join(sum, relation, Op::Or, budget)?;
            }
            let after = || alone(Op::Local(AFTER, *target));
            formulas.add(join(sum, after(), Op::Cmp(Cmp::Eq), budget)?, budget)?;
            values.add((Op::Local(CANDIDATES, *target), after()), budget)?;
        }
        let updates = news(edge.updates.walk(budget)?, budget)?;
        for (j, global) in (0..).zip(copies.walk(budget)?) {
            let own = alone(Op::Global(*global));
            let value = new(&updates, &Op::Global(*global), budget)?.unwrap_or(&own);
            // Many locals may copy one global.
            held.hold(value.size())?;
            values.add((Op::Local(ABSTRACT, j), value.copy(budget)?), budget)?;
        }
        Ok((formulas, values))
    }

    /// The abstract thread's edges to a location, as relations of the globals before and after a
    /// concrete step (section 12.3). One that the step cannot be is left out.
    fn relations(&self, target: u32, step: &Edge, budget: &Budget) -> Result<Seq<Expr>, Reason> {
        let mut relations = Seq::new();
        for edge in self.abstraction.edges.walk(budget)?.filter(|e| e.target == target) {
            if self.is_step(edge, budget)? {
                relations.add_all(self.relation(edge, step, budget)?, budget)?;
            }
        }
        Ok(relations)
    }

    /// One edge of the abstract thread as a relation: its source is a candidate, its guard holds with the concrete
    /// step's new values in place of its inputs, and its new values are the concrete step's. `None`
    /// if two arrays' new values are written differently.
    fn relation(&self, edge: &Edge, step: &Edge, budget: &Budget) -> Result<Option<Expr>, Reason> {
        let theirs = news(step.updates.walk(budget)?, budget)?;
        let ours = news(edge.updates.walk(budget)?, budget)?;
        let mut values: Values = Seq::new();
        for (input, global) in next_values(edge, budget)?.give(budget)? {
            let value = new(&theirs, &Op::Global(global), budget)?;
            let value = value.map_or_else(|| Ok(alone(Op::Global(global))), |v| v.copy(budget))?;
            values.add((Op::Input(input), value), budget)?;
        }
        for (j, _) in (0..).zip(self.abstraction.locals.walk(budget)?) {
            values.add((Op::Local(0, j), alone(Op::Local(ABSTRACT, j))), budget)?;
        }
        let values = news(values.walk(budget)?, budget)?;
        let guard = replace(&edge.guard, &values, budget)?;
        let mut relation = join(alone(Op::Local(CANDIDATES, edge.source)), guard, Op::And, budget)?;
        for (global, variable) in (0..).zip(self.shared.walk(budget)?) {
            let (op, own) = (Op::Global(global), alone(Op::Global(global)));
            let value = new(&ours, &op, budget)?.unwrap_or(&own);
            let value = replace(value, &values, budget)?;
            let theirs = new(&theirs, &op, budget)?.unwrap_or(&own);
            if value.same(theirs, budget)? {
                continue;
            }
            if variable.sort.element().is_some() {
                return Ok(None);
            }
            let equal = join(value, theirs.copy(budget)?, Op::Cmp(Cmp::Eq), budget)?;
            relation = join(relation, equal, Op::And, budget)?;
        }
        Ok(Some(relation))
    }

    /// Whether an edge of the abstract thread begins at a node.
    fn inner(&self, edge: &Edge, budget: &Budget) -> Result<bool, Spent> {
        is_node(&self.abstraction, edge.source, budget)
    }

    /// Whether an edge of the abstract thread goes from node to node.
    ///
    /// # Errors
    /// `Limit`.
    pub fn is_step(&self, edge: &Edge, budget: &Budget) -> Result<bool, Spent> {
        Ok(self.inner(edge, budget)? && is_node(&self.abstraction, edge.target, budget)?)
    }

    /// Whether the abstract thread goes wrong by this edge.
    fn is_error(&self, edge: &Edge, budget: &Budget) -> Result<bool, Spent> {
        Ok(self.inner(edge, budget)? && !is_node(&self.abstraction, edge.target, budget)?)
    }

    /// The sort of a variable of an obligation; `inputs` are those of the concrete step.
    ///
    /// # Errors
    /// `Index` if there is none, or `Limit`.
    pub fn sort(
        &self,
        op: &Op,
        inputs: Option<&Seq<Variable>>,
        budget: &Budget,
    ) -> Result<Sort, Reason> {
        let variable = match op {
            Op::Global(i) => get(&self.shared, *i, "global", budget)?,
            Op::Local(CONCRETE, i) => get(&self.concrete.locals, *i, "local", budget)?,
            Op::Local(CANDIDATES | AFTER, x) => {
                return match get(&self.abstraction.locations, *x, "location", budget)?.error {
                    true => Err(Reason::Index("candidate")),
                    false => Ok(Sort::Bool),
                };
            }
            Op::Local(ABSTRACT, j) => get(&self.abstraction.locals, *j, "local", budget)?,
            Op::Input(i) => input(inputs, *i, budget)?,
            Op::Count(..) => return Ok(Sort::Int),
            _ => return Err(Reason::Index("variable")),
        };
        Ok(variable.sort)
    }
}

/// For each input of an edge that is the new value of a global: the first such global in the order
/// of declaration (section 12.3.8).
fn next_values(edge: &Edge, budget: &Budget) -> Result<Seq<(u32, u32)>, Spent> {
    let values = edge.updates.walk(budget)?.filter_map(|(variable, value)| {
        match (variable, value.0.first(), value.0.len()) {
            (Op::Global(global), Some(Op::Input(input)), 1) => Some((*input, *global)),
            _ => None,
        }
    });
    let values = list(values, budget)?.sorted(budget)?.give(budget)?;
    let mut last = None;
    list(values.filter(|(input, _)| last.replace(*input) != Some(*input)), budget)
}

/// The locations of a thread that are no error locations, in order.
///
/// # Errors
/// `Limit`.
pub fn locations(thread: &Template, budget: &Budget) -> Result<Seq<u32>, Spent> {
    let nodes = (0..).zip(thread.locations.walk(budget)?).filter(|(_, l)| !l.error);
    list(nodes.map(|(i, _)| i), budget)
}

/// A variable by itself: the value of a global that a step leaves as it is.
fn alone(variable: Op) -> Expr {
    Expr([variable].into())
}

/// A formula of the abstract thread, in which its own locals are at position 0, in an obligation.
fn in_abstraction(formula: &Expr, budget: &Budget) -> Result<Expr, Spent> {
    rename(formula, &[ABSTRACT].into(), budget)
}

/// A formula, and then others.
fn headed(
    first: &Expr,
    rest: Result<Seq<Expr>, Reason>,
    budget: &Budget,
) -> Result<Seq<Expr>, Reason> {
    let mut formulas = Seq::from([first.copy(budget)?]);
    formulas.add_all(rest?.give(budget)?, budget)?;
    Ok(formulas)
}

/// Two operands and their operator.
fn join(mut left: Expr, right: Expr, op: Op, budget: &Budget) -> Result<Expr, Spent> {
    left.0.add_all(right.0.give(budget)?.chain([op]), budget)?;
    Ok(left)
}

/// Whether a location is one that is no error location.
fn is_node(thread: &Template, location: u32, budget: &Budget) -> Result<bool, Spent> {
    Ok(thread.locations.at(location, budget)?.is_some_and(|l| !l.error))
}
