//! The proof-space search: verdicts on small programs, and by brute force the validity of what it
//! gives out. The corpus is proved end to end in the workspace's own tests.

mod engine_support;

use engine_support::validate;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use threadproof_checker::error::Budget;
use threadproof_format::Op;
use threadproof_format::program::Program;
use threadproof_format::proof::counterexample::Counterexample;
use threadproof_format::proof::proof_space::ProofSpace;
use threadproof_producer::control::{Control, Progress};
use threadproof_producer::engine::proof_space::{Options, Outcome, PREDICATES, TRACE, prove};
use threadproof_producer::engine::{TRIED, Unknown};
use threadproof_producer::frontend::tp;
use threadproof_producer::logic::print;

fn parse(text: &str) -> Program {
    threadproof_checker::internals::core_form::parse(text).expect("a program").0
}

fn search(program: &Program) -> Outcome {
    prove(program, &Options::default(), &Control::default())
}

/// The proof of a safe program, validated.
fn safe(program: &Program) -> ProofSpace {
    match search(program) {
        Outcome::Safe(proof) => {
            validate(program, &proof);
            proof
        }
        other => panic!("not proved: {other:?}"),
    }
}

/// The counterexample of an unsafe program, replayed.
fn wrong(program: &Program) -> Counterexample {
    match search(program) {
        Outcome::Unsafe(run) => {
            threadproof_checker::internals::replay::check(program, &run, &Budget::default())
                .expect("an execution");
            run
        }
        other => panic!("no counterexample: {other:?}"),
    }
}

fn unknown(outcome: Outcome) -> Unknown {
    match outcome {
        Outcome::Unknown(unknown) => unknown,
        other => panic!("an answer: {other:?}"),
    }
}

