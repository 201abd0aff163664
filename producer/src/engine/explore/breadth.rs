//! All executions of a few threads, breadth first, with values of a small choice.

use super::evaluate::Pick;
use super::execute::{Scratch, StartPick, Taken};
use super::machine::Machine;
use super::open::Choice;
use super::run::{Run, Step};
use super::state::{Shape, State};
use crate::control::Control;
use crate::logic::model::{index, number};
use std::collections::{HashSet, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};

/// How many initial states are taken at most.
const STARTS: usize = 64;
/// How much work is done between two looks at the wish to stop.
const PERIOD: u64 = 2_000;

/// A fingerprint is its own hash.
#[derive(Default)]
struct Fingerprint(u64);

impl Hasher for Fingerprint {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

/// How a state was reached.
struct Node {
    /// From which state; from itself, if it is an initial one.
    from: u32,
    /// The acting thread's seat there, in order; of an initial state, its number.
    seat: u32,
    edge: u32,
    picks: Box<[Pick]>,
}

/// What an exploration found.
pub enum Breadth {
    /// An error.
    Found(Run),
    /// The budget was used up.
    Paused,
    /// There is nothing left to explore within the limits.
    Ended,
}

/// An exploration.
pub struct Exploration {
    threads: Vec<usize>,
    shape: Shape,
    starts: Vec<Vec<StartPick>>,
    nodes: Vec<Node>,
    seen: HashSet<u64, BuildHasherDefault<Fingerprint>>,
    queue: VecDeque<(u32, u32, State)>,
    /// How many states are visited at most.
    limit: usize,
    /// How many values are tried beside critical ones.
    pub values: usize,
    /// Whether states were left out.
    pub full: bool,
    /// Whether states or values were left out.
    pub partial: bool,
    /// The length of the executions that have been looked at.
    pub depth: u32,
    scratch: Scratch,
    /// What it took to find the initial states.
    cost: u64,
}

impl Exploration {
    /// The exploration of so many threads of each template of many.
    pub fn new(machine: &Machine, threads: &[usize], limit: usize, values: usize) -> Self {
        let shape = machine.shape(threads);
        let starts = machine.starts(&shape, &mut Choice::All(values), STARTS);
        let mut new = Exploration {
            threads: threads.to_vec(),
            shape,
            starts: Vec::new(),
            nodes: Vec::new(),
            seen: HashSet::default(),
            queue: VecDeque::new(),
            limit,
            values,
            full: false,
            partial: !starts.complete,
            depth: 0,
            scratch: Scratch::default(),
            cost: u64::try_from(starts.evaluations).unwrap_or(1),
        };
        let mut names = vec![0; new.shape.seats.len()];
        for (picks, mut state) in starts.all {
            state.sort(&new.shape, &mut names);
            if new.seen.insert(state.fingerprint()) {
                let at = number(new.nodes.len());
                let seat = number(new.starts.len());
                new.nodes.push(Node { from: at, seat, edge: 0, picks: Box::default() });
                new.starts.push(picks);
                new.queue.push_back((at, 0, state));
            }
        }
        new
    }

    /// The number of states that were found.
    pub fn states(&self) -> usize {
        self.nodes.len()
    }

    /// How many threads there are of each template of many.
    pub fn threads(&self) -> &[usize] {
        &self.threads
    }

    /// Explores until an error is found or the budget is used up.
    pub fn work(&mut self, machine: &Machine, budget: &mut u64, control: &Control) -> Breadth {
        let mut unseen = std::mem::take(&mut self.cost);
        *budget = budget.saturating_sub(unseen);
        while *budget > 0 {
            if unseen > PERIOD {
                unseen = 0;
                if control.should_stop() {
                    return Breadth::Paused;
                }
            }
            let Some((at, depth, state)) = self.queue.pop_front() else { return Breadth::Ended };
            self.depth = depth;
            let mut work = 1;
            let error = self.expand(machine, (at, depth), &state, &mut work);
            *budget = budget.saturating_sub(work);
            unseen += work;
            if let Some(step) = error {
                return Breadth::Found(self.run(machine, at, step));
            }
        }
        Breadth::Paused
    }

