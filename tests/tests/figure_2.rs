//! The basis of the paper's Figure 2 for the thread pool. As printed it is not sufficient: two
//! valid triples are missing, each needed on its own. Completed by them it is. And the traces of
//! Figure 3, explained from it.

use threadproof_checker::error::Reason;
use threadproof_format::proof::proof_space::Triple;
use threadproof_format::{Cmp, Int, Op};
use threadproof_producer::certify;
use threadproof_producer::control::Control;
use threadproof_producer::explain::trace::Trace;
use threadproof_producer::explain::{ExplainError, explain};
use threadproof_producer::report::derivation::Report;
use threadproof_tests::basis::ByHand;
use threadproof_tests::derivation::Judge;

/// Predicates of the figure, by number.
const LOCKED: u32 = 1;
const CLAIMED: u32 = 2; // c(1) <= next
const DONE: u32 = 3; // end(1) <= next
const BEFORE: u32 = 4; // end(1) <= c(2)
const LAST: u32 = 5; // len <= next
const INSIDE: u32 = 6; // c(1) < end(1)
const FINISHED: u32 = 7; // tasks[c(1)] = 1

struct Figure(ByHand);

impl Figure {
    fn new() -> Self {
        let mut pool = ByHand::new("thread_pool.tp");
        let [m, next, len, tasks] = ["m", "next", "len", "tasks"].map(|name| pool.global(name));
        let [c, end, other] = [(0, "c"), (0, "end"), (1, "c")].map(|(t, name)| pool.local(t, name));
        let (le, lt, eq) = (Op::Cmp(Cmp::Le), Op::Cmp(Cmp::Lt), Op::Cmp(Cmp::Eq));
        let one = Op::Int(Int::from(1));
        let formulas = [
            (LOCKED, 0, vec![m]),
            (CLAIMED, 1, vec![c.clone(), next.clone(), le.clone()]),
            (DONE, 1, vec![end.clone(), next.clone(), le.clone()]),
            (BEFORE, 2, vec![end.clone(), other, le.clone()]),
            (LAST, 0, vec![len, next, le]),
            (INSIDE, 1, vec![c.clone(), end, lt]),
            (FINISHED, 1, vec![tasks, c, Op::Select, one, eq]),
        ];
        for (number, arity, formula) in formulas {
            assert_eq!(pool.predicate(arity, &formula), number);
        }
        Figure(pool)
    }

    /// The triples that the figure prints, the acting thread renamed to 0.
    fn printed(&self) -> Vec<Triple> {
        let t = |pre: &[(u32, &[u32])], command, post, acting| {
            self.0.triple(pre, command, post, acting)
        };
        vec![
            t(&[], "when !m; m := true;", LOCKED, 0),
            t(&[(LOCKED, &[])], "when !m; m := true;", 0, 0),
            t(&[], "c := next;", CLAIMED, 1),
            t(&[(CLAIMED, &[0])], "next := next + 10;", CLAIMED, 1),
            t(&[], "end := next;", DONE, 1),
            t(&[(DONE, &[1])], "c := next;", BEFORE, 2),
            t(&[], "when next > len;", LAST, 0),
            t(&[(LAST, &[])], "end := len;", DONE, 1),
            t(&[], "when c < end;", INSIDE, 1),
            t(&[(BEFORE, &[1, 0])], "c := c + 1;", BEFORE, 2),
            t(&[], "tasks := tasks[c := 1];", FINISHED, 1),
            t(&[(FINISHED, &[0])], "when tasks[c] != 1;", 0, 0),
            t(
                &[(FINISHED, &[1]), (INSIDE, &[1]), (BEFORE, &[1, 0])],
                "tasks := tasks[c := 0];",
                FINISHED,
                0,
            ),
            t(
                &[(FINISHED, &[1]), (INSIDE, &[0]), (BEFORE, &[0, 1])],
                "tasks := tasks[c := 0];",
                FINISHED,
                0,
            ),
        ]
    }

    /// The two triples that the figure lacks.
    fn missing(&self) -> [Triple; 2] {
        [
            self.0.triple(&[(DONE, &[1])], "next := next + 10;", DONE, 0),
            self.0.triple(&[(FINISHED, &[1])], "tasks := tasks[c := 1];", FINISHED, 0),
        ]
    }
}

#[test]
fn the_figure_as_printed_is_not_sufficient() {
    let figure = Figure::new();
    assert_eq!(figure.0.close(&figure.printed()), None);
    for one in figure.missing() {
        let basis = [figure.printed(), vec![one]].concat();
        assert_eq!(figure.0.close(&basis), None);
    }
}

