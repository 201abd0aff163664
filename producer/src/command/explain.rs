//! `threadproof explain`: why error traces are infeasible, by the derivations that a proof gives.

use super::{Failed, files};
use crate::explain::random::Generator;
use crate::explain::trace::Trace;
use crate::explain::{ExplainError, explain};
use crate::report::{self, derivation::Report};
use crate::text::file::{self, FileError};
use serde_json::json;
use std::path::PathBuf;
use threadproof_checker::verdict::verdict;
use threadproof_format::program::Program;
use threadproof_format::proof::Proof;
use threadproof_format::proof::proof_space::ProofSpace;

/// Exit code when an accepted proof gives no derivation, which is a defect.
const DEFECT: u8 = 1;

#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("what").required(true))]
pub(super) struct Explain {
    /// Certificate file, of a safe program
    certificate: PathBuf,
    /// Explain the error trace in FILE; each line has the next steps of one thread, such as
    /// `worker 2: L1 -> L2 -> L3`
    #[arg(long, value_name = "FILE", group = "what")]
    trace: Option<PathBuf>,
    /// Explain N random error traces of the control-flow graphs
    #[arg(long, value_name = "N", group = "what")]
    random: Option<u64>,
    /// Seed of the random traces
    #[arg(long, value_name = "SEED", default_value_t = 1, conflicts_with = "trace")]
    seed: u64,
    /// Print the derivations as JSON, for another program to check
    #[arg(long)]
    pub(super) json: bool,
}

impl Explain {
    pub(super) fn run(&self) -> Result<u8, Failed> {
        let stated = files::stated(&self.certificate)?;
        let files::Shown { bytes, certificate, .. } = &stated;
        let proof = match &certificate.proof {
            Proof::ProofSpace(proof) => proof,
            Proof::Counterexample(_) => {
                let why = "the certificate is a counterexample: print it with `show`";
                return Err(Failed::Said(why.to_owned()));
            }
        };
        let checked = threadproof_checker::check(&certificate.statement, bytes);
        if checked.is_err() {
            let (text, verdict) = verdict(&checked, self.json);
            files::print(&text)?;
            return Ok(verdict.code());
        }
        let program = stated.proved();
        let mut derivations = Vec::new();
        for trace in self.traces(program, proof)? {
            match explain(program, proof, &trace) {
                Ok(derivation) => {
                    let report = Report::new(program, proof, &trace, &derivation)?;
                    match self.json {
                        true => derivations.push(report.json()?),
                        false => {
                            self.print(&report, &trace.lines(program, 0..trace.steps.len()))?
                        }
                    }
                }
                Err(ExplainError::NoDerivation) => {
                    files::print(&self.defect(trace.lines(program, 0..trace.steps.len())))?;
                    return Ok(DEFECT);
                }
                Err(error) => return Err(error.into()),
            }
        }
        if self.json {
            let object = json!({"program": certificate.program.to_string(), "traces": derivations});
            files::print(&format!("{object}\n"))?;
        }
        Ok(0)
    }

    fn traces(&self, program: &Program, proof: &ProofSpace) -> Result<Vec<Trace>, Failed> {
        if let Some(path) = &self.trace {
            let trace = Trace::parse(program, &file::read_text(path)?);
            return Ok(vec![trace.map_err(FileError::of(path))?]);
        }
        let generator = Generator::new(program, proof.witness.as_ref(), self.seed);
        let mut generator =
            generator.ok_or("no path of a control-flow graph ends at an error location")?;
        Ok((0..self.random.unwrap_or(0)).map(|_| generator.trace()).collect())
    }

    /// Prints a derivation, after its trace if it is a random one.
    fn print(&self, report: &Report<'_>, trace: &[String]) -> Result<(), Failed> {
        let mut sections = report.sections()?;
        if self.random.is_some() {
            sections.insert(0, ("trace", trace.to_vec()));
        }
        files::print(&report::render(&sections, false))
    }

    fn defect(&self, trace: Vec<String>) -> String {
        let what = "the certificate is accepted, but gives no derivation: this is a defect of \
                    threadproof, please report it";
        if self.json {
            return format!("{}\n", json!({"verdict": "defect", "reason": what, "trace": trace}));
        }
        format!("{what}\n{}", report::render(&[("trace", trace)], false))
    }
}
