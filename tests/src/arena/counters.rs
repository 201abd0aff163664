//! Counters (SPEC.md section 4.4) and impossible configurations (section 8.8), on proofs of the
//! family that counts.

use super::Arena;
use super::pair::{Pair, contradiction, fill, int, run};
use crate::counting;
use threadproof_format::proof::Proof;
use threadproof_format::proof::counterexample::Value;
use threadproof_format::proof::proof_space::*;
use threadproof_format::{Expr, Int, Op};

/// Adds the cases.
pub fn add(arena: &mut Arena) {
    for counting::Counting { name, core, proof, .. } in counting::proofs() {
        arena.good(
            name,
            "4.4",
            "a proof that counts threads",
            Pair::new(core, Proof::ProofSpace(proof)),
        );
    }
    axiom(arena);
    increments(arena);
    unused(arena);
    names(arena);
    cases(arena);
}

/// Moves of threads without locals and edges without inputs; the global is 0 at the start.
fn execution(core: &str, threads: usize, moves: &[(u32, u32)]) -> Pair {
    let moves: Vec<(u32, u32, &[Value])> =
        moves.iter().map(|(thread, edge)| (*thread, *edge, &[][..])).collect();
    run(core, &[int(0)], &vec![(0, &[][..]); threads], &moves)
}

/// Two threads may be in the middle, and the predicates say so.
fn two_in_the_middle(pair: &mut Pair) {
    pair.restate(&[("#t.inside + #t.middle == 0", "#t.inside + #t.middle <= 1")]);
    let predicates = &mut pair.space().predicates;
    predicates[1].formula.0[3] = Op::Int(Int::from(2));
    predicates[2].formula.0[1] = Op::Int(Int::from(3));
    fill(pair);
}

fn axiom(arena: &mut Arena) {
    let mut changed = arena.pair("capacity");
    two_in_the_middle(&mut changed);
    let moves = [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 3)];
    let execution = execution(&changed.core, 2, &moves);
    let mut group = arena.on("capacity", "8.8");
    let why = ("refutation", "configuration 2: not a refutation");
    let trap = "two threads in the middle are counted as three";
    group.bad("location_axiom_off_by_one", why, trap, two_in_the_middle);
    group.refuted(execution);
    let trap = "that two threads are in the middle is called impossible, for no reason";
    group.bad("impossible_configuration_that_is_possible", why, trap, |pair| {
        two_in_the_middle(pair);
        pair.space().impossible[0].negated.clear();
    });
    group.refuted_by("location_axiom_off_by_one_unsafe");
    let trap = "one thread in the middle is counted as two";
    group.bad("location_axiom_with_a_thread_less", why, trap, |pair| {
        pair.space().impossible[0].threads.pop();
        pair.configuration(0).steps[0].0[1] = Hint::Embed(2, vec![0]);
    });
    let trap = "two threads inside say nothing about how many are in the middle";
    group.bad("location_axiom_of_another_location", why, trap, |pair| {
        pair.space().impossible[0].threads = vec![Slot(0, Some(1)), Slot(0, Some(1))];
    });
    let why = ("unused", "configuration 3: nothing uses this configuration");
    group.bad("impossible_configuration_that_nothing_uses", why, "no hint names it", |pair| {
        let again = pair.space().impossible[0].clone();
        pair.space().impossible.push(again);
    });
}

