//! The two checkers on the same pairs of a program and a certificate: this process is the one in Rust, and a script in
//! `tests/comparison` has the other one, makes the pairs and compares.
//!
//! `THREADPROOF_COMPARE` are arguments for the script: `make compare` runs all of it.

mod common;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, Stdio};
use threadproof_checker::claim::{Claim, verdict};
use threadproof_checker::error::{Budget, Failure, Reason};
use threadproof_checker::check_within;

/// Work for one pair: enough for the small ones here. What takes more is not compared (SPEC.md section 11).
const WORK: u64 = 50_000_000;

/// Runs the script with some arguments: its exit code, and what it has to say.
fn script(arguments: &[&str]) -> (Option<i32>, String) {
    let mut child = Command::new("python3")
        .arg(common::root().join("tests/comparison/main.py"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3");
    let mut answers = child.stdin.take().expect("its input");
    let mut requests = BufReader::new(child.stdout.take().expect("its output"));
    let mut said = String::new();
    let mut line = String::new();
    while requests.read_line(&mut line).expect("a line") > 0 {
        if let Some(lengths) = line.strip_prefix("judge ") {
            let mut lengths = lengths.split_whitespace().map(|n| n.parse().expect("a length"));
            let mut next = || {
                let mut bytes = vec![0; lengths.next().expect("two lengths")];
                requests.read_exact(&mut bytes).expect("the bytes");
                bytes
            };
            let (program, certificate) = (next(), next());
            let answer = answer(&program, &certificate);
            answers.write_all(answer.as_bytes()).and_then(|()| answers.flush()).expect("a reader");
        } else {
            print!("{line}");
            said.push_str(&line);
        }
        line.clear();
    }
    (child.wait().expect("its end").code(), said)
}

/// A line: where the check ended, a tab, and the verdict as JSON.
fn answer(program: &[u8], certificate: &[u8]) -> String {
    let checked = catch_unwind(AssertUnwindSafe(|| judged(program, certificate)));
    checked.unwrap_or_else(|_| "panic\t{\"verdict\":\"crash\",\"category\":\"panic\"}\n".to_owned())
}

fn judged(program: &[u8], certificate: &[u8]) -> String {
    let mut budget = Budget(WORK);
    let result = match std::str::from_utf8(program) {
        Ok(program) => check_within(program, certificate, &mut budget),
        Err(_) => Err(Reason::Syntax(1, 1, "the program is not UTF-8".to_owned()).into()),
    };
    let depth = (WORK - budget.0).checked_ilog2().unwrap_or_default();
    let json = verdict(&result, true).0;
    format!("{}\t{depth}\t{}\n", rule(&result), json.trim_end())
}

/// The rule at which a check ends: its reason, and the place without numbers.
fn rule(result: &Result<Claim, Failure>) -> String {
    match result {
        Ok(claim) => format!("accepted with {} notes", claim.notes.len()),
        Err(Failure { place, reason: Reason::Syntax(_, _, what) }) => {
            format!("{}: syntax: {}", shape(place), shape(what))
        }
        Err(Failure { place, reason }) => {
            format!("{}: {}", shape(place), shape(&format!("{reason:?}")))
        }
    }
}

/// A text without digits, quoted words and control characters.
fn shape(text: &str) -> String {
    let quoted = text.split('`').enumerate().map(|(k, part)| if k % 2 == 0 { part } else { "`" });
    quoted.collect::<String>().replace(|c: char| c.is_ascii_digit() || c.is_control(), "")
}

/// The figure before a word of a report.
fn figure(said: &str, word: &str) -> usize {
    let words: Vec<&str> = said.split_whitespace().collect();
    let at = words.iter().position(|w| *w == word).unwrap_or_else(|| panic!("no {word}:\n{said}"));
    words[at - 1].parse().expect("a number")
}

#[test]
fn guided() {
    let arguments = std::env::var("THREADPROOF_COMPARE").expect("arguments");
    let arguments: Vec<&str> = arguments.split_whitespace().collect();
    let (code, said) = script(&arguments);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(figure(&said, "differences"), 0);
}
