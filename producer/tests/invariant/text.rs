//! The text of invariants: what is printed reads back, and errors have a place.

use quickcheck::{Arbitrary, Gen, TestResult, quickcheck};
use threadproof_format::program::Program;
use threadproof_format::{Cmp, Expr, Int, Op};
use threadproof_producer::invariant::{Assertion, Clause, Invariant, parse, print};

/// Names that are words of invariants only elsewhere; globals 0: at, 1: forall, 2: t1, 3: main.x.
const PROGRAM: &str = "core 1;
global at: int;
global forall: bool;
global t1: int[];
many worker { local n: int; local b: bool; location l0; location invariant; location bad error; edge l0 -> invariant { } edge invariant -> bad { when 0 < at; } }
one main { local x: bool[]; location m0; location m1; edge m0 -> m1 { } }
many other { local n: int; location o0; location o1; edge o0 -> o1 { } }
";

fn program() -> Program {
    threadproof_checker::internals::core_form::parse(PROGRAM).expect("a program").0
}

#[derive(Clone, Debug)]
struct Any(Clause);

fn below(g: &mut Gen, n: u32) -> u32 {
    u32::arbitrary(g) % n
}

/// A term of integers.
fn term(g: &mut Gen, depth: u32, threads: &[u32]) -> Vec<Op> {
    match below(g, if depth == 0 { 4 } else { 8 }) {
        0 => vec![Op::Int(Int((i64::from(below(g, 9)) - 4).into()))],
        1 => vec![Op::Global(0)],
        2 => {
            vec![[Op::Count(0, 1), Op::Count(1, 0), Op::Count(2, 1)][below(g, 3) as usize].clone()]
        }
        3 => local(g, threads, 0).unwrap_or_else(|| vec![Op::Global(0)]),
        4 => {
            let mut ops = term(g, depth - 1, threads);
            ops.push(Op::Scale(Int((i64::from(below(g, 9)) - 4).into())));
            ops
        }
        5 => [array(g, depth - 1, threads), term(g, depth - 1, threads), vec![Op::Select]].concat(),
        n => {
            let op = if n == 6 { Op::Add } else { Op::Sub };
            [term(g, depth - 1, threads), term(g, depth - 1, threads), vec![op]].concat()
        }
    }
}

fn array(g: &mut Gen, depth: u32, threads: &[u32]) -> Vec<Op> {
    if depth == 0 || bool::arbitrary(g) {
        return vec![Op::Global(2)];
    }
    let (index, value) = (term(g, depth - 1, threads), term(g, depth - 1, threads));
    [array(g, depth - 1, threads), index, value, vec![Op::Store]].concat()
}

/// A local of a quantified thread: `n`, or (1) the truth value `b` of a worker.
fn local(g: &mut Gen, threads: &[u32], number: u32) -> Option<Vec<Op>> {
    let fits = |t: &u32| number == 0 || *t == 0;
    let fitting: Vec<u32> = (0..).zip(threads).filter(|(_, t)| fits(t)).map(|(i, _)| i).collect();
    Some(vec![Op::Local(*g.choose(&fitting)?, number)])
}

/// A formula over data.
fn data(g: &mut Gen, depth: u32, threads: &[u32]) -> Vec<Op> {
    match below(g, if depth == 0 { 2 } else { 7 }) {
        0 => vec![Op::Global(1)],
        1 => local(g, threads, 1).unwrap_or_else(|| vec![Op::Global(1)]),
        2 => [data(g, depth - 1, threads), vec![Op::Not]].concat(),
        3 => [data(g, depth - 1, threads), data(g, depth - 1, threads), vec![Op::And]].concat(),
        4 => [data(g, depth - 1, threads), data(g, depth - 1, threads), vec![Op::Or]].concat(),
        5 => {
            let element = [vec![Op::Global(3)], term(g, depth - 1, threads), vec![Op::Select]];
            let same = [data(g, depth - 1, threads), vec![Op::Bool(true), Op::Cmp(Cmp::Ne)]];
            [element.concat(), same.concat(), vec![Op::Cmp(Cmp::Eq)]].concat()
        }
        _ => {
            let cmps = [Cmp::Eq, Cmp::Ne, Cmp::Lt, Cmp::Le, Cmp::Gt, Cmp::Ge];
            let cmp = Op::Cmp(cmps[below(g, 6) as usize]);
            [term(g, depth - 1, threads), term(g, depth - 1, threads), vec![cmp]].concat()
        }
    }
}

