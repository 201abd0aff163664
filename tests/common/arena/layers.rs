//! Layers of abstract threads (SPEC.md section 12), good ones: programs of `tests/layers`, with copies and invariants
//! by hand.

use super::Arena;
use super::pair::{Pair, int, state};
use crate::counting::Draft;
use std::sync::atomic::AtomicBool;
use threadproof_checker::error::Budget;
use threadproof_checker::internals::abstraction::conformance;
use threadproof_checker::internals::core_form;
use threadproof_format::proof::Proof;
use threadproof_format::proof::abstraction::{Conformance, Layer, Part};
use threadproof_format::proof::counterexample::Value;
use threadproof_format::proof::proof_space::{Predicate, Triple};
use threadproof_format::refutation::Refutation;
use threadproof_format::{Cmp, Expr, Int, Op};
use threadproof_producer::certify::hints::complete;
use threadproof_producer::certify::obligations;
use threadproof_producer::certify::refute::refute;
use threadproof_producer::engine::control::Control;

/// A lock and a count of the threads behind it.
pub const LOCK: &str = include_str!("../../layers/lock.core");
const LOCK_ABSTRACT: &str = include_str!("../../layers/lock.1.core");
const SERVER: &str = include_str!("../../layers/server.core");
const SERVER_ABSTRACT: &str = include_str!("../../layers/server.1.core");
const SERVER_MOST_ABSTRACT: &str = include_str!("../../layers/server.2.core");
const STILL: &str = include_str!("../../layers/still.core");
const STILL_ABSTRACT: &str = include_str!("../../layers/still.1.core");
const COPY: &str = include_str!("../../layers/copy.core");
const COPY_ABSTRACT: &str = include_str!("../../layers/copy.1.core");

/// Copies and invariants of an abstracted template; `None`: it is kept.
pub type Given = Option<(Vec<u32>, Vec<Expr>)>;

/// A layer of a program, without refutations.
pub fn layer(abstraction: &str, parts: Vec<Given>) -> Layer {
    let (_, program) = core_form::parse(abstraction).expect("a program");
    let statement = core_form::statement(abstraction).expect("a program");
    let to = (0..).zip(&parts).map(|(number, _)| number).collect();
    let parts = parts.into_iter().map(|given| match given {
        None => Part::Kept,
        Some((copies, invariants)) => {
            Part::Abstracted(Conformance { copies, invariants, refutations: vec![] })
        }
    });
    Layer { to, parts: parts.collect(), program, witness: None, statement }
}

/// Refutes what can be refuted of the layers; the other refutations stay as they are.
pub fn fill(pair: &mut Pair) {
    let mut concrete = core_form::parse(&pair.core).expect("a program").0;
    let budget = Budget::default();
    for layer in &mut pair.certificate.layers {
        let upper = core_form::parse(&layer.statement).expect("a program").0;
        for (of, (to, part)) in (0..).zip(layer.to.iter().zip(&mut layer.parts)) {
            let Part::Abstracted(proof) = part else { continue };
            let (own, its) = ((&concrete, of), (&upper, *to));
            let threads = conformance::Pair::new(own, its, &budget);
            let threads = threads.expect("a template");
            let Ok(list) = obligations::conformance(&threads, proof, &budget) else { continue };
            proof.refutations.resize(list.len(), Refutation::default());
            for (place, obligation) in proof.refutations.iter_mut().zip(&list) {
                if let Ok(found) = refute(obligation, &AtomicBool::new(false)) {
                    *place = found;
                }
            }
        }
        concrete = upper;
    }
}

/// A certificate with layers and a proof of the last program.
pub fn layered(core: &str, layers: Vec<Layer>, proof: Draft) -> Pair {
    let proof = complete(&proof.program, proof.proof, &Control::default()).expect("a proof");
    let mut pair = Pair::new(core, Proof::ProofSpace(proof));
    pair.certificate.layers = layers;
    fill(&mut pair);
    pair
}

