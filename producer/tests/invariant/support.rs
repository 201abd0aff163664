//! Programs and invariants by name.

use std::path::PathBuf;
use threadproof_format::program::Program;
use threadproof_format::proof::proof_space::ProofSpace;
use threadproof_producer::certify::invariant::{Extent, Failure, certify};
use threadproof_producer::control::Control;
use threadproof_producer::frontend::tp;
use threadproof_producer::invariant::{Invariant, parse};
use threadproof_producer::report::induction;

/// A program of the corpus.
pub fn corpus(name: &str) -> Program {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../corpus/{name}.tp"));
    let text = std::fs::read_to_string(file).expect("a program");
    tp::lower(name, &text).expect("a program").program
}

/// A program in the core form.
pub fn core(text: &str) -> Program {
    threadproof_checker::internals::core_form::parse(&format!("core 1;\n{text}"))
        .expect("a program")
        .0
}

/// An invariant's text.
pub fn invariant(program: &Program, text: &str) -> Invariant {
    parse(program, "invariant", text).unwrap_or_else(|errors| panic!("{errors}"))
}

pub fn prove(program: &Program, text: &str) -> Result<ProofSpace, Failure> {
    certify(program, &invariant(program, text), Extent::All, &Control::default())
}

/// Why an invariant gives no proof, as a user sees it.
pub fn why(program: &Program, text: &str) -> String {
    let invariant = invariant(program, text);
    match certify(program, &invariant, Extent::All, &Control::default()) {
        Ok(_) => "it does".to_owned(),
        Err(Failure::Counterexample(found)) => {
            let (reason, sections) = induction::sections(program, &invariant, &found, &[]);
            let mut text = reason;
            for (title, lines) in sections {
                text += &format!("\n{title}: {}", lines.join("; "));
            }
            text
        }
        Err(failure) => failure.to_string(),
    }
}
