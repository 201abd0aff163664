//! What the engines ask of z3.

pub mod decode;
pub mod encode;
pub mod fixedpoint;
pub mod values;

use crate::control::Control;
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use z3::ast::Bool;
use z3::{SatResult, Solver, StatisticsValue};

/// The z3 that the bindings were made for.
const VERSION: &str = "5.3.3";

/// Another z3 was loaded than the one that `setup.sh` fetches.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("z3 {VERSION} is needed, but {0} was loaded: run ./setup.sh")]
pub struct VersionError(String);

/// Makes z3 ready for this process: asserts its version, and leaves Ctrl-C to the caller.
///
/// # Errors
/// If another z3 was loaded than the one that `setup.sh` fetches.
pub fn start() -> Result<(), VersionError> {
    // z3 would otherwise catch an interrupt during a check, and the run would go on.
    z3::set_global_param("ctrl_c", "false");
    let found = z3::full_version();
    if found.contains(VERSION) { Ok(()) } else { Err(VersionError(found.to_owned())) }
}

/// Runs a search in a z3 context of its own, which is interrupted when the search is asked to stop.
pub fn interruptible<T: Send + Sync>(
    control: &Control,
    search: impl FnOnce() -> T + Send + Sync,
) -> T {
    z3::with_z3_config(&z3::Config::new(), || watched(control, search))
}

/// Runs a search in the thread's own z3 context, which is interrupted when the search is asked to
/// stop.
pub fn watched<T>(control: &Control, search: impl FnOnce() -> T) -> T {
    let context = z3::Context::thread_local();
    let handle = context.handle();
    let done = AtomicBool::new(false);
    let _current = Current::new(control);
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| watch(control, &done, &handle));
        let _end = End { done: &done, watcher: watcher.thread().clone() };
        search()
    })
}

/// Ends the watch when the search ends, also by a panic, which would otherwise wait for it.
struct End<'a> {
    done: &'a AtomicBool,
    watcher: std::thread::Thread,
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        self.watcher.unpark();
    }
}

/// Interrupts z3 when the search is asked to stop.
fn watch(control: &Control, done: &AtomicBool, handle: &z3::ContextHandle<'_>) {
    while !done.load(Ordering::Relaxed) {
        std::thread::park_timeout(Duration::from_millis(20));
        if control.should_stop() {
            handle.interrupt();
        }
    }
}

thread_local! {
    /// The searches under way on this thread, the innermost one last.
    static SEARCHES: RefCell<Vec<Control>> = const { RefCell::new(Vec::new()) };
}

/// The search under way on a thread, as long as this lives.
struct Current;

impl Current {
    fn new(control: &Control) -> Self {
        SEARCHES.with_borrow_mut(|all| all.push(control.clone()));
        Current
    }
}

impl Drop for Current {
    fn drop(&mut self) {
        SEARCHES.with_borrow_mut(|all| all.pop());
    }
}

/// Whether the search on this thread has been asked to stop, or the part of it that is under way
/// has spent what z3 may do in it. Loops look at it that may take long.
pub fn stopped() -> bool {
    ALLOWANCE.get().spent
        || SEARCHES.with_borrow(|all| all.last().is_some_and(Control::should_stop))
}

/// The answer to a question, charged to the part of the search that is under way.
fn answer(solver: &Solver, ask: impl FnOnce() -> SatResult) -> SatResult {
    if stopped() {
        return SatResult::Unknown;
    }
    let answer = ask();
    charge(solver);
    answer
}

/// Asks a solver; it does not know if the search has been asked to stop. An interrupt ends one
/// query alone, and a loop of queries ends soon if each of them comes here.
pub fn check(solver: &Solver) -> SatResult {
    answer(solver, || solver.check())
}

/// As [`check`], under assumptions.
pub fn check_assumptions(solver: &Solver, assumptions: &[Bool]) -> SatResult {
    answer(solver, || solver.check_assumptions(assumptions))
}

/// How much z3 may do for one query, in its own unit.
const RESOURCE_LIMIT: u32 = 20_000_000;

