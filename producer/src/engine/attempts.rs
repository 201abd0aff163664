//! Strategies that are tried one after the other, each until it has an invariant or fails: the
//! search of the engines that look for invariants.

use super::{Board, Budget, Found, Search, Step, TRIED, Task, Unknown};
use crate::control::Control;
use crate::invariant::Invariant;

/// A strategy with a name.
pub trait Named {
    /// Its name, for reports and the command line.
    fn name(&self) -> &'static str;
}

/// The first budget in which these engines mostly work: the others' first turns are cheap.
pub const FIRST: Budget = Budget(2);

/// A search by strategies, each of which is tried by a function.
pub struct Invariants<'p, S, F> {
    attempts: Attempts<S>,
    attempt: F,
    /// The first budget in which it works.
    first: Budget,
    control: &'p Control,
    board: &'p Board,
}

impl<'p, S, F> Invariants<'p, S, F>
where
    S: Named + 'p,
    F: FnMut(&S, Budget) -> Ended<Invariant> + 'p,
{
    /// A search by those of all strategies whose names are given, from a first budget on.
    pub fn search(
        all: Vec<S>,
        names: &[&'static str],
        task: &Task<'p>,
        (first, attempt): (Budget, F),
    ) -> Box<dyn Search + 'p> {
        let (attempts, control, board) = (Attempts::new(all, names), task.control, task.board);
        board.post(0, attempts.report());
        Box::new(Invariants { attempts, attempt, first, control, board })
    }
}

impl<S: Named, F: FnMut(&S, Budget) -> Ended<Invariant>> Search for Invariants<'_, S, F> {
    fn run(&mut self, budget: Budget) -> Step {
        if budget < self.first {
            return Step::NotYet;
        }
        let Invariants { attempts, attempt, control, board, .. } = self;
        let found = attempts.run(|| control.should_stop(), |strategy| attempt(strategy, budget));
        board.post(0, attempts.report());
        match found {
            Some(invariant) => Step::Found(Found::Invariant(invariant)),
            None if attempts.exhausted() => Step::Exhausted,
            None => Step::NotYet,
        }
    }

    fn refused(&mut self, why: String) {
        self.attempts.refused(why);
    }

    fn report(&self) -> Unknown {
        self.attempts.report()
    }
}

/// Which strategies are left, and what the others ended with.
pub struct Attempts<S> {
    left: Vec<S>,
    /// The one that found something last.
    found: Option<&'static str>,
    failed: Vec<(&'static str, String)>,
}

/// How a strategy ended.
pub enum Ended<T> {
    /// With an answer.
    Found(T),
    /// Without one; more work may help, which a later try has.
    Unfinished,
    /// Without one, for good.
    Failed(String),
}

impl<S: Named> Attempts<S> {
    /// Those of all strategies whose names are given.
    pub fn new(all: Vec<S>, names: &[&'static str]) -> Self {
        let left = all.into_iter().filter(|s| names.contains(&s.name())).collect();
        Attempts { left, found: None, failed: Vec::new() }
    }

    /// Tries those that are left, until one finds something or `stop` says so.
    pub fn run<T>(
        &mut self,
        stop: impl Fn() -> bool,
        mut attempt: impl FnMut(&S) -> Ended<T>,
    ) -> Option<T> {
        let mut number = 0;
        while number < self.left.len() && !stop() {
            match attempt(&self.left[number]) {
                Ended::Unfinished => number += 1,
                Ended::Found(found) => {
                    self.found = Some(self.left.remove(number).name());
                    return Some(found);
                }
                Ended::Failed(why) => {
                    let name = self.left.remove(number).name();
                    self.failed.push((name, why));
                }
            }
        }
        None
    }

    /// What was found last is of no use.
    pub fn refused(&mut self, why: String) {
        self.failed.extend(self.found.take().map(|name| (name, why)));
    }

    /// Whether no strategy is left.
    pub fn exhausted(&self) -> bool {
        self.left.is_empty()
    }

    /// A line for each strategy.
    pub fn report(&self) -> Unknown {
        let failed = self.failed.iter().map(|(name, why)| format!("{name}: {why}"));
        let left = self.left.iter().map(|s| format!("{}: unfinished", s.name()));
        Unknown {
            reason: "no strategy finished".to_owned(),
            details: vec![(TRIED, failed.chain(left).collect())],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Named for &'static str {
        fn name(&self) -> &'static str {
            self
        }
    }

    #[test]
    fn what_is_refused_or_fails_is_not_tried_again() {
        let mut attempts = Attempts::new(vec!["a", "b", "c", "d"], &["a", "b", "c"]);
        let found = attempts.run(
            || false,
            |s| match *s {
                "a" => Ended::Unfinished,
                "b" => Ended::Failed("too weak".to_owned()),
                _ => Ended::Found(3),
            },
        );
        assert_eq!(found, Some(3));
        attempts.refused("no proof".to_owned());
        let lines = ["b: too weak", "c: no proof", "a: unfinished"];
        assert_eq!(attempts.report().lines(TRIED), lines);
        assert!(!attempts.exhausted());
        let stopped = attempts.run(|| true, |_| Ended::Found(1));
        assert_eq!(stopped, None);
        let failed = attempts.run::<()>(|| false, |_| Ended::Failed("no".to_owned()));
        assert!(failed.is_none() && attempts.exhausted());
    }
}