#[test]
fn completed_by_two_triples_it_is_accepted_and_without_them_rejected() {
    let figure = Figure::new();
    let basis = [figure.printed(), figure.missing().to_vec()].concat();
    let configurations = figure.0.close(&basis).expect("the completed figure covers every trace");
    let draft = figure.0.draft(basis, configurations);
    let proof = certify::hints::complete(&figure.0.program, draft, &Control::default()).unwrap();
    println!("{} triples, {} configurations", proof.basis.len(), proof.configurations.len());
    assert_eq!(figure.0.verdict(proof.clone()), Ok(()));
    let missing = figure.missing();
    let same = |a: &Triple, b: &Triple| {
        // Completing renumbers predicates, so compare commands and the shape of the triple.
        (a.edge, a.acting, a.pre.len(), a.post != 0) == (b.edge, b.acting, b.pre.len(), b.post != 0)
    };
    for absent in &missing {
        let mut printed = proof.clone();
        let before = printed.basis.len();
        printed.basis.retain(|t| !same(t, absent));
        assert_eq!(printed.basis.len(), before - 1);
        assert_eq!(figure.0.verdict(printed), Err(Reason::StepOpen));
    }
    let mut printed = proof;
    printed.basis.retain(|t| !missing.iter().any(|absent| same(t, absent)));
    assert_eq!(figure.0.verdict(printed), Err(Reason::StepOpen));
}

/// Figure 3 (a), then (b): workers 2 and 9 take their tasks, and 9 starts one of its own before the
/// assertion of 2.
const FIGURE_3: &str = "
    worker 2: L1 -> L2      // lock(m)
    worker 2: L2 -> L3      // c := next
    worker 2: L3 -> L4      // next := next + 10
    worker 2: L4 -> L5      // assume(next <= len)
    worker 2: L5 -> L7      // end := next
    worker 2: L7 -> L8      // unlock(m)
    worker 9: L1 -> L2 -> L3 -> L4 -> L5 -> L7 -> L8

    worker 2: L8 -> L9      // assume(c < end)
    worker 2: L9 -> L10     // tasks[c] := 0
    worker 2: L10 -> L11    // tasks[c] := 1
    worker 9: L8 -> L9
    worker 9: L9 -> L10
    worker 2: L11 -> error_1 // assume(tasks[c] != 1)
";

/// The assertions that the figure prints between the commands.
fn assertions_of_figure_3() -> Vec<Vec<&'static str>> {
    let before = "end(2) <= c(9)";
    let inside = "c(2) < end(2)";
    let done = "tasks[c(2)] == 1";
    let taken = vec!["end(2) <= next"; 3].into_iter().map(|a| vec![a]);
    let claimed = vec![before; 5].into_iter().map(|a| vec![a]);
    let mut points = vec![vec![]; 5];
    points.extend(taken.chain(claimed));
    points.extend([vec![before, inside], vec![before, inside]]);
    points.extend([vec![before, inside, done], vec![before, inside, done]]);
    points.extend([vec![done], vec!["false"]]);
    points
}

#[test]
fn the_trace_of_figure_3_is_explained_as_the_figure_does() {
    let figure = Figure::new();
    let basis = [figure.printed(), figure.missing().to_vec()].concat();
    let proof = figure.0.draft(basis, vec![]);
    let trace = Trace::parse(&figure.0.program, FIGURE_3).unwrap();
    let derivation = explain(&figure.0.program, &proof, &trace).unwrap();
    let report = Report::new(&figure.0.program, &proof, &trace, &derivation).unwrap();
    let json = report.json().unwrap();
    let points = json["derivation"]["points"].as_array().unwrap().iter();
    let texts = points.map(|point| {
        let texts = point.as_array().unwrap().iter().map(|a| a["text"].as_str().unwrap());
        texts.collect::<Vec<&str>>()
    });
    assert_eq!(texts.collect::<Vec<_>>(), assertions_of_figure_3());
    let judge = Judge::new(&figure.0.program, &proof);
    assert_eq!(judge.check(&json), Ok(()));
}

#[test]
fn without_a_triple_that_figure_3_needs_there_is_no_derivation() {
    let figure = Figure::new();
    let trace = Trace::parse(&figure.0.program, FIGURE_3).unwrap();
    let basis = [figure.printed(), figure.missing().to_vec()].concat();
    let explained = |basis: &[Triple]| {
        explain(&figure.0.program, &figure.0.draft(basis.to_vec(), vec![]), &trace)
    };
    assert!(explained(&basis).is_ok());
    // c(2) <= next and the locks' triples are not needed.
    let needed: Vec<bool> = (0..basis.len())
        .map(|absent| {
            let mut fewer = basis.clone();
            fewer.remove(absent);
            explained(&fewer) == Err(ExplainError::NoDerivation)
        })
        .collect();
    let posts: Vec<u32> =
        basis.iter().zip(&needed).filter(|(_, needed)| **needed).map(|(t, _)| t.post).collect();
    assert_eq!(posts, [DONE, BEFORE, INSIDE, FINISHED, 0, FINISHED]);
}
