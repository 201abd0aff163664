//! Small certificates that ask for much work: whatever a checker does, it takes no longer than the
//! work that it counts (SPEC.md section 11.5; `tests/arena.rs` has the bound). As recipes, so that
//! they need no room in the repository.

use super::hostile::case;
use super::{Arena, Bytes, Case, NUMBER, accepted, expand};
use threadproof_checker::internals::core_form;
use threadproof_format::proof::abstraction::{Conformance, Layer, Part};
use threadproof_format::proof::proof_space::*;
use threadproof_format::proof::{Certificate, Conclusion, Proof, VERSION};
use threadproof_format::refutation::{Farkas, Propagate, Refutation, Step};
use threadproof_format::{Digest, Expr, Int, Op, cbor};

/// How often something is asked for that takes long.
const TRIPLES: usize = 150;
const CONFIGURATIONS: usize = 6_000;
const EDGES: usize = 200;

/// Adds the cases.
pub fn add(arena: &mut Arena) {
    triples(arena);
    templates(arena);
    names(arena);
    relations(arena);
    divisors(arena);
    bits(arena);
    swapped(arena);
}

/// A proof space with nothing in it.
fn nothing() -> ProofSpace {
    ProofSpace {
        basis: vec![],
        initial: vec![],
        witness: None,
        impossible: vec![],
        predicates: vec![],
        error_steps: vec![],
        configurations: vec![],
    }
}

/// A program and its certificate as recipes.
fn pair(core: Bytes, layers: Vec<Layer>, proof: ProofSpace) -> (Bytes, Bytes) {
    let statement = statement(&core);
    let text = String::from_utf8(expand(&statement)).expect("ASCII");
    let program = Digest::of([text.as_bytes()]);
    let proof = Proof::ProofSpace(proof);
    let certificate = Certificate { proof, layers, program, version: VERSION, statement: text };
    let bytes = cbor::encode(&certificate).expect("bytes");
    // The statement is the last field.
    let before = &bytes[..bytes.len() - certificate.statement.len()];
    (core, [recipe(before), statement].concat())
}

/// The statement of a program. A piece with a number in it consists of whole tokens.
fn statement(core: &Bytes) -> Bytes {
    let mut found = Bytes::new();
    for part in core.chunk_by(|one, other| !is_numbered(one) && !is_numbered(other)) {
        match part {
            [(piece, times)] if is_numbered(&part[0]) => found.push((tokens(piece), *times)),
            plain => found.extend(recipe(&tokens(&expand(&plain.to_vec())))),
        }
    }
    found
}

fn is_numbered((piece, _): &(Vec<u8>, usize)) -> bool {
    piece.windows(2).any(|pair| pair == NUMBER)
}

/// The tokens of a text, each with a line feed.
fn tokens(piece: &[u8]) -> Vec<u8> {
    let text = std::str::from_utf8(piece).expect("ASCII");
    let number = std::str::from_utf8(NUMBER).expect("ASCII");
    let statement = core_form::statement(&text.replace(number, "QQQ")).expect("tokens");
    statement.replace("QQQ", number).into_bytes()
}

/// A piece of a program.
fn piece(text: &str, times: usize) -> (Vec<u8>, usize) {
    (text.as_bytes().to_vec(), times)
}

/// The sum of so many ones, but for the last.
fn ones(count: usize) -> (Vec<u8>, usize) {
    piece("1+", count)
}

/// The longest piece that is looked for.
const PIECE: usize = 256;

/// Bytes as pieces that are repeated: at each place the shortest piece that stands there often.
fn recipe(bytes: &[u8]) -> Bytes {
    let mut pieces: Bytes = Vec::new();
    let (mut at, mut alone) = (0, 0);
    while at < bytes.len() {
        let rest = &bytes[at..];
        let often = (1..=PIECE.min(rest.len())).find_map(|length| {
            let piece = &rest[..length];
            let times = rest.chunks_exact(length).take_while(|chunk| *chunk == piece).count();
            (times * length >= 4 * PIECE && times >= 4).then_some((length, times))
        });
        let Some((length, times)) = often else {
            at += 1;
            continue;
        };
        pieces.extend((alone < at).then(|| (bytes[alone..at].to_vec(), 1)));
        pieces.push((rest[..length].to_vec(), times));
        at += length * times;
        alone = at;
    }
    pieces.extend((alone < at).then(|| (bytes[alone..at].to_vec(), 1)));
    pieces
}

fn propagate(hints: &[u32]) -> Step {
    Step::Propagate(Propagate { hints: hints.to_vec(), clause: vec![] })
}

/// Triples about an edge with long updates, which say nothing about the postcondition.
fn triples(arena: &mut Arena) {
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let globals: String = names.map(|name| format!("global {name}: int;\n")).concat();
    let top =
        format!("core 1;\n{globals}many t {{ location a; location b; edge a -> b {{ when false;");
    let mut core = vec![piece(&top, 1)];
    for name in names {
        let begin = if name == "a" { format!("{name} :=") } else { format!("1, {name} :=") };
        core.extend([piece(&begin, 1), ones(20_000)]);
    }
    core.push(piece("1; } }", 1));
    let refutation = Refutation(vec![propagate(&[1])]);
    let triple = Triple { pre: vec![], edge: 0, post: 0, acting: 0, template: 0, refutation };
    let proof = ProofSpace { basis: vec![triple; TRIPLES], ..nothing() };
    let (core, certificate) = pair(core, vec![], proof);
    let trap = "each triple is about an edge with long updates";
    let case = case("long_updates", "11.5", "unused", "triple 0", trap);
    arena.cases.push(Case { core, certificate, ..case });
}

