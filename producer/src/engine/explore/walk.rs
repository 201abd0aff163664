//! Random executions: by different ways to schedule, short and long, with random and critical values.

use super::execute::{Scratch, Taken};
use super::machine::Machine;
use super::open::{Choice, Pick};
use super::run::{Run, Step};
use super::state::{Shape, State};
use crate::engine::control::Control;

/// The seed of all choices, so that a search can be repeated.
const SEED: u64 = 1;
/// Steps of an execution; each length gets about the same number of steps in all.
const LENGTHS: [usize; 5] = [40, 200, 1_000, 6_000, 40_000];
/// Threads of each template of many, at most; one in eight executions has up to twice as many.
const THREADS: usize = 4;
/// How many steps are made between two looks at the wish to stop.
const PERIOD: usize = 1_024;

/// Who acts next.
#[derive(Clone, Debug)]
enum Schedule {
    /// Anyone, each time.
    Uniform,
    /// The same thread, but once in so many steps.
    Runs(u32),
    /// The first thread of a list that can act; once in so many steps the first one goes to the end.
    Priorities(Vec<usize>, u32),
}

/// An execution under way.
struct Current {
    shape: Shape,
    state: State,
    run: Run,
    schedule: Schedule,
    /// The thread that acted last.
    last: usize,
    left: usize,
}

/// Random executions, one after the other.
pub struct Walk {
    random: fastrand::Rng,
    current: Option<Current>,
    scratch: Scratch,
    /// Steps so far.
    pub steps: u64,
    /// Executions so far.
    pub runs: u64,
    /// Steps of the longest one.
    pub longest: usize,
}

impl Default for Walk {
    fn default() -> Self {
        let random = fastrand::Rng::with_seed(SEED);
        Walk { random, current: None, scratch: Scratch::default(), steps: 0, runs: 0, longest: 0 }
    }
}

impl Walk {
    /// Goes on until an error is found or the budget is used up.
    pub fn work(&mut self, machine: &Machine, budget: &mut u64, control: &Control) -> Option<Run> {
        let mut rounds = 0;
        while *budget > 0 {
            rounds += 1;
            if rounds % PERIOD == 0 && control.should_stop() {
                return None;
            }
            *budget -= 1;
            let Some(mut current) = self.current.take() else {
                self.current = self.start(machine);
                continue;
            };
            let before = *budget;
            let went = self.step(machine, &mut current, budget);
            // Looks at who else could act are cheap.
            *budget = before - (before - *budget) / 4;
            match went {
                Some(true) => return Some(current.run),
                Some(false) if current.left > 0 => self.current = Some(current),
                _ => self.longest = self.longest.max(current.run.steps.len()),
            }
        }
        None
    }

    fn start(&mut self, machine: &Machine) -> Option<Current> {
        let random = &mut self.random;
        let most = if random.u8(0..8) == 0 { 2 * THREADS } else { THREADS };
        let same = random.bool().then(|| random.usize(1..=most));
        let many = machine.templates.iter().map(|template| template.many);
        let threads: Vec<usize> = many
            .map(|many| if many { same.unwrap_or_else(|| random.usize(1..=most)) } else { 1 })
            .collect();
        let shape = machine.shape(&threads);
        let starts = machine.starts(&shape, &mut Choice::Random(random), 1);
        let (start, state) = starts.all.into_iter().next()?;
        let schedule = match random.u8(0..4) {
            0 => Schedule::Uniform,
            1 | 2 => Schedule::Runs(1 << random.u32(1..=10)),
            _ => {
                let mut order: Vec<usize> = (0..shape.seats.len()).collect();
                random.shuffle(&mut order);
                Schedule::Priorities(order, 1 << random.u32(1..=8))
            }
        };
        let run = Run { threads, start, steps: Vec::new() };
        let (left, last) = (self.length(), self.random.usize(..shape.seats.len().max(1)));
        self.runs += 1;
        Some(Current { shape, state, run, schedule, last, left })
    }

    /// A length: long ones as much more seldom as they are longer, and none before many short ones.
    fn length(&mut self) -> usize {
        let shares: Vec<usize> = LENGTHS.iter().map(|length| LENGTHS[4] / length).collect();
        let mut at = self.random.usize(..shares.iter().sum::<usize>());
        for (share, length) in shares.iter().zip(LENGTHS) {
            if at < *share {
                return length;
            }
            at -= share;
        }
        LENGTHS[0]
    }

    /// Makes a step; whether it goes wrong. None if no thread can go on.
    fn step(&mut self, machine: &Machine, current: &mut Current, budget: &mut u64) -> Option<bool> {
        let count = current.shape.seats.len();
        let first = self.next(current);
        for i in 0..count {
            let seat = match &current.schedule {
                Schedule::Priorities(order, _) => order[i],
                _ => (first + i) % count,
            };
            *budget = budget.saturating_sub(1);
            if let Some(edge) = self.act(machine, current, seat) {
                self.steps += 1;
                current.left -= 1;
                current.last = seat;
                let template = current.shape.seats[seat].template;
                return Some(machine.edge(template, edge).error || self.wrong(machine, current));
            }
        }
        None
    }

    /// Who is asked first.
    fn next(&mut self, current: &mut Current) -> usize {
        let count = current.shape.seats.len();
        match &mut current.schedule {
            Schedule::Uniform => self.random.usize(..count),
            Schedule::Runs(length) => match self.random.u32(..*length) {
                0 => self.random.usize(..count),
                _ => current.last,
            },
            Schedule::Priorities(order, length) => {
                if self.random.u32(..*length) == 0 {
                    let place = self.random.usize(..count);
                    let seat = order.remove(place);
                    order.push(seat);
                }
                0
            }
        }
    }

    /// Takes an edge of a thread, any that can be taken.
    fn act(&mut self, machine: &Machine, current: &mut Current, seat: usize) -> Option<usize> {
        let own = &current.shape.seats[seat];
        let edges = &machine.templates[own.template].from[current.state.location(own)];
        let first = if edges.len() > 1 { self.random.usize(..edges.len()) } else { 0 };
        (0..edges.len())
            .map(|i| edges[(first + i) % edges.len()])
            .find(|edge| self.take(machine, current, seat, *edge))
    }

    fn take(
        &mut self,
        machine: &Machine,
        current: &mut Current,
        seat: usize,
        edge: usize,
    ) -> bool {
        let at = (&mut current.state, &current.shape);
        let picks = match machine.take(at, seat, edge, &[], &mut self.scratch) {
            Taken::No => return false,
            Taken::Yes => Vec::new(),
            Taken::Open => {
                let mut chosen: Option<(Vec<Pick>, State)> = None;
                let mut choice = Choice::Random(&mut self.random);
                let at = (&current.state, &current.shape);
                machine.explore(at, seat, edge, &mut choice, &mut |picks, next| {
                    chosen = Some((picks.to_vec(), next));
                    false
                });
                let Some((picks, next)) = chosen else { return false };
                current.state = next;
                picks
            }
        };
        current.run.steps.push(Step { seat, edge, picks });
        true
    }

    /// Whether some thread can go wrong at once; if so, it does.
    fn wrong(&mut self, machine: &Machine, current: &mut Current) -> bool {
        for seat in 0..current.shape.seats.len() {
            let own = &current.shape.seats[seat];
            let edges = &machine.templates[own.template].wrong[current.state.location(own)];
            for edge in edges {
                if self.take(machine, current, seat, *edge) {
                    return true;
                }
            }
        }
        false
    }
}
