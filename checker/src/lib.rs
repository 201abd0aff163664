//! Checks Threadproof certificates: from a program and a proof it computes what has to be shown,
//! and checks that each part is shown. It never searches and knows no solver.
//!
//! Trusted. Each rule is a function whose doc comment names its section of SPEC.md.

#![forbid(unsafe_code)]

pub mod abstraction;
pub mod claim;
pub mod core_form;
pub mod counters;
pub mod error;
pub mod proof_space;
pub mod refute;
pub mod replay;
pub mod scope;
pub mod sorts;

use claim::Claim;
use error::{At, Budget, Failure, Reason};
use threadproof_format::Digest;
use threadproof_format::work::Text as _;
use threadproof_format::proof::{Certificate, Proof, VERSION};

/// Checks a certificate about a program in the core form (SPEC.md section 7).
///
/// # Errors
/// Why the certificate is not accepted, and where; see [`Reason::declines`].
pub fn check(program: &str, certificate: &[u8]) -> Result<Claim, Failure> {
    check_within(program, certificate, &Budget::default())
}

/// [`check`], and what is left of a budget of work tells what it took (section 11).
///
/// # Errors
/// As [`check`].
pub fn check_within(
    program: &str,
    certificate: &[u8],
    budget: &Budget,
) -> Result<Claim, Failure> {
    let (program, digest) = core_form::parse_within(program, budget).at(|| "program".to_owned())?;
    let certificate_digest = Digest::of([certificate]);
    let certificate = decode(certificate)?;
    let statement = Digest::of([certificate.statement.text(budget)?.as_bytes()]);
    if certificate.program != digest || statement != digest {
        return Err(Reason::ProgramDigest.into());
    }
    let digests = (digest, certificate_digest);
    let layers = &certificate.layers;
    let abstractions = abstraction::check(&program, layers, budget)?;
    match &certificate.proof {
        Proof::ProofSpace(proof) => {
            proof_space::check(abstractions.last().unwrap_or(&program), proof, budget)?;
            Ok(Claim::safe(&program, (layers, &abstractions), proof, digests))
        }
        // An execution of an abstract program says nothing about the concrete one.
        Proof::Counterexample(_) if !layers.is_empty() => Err(Reason::Unused("layer").into()),
        Proof::Counterexample(run) => {
            replay::check(&program, run, budget)?;
            Ok(Claim::reachable(&program, run, digests))
        }
    }
}

/// Decodes a certificate (SPEC.md section 2).
///
/// # Errors
/// `Encoding` or `Version`.
pub fn decode(bytes: &[u8]) -> Result<Certificate, Failure> {
    let decoded: Result<Certificate, _> = threadproof_format::cbor::decode(bytes);
    let certificate = decoded.map_err(Reason::Encoding).at(|| "certificate".to_owned())?;
    match certificate.version {
        VERSION => Ok(certificate),
        other => Err(Reason::Version(other).into()),
    }
}
