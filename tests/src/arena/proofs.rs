//! What a proof space is about, its predicates and its triples (SPEC.md sections 7, 8.1 and 8.2),
//! on the paper's introduction and on a program with a single template.

use super::pair::{Pair, contradiction, fill, int, run, state};
use super::{Arena, Group, Why};
use crate::counting::Draft;
use crate::introduction;
use threadproof_format::proof::Proof;
use threadproof_format::proof::counterexample::Value;
use threadproof_format::proof::proof_space::*;
use threadproof_format::{Cmp, Expr, Int, Op};

/// One thread of `s` and any of `r`.
pub const SINGLE: &str = "core 1;
global n: int;
init n == 0;
one s {
    local k: int;
    init k == 1;
    location a;
    location b;
    location wrong error;
    edge a -> b { n := n + k; }
    edge b -> wrong { when n != 1; }
}
many r {
    local y: int;
    init y >= 0;
    location a;
    location b;
    edge a -> b { n := n; }
}
";

fn single() -> Pair {
    let mut p = Draft::new(SINGLE);
    let after = p.predicate(&[], "n == 1");
    let before = p.predicate(&[], "n == 0");
    // `k` is a global to the proof, but no name of the text's last template.
    let formula = Expr(vec![Op::Global(1), Op::Int(Int::from(1)), Op::Cmp(Cmp::Eq)]);
    p.proof.predicates.push(Predicate { formula, threads: vec![] });
    let one = before + 1;
    p.triple(&[(after, &[])], "s.b -> wrong", 0, 0);
    p.triple(&[(before, &[]), (one, &[])], "s.a -> b", after, 0);
    p.triple(&[(after, &[])], "r.a -> b", after, 0);
    p.triple(&[(before, &[])], "r.a -> b", before, 0);
    p.configuration(&["s.b"], &[(after, &[])]);
    p.configuration(&["s.a"], &[(before, &[])]);
    p.configuration(&[], &[(one, &[])]);
    p.initial(before);
    p.initial(one);
    let embed = |number, slots: &[u32]| Hint::Embed(number, slots.to_vec());
    let mut proof = p.proof;
    proof.error_steps = vec![StepHints(vec![embed(0, &[0])])];
    proof.configurations[0].steps = vec![StepHints(vec![embed(1, &[0]), embed(2, &[])])];
    proof.witness = Some(state(&[int(0), int(1)], &[(1, &[int(0)])]));
    let mut pair = Pair::new(SINGLE, Proof::ProofSpace(proof));
    fill(&mut pair);
    pair
}

/// Terms of all operators.
const OPERATORS: &str = "core 1;
global a: int[];
global n: int;
init a[0] > 2 * n - 1;
many t {
    location x;
    location wrong error;
    edge x -> x { a := a[1 := n]; }
    edge x -> wrong { when a[5 := n][0] <= 2 * n - 1; }
}
";

fn operators() -> Pair {
    let mut p = Draft::new(OPERATORS);
    let above = p.predicate(&[], "a[5 := n][0] > 2 * n - 1");
    p.triple(&[(above, &[])], "t.x -> x", above, 0);
    p.triple(&[(above, &[])], "t.x -> wrong", 0, 0);
    p.configuration(&[], &[(above, &[])]);
    p.initial(above);
    p.proof.error_steps = vec![StepHints(vec![Hint::Embed(0, vec![])])];
    let mut pair = Pair::new(OPERATORS, Proof::ProofSpace(p.proof));
    fill(&mut pair);
    pair
}

/// A proof without predicates of a program whose error cannot be reached.
fn nothing(program: &str) -> Pair {
    let mut pair = Pair::new(introduction::PROGRAM, Proof::ProofSpace(introduction::proof()));
    pair.restate(&[(introduction::PROGRAM, program)]);
    let proof = pair.space();
    proof.basis.clear();
    proof.initial.clear();
    proof.predicates.clear();
    proof.error_steps.clear();
    proof.configurations.clear();
    proof.witness = None;
    pair
}

