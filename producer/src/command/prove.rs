//! `threadproof prove`: search, certificate, and a check before anything is claimed.

use super::limits::{Ended, Limits, Stopped};
use super::{Failed, files, progress};
use crate::control::Control;
use crate::frontend::{self, Options};
use crate::prove::{Answer, Plan, Strategy, Unknown, Verdict, prove};
use crate::report::{self, Section, vacuous};
use crate::source::Source;
use serde_json::{Value, json};
use std::num::{NonZeroUsize, ParseFloatError, ParseIntError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, TryFromFloatSecsError};
use threadproof_checker::claim::{Claim, Vacuous};
use threadproof_checker::verdict::Verdict as Checked;
use threadproof_format::proof::{Conclusion, Proof};

/// Exit code when an execution goes wrong: of a search this is the answer, of a check another one.
const UNSAFE: u8 = 1;

/// Exit code when neither a proof nor a counterexample was found.
pub(super) const UNKNOWN: u8 = 2;

#[derive(Clone, Debug, clap::Args)]
pub(super) struct Prove {
    /// Program file (.tp, .c, .i or .core)
    file: PathBuf,
    /// Write the certificate to FILE
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print the verdict as JSON
    #[arg(long)]
    pub(super) json: bool,
    /// Give up after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    time_limit: Option<Duration>,
    /// Give up when the process uses this many MiB of memory
    #[arg(long, value_name = "MIB")]
    memory_limit: Option<u64>,
    /// Try only this strategy; can be repeated
    #[arg(long, value_name = "NAME", value_parser = strategy)]
    strategy: Vec<Strategy>,
    /// Number of threads that run strategies in parallel; with 1, the same program always gives the
    /// same certificate [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = threads, allow_negative_numbers = true)]
    threads: Option<NonZeroUsize>,
    /// A program (.core) that abstracts this one thread by thread; can be repeated, each program
    /// abstracting the one before
    #[arg(long = "abstract", value_name = "FILE")]
    abstractions: Vec<PathBuf>,
    /// Prove the program for exactly N threads of each template with [*]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    exactly: Option<u32>,
    #[command(flatten)]
    options: Options,
}

/// Why the value of an option is refused.
#[derive(Debug, thiserror::Error)]
enum ValueError {
    /// No strategy has the name; those that there are.
    #[error("unknown strategy; expected one of {}", .0.join(", "))]
    Strategy(Vec<String>),
    /// A time is not a number.
    #[error("not a number of seconds")]
    Seconds(#[from] ParseFloatError),
    /// A number of threads is not an integer.
    #[error("not a number of threads")]
    Threads(#[from] ParseIntError),
    /// A number is zero or less.
    #[error("must be positive")]
    NotPositive,
    /// A time is too long, or NaN.
    #[error(transparent)]
    Time(#[from] TryFromFloatSecsError),
}

/// A strategy by its name, spaces written as hyphens.
fn strategy(name: &str) -> Result<Strategy, ValueError> {
    let all = Strategy::all();
    let slug = |s: &Strategy| s.name.to_lowercase().replace([' ', ','], "-").replace("--", "-");
    let names: Vec<String> = all.iter().map(slug).collect();
    let found = all.into_iter().find(|s| slug(s) == name);
    found.ok_or(ValueError::Strategy(names))
}

fn seconds(text: &str) -> Result<Duration, ValueError> {
    let value: f64 = text.parse()?;
    if value <= 0.0 {
        return Err(ValueError::NotPositive);
    }
    Ok(Duration::try_from_secs_f64(value)?)
}

fn threads(text: &str) -> Result<NonZeroUsize, ValueError> {
    let value: i64 = text.parse()?;
    let value = usize::try_from(value).ok().and_then(NonZeroUsize::new);
    value.ok_or(ValueError::NotPositive)
}

impl Prove {
    pub(super) fn run(&self) -> Result<u8, Failed> {
        let start = Instant::now();
        let bar = progress::line();
        let limits = Limits { time: self.time_limit, memory: self.memory_limit };
        let own = self.clone();
        let ended =
            limits.run(Some(progress::observer(&bar)), move |control| own.answer(control))?;
        bar.finish_and_clear();
        let (answer, stopped) = match ended {
            Ended::Done(answer, stopped) => (answer?, stopped),
            Ended::Left(why, doing) => {
                files::print(&unknown(&left(why, doing), self.json))?;
                return Ok(UNKNOWN);
            }
        };
        let (source, Answer { verdict, aside }) = answer;
        match verdict {
            Verdict::Certified(claim, bytes) => {
                if let Some(path) = &self.output {
                    files::write(path, &bytes)?;
                }
                let elapsed = start.elapsed();
                let run = [aside, interleaving(&source, &bytes)?].concat();
                let proved = Proved {
                    claim: &claim,
                    bytes: bytes.len(),
                    time: elapsed,
                    output: self.output.as_deref(),
                    vacuous: vacuous::told(&claim, &source.program),
                    help: match claim.vacuous {
                        Some(Vacuous::NoErrorLocation) => {
                            frontend::nothing_to_prove(&self.file, &self.options)
                        }
                        _ => None,
                    },
                };
                files::print(&proved.text(&run, self.json))?;
                Ok(proved.code())
            }
            Verdict::Unknown(mut why) => {
                why.reason = stopped.map_or(why.reason, |stopped| stopped.to_string());
                files::print(&unknown(&why, self.json))?;
                Ok(UNKNOWN)
            }
        }
    }

    /// Reads the program and proves it.
    fn answer(&self, control: &Control) -> Result<(Source, Answer), Failed> {
        control.begin("reading the program");
        let mut source = frontend::read(&self.file, &self.options)?;
        for path in &self.abstractions {
            source.abstractions.push(files::source(path)?);
        }
        let source = files::instances(source, self.exactly)?;
        let answer = prove(&source, &self.plan(), control);
        Ok((source, answer))
    }

    fn plan(&self) -> Plan {
        let cores = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let mut plan =
            Plan { threads: self.threads.map_or_else(cores, NonZeroUsize::get), ..Plan::default() };
        if !self.strategy.is_empty() {
            plan.strategies.clone_from(&self.strategy);
        }
        plan
    }
}

/// A certificate that was accepted.
pub(super) struct Proved<'a> {
    pub claim: &'a Claim,
    pub bytes: usize,
    pub time: Duration,
    /// Where the certificate was written.
    pub output: Option<&'a Path>,
    /// Why the claim says nothing, if it does, and what can be done about it.
    pub vacuous: Option<String>,
    pub help: Option<&'static str>,
}

impl Proved<'_> {
    /// What is printed of it, with an interleaving if it is one.
    pub(super) fn text(&self, run: &[Section], json: bool) -> String {
        let file = self.output.map(|path| path.display().to_string());
        let (claim, seconds) = (self.claim, self.time.as_secs_f64());
        if json {
            let claim_json: Value = serde_json::from_str(&claim.json()).unwrap_or_default();
            let run: serde_json::Map<String, Value> =
                run.iter().map(|(title, lines)| ((*title).to_owned(), json!(lines))).collect();
            let object = json!({
                "verdict": word(claim.conclusion),
                "vacuous": claim.vacuous.map(Vacuous::word),
                "reason": self.vacuous,
                "help": self.help,
                "claim": claim_json,
                "certificate": file,
                "bytes": self.bytes,
                "seconds": seconds,
                "counterexample": run,
            });
            return format!("{object}\n");
        }
        let head = match claim.conclusion {
            Conclusion::Safe => "SAFE".to_owned(),
            Conclusion::SafeWithin { rounds } => format!("SAFE WITHIN {rounds} ROUNDS"),
            Conclusion::ErrorReachable => "UNSAFE".to_owned(),
        };
        let head = match &self.vacuous {
            Some(why) => format!("{head}, but vacuous: {why}"),
            None => head,
        };
        let help = self.help.map(|help| format!("help: {help}\n")).unwrap_or_default();
        let file = match file {
            Some(path) => format!("certificate: {}, {} bytes", report::visible(&path), self.bytes),
            None => "no certificate written: name a file with -o FILE".to_owned(),
        };
        let run = report::render(run, false);
        format!("{head} ({seconds:.2} s)\n{help}{run}{claim}{file}\n")
    }

    pub(super) fn code(&self) -> u8 {
        match self.claim.conclusion {
            Conclusion::ErrorReachable => UNSAFE,
            Conclusion::Safe | Conclusion::SafeWithin { .. } => Checked::of(self.claim).code(),
        }
    }
}

/// The verdict in JSON.
fn word(conclusion: Conclusion) -> &'static str {
    match conclusion {
        Conclusion::Safe | Conclusion::SafeWithin { .. } => conclusion.word(),
        Conclusion::ErrorReachable => "unsafe",
    }
}

