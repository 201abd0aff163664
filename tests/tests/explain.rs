//! `threadproof explain`: random error traces of every safe program of the corpus are explained,
//! and each derivation is checked; traces in files, and what is wrong with them.

use serde_json::Value;
use std::path::{Path, PathBuf};
use threadproof_checker::internals::core_form;
use threadproof_format::program::Program;
use threadproof_format::proof::proof_space::*;
use threadproof_format::proof::{Certificate, Proof, VERSION};
use threadproof_format::refutation::Refutation;
use threadproof_format::{Cmp, Expr, Int, Op, cbor};
use threadproof_producer::certify::hints;
use threadproof_producer::control::Control;
use threadproof_producer::explain::trace::Trace;
use threadproof_tests::corpus::corpus;
use threadproof_tests::derivation::Judge;
use threadproof_tests::harness::{arg, root, run, threadproof};

/// Random traces of each program.
const TRACES: &str = "40";

fn prove(file: &str, folder: &Path) -> PathBuf {
    let source = root().join("corpus").join(file);
    let certificate = folder.join(file).with_extension("cert");
    let (code, out, err) = run(threadproof(), &["prove", arg(&source), "-o", arg(&certificate)]);
    assert!(code <= 1, "{file}: {out}{err}");
    certificate
}

fn read(certificate: &Path) -> (Program, ProofSpace) {
    let certificate = threadproof_checker::decode(&std::fs::read(certificate).unwrap()).unwrap();
    let (program, _) = core_form::parse(&certificate.statement).unwrap();
    let Proof::ProofSpace(proof) = certificate.proof else { panic!("no proof space") };
    (program, proof)
}

fn json(arguments: &[&str]) -> Vec<Value> {
    let (code, out, err) = run(threadproof(), arguments);
    assert_eq!(code, 0, "{arguments:?}: {out}{err}");
    let object: Value = serde_json::from_str(&out).unwrap();
    object["traces"].as_array().unwrap().clone()
}

fn lines(trace: &Value) -> String {
    let steps = trace["steps"].as_array().unwrap().iter();
    steps.map(|step| format!("{}\n", step["step"].as_str().unwrap())).collect()
}

#[test]
fn random_traces_of_every_safe_program_are_explained_and_each_derivation_is_right() {
    let folder = tempfile::tempdir().unwrap();
    for entry in corpus().iter().filter(|e| e.safe) {
        let certificate = prove(&entry.file, folder.path());
        let (program, proof) = read(&certificate);
        let judge = Judge::new(&program, &proof);
        let traces = json(&["explain", arg(&certificate), "--random", TRACES, "--json"]);
        assert_eq!(traces.len().to_string(), TRACES);
        for trace in &traces {
            if let Err(why) = judge.check(trace) {
                panic!("{}: {why}\n{}", entry.file, lines(trace));
            }
        }
        let longest = traces.iter().max_by_key(|t| lines(t).len()).unwrap();
        let file = folder.path().join("trace.txt");
        std::fs::write(&file, lines(longest)).unwrap();
        let again = json(&["explain", arg(&certificate), "--trace", arg(&file), "--json"]);
        assert_eq!(again[0]["derivation"], longest["derivation"], "{}", entry.file);
    }
}

/// y is even after a step to b, since x is at most 0 or at least 1; and n counts the threads at b.
const CASES: &str = "core 1;
global x: int;
global y: int;
global n: int;
init n == 0;
many t {
    location a;
    location b;
    location wrong error;
    edge a -> b { y := 2 * x, n := n + 1; }
    edge b -> a { n := n - 1; }
    edge b -> wrong { when y == 1; }
    edge b -> wrong { when n < 1; }
}
";

/// A formula `left cmp right`.
fn compare(left: Op, cmp: Cmp, right: Op) -> Predicate {
    Predicate { formula: Expr(vec![left, right, Op::Cmp(cmp)]), threads: vec![] }
}