/// A proof that no thread comes to location 2 of the first template, from where one may be wrong.
fn after_nowhere(program: &str) -> Pair {
    let mut pair = nothing(program);
    let there = vec![Slot(0, Some(2))];
    let proof = pair.space();
    proof.configurations = vec![Configuration { steps: vec![], negated: vec![], threads: there }];
    proof.error_steps = vec![StepHints(vec![Hint::Embed(0, vec![0])])];
    pair
}

/// Adds the cases.
pub fn add(arena: &mut Arena) {
    let space = Pair::new(introduction::PROGRAM, Proof::ProofSpace(introduction::proof()));
    arena.good("introduction", "8", "the introduction of the proof spaces paper", space.clone());
    let mut without = space;
    without.space().witness = None;
    arena.good("no_witness", "7.5", "accepted, but vacuous: no witness", without);
    let safe = "core 1;\nmany t {\n    location a;\n    edge a -> a { }\n}\n";
    arena.good("no_error", "7.5", "accepted, but vacuous: no error location", nothing(safe));
    let apart = safe.replace("a;", "a; location wrong error; location b;");
    let apart = apart.replace("}\n}", "}\n    edge b -> wrong { }\n}");
    let shows = "accepted, but vacuous: no path leads to the error location";
    arena.good("no_path", "7.5", shows, after_nowhere(&apart));
    let other = "location wrong error; location other error;";
    let core = introduction::PROGRAM.replace("location wrong error;", other);
    let shows = "a path leads to one of two error locations, so this is not vacuous";
    arena.good(
        "path_to_one_error",
        "7.7",
        shows,
        Pair::new(&core, Proof::ProofSpace(introduction::proof())),
    );
    arena.good("operators", "3.1", "arrays, differences and multiples", operators());
    arena.good("single", "8", "a single template, its locals and initial condition", single());
    identity(arena);
    predicates(arena);
    triples(arena);
    preconditions(arena);
}

fn identity(arena: &mut Arena) {
    const OTHER: Why<'static> = ("digest", "the certificate is about another program");
    let minus = [("g := g + x", "g := g - x")];
    let wrong = introduction::PROGRAM.replacen(minus[0].0, minus[0].1, 1);
    let moves: [(u32, u32, &[Value]); 4] = [(0, 0, &[]), (0, 1, &[]), (0, 0, &[]), (0, 2, &[])];
    let execution = run(&wrong, &[int(1)], &[(0, &[int(0)])], &moves);
    let mut group = arena.on("introduction", "7");
    let trap = "the certificate is about another program, one that is safe";
    group.swapped("swapped_program", OTHER, trap, &wrong);
    group.refuted(execution);
    let trap = "statement and digest are the wrong program's, the proof is not";
    let why = ("refutation", "triple 1: not a refutation");
    group.bad("readdressed_certificate", why, trap, |pair| pair.restate(&minus));
    group.refuted_by("swapped_program_unsafe");
    group.bad("wrong_digest", OTHER, "a bit of the digest is another", |pair| {
        pair.certificate.program.0[0] ^= 1;
    });
    group.bad("statement_of_another_program", OTHER, "the digest is right, the text is not", |p| {
        p.certificate.statement = p.certificate.statement.replacen('+', "-", 1);
    });
    group.bad("statement_with_a_space", OTHER, "the statement is tokens and line feeds", |pair| {
        pair.certificate.statement.push(' ');
    });
    let why = ("version", "unknown format version");
    group.bad("later_version", why, "a version to come", |pair| pair.certificate.version += 1);
    group.bad("version_zero", why, "a version that never was", |pair| pair.certificate.version = 0);
}

