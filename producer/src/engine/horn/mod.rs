//! Horn clauses: an inductive invariant over a fixed number of threads, by z3's Spacer.
//!
//! The trace loop ([`super::proof_space`]) finds short proofs from infeasible traces and diverges
//! where an invariant is needed that no trace suggests; this engine asks for the invariant itself.
//! It is thread-modular at a level k (Hoenicke, Majumdar, Podelski, "Thread Modularity at Many
//! Levels"): it relates the globals, the single templates' locations, the counters and k threads,
//! for all choices of k different threads.

mod clauses;
mod idle;
mod lemmas;
mod state;

use super::attempts::{Ended, FIRST, Invariants, Named};
use super::{Budget, Engine, Search, Task};
use crate::control::Control;
use crate::counting::candidates::Level;
use crate::counting::invariants;
use crate::invariant::{Invariant, Lemma};
use crate::solve::{self, decode::DecodeError};
use clauses::System;
use idle::Idle;
use state::Shape;
use threadproof_format::program::Program;

/// The engine by Horn clauses.
#[derive(Debug)]
pub struct Horn;

impl Engine for Horn {
    fn name(&self) -> &'static str {
        "Horn clauses"
    }

    fn strategies(&self) -> Vec<&'static str> {
        Strategy::portfolio().iter().map(Named::name).collect()
    }

    fn counts(&self) -> bool {
        true
    }

    fn start<'p>(&self, names: &[&'static str], task: Task<'p>) -> Box<dyn Search + 'p> {
        let Task { program, control, .. } = task;
        let attempt = move |strategy: &Strategy, budget: Budget| {
            let part = match budget.0.saturating_sub(FIRST.0) {
                0 => PART,
                // As much as before would lead to nothing else.
                1 => return Ended::Unfinished,
                _ => 1,
            };
            let now = Strategy { work: strategy.work / part, ..strategy.clone() };
            match solve(program, &now, control) {
                Ok(invariant) => Ended::Found(invariant),
                Err(Why::Unknown(_)) if part > 1 => Ended::Unfinished,
                Err(why) => Ended::Failed(why.to_string()),
            }
        };
        Invariants::search(Strategy::portfolio(), names, &task, (FIRST, attempt))
    }
}

/// Which part of its work a strategy may do in its first budget. In the next but one it starts
/// again and does all.
const PART: u32 = 8;

impl Named for Strategy {
    fn name(&self) -> &'static str {
        self.name
    }
}

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Strategy {
    /// Name, for reports and the command line.
    pub name: &'static str,
    /// How many threads of templates of many the invariant is about, at least 1.
    pub level: usize,
    /// Whether the invariant may count the threads at each place, and which invariants about
    /// counters are looked for first. What the program itself counts is always there.
    pub counters: Option<Level>,
    /// What z3 may do, in its own unit.
    pub work: u32,
}

impl Strategy {
    /// The strategies, in the order in which they are tried.
    pub fn portfolio() -> Vec<Strategy> {
        let one =
            Strategy { name: "Horn clauses, level 1", level: 1, counters: None, work: 8_000_000 };
        let counters = Strategy {
            name: "Horn clauses with counters, level 1",
            counters: Some(Level::Two),
            ..one.clone()
        };
        let two = Strategy { name: "Horn clauses, level 2", level: 2, ..one.clone() };
        let three = Strategy { name: "Horn clauses, level 3", level: 3, ..one.clone() };
        vec![one, counters, two, three]
    }
}

/// Why there is no invariant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// No invariant over so many threads shows that the program is safe. It may be unsafe.
    #[error("no invariant over this number of threads proves safety")]
    TooWeak,
    /// The system of clauses is over the engine's limit.
    #[error("too many Horn clauses")]
    TooLarge,
    /// The logic of certificates cannot say the invariant.
    #[error("z3's invariant cannot be used: {0}")]
    Unsayable(#[from] DecodeError),
    /// z3 has no answer, for the reason that it gives.
    #[error("z3 has no answer: {0}")]
    Unknown(String),
}

/// Looks for an inductive invariant that shows that the program is safe. The same program and
/// strategy give the same answer, unless the search is stopped.
///
/// # Errors
/// Why there is none.
pub fn solve(program: &Program, strategy: &Strategy, control: &Control) -> Result<Invariant, Why> {
    solve::interruptible(control, || {
        let known = strategy.counters.map(|level| invariants::of_program(program, level));
        let shape = Shape::new(program, strategy.counters.is_some(), known.unwrap_or_default());
        let many = program.templates.iter().any(|t| t.is_many());
        let threads = if many { strategy.level.max(1) } else { 0 };
        let idle = Idle::find(&shape);
        let system = System::new(&shape, (threads, idle.as_ref()), strategy.work)?;
        system.solve()?;
        let lemmas = lemmas::lemmas(&shape, (threads, idle.as_ref()), system.values())?;
        Ok(Invariant { clauses: lemmas.iter().map(Lemma::clause).collect() })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Board, Found, Ghosted, Step, TRIED};

    /// A lock: that two threads are not at b takes two threads.
    const PROGRAM: &str = "core 1;
global g: int;
init g == 0;
many t {
  location a; location b; location wrong error;
  edge a -> b { when g == 0; g := 1; }
  edge b -> wrong { when g != 1; }
  edge b -> a { g := 0; }
}";

    #[test]
    fn what_is_too_weak_ends_and_what_is_found_is_given_out() {
        let (program, _) =
            threadproof_checker::internals::core_form::parse(PROGRAM).expect("a program");
        let (ghosted, board, control) =
            (Ghosted::new(&program), Board::default(), Control::default());
        let [plain, counting] = &ghosted.models();
        let program = &program;
        let task = Task { program, plain, counting, hints: &[], control: &control, board: &board };
        let names = ["Horn clauses, level 1", "Horn clauses, level 2"];
        let mut search = Horn.start(&names, task);
        assert!(matches!(search.run(Budget(1)), Step::NotYet));
        let open = names.map(|name| format!("{name}: unfinished"));
        assert_eq!(search.report().lines(TRIED), open);
        assert!(matches!(search.run(Budget(4)), Step::Found(Found::Invariant(_))));
        search.refused("no proof".to_owned());
        assert!(matches!(search.run(Budget(4)), Step::Exhausted));
        let ended = [
            "Horn clauses, level 1: no invariant over this number of threads proves safety",
            "Horn clauses, level 2: no proof",
        ];
        assert_eq!(search.report().lines(TRIED), ended);
        assert_eq!(board.read(), Some(search.report()));
    }
}
