//! Certificates that have every field of the schema: proofs by hand, with operators, values and
//! steps that real proofs seldom need.

use crate::counting::{self, Draft};
use crate::layers;
use std::sync::atomic::AtomicBool;
use threadproof_checker::error::Budget;
use threadproof_checker::internals::abstraction::conformance::Pair;
use threadproof_checker::internals::core_form;
use threadproof_format::program::Program;
use threadproof_format::proof::abstraction::{Conformance, Layer, Part};
use threadproof_format::proof::counterexample::{Counterexample, Move, State, Thread, Value};
use threadproof_format::proof::proof_space::*;
use threadproof_format::proof::{Certificate, Proof};
use threadproof_format::refutation::Refutation;
use threadproof_format::{Digest, Expr, Int, Op, cbor};
use threadproof_producer::certify::hints::complete;
use threadproof_producer::certify::invariant::initial_state;
use threadproof_producer::certify::obligations;
use threadproof_producer::certify::refute::refute;
use threadproof_producer::control::Control;
use threadproof_producer::prove::{Plan, Verdict, prove};
use threadproof_producer::source::Source;

/// A program in the core form and a certificate about it.
pub struct Sample {
    pub name: String,
    pub core: String,
    pub bytes: Vec<u8>,
}

/// All samples.
pub fn samples() -> Vec<Sample> {
    let sample = |name: &str, core: &str, bytes| Sample {
        name: name.to_owned(),
        core: core.to_owned(),
        bytes,
    };
    let mut all = vec![
        sample("operators", &operators(), operators_proved()),
        sample("conforms", &conforms(), conforms_proved()),
        sample("values", VALUES, counting::certificate(VALUES, Proof::Counterexample(values()))),
    ];
    all.extend(counting::certificates().iter().map(|(n, core, b)| sample(n, core, b.clone())));
    all.extend(layers::proved().into_iter().map(|l| sample(l.name, &l.core, l.bytes())));
    all.push(without_witness(&all[1]));
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

/// What no integers satisfy though all sums of it can be met, and what no arrays do.
const IMPOSSIBLE: [&str; 9] = [
    "27 <= 11 * x + 13 * y && 11 * x + 13 * y <= 45 && -10 <= 7 * x - 9 * y && 7 * x - 9 * y <= 4",
    "27 <= 13 * x + 11 * z && 13 * x + 11 * z <= 45 && -10 <= 7 * z - 9 * x && 7 * z - 9 * x <= 4",
    "x == y && a[x := z][y] != z",
    "x != y && a[x := z][y] != a[y]",
    "x == y && a[x] != a[y]",
    "x == y && f && !b[x := f][y]",
    "x != y && b[x := f][y] && !b[y]",
    "x == y && b[x] && !b[y]",
    "x % 3 > 2",
];

/// What holds of any values: each operator, and an integer beyond 64 bits.
const ALWAYS: &str = "(x < 2 * x - x + 99999999999999999999 && z >= z - 1 && z > z + -2)
    && (a[x := 3][x] == 3 || b[y := true][y] == false) && !(y != y) && true && #t.busy <= #t.busy
    && 3 * (x / 3) + x % 3 == x && (y + 4) / 2 == y / 2 + 2";

const VARIABLES: &str = "global x: int; global y: int; global z: int; global f: bool;
    global a: int[]; global b: bool[]; global k: int[]; global n: bool[];";

fn errors() -> String {
    IMPOSSIBLE.map(|guard| format!("edge idle -> wrong {{ when {guard}; }}\n")).concat()
}

fn operators() -> String {
    let errors = errors();
    format!(
        "core 1; assumption \"none\"; {VARIABLES}
        init x == y && a[1] == 5 && b[2] && !b[3] && a[x] == 7 && f && z == 4 && k[1] == 5 && k[2] == 0 && k[-7] == 0 && n[4];
        many t {{ local c: int; init c >= 0;
            location idle; location busy; location wrong error; location negative error;
            {errors}
            edge idle -> busy {{ when a[x] == 7; c := c + 1; }}
            edge busy -> idle {{ }}
            edge busy -> wrong {{ when !({ALWAYS} || c == c + 1); }}
            edge busy -> wrong {{ when a[y] != 7; }}
            edge busy -> negative {{ when c < 0; }}
        }}"
    )
}

/// A proof with each operator in a predicate, with slots without a location, and a case split.
fn operators_proved() -> Vec<u8> {
    let core = operators();
    let mut draft = Draft::new(&core);
    let always = draft.predicate(&["t"], &format!("{ALWAYS} || c_0 == c_0 + 1"));
    let counted = draft.predicate(&["t"], "c_0 >= 0");
    let seven = draft.predicate(&[], "a[y] == 7");
    for edge in 0..u32::try_from(IMPOSSIBLE.len()).expect("few") {
        draft.proof.basis.push(triple(vec![], edge, 0, 0));
    }
    let first = u32::try_from(IMPOSSIBLE.len()).expect("few");
    draft.proof.basis.extend([
        triple(vec![Instance(counted, vec![0])], first, counted, 1),
        triple(vec![Instance(always, vec![0])], first + 2, 0, 0),
        triple(vec![Instance(seven, vec![])], first + 3, 0, 0),
        triple(vec![Instance(counted, vec![0])], first + 4, 0, 0),
        triple(vec![], first, always, 1),
        triple(vec![], first + 1, always, 1),
    ]);
    draft.initial(always);
    draft.initial(counted);
    draft.initial(seven);
    let anywhere = |negated| (vec![Slot(0, None)], vec![negated]);
    for (threads, negated) in [
        anywhere(Instance(always, vec![0])),
        anywhere(Instance(counted, vec![0])),
        (vec![], vec![Instance(seven, vec![])]),
    ] {
        draft.proof.configurations.push(Configuration { steps: vec![], negated, threads });
    }
    let program = draft.program;
    let proof = complete(&program, draft.proof, &Control::default());
    let mut proof = proof.unwrap_or_else(|e| panic!("operators: {e}"));
    proof.witness = initial_state(&program);
    assert!(proof.witness.is_some(), "operators: an initial state");
    split(&program, &mut proof);
    counting::certificate(&core, Proof::ProofSpace(proof))
}

fn triple(pre: Vec<Instance>, edge: u32, post: u32, acting: u32) -> Triple {
    Triple { pre, edge, post, acting, template: 0, refutation: Refutation::default() }
}

/// The last step to an error is a case distinction on something that always holds.
fn split(program: &Program, proof: &mut ProofSpace) {
    let sure = Expr(vec![
        Op::Local(0, 0),
        Op::Local(0, 0),
        Op::Int(Int::from(1)),
        Op::Add,
        Op::Cmp(threadproof_format::Cmp::Lt),
    ]);
    proof.predicates.push(Predicate { formula: sure, threads: vec![0] });
    let sure = Instance(u32::try_from(proof.predicates.len()).expect("few"), vec![0]);
    proof.impossible.push(Impossible {
        negated: vec![sure.clone()],
        threads: vec![Slot(0, None)],
        refutation: Refutation::default(),
    });
    let impossible = u32::try_from(proof.configurations.len()).expect("few");
    let last = proof.error_steps.last_mut().expect("a step to an error");
    last.0.splice(0..0, [Hint::Split(sure), Hint::Embed(impossible, vec![0])]);
    counting::refute_impossible(program, proof);
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

/// Goes wrong only with certain values of each sort, at the start and as inputs.
const VALUES: &str = "core 1;
global x: int;
global f: bool;
global a: int[];
global b: bool[];
init f && x == 99999999999999999999 && a[3] == 4 && b[1] && !b[5];
one s {
    local n: int[];
    init n[0] == 0;
    location begin;
    location end;
    edge begin -> end { when n[1] == 8; n := n[1 := 9]; }
}
many t {
    local i: int;
    local g: bool;
    local d: int[];
    local e: bool[];
    init i == 3 && !g && d[i] == 6 && !e[0] && e[1] && d[0] == 0;
    location first;
    location second;
    location wrong error;
    edge first -> second {
        input p: int; input q: int[]; input r: bool[]; input h: bool;
        when p == 7 && q[1] == 5 && q[2] == 0 && r[2] && !r[0] && h;
        x := p + i, a := q, b := r, g := h;
    }
    edge second -> wrong { when x == 10 && a[1] == 5 && b[2] && g && #s.end == 1 && #t.second == 1; }
}
";

fn values() -> Counterexample {
    let int = |i: i64| Value::Int(Int::from(i));
    let ints = |list: &[(i64, i64)]| {
        let entries = list.iter().map(|(i, v)| (Int::from(*i), Int::from(*v)));
        Value::IntArray(Int::from(0), entries.collect())
    };
    let bools = |list: &[i64]| {
        Value::BoolArray(false, list.iter().map(|i| (Int::from(*i), true)).collect())
    };
    let big = Value::Int(Int("99999999999999999999".parse().expect("a number")));
    let locals = vec![int(3), Value::Bool(false), ints(&[(3, 6)]), bools(&[1])];
    let inputs = vec![int(7), ints(&[(1, 5)]), bools(&[2]), Value::Bool(true)];
    let start = State {
        globals: vec![big, Value::Bool(true), ints(&[(3, 4)]), bools(&[1]), ints(&[(1, 8)])],
        threads: vec![Thread { locals: vec![], template: 0 }, Thread { locals, template: 1 }],
    };
    let go = |thread, edge, inputs| Move { edge, inputs, thread };
    let schedule = vec![go(1, 0, inputs), go(0, 0, vec![]), go(1, 1, vec![])];
    Counterexample { start, schedule }
}
