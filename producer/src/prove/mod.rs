//! From a source to a certificate: the one entry. A chain of abstractions (`chain`), engines side
//! by side on each program of it (`portfolio`), and the checker before anything is claimed.

mod chain;
mod portfolio;

pub use crate::engine::Unknown;
pub use chain::conforms;
pub use portfolio::{Plan, Strategy};

use crate::control::Control;
use crate::report::Section;
use crate::source::Source;
use threadproof_checker::claim::Claim;
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

/// A verdict, and what a person should know beside it.
#[derive(Debug)]
pub struct Answer {
    /// The verdict.
    pub verdict: Verdict,
    /// What a person should know.
    pub aside: Vec<Section>,
}

/// Proves a program safe, or finds a counterexample. What is found is checked before it is given
/// out. With one thread the same source and plan give the same answer, unless the run is stopped.
pub fn prove(source: &Source, plan: &Plan, control: &Control) -> Answer {
    let found = chain::find(source, plan, control).and_then(|found| {
        control.begin("checking the certificate");
        let certified = certificate(&source.core, found.proof, found.layers);
        let (claim, bytes) =
            certified.map_err(|e| format!("the checker does not accept the proof: {e}"))?;
        Ok((Verdict::Certified(Box::new(claim), bytes), found.aside))
    });
    match found {
        Ok((verdict, aside)) => Answer { verdict, aside },
        Err(unknown) => Answer { verdict: Verdict::Unknown(unknown), aside: Vec::new() },
    }
}

/// The certificate of a proof about the last of some layers above the program with this core form,
/// or without layers about itself; and the claim that the checker accepts with it.
///
/// # Errors
/// What the checker says.
pub fn certificate(
    core: &str,
    proof: Proof,
    layers: Vec<Layer>,
) -> Result<(Claim, Vec<u8>), Box<dyn std::error::Error>> {
    let statement = threadproof_checker::internals::core_form::statement(core)?;
    let program = Digest::of([statement.as_bytes()]);
    let bytes = cbor::encode(&Certificate { proof, layers, program, version: VERSION, statement })?;
    Ok((threadproof_checker::check(core, &bytes)?, bytes))
}
