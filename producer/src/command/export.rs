//! `threadproof export`: a certificate in another form.

use super::{Failed, files};
use crate::invariant::{export, print};
use crate::smtlib::{alethe, obligations};
use crate::text::file::FileError;
use std::path::{Path, PathBuf};
use threadproof_format::Digest;
use threadproof_format::proof::Proof;
use threadproof_format::proof::proof_space::ProofSpace;

#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("form").required(true))]
pub(super) struct Export {
    /// Print the invariant that a proof space establishes, in the format that `certify` reads
    #[arg(long, group = "form")]
    invariant: bool,
    /// Write the proof obligations of the certificate into a new folder: one SMT-LIB file for each
    /// triple, initial predicate, impossible configuration and part of a conformance proof, for
    /// any solver to find unsatisfiable
    #[arg(long, group = "form", value_name = "FOLDER")]
    obligations: Option<PathBuf>,
    /// Also write each refutation, as a proof in the Alethe format
    #[arg(long, requires = "obligations")]
    alethe: bool,
    /// Certificate file
    certificate: PathBuf,
}

impl Export {
    pub(super) fn run(&self) -> Result<u8, Failed> {
        let shown = files::stated(&self.certificate)?;
        let proved = shown.proved();
        let proof = match &shown.certificate.proof {
            Proof::ProofSpace(proof) => proof,
            Proof::Counterexample(_) => {
                let why = "a counterexample has no invariant and no obligations";
                return Err(Failed::Said(why.to_owned()));
            }
        };
        match &self.obligations {
            Some(folder) => self.write_obligations(&shown, proof, folder)?,
            None => {
                let invariant = export::export(proved, proof)?;
                files::print(&print::invariant(proved, &invariant))?;
            }
        }
        Ok(0)
    }

    fn write_obligations(
        &self,
        shown: &files::Shown,
        proof: &ProofSpace,
        folder: &Path,
    ) -> Result<(), Failed> {
        let layers = &shown.certificate.layers;
        let list = obligations::all(&shown.program, (layers, &shown.layers), proof)?;
        std::fs::create_dir(folder).map_err(FileError::of(folder))?;
        let about = format!(
            "; program sha256:{}\n; certificate sha256:{}\n",
            shown.certificate.program,
            Digest::of([shown.bytes.as_slice()])
        );
        let write = |name: &str, text: &str| files::write(&folder.join(name), text.as_bytes());
        let mut unproved = 0;
        for stated in &list {
            write(&format!("{}.smt2", stated.name), &(about.clone() + &stated.script()))?;
            if self.alethe {
                let proof = alethe::proof(stated);
                let proof = proof.map_err(|why| Failed::Said(format!("{}: {why}", stated.name)))?;
                match proof {
                    Some(proof) => write(&format!("{}.alethe", stated.name), &proof)?,
                    None => unproved += 1,
                }
            }
        }
        if self.alethe {
            write("arrays.rare", alethe::AXIOMS)?;
        }
        let count = list.len();
        let mut said =
            format!("{count} obligations; each is unsatisfiable if the proof is correct\n");
        if unproved > 0 {
            said += &format!("{unproved} of them contain a division and have no Alethe proof\n");
        }
        files::print(&said)
    }
}