    /// Visits the states after a state; a step to an error, if there is one.
    fn expand(
        &mut self,
        machine: &Machine,
        at: (u32, u32),
        state: &State,
        work: &mut u64,
    ) -> Option<(usize, usize, Vec<Pick>)> {
        let eager = (0..self.shape.seats.len()).find(|seat| {
            let seat = &self.shape.seats[*seat];
            machine.templates[seat.template].eager[state.location(seat)]
        });
        let mut steps = Vec::new();
        if let Some(seat) = eager {
            self.steps(machine, state, seat, &mut steps, work);
        }
        if steps.is_empty() {
            for seat in 0..self.shape.seats.len() {
                // Equal threads do the same.
                if seat == 0 || !self.same(state, seat) {
                    self.steps(machine, state, seat, &mut steps, work);
                }
            }
        }
        for (seat, edge, picks, next) in steps {
            if machine.edge(self.shape.seats[seat].template, edge).error {
                return Some((seat, edge, picks));
            }
            self.visit(at, (seat, edge, picks), next);
        }
        None
    }

    /// Whether a thread is in the state of the one before it.
    fn same(&self, state: &State, seat: usize) -> bool {
        let of = |seat: usize| {
            let (at, size) = (&self.shape.seats[seat], self.shape.sizes[seat]);
            let numbers = &state.numbers[at.numbers..at.numbers + size.0];
            (at.template, numbers, &state.arrays[at.arrays..at.arrays + size.1])
        };
        of(seat) == of(seat - 1)
    }

    /// The steps of a thread; one to an error comes first.
    fn steps(
        &mut self,
        machine: &Machine,
        state: &State,
        seat: usize,
        steps: &mut Vec<(usize, usize, Vec<Pick>, State)>,
        work: &mut u64,
    ) {
        let template = &machine.templates[self.shape.seats[seat].template];
        let location = state.location(&self.shape.seats[seat]);
        let mut own = template.from[location].clone();
        own.sort_by_key(|edge| !template.wrong[location].contains(edge));
        for edge in own {
            *work += 1;
            match machine.holds((state, &self.shape), seat, edge, &mut self.scratch) {
                Taken::No => continue,
                Taken::Yes => {
                    let mut next = state.clone();
                    let at = (&mut next, &self.shape);
                    match machine.take(at, seat, edge, &[], &mut self.scratch) {
                        Taken::Yes => {
                            steps.push((seat, edge, Vec::new(), next));
                            continue;
                        }
                        Taken::No => continue,
                        Taken::Open => {}
                    }
                }
                Taken::Open => {}
            }
            let mut choice = Choice::All(self.values);
            let effort = machine.explore(
                (state, &self.shape),
                seat,
                edge,
                &mut choice,
                &mut |picks, next| {
                    steps.push((seat, edge, picks.to_vec(), next));
                    true
                },
            );
            self.partial |= !effort.all;
            *work += u64::try_from(effort.evaluations).unwrap_or(1);
        }
    }

    fn visit(
        &mut self,
        (from, depth): (u32, u32),
        (seat, edge, picks): (usize, usize, Vec<Pick>),
        mut next: State,
    ) {
        next.sort(&self.shape, &mut vec![0; self.shape.seats.len()]);
        if !self.seen.insert(next.fingerprint()) {
            return;
        }
        if self.nodes.len() >= self.limit {
            (self.partial, self.full) = (true, true);
            return;
        }
        let at = number(self.nodes.len());
        let (seat, edge) = (number(seat), number(edge));
        self.nodes.push(Node { from, seat, edge, picks: picks.into() });
        self.queue.push_back((at, depth + 1, next));
    }

