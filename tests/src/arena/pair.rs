//! A program and a certificate about it, as typed values that can be edited.

use crate::kinds;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use threadproof_checker::error::Budget;
use threadproof_checker::internals::core_form;
use threadproof_checker::internals::proof_space::predicates::Predicates;
use threadproof_format::program::Template;
use threadproof_format::proof::abstraction::{Conformance, Layer, Part};
use threadproof_format::proof::counterexample::{Counterexample, Move, State, Thread, Value};
use threadproof_format::proof::proof_space::{Configuration, Hint, ProofSpace, Triple};
use threadproof_format::proof::{Certificate, Proof, VERSION};
use threadproof_format::refutation::{Farkas, Propagate, Refutation, Step};
use threadproof_format::{Int, cbor};
use threadproof_producer::certify::obligations::{self, obligations};
use threadproof_producer::certify::refute::refute;

/// A program in the core form and a certificate about it.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The program.
    pub core: String,
    /// The certificate.
    pub certificate: Certificate,
}

impl Pair {
    /// A certificate without layers.
    pub fn new(core: &str, proof: Proof) -> Self {
        let (_, program) = core_form::parse(core).expect("a program");
        let statement = core_form::statement(core).expect("a program");
        let certificate =
            Certificate { proof, layers: vec![], program, version: VERSION, statement };
        Pair { core: core.to_owned(), certificate }
    }

    /// The certificate's bytes.
    pub fn bytes(&self) -> Vec<u8> {
        cbor::encode(&self.certificate).expect("bytes")
    }

    /// The word for why the claim is vacuous (SPEC.md section 7.5), or nothing.
    pub fn vacuous(&self) -> &'static str {
        let Some(witness) = kinds::of(&self.certificate.proof).witness() else { return "" };
        let (program, _) = core_form::parse(&self.core).expect("a program");
        let layer = self.certificate.layers.first();
        let witness = layer.map_or(witness, |layer| layer.witness.as_ref());
        let locations = program.templates.iter().flat_map(|t| &t.locations);
        if !locations.clone().any(|location| location.error) {
            "no-error-location"
        } else if !program.templates.iter().any(goes_wrong) {
            "no-error-path"
        } else if witness.is_none() {
            "no-initial-state"
        } else {
            ""
        }
    }

    /// The proof space.
    pub fn space(&mut self) -> &mut ProofSpace {
        kinds::of_mut(&mut self.certificate.proof).obliged().expect("a proof space")
    }

    /// The counterexample.
    pub fn run(&mut self) -> &mut Counterexample {
        let Proof::Counterexample(run) = &mut self.certificate.proof else {
            panic!("no counterexample")
        };
        run
    }

    /// A move of the counterexample.
    pub fn step(&mut self, number: usize) -> &mut Move {
        &mut self.run().schedule[number]
    }

    /// The initial state that the proof has.
    pub fn start(&mut self) -> &mut State {
        kinds::of_mut(&mut self.certificate.proof).start()
    }

    /// A triple of the basis.
    pub fn triple(&mut self, number: usize) -> &mut Triple {
        &mut self.space().basis[number]
    }

    /// The refutation of a triple.
    pub fn refutation(&mut self, triple: usize) -> &mut Vec<Step> {
        &mut self.triple(triple).refutation.0
    }

    /// A configuration.
    pub fn configuration(&mut self, number: usize) -> &mut Configuration {
        &mut self.space().configurations[number]
    }

    /// The hints of a step of the error configurations.
    pub fn error_step(&mut self, number: usize) -> &mut Vec<Hint> {
        &mut self.space().error_steps[number].0
    }

    /// A layer.
    pub fn layer(&mut self, number: usize) -> &mut Layer {
        &mut self.certificate.layers[number]
    }

    /// The proof that a thread of a layer conforms.
    pub fn conformance(&mut self, layer: usize, part: usize) -> &mut Conformance {
        match &mut self.layer(layer).parts[part] {
            Part::Abstracted(proof) => proof,
            Part::Kept => panic!("a template that is kept"),
        }
    }

    /// Changes the program's text; the certificate is about what comes out.
    pub fn restate(&mut self, changes: &[(&str, &str)]) {
        for (old, new) in changes {
            assert!(self.core.contains(old), "no {old:?} in {}", self.core);
            self.core = self.core.replacen(old, new, 1);
        }
        let Pair { certificate, .. } = Pair::new(&self.core, self.certificate.proof.clone());
        self.certificate.program = certificate.program;
        self.certificate.statement = certificate.statement;
    }

    /// Changes the text of a layer's program; the layer is about what comes out.
    pub fn restate_layer(&mut self, number: usize, changes: &[(&str, &str)]) {
        let layer = self.layer(number);
        for (old, new) in changes {
            let [old, new] = [old, new].map(|text| core_form::statement(text).expect("tokens"));
            assert!(layer.statement.contains(&old), "no {old:?} in {}", layer.statement);
            layer.statement = layer.statement.replacen(&old, &new, 1);
        }
        layer.program = core_form::parse(&layer.statement).expect("a program").1;
    }
}