/// The certificate of `CASES`. It has two impossible configurations: neither x <= 0 nor x >= 1;
/// and a thread at b, but not #t.b >= 1.
fn certificate_with_cases() -> Vec<u8> {
    let (program, digest) = core_form::parse(CASES).unwrap();
    let int = |i: i64| Op::Int(Int::from(i));
    let (x, y, n, inside) = (Op::Global(0), Op::Global(1), Op::Global(2), Op::Count(0, 1));
    let predicates = vec![
        compare(x.clone(), Cmp::Le, int(0)),
        compare(x, Cmp::Ge, int(1)),
        compare(y.clone(), Cmp::Le, int(0)),
        compare(y, Cmp::Ge, int(2)),
        compare(n, Cmp::Ge, inside.clone()),
        compare(inside, Cmp::Ge, int(1)),
    ];
    let instances = |list: &[u32]| list.iter().map(|p| Instance(*p, vec![])).collect();
    let triple = |pre: &[u32], edge, post| Triple {
        pre: instances(pre),
        edge,
        post,
        acting: 0,
        template: 0,
        refutation: Refutation::default(),
    };
    let configuration = |threads: &[Slot], negated: &[u32]| Configuration {
        steps: vec![],
        negated: instances(negated),
        threads: threads.to_vec(),
    };
    let impossible = |threads: &[Slot], negated: &[u32]| Impossible {
        negated: instances(negated),
        threads: threads.to_vec(),
        refutation: Refutation::default(),
    };
    let at_b = [Slot(0, Some(1))];
    let draft = ProofSpace {
        basis: vec![
            triple(&[1], 0, 3),
            triple(&[2], 0, 4),
            triple(&[3], 2, 0),
            triple(&[4], 2, 0),
            triple(&[5], 0, 5),
            triple(&[5], 1, 5),
            triple(&[5, 6], 3, 0),
        ],
        initial: vec![InitialPredicate { predicate: 5, refutation: Refutation::default() }],
        witness: None,
        impossible: vec![impossible(&[], &[1, 2]), impossible(&at_b, &[6])],
        predicates,
        error_steps: vec![],
        configurations: vec![configuration(&at_b, &[3, 4]), configuration(&[], &[5])],
    };
    let proof = hints::complete(&program, draft, &Control::default()).unwrap();
    assert_eq!(proof.impossible.len(), 2);
    let statement = core_form::statement(CASES).unwrap();
    let proof = Proof::ProofSpace(proof);
    cbor::encode(&Certificate {
        proof,
        layers: vec![],
        program: digest,
        version: VERSION,
        statement,
    })
    .unwrap()
}

/// The certificate with cases and a trace in files, and a judge's verdict on the explanation.
fn explained(trace: &str) -> (String, Value) {
    let folder = tempfile::tempdir().unwrap();
    let (certificate, file) = (folder.path().join("cases.cert"), folder.path().join("trace"));
    std::fs::write(&certificate, certificate_with_cases()).unwrap();
    std::fs::write(&file, trace).unwrap();
    let arguments = ["explain", arg(&certificate), "--trace", arg(&file)];
    let (code, out, err) = run(threadproof(), &arguments);
    assert_eq!(code, 0, "{out}{err}");
    let object = json(&[&arguments[..], &["--json"]].concat()).remove(0);
    let (program, proof) = read(&certificate);
    assert_eq!(Judge::new(&program, &proof).check(&object), Ok(()));
    (out, object)
}

#[test]
fn an_impossible_configuration_gives_cases() {
    let (text, object) = explained("t 7: a -> b\nt 3: a -> b\nt 7: b -> wrong #2\n");
    let cases = &object["derivation"]["cases"];
    assert_eq!(cases["branches"].as_array().unwrap().len(), 2);
    // Only the step before the last one matters.
    assert_eq!(object["derivation"]["points"].as_array().unwrap().len(), 2);
    assert!(text.contains("case 1 of 2 by configuration 3: x <= 0\n        {x <= 0}\n"), "{text}");
    assert!(text.contains("case 2 of 2 by configuration 3: x >= 1\n        {x >= 1}\n"), "{text}");
    assert!(text.contains("   3  x <= 0 || x >= 1\n        after step 1\n"), "{text}");
}

#[test]
fn the_location_axiom_gives_an_assertion_without_cases() {
    let (text, object) = explained("t 7: a -> b\nt 3: a -> b -> a\nt 7: b -> wrong #3\n");
    assert_eq!(object["derivation"].get("cases"), None);
    assert!(text.contains("{n >= #t.b && #t.b >= 1}"), "{text}");
    assert!(text.contains("t 1 at b => #t.b >= 1\n        after step 3: 1 is t 7\n"), "{text}");
}

#[test]
fn the_judge_rejects_derivations_with_mistakes() {
    let folder = tempfile::tempdir().unwrap();
    let certificate = folder.path().join("cases.cert");
    std::fs::write(&certificate, certificate_with_cases()).unwrap();
    let (program, proof) = read(&certificate);
    let judge = Judge::new(&program, &proof);
    let (_, cases) = explained("t 7: a -> b\nt 3: a -> b\nt 7: b -> wrong #2\n");
    let (_, axiom) = explained("t 7: a -> b\nt 3: a -> b -> a\nt 7: b -> wrong #3\n");
    let first = cases["derivation"]["cases"]["branches"][0].clone();
    let edits: [(&Value, &str, Value); 8] = [
        (&cases, "/derivation/cases/branches", Value::Array(vec![first])),
        (&cases, "/derivation/cases/configuration", 1.into()),
        (&cases, "/derivation/cases/branches/0/points/0/0/predicate", 2.into()),
        (&cases, "/derivation/cases/branches/0/points/1/0/by/triple", 1.into()),
        (&axiom, "/derivation/points/3/1/by/threads/0", 1.into()),
        (&axiom, "/derivation/points/1/0/by", "frame".into()),
        (&axiom, "/derivation/points/2", Value::Array(vec![])),
        (&axiom, "/derivation/points/4", Value::Array(vec![])),
    ];
    for (right, place, wrong) in edits {
        let mut edited = right.clone();
        let target = edited.pointer_mut(place).unwrap();
        assert_ne!(*target, wrong, "{place}");
        *target = wrong;
        assert!(judge.check(&edited).is_err(), "{place}: {edited}");
    }
}