/// "This location of the abstract thread is a candidate."
pub fn candidate(location: u32) -> Expr {
    Expr(vec![Op::Local(conformance::CANDIDATES, location)])
}

fn local(number: u32) -> Op {
    Op::Local(conformance::CONCRETE, number)
}

fn compare(left: Op, cmp: Cmp, right: Op) -> Expr {
    Expr(vec![left, right, Op::Cmp(cmp)])
}

fn and(parts: &[Expr]) -> Expr {
    let mut all = parts[0].clone();
    for part in &parts[1..] {
        all.0.extend(part.0.iter().cloned());
        all.0.push(Op::And);
    }
    all
}

fn constant(value: i64) -> Op {
    Op::Int(Int::from(value))
}

/// Behind the lock `i` is 1.
fn lock() -> Pair {
    let inside = and(&[candidate(2), compare(local(0), Cmp::Eq, constant(1))]);
    let given = vec![Some((vec![], vec![candidate(0), inside]))];
    let mut layer = layer(LOCK_ABSTRACT, given);
    layer.witness = Some(state(&[int(0), Value::Bool(false)], &[(0, &[int(7)])]));
    let mut p = Draft::new(LOCK_ABSTRACT);
    let one = p.predicate(&[], "n == 1");
    let busy = p.predicate(&[], "busy");
    let free = p.predicate(&[], "busy || n == 0");
    p.triple(&[(one, &[])], "Abstract.inside -> wrong", 0, 0);
    p.triple(&[(busy, &[])], "Abstract.idle -> inside", 0, 0);
    p.triple(&[(free, &[])], "Abstract.idle -> inside", one, 0);
    p.triple(&[], "Abstract.idle -> inside", busy, 0);
    p.triple(&[], "Abstract.idle -> inside", free, 0);
    p.triple(&[(one, &[])], "Abstract.inside -> idle", free, 0);
    p.configuration(&["Abstract.inside"], &[(one, &[])]);
    p.configuration(&["Abstract.inside"], &[(busy, &[])]);
    p.configuration(&["Abstract.inside", "Abstract.inside"], &[]);
    p.configuration(&[], &[(free, &[])]);
    p.initial(free);
    layered(LOCK, vec![layer], p)
}

/// A single thread and many, each abstracted twice.
fn server() -> Pair {
    let run = and(&[candidate(0), compare(local(0), Cmp::Ge, constant(1)), Expr(vec![local(1)])]);
    let same = || vec![candidate(0), candidate(1)];
    let first = vec![Some((vec![], vec![run, candidate(1)])), Some((vec![], same()))];
    let only = || Some((vec![], vec![candidate(0), candidate(0)]));
    let layers =
        vec![layer(SERVER_ABSTRACT, first), layer(SERVER_MOST_ABSTRACT, vec![only(), only()])];
    let mut p = Draft::new(SERVER_MOST_ABSTRACT);
    let positive = p.predicate(&[], "x >= 0");
    p.triple(&[(positive, &[])], "Any.any -> wrong", 0, 0);
    p.triple(&[(positive, &[])], "Watcher.any -> wrong", 0, 0);
    numbered(&mut p, (0, 1), &[(positive, &[])], (positive, 0));
    p.configuration(&[], &[(positive, &[])]);
    p.initial(positive);
    layered(SERVER, layers, p)
}

/// Adds a triple about an edge by its number.
fn numbered(
    p: &mut Draft,
    (template, edge): (u32, u32),
    pre: &[(u32, &[u32])],
    (post, acting): (u32, u32),
) {
    use threadproof_format::proof::proof_space::Instance;
    let pre = pre.iter().map(|(p, threads)| Instance(*p, threads.to_vec())).collect();
    let refutation = Refutation::default();
    p.proof.basis.push(Triple { pre, edge, post, acting, template, refutation });
}

