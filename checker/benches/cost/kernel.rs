//! Refutations: of a program's initial condition (5 and 6 of SPEC.md), in which there are linear
//! forms, truth values and arrays. The steps are right one by one; the last one, which derives the
//! empty clause, is there.

use super::encoding::*;
use super::family::{Family, Sizes, all, join};

const MANY: usize = 1 << 18;

pub const FAMILY: Family = Family {
    name: "kernel",
    knobs: &[
        ("leaves", MANY),
        ("coefficient", 9_000),
        ("equal sums", MANY),
        ("conjunction", MANY),
        ("disjunction", MANY),
        ("shared", MANY),
        ("negations", MANY),
        ("equivalences", MANY),
        ("writes", MANY),
        ("variable writes", MANY),
        ("truth writes", MANY),
        ("reads", MANY),
        ("index", MANY),
        ("nested reads", MANY),
        ("quotients", MANY),
        ("nested quotients", MANY),
        ("atoms", MANY),
        ("atom terms", MANY),
        ("lemmas", MANY),
        ("literals", MANY),
        ("sums", MANY),
        ("terms", MANY),
        ("multiplier", 9_000),
        ("units", MANY),
        ("hints", MANY),
        ("clause", MANY),
        ("hits", MANY),
        ("misses", MANY),
        ("congruences", MANY),
    ],
    make,
};

fn make(s: &Sizes) -> Input {
    let core = program(s);
    let formula = list(&[
        map(&[("b", truth(false))]),
        text("!"),
        map(&[("b", truth(false))]),
        text("!"),
        text("||"),
    ]);
    let predicate = map(&[("formula", formula), ("threads", list(&[]))]);
    let initial = map(&[("predicate", number(1)), ("refutation", refutation(s))]);
    let proof = proof_space(&[("predicates", list(&[predicate])), ("initial", list(&[initial]))]);
    let certificate = certificate(&core, proof, &[]);
    Input { core, certificate }
}

/// A number of so many digits that no small number divides.
fn long(digits: usize) -> String {
    format!("1{}", "0".repeat(digits.saturating_sub(2))) + if digits > 1 { "1" } else { "" }
}

fn leaves(s: &Sizes) -> usize {
    s.of("leaves", 2).max(s.of("atom terms", 1))
}

/// Leaf 0 is x0. Variable 2 is the atom of the sum, which is clause 1.
fn program(s: &Sizes) -> String {
    let leaves = leaves(s);
    let k = long(s.of("coefficient", 1));
    let sum =
        join(leaves, " + ", |i| if i == 0 { "3 * x0".to_owned() } else { format!("{k} * x{i}") });
    let chain = all(s.of("writes", 0), |i| format!("[{i} := x0]"));
    let unknown = all(s.of("variable writes", 0), |i| format!("[x0 + {i} := x1]"));
    let truths = all(s.of("truth writes", 0), |i| format!("[x0 + {i} := b0 && b1]"));
    let index = join(s.of("index", 1), " + ", |_| "x1".to_owned());
    let nested = s.of("nested reads", 0);
    let divided = s.of("nested quotients", 0);
    let shared = s.of("shared", 0);
    // Conjunctions of a sum of many values, each twice as long as the one before if it is not
    // shared.
    let disjunction = join(s.of("disjunction", 0), " || ", |i| format!("q{i}"));
    let truths_named = |i: usize| format!("q{i}");
    let formulas = [
        vec![format!("{sum} + 1 <= 0")],
        (0..s.of("equal sums", 0)).map(|_| format!("{sum} + 1 <= 0")).collect(),
        (0..s.of("conjunction", 0)).map(truths_named).collect(),
        if disjunction.is_empty() { vec![] } else { vec![format!("({disjunction})")] },
        (0..shared).map(|i| format!("(q{i} || q{} || b0 && q{i})", (i + 1) % shared)).collect(),
        vec![format!("{}b0", "!".repeat(s.of("negations", 0)))],
        vec![format!(
            "{}b0{}",
            "(b1 == ".repeat(s.of("equivalences", 0)),
            ")".repeat(s.of("equivalences", 0))
        )],
        (0..s.of("reads", 0).max(1))
            .map(|i| format!("r{chain}{unknown}[x1 + {i} + {index}] <= 0"))
            .collect(),
        vec![format!("(p{truths}[x1] || b0)")],
        vec![format!("{}x0{} <= 0", "r[".repeat(nested), "]".repeat(nested))],
        (0..s.of("quotients", 0)).map(|i| format!("({sum}) / {} <= 0", i + 2)).collect(),
        vec![format!("{}{sum}{} <= 0", "(".repeat(divided), " + x1) % 7".repeat(divided))],
    ];
    let truths = [s.of("conjunction", 0), s.of("disjunction", 0), shared].into_iter().max();
    [
        "core 1; global b0: bool; global b1: bool; global p: bool[]; global r: int[];\n".to_owned(),
        all(leaves.max(2), |i| format!("global x{i}: int;")),
        all(truths.unwrap_or(0), |i| format!("global q{i}: bool;")),
        format!("init {};\n", formulas.concat().join(" && ")),
        "many t { location a; }".to_owned(),
    ]
    .concat()
}

