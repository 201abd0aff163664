//! Steps of the compiled program.

use super::code::{Base, Frame, Missing, Place};
use super::evaluate::{Pick, Problem, Unknown};
use super::machine::{EdgeCode, Machine, forget};
use super::open::{Choice, Effort};
use super::state::{Array, Seat, Shape, State, UNSET};

/// Lists that are used again, so that a step allocates nothing.
#[derive(Debug, Default)]
pub struct Scratch {
    stack: Vec<i64>,
    values: Vec<i64>,
}

/// Whether an edge was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// It was.
    Yes,
    /// The guard does not hold, or a value does not fit.
    No,
    /// Values have to be chosen first.
    Open,
}

/// The variable of a place.
fn slot(place: Place, global: usize) -> usize {
    match place {
        Place::Global(slot) => slot,
        Place::Local(slot) => global + slot,
    }
}

fn frame<'a>(state: &'a State, shape: &'a Shape, seat: &Seat, inputs: &'a [i64]) -> Frame<'a> {
    Frame { state, shape, own: (seat.numbers + 1, seat.arrays), inputs }
}

impl Machine {
    /// The edge of a template; one that is listed at a location has its code.
    pub fn edge(&self, template: usize, edge: usize) -> &EdgeCode {
        self.templates[template].edges[edge].as_ref().expect("an edge with its code")
    }

    /// Takes an edge, if all values are known.
    pub fn take(
        &self,
        (state, shape): (&mut State, &Shape),
        seat: usize,
        edge: usize,
        inputs: &[i64],
        scratch: &mut Scratch,
    ) -> Taken {
        let seat = &shape.seats[seat];
        let edge = self.edge(seat.template, edge);
        if edge.inputs.len() > inputs.len() {
            return Taken::Open;
        }
        match news(edge, &frame(state, shape, seat, inputs), scratch) {
            Ok(true) => {
                commit(state, seat, edge, inputs, &scratch.values);
                Taken::Yes
            }
            Ok(false) | Err(Missing::Overflow) => Taken::No,
            Err(Missing::Open) => Taken::Open,
        }
    }

    /// Whether an edge without inputs can be taken, as far as it is known.
    pub fn holds(
        &self,
        (state, shape): (&State, &Shape),
        seat: usize,
        edge: usize,
        scratch: &mut Scratch,
    ) -> Taken {
        let seat = &shape.seats[seat];
        let edge = self.edge(seat.template, edge);
        if !edge.inputs.is_empty() {
            return Taken::Open;
        }
        match edge.guard.value(&frame(state, shape, seat, &[]), &mut scratch.stack) {
            Ok(0) | Err(Missing::Overflow) => Taken::No,
            Ok(_) => Taken::Yes,
            Err(Missing::Open) => Taken::Open,
        }
    }

    /// Takes an edge with values of all kinds for what is open; `found` gets what was chosen and
    /// the state after, and says whether to go on.
    pub fn explore(
        &self,
        (state, shape): (&State, &Shape),
        seat: usize,
        edge: usize,
        choice: &mut Choice,
        found: &mut dyn FnMut(&[Pick], State) -> bool,
    ) -> Effort {
        let seat = &shape.seats[seat];
        let edge = self.edge(seat.template, edge);
        let problem = self.problem((state, shape), seat, edge);
        problem.solve(choice, &mut |picks, values| {
            let mut next = state.clone();
            settle(&mut next, Some(seat), picks);
            commit(&mut next, seat, edge, &inputs(edge, picks), values);
            found(picks, next)
        })
    }

    /// Takes an edge with what was chosen for it before.
    pub fn again(
        &self,
        (state, shape): (&mut State, &Shape),
        seat: usize,
        edge: usize,
        picks: &[Pick],
    ) {
        let at = &shape.seats[seat];
        let edge = self.edge(at.template, edge);
        let problem = self.problem((state, shape), at, edge);
        if let Some(values) = problem.values_with(picks) {
            settle(state, Some(at), picks);
            commit(state, at, edge, &inputs(edge, picks), &values);
        }
    }

