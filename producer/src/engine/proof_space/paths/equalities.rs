//! Affine equalities of a path program's integers at each place (Karr, "Affine relationships among
//! variables of a program"), from states that z3 gives out while there are new ones.

use super::clauses::Invariant;
use super::encoding::{Encoding, State, at};
use super::program::Position;
use crate::counting::affine::Hull;
use crate::logic::formula::{Formula, Relation};
use crate::logic::linear::{Leaf, Linear, Var};
use crate::solve::{self, decode, solver};
use num_bigint::BigInt;
use threadproof_format::{Op, Sort};
use z3::ast::Bool;
use z3::{SatResult, Solver};

/// The equalities at each place; none where z3 does not know.
pub fn equalities(encoding: &Encoding) -> Invariant {
    let places = 0..encoding.program.places;
    let variables: Vec<Vec<Var>> = places.map(|place| integers(encoding, place)).collect();
    let hulls = variables.iter().map(|v| Hull::new(v.len())).collect();
    let mut analysis = Analysis { encoding, variables, hulls };
    let found = analysis.run();
    let places = 0..encoding.program.places;
    match found {
        Some(()) => places.map(|place| analysis.equalities(place)).collect(),
        None => places.map(|_| Vec::new()).collect(),
    }
}

/// The integer variables of a place.
fn integers(encoding: &Encoding, place: usize) -> Vec<Var> {
    let slots = encoding.slots(place).into_iter();
    slots.filter(|(_, sort)| *sort == Sort::Int).map(|(var, _)| var).collect()
}

struct Analysis<'s, 'a> {
    encoding: &'s Encoding<'s, 'a>,
    variables: Vec<Vec<Var>>,
    hulls: Vec<Hull>,
}

impl Analysis<'_, '_> {
    /// Adds states to the hulls until none is outside; `None` if z3 does not know.
    fn run(&mut self) -> Option<()> {
        let positions = &self.encoding.program.positions;
        let (state, body) = self.encoding.start();
        self.saturate(&body, &positions[0], &state)?;
        let mut edges = self.encoding.edges();
        edges.retain(|same| same[0] + 1 < positions.len());
        let mut grown = true;
        while grown {
            grown = false;
            for same in &edges {
                let source = &positions[same[0]];
                let step = self.encoding.step(same);
                let mut body = step.body;
                let holds = self.equalities(source.place).into_iter();
                body.extend(holds.map(|f| formula(source, &step.before, &f)));
                grown |= self.saturate(&body, &positions[same[0] + 1], &step.after)?;
            }
        }
        Some(())
    }

    /// Adds states of a position that satisfy the body until the hull has all of them; whether
    /// there were any.
    fn saturate(&mut self, body: &[Bool], position: &Position, state: &State) -> Option<bool> {
        let solver = solver();
        body.iter().for_each(|part| solver.assert(part));
        let mut grown = false;
        while let Some(point) = self.outside(&solver, position, state)? {
            self.hulls[position.place].add(&point);
            grown = true;
        }
        Some(grown)
    }

    /// A state that the hull does not have.
    fn outside(
        &self,
        solver: &Solver,
        position: &Position,
        state: &State,
    ) -> Option<Option<Vec<BigInt>>> {
        let equalities = self.equalities(position.place);
        let fails = equalities.iter().map(|f| formula(position, state, f).not());
        let fails: Vec<Bool> = fails.collect();
        solver.push();
        solver.assert(Bool::or(&fails));
        let answer = solve::check(solver);
        let model = if answer == SatResult::Sat { solver.get_model() } else { None };
        solver.pop(1);
        if answer == SatResult::Unsat {
            return Some(None);
        }
        let model = model?;
        let value = |var: &Var| {
            let term = state.value(position.variable(*var));
            match decode::value(&model.eval(term, true)?)? {
                Op::Int(value) => Some(value.0),
                _ => None,
            }
        };
        let point = self.variables[position.place].iter().map(value);
        point.collect::<Option<Vec<BigInt>>>().map(Some)
    }

    /// What holds at a place of all states so far.
    fn equalities(&self, place: usize) -> Vec<Formula> {
        let equality = |coefficients: Vec<BigInt>| {
            let mut form = Linear::constant(coefficients[0].clone());
            for (var, coefficient) in self.variables[place].iter().zip(&coefficients[1..]) {
                form = form.add(Linear::leaf(Leaf::Var(*var)).scale(coefficient));
            }
            Formula::linear(Relation::Eq, form)
        };
        self.hulls[place].equalities().into_iter().map(equality).collect()
    }
}

fn formula(position: &Position, state: &State, formula: &Formula) -> Bool {
    state.formula(&at(position, formula).expr(), 0, &[])
}
