//! Horn clauses: an inductive invariant over a fixed number of threads, by z3's Spacer.
//!
//! The trace loop ([`super::proof_space`]) finds short proofs from infeasible traces and diverges where an invariant
//! is needed that no trace suggests; this engine asks for the invariant itself. It is thread-modular at a
//! level k (Hoenicke, Majumdar, Podelski, "Thread Modularity at Many Levels"): it relates the globals, the single
//! templates' locations, the counters and k threads, for all choices of k different threads.

mod clauses;
mod idle;
mod lemmas;
mod state;

use crate::control::Control;
use crate::counting::candidates::Level;
use crate::counting::invariants;
use crate::invariant::Invariant;
use crate::solve;
use clauses::System;
use idle::Idle;
pub(crate) use lemmas::Lemma;
use state::Shape;
use std::fmt;
use threadproof_format::program::Program;

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
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// No invariant over so many threads shows that the program is safe. It may be unsafe.
    TooWeak,
    /// The system of clauses is over the engine's limit.
    TooLarge,
    /// The logic of certificates cannot say the invariant.
    Unsayable(String),
    /// z3 has no answer.
    Unknown(String),
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::TooWeak => write!(f, "no invariant over so few threads shows that it is safe"),
            Why::TooLarge => write!(f, "there are too many Horn clauses"),
            Why::Unsayable(what) => write!(f, "z3's invariant has {what}"),
            Why::Unknown(reason) => write!(f, "z3 has no answer: {reason}"),
        }
    }
}

/// Looks for an inductive invariant that shows that the program is safe. The same program and strategy
/// give the same answer, unless the search is stopped.
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
