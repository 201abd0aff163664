//! The inductive invariant of a path program that excludes its last step, as the solution of linear
//! Horn clauses with a relation for each place.

use super::encoding::{Encoding, State, at};
use super::program::Position;
use crate::logic::convert::{self, Item};
use crate::logic::formula::Formula;
use crate::logic::linear::Var;
use crate::solve::fixedpoint::{Answer, Clauses, Settings};
use crate::solve::{decode, encode};
use std::collections::BTreeMap;
use threadproof_format::{Op, Sort};
use z3::FuncDecl;
use z3::ast::{Ast, Bool};

/// What z3 may do for one path program, in its own unit.
const WORK: u32 = 300_000;

/// What holds at each place: formulas over globals and the locals of its threads, by position.
pub type Invariant = Vec<Vec<Formula>>;

/// The invariant of a path program, which contains one that is known; `None` if there is none, or
/// none was found that the logic can say.
pub fn solve(encoding: &Encoding, known: Invariant) -> Option<Invariant> {
    let mut system = System {
        encoding,
        known,
        clauses: Clauses::new(WORK, Settings::Plain),
        relations: Vec::new(),
    };
    system.declare();
    system.start();
    for same in encoding.edges() {
        system.step(&same);
    }
    match system.clauses.solve() {
        Answer::Solved => system.values(),
        Answer::Derived | Answer::Unknown(_) => None,
    }
}

struct System<'s, 'a> {
    encoding: &'s Encoding<'s, 'a>,
    known: Invariant,
    clauses: Clauses,
    /// The relation of each place.
    relations: Vec<FuncDecl>,
}

impl System<'_, '_> {
    fn declare(&mut self) {
        for place in 0..self.encoding.program.places {
            let slots = self.encoding.slots(place);
            let sorts: Vec<z3::Sort> = slots.iter().map(|(_, s)| encode::z3_sort(*s)).collect();
            let relation = self.clauses.relation(&format!("place{place}"), &sorts);
            self.relations.push(relation);
        }
    }

    fn apply(&self, position: &Position, state: &State) -> Bool {
        let arguments = self.encoding.arguments(position);
        let terms: Vec<&dyn Ast> = arguments.iter().map(|v| state.value(*v) as &dyn Ast).collect();
        let relation = &self.relations[position.place];
        relation.apply(&terms).as_bool().expect("a relation is a formula")
    }

    fn start(&self) {
        let (state, body) = self.encoding.start();
        let head = self.apply(&self.encoding.program.positions[0], &state);
        self.clauses.add(&state.values(), &body, Some(&head));
    }

    /// The clause of a step; the last one leads to the goal.
    fn step(&self, same: &[usize]) {
        let positions = &self.encoding.program.positions;
        let step = self.encoding.step(same);
        let position = &positions[same[0]];
        let mut body = vec![self.apply(position, &step.before)];
        let known = self.known[position.place].iter();
        body.extend(known.map(|f| step.before.formula(&at(position, f).expr(), 0, &[])));
        body.extend(step.body);
        let head = positions.get(same[0] + 1).map(|next| self.apply(next, &step.after));
        self.clauses.add(&step.variables, &body, head.as_ref());
    }

    /// After a solution was found: what it says.
    fn values(mut self) -> Option<Invariant> {
        for place in 0..self.relations.len() {
            // Nothing depends on a relation without a value.
            if let Some(value) = self.clauses.value(&self.relations[place]) {
                let further = self.read(place, &value)?;
                self.known[place].extend(further);
            }
        }
        Some(self.known)
    }

    fn read(&self, place: usize, value: &Bool) -> Option<Vec<Formula>> {
        let slots = self.encoding.slots(place);
        let ops: Vec<Op> = slots.iter().map(|(var, _)| var.op()).collect();
        let sorts: BTreeMap<Var, Sort> = slots.into_iter().collect();
        let formula = decode::formula(value, &ops).ok()?;
        Some(convert::formula(&formula, &|v| Item::variable(v, sorts[&v])).conjuncts())
    }
}
