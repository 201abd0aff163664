//! `threadproof export`: a certificate in another form.

use super::{Failed, files};
use crate::invariant::{export, print};
use std::path::PathBuf;
use threadproof_format::proof::Proof;

#[derive(Debug, clap::Args)]
pub(super) struct Export {
    /// Print a proof space as the invariant that it shows, as `certify` reads it
    #[arg(long, required = true)]
    invariant: bool,
    /// Certificate
    certificate: PathBuf,
}

impl Export {
    pub(super) fn run(&self) -> Result<u8, Failed> {
        let stated = files::stated(&self.certificate)?;
        let program = stated.proved();
        let Proof::ProofSpace(proof) = &stated.certificate.proof else {
            return Err(Failed("a counterexample has no invariant".to_owned()));
        };
        let invariant = export::export(program, proof)?;
        files::print(&print::invariant(program, &invariant))?;
        Ok(0)
    }
}
