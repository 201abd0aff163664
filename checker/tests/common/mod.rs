//! A program with a proof made by hand: the paper's introduction; and certificates.
#![allow(dead_code, reason = "each test binary uses a part")]

use threadproof_checker::error::{Budget, Failure};
use threadproof_checker::internals::abstraction::conformance::Pair;
use threadproof_checker::internals::core_form;
use threadproof_checker::internals::obligation::Obligation;
use threadproof_checker::internals::proof_space::each_obligation;
use threadproof_checker::internals::proof_space::predicates::Predicates;
use threadproof_format::cbor;
use threadproof_format::program::Program;
use threadproof_format::proof::abstraction::Conformance;
use threadproof_format::proof::counterexample::{State, Thread, Value};
use threadproof_format::proof::proof_space::*;
use threadproof_format::proof::{Certificate, Proof, VERSION};
use threadproof_format::refutation::{Farkas, Propagate, Refutation, Step};
use threadproof_format::{Cmp, Expr, Int, Op};

/// Threads add what they read to g; g stays positive.
pub const PROGRAM: &str = "core 1;
global g: int;
init g >= 1;
many t {
    local x: int;
    location read;
    location write;
    location wrong error;
    edge read -> write { x := g; }
    edge write -> read { g := g + x; }
    edge write -> wrong { when x < 1; }
}
";

pub fn propagate(hints: &[u32]) -> Step {
    Step::Propagate(Propagate { hints: hints.to_vec(), clause: vec![] })
}

fn at_least_one(variable: Op) -> Expr {
    Expr(vec![variable, Op::Int(Int::from(1)), Op::Cmp(Cmp::Ge)])
}

/// Predicates: 1 is g >= 1, 2 is x(1) >= 1.
pub fn proof() -> ProofSpace {
    let contradiction = || Refutation(vec![propagate(&[1, 2])]);
    let sum = vec![(0, Int::from(1)), (1, Int::from(1)), (2, Int::from(1))];
    let lemma = Step::Farkas(Farkas { clause: vec![-4, 2, 3], sums: vec![sum] });
    let added = Refutation(vec![lemma, propagate(&[1, 2, 3, 4])]);
    let triple = |pre: &[Instance], edge, post, acting, refutation| Triple {
        pre: pre.to_vec(),
        edge,
        post,
        acting,
        template: 0,
        refutation,
    };
    let (g, x) = (|| Instance(1, vec![]), |t| Instance(2, vec![t]));
    let hints = |list: &[Hint]| StepHints(list.to_vec());
    let embed = |c, map: &[u32]| Hint::Embed(c, map.to_vec());
    ProofSpace {
        basis: vec![
            triple(&[g()], 0, 2, 1, contradiction()),
            triple(&[g(), x(0)], 1, 1, 0, added),
            triple(&[x(0)], 2, 0, 0, contradiction()),
        ],
        initial: vec![InitialPredicate { predicate: 1, refutation: contradiction() }],
        witness: Some(State {
            globals: vec![Value::Int(Int::from(1))],
            threads: vec![Thread { locals: vec![Value::Int(Int::from(0))], template: 0 }],
        }),
        impossible: vec![],
        predicates: vec![
            Predicate { formula: at_least_one(Op::Global(0)), threads: vec![] },
            Predicate { formula: at_least_one(Op::Local(0, 0)), threads: vec![0] },
        ],
        error_steps: vec![hints(&[embed(0, &[0])])],
        configurations: vec![
            Configuration {
                steps: vec![hints(&[embed(1, &[])])],
                negated: vec![x(0)],
                threads: vec![Slot(0, Some(1))],
            },
            Configuration {
                steps: vec![hints(&[embed(1, &[]), embed(0, &[0])])],
                negated: vec![g()],
                threads: vec![],
            },
        ],
    }
}

/// What a proof space leaves to be refuted.
pub fn obligations(program: &Program, proof: &ProofSpace) -> Vec<Obligation> {
    let budget = Budget::default();
    let predicates = Predicates::new(program, &proof.predicates, &budget).unwrap();
    let mut list = vec![];
    let with = |obligation, _: &Refutation| Ok(list.push(obligation));
    each_obligation(program, &predicates, proof, &budget, with).unwrap();
    list
}

/// What a conformance proof leaves to be refuted.
pub fn conformance(
    pair: &Pair,
    proof: &Conformance,
    budget: &Budget,
) -> Result<Vec<Obligation>, Failure> {
    let mut list = vec![];
    pair.each_obligation(proof, budget, |obligation| Ok(list.push(obligation)))?;
    Ok(list)
}

/// A certificate's bytes.
pub fn certificate(program: &str, proof: Proof) -> Vec<u8> {
    let (_, digest) = core_form::parse(program).unwrap();
    let statement = core_form::statement(program).unwrap();
    cbor::encode(&Certificate {
        proof,
        layers: vec![],
        program: digest,
        version: VERSION,
        statement,
    })
    .unwrap()
}

/// Program and certificate of a stored pair, by its folder and name in `corpus/certificates`.
pub fn stored(name: &str) -> (String, Vec<u8>) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus/certificates/");
    let read = |end: &str| {
        let path = format!("{path}{name}.{end}");
        std::fs::read(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
    };
    (String::from_utf8(read("core")).unwrap(), read("cert"))
}