fn pair(constraint: usize, multiplier: &Item) -> Item {
    list(&[number(constraint), multiplier.clone()])
}

fn int(digits: usize) -> Item {
    if digits < 19 { number(1) } else { text(&long(digits)) }
}

/// The clause -2, 2: constraint 0 is the atom of the sum, constraint 1 its opposite; together they
/// contradict.
fn lemma(s: &Sizes) -> Item {
    let terms = s.of("terms", 1);
    let sums = s.of("sums", if terms > 1 { terms + 2 } else { 1 });
    let multiplier = int(s.of("multiplier", 1));
    let middle = |i: usize| {
        // Each sum is of the first constraint, and of those before it.
        let of = if i == 0 { 1 } else { terms.min(i) };
        match i {
            0 => list(&[pair(0, &multiplier)]),
            _ => each(of, |k| pair(2 + k, &multiplier)),
        }
    };
    let last = list(&[pair(0, &number(1)), pair(1, &number(1))]);
    let each_sum = |i: usize| if i + 1 == sums { last.clone() } else { middle(i) };
    map(&[("f", map(&[("l", list(&[negative(1), number(2)])), ("s", each(sums, each_sum))]))])
}

fn refutation(s: &Sizes) -> Item {
    let read = |kind: &'static str, leaf: usize| {
        map(&[(kind, map(&[("c", number(0)), ("l", number(leaf))]))])
    };
    let (leaves, reads) = (leaves(s), s.of("variable writes", 0).max(1));
    let mut steps = Vec::new();
    for i in 0..s.of("atoms", s.of("atom terms", 0).min(1)) {
        let terms = each(s.of("atom terms", 1), |leaf| list(&[number(leaf), number(1)]));
        steps.push(map(&[("a", map(&[("c", number(10 + i)), ("t", terms)]))]));
    }
    steps.extend(std::iter::repeat_n(lemma(s), s.of("lemmas", 1)));
    steps.extend((0..s.of("hits", 0)).map(|i| read("h", leaves + i % reads)));
    steps.extend((0..s.of("misses", 0)).map(|i| read("m", leaves + i % reads)));
    let congruence = |i: usize| {
        map(&[(
            "r",
            map(&[("c", number(0)), ("l", number(leaves)), ("r", number(leaves + 1 + i % reads))]),
        )])
    };
    steps.extend((0..s.of("congruences", 0)).map(congruence));
    // A clause of literals that are not all hinted: clause 0, which is true, is looked at at last.
    let literals: Vec<Item> = (0..s.of("literals", 0)).map(|i| number(2 + i)).collect();
    if !literals.is_empty() {
        let sums = list(&[list(&[pair(0, &number(1))])]);
        steps.push(map(&[("f", map(&[("l", list(&literals)), ("s", sums)]))]));
    }
    for _ in 0..s.of("units", s.of("clause", 0).max(s.of("hints", 0)).min(1)) {
        let clause = each(s.of("clause", 0), |i| number(2 + i));
        // Clause 1 says that the atom holds, and after that it says nothing new.
        let hints = each(s.of("hints", 1), |i| number(1 + i));
        steps.push(map(&[("u", map(&[("h", hints), ("l", clause)]))]));
    }
    // The negation of a predicate that is true by itself.
    steps.push(conflict(&[1]));
    list(&steps)
}