fn corpus(name: &str) -> Program {
    let path = format!("{}/../corpus/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("a corpus program");
    tp::lower(name, &text).expect("a program").program
}

fn formulas(program: &Program, proof: &ProofSpace) -> Vec<String> {
    let predicates = proof.predicates.iter();
    predicates.map(|p| print::assertion(program, &p.threads, &[], &p.formula)).collect()
}

const INTRODUCTION: &str = "core 1;
global g: int;
init g >= 1;
many t {
  local x: int;
  location a; location b; location c; location d; location wrong error;
  edge a -> b { x := g; }
  edge b -> c { g := g + x; }
  edge c -> wrong { when g < 1; }
  edge c -> d { when g >= 1; }
}";

#[test]
fn introduction_has_the_proof_of_the_paper() {
    let program = parse(INTRODUCTION);
    let proof = safe(&program);
    assert_eq!(formulas(&program, &proof), ["g >= 1", "x(1) >= 1"]);
    // The paper's (C) and (D) are frame triples here, or kill nothing; (A), (B) and the assertion.
    assert_eq!(proof.basis.len(), 3);
    assert_eq!(proof.initial.len(), 1);
    assert_eq!(proof.initial[0].predicate, 1);
}

#[test]
fn the_same_program_gives_the_same_proof() {
    let program = corpus("ticket_lock.tp");
    assert_eq!(safe(&program), safe(&program));
}

#[test]
fn thread_pool() {
    let program = corpus("thread_pool.tp");
    let proof = safe(&program);
    let formulas = formulas(&program, &proof);
    assert!(formulas.contains(&"end(1) <= next".to_owned()), "{formulas:?}");
    assert!(proof.configurations.len() <= 200, "{}", proof.configurations.len());
}

#[test]
fn arrays_with_indices_that_a_step_chooses() {
    let text = "core 1;
global busy: bool[];
global owner: int[];
many t {
  local i: int;
  location a; location b; location c; location d; location e; location wrong error;
  edge a -> b { input u: int; i := u; }
  edge b -> c { when !busy[i]; busy := busy[i := true]; }
  edge c -> d { owner := owner[i := 1]; }
  edge d -> e { owner := owner[i := 2]; }
  edge e -> wrong { when owner[i] != 2; }
  edge e -> a { when owner[i] == 2; busy := busy[i := false]; }
}";
    let program = parse(text);
    let formulas = formulas(&program, &safe(&program));
    // A symmetric predicate: its instances stand in normal form, or validation refuses them.
    assert!(formulas.contains(&"i(1) != i(2)".to_owned()), "{formulas:?}");
    let broken = parse(&text.replace("when !busy[i]; ", ""));
    assert!(wrong(&broken).start.threads.len() >= 2);
}

#[test]
fn inputs_are_eliminated() {
    // y <= x + 5 after y := u with u <= x + 5 needs nothing; the next step needs x <= z.
    let program = parse(
        "core 1;
global x: int;
global y: int;
global z: int;
init x <= z;
one t {
  location a; location b; location wrong error;
  edge a -> b { input u: int; when u <= x + 5; y := u; }
  edge b -> a { input u: int; when u >= 0; z := z + u; }
  edge b -> wrong { when y > z + 5; }
}",
    );
    safe(&program);
}

#[test]
fn loops_are_proved_for_any_number_of_rounds() {
    let program = corpus("batches.tp");
    let formulas = formulas(&program, &safe(&program));
    assert!(formulas.contains(&"3 * count(1) == size(1)".to_owned()), "{formulas:?}");
    wrong(&corpus("batches_extra.tp"));
}

#[test]
fn single_threads() {
    safe(&corpus("peterson.tp"));
    let run = wrong(&corpus("peterson_no_wait.tp"));
    assert_eq!(run.start.threads.len(), 2);
    assert!(run.start.threads.iter().all(|t| t.locals.is_empty()));
}

#[test]
fn a_single_thread_back_at_its_start_is_not_forgotten() {
    // Were the thread left out at its initial location, another could take its first edge.
    let program = parse(
        "core 1;
global x: int;
init x == 0;
one t {
  location a; location b; location wrong error;
  edge a -> b { x := 1; }
  edge b -> a { x := 0; }
  edge a -> wrong { when x == 1; }
}",
    );
    safe(&program);
}

#[test]
fn no_initial_state() {
    for init in ["x > 0 && x < 0", "false"] {
        let program = parse(&format!(
            "core 1;
global x: int;
init {init};
many t {{
  location a; location b; location wrong error;
  edge a -> b {{ x := x + 1; }}
  edge b -> wrong {{ }}
}}"
        ));
        let Outcome::Safe(proof) = search(&program) else {
            panic!("not proved");
        };
        assert_eq!(proof.witness, None);
        assert!(!proof.initial.is_empty());
    }
}

#[test]
fn errors_that_no_path_reaches() {
    let program = parse(
        "core 1;
many t {
  location a; location b; location wrong error;
  edge b -> wrong { }
}",
    );
    assert!(safe(&program).basis.is_empty());
}

#[test]
fn counterexamples_end_at_the_first_error_and_list_only_threads_that_move() {
    for name in ["thread_pool_no_lock.tp", "seqlock_no_check.tp", "introduction_no_init.tp"] {
        wrong(&corpus(name));
    }
}

#[test]
fn integers_beyond_64_bits() {
    let huge = "100000000000000000000000000000";
    let text = format!(
        "core 1;
global x: int;
init x == {huge};
many t {{
  location a; location wrong error;
  edge a -> a {{ x := x + 1; }}
  edge a -> wrong {{ when x < {huge}; }}
}}"
    );
    safe(&parse(&text));
    wrong(&parse(&text.replace("x < ", "x > ")));
}

#[test]
fn dummy_threads() {
    let program = corpus("stack_cells.tp");
    let proof = safe(&program);
    let dummies = proof.predicates.iter().filter(|p| {
        let mentioned =
            |t: u32| p.formula.0.iter().any(|op| matches!(op, Op::Local(u, _) if *u == t));
        (0..).zip(&p.threads).any(|(t, _)| !mentioned(t))
    });
    assert!(dummies.count() > 0, "{:?}", formulas(&program, &proof));
}

/// Needs to count the readers.
const READERS: &str = "core 1;
global readers: int;
global writing: bool;
init readers == 0 && !writing;
many reader {
  location a; location b; location c; location wrong error;
  edge a -> b { when !writing; readers := readers + 1; }
  edge b -> wrong { when writing; }
  edge b -> c { when !writing; readers := readers - 1; }
}
many writer {
  location a; location b; location c;
  edge a -> b { when !writing && readers == 0; writing := true; }
  edge b -> c { writing := false; }
}";

#[test]
fn divergence_is_reported_with_what_was_tried() {
    let options = Options { first_turn: 4, turns: 2, ..without_counters() };
    let unknown = unknown(prove(&parse(READERS), &options, &Control::default()));
    assert_eq!(unknown.lines(TRIED).len(), 4);
    assert!(unknown.lines(TRACE).last().expect("a trace").ends_with("b -> wrong"), "{unknown:?}");
    assert!(!unknown.lines(PREDICATES).is_empty());
}

fn without_counters() -> Options {
    let mut options = Options::default();
    options.strategies.retain(|s| s.counters.is_none());
    options
}

/// The readers of the two tests above, now counted.
#[test]
fn counters_prove_what_diverges_without_them() {
    let program = parse(READERS);
    let mut options = Options::default();
    options.strategies.retain(|s| s.counters.is_some());
    for strategy in options.strategies.clone() {
        let options = Options { strategies: vec![strategy], ..options.clone() };
        match prove(&program, &options, &Control::default()) {
            Outcome::Safe(proof) => {
                validate(&program, &proof);
                let mut ops = proof.predicates.iter().flat_map(|p| &p.formula.0);
                assert!(ops.any(|op| matches!(op, Op::Count(..))));
            }
            other => panic!("not proved: {other:?}"),
        }
    }
    let broken = parse(&READERS.replace("readers == 0", "readers <= 1"));
    assert_ne!(broken, program);
    for strategy in options.strategies.clone() {
        let options = Options { strategies: vec![strategy], ..options.clone() };
        assert!(matches!(prove(&broken, &options, &Control::default()), Outcome::Unsafe(_)));
    }
}

/// Users of a counted object whose phase has so many steps; whoever is the only one may change it
/// at any of them.
fn phase(steps: usize) -> Program {
    let step = "atomic { assert(data == seen); if (count == 1) { data = data + 1; seen = data; } }";
    let steps = step.repeat(steps);
    let text = format!(
        "global int count = 0; global int data; thread t[*] {{ local int seen;
        count = count + 1; seen = data; {steps} count = count - 1; }}"
    );
    tp::lower("phase.tp", &text).expect("a program").program
}