    fn problem<'a>(
        &'a self,
        (state, shape): (&'a State, &'a Shape),
        seat: &Seat,
        edge: &'a EdgeCode,
    ) -> Problem<'a> {
        Problem {
            machine: self,
            frame: frame(state, shape, seat, &[]),
            template: Some(seat.template),
            inputs: &edge.inputs,
            guard: &edge.guard,
            numbers: &edge.numbers,
            arrays: &edge.arrays,
        }
    }

    /// The initial states, with what was chosen for each; first for the globals, then for each
    /// thread.
    pub fn starts(&self, shape: &Shape, choice: &mut Choice, most: usize) -> Starts {
        let (mut complete, mut evaluations) = (true, 0);
        let mut all = vec![(Vec::new(), self.open(shape))];
        let seats =
            (0..shape.seats.len()).filter(|s| self.templates[shape.seats[*s].template].many);
        for acting in std::iter::once(None).chain(seats.map(Some)) {
            let seat = acting.map(|number| &shape.seats[number]);
            let init = match seat {
                Some(seat) => &self.templates[seat.template].init,
                None => &self.init,
            };
            let mut longer = Vec::new();
            for (chosen, state) in &all {
                let own = seat.map_or((0, 0), |seat| (seat.numbers + 1, seat.arrays));
                let problem = Problem {
                    machine: self,
                    frame: Frame { state, shape, own, inputs: &[] },
                    template: seat.map(|seat| seat.template),
                    inputs: &[],
                    guard: init,
                    numbers: &[],
                    arrays: &[],
                };
                let random = matches!(choice, Choice::Random(_));
                let effort = problem.solve(choice, &mut |picks, _| {
                    let mut next = state.clone();
                    settle(&mut next, seat, picks);
                    let picks = picks.iter().map(|pick| (acting, *pick));
                    longer.push((chosen.iter().copied().chain(picks).collect(), next));
                    !random && longer.len() < most
                });
                complete &= effort.all;
                evaluations += effort.evaluations;
            }
            all = longer;
        }
        all.iter_mut().for_each(|(_, state)| self.close(shape, state));
        Starts { all, complete: complete && self.copied.is_empty(), evaluations }
    }
}

/// Initial states, with what was chosen for each.
pub struct Starts {
    /// The states.
    pub all: Vec<(Vec<StartPick>, State)>,
    /// Whether there are no others.
    pub complete: bool,
    /// How many evaluations it took to find them.
    pub evaluations: usize,
}

/// A choice for the start: of a thread's variable, or a global.
pub type StartPick = (Option<usize>, Pick);

/// The values of an edge's inputs; what was not needed is 0.
pub fn inputs(edge: &EdgeCode, picks: &[Pick]) -> Vec<i64> {
    let value = |number: usize| {
        let of = |pick: &&Pick| pick.unknown == Unknown::Input(number);
        picks.iter().find(of).map_or(0, |pick| pick.value)
    };
    (0..edge.inputs.len()).map(value).collect()
}

/// Gives variables of the start the values that were chosen.
pub fn settle(state: &mut State, seat: Option<&Seat>, picks: &[Pick]) {
    let own = seat.map_or((0, 0), |seat| (seat.numbers + 1, seat.arrays));
    for pick in picks {
        match pick.unknown {
            Unknown::Input(_) => {}
            Unknown::Number(place) => state.numbers[slot(place, own.0)] = pick.value,
            Unknown::Element(place, index) => {
                state.arrays[slot(place, own.1)].set(index, pick.value);
            }
        }
    }
}

/// Whether the guard holds; if so, the new values.
fn news(edge: &EdgeCode, frame: &Frame, scratch: &mut Scratch) -> Result<bool, Missing> {
    let Scratch { stack, values } = scratch;
    if edge.guard.value(frame, stack)? == 0 {
        return Ok(false);
    }
    values.clear();
    for (_, code) in &edge.numbers {
        code.run(frame, values)?;
    }
    for (_, array) in &edge.arrays {
        array.code.run(frame, values)?;
    }
    Ok(true)
}

/// Makes the updates with the new values, numbers first, then index and value of each write.
fn commit(state: &mut State, seat: &Seat, edge: &EdgeCode, inputs: &[i64], values: &[i64]) {
    let (first, own) = (seat.numbers + 1, seat.arrays);
    // Copies are made before anything is written.
    let copy = |base: Base, state: &State| match base {
        Base::Variable(place) => state.arrays[slot(place, own)].clone(),
        Base::Input(number) => Array::of(inputs[number]),
    };
    let others = edge.arrays.iter().filter(|(place, code)| code.base != Base::Variable(*place));
    let copies: Vec<(Place, Array)> =
        others.map(|(place, code)| (*place, copy(code.base, state))).collect();
    for (place, array) in copies {
        state.arrays[slot(place, own)] = array;
    }
    let (numbers, mut writes) = values.split_at(edge.numbers.len());
    for (place, code) in &edge.arrays {
        let (mine, rest) = writes.split_at(2 * code.writes);
        for pair in mine.chunks_exact(2) {
            state.arrays[slot(*place, own)].set(pair[0], pair[1]);
        }
        writes = rest;
    }
    for ((place, _), value) in edge.numbers.iter().zip(numbers) {
        state.numbers[slot(*place, first)] = *value;
    }
    state.numbers[seat.numbers] = i64::try_from(edge.target).expect("a location");
    forget(state, seat, &edge.forget);
}

