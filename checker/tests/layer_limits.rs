//! Layers that are small and ask for much: all work is counted, and what is held is bounded (SPEC.md sections 11 and 12).

mod common;

use threadproof_checker::error::{Budget, Failure, Reason};
use threadproof_checker::internals::abstraction::conformance::Pair;
use threadproof_checker::internals::core_form::parse;
use threadproof_format::limits::{MAX_HELD, MAX_OPS};
use threadproof_format::proof::abstraction::Conformance;
use threadproof_format::{Cmp, Expr, Op};

const HELD: Reason = Reason::Limit("elements held at one time");
const OPERATORS: Reason = Reason::Limit("operators of a formula");

/// A thread with these lines; one location, and an error location.
fn thread(globals: &str, lines: &str) -> String {
    let locations = "location l; location e error;";
    let (locals, edges) = lines.split_once('|').unwrap_or(("", lines));
    format!("core 1; {globals} many t {{ {locals} {locations} {edges} }}")
}

/// Forms all obligations; gives how much work that was.
fn form(concrete: &str, abstraction: &str, proof: &Conformance) -> Result<u64, Failure> {
    let (concrete, abstraction) = (parse(concrete).unwrap().0, parse(abstraction).unwrap().0);
    let budget = Budget::default();
    let before = budget.left();
    let pair = Pair::new((&concrete, 0), (&abstraction, 0), &budget)?;
    common::conformance(&pair, proof, &budget)?;
    Ok(before - budget.left())
}

fn conformance(copies: Vec<u32>, invariant: Vec<Op>) -> Conformance {
    Conformance { copies, invariants: vec![Expr(invariant)], refutations: vec![] }
}

fn truth() -> Conformance {
    conformance(vec![], vec![Op::Bool(true)])
}

fn edges(n: usize, edge: &str) -> String {
    edge.repeat(n)
}

/// All pairs of edges, or of candidates and edges, are looked at, and each of them counts.
#[test]
fn each_look_at_an_edge_counts() {
    let n = 300;
    let square = u64::try_from(n * n).unwrap();
    let idle = thread("", &edges(n, "edge l -> l { }"));
    let wrong = thread("", &edges(n, "edge l -> e { }"));
    for concrete in [&idle, &wrong] {
        for abstraction in [&idle, &wrong] {
            assert!(form(concrete, abstraction, &truth()).unwrap() >= square);
        }
    }
    // Candidates without an edge to them, and edges that lead elsewhere.
    let nodes: String = (0..n).map(|i| format!("location n{i};")).collect();
    let many = format!("core 1; many t {{ location l; {nodes} {} }}", edges(n, "edge l -> l { }"));
    let some = (1..u32::try_from(n).unwrap()).map(|x| Op::Local(1, x));
    let or = std::iter::repeat_n(Op::Or, n - 2);
    let proof = conformance(vec![], some.chain(or).collect());
    let one = "core 1; many t { location l; edge l -> l { } }";
    assert!(form(one, &many, &proof).unwrap() >= square - 2 * 300);
}

/// The updates of the thread's step are gone through for each edge of the abstract thread.
#[test]
fn each_look_at_an_update_counts() {
    let n = 300;
    let locals: String = (0..n).map(|i| format!("local v{i}: int;")).collect();
    let updates: Vec<String> = (0..n).map(|i| format!("v{i} := 0")).collect();
    let lines = format!("{locals}| edge l -> l {{ {}; }}", updates.join(","));
    let concrete = thread("", &lines);
    let abstraction = thread("", &edges(n, "edge l -> l { }"));
    let proof = conformance(vec![], vec![Op::Local(1, 0)]);
    assert!(form(&concrete, &abstraction, &proof).unwrap() >= u64::try_from(n * n).unwrap());
}

/// Both threads are taken out of their programs, with all that they have.
#[test]
fn the_size_of_a_template_counts() {
    let sum = |n| format!("edge e -> e {{ when {}0 == 0; }}", "0 + ".repeat(n));
    let work = |n| form(&thread("", &sum(n)), &thread("", ""), &truth()).unwrap();
    assert!(work(1001) >= work(1) + 2000);
    let work = |n| form(&thread("", ""), &thread("", &sum(n)), &truth()).unwrap();
    assert!(work(1001) >= work(1) + 2000);
}