/// A bad predicate: the case's name, the reason, the trap, the formula and its threads.
type Row = (&'static str, Why<'static>, &'static str, Vec<Op>, Vec<u32>);

fn predicates(arena: &mut Arena) {
    let mut group = arena.on("introduction", "8.1");
    let threads = vec![0; 7];
    let why = ("limit", "thread positions of a predicate");
    let seven = ("predicate_of_seven_threads", why, "a limit", vec![Op::Bool(true)], threads);
    let rows = useless().into_iter().chain(unknown_parts()).chain(badly_sorted());
    rows.chain([seven]).for_each(|row| with_predicate(&mut group, row));
    let why = ("duplicate-predicate", "predicate 3: a predicate that is listed already");
    group.bad("predicate_twice", why, "two predicates are the same", |pair| {
        let again = pair.space().predicates[0].clone();
        pair.space().predicates.push(again);
    });
    wrong_operands().into_iter().for_each(|row| with_predicate(&mut group, row));
    with_predicate(&mut arena.on("operators", "3.2"), wrong_write());
    let why = ("instance", "a position of a single template");
    let name = "predicate_of_a_single_template";
    let row = (name, why, "positions are for `many`", vec![Op::Bool(true)], vec![0]);
    with_predicate(&mut arena.on("single", "8.1"), row);
}

fn with_predicate(group: &mut Group<'_>, (name, why, trap, formula, threads): Row) {
    group.bad(name, why, trap, |pair| {
        pair.space().predicates.push(Predicate { formula: Expr(formula), threads });
    });
}

/// x of a thread is below g.
fn above() -> Vec<Op> {
    vec![Op::Local(0, 0), Op::Global(0), Op::Cmp(Cmp::Lt)]
}

/// An operand equals 1.
fn is_one(operand: Op) -> Vec<Op> {
    vec![operand, Op::Int(Int::from(1)), Op::Cmp(Cmp::Eq)]
}

/// Predicates that a proof has no use for.
fn useless() -> [Row; 3] {
    let both = vec![Op::Bool(true), Op::Bool(false), Op::And];
    [
        (
            "predicate_is_a_conjunction",
            ("conjunction", "a predicate that is a conjunction"),
            "condition 1",
            both,
            vec![],
        ),
        (
            "predicate_is_false",
            ("duplicate-predicate", "a predicate that is listed already"),
            "`false` is number 0",
            vec![Op::Bool(false)],
            vec![],
        ),
        (
            "predicate_that_nobody_names",
            ("unused", "predicate 3: nothing uses this predicate"),
            "nothing is about it",
            above(),
            vec![0],
        ),
    ]
}

/// Predicates about what the program does not have.
fn unknown_parts() -> [Row; 5] {
    [
        (
            "predicate_of_an_unknown_template",
            ("index", "names no template"),
            "there is one template",
            above(),
            vec![1],
        ),
        (
            "predicate_of_an_unknown_position",
            ("index", "names no thread position"),
            "no position, and a local",
            above(),
            vec![],
        ),
        (
            "predicate_of_an_unknown_local",
            ("index", "names no local"),
            "t has one local",
            is_one(Op::Local(0, 1)),
            vec![0],
        ),
        (
            "predicate_of_an_unknown_global",
            ("index", "names no global"),
            "there is one global",
            is_one(Op::Global(1)),
            vec![],
        ),
        (
            "predicate_of_an_input",
            ("index", "names no input"),
            "inputs are a command's",
            is_one(Op::Input(0)),
            vec![],
        ),
    ]
}

/// Predicates whose formulas are no formulas.
fn badly_sorted() -> [Row; 5] {
    [
        (
            "predicate_that_is_a_number",
            ("sort", "another sort is needed"),
            "an integer is no formula",
            vec![Op::Local(0, 0)],
            vec![0],
        ),
        (
            "predicate_without_operators",
            ("sort", "not one expression"),
            "nothing is left on the stack",
            vec![],
            vec![],
        ),
        (
            "predicate_with_two_values",
            ("sort", "not one expression"),
            "two values are left",
            vec![Op::Bool(true), Op::Bool(true)],
            vec![],
        ),
        (
            "predicate_without_an_operand",
            ("sort", "missing operand"),
            "the stack is empty",
            vec![Op::Not],
            vec![],
        ),
        (
            "predicate_that_compares_truth_with_a_number",
            ("sort", "operand of the wrong sort"),
            "an operand of another sort",
            is_one(Op::Bool(true)),
            vec![],
        ),
    ]
}

/// Predicates with an operator on operands that it is not for.
fn wrong_operands() -> [Row; 6] {
    let missing = ("sort", "not well sorted: missing operand");
    [
        (
            "predicate_that_divides_by_one",
            ("sort", "operand of the wrong sort"),
            "the divisor is at least 2",
            vec![
                Op::Int(Int::from(1)),
                Op::Div(Int::from(1)),
                Op::Int(Int::from(1)),
                Op::Cmp(Cmp::Eq),
            ],
            vec![],
        ),
        (
            "predicate_with_the_remainder_by_zero",
            ("sort", "operand of the wrong sort"),
            "the divisor is at least 2",
            vec![
                Op::Int(Int::from(1)),
                Op::Mod(Int::from(0)),
                Op::Int(Int::from(1)),
                Op::Cmp(Cmp::Eq),
            ],
            vec![],
        ),
        (
            "comparison_without_an_operand",
            missing,
            "two operands",
            vec![Op::Bool(true), Op::Cmp(Cmp::Eq)],
            vec![],
        ),
        (
            "read_without_an_operand",
            missing,
            "two operands",
            vec![Op::Int(Int::from(0)), Op::Select],
            vec![],
        ),
        (
            "predicate_that_orders_truth_values",
            ("sort", "operand of the wrong sort"),
            "`<` is on integers",
            vec![Op::Bool(true), Op::Bool(true), Op::Cmp(Cmp::Lt)],
            vec![],
        ),
        (
            "predicate_that_reads_a_number",
            ("sort", "reading what is no array"),
            "`[]` is on arrays",
            vec![Op::Global(0), Op::Int(Int::from(0)), Op::Select],
            vec![],
        ),
    ]
}

/// A predicate that writes a truth value into an array of integers.
fn wrong_write() -> Row {
    let zero = || Op::Int(Int::from(0));
    let write = [Op::Global(0), zero(), Op::Bool(true), Op::Store];
    let read = [zero(), Op::Select, zero(), Op::Cmp(Cmp::Eq)];
    let why = ("sort", "predicate 2: not well sorted: operand of the wrong sort");
    let name = "predicate_that_writes_a_truth_value";
    (name, why, "into an array of integers", [write, read].concat(), vec![])
}

fn triples(arena: &mut Arena) {
    let mut group = arena.on("introduction", "8.2");
    let refuted = ("refutation", "triple 0: not a refutation");
    let trap = "{g >= 1} (x := g : 1) {x(2) >= 1}: another thread's x is not written";
    group.bad("triple_about_another_thread", refuted, trap, |p| p.triple(0).acting = 0);
    let trap = "{} (x := g : 1) {x(1) >= 1}: nothing is known of g";
    group.bad("triple_without_its_precondition", refuted, trap, |p| p.triple(0).pre.clear());
    let trap = "{x(1) >= 1} (x := g : 1) {x(1) >= 1}: what it has to show is what it assumes";
    group.bad("triple_assumes_its_postcondition", refuted, trap, |pair| {
        pair.triple(0).pre = vec![Instance(2, vec![0])];
    });
    let trap = "the triple is about another edge than its refutation";
    group.bad("triple_about_another_edge", refuted, trap, |p| p.triple(0).edge = 1);
    let trap = "the acting thread is the first of none";
    let why = ("index", "triple 1: a number that names no acting thread");
    group.bad("acting_thread_of_no_position", why, trap, |p| p.triple(1).acting = 1);
    type Row<'a> = (&'a str, &'a str, fn(&mut Triple));
    let rows: [Row<'_>; 3] = [
        ("template", "triple_of_an_unknown_template", |t| t.template = 1),
        ("edge", "triple_of_an_unknown_edge", |t| t.edge = 3),
        ("predicate", "triple_of_an_unknown_postcondition", |t| t.post = 3),
    ];
    for (what, name, edit) in rows {
        let reason = format!("triple 1: a number that names no {what}");
        group.bad(name, ("index", &reason), "the number is too large", |p| edit(p.triple(1)));
    }
    let mut group = arena.on("single", "8.2");
    let why = ("instance", "triple 4: not an instance of the predicate: template of the acting");
    let trap = "the acting thread of the postcondition is of another template";
    group.bad("acting_thread_of_another_template", why, trap, |pair| {
        position(pair);
        let triple = Triple { post: 4, acting: 1, ..pair.triple(0).clone() };
        pair.space().basis.push(triple);
    });
    let why = ("irrelevant-thread", "triple 0: a precondition about an irrelevant thread");
    let trap = "the acting thread is a single template's: it has no position";
    group.bad("precondition_about_a_single_thread", why, trap, |pair| {
        position(pair);
        pair.triple(0).pre.push(Instance(4, vec![0]));
    });
}

/// Adds predicate 4, about a thread of `r`.
pub fn position(pair: &mut Pair) {
    let formula = Expr(vec![Op::Local(0, 0), Op::Int(Int::from(0)), Op::Cmp(Cmp::Ge)]);
    pair.space().predicates.push(Predicate { formula, threads: vec![1] });
}

fn preconditions(arena: &mut Arena) {
    let mut group = arena.on("introduction", "8.2");
    let why = ("irrelevant-thread", "triple 1: a precondition about an irrelevant thread");
    let trap = "condition 2: a thread that neither acts nor is in the postcondition";
    group.bad("precondition_about_an_irrelevant_thread", why, trap, |pair| {
        pair.triple(1).pre[1].1[0] = 1;
    });
    let order = ("order", "triple 1: not ascending: precondition");
    group.bad("precondition_in_disorder", order, "not ascending", |p| p.triple(1).pre.reverse());
    group.bad("precondition_twice", order, "an instance twice", |pair| {
        let again = pair.triple(1).pre[1].clone();
        pair.triple(1).pre.push(again);
    });
    let mut group = arena.on("introduction", "8.1");
    let why = ("instance", "triple 1: not an instance of the predicate: number of threads");
    group.bad("instance_of_too_many_threads", why, "g >= 1 is about no thread", |pair| {
        pair.triple(1).pre[0].1.push(0);
    });
    let why = ("index", "triple 1: a number that names no predicate");
    group.bad("instance_of_an_unknown_predicate", why, "there are two", |pair| {
        pair.triple(1).pre[1].0 = 3;
    });
    // What follows is about the program without its initial condition, which is unsafe.
    let start = [("init g >= 1;\n", "")];
    let wrong = introduction::PROGRAM.replacen(start[0].0, start[0].1, 1);
    let moves: [(u32, u32, &[Value]); 2] = [(0, 0, &[]), (0, 2, &[])];
    let execution = run(&wrong, &[int(0)], &[(0, &[int(0)])], &moves);
    let why = ("instance", "triple 0: not an instance of the predicate: `false` is never listed");
    let trap = "{false} (assume(x < 1) : 1) {false} is valid, and says nothing";
    group.bad("false_precondition", why, trap, |pair| {
        impossible_precondition(pair);
        pair.space().predicates.clear();
        pair.space().configurations.clear();
        pair.space().error_steps.clear();
        pair.triple(0).pre = vec![Instance(0, vec![])];
    });
    group.refuted(execution);
    let trap = "{1 < 0} (assume(x < 1) : 1) {false} is valid, but 1 < 0 does not hold at the start";
    let why = ("accepting", "configuration 0: an initial state may satisfy this configuration");
    group.bad("contradictory_precondition", why, trap, impossible_precondition);
    group.refuted_by("false_precondition_unsafe");
    let why = ("refutation", "initial predicate 0: not a refutation");
    let trap = "the same, and 1 < 0 is listed as if it held at the start";
    group.bad("contradictory_precondition_at_the_start", why, trap, |pair| {
        impossible_precondition(pair);
        let refutation = contradiction(&[0]);
        pair.space().initial = vec![InitialPredicate { predicate: 1, refutation }];
    });
    group.refuted_by("false_precondition_unsafe");
}

/// The introduction without its initial condition, and a proof from a precondition that never
/// holds.
fn impossible_precondition(pair: &mut Pair) {
    pair.restate(&[("init g >= 1;\n", "")]);
    let (one, zero) = (Op::Int(Int::from(1)), Op::Int(Int::from(0)));
    let never = Predicate { formula: Expr(vec![one, zero, Op::Cmp(Cmp::Lt)]), threads: vec![] };
    let proof = pair.space();
    proof.predicates = vec![never];
    let pre = vec![Instance(1, vec![])];
    proof.basis = vec![Triple { pre, refutation: contradiction(&[1]), ..proof.basis[2].clone() }];
    proof.initial.clear();
    let negated = vec![Instance(1, vec![])];
    proof.configurations = vec![Configuration { steps: vec![], negated, threads: vec![] }];
    proof.error_steps = vec![StepHints(vec![Hint::Embed(0, vec![])])];
}
