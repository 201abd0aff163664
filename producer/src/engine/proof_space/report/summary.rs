//! What the strategies of a search have tried, and why there is no answer.

use super::diagnosis::{PREDICATES, TRACE, Tried, diagnose};
use crate::engine::proof_space::attempt::Attempt;
use crate::engine::{GROWING, HELP, NEXT, TRIED, Unknown};
use crate::logic::model::{Facts, number};
use crate::logic::predicates::Predicates;
use crate::logic::{print, steps};
use crate::trace::Word;

/// The report of a search, for a reason.
pub fn summary(
    facts: &Facts,
    predicates: &Predicates,
    attempts: &[Attempt],
    reason: &str,
) -> Unknown {
    let last = attempts.iter().rev().find_map(|a| a.last.as_ref());
    let added = attempts.iter().rev().find(|a| !a.added.is_empty());
    let all: Vec<Tried<'_>> = attempts.iter().map(tried).collect();
    let diagnosis = diagnose(facts, predicates, &all, last);
    let newest = added.map_or_else(Vec::new, |a| {
        a.added.iter().map(|p| predicate(facts, predicates, *p)).collect()
    });
    Unknown {
        reason: reason.to_owned(),
        details: vec![
            (TRIED, attempts.iter().map(line).collect()),
            (TRACE, last.map(|w| trace(facts, w)).unwrap_or_default()),
            (PREDICATES, newest),
            (GROWING, diagnosis.growing),
            (HELP, diagnosis.help),
            (NEXT, diagnosis.next),
        ],
    }
}

fn tried(attempt: &Attempt) -> Tried<'_> {
    Tried { name: attempt.strategy.name, known: &attempt.known, state: attempt.state }
}

/// What a strategy did, in a line.
fn line(attempt: &Attempt) -> String {
    let paths = match attempt.paths {
        0 => String::new(),
        paths => format!(" ({paths} by path programs)"),
    };
    format!(
        "{}: {} refinements{paths}, {} predicates, {} triples; {}",
        attempt.strategy.name,
        attempt.iterations,
        attempt.known.len(),
        attempt.basis.triples.len(),
        attempt.state,
    )
}

fn trace(facts: &Facts, word: &Word) -> Vec<String> {
    let program = facts.program;
    let step = |(command, thread): &(usize, u8)| {
        let command = &facts.commands[*command];
        let template = number(command.template);
        let name = steps::thread_name(program, template, u32::from(*thread) + 1);
        (name, template, number(command.edge))
    };
    steps::lines(program, word.steps.iter().map(step))
}

fn predicate(facts: &Facts, predicates: &Predicates, predicate: u32) -> String {
    let predicate = predicates.get(predicate);
    print::assertion(facts.program, &predicate.threads, &[], &predicate.expr)
}