/// A counterexample with the source's lines; nothing for a proof.
fn interleaving(source: &Source, certificate: &[u8]) -> Result<Vec<Section>, Failed> {
    match threadproof_checker::decode(certificate)?.proof {
        Proof::ProofSpace(_) => Ok(Vec::new()),
        Proof::Counterexample(run) => {
            Ok(report::run::sections(&source.program, &run, &source.notes)?)
        }
    }
}

/// The report of a run that was left at a limit.
pub(super) fn left(why: Stopped, doing: String) -> Unknown {
    Unknown { reason: why.to_string(), details: vec![("last activity", vec![doing])] }
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
        lines.iter().for_each(|line| text += &format!("  {}\n", report::visible(line)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(conclusion: Conclusion, vacuous: Option<Vacuous>) -> (String, Value, u8) {
        let stored = |ending| {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus/certificates/good/adding");
            std::fs::read(format!("{path}.{ending}")).expect("a file of the arena")
        };
        let claim = threadproof_checker::check(&stored("core"), &stored("cert"));
        let mut claim = claim.expect("it is accepted");
        (claim.conclusion, claim.vacuous) = (conclusion, vacuous);
        let (time, why) = (Duration::ZERO, vacuous.map(|why| why.to_string()));
        let proved =
            Proved { claim: &claim, bytes: 0, time, output: None, vacuous: why, help: None };
        let object = serde_json::from_str(&proved.text(&[], true)).expect("an object");
        (proved.text(&[], false), object, proved.code())
    }

    #[test]
    fn each_conclusion_has_its_word_and_its_exit_code() {
        for (conclusion, word, json, code) in [
            (Conclusion::Safe, "SAFE (", "safe", 0),
            (Conclusion::SafeWithin { rounds: 3 }, "SAFE WITHIN 3 ROUNDS (", "safe-within", 5),
            (Conclusion::ErrorReachable, "UNSAFE (", "unsafe", 1),
        ] {
            let (text, object, got) = said(conclusion, None);
            assert!(text.starts_with(word), "{text}");
            assert_eq!((object["verdict"].as_str(), got), (Some(json), code), "{object}");
            assert_eq!(object["claim"]["conclusion"], conclusion.word(), "{object}");
        }
        let within = Conclusion::SafeWithin { rounds: 3 };
        let (text, object, code) = said(within, Some(Vacuous::NoErrorPath));
        assert!(text.starts_with("SAFE WITHIN 3 ROUNDS, but vacuous: no path"), "{text}");
        assert_eq!((&object["claim"]["rounds"], code), (&3.into(), 4), "{object}");
    }
}
