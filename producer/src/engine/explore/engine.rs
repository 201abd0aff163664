//! The search for executions as an engine, with one strategy.

use super::{Answer, Explore};
use crate::control::Control;
use crate::engine::{Board, Budget, Engine, Found, Search, Step, TRIED, Task, Unknown};
use threadproof_format::proof::Proof;

/// The work of the first budget: some milliseconds.
const FIRST: u64 = 20_000;
/// How much more work each budget allows than the one before.
const GROWTH: u64 = 4;
/// The one strategy.
const NAME: &str = "executions";

/// The engine that looks for executions to an error.
#[derive(Debug)]
pub struct Executions;

impl Engine for Executions {
    fn name(&self) -> &'static str {
        NAME
    }

    fn strategies(&self) -> Vec<&'static str> {
        vec![NAME]
    }

    fn counts(&self) -> bool {
        true
    }

    fn start<'p>(&self, _: &[&'static str], task: Task<'p>) -> Box<dyn Search + 'p> {
        let Task { program, control, board, .. } = task;
        let search = Running { explore: Explore::new(program), control, board, refused: None };
        board.post(0, search.report());
        Box::new(search)
    }
}

/// A search under way.
struct Running<'p> {
    explore: Explore,
    control: &'p Control,
    board: &'p Board,
    /// Why what was found makes no proof.
    refused: Option<String>,
}

impl Search for Running<'_> {
    fn run(&mut self, Budget(budget): Budget) -> Step {
        let turns = u32::try_from(budget).unwrap_or(u32::MAX);
        let work = FIRST.saturating_mul(GROWTH.saturating_pow(turns));
        let step = match self.explore.run(work, self.control) {
            Answer::Found(run) => Step::Found(Found::Proof(Proof::Counterexample(run))),
            Answer::NotYet => Step::NotYet,
            Answer::Exhausted => Step::Exhausted,
        };
        self.board.post(0, self.report());
        step
    }

    fn refused(&mut self, why: String) {
        self.refused = Some(why);
    }

    fn report(&self) -> Unknown {
        let refused = self.refused.iter().map(|why| format!("{NAME}: {why}"));
        let looked_at = format!("{NAME}: {}", self.explore.looked_at());
        Unknown {
            reason: "no strategy finished".to_owned(),
            details: vec![(TRIED, [looked_at].into_iter().chain(refused).collect())],
        }
    }
}
