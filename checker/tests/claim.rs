//! What a verdict says, in full (SPEC.md sections 7 and 10): a reader has nothing else.

mod common;

use common::{PROGRAM, certificate, proof, stored};
use std::collections::BTreeSet;
use threadproof_checker::claim::verdict;
use threadproof_checker::error::{Failure, Reason, RefutationReason};
use threadproof_checker::{check, decode};
use threadproof_format::cbor::CborError;
use threadproof_format::proof::Proof;
use threadproof_format::proof::counterexample::{Counterexample, Move, State, Thread};
use threadproof_format::proof::proof_space::ProofSpace;

/// Both texts of the verdict on a program and a proof.
fn said(program: &str, proof: Proof) -> [String; 2] {
    let bytes = certificate(program, proof);
    let result = check(program, &bytes);
    [false, true].map(|json| {
        let (text, code) = verdict(&result, json);
        assert_eq!(code, 0, "{text}");
        text
    })
}

#[test]
fn an_execution_is_told_by_its_threads_its_steps_and_its_end() {
    let program = "core 1; assumption \"a \\ b\"; many t { location l; location m; location w error; \
                   edge l -> m { } edge m -> w { } }";
    let thread = || Thread { locals: vec![], template: 0 };
    let step = |thread, edge| Move { edge, inputs: vec![], thread };
    let run = |threads: usize, schedule| {
        let start = State { globals: vec![], threads: (0..threads).map(|_| thread()).collect() };
        said(program, Proof::Counterexample(Counterexample { start, schedule }))
    };
    let [text, json] = run(1, vec![step(0, 0), step(0, 1)]);
    let statement =
        "unsafe: an execution of 1 thread leads a thread to the error location t.w in 2 steps";
    assert!(text.starts_with(&format!("accepted: {statement}\n")), "{text}");
    assert!(text.contains("  assumption: a \\\\ b\n") && text.contains("counterexample, replayed"));
    assert!(json.contains(&format!("\"safe\":false,\"statement\":\"{statement}\"")), "{json}");
    assert!(
        json.contains("\"error_locations\":[\"t.w\"],\"assumptions\":[\"a \\\\ b\"]"),
        "{json}"
    );
    let [text, _] = run(2, vec![step(1, 0), step(0, 0), step(1, 1)]);
    assert!(text.contains("of 2 threads") && text.contains("in 3 steps"), "{text}");
}

#[test]
fn a_claim_that_says_nothing_says_so() {
    let empty = ProofSpace::default();
    let [text, json] = said("core 1; one t { location l; }", Proof::ProofSpace(empty));
    for note in [
        "the program has no error location: the claim says nothing",
        "no initial state is given: if there is none, the claim says nothing",
    ] {
        assert!(text.contains(&format!("  note: {note}\n")) && json.contains(note), "{text}{json}");
    }
    assert!(text.contains("threads: t: exactly one thread"), "{text}");
    let [text, json] = said(PROGRAM, Proof::ProofSpace(proof()));
    assert!(!text.contains("note:") && json.contains("\"notes\":[]"), "{text}{json}");
    assert!(text.contains("threads: t: any number of threads"), "{text}");
}

/// A layer is told by the templates that it abstracts, and by those of many threads that single ones come to.
#[test]
fn each_layer_is_told_by_its_templates() {
    let first = "abstract threads of Server, Client";
    for (name, layers) in [
        ("abstract_server", &[first, "abstract threads of Server, Listener"][..]),
        (
            "kept_with_another_name",
            &["abstract threads of Server", "abstract threads of Server, Listener"],
        ),
        ("abstract_copy", &["abstract threads of T, Keeper"]),
        ("joined", &["any number of threads t for single ones"]),
    ] {
        let (core, bytes) = stored(&format!("good/{name}"));
        let programs = decode(&bytes).unwrap().layers.into_iter().map(|layer| layer.program);
        let said = layers.iter().zip(programs);
        let said: String = said
            .map(|(what, program)| format!("{what} (program sha256:{program}), then "))
            .collect();
        let proof = check(&core, &bytes).unwrap().proof;
        assert!(proof.starts_with(&format!("{said}proof space: ")), "{proof}");
    }
}