/// What z3 may do on a thread in a part of its search.
#[derive(Clone, Copy)]
struct Allowance {
    /// For one query of the solvers that are made in it.
    query: u32,
    /// When the part ends: what z3 has then done on this thread.
    end: u64,
    /// Whether z3 has done that.
    spent: bool,
}

const UNBOUNDED: Allowance = Allowance { query: RESOURCE_LIMIT, end: u64::MAX, spent: false };

thread_local! {
    static ALLOWANCE: Cell<Allowance> = const { Cell::new(UNBOUNDED) };
}

/// A part of a search that is stopped when z3 has done so much in it, in its own unit. It is the
/// same part in each run, so a run can be repeated.
pub fn sparing<T>(work: u32, search: impl FnOnce() -> T) -> T {
    let end = done(&Solver::new()) + u64::from(work);
    let outer = ALLOWANCE.replace(Allowance { query: work, end, spent: false });
    let found = search();
    ALLOWANCE.set(outer);
    found
}

/// How much z3 has done on this thread, in its own unit.
pub fn done(solver: &Solver) -> u64 {
    match solver.get_statistics().value("rlimit count") {
        Some(StatisticsValue::UInt(work)) => u64::from(work),
        _ => 0,
    }
}

/// Notes that the part of the search is over, if it is.
fn charge(solver: &Solver) {
    let allowance = ALLOWANCE.get();
    if allowance.end < u64::MAX && !allowance.spent {
        ALLOWANCE.set(Allowance { spent: done(solver) >= allowance.end, ..allowance });
    }
}

/// A solver with the settings that all engines use.
pub fn solver() -> Solver {
    let solver = Solver::new();
    let mut params = z3::Params::new();
    params.set_u32("rlimit", ALLOWANCE.get().query);
    solver.set_params(&params);
    solver
}

/// The numbers of some switches that contradict what the solver has, and no longer do with any of
/// them left out; those at the end are given up first. `None` if all together do not.
pub fn least(solver: &Solver, switches: &[Bool]) -> Option<Vec<usize>> {
    if check_assumptions(solver, switches) != SatResult::Unsat {
        return None;
    }
    let in_core = |kept: Vec<usize>| -> Vec<usize> {
        let core = solver.get_unsat_core();
        let needed = |i: &usize| core.iter().any(|l| l.ast_eq(&switches[*i]));
        kept.into_iter().filter(needed).collect()
    };
    let mut kept = in_core((0..switches.len()).collect());
    let mut tried = kept.len();
    while tried > 0 {
        tried -= 1;
        let mut fewer = kept.clone();
        fewer.remove(tried);
        let literals: Vec<Bool> = fewer.iter().map(|i| switches[*i].clone()).collect();
        if check_assumptions(solver, &literals) == SatResult::Unsat {
            let smaller = in_core(fewer);
            let above = |i: &&usize| smaller.contains(*i);
            tried = kept[..tried].iter().filter(above).count();
            kept = smaller;
        }
    }
    Some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::mpsc;

    #[test]
    fn a_search_that_was_stopped_asks_nothing_more() {
        let control = Control::default();
        let answers = interruptible(&control, || {
            let solver = solver();
            let before = check(&solver);
            control.stop.store(true, Ordering::Relaxed);
            (before, check(&solver), check_assumptions(&solver, &[]), stopped())
        });
        assert_eq!(answers, (SatResult::Sat, SatResult::Unknown, SatResult::Unknown, true));
        assert!(!stopped());
    }

    #[test]
    fn a_panic_ends_the_search_and_its_watch() {
        let (ended, received) = mpsc::channel();
        // In a thread of its own, since a search that waits for its watch would wait for ever.
        std::thread::spawn(move || {
            let search = || -> bool { panic!("a panic within a search, which this test asks for") };
            let control = Control::default();
            let result = catch_unwind(AssertUnwindSafe(|| interruptible(&control, search)));
            ended.send(result.is_err())
        });
        assert_eq!(received.recv_timeout(Duration::from_secs(20)), Ok(true));
    }
}
