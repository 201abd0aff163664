//! The checker on any certificate: it answers, and does not accept what is known to be false.

use crate::explicit::{Bounds, Explored, explore};
use crate::kinds;
use std::cell::Cell;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use threadproof_checker::claim::Claim;
use threadproof_checker::error::Failure;
use threadproof_checker::internals::core_form;
use threadproof_checker::verdict::verdict;
use threadproof_format::program::{Program, Template};
use threadproof_format::proof::{Certificate, Conclusion};
use threadproof_format::{Digest, cbor};

/// A checker, as [`threadproof_checker::check`] is one.
pub type Checker<'a> = dyn Fn(&str, &[u8]) -> Result<Claim, Failure> + 'a;

/// Variables and inputs beyond which brute force would take too long.
const MOST: usize = 8;

/// A program for bytes that name none.
const NO_PROGRAM: &str = "core 1; many t { location a; }";

thread_local! {
    /// Whether what runs now may panic, as it knows small numbers only.
    static SMALL: Cell<bool> = const { Cell::new(false) };
}

/// Judges what a checker accepts.
pub struct Judge {
    /// Whether the program with a digest is safe.
    known: HashMap<[u8; 32], bool>,
}

impl Judge {
    /// Knows the programs of the arena whose claims are right, from a folder with good
    /// certificates.
    ///
    /// # Panics
    /// If there are too few.
    pub fn new(good: &Path) -> Self {
        let mut known = HashMap::new();
        for entry in std::fs::read_dir(good).unwrap_or_else(|e| panic!("{}: {e}", good.display())) {
            let path = entry.expect("a file").path();
            if path.extension().is_some_and(|e| e == "cert") {
                let certificate: Certificate =
                    cbor::decode(&std::fs::read(&path).expect("a file")).expect("a certificate");
                if let Some(safe) = is_safe(certificate.proof.conclusion()) {
                    known.insert(certificate.program.0, safe);
                }
            }
        }
        for safe in [true, false] {
            assert!(known.values().filter(|s| **s == safe).count() >= 20, "few programs are known");
        }
        Judge { known }
    }

    /// Has a checker check the bytes about the program that they state. Whether it accepts them.
    ///
    /// # Errors
    /// What is false about an acceptance, or that the answer cannot be printed.
    pub fn run(&mut self, checker: &Checker<'_>, bytes: &[u8]) -> Result<bool, String> {
        let certificate = cbor::decode::<Certificate>(bytes);
        let core = certificate.as_ref().map_or(NO_PROGRAM, |c| &c.statement);
        let answer = checker(core, bytes);
        if [false, true].into_iter().any(|json| verdict(&answer, json).0.is_empty()) {
            return Err("nothing is said".to_owned());
        }
        match (&answer, &certificate) {
            (Ok(claim), Ok(certificate)) => self.accepted(claim, certificate, bytes).map(|()| true),
            (Ok(_), Err(_)) => Err("these bytes are no certificate".to_owned()),
            (Err(_), _) => Ok(false),
        }
    }

    fn accepted(&mut self, claim: &Claim, of: &Certificate, bytes: &[u8]) -> Result<(), String> {
        if (claim.program, claim.certificate) != (of.program, Digest::of([bytes])) {
            return Err("the claim has another digest".to_owned());
        }
        let core = &of.statement;
        let (program, _) = core_form::parse(core).map_err(|e| format!("no program: {e}"))?;
        if claim.conclusion != of.proof.conclusion() {
            return Err("the claim belongs to another proof".to_owned());
        }
        let executed = small(|| kinds::of(&of.proof).executes(&program));
        let executed = executed.and_then(|executed| executed.unwrap_or(Ok(())));
        executed.map_err(|e| format!("no execution, {e}:\n{core}"))?;
        let Some(safe) = is_safe(claim.conclusion) else { return Ok(()) };
        let known = match self.known.get(&claim.program.0) {
            Some(known) => *known,
            None => safe && !is_wrong(&program)?,
        };
        self.known.insert(claim.program.0, known);
        if known == safe { Ok(()) } else { Err(format!("safe is {known} of\n{core}")) }
    }
}

/// Whether a program with this conclusion is safe, where that says it.
fn is_safe(conclusion: Conclusion) -> Option<bool> {
    match conclusion {
        Conclusion::Safe => Some(true),
        // What comes after more rounds is open, and brute force counts none.
        Conclusion::SafeWithin { .. } => None,
        Conclusion::ErrorReachable => Some(false),
    }
}

/// Whether brute force finds an error with few threads and values.
fn is_wrong(program: &Program) -> Result<bool, String> {
    let of_template =
        |t: &Template| t.locals.len() + t.edges.iter().map(|e| e.inputs.len()).sum::<usize>();
    if program.globals.len() + program.templates.iter().map(of_template).sum::<usize>() > MOST {
        return Ok(false);
    }
    let wrong = |threads| {
        let bounds = Bounds { threads, values: vec![0, 1], states: 300 };
        matches!(explore(program, &bounds), Explored::Error(..))
    };
    Ok(small(|| (1..=2).any(wrong))?.unwrap_or(false))
}

/// Runs what knows small numbers only; `None` where they are greater.
///
/// # Errors
/// Another panic.
fn small<T>(run: impl FnOnce() -> T) -> Result<Option<T>, String> {
    SMALL.set(true);
    let result = catch_unwind(AssertUnwindSafe(run));
    SMALL.set(false);
    let panic = match result {
        Ok(value) => return Ok(Some(value)),
        Err(panic) => panic,
    };
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or_default();
    let greater = ["with overflow", "a small constant"].iter().any(|part| text.contains(part));
    if greater { Ok(None) } else { Err(format!("it makes no sense: {text}")) }
}

/// Lets panics of `small` pass, which is asked what they are: libFuzzer takes every other one for a
/// crash.
pub fn allow_greater_numbers() {
    let crash = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !SMALL.get() {
            crash(info);
        }
    }));
}