#[test]
fn errors_that_no_path_leads_to_are_noted() {
    let noted = |edges: &str| {
        let program = format!(
            "core 1; many t {{ location l; location m; location v error; location w error; {edges} }}"
        );
        let start =
            State { globals: vec![], threads: vec![Thread { locals: vec![], template: 0 }] };
        let schedule = vec![Move { edge: 0, inputs: vec![], thread: 0 }];
        let run = Proof::Counterexample(Counterexample { start, schedule });
        check(&program, &certificate(&program, run)).unwrap().notes
    };
    let note = |location: &str| format!("no path of t leads to its error location {location}");
    assert_eq!(noted("edge l -> v { }"), [note("w")]);
    assert_eq!(noted("edge l -> w { } edge m -> v { }"), [note("v")]);
    // A path may go round, and through an error location.
    assert!(noted("edge l -> v { } edge l -> m { } edge m -> l { } edge m -> w { }").is_empty());
    assert!(noted("edge l -> v { when true; } edge v -> w { }").is_empty());
}

/// No control character of a text ends up in the line of JSON.
#[test]
fn json_is_one_line_whatever_the_program_says() {
    let program = PROGRAM.replacen("core 1;", "core 1; assumption \"\u{1}\r\t\\\";", 1);
    let [_, json] = said(&program, Proof::ProofSpace(proof()));
    assert!(json.contains(r#""assumptions":["\u0001\u000d\u0009\\"]"#), "{json}");
    assert_eq!(json.find(|c: char| c.is_control()), Some(json.len() - 1), "{json}");
    let failure = || Failure { place: "\"\n".to_owned(), reason: Reason::Version(1) };
    assert_eq!(
        verdict(&Err(failure()), true).0,
        "{\"verdict\":\"declined\",\"category\":\"version\",\
         \"reason\":\"\\\"\\u000a: unknown format version 1\"}\n"
    );
}

fn reasons() -> Vec<Reason> {
    let of_refutations = [
        RefutationReason::UnknownLiteral,
        RefutationReason::ClauseOrder,
        RefutationReason::UnknownClause,
        RefutationReason::NotUnit,
        RefutationReason::NoConflict,
        RefutationReason::UnknownConstraint,
        RefutationReason::Multiplier,
        RefutationReason::NoContradiction,
        RefutationReason::ArrayLemma,
        RefutationReason::AtomForm,
        RefutationReason::NoEmptyClause,
        RefutationReason::UnusedStep,
    ];
    let others = [
        Reason::Limit("work"),
        Reason::Version(7),
        Reason::Encoding(CborError::Limit("nesting")),
        Reason::Encoding(CborError::NotDeterministic(3, "a tag")),
        Reason::Encoding(CborError::Shape("a field".to_owned())),
        Reason::Syntax(1, 2, "a name is needed here".to_owned()),
        Reason::ProgramDigest,
        Reason::Index("local"),
        Reason::Sort("an operand"),
        Reason::Order("threads"),
        Reason::Unused("triple"),
        Reason::Conjunction,
        Reason::DuplicatePredicate,
        Reason::Instance("a thread twice"),
        Reason::Irrelevant,
        Reason::StepOpen,
        Reason::Embedding("of nothing"),
        Reason::Accepting,
        Reason::SingleTwice,
        Reason::Replay("the guard"),
        Reason::Abstraction("a node"),
    ];
    others.into_iter().chain(of_refutations.map(Reason::Refutation)).collect()
}

/// Each reason is told apart from the others, with its own exit code, and names what it is about.
#[test]
fn each_reason_has_words_of_its_own() {
    let mut texts = BTreeSet::new();
    for reason in reasons() {
        let declines = ["limit", "version"].contains(&reason.category());
        assert_eq!(reason.declines(), declines, "{reason}");
        let failure = Failure { place: "step 3".to_owned(), reason: reason.clone() };
        let (text, code) = verdict(&Err(failure), false);
        let word = if declines { "declined" } else { "rejected" };
        let begin = format!("{word} ({}): step 3: ", reason.category());
        assert!(text.starts_with(&begin) && text.len() > begin.len() + 1, "{text}");
        assert_eq!(code, if declines { 2 } else { 1 }, "{text}");
        assert!(texts.insert(reason.to_string()), "{reason} means something else, too");
    }
    for part in ["work", "7", "nesting", "byte 3: a tag", "line 1, column 2", "triple", "the guard"]
    {
        assert!(texts.iter().any(|text| text.contains(part)), "{part}");
    }
}