#[test]
fn a_long_phase_is_proved_in_as_many_rounds_as_a_short_one() {
    let proved = |steps: usize| {
        let program = phase(steps);
        let mut options = Options::default();
        options.strategies.retain(|s| s.name == "counters and affine equalities");
        let count = Arc::new(AtomicUsize::new(0));
        let iterations = count.clone();
        let observer = move |_: &Progress| {
            iterations.fetch_add(1, Ordering::Relaxed);
        };
        let control = Control::new(Arc::default(), Some(Arc::new(observer)));
        let Outcome::Safe(proof) = prove(&program, &options, &control) else {
            panic!("not proved with {steps} steps")
        };
        validate(&program, &proof);
        (count.load(Ordering::Relaxed), proof.predicates.len())
    };
    assert_eq!(proved(8), proved(2));
}

#[test]
fn growing_constants_end_a_turn() {
    let mut options = Options { turns: 1, ..without_counters() };
    options.strategies.retain(|s| s.name.starts_with("difference bounds"));
    options.strategies.iter_mut().for_each(|s| s.late = false);
    let unknown = unknown(prove(&parse(READERS), &options, &Control::default()));
    assert_eq!(unknown.lines(TRIED).len(), 3);
    for line in unknown.lines(TRIED) {
        assert!(line.ends_with("count of threads"), "{line}");
        assert!(line.contains(": 1") && !line.contains(": 20 "), "{line}");
    }
    assert_eq!(unknown.lines(PREDICATES), ["readers >= 11"]);
}

#[test]
fn the_search_ends_when_z3_has_done_its_work() {
    let options = Options { work: 1, ..Options::default() };
    let unknown = unknown(prove(&corpus("thread_pool.tp"), &options, &Control::default()));
    assert!(unknown.reason.starts_with("z3"), "{unknown:?}");
    assert!(unknown.lines(TRIED)[1].ends_with("not tried"), "{unknown:?}");
}

#[test]
fn the_search_stops_when_asked() {
    let program = corpus("thread_pool.tp");
    let mut control = Control::default();
    let stop = control.stop.clone();
    let reports = Arc::new(AtomicUsize::new(0));
    let seen = reports.clone();
    control.progress = Some(Arc::new(move |progress| {
        seen.fetch_add(1, Ordering::Relaxed);
        if progress.iteration == 2 {
            stop.store(true, Ordering::Relaxed);
        }
    }));
    let start = Instant::now();
    let unknown = unknown(prove(&program, &Options::default(), &control));
    assert!(unknown.reason.contains("stop"), "{unknown:?}");
    assert!(reports.load(Ordering::Relaxed) <= 5);
    assert!(start.elapsed() < Duration::from_secs(20));
}