/// g := 0 + 0 + ... + 0, in so many operators (an odd number), by the thread alone.
fn long_update(operators: usize) -> String {
    let sum = format!("0{}", " + 0".repeat((operators - 1) / 2));
    thread("global g: int;", &format!("edge l -> l {{ g := {sum}; }}"))
}

/// Many locals of the abstract thread copy one global, whose new value is long.
#[test]
fn new_values_of_copied_globals_are_bounded() {
    let copies = |n: usize| {
        let locals: String = (0..n).map(|i| format!("local v{i}: int;")).collect();
        let proof = conformance(vec![0; n], vec![Op::Bool(true)]);
        form(&long_update(1023), &thread("global g: int;", &format!("{locals}|")), &proof)
    };
    assert!(copies(MAX_HELD / 1023).is_ok());
    assert_eq!(copies(MAX_HELD / 1023 + 1).unwrap_err().reason, HELD);
}

/// The relations of all edges that lead to a candidate are held together.
#[test]
fn relations_are_bounded() {
    // With its guard, its source and the equality of g a relation has so many operators.
    let (sum, of_one) = ("0 + ".repeat(500), 1001 + 2 + 1 + 1 + 5);
    let abstraction = |n: usize| {
        let edge = format!("edge l -> l {{ when {sum}0 == 0; }}");
        thread("global g: int;", &edges(n, &edge))
    };
    let concrete = thread("global g: int;", "edge l -> l { g := g + 1; }");
    let proof = conformance(vec![], vec![Op::Local(1, 0)]);
    let below = MAX_HELD / of_one;
    assert!(form(&concrete, &abstraction(below - 20), &proof).is_ok());
    let failure = form(&concrete, &abstraction(below + 20), &proof).unwrap_err();
    assert_eq!(failure.reason, HELD);
}

/// Operators of an invariant, as it is and after the step.
#[test]
fn operators_of_an_invariant_are_bounded() {
    let idle = thread("global g: int;", "edge l -> l { }");
    // true && true && ... in so many operators (an odd number).
    let long = |operators: usize| {
        let rest = std::iter::repeat_n([Op::Bool(true), Op::And], operators / 2);
        conformance(vec![], [Op::Bool(true)].into_iter().chain(rest.flatten()).collect())
    };
    assert!(form(&idle, &idle, &long(MAX_OPS - 1)).is_ok());
    let failure = form(&idle, &idle, &long(MAX_OPS + 1)).unwrap_err();
    assert_eq!(failure.reason, OPERATORS);

    // The copy of g is mentioned often, and becomes a long sum.
    let copying = thread("global g: int;", "local c: int; init c == g; |");
    let mentions = |n: usize| {
        let one = [Op::Local(2, 0), Op::Local(2, 0), Op::Cmp(Cmp::Eq)];
        let rest = std::iter::repeat_n([one.as_slice(), &[Op::And]].concat(), n - 1).flatten();
        conformance(vec![0], one.iter().cloned().chain(rest).collect())
    };
    // Of n comparisons, 2n mentions of 1023 operators each, and 2n - 1 others.
    let most = (MAX_OPS + 1) / (2 * 1023 + 2);
    assert!(form(&long_update(1023), &copying, &mentions(most)).is_ok());
    let failure = form(&long_update(1023), &copying, &mentions(most + 1)).unwrap_err();
    assert_eq!(failure.reason, OPERATORS);
}

/// A relation that an array leaves out takes work as well: its guard is formed first.
#[test]
fn relations_that_are_left_out_count() {
    let work = |terms: usize| {
        let guard = format!("when {}0 == 0;", "0 + ".repeat(terms));
        let abstraction = format!("edge l -> l {{ {guard} a := a[0 := 1]; }}");
        let (step, wanted) = ("edge l -> l { a := a[0 := 2]; }", vec![Op::Local(1, 0)]);
        let program = |edge| thread("global a: int[];", edge);
        form(&program(step), &program(&abstraction), &conformance(vec![], wanted)).unwrap()
    };
    // The operators are read, copied out of the program, and substituted.
    assert!(work(1001) >= work(1) + 3 * 2000);
}