    /// The execution to a state and one step more. The threads are followed through all
    /// permutations.
    fn run(&self, machine: &Machine, at: u32, last: (usize, usize, Vec<Pick>)) -> Run {
        let mut path = vec![last];
        let mut at = index(at);
        while index(self.nodes[at].from) != at {
            let Node { from, seat, edge, picks } = &self.nodes[at];
            path.push((index(*seat), index(*edge), picks.to_vec()));
            at = index(*from);
        }
        let start = self.starts[index(self.nodes[at].seat)].clone();
        let mut names: Vec<usize> = (0..self.shape.seats.len()).collect();
        let mut state = machine.open(&self.shape);
        for (seat, pick) in &start {
            let seat = seat.map(|seat| &self.shape.seats[seat]);
            super::execute::settle(&mut state, seat, &[*pick]);
        }
        machine.close(&self.shape, &mut state);
        state.sort(&self.shape, &mut names);
        let mut steps = Vec::new();
        for (seat, edge, picks) in path.into_iter().rev() {
            machine.again((&mut state, &self.shape), seat, edge, &picks);
            steps.push(Step { seat: names[seat], edge, picks });
            state.sort(&self.shape, &mut names);
        }
        Run { threads: self.threads.clone(), base: None, start, steps }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::explore::machine::tests::compiled;

    /// Three threads at q are needed; each comes there in two steps.
    const THREE: &str = "core 1; global x: int; init x == 0;
        many t { location p; location q; location e error;
          edge p -> q { x := x + 1; }
          edge q -> e { when x == 3; } }";

    fn explore(text: &str, threads: usize, limit: usize) -> (Exploration, Machine, Breadth) {
        let (program, machine) = compiled(text);
        let threads = vec![threads; program.templates.len()];
        let mut exploration = Exploration::new(&machine, &threads, limit, 4);
        let found = exploration.work(&machine, &mut 1_000_000, &Control::default());
        (exploration, machine, found)
    }

    #[test]
    fn the_first_execution_is_a_shortest_one() {
        let (_, machine, found) = explore(THREE, 4, 1_000);
        let Breadth::Found(run) = found else { panic!("there is an error") };
        let seats: Vec<usize> = run.steps.iter().map(|step| step.seat).collect();
        let acting: HashSet<usize> = seats.iter().copied().collect();
        assert_eq!((seats.len(), acting.len()), (4, 3), "{seats:?}");
        let execution = run.execution(&machine);
        assert_eq!(
            execution.replay(&machine, &execution.moves, &mut Scratch::default()),
            (4, true)
        );
    }

    #[test]
    fn permutations_of_threads_are_visited_once() {
        let (exploration, _, found) = explore(THREE, 2, 1_000);
        assert!(matches!(found, Breadth::Ended));
        // None, one and two threads have gone on.
        assert_eq!((exploration.states(), exploration.partial), (3, false));
    }

    #[test]
    fn what_is_left_out_is_told() {
        let text = THREE.replace("x == 3", "x == 100").replace("p -> q", "p -> p");
        let (exploration, _, found) = explore(&text, 1, 50);
        assert!(matches!(found, Breadth::Ended) && exploration.partial && exploration.full);
        assert_eq!(exploration.states(), 50);
        let text = THREE.replace("x := x + 1", "input i: int; when i > 3; x := i");
        assert!(explore(&text, 1, 50).0.partial);
    }

    #[test]
    fn private_steps_are_taken_at_once() {
        let text = "core 1; global x: int; init x == 0;
            many t { local n: int; local m: int; init n == 0 && m == 0;
              location p; location q; location r; location s; location e error;
              edge p -> q { n := 1; } edge q -> r { m := n; } edge r -> s { x := x + m; }
              edge s -> e { when x > 7; } }";
        let (exploration, ..) = explore(text, 3, 10_000);
        let plain = text.replace("n := 1", "n := x + 1 - x");
        let (other, ..) = explore(&plain, 3, 10_000);
        assert!(exploration.states() < other.states());
        let (text, plain) = (text.replace("x > 7", "x == 3"), plain.replace("x > 7", "x == 3"));
        for text in [text, plain] {
            assert!(matches!(explore(&text, 3, 10_000).2, Breadth::Found(_)));
        }
    }
}