/// Abstract threads with locals that are copies of a global, and a template that is kept and counted.
fn copy() -> Pair {
    let copied = |number| Op::Local(conformance::ABSTRACT, number);
    let below = |own| and(&[candidate(0), compare(own, Cmp::Le, copied(0))]);
    let given = vec![
        Some((vec![0], vec![below(local(0))])),
        Some((vec![0, 0], vec![below(local(0))])),
        None,
    ];
    let layer = layer(COPY_ABSTRACT, given);
    let mut p = Draft::new(COPY_ABSTRACT);
    let (many, single) = (p.predicate(&["T"], "c_0 <= g"), 2);
    let formula = compare(Op::Global(1), Cmp::Le, Op::Global(0));
    p.proof.predicates.push(Predicate { formula, threads: vec![] });
    p.triple(&[(many, &[0])], "T.x -> wrong", 0, 0);
    p.triple(&[(single, &[])], "K.x -> wrong", 0, 0);
    for edge in [(0, 0), (0, 1)] {
        numbered(&mut p, edge, &[], (many, 1));
    }
    for edge in [(0, 1), (1, 1), (2, 0)] {
        numbered(&mut p, edge, &[(many, &[1])], (many, 0));
    }
    for edge in [(1, 0), (1, 1)] {
        numbered(&mut p, edge, &[], (single, 0));
    }
    for edge in [(0, 1), (2, 0)] {
        numbered(&mut p, edge, &[(single, &[])], (single, 0));
    }
    p.configuration(&["T.x"], &[(many, &[0])]);
    p.configuration(&[], &[(single, &[])]);
    p.initial(many);
    p.initial(single);
    layered(COPY, vec![layer], p)
}

/// A local that is a copy, and no step that changes it.
fn still() -> Pair {
    let layer = layer(STILL_ABSTRACT, vec![Some((vec![0], vec![candidate(0)]))]);
    let mut p = Draft::new(STILL_ABSTRACT);
    let positive = p.predicate(&[], "g >= 0");
    p.triple(&[(positive, &[])], "T.x -> wrong", 0, 0);
    p.configuration(&[], &[(positive, &[])]);
    p.initial(positive);
    layered(STILL, vec![layer], p)
}

/// Threads of A are abstracted, threads of B are kept and counted.
const COUNTED: &str = "core 1;
many A {
    location idle;
    location busy;
    edge idle -> busy { }
}
many B {
    location wait;
    location gone;
    location wrong error;
    edge wait -> wrong { when #B.gone >= 1; }
}
";

fn counted() -> Pair {
    let abstraction = COUNTED.replace("idle -> busy", "idle -> idle");
    let given = vec![Some((vec![], vec![candidate(0), candidate(0)])), None];
    let layer = layer(&abstraction, given);
    let mut p = Draft::new(&abstraction);
    let none = p.predicate(&[], "#B.gone <= 0");
    p.triple(&[(none, &[])], "B.wait -> wrong", 0, 0);
    p.configuration(&[], &[(none, &[])]);
    p.initial(none);
    layered(COUNTED, vec![layer], p)
}

/// Adds the cases.
pub fn add(arena: &mut Arena) {
    arena.good("abstract_lock", "12", "an abstract thread, with a witness", lock());
    let mut beyond = lock();
    let error = "edge inside -> wrong { when n != 1; }";
    let after =
        "edge wrong -> inside { input u: int; when u == n; } edge wrong -> wrong { input u: int; }";
    beyond.restate_layer(0, &[(error, &format!("{error} {after}"))]);
    let shows = "edges of an abstract thread that begin at an error location have no meaning";
    arena.good("abstract_edge_after_an_error", "12.2", shows, beyond);
    arena.good("abstract_server", "12", "two layers, a single template", server());
    let mut kept = server();
    kept.layer(0).parts[1] = Part::Kept;
    arena.good("kept_with_another_name", "12.1", "a kept template may have another name", kept);
    arena.good("abstract_still", "12.2", "a copy that never changes", still());
    arena.good("abstract_counted", "12.1", "threads that are kept are counted", counted());
    let shows = "locals that are copies, a template that is kept and counted";
    arena.good("abstract_copy", "12", shows, copy());
}