/// Gives everything a value that is still open in an initial state.
pub fn fill(state: &mut State) {
    let open = state.numbers.iter_mut().filter(|value| **value == UNSET);
    open.for_each(|value| *value = 0);
    for array in state.arrays.iter_mut().filter(|array| array.rest == UNSET) {
        array.rest = 0;
        array.entries.retain(|(_, value)| *value != 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::explore::machine::tests::compiled;

    /// The state after the first thread's first edges, in order.
    fn after(text: &str, steps: &[(usize, usize)], threads: &[usize]) -> (State, Vec<Taken>) {
        let (_, machine) = compiled(text);
        let shape = machine.shape(threads);
        let mut state = machine.starts(&shape, &mut Choice::All(0), 1).all.remove(0).1;
        let mut scratch = Scratch::default();
        let take = |(seat, edge): &(usize, usize)| {
            machine.take((&mut state, &shape), *seat, *edge, &[], &mut scratch)
        };
        let taken = steps.iter().map(take).collect();
        (state, taken)
    }

    #[test]
    fn updates_are_made_at_once() {
        let text = "core 1; global x: int; global y: int; global a: int[]; global b: int[];
            init x == 1 && y == 2 && a[0] == 3 && b[0] == 4;
            many t { location p; location e error;
              edge p -> p { x := y, y := x, a := b[1 := x], b := a; }
              edge p -> e { when x == a[0]; } }";
        let (state, taken) = after(text, &[(0, 0), (0, 1)], &[1]);
        assert_eq!((&state.numbers[..2], taken), (&[2, 1][..], vec![Taken::Yes, Taken::No]));
        let entries: Vec<_> = state.arrays.iter().map(|array| array.entries.clone()).collect();
        assert_eq!(entries, [vec![(0, 4), (1, 1)], vec![(0, 3)]]);
    }

    #[test]
    fn a_step_moves_its_own_thread_and_counters_see_it() {
        let text = "core 1; global g: int; init g == 0;
            many t { local n: int; init n == 5; location p; location q; location e error;
              edge p -> q { n := n + 1; }
              edge q -> e { when #t.q == 2 && n == 6; g := n; } }";
        let (_, taken) = after(text, &[(0, 0), (0, 1), (1, 0), (0, 1)], &[2]);
        assert_eq!(taken, [Taken::Yes, Taken::No, Taken::Yes, Taken::Yes]);
    }

    #[test]
    fn open_values_and_those_that_do_not_fit() {
        let text = "core 1; global g: int; global h: int; init g == 9223372036854775807;
            many t { location p; location e error;
              edge p -> p { g := g + 1; }
              edge p -> p { when h == 0; }
              edge p -> e { input i: int; when i == h; } }";
        let (state, taken) = after(text, &[(0, 0), (0, 1), (0, 2)], &[1]);
        assert_eq!(taken, [Taken::No, Taken::Open, Taken::Open]);
        assert_eq!(state.numbers[..2], [i64::MAX, UNSET]);
    }

    #[test]
    fn starts_are_all_that_the_initial_conditions_allow() {
        let (_, machine) = compiled(
            "core 1; global g: int; init g >= 1 && g <= 2;
             many t { local b: bool; init b || g == 2; location p; location e error;
               edge p -> e { when b; } }",
        );
        let shape = machine.shape(&[2]);
        let starts = machine.starts(&shape, &mut Choice::All(4), 100);
        let numbers: Vec<_> = starts.all.iter().map(|(_, state)| state.numbers.clone()).collect();
        // Where g is 2 nothing is said of b.
        assert!(
            numbers.contains(&vec![1, 0, 1, 0, 1])
                && numbers.contains(&vec![2, 0, UNSET, 0, UNSET])
        );
        assert_eq!(numbers.len(), 2);
        assert!(!starts.complete);
    }
}
