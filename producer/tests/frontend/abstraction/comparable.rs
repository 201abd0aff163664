//! Whether the checker can compare each layer with the one before.

use threadproof_checker::error::Budget;
use threadproof_checker::internals::abstraction::{comparable, conformance::Pair};
use threadproof_checker::internals::core_form;
use threadproof_format::program::{Program, Variable};
use threadproof_format::proof::abstraction::{Conformance, Layer, Part};
use threadproof_format::{Digest, Expr};
use threadproof_producer::certify::obligations;
use threadproof_producer::source::Source;

/// Asserts that the checker reads each layer as the same program, finds that it can be compared
/// with the one before, and takes its abstract threads for well formed.
pub fn comparable_layers(l: &Source) {
    let budget = Budget::default();
    let mut concrete = &l.program;
    for layer in &l.abstractions {
        let (read, _) = core_form::parse(&layer.core).expect("the checker reads it");
        assert_eq!(read, layer.program);
        assert_eq!(layer.program.assumptions, l.program.assumptions);
        let parts = parts(concrete, layer);
        let stated = Layer {
            to: (0..).take(parts.len()).collect(),
            parts: parts.clone(),
            program: Digest::of([&b""[..]]),
            witness: None,
            statement: String::new(),
        };
        comparable(concrete, &layer.program, &stated, &budget).expect("they can be compared");
        for (of, part) in (0..).zip(&parts) {
            let pair = pair(concrete, &layer.program, of);
            match part {
                Part::Kept => {}
                Part::Abstracted(proof) => {
                    obligations::conformance(&pair, proof, &budget).expect("well formed");
                }
            }
        }
        concrete = &layer.program;
    }
}

/// A template and the abstract program's of the same number.
pub fn pair<'a>(concrete: &'a Program, program: &Program, of: u32) -> Pair<'a> {
    Pair::new((concrete, of), (program, of), &Budget::default()).expect("a pair")
}

/// The parts of a layer, with proofs that say nothing.
pub fn parts(concrete: &Program, layer: &Source) -> Vec<Part> {
    let part = |of: u32| {
        let pair = pair(concrete, &layer.program, of);
        let copied = |local: &Variable| {
            let global = local.name.strip_prefix("copy_").expect("a copy");
            let of = layer.program.globals.iter().position(|g| g.name == global);
            u32::try_from(of.expect("a global")).expect("a small number")
        };
        if pair.same(&Budget::default()).unwrap() {
            return Part::Kept;
        }
        let inner = pair.concrete.locations.iter().filter(|l| !l.error);
        let invariants = inner.map(|_| Expr::bool(true)).collect();
        let copies = pair.abstraction.locals.iter().map(copied).collect();
        Part::Abstracted(Conformance { copies, invariants, refutations: Vec::new() })
    };
    (0..).take(concrete.templates.len()).map(part).collect()
}
