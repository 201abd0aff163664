//! The conformance checker as Horn clauses: a relation for each location of the concrete thread,
//! over its locals and the candidates.

use super::Hint;
use crate::logic::rewrite::Rewrite as _;
use crate::solve::decode::{self, DecodeError};
use crate::solve::encode::{self, z3_sort};
use crate::solve::fixedpoint::{Answer, Clauses, Settings};
use std::collections::BTreeMap;
use threadproof_checker::error::{Budget, Reason};
use threadproof_checker::internals::abstraction::conformance::{
    ABSTRACT, CANDIDATES, CONCRETE, Pair, Values, locations,
};
use threadproof_format::program::Variable;
use threadproof_format::work::Seq;
use threadproof_format::{Expr, Op, Sort};
use z3::FuncDecl;
use z3::ast::{Ast, Bool, Dynamic};

/// What z3 may do, in its own unit, if nothing else is said.
pub const WORK: u32 = 10_000_000;

/// The clauses of a pair of threads.
pub struct System<'a> {
    pair: &'a Pair<'a>,
    clauses: Clauses,
    /// The relations' arguments.
    arguments: Vec<(Op, Sort)>,
    relations: BTreeMap<u32, FuncDecl>,
    /// What is taken for an invariant at some locations; the clauses also say that it is one.
    hints: &'a [Hint],
}

/// Inputs of a step, if there is one.
pub type Inputs<'a> = Option<&'a Seq<Variable>>;

/// Why the clauses give no invariants.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Unsolved {
    /// There are none: the thread does not conform. The text is for a thread for which no failing
    /// execution was found after that.
    #[error("no failing execution of the length tried was found")]
    Fails,
    /// z3 has no answer, for the reason that it gives.
    #[error("{0}")]
    Unknown(String),
    /// The logic of certificates cannot say an invariant.
    #[error(transparent)]
    Unsayable(#[from] DecodeError),
}

/// The terms of a clause's variables.
#[derive(Default)]
pub struct Terms(BTreeMap<Op, Dynamic>);

impl Terms {
    /// The term of a variable.
    pub fn variable(&mut self, op: &Op, sort: Sort) -> Dynamic {
        self.0
            .entry(op.clone())
            .or_insert_with(|| encode::constant(&format!("{op:?}"), sort))
            .clone()
    }
}