fn increments(arena: &mut Arena) {
    let mut group = arena.on("capacity", "4.4");
    let changes = [("when #t.inside + #t.middle == 0", "when #t.inside == 0")];
    let why = ("refutation", "triple 3: not a refutation");
    let trap = "the guard counts the threads inside, the invariant those inside and in the middle";
    group.bad("counters_of_other_locations", why, trap, |pair| {
        pair.restate(&changes);
        fill(pair);
    });
    let core = counting::CAPACITY.replacen(changes[0].0, changes[0].1, 1);
    group.refuted(execution(&core, 2, &[(0, 0), (0, 1), (1, 0), (1, 1), (0, 2), (1, 3)]));
    let mut group = arena.on("inside", "4.3");
    let changes = [("edge outside -> first { n := n + 1; }", "edge outside -> first { }")];
    let core = counting::INSIDE.replacen(changes[0].0, changes[0].1, 1);
    let execution = execution(&core, 1, &[(0, 0), (0, 1), (0, 3)]);
    let why = ("refutation", "triple 0: not a refutation");
    let trap = "the edge changes a counter, and n no more";
    group.bad("forgotten_increment", why, trap, |pair| {
        pair.restate(&changes);
        fill(pair);
    });
    group.refuted(execution);
    let mut group = arena.on("inside", "8.2");
    let why =
        ("step-open", "configuration 0, thread 0, template 0, edge 1: the hints leave this step");
    let trap = "an edge to a location that the predicate counts is taken for a frame";
    group.bad("move_as_a_frame", why, trap, |pair| {
        pair.restate(&changes);
        let more = Expr(vec![Op::Global(0), Op::Count(0, 2), Op::Cmp(threadproof_format::Cmp::Ge)]);
        pair.space().predicates[0].formula = more;
        pair.space().basis.remove(0);
        fill(pair);
    });
    group.refuted_by("forgotten_increment_unsafe");
    let mut group = arena.on("readers", "8.5");
    let why = ("refutation", "initial predicate 1: not a refutation");
    let trap = "the writer is idle at the start, not busy";
    group.bad("initial_counter_of_another_location", why, trap, |pair| {
        let refutation = contradiction(&[1]);
        pair.space().initial.push(InitialPredicate { predicate: 2, refutation });
    });
}

fn unused(arena: &mut Arena) {
    let mut group = arena.on("readers", "8.6");
    let why = ("unused", "initial predicate 1: nothing uses this predicate");
    let trap = "the writer is idle at the start; but nobody reads there";
    group.bad("initial_predicate_that_nothing_uses", why, trap, |pair| {
        let refutation = contradiction(&[]);
        pair.space().initial.push(InitialPredicate { predicate: 3, refutation });
        fill(pair);
    });
    let mut group = arena.on("tickets", "8.1");
    let set = |pair: &mut Pair, threads: &[u32]| {
        let two = pair.space().configurations.iter_mut().find(|c| c.threads.len() == 2);
        two.expect("two threads that hold tickets").negated[0].1 = threads.to_vec();
    };
    let why = ("order", "not ascending: threads of a symmetric predicate");
    let trap = "that 1 and 0 differ is written as that 0 and 1 differ";
    group.bad("instance_not_in_normal_form", why, trap, |pair| set(pair, &[1, 0]));
    let why = ("instance", "not an instance of the predicate: one thread twice");
    let trap = "a ticket that differs from itself";
    group.bad("instance_of_one_thread_twice", why, trap, |pair| set(pair, &[0, 0]));
}

fn names(arena: &mut Arena) {
    let mut group = arena.on("inside", "4.4");
    let rows: [(&str, &str, &str, Op); 4] = [
        ("counter_of_the_initial_location", "counter", "it counts any number", Op::Count(0, 0)),
        ("counter_of_an_error_location", "counter", "clean states only", Op::Count(0, 3)),
        ("counter_of_an_unknown_location", "location", "there are four", Op::Count(0, 4)),
        ("counter_of_an_unknown_template", "template", "there is one", Op::Count(1, 1)),
    ];
    for (name, what, trap, counter) in rows {
        let reason = format!("predicate 1: a number that names no {what}");
        group.bad(name, ("index", &reason), trap, |pair| {
            pair.space().predicates[0].formula.0[1] = counter;
        });
    }
}

fn cases(arena: &mut Arena) {
    let mut group = arena.on("inside_by_cases", "8.8");
    let why = ("refutation", "configuration 1: not a refutation");
    group.bad("cases_with_one_less", why, "of two cases one is left out", |pair| {
        pair.space().impossible[0].negated.pop();
    });
    let mut group = arena.on("inside_by_cases", "8.3");
    let why = ("order", "configuration 1: not ascending: negated predicates");
    group.bad("cases_in_disorder", why, "not ascending", |pair| {
        pair.space().impossible[0].negated.reverse();
    });
}
