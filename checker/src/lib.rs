//! Checks Threadproof certificates: from a program and a proof it computes what has to be shown,
//! and checks that each part is shown. It never searches and knows no solver.
//!
//! Trusted. Each rule is a function whose doc comment names its section of SPEC.md.

#![forbid(unsafe_code)]
// Work that does not charge itself: see `threadproof_format::work`.
#![deny(clippy::disallowed_types)]

mod abstraction;
mod budget;
pub mod claim;
mod control_flow;
mod core_form;
mod counters;
pub mod error;
mod obligation;
mod proof_space;
mod refute;
mod replay;
mod scope;
mod sorts;
mod substitute;
pub mod verdict;

/// What a program that makes proofs needs besides: how the checker reads programs, what it has to
/// be shown, and how it executes. So producer and checker cannot drift apart. It changes with the
/// checker; whoever only checks certificates needs none of it.
pub mod internals {
    macro_rules! export {
        ($($name:ident)*) => {$(
            /// What the module of this name has.
            pub mod $name {
                pub use crate::$name::*;
            }
        )*};
    }
    export!(abstraction budget core_form counters obligation proof_space refute replay scope sorts substitute);
}

use claim::Claim;
use error::{At, Budget, Failure, Reason};
use threadproof_format::Digest;
use threadproof_format::program::Program;
use threadproof_format::proof::{Certificate, Conclusion, Proof};
use threadproof_format::work::Text as _;

/// Checks a certificate about a program in the core form (SPEC.md section 7).
///
/// # Errors
/// Why the certificate is not accepted, and where; see [`Reason::verdict`].
pub fn check(program: &(impl AsRef<[u8]> + ?Sized), certificate: &[u8]) -> Result<Claim, Failure> {
    check_within(program, certificate, &Budget::default())
}

/// [`check`], and what is left of a budget of work tells what it took (section 11).
///
/// # Errors
/// As [`check`].
pub fn check_within(
    program: &(impl AsRef<[u8]> + ?Sized),
    certificate: &[u8],
    budget: &Budget,
) -> Result<Claim, Failure> {
    let (program, digest) = input(program, budget)?;
    let certificate_digest = Digest::of([certificate]);
    let certificate = decode(certificate)?;
    let statement = Digest::of([certificate.statement.text(budget)?.as_bytes()]);
    if certificate.program != digest || statement != digest {
        return Err(Reason::ProgramDigest.into());
    }
    let layers = &certificate.layers;
    let abstractions = abstraction::check(&program, layers, budget)?;
    // Layers carry safety over to the program (section 12), and no other conclusion.
    if !layers.is_empty() && certificate.proof.conclusion() != Conclusion::Safe {
        return Err(Reason::Unused("layer").into());
    }
    let proved = abstractions.last().unwrap_or(&program);
    let told = match &certificate.proof {
        Proof::ProofSpace(proof) => {
            proof_space::check(proved, proof, budget)?;
            proof_space::told(proof)
        }
        Proof::Counterexample(run) => {
            replay::check(proved, run, budget)?;
            replay::told(proved, run, budget)?
        }
    };
    Claim::of((&program, &certificate), &abstractions, told, certificate_digest, budget)
}

/// The program that [`check`] reads, laid out anew from its tokens, after its digest.
///
/// # Errors
/// Why it is no program in the core form.
pub fn read_back(program: &(impl AsRef<[u8]> + ?Sized)) -> Result<String, Failure> {
    let (_, digest) = input(program, &Budget::default())?;
    Ok(format!("// program sha256:{digest}\n{}", core_form::laid_out(program)?))
}

fn input(
    program: &(impl AsRef<[u8]> + ?Sized),
    budget: &Budget,
) -> Result<(Program, Digest), Failure> {
    core_form::parse_within(program, budget).map_err(Reason::of_input).at(|| "program".to_owned())
}

/// Decodes a certificate (SPEC.md section 2).
///
/// # Errors
/// `Encoding`.
pub fn decode(bytes: &[u8]) -> Result<Certificate, Failure> {
    let decoded = threadproof_format::cbor::decode(bytes);
    decoded.map_err(Reason::Encoding).at(|| "certificate".to_owned())
}
