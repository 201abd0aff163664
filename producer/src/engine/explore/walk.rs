//! Random executions: by different ways to schedule, short and long, with random and critical
//! values.

use super::evaluate::Pick;
use super::execute::{Scratch, Taken, inputs};
use super::machine::Machine;
use super::open::Choice;
use super::run::{Run, Step};
use super::state::{Shape, State};
use crate::control::Control;
use std::collections::BTreeMap;

/// The seed of all choices, so that a search can be repeated.
const SEED: u64 = 1;
/// Steps of an execution; each length gets about the same number of steps in all.
const LENGTHS: [usize; 5] = [40, 200, 1_000, 6_000, 40_000];
/// Threads of each template of many, at most; one in eight executions has up to twice as many.
const THREADS: usize = 4;
/// Steps of an execution whose values z3 may choose anew, at most.
const SHORT: usize = 60;
/// Such executions for one edge.
const NEAR: usize = 3;
/// How many steps are made between two looks at the wish to stop.
const PERIOD: usize = 1_024;

/// Who acts next.
#[derive(Clone, Debug)]
enum Schedule {
    /// Anyone, each time.
    Uniform,
    /// The same thread, but once in so many steps.
    Runs(u32),
    /// The first thread of a list that can act; once in so many steps the first one goes to the
    /// end.
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
    /// How many threads of each template of many there are, if it is fixed.
    fixed: Option<Vec<usize>>,
    random: fastrand::Rng,
    current: Option<Current>,
    scratch: Scratch,
    /// Executions that random ones begin with.
    pub seeds: Vec<Run>,
    /// Edges of each template and location that no execution has taken.
    untaken: Vec<Vec<Vec<usize>>>,
    /// Short executions that could not take such an edge at their end, and with it what they lack.
    near: BTreeMap<(usize, usize), Vec<Run>>,
    /// Whether values were chosen at all.
    open: bool,
    /// Steps so far.
    pub steps: u64,
    /// Executions so far.
    pub runs: u64,
    /// Steps of the longest one.
    pub longest: usize,
}

impl Walk {
    /// Random executions of a program.
    pub fn new(machine: &Machine) -> Self {
        Walk {
            fixed: None,
            random: fastrand::Rng::with_seed(SEED),
            current: None,
            scratch: Scratch::default(),
            seeds: Vec::new(),
            untaken: machine.templates.iter().map(|template| template.from.clone()).collect(),
            near: BTreeMap::new(),
            open: false,
            steps: 0,
            runs: 0,
            longest: 0,
        }
    }

    /// Random executions of so many threads of each template of many.
    pub fn of(machine: &Machine, threads: Vec<usize>) -> Self {
        Walk { fixed: Some(threads), ..Walk::new(machine) }
    }

    /// Executions that other values may let take an edge that none has taken, with that step at the
    /// end.
    pub fn near(&mut self) -> Vec<Run> {
        let untaken = |template: usize, edge: usize| {
            self.untaken[template].iter().any(|edges| edges.contains(&edge))
        };
        let near = std::mem::take(&mut self.near).into_iter();
        let open = self.open;
        near.filter(|((t, e), _)| open && untaken(*t, *e)).flat_map(|(_, runs)| runs).collect()
    }

