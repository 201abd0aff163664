//! Executions: as they are found, with values chosen on the way, and as they are replayed.

use super::execute::{Scratch, StartPick, Taken, fill, inputs, settle};
use super::machine::Machine;
use super::open::{Pick, Unknown};
use super::state::{Array, Shape, State};
use crate::engine::proof_space::number;
use threadproof_checker::error::Budget;
use threadproof_checker::internals::replay;
use threadproof_format::program::{Program, Variable};
use threadproof_format::proof::counterexample::{self as proof, Counterexample, Value};
use threadproof_format::{Int, Sort};

/// A step as it was found.
#[derive(Clone, Debug)]
pub struct Step {
    /// The acting thread's seat.
    pub seat: usize,
    /// Its edge.
    pub edge: usize,
    /// What was chosen for it.
    pub picks: Vec<Pick>,
}

/// An execution as it was found: variables of the start get their values when they are first read.
#[derive(Clone, Debug)]
pub struct Run {
    /// The threads of each template of many.
    pub threads: Vec<usize>,
    /// What was chosen for the initial condition.
    pub start: Vec<StartPick>,
    /// The steps.
    pub steps: Vec<Step>,
}

/// A step with its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The acting thread's seat.
    pub seat: usize,
    /// Its edge.
    pub edge: usize,
    /// The inputs.
    pub inputs: Vec<i64>,
}

/// An execution with all its values.
#[derive(Clone, Debug)]
pub struct Execution {
    /// The threads.
    pub shape: Shape,
    /// The initial state; nothing is open.
    pub start: State,
    /// The steps.
    pub moves: Vec<Move>,
}

impl Run {
    /// The execution with the values that were chosen.
    pub fn execution(&self, machine: &Machine) -> Execution {
        let shape = machine.shape(&self.threads);
        let mut start = machine.open(&shape);
        for (seat, pick) in &self.start {
            settle(&mut start, seat.map(|seat| &shape.seats[seat]), &[*pick]);
        }
        let mut moves = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let seat = &shape.seats[step.seat];
            let of_start = |pick: &&Pick| !matches!(pick.unknown, Unknown::Input(_));
            let picks: Vec<Pick> = step.picks.iter().filter(of_start).copied().collect();
            settle(&mut start, Some(seat), &picks);
            let inputs = inputs(machine.edge(seat.template, step.edge), &step.picks);
            moves.push(Move { seat: step.seat, edge: step.edge, inputs });
        }
        fill(&mut start);
        Execution { shape, start, moves }
    }
}

impl Execution {
    /// How many of its steps can be made one after the other, up to the first error; whether there is one.
    pub fn replay(&self, machine: &Machine, moves: &[Move], scratch: &mut Scratch) -> (usize, bool) {
        let mut state = self.start.clone();
        for (number, step) in moves.iter().enumerate() {
            let seat = &self.shape.seats[step.seat];
            let edge = machine.edge(seat.template, step.edge);
            let (here, wrong) = (state.location(seat) == edge.source, edge.error);
            let at = (&mut state, &self.shape);
            if !here || machine.take(at, step.seat, step.edge, &step.inputs, scratch) != Taken::Yes
            {
                return (number, false);
            }
            if wrong {
                return (number + 1, true);
            }
        }
        (moves.len(), false)
    }

    /// The counterexample, if the checker replays it.
    pub fn counterexample(&self, machine: &Machine, program: &Program) -> Option<Counterexample> {
        let acting = |seat: &usize| self.moves.iter().any(|step| step.seat == *seat);
        let acting: Vec<usize> = (0..self.shape.seats.len()).filter(acting).collect();
        let values = |variables: &[Variable], slots: &[usize], numbers: usize, arrays: usize| {
            let value = |(variable, slot): (&Variable, &usize)| match variable.sort.element() {
                None => scalar(variable.sort, self.start.numbers[numbers + slot]),
                Some(element) => array(element, &self.start.arrays[arrays + slot]),
            };
            variables.iter().zip(slots).map(value).collect::<Vec<Value>>()
        };
        let thread = |seat: &usize| {
            let seat = &self.shape.seats[*seat];
            let (template, slots) =
                (&program.templates[seat.template], &machine.templates[seat.template].locals.slots);
            let locals = values(&template.locals, slots, seat.numbers + 1, seat.arrays);
            proof::Thread { locals, template: number(seat.template) }
        };
        let schedule = self.moves.iter().map(|step| {
            let template = self.shape.seats[step.seat].template;
            let sorts = machine.edge(template, step.edge).inputs.iter();
            let input = |(sort, value): (&Sort, &i64)| match sort.element() {
                None => scalar(*sort, *value),
                Some(element) => array(element, &Array::of(*value)),
            };
            let place = acting.iter().position(|seat| *seat == step.seat);
            proof::Move {
                edge: number(step.edge),
                inputs: sorts.zip(&step.inputs).map(input).collect(),
                thread: number(place.expect("it acts")),
            }
        });
        let run = Counterexample {
            start: proof::State {
                globals: values(&program.globals, &machine.globals.slots, 0, 0),
                threads: acting.iter().map(thread).collect(),
            },
            schedule: schedule.collect(),
        };
        replay::check(program, &run, &Budget::default()).is_ok().then_some(run)
    }
}

fn scalar(sort: Sort, value: i64) -> Value {
    match sort {
        Sort::Bool => Value::Bool(value != 0),
        _ => Value::Int(Int::from(value)),
    }
}

fn array(element: Sort, array: &Array) -> Value {
    let entries = || array.entries.iter().map(|(index, value)| (Int::from(*index), *value));
    match element {
        Sort::Bool => {
            Value::BoolArray(array.rest != 0, entries().map(|(i, v)| (i, v != 0)).collect())
        }
        _ => {
            let entries = entries().map(|(i, v)| (i, Int::from(v)));
            Value::IntArray(Int::from(array.rest), entries.collect())
        }
    }
}