/// Configurations of a program with many templates that have no edge.
fn templates(arena: &mut Arena) {
    let core = vec![piece("core 1;", 1), piece("many t\0#{location a;}", 20_000)];
    let threads = vec![Slot(0, Some(0))];
    let configuration = Configuration { steps: vec![], negated: vec![], threads };
    let proof = ProofSpace { configurations: vec![configuration; CONFIGURATIONS], ..nothing() };
    let (core, certificate) = pair(core, vec![], proof);
    let trap = "each configuration looks at templates that have no edge";
    let case = case("templates_without_edges", "11.5", "accepting", "configuration 0", trap);
    arena.cases.push(Case { core, certificate, ..case });
}

/// A template with a long name and many locations.
fn names(arena: &mut Arena) {
    let rows = [
        ("longest_name_and_locations", "11.5", 1_000, ("encoding", "ends too early")),
        ("name_of_a_million", "11.1", 1_000_000, ("limit", "characters of a name")),
    ];
    for (name, section, length, (category, reason)) in rows {
        let locations = piece("location l\0#;", 20_000);
        let core = vec![piece("core 1; many ", 1), piece("t", length), piece("{", 1), locations];
        let core = [core, vec![piece("}", 1)]].concat();
        let case = case(name, section, category, reason, "each location is one of a long name");
        arena.cases.push(Case { core, ..case });
    }
}

/// Consecutions whose relations have long guards, and are left out.
fn relations(arena: &mut Arena) {
    let top = piece("core 1; global a: int[]; init false; many t { location l;", 1);
    let own = piece("edge l -> l { a := a[0 := 1]; }", EDGES);
    let core = vec![top.clone(), own, piece("}", 1)];
    let mut above = vec![top];
    for _ in 0..4 {
        above.extend([piece("edge l -> l { when ", 1), ones(20_000), piece("1 == 0; }", 1)]);
    }
    above.push(piece("}", 1));
    let statement = String::from_utf8(expand(&statement(&above))).expect("ASCII");
    let invariant = Expr(vec![Op::Bool(false), Op::Local(1, 0), Op::And]);
    let part = Part::Abstracted(Conformance {
        copies: vec![],
        invariants: vec![invariant],
        refutations: vec![Refutation(vec![propagate(&[1])]); 2 + EDGES],
    });
    let program = Digest::of([statement.as_bytes()]);
    let layer = Layer { to: vec![0], parts: vec![part], program, witness: None, statement };
    let (core, certificate) = pair(core, vec![layer], nothing());
    let trap = "relations with long guards that are left out";
    let expected = accepted(Conclusion::Safe, "no-error-location");
    let case = Case { expected, ..case("long_relations", "11.5", "", "", trap) };
    arena.cases.push(Case { core, certificate, ..case });
}

/// Sums whose greatest common divisors take as many steps as an integer has bits.
fn divisors(arena: &mut Arena) {
    let long = format!("1{}", "0".repeat(9_999));
    let core = format!(
        "core 1; global x: int; global y: int; init 3 * x + {long} * y + 1 <= 0; many t {{ location a; }}"
    );
    let core = recipe(core.as_bytes());
    let one = Int::from(1);
    let repeated = (0..300).map(|number| vec![(2 + number, one.clone())]);
    let mut sums = vec![vec![(0, one.clone())]];
    sums.extend(repeated);
    sums.push(vec![(1, one.clone()), (302, one)]);
    let lemma = Step::Farkas(Farkas { clause: vec![-2, 2], sums });
    let formula = Expr(vec![Op::Bool(false), Op::Not, Op::Bool(false), Op::Not, Op::Or]);
    let proof = ProofSpace {
        predicates: vec![Predicate { formula, threads: vec![] }],
        initial: vec![InitialPredicate { predicate: 1, refutation: Refutation(vec![lemma]) }],
        ..nothing()
    };
    let (core, certificate) = pair(core, vec![], proof);
    let trap = "each sum has the greatest common divisor of a short and a long integer";
    let case = case("long_divisors", "11.5", "refutation", "initial predicate 0", trap);
    arena.cases.push(Case { core, certificate, ..case });
}

/// A coefficient of more than 65,536 bits, which nothing depends on.
fn bits(arena: &mut Arena) {
    let long = format!("1{}", "0".repeat(9_999));
    let core = format!(
        "core 1; global x: int; init x == 0; many t {{ location a; location wrong error; \
         edge a -> wrong {{ when false && {long} * {long} * x <= 0; }} }}"
    );
    let core = recipe(core.as_bytes());
    let refutation = Refutation(vec![propagate(&[1])]);
    let triple = Triple { pre: vec![], edge: 0, post: 0, acting: 0, template: 0, refutation };
    let (core, certificate) = pair(core, vec![], ProofSpace { basis: vec![triple], ..nothing() });
    let trap = "a computed coefficient has 66,432 bits";
    let case = case("coefficient_of_many_bits", "11.3", "limit", "bits of an integer", trap);
    arena.cases.push(Case { core, certificate, ..case });
}

/// Certificate and program change places.
fn swapped(arena: &mut Arena) {
    let pair = arena.pair("introduction");
    let core = vec![(pair.bytes(), 1)];
    let certificate = vec![(pair.core.into_bytes(), 1)];
    let reason = "a character that the core form does not use";
    let case =
        case("arguments_swapped", "4.1.1", "syntax", reason, "the certificate is no program");
    arena.cases.push(Case { core, certificate, ..case });
}
