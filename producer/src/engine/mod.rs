//! Engines: searches for proofs, behind one trait. None knows another one; what they share is in
//! the rooms below (`logic`, `trace`, `counting`, `solve`).
//!
//! [`conformance`] is a search of its own kind: it is about one thread and its abstract thread.

mod attempts;
pub mod conformance;
pub mod explore;
pub mod horn;
pub mod houdini;
pub mod proof_space;
mod unknown;

pub use unknown::{Board, GROWING, HELP, NEXT, TRIED, Unknown};

use crate::control::Control;
use crate::invariant::Invariant;
use crate::logic::counters::{self, Counters};
use crate::logic::model::Facts;
use std::fmt::Debug;
use threadproof_format::Expr;
use threadproof_format::program::Program;
use threadproof_format::proof::Proof;
use threadproof_format::proof::proof_space::ProofSpace;

/// A kind of search.
pub trait Engine: Debug + Sync {
    /// Its name, which tells it from the others.
    fn name(&self) -> &'static str;
    /// The names of its strategies, in the order in which they are tried.
    fn strategies(&self) -> Vec<&'static str>;
    /// Whether it can search a program whose commands count threads.
    fn counts(&self) -> bool;
    /// Prepares a search by some of its strategies.
    fn start<'p>(&self, strategies: &[&'static str], task: Task<'p>) -> Box<dyn Search + 'p>;
}

/// All engines, in the order in which they take turns.
pub fn all() -> [&'static dyn Engine; 4] {
    [&explore::Executions, &proof_space::Traces, &houdini::Houdini, &horn::Horn]
}

/// A search under way, which goes on where it was each time it is run.
pub trait Search {
    /// Works until it finds something, or the budget is spent, or the search is asked to stop.
    fn run(&mut self, budget: Budget) -> Step;
    /// What it found makes no proof, for this reason. The next run goes on without it.
    fn refused(&mut self, why: String);
    /// What was tried so far, and why there is no answer.
    fn report(&self) -> Unknown;
}

/// What a run of a search led to.
#[derive(Clone, Debug)]
pub enum Step {
    /// A proof, or what one is made of.
    Found(Found),
    /// Nothing so far; a greater budget may help.
    NotYet,
    /// Nothing, and no budget would help. [`Search::report`] says why.
    Exhausted,
}

/// What an engine finds.
#[derive(Clone, Debug)]
pub enum Found {
    /// A proof space without refutations and hints.
    Draft(ProofSpace),
    /// An inductive invariant that excludes all errors.
    Invariant(Invariant),
    /// A complete proof.
    Proof(Proof),
}

/// How far a search may go, as a number that all engines read in the same way: budgets are granted
/// one after the other, each to all engines in turn. It counts steps, not time, so that a run can
/// be repeated.
///
/// Budget 0 is for first turns; 1 for the beginning of second turns, 3 for the rest of them, 5, 7,
/// ... for later ones; 2, 4, ... lie between them, for engines that are dear.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Budget(pub usize);

impl Budget {
    /// What belongs to so many turns.
    pub fn of_turns(turns: usize) -> Self {
        Budget(if turns <= 1 { 0 } else { 2 * turns })
    }

    /// The budgets up to this one.
    pub fn up_to(self) -> impl Iterator<Item = Budget> {
        (0..=self.0).map(Budget)
    }
}

/// What a search works on.
#[derive(Clone, Copy)]
pub struct Task<'p> {
    /// The program.
    pub program: &'p Program,
    /// The program as a transition system, with ghosts where its commands count threads.
    pub plain: &'p Facts<'p>,
    /// The same with a ghost global for each counter.
    pub counting: &'p Facts<'p>,
    /// Formulas that may help, over globals and the locals of different threads of the templates.
    pub hints: &'p [(Vec<u32>, Expr)],
    /// The hold on the search.
    pub control: &'p Control,
    /// Where the search leaves its latest report while it runs.
    pub board: &'p Board,
}

/// A program, and the same with a ghost global for each counter.
pub struct Ghosted<'p> {
    program: &'p Program,
    ghosted: Program,
    ghosts: Counters,
}

impl<'p> Ghosted<'p> {
    /// Adds the ghosts to a program.
    pub fn new(program: &'p Program) -> Self {
        let (ghosted, ghosts) = counters::ghosted(program);
        Ghosted { program, ghosted, ghosts }
    }

    /// The two as transition systems, the plain one first. Of a program that mentions counters
    /// each has the ghosts.
    pub fn models(&self) -> [Facts<'_>; 2] {
        let counting = Facts::new(&self.ghosted, self.ghosts.clone());
        let plain = match counters::mentioned(self.program) {
            true => Facts::new(&self.ghosted, self.ghosts.clone()),
            false => Facts::new(self.program, Counters::default()),
        };
        [plain, counting]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn engines_and_strategies_have_names_of_their_own() {
        let engines: Vec<&str> = all().iter().map(|engine| engine.name()).collect();
        assert_eq!(engines, ["executions", "proof spaces", "Houdini", "Horn clauses"]);
        let all: Vec<&str> = all().iter().flat_map(|engine| engine.strategies()).collect();
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
    }

    #[test]
    fn turns_grow_with_budgets() {
        let budgets = |turns| Budget::of_turns(turns).up_to().map(|b| b.0).collect::<Vec<_>>();
        assert_eq!(budgets(1), [0]);
        assert_eq!(budgets(2), [0, 1, 2, 3, 4]);
        assert_eq!(budgets(3).last(), Some(&6));
    }
}