/// Whether a path of the control flow leads to an error location: locations are added as long as
/// there are new ones.
fn goes_wrong(template: &Template) -> bool {
    let mut reached = BTreeSet::from([0]);
    for _ in &template.locations {
        let edges = template.edges.iter().filter(|edge| reached.contains(&edge.source));
        let targets: Vec<u32> = edges.map(|edge| edge.target).collect();
        reached.extend(targets);
    }
    (0..).zip(&template.locations).any(|(at, location)| location.error && reached.contains(&at))
}

/// A counterexample's certificate: globals, threads (template, locals), moves (thread, edge,
/// inputs).
pub fn run(
    core: &str,
    globals: &[Value],
    threads: &[(u32, &[Value])],
    moves: &[(u32, u32, &[Value])],
) -> Pair {
    let schedule = moves.iter().map(|(thread, edge, inputs)| Move {
        edge: *edge,
        inputs: inputs.to_vec(),
        thread: *thread,
    });
    let schedule = schedule.collect();
    Pair::new(
        core,
        Proof::Counterexample(Counterexample { start: state(globals, threads), schedule }),
    )
}

/// A state.
pub fn state(globals: &[Value], threads: &[(u32, &[Value])]) -> State {
    let thread = |(template, locals): &(u32, &[Value])| Thread {
        locals: locals.to_vec(),
        template: *template,
    };
    State { globals: globals.to_vec(), threads: threads.iter().map(thread).collect() }
}

/// An integer value.
pub fn int(value: i64) -> Value {
    Value::Int(Int::from(value))
}

/// A step `u`.
pub fn propagate(clause: &[i32], hints: &[u32]) -> Step {
    Step::Propagate(Propagate { hints: hints.to_vec(), clause: clause.to_vec() })
}

/// A step `f`.
pub fn farkas(clause: &[i32], sums: &[&[(u32, i64)]]) -> Step {
    let sum = |s: &&[(u32, i64)]| s.iter().map(|(c, m)| (*c, Int::from(*m))).collect();
    Step::Farkas(Farkas { clause: clause.to_vec(), sums: sums.iter().map(sum).collect() })
}

/// A refutation by unit propagation alone.
pub fn contradiction(hints: &[u32]) -> Refutation {
    Refutation(vec![propagate(&[], hints)])
}

/// Refutes what can be refuted of a proof space, with a search of the producer's; the other
/// refutations stay as they are.
pub fn fill(pair: &mut Pair) {
    let layers = &pair.certificate.layers;
    let core = layers.last().map_or(&pair.core, |layer| &layer.statement);
    let (program, _) = core_form::parse(core).expect("a program");
    let budget = Budget::default();
    let proof = pair.space();
    let predicates = Predicates::new(&program, &proof.predicates, &budget).expect("predicates");
    let list = obligations(&program, &predicates, proof, &budget).expect("obligations");
    for obligation in &list {
        let place = obligations::refutation(proof, obligation.id).expect("its place");
        if let Ok(found) = refute(obligation, &AtomicBool::new(false)) {
            *place = found;
        }
    }
}
