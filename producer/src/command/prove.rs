//! `threadproof prove`: search, certificate, and a check before anything is claimed.

use super::{Failed, files, limits::Watch, progress};
use crate::abstraction;
use crate::engine::control::Control;
use crate::frontend::c::Options;
use crate::portfolio::{Plan, Strategy};
use crate::prove::{Unknown, Verdict};
use crate::report::{self, Section};
use serde_json::{Value, json};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, atomic::AtomicBool};
use std::time::{Duration, Instant};
use threadproof_checker::claim::Claim;
use threadproof_format::proof::Proof;

/// Exit code when neither a proof nor a counterexample was found.
pub(super) const UNKNOWN: u8 = 2;

#[derive(Debug, clap::Args)]
pub(super) struct Prove {
    /// Program (.tp, .c, .i or .core)
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
    /// Try only this strategy; may be repeated
    #[arg(long, value_name = "NAME", value_parser = strategy)]
    strategy: Vec<Strategy>,
    /// Threads that strategies run on side by side; with 1 the same program always gives the same
    /// certificate [default: the machine's cores]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// A program (.core) that abstracts this one thread by thread; each further one abstracts the one
    /// before
    #[arg(long = "abstract", value_name = "FILE")]
    abstractions: Vec<PathBuf>,
    /// Prove it for exactly so many threads of each template with [*]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    exactly: Option<u32>,
    #[command(flatten)]
    options: Options,
}

/// A strategy by its name, spaces written as hyphens.
fn strategy(name: &str) -> Result<Strategy, String> {
    let all = Strategy::portfolio();
    let slug = |s: &Strategy| s.name().to_lowercase().replace([' ', ','], "-").replace("--", "-");
    let names: Vec<String> = all.iter().map(slug).collect();
    let found = all.into_iter().find(|s| slug(s) == name);
    found.ok_or_else(|| format!("no such strategy; there are {}", names.join(", ")))
}

fn seconds(text: &str) -> Result<Duration, String> {
    let value: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(value).map_err(|error| error.to_string())
}

impl Prove {
    pub(super) fn run(&self) -> Result<u8, Failed> {
        let mut source = files::source_in(&self.file, &self.options)?;
        for path in &self.abstractions {
            source.layers.push(files::source(path)?.stated().into());
        }
        let source = source.exactly(self.exactly)?;
        let stop = Arc::new(AtomicBool::new(false));
        let start = Instant::now();
        let watch =
            Watch::start(stop.clone(), self.time_limit, self.memory_limit, give_up(self.json))?;
        let bar = progress::line();
        let control =
            Control { stop, progress: Some(progress::observer(&bar)), ..Control::default() };
        let plan = self.plan(&source);
        let (stated, layers) = (source.stated(), &source.layers);
        let (verdict, aside) = abstraction::prove(&stated, layers, &plan, &control);
        bar.finish_and_clear();
        watch.finish();
        match verdict {
            Verdict::Certified(claim, bytes) => {
                if let Some(path) = &self.output {
                    files::write(path, &bytes)?;
                }
                let elapsed = start.elapsed();
                let run = [aside, interleaving(&source, &bytes)?].concat();
                let how = (self.output.as_deref(), self.json);
                files::print(&certified(&claim, bytes.len(), elapsed, &run, how))?;
                Ok(u8::from(!claim.safe))
            }
            Verdict::Unknown(mut why) => {
                why.reason = watch.reason().unwrap_or(why.reason);
                files::print(&unknown(&why, self.json))?;
                Ok(UNKNOWN)
            }
        }
    }

    fn plan(&self, source: &files::Source) -> Plan {
        let cores = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let mut plan = Plan {
            threads: self.threads.map_or_else(cores, NonZeroUsize::get),
            clauses: source.clauses.clone(),
            ..Plan::default()
        };
        if !self.strategy.is_empty() {
            plan.strategies.clone_from(&self.strategy);
        }
        plan
    }
}

/// What is printed of a certificate that was accepted.
pub(super) fn certified(
    claim: &Claim,
    bytes: usize,
    time: Duration,
    run: &[Section],
    (output, json): (Option<&Path>, bool),
) -> String {
    let file = output.map(|path| path.display().to_string());
    if json {
        let claim_json: Value = serde_json::from_str(&claim.json()).unwrap_or_default();
        let run: serde_json::Map<String, Value> =
            run.iter().map(|(title, lines)| ((*title).to_owned(), json!(lines))).collect();
        let object = json!({
            "verdict": if claim.safe { "safe" } else { "unsafe" },
            "claim": claim_json,
            "certificate": file,
            "bytes": bytes,
            "seconds": time.as_secs_f64(),
            "counterexample": run,
        });
        return format!("{object}\n");
    }
    let word = if claim.safe { "SAFE" } else { "UNSAFE" };
    let file = match file {
        Some(path) => format!("certificate: {path}, {bytes} bytes"),
        None => "no certificate written: name a file with -o FILE".to_owned(),
    };
    let run = report::render(run, false);
    format!("{word} ({:.2} s)\n{run}{claim}{file}\n", time.as_secs_f64())
}

/// A counterexample with the source's lines; nothing for a proof.
fn interleaving(source: &files::Source, certificate: &[u8]) -> Result<Vec<Section>, Failed> {
    match threadproof_checker::decode(certificate)?.proof {
        Proof::ProofSpace(_) => Ok(Vec::new()),
        Proof::Counterexample(run) => {
            Ok(report::run::sections(&source.program, &run, &source.notes)?)
        }
    }
}

/// What a run does whose search does not stop when it is asked to.
pub(super) fn give_up(json: bool) -> impl Fn(&str) -> u8 + Send + 'static {
    move |why| {
        // The process ends with this exit code whether or not the text can be printed.
        let _ = files::print(&unknown(&why.to_owned().into(), json));
        UNKNOWN
    }
}

/// What is printed when there is no verdict.
pub(super) fn unknown(why: &Unknown, json: bool) -> String {
    if json {
        let details: serde_json::Map<String, Value> =
            why.details.iter().map(|(k, lines)| ((*k).to_owned(), json!(lines))).collect();
        let object = json!({"verdict": "unknown", "reason": why.reason, "details": details});
        return format!("{object}\n");
    }
    let mut text = format!("UNKNOWN: {}\n", why.reason);
    for (title, lines) in why.details.iter().filter(|(_, lines)| !lines.is_empty()) {
        text += &format!("{title}:\n");
        lines.iter().for_each(|line| text += &format!("  {line}\n"));
    }
    text
}
