//! `threadproof prove`: search, certificate, and a check before anything is claimed.

use super::{Failed, files, limits::Watch, progress};
use crate::certify;
use crate::engine::control::Control;
use crate::engine::proof_space::{self, Options, Outcome};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::{Arc, atomic::AtomicBool};
use std::time::{Duration, Instant};
use threadproof_checker::claim::Claim;
use threadproof_format::cbor;
use threadproof_format::proof::{Certificate, Proof, VERSION};

#[derive(Debug, clap::Args)]
pub(super) struct Prove {
    /// Program (.tp or .core)
    file: PathBuf,
    /// Where to write the certificate
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print the verdict as JSON
    #[arg(long)]
    json: bool,
    /// Give up after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time_limit: Option<Duration>,
    /// Give up when the process uses so many MiB
    #[arg(long, value_name = "MIB")]
    memory_limit: Option<u64>,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let value: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(value).map_err(|error| error.to_string())
}

/// What a run found.
enum Verdict {
    /// Safe or unsafe, with the certificate's bytes; the checker has accepted them.
    Certified(Box<Claim>, Vec<u8>),
    /// Neither; why, and lines about what was tried.
    Unknown(String, Vec<(&'static str, Vec<String>)>),
}

impl Prove {
    pub(super) fn run(&self) -> Result<u8, Failed> {
        let source = files::source(&self.file)?;
        let stop = Arc::new(AtomicBool::new(false));
        let json = self.json;
        let give_up = move |why: &str| {
            let verdict = Verdict::Unknown(why.to_owned(), Vec::new());
            let _ = files::print(&verdict.text(json, None, Duration::ZERO));
            verdict.code()
        };
        let start = Instant::now();
        let watch = Watch::start(stop.clone(), self.time_limit, self.memory_limit, give_up)?;
        let bar = progress::line();
        let control = Control { stop, progress: Some(progress::observer(&bar)) };
        let mut verdict = search(&source, &control);
        bar.finish_and_clear();
        watch.finish();
        if let (Verdict::Unknown(reason, _), Some(stopped)) = (&mut verdict, watch.reason()) {
            *reason = stopped;
        }
        let mut written = None;
        if let (Verdict::Certified(_, bytes), Some(path)) = (&verdict, &self.output) {
            files::write(path, bytes)?;
            written = Some(path.display().to_string());
        }
        files::print(&verdict.text(self.json, written.as_deref(), start.elapsed()))?;
        Ok(verdict.code())
    }
}

/// Searches for a proof or a counterexample, completes it, and checks it.
fn search(source: &files::Source, control: &Control) -> Verdict {
    let unknown = |why: String| Verdict::Unknown(why, Vec::new());
    let proof = match proof_space::prove(&source.program, &Options::default(), control) {
        Outcome::Safe(draft) => match certify::hints::complete(&source.program, draft, control) {
            Ok(proof) => Proof::ProofSpace(proof),
            Err(error) => return unknown(format!("the proof could not be completed: {error}")),
        },
        Outcome::Unsafe(run) => Proof::Counterexample(run),
        Outcome::Unknown(why) => {
            let details = vec![
                ("tried", why.tried),
                ("last trace without a proof", why.trace),
                ("newest predicates", why.predicates),
            ];
            return Verdict::Unknown(why.reason, details);
        }
    };
    match certificate(&source.core, proof) {
        Ok((claim, bytes)) => Verdict::Certified(Box::new(claim), bytes),
        Err(error) => unknown(format!("the checker does not accept what was found: {error}")),
    }
}

/// The certificate of a proof about the program with this core form, after the checker has
/// accepted it.
///
/// # Errors
/// What the checker says.
pub(crate) fn certificate(
    core: &str,
    proof: Proof,
) -> Result<(Claim, Vec<u8>), Box<dyn std::error::Error>> {
    let statement = threadproof_checker::core_form::statement(core).map_err(|e| e.to_string())?;
    let program = threadproof_format::Digest::of([statement.as_bytes()]);
    let bytes = cbor::encode(&Certificate { proof, program, version: VERSION, statement })?;
    Ok((threadproof_checker::check(core, &bytes)?, bytes))
}

impl Verdict {
    fn code(&self) -> u8 {
        match self {
            Verdict::Certified(claim, _) => u8::from(!claim.safe),
            Verdict::Unknown(..) => 2,
        }
    }

    fn text(&self, json: bool, written: Option<&str>, time: Duration) -> String {
        match self {
            Verdict::Certified(claim, bytes) if json => {
                let claim_json: Value = serde_json::from_str(&claim.json()).unwrap_or_default();
                let object = json!({
                    "verdict": if claim.safe { "safe" } else { "unsafe" },
                    "claim": claim_json,
                    "certificate": written,
                    "bytes": bytes.len(),
                    "seconds": time.as_secs_f64(),
                });
                format!("{object}\n")
            }
            Verdict::Certified(claim, bytes) => {
                let word = if claim.safe { "SAFE" } else { "UNSAFE" };
                let file = match written {
                    Some(path) => format!("certificate: {path}, {} bytes", bytes.len()),
                    None => "no certificate written: name a file with -o FILE".to_owned(),
                };
                format!("{word} ({:.2} s)\n{claim}{file}\n", time.as_secs_f64())
            }
            Verdict::Unknown(reason, details) if json => {
                let details: serde_json::Map<String, Value> =
                    details.iter().map(|(k, lines)| ((*k).to_owned(), json!(lines))).collect();
                let object = json!({"verdict": "unknown", "reason": reason, "details": details});
                format!("{object}\n")
            }
            Verdict::Unknown(reason, details) => {
                let mut text = format!("UNKNOWN: {reason}\n");
                for (title, lines) in details.iter().filter(|(_, lines)| !lines.is_empty()) {
                    text += &format!("{title}:\n");
                    lines.iter().for_each(|line| text += &format!("  {line}\n"));
                }
                text
            }
        }
    }
}
