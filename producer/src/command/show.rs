//! `threadproof show`: a certificate for a person.

use super::{Failed, files};
use crate::report;
use std::path::PathBuf;
use threadproof_checker::internals::core_form;
use threadproof_format::proof::Proof;

#[derive(Debug, clap::Args)]
pub(super) struct Show {
    /// Certificate file
    certificate: PathBuf,
    /// Program file (.tp) whose source lines are printed beside an interleaving
    file: Option<PathBuf>,
    /// Print as JSON
    #[arg(long)]
    pub(super) json: bool,
}

impl Show {
    pub(super) fn run(&self) -> Result<u8, Failed> {
        let stated = files::stated(&self.certificate)?;
        let files::Shown { bytes, certificate, program, layers } = &stated;
        let digest = certificate.program;
        let notes = match &self.file {
            None => Vec::new(),
            Some(file) => {
                let source = files::source(file)?;
                if core_form::parse(&source.core)?.1 != digest {
                    let name = file.display();
                    return Err(Failed::Said(format!(
                        "{name}: the certificate is about another program"
                    )));
                }
                source.notes
            }
        };
        let sections = match &certificate.proof {
            Proof::ProofSpace(proof) => report::proof_space::sections(stated.proved(), proof)?,
            Proof::Counterexample(run) => report::run::sections(program, run, &notes)?,
        };
        let size = format!("{} bytes", bytes.len());
        let mut head = vec![format!("program sha256:{digest}"), size];
        head.push("shown as it stands, not checked: use `threadproof check`".to_owned());
        let abstractions = report::abstraction::sections(program, layers, &certificate.layers)?;
        let all = [("certificate", head)].into_iter().chain(abstractions).chain(sections);
        let sections: Vec<_> = all.collect();
        files::print(&report::render(&sections, self.json))?;
        Ok(0)
    }
}
