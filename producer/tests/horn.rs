//! Horn clauses: the invariants that Spacer finds give certificates that the checker accepts.

use std::sync::atomic::Ordering;
use threadproof_format::program::Program;
use threadproof_format::proof::Conclusion;
use threadproof_producer::engine::control::Control;
use threadproof_producer::engine::horn::{Strategy, Why, solve};
use threadproof_producer::engine::proof_space::counters::candidates::Level;
use threadproof_producer::frontend::tp;
use threadproof_producer::invariant::{self, Invariant};
use threadproof_producer::portfolio::{self, Plan};
use threadproof_producer::prove::{Verdict, prove_by};
use threadproof_producer::report::print;

/// A corpus program's core form.
fn corpus(name: &str) -> String {
    let path = format!("{}/../corpus/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("a corpus program");
    print::program(&tp::lower(name, &text).expect("a program").program, &|_, _| String::new())
}

fn parse(core: &str) -> Program {
    threadproof_checker::internals::core_form::parse(core).expect("a program").0
}

fn level(level: usize) -> Strategy {
    Strategy { name: "test", level, counters: None, work: 8_000_000 }
}

fn counting() -> Strategy {
    Strategy { counters: Some(Level::Two), ..level(1) }
}

fn horn(core: &str, strategy: &Strategy) -> Result<Invariant, Why> {
    solve(&parse(core), strategy, &Control::default())
}

/// The checker accepts what Horn clauses alone give.
fn proved(core: &str, strategy: Strategy) {
    let plan = Plan { strategies: vec![portfolio::Strategy::Horn(strategy)], ..Plan::default() };
    match prove_by(&parse(core), core, &plan, &Control::default()) {
        Verdict::Certified(claim, _) => assert_eq!(claim.conclusion, Conclusion::Safe),
        Verdict::Unknown(unknown) => panic!("not proved: {unknown:?}"),
    }
}

#[test]
fn the_introduction_falls_at_level_1() {
    let core = corpus("introduction.tp");
    let found = horn(&core, &level(1)).expect("an invariant");
    let text = invariant::print::invariant(&parse(&core), &found);
    assert!(text.contains("invariant g >= 1;"), "{text}");
    proved(&core, level(1));
}

#[test]
fn the_ticket_lock_falls_at_level_2() {
    let core = corpus("ticket_lock.tp");
    assert_eq!(horn(&core, &level(1)), Err(Why::TooWeak));
    proved(&core, level(2));
}

#[test]
fn unsafe_programs_have_no_invariant() {
    for (name, threads) in [("introduction_minus.tp", 1), ("flag_handover_no_wait.tp", 2)] {
        assert_eq!(horn(&corpus(name), &level(threads)), Err(Why::TooWeak), "{name}");
    }
}

#[test]
fn single_templates_need_no_level() {
    proved(&corpus("peterson.tp"), level(1));
}

/// At level 2 the error is about a single thread and no other, so that what is known of two workers has to
/// be carried over to one and to none.
const FEWER_THREADS: &str = "core 1;
global flag: bool;
global n: int;
init !flag && n == 0;
one watcher {
  location wait; location look; location wrong error;
  edge wait -> look { when flag; }
  edge look -> wrong { when n < 5; }
}
many worker {
  local seen: int;
  init seen == 5;
  location start; location set; location done; location wrong error;
  edge start -> set { n := seen; }
  edge set -> done { when n == seen; flag := true; }
  edge done -> wrong { when n != seen; }
}";

#[test]
fn idle_threads_say_what_holds_of_fewer_threads() {
    proved(FEWER_THREADS, level(2));
}

/// Two permits: three threads inside are one too many, which is a matter of counting.
const PERMITS: &str = "core 1;
global permits: int;
global inside: int;
init permits == 2 && inside == 0;
many user {
  location out; location in; location counted; location wrong error;
  edge out -> in { when permits >= 1; permits := permits - 1; }
  edge in -> wrong { when inside >= 2; }
  edge in -> counted { when inside < 2; inside := inside + 1; }
  edge counted -> out { inside := inside - 1, permits := permits + 1; }
}";

#[test]
fn counters_need_one_thread_where_there_would_be_three() {
    assert_eq!(horn(PERMITS, &level(1)), Err(Why::TooWeak));
    proved(PERMITS, counting());
    let broken = PERMITS.replace("permits == 2", "permits == 3");
    assert_eq!(horn(&broken, &counting()), Err(Why::TooWeak));
}

#[test]
fn what_a_program_counts_is_there_without_being_asked_for() {
    let core = "core 1;
many t {
  location out; location in; location wrong error;
  edge out -> in { when #t.in <= 0; }
  edge in -> wrong { when #t.in >= 2; }
  edge in -> out { }
}";
    proved(core, level(1));
}

#[test]
fn the_same_program_gives_the_same_invariant() {
    let core = corpus("flag_handover.tp");
    let first = horn(&core, &level(2)).expect("an invariant");
    assert_eq!(horn(&core, &level(2)), Ok(first));
}

#[test]
fn large_systems_and_stopped_searches_are_given_up() {
    let core = corpus("nested_locks.tp");
    assert_eq!(horn(&core, &level(5)), Err(Why::TooLarge));
    let control = Control::default();
    control.stop.store(true, Ordering::Relaxed);
    let stopped = solve(&parse(&core), &level(2), &control);
    assert!(matches!(stopped, Err(Why::Unknown(_))), "{stopped:?}");
}

#[test]
fn threads_can_start_from_globals() {
    let core = "core 1;
global g: int;
many t {
  local x: int;
  init x == g;
  location a; location b; location wrong error;
  edge a -> b { when x >= 0; x := 0; }
  edge b -> wrong { when x < 0; }
}";
    proved(core, level(1));
}
