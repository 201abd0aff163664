//! Certificates that have every field of the schema: proofs by hand, with operators, values and
//! steps that real proofs seldom need.

use crate::kinds::proof_space::{VARIABLES, errors};
use crate::kinds::{self, Sample};
use crate::layers;
use std::sync::atomic::AtomicBool;
use threadproof_checker::error::Budget;
use threadproof_checker::internals::abstraction::conformance::Pair;
use threadproof_checker::internals::core_form;
use threadproof_format::program::Program;
use threadproof_format::proof::Certificate;
use threadproof_format::proof::abstraction::{Conformance, Layer, Part};
use threadproof_format::{Digest, Expr, Op, cbor};
use threadproof_producer::certify::invariant::initial_state;
use threadproof_producer::certify::obligations;
use threadproof_producer::certify::refute::refute;
use threadproof_producer::control::Control;
use threadproof_producer::prove::{Plan, Verdict, prove};
use threadproof_producer::source::Source;

/// All samples.
pub fn samples() -> Vec<Sample> {
    let conforms = Sample::new("conforms", &conforms(), conforms_proved());
    let without = without_witness(&conforms);
    let mut all = [kinds::samples(), vec![conforms, without]].concat();
    all.extend(layers::proved().into_iter().map(|l| Sample::new(l.name, &l.core, l.bytes())));
    all.extend(["stack", "stack_no_link"].map(of_the_corpus));
    all
}

/// A certificate with layers that does not show that initial states exist.
fn without_witness(sample: &Sample) -> Sample {
    let mut certificate: Certificate = cbor::decode(&sample.bytes).expect("a certificate");
    certificate.layers[0].witness = None;
    let bytes = cbor::encode(&certificate).expect("bytes");
    Sample { name: "without a witness".to_owned(), core: sample.core.clone(), bytes }
}

/// A program of the corpus, proved anew.
fn of_the_corpus(name: &str) -> Sample {
    let source = crate::harness::root().join("corpus").join(name).with_extension("tp");
    let text = std::fs::read_to_string(&source).expect("a program of the corpus");
    let lowered = threadproof_producer::frontend::tp::lower(name, &text).expect("it is right");
    let core = lowered.core;
    let bytes = proved(&lowered.program, &core);
    Sample { name: name.to_owned(), core, bytes }
}

fn proved(program: &Program, core: &str) -> Vec<u8> {
    let source = Source::with_core(program.clone(), core.to_owned(), Vec::new());
    match prove(&source, &Plan::default(), &Control::default()).verdict {
        Verdict::Certified(_, bytes) => bytes,
        Verdict::Unknown(why) => panic!("{}: {core}", why.reason),
    }
}

fn conforms() -> String {
    let errors = errors();
    format!(
        "core 1; {VARIABLES} init x >= 0 && a[1] == 5 && b[2] && !b[3] && f && z == 4 && k[1] == 5 && k[2] == 0 && k[-7] == 0 && n[4];
        many t {{ local c: int; local d: int[]; local e: bool[]; local s: bool;
            init d[1] == 4 && e[2] && !e[3];
            location idle; location busy; location wrong error;
            {errors}
            edge idle -> busy {{ input u: int; when u > x; x := u, a := a[x := u]; }}
            edge busy -> idle {{ when s; c := c + 1, d := d[c := x], f := !f, s := f; }}
            edge busy -> wrong {{ when x < 0; }}
        }}"
    )
}

/// It knows how x was after its own last step.
const ABSTRACT: &str = "
    many T { local last: int; local flag: bool; init last == x && flag == f;
        location node; location other; location wrong error;
        edge node -> node { last := x, flag := f; }
        edge other -> node { when last < 0; last := x, flag := f; }
        edge node -> node { input u: int; when u > x; x := u, a := a[x := u], last := u, flag := f; }
        edge node -> node { f := !f, last := x, flag := !f; }
        edge node -> wrong { when x < 0; }
    }";

/// A layer whose invariants have each operator.
fn conforms_proved() -> Vec<u8> {
    let core = conforms();
    let abstraction = format!(
        "core 1; {VARIABLES} init x >= 0 && a[1] == 5 && b[2] && !b[3] && f && z == 4 && k[1] == 5 && k[2] == 0 && k[-7] == 0 && n[4]; {ABSTRACT}"
    );
    let concrete = core_form::parse(&core).expect("a program").0;
    let (program, digest) = core_form::parse(&abstraction).expect("a program");
    let budget = &Budget::default();
    let pair = Pair::new((&concrete, 0), (&program, 0), budget).expect("two threads");
    let invariants = vec![invariant(&core), Expr(vec![Op::Local(1, 0)])];
    let mut proof = Conformance { copies: vec![0, 3], invariants, refutations: vec![] };
    let list = obligations::conformance(&pair, &proof, budget).expect("obligations");
    let refuted = list
        .iter()
        .map(|o| refute(o, &AtomicBool::new(false)).unwrap_or_else(|e| panic!("{}: {e}", o.id)));
    proof.refutations = refuted.collect();
    let bytes = proved(&program, &abstraction);
    let mut certificate: Certificate = cbor::decode(&bytes).expect("a certificate");
    let statement = core_form::statement(&core).expect("a program");
    certificate.layers = vec![Layer {
        to: vec![0],
        parts: vec![Part::Abstracted(proof)],
        program: digest,
        witness: initial_state(&concrete),
        statement: certificate.statement,
    }];
    assert!(certificate.layers[0].witness.is_some(), "conforms: an initial state");
    certificate.program = Digest::of([statement.as_bytes()]);
    certificate.statement = statement;
    cbor::encode(&certificate).expect("bytes")
}

/// The first node is a candidate, and what holds of any values of the locals.
fn invariant(core: &str) -> Expr {
    let always = "(c < 2 * c - c + 99999999999999999999 && c >= c - 1 && c > c + -2)
        && (d[c := 3][c] == 3 || e[c := true][c] == false) && !(c != c) && (c <= c || s)
        && 3 * (c / 3) + c % 3 == c";
    let end = core.rfind('}').expect("a template");
    let text = format!("{} edge idle -> idle {{ when {always}; }} }}", &core[..end]);
    let (program, _) = core_form::parse(&text).unwrap_or_else(|e| panic!("{e}"));
    let mut ops = vec![Op::Local(1, 0)];
    ops.extend(program.templates[0].edges.last().expect("an edge").guard.0.clone());
    // The abstract thread's locals, and the other node, which is never a candidate.
    ops.extend([Op::And, Op::Local(2, 1), Op::Bool(true), Op::Or, Op::And]);
    ops.extend([Op::Local(2, 0), Op::Local(2, 0), Op::Cmp(threadproof_format::Cmp::Eq), Op::And]);
    ops.extend([Op::Local(1, 1), Op::Not, Op::And]);
    Expr(ops)
}
