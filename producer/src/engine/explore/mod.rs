//! A search for executions to an error, and for nothing else: it never claims that there is none.
//!
//! The program is compiled to stack code over machine integers (`machine`, `code`). What is open at the start or
//! an input gets its value when a formula first needs it (`open`). Executions of few threads are explored breadth
//! first (`breadth`), then longer ones at random (`walk`), and values that these do not hit are asked of z3
//! (`symbolic`). What is found is shortened (`shorten`) and replayed by the checker (`run`).
//!
//! All work is counted, in about one unit for each edge that is tried, so that the same budgets give the same answers.

mod breadth;
mod code;
mod execute;
mod live;
mod machine;
mod open;
mod run;
mod shorten;
mod state;
mod walk;

use crate::engine::control::Control;
use breadth::{Breadth, Exploration};
use machine::Machine;
use run::Run;
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
    /// The search has nothing more to look at, and says why.
    Exhausted(String),
}

/// The first round's work: states of an exploration, units of random executions.
const FIRST: u64 = 2_000;
/// How much more a round does than the one before.
const GROWTH: u64 = 4;
/// States of an exploration, at most: about 200 bytes each.
const STATES: u64 = 1_000_000;
/// Values beside critical ones in the first round, and at most.
const VALUES: (usize, usize) = (6, 48);
/// Threads of each template of many in an exploration, at most.
const THREADS: usize = 4;

/// What is under way.
enum Task {
    Breadth(Box<Exploration>),
    /// Random executions with so much work left.
    Walk(u64),
}

/// A search for executions, which goes on where it was paused.
pub struct Explore {
    program: Program,
    machine: Option<Machine>,
    task: Option<Task>,
    /// The tasks of this round that are left: how many threads are explored, or none for random ones.
    agenda: Vec<Option<usize>>,
    round: u32,
    walk: Walk,
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
    /// Nothing more would be found with more states, though with other values.
    ended: bool,
}

impl Explore {
    /// A search in a program.
    pub fn new(program: &Program) -> Self {
        Explore {
            program: program.clone(),
            machine: Machine::new(program),
            task: None,
            agenda: Vec::new(),
            round: 0,
            walk: Walk::default(),
            covered: Vec::new(),
            refused: 0,
        }
    }

    /// Searches with so much work.
    pub fn run(&mut self, budget: u64, control: &Control) -> Answer {
        let Some(machine) = self.machine.take() else {
            return Answer::Exhausted("an initial value is beyond 64 bits".to_owned());
        };
        let answer = self.search(&machine, budget, control);
        self.machine = Some(machine);
        answer
    }

    fn search(&mut self, machine: &Machine, mut budget: u64, control: &Control) -> Answer {
        if !machine.templates.iter().flat_map(|t| &t.wrong).any(|edges| !edges.is_empty()) {
            return Answer::Exhausted("no step leads to an error".to_owned());
        }
        while budget > 0 && !control.should_stop() {
            if let Some(why) = self.exhausted(machine) {
                return Answer::Exhausted(why);
            }
            let found = match self.task.take() {
                None => {
                    self.task = Some(self.next(machine));
                    None
                }
                Some(Task::Breadth(exploration)) => {
                    self.breadth(machine, exploration, &mut budget, control)
                }
                Some(Task::Walk(left)) => {
                    let mut part = left.min(budget);
                    let before = part;
                    let found = self.walk.work(machine, &mut part, control);
                    let done = before - part;
                    budget -= done;
                    self.task = (left > done).then_some(Task::Walk(left - done));
                    found
                }
            };
            if let Some(run) = found.and_then(|run| self.accepted(machine, &run)) {
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
                ended: !exploration.full,
            }),
        }
        None
    }

    /// The short counterexample of an execution, if the checker accepts it.
    fn accepted(&mut self, machine: &Machine, run: &Run) -> Option<Counterexample> {
        let mut execution = run.execution(machine);
        shorten::shorten(machine, &mut execution);
        let found = execution.counterexample(machine, &self.program);
        self.refused += usize::from(found.is_none());
        found
    }

    /// The next task. Each round does more than the one before.
    fn next(&mut self, machine: &Machine) -> Task {
        let growth = GROWTH.saturating_pow(self.round.saturating_sub(1));
        let work = FIRST.saturating_mul(growth);
        let Some(task) = self.agenda.pop() else {
            self.round += 1;
            let many = machine.templates.iter().any(|template| template.many);
            let explored = (1..=if many { THREADS } else { 1 }).rev().map(Some);
            self.agenda = [None].into_iter().chain(explored).collect();
            return self.next(machine);
        };
        match task {
            Some(threads) if !self.is_covered(threads) && work <= 2 * STATES => {
                let values = VALUES.1.min(VALUES.0 << self.round.min(8));
                let limit = usize::try_from(work.min(STATES)).unwrap_or(usize::MAX);
                let threads = vec![threads; machine.templates.len()];
                Task::Breadth(Box::new(Exploration::new(machine, &threads, limit, values)))
            }
            Some(_) => self.next(machine),
            None => Task::Walk(work.saturating_mul(8)),
        }
    }

    fn is_covered(&self, threads: usize) -> bool {
        self.covered.iter().any(|covered| covered.threads == threads && covered.all)
    }

    /// Whether all that there is has been looked at: a fixed number of threads, and no value left out.
    fn exhausted(&self, machine: &Machine) -> Option<String> {
        let many = machine.templates.iter().any(|template| template.many);
        let all = !many && machine.missing == 0 && self.covered.iter().any(|c| c.all);
        all.then(|| "all executions have been looked at".to_owned())
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
        let Walk { steps, runs, longest, .. } = &self.walk;
        let mut text = format!("{steps} random steps in {runs} executions of up to {longest} steps");
        if !parts.is_empty() {
            text = format!("all executions with {}; {text}", parts.join("; "));
        }
        if let Some(missing) = self.machine.as_ref().map(|m| m.missing).filter(|m| *m > 0) {
            text += &format!("; steps with numbers beyond 64 bits were left out: {missing}");
        }
        text
    }
}
