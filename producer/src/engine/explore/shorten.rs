//! Shorter executions: threads and steps are left out as long as what is left still goes wrong.

use super::execute::Scratch;
use super::machine::Machine;
use super::run::{Execution, Move};
use crate::control::Control;

/// How many steps are replayed at most.
const WORK: usize = 3_000_000;

/// Leaves out threads, then what they do last, iterations, and other steps; less of it, if it is
/// asked to end.
pub fn shorten(machine: &Machine, execution: &mut Execution, control: &Control) {
    let mut shortening = Shortening { machine, control, scratch: Scratch::default(), left: WORK };
    loop {
        let before = execution.moves.len();
        shortening.threads(execution);
        shortening.ends(execution);
        shortening.iterations(execution);
        shortening.steps(execution);
        if execution.moves.len() == before {
            return;
        }
    }
}

struct Shortening<'a> {
    machine: &'a Machine,
    control: &'a Control,
    scratch: Scratch,
    left: usize,
}

impl Shortening<'_> {
    /// Keeps these steps instead, as far as the first error, if they lead to one.
    fn accept(&mut self, execution: &mut Execution, mut moves: Vec<Move>) -> bool {
        if self.left == 0 || self.control.should_stop() {
            self.left = 0;
            return false;
        }
        let (steps, wrong) = execution.replay(self.machine, &moves, &mut self.scratch);
        self.left = self.left.saturating_sub(steps + 1);
        if wrong {
            moves.truncate(steps);
            execution.moves = moves;
        }
        wrong
    }

    /// Leaves out all steps of a thread.
    fn threads(&mut self, execution: &mut Execution) {
        for seat in 0..execution.shape.seats.len() {
            let others = execution.moves.iter().filter(|step| step.seat != seat);
            let others: Vec<Move> = others.cloned().collect();
            if others.len() < execution.moves.len() {
                self.accept(execution, others);
            }
        }
    }

    /// Leaves out the last steps of each thread, many first.
    fn ends(&mut self, execution: &mut Execution) {
        for seat in 0..execution.shape.seats.len() {
            let mut length = self.own(execution, seat).len();
            while length > 0 && self.left > 0 {
                let own = self.own(execution, seat);
                let first = own.len().saturating_sub(length);
                let without = own.get(first).map(|(from, _)| {
                    let steps = execution.moves.iter().enumerate();
                    let kept = steps.filter(|(step, of)| step < from || of.seat != seat);
                    kept.map(|(_, step)| step.clone()).collect()
                });
                if !without.is_some_and(|moves| self.accept(execution, moves)) {
                    length /= 2;
                }
            }
        }
    }

    /// Leaves out what a thread does between two visits of a place: half of its iterations first.
    fn iterations(&mut self, execution: &mut Execution) {
        for seat in 0..execution.shape.seats.len() {
            let (mut from, mut reach) = (0, usize::MAX);
            while self.left > 0 {
                let own = self.own(execution, seat);
                let Some(&(_, place)) = own.get(from) else {
                    if reach <= 1 {
                        break;
                    }
                    (from, reach) = (0, reach.min(own.len()) / 2);
                    continue;
                };
                let last = own.len().min(from.saturating_add(reach).saturating_add(1));
                let again = (from + 1..last).rev().find(|to| own[*to].1 == place);
                let without = again.map(|to| {
                    let cut: Vec<usize> = own[from..to].iter().map(|(step, _)| *step).collect();
                    let kept = execution.moves.iter().enumerate();
                    let kept = kept.filter(|(step, _)| cut.binary_search(step).is_err());
                    kept.map(|(_, step)| step.clone()).collect()
                });
                if !without.is_some_and(|moves| self.accept(execution, moves)) {
                    from += 1;
                }
            }
        }
    }

    /// The steps of a thread with the places where they begin.
    fn own(&self, execution: &Execution, seat: usize) -> Vec<(usize, usize)> {
        let template = execution.shape.seats[seat].template;
        let steps = execution.moves.iter().enumerate().filter(|(_, step)| step.seat == seat);
        steps.map(|(i, step)| (i, self.machine.edge(template, step.edge).source)).collect()
    }

    /// Leaves out pieces of the schedule, long ones first.
    fn steps(&mut self, execution: &mut Execution) {
        let mut length = execution.moves.len() / 2;
        while length > 0 && self.left > 0 {
            let mut from = 0;
            while from + length < execution.moves.len() && self.left > 0 {
                let (before, after) = (&execution.moves[..from], &execution.moves[from + length..]);
                let moves = [before, after].concat();
                if !self.accept(execution, moves) {
                    from += length;
                }
            }
            length /= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::explore::machine::tests::compiled;
    use crate::engine::explore::run::{Run, Step};

    /// The execution of these steps of threads and edges of the only template.
    fn shortened(text: &str, threads: usize, steps: &[(usize, usize)]) -> Vec<(usize, usize)> {
        let (program, machine) = compiled(text);
        let step =
            |(seat, edge): &(usize, usize)| Step { seat: *seat, edge: *edge, picks: Vec::new() };
        let steps = steps.iter().map(step).collect();
        let run = Run { threads: vec![threads], base: None, start: Vec::new(), steps };
        let mut execution = run.execution(&machine);
        let moves = execution.moves.clone();
        assert!(execution.replay(&machine, &moves, &mut Scratch::default()).1);
        shorten(&machine, &mut execution, &Control::default());
        assert!(execution.counterexample(&machine, &program).is_some());
        execution.moves.iter().map(|step| (step.seat, step.edge)).collect()
    }

    /// Two iterations at least are needed, of any threads.
    const ITERATIONS: &str = "core 1; global x: int; init x == 0;
        many t { location p; location q; location e error;
          edge p -> q { x := x + 1; }
          edge q -> p { }
          edge p -> e { when x >= 2; } }";

    #[test]
    fn threads_and_iterations_are_left_out() {
        let round = |seat: usize| [(seat, 0), (seat, 1)];
        let steps = [0, 1, 2, 0, 1, 2, 2, 0].map(round).concat();
        let steps = [&steps[..], &[(1, 2)]].concat();
        let short = shortened(ITERATIONS, 3, &steps);
        assert_eq!(short, [(1, 0), (1, 1), (1, 0), (1, 1), (1, 2)]);
    }

    #[test]
    fn what_comes_after_the_first_error_is_left_out() {
        let steps = [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2), (0, 2)];
        assert_eq!(shortened(ITERATIONS, 2, &steps).len(), 4);
    }
}