#[test]
fn what_is_no_error_trace_is_an_error_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let (certificate, file) = (folder.path().join("cases.cert"), folder.path().join("trace"));
    std::fs::write(&certificate, certificate_with_cases()).unwrap();
    let traces = [
        ("", 1, "does not end at an error location"),
        ("t 1: a -> b\n\n// t 1: b -> a\n", 1, "does not end at an error location"),
        ("t 1: a -> b\nt 1: b -> wrong #2\nt 2: a -> b\n", 3, "continues after"),
        ("t 1: a -> b\n\nt 1: b -> wrong\n", 3, "several edges b -> wrong: add one of #2, #3"),
        ("t 1: a -> b\nt 1: b -> wrong #1\n", 2, "edge #1 of t is not b -> wrong"),
        ("t 1: a -> b\nt 1: a -> b\n", 2, "t 1 is at b, not at a"),
        ("t 1: a -> wrong\n", 1, "t has no edge a -> wrong"),
        ("t 1: a -> c\n", 1, "t has no location `c`"),
        ("u 1: a -> b\n", 1, "unknown thread template `u`"),
        ("t: a -> b\n", 1, "such as `t 2`"),
        ("t 0: a -> b\n", 1, "the number of a thread must be 1, 2, ..."),
        ("t 1 a -> b\n", 1, "the form `worker 2: L1 -> L2 -> L3`"),
        ("t 1: a -> b ->\n", 1, "the form `worker 2: L1 -> L2 -> L3`"),
        ("t 1: a -> b -> wrong #2 -> b\n", 1, "continues after"),
        ("t 1: a -> b -> c\n", 1, "t has no location `c`"),
        ("t 1: a b\n", 1, "the form `worker 2: L1 -> L2 -> L3`"),
    ];
    for (text, line, what) in traces {
        std::fs::write(&file, text).unwrap();
        let (code, out, err) =
            run(threadproof(), &["explain", arg(&certificate), "--trace", arg(&file)]);
        assert_eq!((code, out.as_str()), (3, ""), "{text}");
        assert!(err.contains(&format!("{}: line {line}: ", arg(&file))), "{text}{err}");
        assert!(err.contains(what), "{text}{err}");
    }
}

#[test]
fn a_single_template_has_one_thread_and_no_two_threads_have_one_number() {
    let text = "core 1; one main { location a; location b; location e error; edge a -> b { } edge b -> e { } }
        many s { location a; location e error; edge a -> a { } edge a -> e { } }
        many t { location a; location e error; edge a -> a { } edge a -> e { } }";
    let (program, _) = core_form::parse(text).unwrap();
    let parse = |text: &str| Trace::parse(&program, text).map_err(|e| e.to_string());
    let trace = parse("main: a -> b\ns 4: a -> a\nt 2: a -> a // again\ns 4: a -> e").unwrap();
    let named: Vec<(u32, u32)> = trace.threads.iter().map(|t| (t.template, t.number)).collect();
    assert_eq!(named, [(0, 0), (1, 4), (2, 2)]);
    let lines = trace.lines(&program, 0..4);
    assert_eq!(lines, ["main: a -> b", "s 4: a -> a", "t 2: a -> a", "s 4: a -> e"]);
    assert_eq!(parse(&lines.join("\n")), Ok(trace));
    let path = parse("s 1: a -> a -> a -> e").unwrap();
    assert_eq!((path.steps.len(), path.threads.len()), (3, 1));
    assert_eq!(path.lines(&program, 1..3), ["s 1: a -> a -> e"]);
    assert!(parse("main 1: a -> b").unwrap_err().contains("`main` has only one thread"));
    assert!(parse("s 4: a -> a\nt 4: a -> e").unwrap_err().contains("in use by `s 4`"));
}

#[test]
fn certificates_that_are_no_accepted_proof_are_not_explained() {
    let folder = tempfile::tempdir().unwrap();
    let explain = |certificate: &Path| {
        run(threadproof(), &["explain", arg(certificate), "--random", "1", "--seed", "2"])
    };
    let unsafe_one = prove("introduction_minus.tp", folder.path());
    let (code, _, err) = explain(&unsafe_one);
    assert!(code == 3 && err.contains("is a counterexample"), "{err}");
    let broken = folder.path().join("broken.cert");
    let mut certificate: Certificate = cbor::decode(&certificate_with_cases()).unwrap();
    if let Proof::ProofSpace(proof) = &mut certificate.proof {
        proof.basis.remove(0);
    }
    std::fs::write(&broken, cbor::encode(&certificate).unwrap()).unwrap();
    let (code, out, _) = explain(&broken);
    assert!(code == 1 && out.starts_with("rejected"), "{out}");
    let both = ["explain", arg(&broken), "--random", "1", "--trace", "x"];
    assert_eq!(run(threadproof(), &both).0, 3);
    assert_eq!(run(threadproof(), &["explain", arg(&broken)]).0, 3);
}