impl<'a> System<'a> {
    /// Builds the clauses.
    ///
    /// # Errors
    /// If the abstract thread is not well formed.
    pub fn new(
        pair: &'a Pair<'a>,
        copies: &Seq<u32>,
        (hints, settings): (&'a [Hint], Settings),
        work: u32,
    ) -> Result<Self, Reason> {
        let arguments = arguments(pair);
        let sorts: Vec<z3::Sort> = arguments.iter().map(|(_, sort)| z3_sort(*sort)).collect();
        let clauses = Clauses::new(work, settings);
        let relations = locations(&pair.concrete, &Budget::default())?
            .into_iter()
            .map(|l| (l, clauses.relation(&format!("location{l}"), &sorts)))
            .collect();
        let system = System { pair, clauses, arguments, relations, hints };
        system.all(copies)?;
        Ok(system)
    }

    /// The clauses of the start, of each location and of each edge.
    fn all(&self, copies: &Seq<u32>) -> Result<(), Reason> {
        let pair = self.pair;
        let (premises, goal, values) = pair.beginning(copies, &Budget::default())?;
        self.reach(None, &premises, None, (0, &values));
        self.add(None, &[premises, vec![goal.negate()]].concat(), None, None);
        for location in self.relations.keys() {
            self.add(Some(*location), &pair.no_candidate(&Budget::default())?, None, None);
        }
        let nodes = locations(&pair.abstraction, &Budget::default())?;
        for edge in pair.concrete.edges.iter().filter(|e| self.relations.contains_key(&e.source)) {
            let (from, inputs) = (Some(edge.source), Some(&edge.inputs));
            if self.relations.contains_key(&edge.target) {
                let budget = &Budget::default();
                let (body, values) = pair.transition(copies, edge, &nodes, budget)?;
                self.reach(from, &body, inputs, (edge.target, &values));
            } else {
                self.add(from, &pair.wrong_alone(edge, &Budget::default())?, inputs, None);
            }
        }
        Ok(())
    }

    /// The hints at a location.
    fn hinted(&self, location: u32) -> impl Iterator<Item = &Expr> {
        self.hints.iter().filter(move |(l, _)| *l == location).map(|(_, hint)| hint)
    }

    /// Adds a step, and that the hints at its target hold after it.
    fn reach(&self, from: Option<u32>, body: &[Expr], inputs: Inputs, to: (u32, &Values)) {
        self.add(from, body, inputs, Some(to));
        for hint in self.hinted(to.0) {
            let values: BTreeMap<&Op, &Expr> = to.1.iter().map(|(v, e)| (v, e)).collect();
            let after = hint.substitute(|op| values.get(op).map(|value| value.0.clone()));
            self.add(from, &[body, &[after.negate()]].concat(), inputs, None);
        }
    }

    /// Adds "in a state at `from` in which the formulas hold, the relation at the target holds of
    /// the new values", or that there is no such state.
    fn add(&self, from: Option<u32>, body: &[Expr], inputs: Inputs, to: Option<(u32, &Values)>) {
        let mut terms = Terms::default();
        let mut term = |expr: &Expr| {
            let mut leaf = |op: &Op| {
                let sort = self
                    .pair
                    .sort(op, inputs, &Budget::default())
                    .expect("what an obligation is about");
                terms.variable(op, sort)
            };
            encode::encode(expr, &mut leaf, &mut Vec::new())
        };
        let own = |op: &Op| Expr(vec![op.clone()]);
        let formula = |term: Dynamic| term.as_bool().expect("a formula");
        let mut premises = Vec::new();
        if let Some(from) = from {
            let arguments: Vec<Dynamic> =
                self.arguments.iter().map(|(op, _)| term(&own(op))).collect();
            premises.push(apply(&self.relations[&from], &arguments));
            premises.extend(self.hinted(from).map(|hint| formula(term(hint))));
        }
        premises.extend(body.iter().map(|part| formula(term(part))));
        let head = to.map(|(location, values)| {
            let arguments = self.arguments.iter().map(|(op, _)| {
                let new = values.iter().find(|(variable, _)| variable == op);
                term(&new.map_or_else(|| own(op), |(_, value)| value.clone()))
            });
            apply(&self.relations[&location], &arguments.collect::<Vec<_>>())
        });
        let variables: Vec<Dynamic> = terms.0.into_values().collect();
        self.clauses.add(&variables, &premises, head.as_ref());
    }

    /// The invariants of the concrete thread's locations that are no errors, in order.
    ///
    /// # Errors
    /// If there are none, or none was found.
    pub fn solve(&self) -> Result<Vec<Expr>, Unsolved> {
        match self.clauses.solve() {
            Answer::Solved => {}
            Answer::Derived => return Err(Unsolved::Fails),
            Answer::Unknown(why) => return Err(Unsolved::Unknown(why)),
        }
        let variables: Vec<Op> = self.arguments.iter().map(|(op, _)| op.clone()).collect();
        let value = |(location, relation): (&u32, &FuncDecl)| {
            let value = match self.clauses.value(relation) {
                Some(value) => decode::formula(&value, &variables)?,
                None => Expr::bool(true),
            };
            // Without a candidate it fails: what allows that is a relation that z3 never looked at,
            // as no execution comes there.
            let value = if value == Expr::bool(true) { Expr::bool(false) } else { value };
            Ok(self.hinted(*location).fold(value, |mut all, hint| {
                all.0.extend(hint.0.iter().cloned().chain([Op::And]));
                all
            }))
        };
        self.relations.iter().map(value).collect()
    }
}

/// What the invariants are about: T's locals, the candidates, T#'s locals.
pub fn arguments(pair: &Pair) -> Vec<(Op, Sort)> {
    let locals = |position: u32, variables: &[Variable]| {
        let numbered = (0..).zip(variables);
        numbered.map(|(i, v)| (Op::Local(position, i), v.sort)).collect::<Vec<_>>()
    };
    let mut arguments = locals(CONCRETE, &pair.concrete.locals);
    let nodes = locations(&pair.abstraction, &Budget::default());
    arguments.extend(nodes.into_iter().flatten().map(|x| (Op::Local(CANDIDATES, x), Sort::Bool)));
    arguments.extend(locals(ABSTRACT, &pair.abstraction.locals));
    arguments
}

fn apply(relation: &FuncDecl, arguments: &[Dynamic]) -> Bool {
    let arguments: Vec<&dyn Ast> = arguments.iter().map(|a| a as &dyn Ast).collect();
    relation.apply(&arguments).as_bool().expect("a relation is a formula")
}
