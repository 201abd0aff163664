//! Executions: as they are found, with values chosen on the way, and as they are replayed.

use super::evaluate::{Pick, Unknown};
use super::execute::{Scratch, StartPick, Taken, fill, inputs, settle};
use super::machine::Machine;
use super::state::{Array, Shape, State, UNSET};
use crate::logic::model::{index, number};
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
    /// The initial state that was given, if one was.
    pub base: Option<State>,
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
        let mut start = self.base.clone().unwrap_or_else(|| machine.open(&shape));
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
    /// How many of its steps can be made one after the other, up to the first error; whether there
    /// is one.
    pub fn replay(
        &self,
        machine: &Machine,
        moves: &[Move],
        scratch: &mut Scratch,
    ) -> (usize, bool) {
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

    /// Reads an execution of the format. None if a value does not fit.
    pub fn read(machine: &Machine, run: &Counterexample) -> Option<Self> {
        let of = |template: usize| {
            let own = run.start.threads.iter().filter(|t| index(t.template) == template);
            own.count()
        };
        let threads: Vec<usize> = (0..machine.templates.len()).map(of).collect();
        let shape = machine.shape(&threads);
        let mut start = machine.open(&shape);
        place(&run.start.globals, &machine.globals.slots, (0, 0), &mut start)?;
        // Each listed thread has the next seat of its template.
        let mut seats: Vec<usize> = Vec::new();
        for thread in &run.start.threads {
            let template = index(thread.template);
            let next = seats.last().map_or(0, |seat| seat + 1);
            let seat = (next..).find(|seat| shape.seats[*seat].template == template)?;
            let (slots, own) = (&machine.templates[template].locals.slots, &shape.seats[seat]);
            place(&thread.locals, slots, (own.numbers + 1, own.arrays), &mut start)?;
            seats.push(seat);
        }
        fill(&mut start);
        let mut moves = Vec::new();
        for step in &run.schedule {
            let inputs = step.inputs.iter().map(uniform).collect::<Option<Vec<i64>>>()?;
            moves.push(Move { seat: seats[index(step.thread)], edge: index(step.edge), inputs });
        }
        Some(Execution { shape, start, moves })
    }

    /// How many threads of each template of many act.
    pub fn acting(&self, machine: &Machine) -> Vec<usize> {
        let mut threads = vec![0; machine.templates.len()];
        for (number, seat) in self.shape.seats.iter().enumerate() {
            let acts = self.moves.iter().any(|step| step.seat == number);
            threads[seat.template] += usize::from(acts && machine.templates[seat.template].many);
        }
        threads
    }

    /// The same as a run that can go on.
    pub fn run(&self, machine: &Machine) -> Run {
        let mut threads = vec![0; machine.templates.len()];
        self.shape.seats.iter().for_each(|seat| threads[seat.template] += 1);
        let step = |step: &Move| {
            let picks = step.inputs.iter().enumerate();
            let pick =
                |(i, value): (usize, &i64)| Pick { unknown: Unknown::Input(i), value: *value };
            Step { seat: step.seat, edge: step.edge, picks: picks.map(pick).collect() }
        };
        let steps = self.moves.iter().map(step).collect();
        Run { threads, base: Some(self.start.clone()), start: Vec::new(), steps }
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

/// Writes values to the places of their variables. None if one does not fit.
fn place(
    values: &[Value],
    slots: &[usize],
    first: (usize, usize),
    state: &mut State,
) -> Option<()> {
    for (value, slot) in values.iter().zip(slots) {
        let array = &mut state.arrays;
        match value {
            Value::Int(_) | Value::Bool(_) => state.numbers[first.0 + slot] = uniform(value)?,
            Value::IntArray(rest, entries) => {
                array[first.1 + slot] = Array::of(fitting(rest)?);
                for (at, value) in entries {
                    array[first.1 + slot].set(fitting(at)?, fitting(value)?);
                }
            }
            Value::BoolArray(rest, entries) => {
                array[first.1 + slot] = Array::of(i64::from(*rest));
                for (at, value) in entries {
                    array[first.1 + slot].set(fitting(at)?, i64::from(*value));
                }
            }
        }
    }
    Some(())
}

fn fitting(value: &Int) -> Option<i64> {
    i64::try_from(&value.0).ok().filter(|value| *value != UNSET)
}

/// A number, or an array whose elements are all the same.
fn uniform(value: &Value) -> Option<i64> {
    match value {
        Value::Int(value) => fitting(value),
        Value::Bool(value) => Some(i64::from(*value)),
        Value::IntArray(rest, entries) if entries.is_empty() => fitting(rest),
        Value::BoolArray(rest, entries) if entries.is_empty() => Some(i64::from(*rest)),
        Value::IntArray(..) | Value::BoolArray(..) => None,
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
