//! The basis of the paper's Figure 2 for the thread pool. As printed it is not sufficient: two
//! valid triples are missing, each needed on its own. Completed by them it is.

#[path = "common/basis.rs"]
mod basis;
mod common;

use basis::ByHand;
use threadproof_checker::error::Reason;
use threadproof_format::proof::proof_space::Triple;
use threadproof_format::{Cmp, Int, Op};
use threadproof_producer::certify;
use threadproof_producer::engine::control::Control;

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
