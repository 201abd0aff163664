//! `threadproof certify`: a proof from an invariant that a person or another tool gives.

use super::prove::{Proved, UNKNOWN, give_up, unknown};
use super::{Failed, files, limits::Watch};
use crate::certify::invariant::{Extent, Failure, certify};
use crate::control::Control;
use crate::invariant;
use crate::prove::{Unknown, certificate};
use crate::report::{self, vacuous};
use std::path::PathBuf;
use std::sync::{Arc, atomic::AtomicBool};
use std::time::Instant;
use threadproof_format::proof::Proof;

#[derive(Debug, clap::Args)]
pub(super) struct Certify {
    /// Program (.tp or .core)
    file: PathBuf,
    /// Invariant
    invariant: PathBuf,
    /// Where to write the certificate
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
        let text = files::read_text(&self.invariant)?;
        let invariant =
            invariant::parse(&source.program, &name, &text).map_err(Failed::Diagnosed)?;
        let stop = Arc::new(AtomicBool::new(false));
        let start = Instant::now();
        let watch = Watch::start(stop.clone(), None, None, give_up(self.json))?;
        let found = certify(
            &source.program,
            &invariant,
            Extent::All,
            &Control { stop, ..Control::default() },
        );
        watch.finish();
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
                why.reason = watch.reason().unwrap_or(why.reason);
                files::print(&unknown(&why, self.json))?;
                return Ok(UNKNOWN);
            }
        };
        let (claim, bytes) = certificate(&source.core, Proof::ProofSpace(proof))?;
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
