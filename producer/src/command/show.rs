//! `threadproof show`: a certificate for a person.

use super::{Failed, files};
use crate::report;
use std::path::PathBuf;
use threadproof_checker::core_form;
use threadproof_format::proof::Proof;

#[derive(Debug, clap::Args)]
pub(super) struct Show {
    /// Certificate
    certificate: PathBuf,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

impl Show {
    pub(super) fn run(&self) -> Result<u8, Failed> {
        let bytes = files::read(&self.certificate)?;
        let certificate = threadproof_checker::decode(&bytes)?;
        let (program, digest) = core_form::parse(&certificate.statement)?;
        if digest != certificate.program {
            return Err(Failed("the certificate's statement has another digest".to_owned()));
        }
        let sections = match &certificate.proof {
            Proof::ProofSpace(proof) => report::proof_space::sections(&program, proof)?,
            Proof::Counterexample(run) => report::run::sections(&program, run)?,
        };
        let size = format!("{} bytes", bytes.len());
        let mut head = vec![format!("program sha256:{digest}"), size];
        head.push("shown as it stands, not checked: use `threadproof check`".to_owned());
        let sections: Vec<_> = [("certificate", head)].into_iter().chain(sections).collect();
        files::print(&report::render(&sections, self.json))?;
        Ok(0)
    }
}