    /// Goes on until an error is found or the budget is used up.
    pub fn work(&mut self, machine: &Machine, budget: &mut u64, control: &Control) -> Option<Run> {
        let mut steps = 0;
        while *budget > 0 {
            steps += 1;
            if steps % PERIOD == 0 && control.should_stop() {
                return None;
            }
            *budget -= 1;
            let Some(mut current) = self.current.take() else {
                self.current = self.start(machine, budget);
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

    fn start(&mut self, machine: &Machine, budget: &mut u64) -> Option<Current> {
        if self.random.u8(0..4) == 0
            && let Some(seed) = self.random.choice(&self.seeds).cloned()
        {
            return self.resume(machine, seed);
        }
        let threads = self.fixed.clone().unwrap_or_else(|| self.threads(machine));
        let random = &mut self.random;
        let shape = machine.shape(&threads);
        let starts = machine.starts(&shape, &mut Choice::Random(random), 1);
        *budget = budget.saturating_sub(u64::try_from(starts.evaluations).unwrap_or(1));
        let (start, state) = starts.all.into_iter().next()?;
        let run = Run { threads, base: None, start, steps: Vec::new() };
        Some(self.current(shape, state, run))
    }

    /// How many threads of each template there are: often as many of each.
    fn threads(&mut self, machine: &Machine) -> Vec<usize> {
        let random = &mut self.random;
        let most = if random.u8(0..8) == 0 { 2 * THREADS } else { THREADS };
        let same = random.bool().then(|| random.usize(1..=most));
        let many = machine.templates.iter().map(|template| template.many);
        many.map(|many| if many { same.unwrap_or_else(|| random.usize(1..=most)) } else { 1 })
            .collect()
    }

    /// An execution goes on, with a schedule of its own.
    fn current(&mut self, shape: Shape, state: State, run: Run) -> Current {
        let random = &mut self.random;
        let schedule = match random.u8(0..4) {
            0 => Schedule::Uniform,
            1 | 2 => Schedule::Runs(1 << random.u32(1..=10)),
            _ => {
                let mut order: Vec<usize> = (0..shape.seats.len()).collect();
                random.shuffle(&mut order);
                Schedule::Priorities(order, 1 << random.u32(1..=8))
            }
        };
        let (left, last) = (self.length(), self.random.usize(..shape.seats.len().max(1)));
        self.runs += 1;
        Current { shape, state, run, schedule, last, left }
    }

    /// Makes the steps of a seed again.
    fn resume(&mut self, machine: &Machine, run: Run) -> Option<Current> {
        let shape = machine.shape(&run.threads);
        let mut state = run.base.clone()?;
        machine.close(&shape, &mut state);
        for step in &run.steps {
            let edge = machine.edge(shape.seats[step.seat].template, step.edge);
            let (at, inputs) = ((&mut state, &shape), inputs(edge, &step.picks));
            if machine.take(at, step.seat, step.edge, &inputs, &mut self.scratch) != Taken::Yes {
                return None;
            }
        }
        Some(self.current(shape, state, run))
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
        let untaken = &self.untaken[own.template][current.state.location(own)];
        if !untaken.is_empty() && current.run.steps.len() < SHORT {
            for edge in untaken.clone() {
                self.approach(current, seat, edge);
            }
        }
        (0..edges.len())
            .map(|i| edges[(first + i) % edges.len()])
            .find(|edge| self.take(machine, current, seat, *edge))
    }

    /// Notes that an execution could go on by an edge that none has taken.
    fn approach(&mut self, current: &Current, seat: usize, edge: usize) {
        let template = current.shape.seats[seat].template;
        let known = self.near.entry((template, edge)).or_default();
        if known.len() < NEAR {
            let mut run = current.run.clone();
            run.steps.push(Step { seat, edge, picks: Vec::new() });
            known.push(run);
        }
    }

    fn take(&mut self, machine: &Machine, current: &mut Current, seat: usize, edge: usize) -> bool {
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
        self.open |= !picks.is_empty();
        let template = current.shape.seats[seat].template;
        let untaken = &mut self.untaken[template][machine.edge(template, edge).source];
        if !untaken.is_empty() {
            untaken.retain(|other| *other != edge);
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::explore::machine::tests::compiled;

    /// Three threads have to count to the end.
    fn counting(to: usize) -> String {
        let all = 3 * to;
        format!(
            "core 1; global x: int; init x == 0;
             many t {{ local i: int; init i == 0; location p; location q; location e error;
               edge p -> p {{ when i < {to}; i := i + 1, x := x + 1; }}
               edge p -> q {{ when i >= {to}; }}
               edge q -> e {{ when x >= {all}; }} }}"
        )
    }

    #[test]
    fn long_executions_are_found_and_found_again() {
        let (_, machine) = compiled(&counting(300));
        let find = || {
            let mut walk = Walk::new(&machine);
            let run = walk.work(&machine, &mut 3_000_000, &Control::default());
            (run.expect("an execution").steps.len(), walk.steps)
        };
        let (length, steps) = find();
        assert!(length > 900);
        assert_eq!(find(), (length, steps));
    }

    #[test]
    fn a_pause_changes_nothing() {
        let (_, machine) = compiled(&counting(60));
        let mut walk = Walk::new(&machine);
        let whole = walk.work(&machine, &mut 1_000_000, &Control::default()).expect("an execution");
        let mut walk = Walk::new(&machine);
        let parts = (0..).find_map(|_| walk.work(&machine, &mut 100, &Control::default()));
        assert_eq!(whole.steps.len(), parts.expect("an execution").steps.len());
    }

    #[test]
    fn it_ends_when_it_is_asked_to() {
        let (_, machine) = compiled(&counting(300));
        let control = Control::default();
        control.stop.store(true, std::sync::atomic::Ordering::Relaxed);
        let (mut walk, mut budget) = (Walk::new(&machine), 3_000_000);
        assert!(walk.work(&machine, &mut budget, &control).is_none());
        assert!(walk.steps <= 2 * 1_024);
    }
}
