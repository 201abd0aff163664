//! Proof spaces that are right, and what a proof space is about (SPEC.md sections 7 and 8), on the
//! paper's introduction and on a program with a single template.

use super::pair::{Pair, fill, int, run, state};
use super::{Arena, Why};
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
