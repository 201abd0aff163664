//! Memory stays proportional to the bytes that are read (SPEC.md section 11), where what has to be shown is much longer
//! than they are: the checker runs with little memory.

mod common;

use common::{PROGRAM, certificate, proof, propagate};
use std::process::{Command, Output};
use threadproof_checker::error::Budget;
use threadproof_checker::internals::abstraction::conformance::Pair;
use threadproof_checker::internals::core_form;
use threadproof_checker::internals::obligation::Obligation;
use threadproof_format::proof::abstraction::{Conformance, Layer, Part};
use threadproof_format::proof::proof_space::*;
use threadproof_format::proof::{Certificate, Proof};
use threadproof_format::refutation::Refutation;
use threadproof_format::{Digest, Expr, Op, cbor};

/// Memory that the checker gets, in KiB.
const MEMORY: u64 = 100 << 10;

/// What the checker says of small files, with little memory.
fn checked(name: &str, core: &str, bytes: &[u8]) -> Output {
    assert!(core.len() + bytes.len() < 1 << 20, "{} bytes", core.len() + bytes.len());
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("program"), core).unwrap();
    std::fs::write(folder.join("certificate"), bytes).unwrap();
    let limited = format!("ulimit -v {MEMORY}; exec \"$0\" program certificate");
    let mut command = Command::new("sh");
    command.args(["-c", &limited, env!("CARGO_BIN_EXE_threadproof-check")]).current_dir(folder);
    command.output().unwrap()
}

/// A long predicate that many triples name: the obligations are formed one after the other, and not kept.
#[test]
fn obligations_of_triples_are_not_kept() {
    let mut long = proof();
    let negations = std::iter::repeat_n(Op::Not, 20_000);
    long.predicates[0].formula.0.extend(negations);
    let triple = long.basis[1].clone();
    long.basis.extend(std::iter::repeat_n(triple, 300));
    // The last of the initial predicates is not shown, which is seen after all are formed.
    long.initial[0].refutation = Refutation(vec![]);
    let bytes = certificate(PROGRAM, Proof::ProofSpace(long));
    let output = checked("triples", PROGRAM, &bytes);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(output.stdout.starts_with(b"rejected (refutation)"), "{output:?}");
}

/// The conflict is a clause without literals, or that between the first two units.
fn at_once(obligation: &Obligation) -> Refutation {
    let form = obligation.clausal_form(&Budget::default()).unwrap();
    let empty = (0..).zip(form.clauses()).find(|(_, clause)| clause.is_empty());
    Refutation(vec![empty.map_or_else(|| propagate(&[1, 2]), |(i, _)| propagate(&[i]))])
}

/// Each step of the thread is compared with each edge of the abstract thread.
#[test]
fn obligations_of_layers_are_not_kept() {
    let program = |edge: &str| {
        let edges = edge.repeat(300);
        format!("core 1; global g: int; many t {{ location l; {edges} }}")
    };
    let sum = "g + ".repeat(30);
    let concrete = program("edge l -> l { when false; g := g + 1; }");
    let abstraction = program(&format!("edge l -> l {{ when {sum}1 > g; g := g + 2; }}"));
    let (program, other) =
        (core_form::parse(&concrete).unwrap().0, core_form::parse(&abstraction).unwrap());
    let budget = &Budget::default();
    let pair = Pair::new((&program, 0), (&other.0, 0), budget).unwrap();
    let invariants = vec![Expr(vec![Op::Local(1, 0)])];
    let mut conformance = Conformance { copies: vec![], invariants, refutations: vec![] };
    let list = common::conformance(&pair, &conformance, budget).unwrap();
    let held: usize = list.iter().flat_map(|o| &o.formulas).map(|f| f.0.len()).sum();
    assert!(held * size_of::<Op>() > usize::try_from(MEMORY << 10).unwrap(), "{held} operators");
    conformance.refutations = list.iter().map(at_once).collect();
    let nothing = ProofSpace::default();
    let bytes = certificate(&concrete, Proof::ProofSpace(nothing));
    let mut layered: Certificate = cbor::decode(&bytes).unwrap();
    let statement = core_form::statement(&abstraction).unwrap();
    layered.layers = vec![Layer {
        to: vec![0],
        parts: vec![Part::Abstracted(conformance)],
        program: Digest::of([statement.as_bytes()]),
        witness: None,
        statement,
    }];
    let output = checked("layers", &concrete, &cbor::encode(&layered).unwrap());
    assert_eq!(output.status.code(), Some(4), "{output:?}");
}
