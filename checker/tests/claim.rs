//! What a verdict says, in full (SPEC.md sections 7 and 10): a reader has nothing else.

mod common;

use common::{PROGRAM, certificate, proof, stored};
use std::collections::BTreeSet;
use threadproof_checker::claim::{Claim, Vacuous};
use threadproof_checker::error::{AbstractionReason, Failure, Reason, RefutationReason};
use threadproof_checker::verdict::{Verdict, printable, verdict};
use threadproof_checker::{check, decode};
use threadproof_format::cbor::CborError;
use threadproof_format::proof::counterexample::{Counterexample, Move, State, Thread};
use threadproof_format::proof::proof_space::ProofSpace;
use threadproof_format::proof::{Conclusion, Proof};

/// Both texts of the verdict on a program and a proof that is accepted.
fn said(program: &str, proof: Proof, expected: Verdict) -> [String; 2] {
    let bytes = certificate(program, proof);
    let result = check(program, &bytes);
    [false, true].map(|json| {
        let (text, verdict) = verdict(&result, json);
        assert_eq!(verdict, expected, "{text}");
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
        let run = Proof::Counterexample(Counterexample { start, schedule });
        said(program, run, Verdict::Accepted(Conclusion::ErrorReachable))
    };
    let [text, json] = run(1, vec![step(0, 0), step(0, 1)]);
    let statement =
        "unsafe: an execution of 1 thread leads a thread to the error location t.w in 2 steps";
    assert!(text.starts_with(&format!("accepted: {statement}\n")), "{text}");
    assert!(text.contains("  assumption: a \\ b\n") && text.contains("counterexample, replayed"));
    assert!(
        json.starts_with(&format!(
            "{{\"verdict\":\"accepted\",\"conclusion\":\"error-reachable\",\"safe\":false,\
             \"vacuous\":null,\"statement\":\"{statement}\""
        )),
        "{json}"
    );
    assert!(
        json.contains("\"error_locations\":[\"t.w\"],\"assumptions\":[\"a \\\\ b\"]"),
        "{json}"
    );
    let [text, _] = run(2, vec![step(1, 0), step(0, 0), step(1, 1)]);
    assert!(text.contains("of 2 threads") && text.contains("in 3 steps"), "{text}");
}

/// A thread of a single template that is not listed is there, too, but not one of many threads.
#[test]
fn an_execution_counts_the_threads_that_stay_where_they_are() {
    let program =
        "core 1; one a { location l; } one b { location l; location w error; edge l -> w { } }
                   one c { location l; } many d { location l; }";
    let run = |templates: &[u32], thread| {
        let thread_of = |&template: &u32| Thread { locals: vec![], template };
        let threads = templates.iter().map(thread_of).collect();
        let start = State { globals: vec![], threads };
        let schedule = vec![Move { edge: 0, inputs: vec![], thread }];
        let run = Proof::Counterexample(Counterexample { start, schedule });
        said(program, run, Verdict::Accepted(Conclusion::ErrorReachable))[0].clone()
    };
    let text = run(&[1], 0);
    assert!(
        text.starts_with("accepted: unsafe: an execution of 3 threads leads a thread"),
        "{text}"
    );
}

/// Each of the three ways, with what is told first; a claim is vacuous in the first way that
/// applies.
#[test]
fn a_claim_that_says_nothing_says_so_first() {
    let empty = || Proof::ProofSpace(ProofSpace::default());
    let unwitnessed = Proof::ProofSpace(ProofSpace { witness: None, ..proof() });
    let no_path = "core 1; many t { location l; location w error; edge w -> w { } }";
    for (program, proof, why, word) in [
        (
            "core 1; one t { location l; }",
            empty(),
            "the program has no error location",
            "no-error-location",
        ),
        (no_path, empty(), "no path of the program leads to an error location", "no-error-path"),
        (
            PROGRAM,
            unwitnessed,
            "no initial state is shown, and there may be none",
            "no-initial-state",
        ),
    ] {
        let [text, json] = said(program, proof, Verdict::Vacuous);
        let first = format!("accepted, but vacuous: {why}\n  claim: safe: in every execution, ");
        assert!(text.starts_with(&first), "{text}");
        let first = "{\"verdict\":\"accepted\",\"conclusion\":\"safe\",\"safe\":true,";
        assert!(json.starts_with(&format!("{first}\"vacuous\":\"{word}\",")), "{json}");
    }
    let [text, json] =
        said(PROGRAM, Proof::ProofSpace(proof()), Verdict::Accepted(Conclusion::Safe));
    assert!(text.starts_with("accepted: safe: ") && !text.contains("vacuous"), "{text}");
    assert!(json.contains("\"vacuous\":null") && json.contains("\"notes\":[]"), "{json}");
    assert!(text.contains("threads: t: any number of threads"), "{text}");
}

/// The weaker conclusion is told as such: as text, as JSON and by its exit code. (No kind of proof
/// has it yet, so the claim is another one's.)
#[test]
fn each_conclusion_has_its_words_and_its_exit_code() {
    let bytes = certificate(PROGRAM, Proof::ProofSpace(proof()));
    let claim = check(PROGRAM, &bytes).unwrap();
    let within = Conclusion::SafeWithin { rounds: 3 };
    let mut codes = BTreeSet::new();
    for (conclusion, code, json) in [
        (Conclusion::Safe, 0, "\"safe\",\"safe\":true,"),
        (within, 5, "\"safe-within\",\"rounds\":3,\"safe\":false,"),
        (Conclusion::ErrorReachable, 6, "\"error-reachable\",\"safe\":false,"),
    ] {
        let result = Ok(Claim { conclusion, ..claim.clone() });
        let (text, said) = verdict(&result, true);
        let first = format!("{{\"verdict\":\"accepted\",\"conclusion\":{json}\"vacuous\":null,");
        assert!(text.starts_with(&first), "{text}");
        assert_eq!((said, said.code()), (Verdict::Accepted(conclusion), code));
        assert!(codes.insert(code));
    }
    let vacuous = Claim { conclusion: within, vacuous: Some(Vacuous::NoErrorPath), ..claim };
    assert_eq!(verdict(&Ok(vacuous), false).1.code(), 4);
    for refused in [Verdict::Rejected, Verdict::Declined, Verdict::BadInput, Verdict::Vacuous] {
        assert!(codes.insert(refused.code()), "{refused:?}");
    }
    assert_eq!(codes, BTreeSet::from([0, 1, 2, 3, 4, 5, 6]));
}

/// Of several error locations, one that a path reaches is content enough; the others are noted.
#[test]
fn one_error_location_with_a_path_is_enough() {
    let more = PROGRAM.replace("wrong error;", "wrong error; location other error;");
    let bytes = certificate(&more, Proof::ProofSpace(proof()));
    let claim = check(&more, &bytes).unwrap();
    assert_eq!((claim.vacuous, claim.errors.len()), (None, 2));
    assert_eq!(claim.notes, ["no path of t leads to its error location other"]);
    let split = more
        .replace("edge write -> wrong", "edge read -> other { when false; } edge write -> wrong");
    let claim = check(&split, &certificate(&split, Proof::ProofSpace(proof())));
    assert!(claim.is_err(), "an edge that cannot be taken is an edge for all that");
    let second = "core 1; many s { location l; location w error; } one t { location l; }";
    let empty = Proof::ProofSpace(ProofSpace::default());
    let claim = check(second, &certificate(second, empty)).unwrap();
    assert_eq!(claim.vacuous, Some(Vacuous::NoErrorPath));
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

/// Names, assumptions and places are ASCII, but a reason may have parts of the certificate.
#[test]
fn what_is_printed_is_printable_ascii() {
    let strange = "it's\r\"\u{1b}[2K\u{202e}\u{f6}\\\u{1f600}\u{7f}\n";
    assert_eq!(printable(strange), "it's\\r\"\\u{1b}[2K\\u{202e}\\u{f6}\\\\\\u{1f600}\\u{7f}\\n");
    let reason = || Reason::Encoding(CborError::Shape(strange.to_owned()));
    let failure = || Err(Failure { place: "certificate".to_owned(), reason: reason() });
    for json in [false, true] {
        let (text, _) = verdict(&failure(), json);
        let line = text.strip_suffix('\n').unwrap();
        assert!(line.bytes().all(|b| (b' '..=b'~').contains(&b)), "{text}");
    }
    assert!(verdict(&failure(), true).0.contains(r#""\\u{202e}\\u{f6}"#.trim_matches('"')));
    let tab = PROGRAM.replacen("core 1;", "core 1; assumption \"a\tb\\\";", 1);
    let [text, json] = said(&tab, Proof::ProofSpace(proof()), Verdict::Accepted(Conclusion::Safe));
    assert!(json.contains(r#""assumptions":["a\u0009b\\"]"#), "{json}");
    assert!(text.contains("  assumption: a\tb\\\n"), "{text}");
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
        Reason::Encoding(CborError::Version(7)),
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
        Reason::Abstraction(AbstractionReason::Kept),
    ];
    others.into_iter().chain(of_refutations.map(Reason::Refutation)).collect()
}

/// Each reason is told apart from the others, with its own verdict, and names what it is about.
#[test]
fn each_reason_has_words_of_its_own() {
    let mut texts = BTreeSet::new();
    for reason in reasons() {
        let declines = ["limit", "version"].contains(&reason.category());
        let failure = Failure { place: "step 3".to_owned(), reason: reason.clone() };
        let (text, said) = verdict(&Err(failure), false);
        let word = if declines { "declined" } else { "rejected" };
        let begin = format!("{word} ({}): step 3: ", reason.category());
        assert!(text.starts_with(&begin) && text.len() > begin.len() + 1, "{text}");
        assert_eq!(said, if declines { Verdict::Declined } else { Verdict::Rejected }, "{text}");
        assert!(texts.insert(reason.to_string()), "{reason} means something else, too");
    }
    for part in ["work", "7", "nesting", "byte 3: a tag", "line 1, column 2", "triple", "the guard"]
    {
        assert!(texts.iter().any(|text| text.contains(part)), "{part}");
    }
}

/// Without a program nothing is rejected; limits of a program are limits.
#[test]
fn a_text_that_is_no_program_is_bad_input() {
    let result = check("global int g;", &[]);
    assert_eq!(
        verdict(&result, false),
        (
            "bad input (syntax): program: line 1, column 1: `core` is needed here\n".into(),
            Verdict::BadInput
        )
    );
    let json = "{\"verdict\":\"bad-input\",\"category\":\"syntax\",\"reason\":\"program: line 1, ";
    assert!(verdict(&result, true).0.starts_with(json));
    let long = check(&format!("core 1; global {}: int;", "x".repeat(1_001)), &[]);
    let (text, said) = verdict(&long, false);
    assert_eq!(said, Verdict::Declined, "{text}");
    assert!(text.starts_with("declined (limit): program: over the limit: characters"), "{text}");
}
