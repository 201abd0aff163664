//! `threadproof certify`: a proof from an invariant that a person or another tool gives.

use super::limits::{Ended, Limits};
use super::prove::{Proved, UNKNOWN, left, unknown};
use super::{Failed, files};
use crate::certify::invariant::{Extent, Failure, certify};
use crate::control::Control;
use crate::invariant;
use crate::prove::{Unknown, certificate};
use crate::report::{self, vacuous};
use crate::text::file;
use std::path::PathBuf;
use std::time::Instant;
use threadproof_format::proof::Proof;

#[derive(Debug, clap::Args)]
pub(super) struct Certify {
    /// Program file (.tp or .core)
    file: PathBuf,
    /// Invariant file (docs/invariants.md)
    invariant: PathBuf,
    /// Write the certificate to FILE
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print the verdict as JSON
    #[arg(long)]
    pub(super) json: bool,
}

impl Certify {
    pub(super) fn run(&self) -> Result<u8, Failed> {
        let source = files::source(&self.file)?;
        let name = self.invariant.display().to_string();
        let text = file::read_text(&self.invariant)?;
        let invariant =
            invariant::parse(&source.program, &name, &text).map_err(Failed::Diagnosed)?;
        let start = Instant::now();
        let (program, given) = (source.program.clone(), invariant.clone());
        let work = move |control: &Control| {
            control.begin("certifying the invariant");
            certify(&program, &given, Extent::All, control)
        };
        let (found, stopped) = match Limits::default().run(None, work)? {
            Ended::Done(found, stopped) => (found, stopped),
            Ended::Left(why, doing) => {
                files::print(&unknown(&left(why, doing), self.json))?;
                return Ok(UNKNOWN);
            }
        };
        let proof = match found {
            Ok(proof) => proof,
            Err(failure) => {
                let mut why = Unknown::from(failure.to_string());
                if let Failure::Counterexample(found) = failure {
                    (why.reason, why.details) = report::induction::sections(
                        &source.program,
                        &invariant,
                        &found,
                        &source.notes,
                    );
                }
                why.reason = stopped.map_or(why.reason, |stopped| stopped.to_string());
                files::print(&unknown(&why, self.json))?;
                return Ok(UNKNOWN);
            }
        };
        let (claim, bytes) = certificate(&source.core, Proof::ProofSpace(proof), Vec::new())?;
        if let Some(path) = &self.output {
            files::write(path, &bytes)?;
        }
        let proved = Proved {
            claim: &claim,
            bytes: bytes.len(),
            time: start.elapsed(),
            output: self.output.as_deref(),
            vacuous: vacuous::told(&claim, &source.program),
            help: None,
        };
        files::print(&proved.text(&[], self.json))?;
        Ok(proved.code())
    }
}
