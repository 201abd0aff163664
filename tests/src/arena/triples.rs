//! Wrong triples of a proof space (SPEC.md sections 8.1 and 8.2).

use super::Arena;
use super::pair::{Pair, contradiction, int, run};
use crate::introduction;
use threadproof_format::proof::counterexample::Value;
use threadproof_format::proof::proof_space::*;
use threadproof_format::{Cmp, Expr, Int, Op};

/// Adds the cases.
pub fn add(arena: &mut Arena) {
    triples(arena);
    preconditions(arena);
}

fn triples(arena: &mut Arena) {
    let mut group = arena.on("introduction", "8.2");
    let refuted = ("refutation", "triple 0: not a refutation");
    let trap = "{g >= 1} (x := g : 1) {x(2) >= 1}: another thread's x is not written";
    group.bad("triple_about_another_thread", refuted, trap, |p| p.triple(0).acting = 0);
    let trap = "{} (x := g : 1) {x(1) >= 1}: nothing is known of g";
    group.bad("triple_without_its_precondition", refuted, trap, |p| p.triple(0).pre.clear());
    let trap = "{x(1) >= 1} (x := g : 1) {x(1) >= 1}: what it has to show is what it assumes";
    group.bad("triple_assumes_its_postcondition", refuted, trap, |pair| {
        pair.triple(0).pre = vec![Instance(2, vec![0])];
    });
    let trap = "the triple is about another edge than its refutation";
    group.bad("triple_about_another_edge", refuted, trap, |p| p.triple(0).edge = 1);
    let trap = "the acting thread is the first of none";
    let why = ("index", "triple 1: a number that names no acting thread");
    group.bad("acting_thread_of_no_position", why, trap, |p| p.triple(1).acting = 1);
    type Row<'a> = (&'a str, &'a str, fn(&mut Triple));
    let rows: [Row<'_>; 3] = [
        ("template", "triple_of_an_unknown_template", |t| t.template = 1),
        ("edge", "triple_of_an_unknown_edge", |t| t.edge = 3),
        ("predicate", "triple_of_an_unknown_postcondition", |t| t.post = 3),
    ];
    for (what, name, edit) in rows {
        let reason = format!("triple 1: a number that names no {what}");
        group.bad(name, ("index", &reason), "the number is too large", |p| edit(p.triple(1)));
    }
    let mut group = arena.on("single", "8.2");
    let why = ("instance", "triple 4: not an instance of the predicate: template of the acting");
    let trap = "the acting thread of the postcondition is of another template";
    group.bad("acting_thread_of_another_template", why, trap, |pair| {
        position(pair);
        let triple = Triple { post: 4, acting: 1, ..pair.triple(0).clone() };
        pair.space().basis.push(triple);
    });
    let why = ("irrelevant-thread", "triple 0: a precondition about an irrelevant thread");
    let trap = "the acting thread is a single template's: it has no position";
    group.bad("precondition_about_a_single_thread", why, trap, |pair| {
        position(pair);
        pair.triple(0).pre.push(Instance(4, vec![0]));
    });
}

/// Adds predicate 4, about a thread of `r`.
pub fn position(pair: &mut Pair) {
    let formula = Expr(vec![Op::Local(0, 0), Op::Int(Int::from(0)), Op::Cmp(Cmp::Ge)]);
    pair.space().predicates.push(Predicate { formula, threads: vec![1] });
}

fn preconditions(arena: &mut Arena) {
    let mut group = arena.on("introduction", "8.2");
    let why = ("irrelevant-thread", "triple 1: a precondition about an irrelevant thread");
    let trap = "condition 2: a thread that neither acts nor is in the postcondition";
    group.bad("precondition_about_an_irrelevant_thread", why, trap, |pair| {
        pair.triple(1).pre[1].1[0] = 1;
    });
    let order = ("order", "triple 1: not ascending: precondition");
    group.bad("precondition_in_disorder", order, "not ascending", |p| p.triple(1).pre.reverse());
    group.bad("precondition_twice", order, "an instance twice", |pair| {
        let again = pair.triple(1).pre[1].clone();
        pair.triple(1).pre.push(again);
    });
    let mut group = arena.on("introduction", "8.1");
    let why = ("instance", "triple 1: not an instance of the predicate: number of threads");
    group.bad("instance_of_too_many_threads", why, "g >= 1 is about no thread", |pair| {
        pair.triple(1).pre[0].1.push(0);
    });
    let why = ("index", "triple 1: a number that names no predicate");
    group.bad("instance_of_an_unknown_predicate", why, "there are two", |pair| {
        pair.triple(1).pre[1].0 = 3;
    });
    // What follows is about the program without its initial condition, which is unsafe.
    let start = [("init g >= 1;\n", "")];
    let wrong = introduction::PROGRAM.replacen(start[0].0, start[0].1, 1);
    let moves: [(u32, u32, &[Value]); 2] = [(0, 0, &[]), (0, 2, &[])];
    let execution = run(&wrong, &[int(0)], &[(0, &[int(0)])], &moves);
    let why = ("instance", "triple 0: not an instance of the predicate: `false` is never listed");
    let trap = "{false} (assume(x < 1) : 1) {false} is valid, and says nothing";
    group.bad("false_precondition", why, trap, |pair| {
        impossible_precondition(pair);
        pair.space().predicates.clear();
        pair.space().configurations.clear();
        pair.space().error_steps.clear();
        pair.triple(0).pre = vec![Instance(0, vec![])];
    });
    group.refuted(execution);
    let trap = "{1 < 0} (assume(x < 1) : 1) {false} is valid, but 1 < 0 does not hold at the start";
    let why = ("accepting", "configuration 0: an initial state may satisfy this configuration");
    group.bad("contradictory_precondition", why, trap, impossible_precondition);
    group.refuted_by("false_precondition_unsafe");
    let why = ("refutation", "initial predicate 0: not a refutation");
    let trap = "the same, and 1 < 0 is listed as if it held at the start";
    group.bad("contradictory_precondition_at_the_start", why, trap, |pair| {
        impossible_precondition(pair);
        let refutation = contradiction(&[0]);
        pair.space().initial = vec![InitialPredicate { predicate: 1, refutation }];
    });
    group.refuted_by("false_precondition_unsafe");
}

/// The introduction without its initial condition, and a proof from a precondition that never
/// holds.
fn impossible_precondition(pair: &mut Pair) {
    pair.restate(&[("init g >= 1;\n", "")]);
    let (one, zero) = (Op::Int(Int::from(1)), Op::Int(Int::from(0)));
    let never = Predicate { formula: Expr(vec![one, zero, Op::Cmp(Cmp::Lt)]), threads: vec![] };
    let proof = pair.space();
    proof.predicates = vec![never];
    let pre = vec![Instance(1, vec![])];
    proof.basis = vec![Triple { pre, refutation: contradiction(&[1]), ..proof.basis[2].clone() }];
    proof.initial.clear();
    let negated = vec![Instance(1, vec![])];
    proof.configurations = vec![Configuration { steps: vec![], negated, threads: vec![] }];
    proof.error_steps = vec![StepHints(vec![Hint::Embed(0, vec![])])];
}
