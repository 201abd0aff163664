//! A search for executions to an error, and for nothing else: it never claims that there is none.
//!
//! The program is compiled to stack code over machine integers (`machine`, `code`). What is open at
//! the start or an input gets its value when a formula first needs it (`open`). Executions of few
//! threads are explored breadth first (`breadth`), then longer ones at random (`walk`), and values
//! that these do not hit are asked of z3 (`symbolic`). What is found is shortened (`shorten`) and
//! replayed by the checker (`run`).
//!
//! All work is counted, in about one unit for each edge that is tried, so that the same budgets
//! give the same answers.

mod breadth;
mod code;
mod engine;
mod evaluate;
mod execute;
mod live;
mod machine;
mod open;
mod run;
mod shorten;
mod state;
mod symbolic;
mod walk;

pub use engine::Executions;

use crate::control::Control;
use crate::solve;
use breadth::{Breadth, Exploration};
use machine::Machine;
use run::{Execution, Run};
use threadproof_checker::error::Budget;
use threadproof_checker::internals::replay;
use threadproof_format::program::Program;
use threadproof_format::proof::counterexample::Counterexample;
use walk::Walk;

/// What a turn of the search ended with.
#[derive(Debug)]
pub enum Answer {
    /// An execution to an error, short and replayed by the checker.
    Found(Counterexample),
    /// None in this turn.
    NotYet,
    /// The search has nothing more to look at.
    Exhausted,
}

/// The first round's work: states of an exploration, units of random executions.
const FIRST: u64 = 2_000;
/// How much more a round does than the one before.
const GROWTH: u64 = 4;
/// States of an exploration, at most: some hundreds of bytes each.
const STATES: u64 = 500_000;
/// Values beside critical ones in the first round, and at most.
const VALUES: (usize, usize) = (3, 48);
/// Threads of each template of many in an exploration, at most.
const THREADS: usize = 4;

/// The work that a question to z3 counts for.
const QUESTION: u64 = 10_000;

/// The work for an execution of fewer threads: as much as the first one took, within bounds.
const FEWER: (u64, u64) = (20_000, 500_000);

/// An execution with fewer threads, as long as random executions show one soon.
fn fewest(machine: &Machine, run: &Run, took: u64, control: &Control) -> Execution {
    let mut best = run.execution(machine);
    shorten::shorten(machine, &mut best, control);
    'fewer: loop {
        let threads = best.acting(machine);
        for template in 0..threads.len() {
            let mut fewer = threads.clone();
            fewer[template] = threads[template].saturating_sub(1);
            if fewer == threads || machine.shape(&fewer).seats.is_empty() {
                continue;
            }
            let mut budget = took.clamp(FEWER.0, FEWER.1);
            if let Some(run) = Walk::of(machine, fewer).work(machine, &mut budget, control) {
                best = run.execution(machine);
                shorten::shorten(machine, &mut best, control);
                continue 'fewer;
            }
        }
        return best;
    }
}

/// What is under way.
enum Task {
    Breadth(Box<Exploration>),
    /// Random executions with so much work left.
    Walk(u64),
    /// Questions to z3: executions with a last step that their values do not allow.
    Symbolic(Vec<Run>),
}

/// A task that has not begun.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Breadth first, with so many threads.
    Breadth(usize),
    Walk,
    Symbolic,
}

/// A search for executions, which goes on where it was paused.
pub struct Explore {
    program: Program,
    machine: Option<Machine>,
    task: Option<Task>,
    /// The tasks of this round that are left.
    agenda: Vec<Kind>,
    round: u32,
    walk: Option<Walk>,
    /// What explorations have covered, the largest for each number of threads.
    covered: Vec<Covered>,
    /// Executions that the checker did not accept.
    refused: usize,
}

/// What an exploration covered.
struct Covered {
    threads: usize,
    depth: u32,
    states: usize,
    /// All states with these threads and all values.
    all: bool,
    /// Values were left out, and no more are tried.
    last: bool,
    /// Nothing more would be found with more states, though with other values.
    ended: bool,
}

