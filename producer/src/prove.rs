//! From a program to a certificate: a proof, and a check before anything is claimed.

use crate::control::Control;
use crate::portfolio::{self, Plan};
use threadproof_checker::claim::Claim;
use threadproof_format::program::Program;
use threadproof_format::proof::abstraction::Layer;
use threadproof_format::proof::{Certificate, Proof, VERSION};
use threadproof_format::{Digest, cbor};

/// What a run found.
#[derive(Debug)]
pub enum Verdict {
    /// Safe or unsafe: what the checker says about the certificate, and the certificate's bytes.
    Certified(Box<Claim>, Vec<u8>),
    /// Neither.
    Unknown(Unknown),
}

/// Why a run found neither a proof nor a counterexample.
#[derive(Debug, Default)]
pub struct Unknown {
    /// The reason, in a sentence.
    pub reason: String,
    /// Titled lists of lines: what was tried, the last trace, which predicates grow, what would
    /// help.
    pub details: Vec<(&'static str, Vec<String>)>,
}

impl From<String> for Unknown {
    fn from(reason: String) -> Self {
        Unknown { reason, details: Vec::new() }
    }
}

/// Proves a program (given with its core form) safe, or finds a counterexample; all strategies in
/// turn.
pub fn prove(program: &Program, core: &str, control: &Control) -> Verdict {
    prove_by(program, core, &Plan::default(), control)
}

/// As [`prove`], by a plan.
pub fn prove_by(program: &Program, core: &str, plan: &Plan, control: &Control) -> Verdict {
    match portfolio::find(program, plan, control) {
        Ok(proof) => certified(core, proof, Vec::new()),
        Err(unknown) => Verdict::Unknown(unknown),
    }
}

/// The verdict of a proof that was found, about the program with this core form or about the last
/// of its layers.
pub(crate) fn certified(core: &str, proof: Proof, layers: Vec<Layer>) -> Verdict {
    match layered_certificate(core, proof, layers) {
        Ok((claim, bytes)) => Verdict::Certified(Box::new(claim), bytes),
        Err(e) => {
            Verdict::Unknown(format!("the checker does not accept what was found: {e}").into())
        }
    }
}

/// The certificate of a proof about the program with this core form, and the claim that the
/// checker accepts with it.
///
/// # Errors
/// What the checker says.
pub fn certificate(
    core: &str,
    proof: Proof,
) -> Result<(Claim, Vec<u8>), Box<dyn std::error::Error>> {
    layered_certificate(core, proof, Vec::new())
}

/// As [`certificate`], of a proof about the last of some layers.
fn layered_certificate(
    core: &str,
    proof: Proof,
    layers: Vec<Layer>,
) -> Result<(Claim, Vec<u8>), Box<dyn std::error::Error>> {
    let statement = threadproof_checker::internals::core_form::statement(core)?;
    let program = Digest::of([statement.as_bytes()]);
    let bytes = cbor::encode(&Certificate { proof, layers, program, version: VERSION, statement })?;
    Ok((threadproof_checker::check(core, &bytes)?, bytes))
}