fn assertion(g: &mut Gen, depth: u32, threads: &[u32]) -> Assertion {
    let some = |g: &mut Gen| (0..2).filter(|_| bool::arbitrary(g)).collect();
    match below(g, if depth == 0 { 4 } else { 7 }) {
        1 if !threads.is_empty() => {
            let thread = below(g, u32::try_from(threads.len()).unwrap_or(1));
            Assertion::At(thread, some(g))
        }
        2 => Assertion::SingleAt(1, some(g)),
        3 if threads.len() > 1 => Assertion::Same(0, 1),
        4 => Assertion::all((0..3).map(|_| assertion(g, depth - 1, threads)).collect::<Vec<_>>()),
        5 => Assertion::any((0..3).map(|_| assertion(g, depth - 1, threads)).collect::<Vec<_>>()),
        6 => assertion(g, depth - 1, threads).negate(),
        _ => Assertion::Data(Expr(data(g, 2, threads))),
    }
}

impl Arbitrary for Any {
    fn arbitrary(g: &mut Gen) -> Self {
        let threads: Vec<u32> = (0..below(g, 4)).map(|_| 2 * below(g, 2)).collect();
        Any(Clause { formula: assertion(g, 3, &threads), threads })
    }
}

quickcheck! {
    fn what_is_printed_reads_back(clauses: Vec<Any>) -> TestResult {
        let program = program();
        let invariant = Invariant { clauses: clauses.into_iter().map(|c| c.0).collect() };
        let text = print::invariant(&program, &invariant);
        match parse(&program, "i.inv", &text) {
            Ok(read) if read == invariant => TestResult::passed(),
            Ok(read) => TestResult::error(format!("{text}\nreads as {read:?}")),
            Err(errors) => TestResult::error(format!("{text}\n{errors}")),
        }
    }
}

/// The text as it is printed again, or the first error with its place.
fn again(text: &str) -> String {
    let program = program();
    match parse(&program, "i.inv", text) {
        Ok(invariant) => print::invariant(&program, &invariant),
        Err(errors) => {
            let first = &errors.items()[0];
            let (line, column) = errors.position(first);
            format!("{line}:{column} {}", first.message)
        }
    }
}

#[test]
fn threads_get_names_that_nothing_else_has() {
    let text = "invariant forall x: worker, y: worker .\n  x != y && x at {l0, invariant} // here\n && main at {m1} ==> at + 2 * x.n < t1[y.n] || #worker.invariant == 0;";
    let expected = "invariant forall t2: worker, t3: worker . t2 != t3 && t2 at {l0, invariant} && main at {m1} ==> at + 2 * t2.n < t1[t3.n] || #worker.invariant == 0;\n";
    assert_eq!(again(text), expected);
}

#[test]
fn implication_binds_weakest_and_to_the_right() {
    let text = "invariant forall ==> main at {m0} ==> at == 0 || forall;";
    assert_eq!(again(text), "invariant !forall || !(main at {m0}) || at == 0 || forall;\n");
}

#[test]
fn errors_have_a_place() {
    for (text, error) in [
        ("invariant at == 0", "1:17 expected `;`, found the end of the file"),
        ("lemma at == 0;", "1:1 expected `invariant`, found `lemma`"),
        ("invariant\nforall x: main . true;", "2:11 there is only one thread of `main`"),
        ("invariant forall at: worker . true;", "1:18 the name `at` is taken"),
        ("invariant forall x: worker, x: worker . true;", "1:29 the name `x` is taken"),
        ("invariant forall x: nobody . true;", "1:21 the program has no thread `nobody`"),
        ("invariant forall x: worker . x at {l0, l9};", "1:40 `worker` has no location `l9`"),
        ("invariant forall x: worker . x.m == 0;", "1:32 `x` has no local `m`"),
        (
            "invariant z == 0;",
            "1:11 `z` is not a global variable, a quantified thread or a single thread",
        ),
        ("invariant at;", "1:11 a formula is needed here"),
        ("invariant at + forall == 1;", "1:16 the operands have different sorts"),
        ("invariant 0 <= at <= 1;", "1:19 comparisons do not chain"),
        ("invariant at * at == 1;", "1:11 one factor must be a constant: terms are linear"),
        ("invariant #worker.l0 == 1;", "1:19 threads are not counted at this location"),
        ("invariant #worker.bad == 0;", "1:19 threads are not counted at this location"),
        (
            "invariant forall x: worker . (x at {l0}) == forall;",
            "1:30 locations and threads cannot be compared with data",
        ),
        ("invariant forall x: worker . x < x;", "1:30 a local of this thread is needed here"),
        ("invariant at[0] == 1;", "1:11 an array is needed here"),
        ("invariant t1[forall] == 1;", "1:14 an integer is needed here"),
        ("invariant main.x[0 := 1][1];", "1:23 a truth value is needed here"),
    ] {
        assert_eq!(again(text), error, "{text}");
    }
}

#[test]
fn deep_nesting_is_an_error() {
    let text = format!("invariant {}at == 0{};", "(".repeat(5000), ")".repeat(5000));
    assert!(again(&text).contains("nested more than"));
}