impl Explore {
    /// A search in a program.
    pub fn new(program: &Program) -> Self {
        let machine = Machine::new(program);
        Explore {
            program: program.clone(),
            walk: machine.as_ref().map(Walk::new),
            machine,
            task: None,
            agenda: Vec::new(),
            round: 0,
            covered: Vec::new(),
            refused: 0,
        }
    }

    /// Searches with so much work.
    pub fn run(&mut self, budget: u64, control: &Control) -> Answer {
        let (Some(machine), Some(mut walk)) = (self.machine.take(), self.walk.take()) else {
            // An initial value exceeds 64 bits.
            return Answer::Exhausted;
        };
        let answer = self.search((&machine, &mut walk), budget, control);
        (self.machine, self.walk) = (Some(machine), Some(walk));
        answer
    }

    fn search(
        &mut self,
        (machine, walk): (&Machine, &mut Walk),
        mut budget: u64,
        control: &Control,
    ) -> Answer {
        if !machine.templates.iter().flat_map(|t| &t.wrong).any(|edges| !edges.is_empty()) {
            // No step leads to an error.
            return Answer::Exhausted;
        }
        while budget > 0 && !control.should_stop() {
            if self.exhausted(machine) {
                return Answer::Exhausted;
            }
            let found = match self.task.take() {
                None => {
                    self.task = Some(self.next(machine, walk));
                    None
                }
                Some(Task::Breadth(exploration)) => {
                    let found = self.breadth(machine, exploration, &mut budget, control);
                    found.and_then(|run| self.accepted(machine, run.execution(machine), control))
                }
                Some(Task::Walk(left)) => {
                    let mut part = left.min(budget);
                    let before = part;
                    let found = walk.work(machine, &mut part, control);
                    let done = before - part;
                    budget -= done;
                    self.task = (left > done).then_some(Task::Walk(left - done));
                    let fewest = |run: Run| fewest(machine, &run, walk.steps, control);
                    found.map(fewest).and_then(|run| self.accepted(machine, run, control))
                }
                Some(Task::Symbolic(runs)) => {
                    self.symbolic(machine, walk, runs, &mut budget, control)
                }
            };
            if let Some(run) = found {
                return Answer::Found(run);
            }
        }
        Answer::NotYet
    }

    fn breadth(
        &mut self,
        machine: &Machine,
        mut exploration: Box<Exploration>,
        budget: &mut u64,
        control: &Control,
    ) -> Option<Run> {
        match exploration.work(machine, budget, control) {
            Breadth::Found(run) => return Some(run),
            Breadth::Paused => self.task = Some(Task::Breadth(exploration)),
            Breadth::Ended => self.covered.push(Covered {
                threads: exploration.threads().iter().copied().max().unwrap_or(0),
                depth: exploration.depth,
                states: exploration.states(),
                all: !exploration.partial,
                last: !exploration.full && exploration.values >= VALUES.1,
                ended: !exploration.full,
            }),
        }
        None
    }

    /// Asks z3 for values with which an execution can make its last step.
    fn symbolic(
        &mut self,
        machine: &Machine,
        walk: &mut Walk,
        mut runs: Vec<Run>,
        budget: &mut u64,
        control: &Control,
    ) -> Option<Counterexample> {
        let program = &self.program;
        let answers = solve::interruptible(control, || {
            let mut answers = Vec::new();
            while *budget > 0 && !control.should_stop() {
                let Some(run) = runs.pop() else { break };
                *budget = budget.saturating_sub(QUESTION);
                let seats = machine.shape(&run.threads).seats;
                let templates: Vec<usize> = seats.iter().map(|seat| seat.template).collect();
                answers.extend(symbolic::execution(program, &templates, &run.steps));
            }
            answers
        });
        self.task = (!runs.is_empty()).then_some(Task::Symbolic(runs));
        for answer in answers {
            let wrong = replay::check(&self.program, &answer, &Budget::default()).is_ok();
            match Execution::read(machine, &answer) {
                Some(execution) if wrong => return self.accepted(machine, execution, control),
                None if wrong => return Some(answer),
                Some(execution) => walk.seeds.push(execution.run(machine)),
                None => {}
            }
        }
        None
    }

    /// The short counterexample of an execution, if the checker accepts it.
    fn accepted(
        &mut self,
        machine: &Machine,
        mut execution: Execution,
        control: &Control,
    ) -> Option<Counterexample> {
        shorten::shorten(machine, &mut execution, control);
        let found = execution.counterexample(machine, &self.program);
        self.refused += usize::from(found.is_none());
        found
    }

    /// The next task. Each round does more than the one before.
    fn next(&mut self, machine: &Machine, walk: &mut Walk) -> Task {
        loop {
            let Some(kind) = self.agenda.pop() else {
                self.round += 1;
                let many = machine.templates.iter().any(|template| template.many);
                let explored = (1..=if many { THREADS } else { 1 }).rev().map(Kind::Breadth);
                self.agenda = [Kind::Symbolic, Kind::Walk].into_iter().chain(explored).collect();
                continue;
            };
            let work = FIRST.saturating_mul(GROWTH.saturating_pow(self.round - 1));
            match kind {
                Kind::Breadth(threads) if !self.is_covered(threads) && work <= 2 * STATES => {
                    let values = VALUES.1.min(VALUES.0 << (self.round - 1).min(8));
                    let limit = usize::try_from(work.min(STATES)).unwrap_or(usize::MAX);
                    let threads = vec![threads; machine.templates.len()];
                    let exploration = Exploration::new(machine, &threads, limit, values);
                    return Task::Breadth(Box::new(exploration));
                }
                Kind::Breadth(_) => {}
                Kind::Walk => return Task::Walk(work.saturating_mul(8)),
                Kind::Symbolic => {
                    let runs = walk.near();
                    if self.round > 1 && !runs.is_empty() {
                        return Task::Symbolic(runs);
                    }
                }
            }
        }
    }

    fn is_covered(&self, threads: usize) -> bool {
        self.covered
            .iter()
            .any(|covered| covered.threads == threads && (covered.all || covered.last))
    }

    /// Whether all that there is has been looked at: a fixed number of threads, and no value left
    /// out.
    fn exhausted(&self, machine: &Machine) -> bool {
        let many = machine.templates.iter().any(|template| template.many);
        !many && machine.missing == 0 && self.covered.iter().any(|c| c.all)
    }

    /// How far executions were looked at.
    pub fn looked_at(&self) -> String {
        let mut parts = Vec::new();
        for threads in 1..=THREADS {
            let of = self.covered.iter().filter(|covered| covered.threads == threads);
            if let Some(most) = of.max_by_key(|covered| covered.states) {
                let Covered { depth, states, ended, all, .. } = most;
                let length = if *ended { String::new() } else { format!(" and {depth} steps") };
                let values = if *all { "" } else { ", with a choice of values" };
                let each = if threads == 1 { "thread" } else { "threads" };
                parts.push(format!("{threads} {each}{length} ({states} states{values})"));
            }
        }
        let mut text = self.walk.as_ref().map_or_else(String::new, |walk| {
            let Walk { steps, runs, longest, .. } = walk;
            format!("{steps} random steps in {runs} executions of up to {longest} steps")
        });
        if !parts.is_empty() {
            text = format!("all executions with {}; {text}", parts.join("; "));
        }
        if let Some(missing) = self.machine.as_ref().map(|m| m.missing).filter(|m| *m > 0) {
            text += &format!("; steps with values beyond 64 bits left out: {missing}");
        }
        if self.refused > 0 {
            text += &format!("; executions not accepted by the checker: {}", self.refused);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::tests::compiled;

    /// What a search with many turns ends with.
    fn search(text: &str, turn: u64, turns: usize) -> (Answer, Explore) {
        let (program, _) = compiled(text);
        let mut explore = Explore::new(&program);
        for _ in 0..turns {
            match explore.run(turn, &Control::default()) {
                Answer::NotYet => {}
                answer => return (answer, explore),
            }
        }
        (Answer::NotYet, explore)
    }

    fn found(text: &str) -> Counterexample {
        match search(text, 100_000, 40).0 {
            Answer::Found(run) => run,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn few_threads_and_steps_come_first() {
        let run = found(
            "core 1; global x: int; init x == 0;
             one s { location p; location q; edge p -> q { x := x + 5; } }
             many t { location p; location q; location e error;
               edge p -> q { x := x + 1; } edge q -> e { when x == 2 || x == 6; } }",
        );
        assert_eq!((run.start.threads.len(), run.schedule.len()), (2, 3));
    }

    #[test]
    fn turns_of_any_length_give_the_same_answer() {
        let text = "core 1; global x: int; init x == 0;
            many t { local i: int; init i == 0; location p; location e error;
              edge p -> p { input k: int; when k >= 0 && k <= 1; x := x + k, i := i + 1; }
              edge p -> e { when x == 40 && i == 21; } }";
        let run = |turn: u64| match search(text, turn, 10_000).0 {
            Answer::Found(run) => run,
            other => panic!("{other:?}"),
        };
        assert_eq!(run(1_000), run(1_000_000));
    }

    #[test]
    fn values_come_from_z3_where_no_others_lead_on() {
        let run = found(
            "core 1; global x: int; global y: int; init x > y;
             many t { location p; location q; location r; location e error;
               edge p -> q { input i: int; x := i; }
               edge q -> r { when 5 * x + 3 * y == 10006 && 2 * x - y == 3998; }
               edge r -> e { input j: int; when 7 * j == x + 2; } }",
        );
        assert_eq!(run.schedule.len(), 3);
    }

    #[test]
    fn it_is_exhausted_only_where_nothing_is_left() {
        let one = "core 1; global x: int; init x == 0;
            one t { location p; location q; location e error;
              edge p -> q { x := 1; } edge q -> e { when x == 0; } }";
        let (answer, explore) = search(one, 10_000, 10);
        assert!(matches!(answer, Answer::Exhausted), "{answer:?}");
        assert!(explore.looked_at().contains("2 states"), "{}", explore.looked_at());
        let many = one.replace("one t", "many t");
        assert!(matches!(search(&many, 10_000, 10).0, Answer::NotYet));
        let any = one.replace("init x == 0", "init x >= 0").replace("x := 1", "x := x + 1");
        assert!(matches!(search(&any, 10_000, 10).0, Answer::NotYet));
        let safe = one.replace("e error", "e");
        let (answer, _) = search(&safe, 10, 1);
        assert!(matches!(answer, Answer::Exhausted), "{answer:?}");
    }

    #[test]
    fn it_says_how_far_it_looked() {
        let text = "core 1; global x: int; init x == 0;
            many t { location p; location e error;
              edge p -> p { x := x + 1; } edge p -> e { when x < 0; }
              edge p -> e { when x > 100000000000000000000; } }";
        let (answer, explore) = search(text, 1_000_000, 1);
        assert!(matches!(answer, Answer::NotYet));
        let text = explore.looked_at();
        for part in ["all executions with 1 thread and ", "random steps in", "left out: 1"] {
            assert!(text.contains(part), "{text}");
        }
    }

    #[test]
    fn it_ends_when_it_is_asked_to() {
        let (program, _) = compiled(
            "core 1; global x: int; many t { location p; location e error;
             edge p -> p { x := x + 1; } edge p -> e { when x == 5 && x == 6; } }",
        );
        let control = Control::default();
        control.stop.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(matches!(Explore::new(&program).run(u64::MAX, &control), Answer::NotYet));
    }
}
