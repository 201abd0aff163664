//! No safe program of the corpus is safe for lack of executions: each of its assertions is
//! reached, and each of its steps can be taken.

use super::corpus::{bounds, lower, read};
use threadproof_checker::error::Budget;
use threadproof_checker::internals::replay;
use threadproof_format::program::{Location, Program};
use threadproof_producer::frontend::tp;
use threadproof_producer::source::Source;
use threadproof_tests::corpus::corpus;
use threadproof_tests::explicit::{counterexample, search};

/// States that a search for one error may visit.
const STATES: usize = 400_000;

/// The source with one assertion's condition negated, for each of its assertions.
fn negated(source: &str) -> Vec<String> {
    let starts = source.match_indices("assert(").map(|(i, word)| i + word.len());
    starts.map(|start| negate(source, start)).collect()
}

/// Negates the condition that begins here and ends at the closing parenthesis.
fn negate(source: &str, start: usize) -> String {
    let mut open = 1;
    let length = source[start..].find(|c| {
        open += i32::from(c == '(') - i32::from(c == ')');
        open == 0
    });
    let end = start + length.expect("a closing parenthesis");
    format!("{}!({}){}", &source[..start], &source[start..end], &source[end..])
}

/// Whether an error is reached that the checker replays, by up to three threads.
fn goes_wrong(file: &str, program: &Program) -> bool {
    let run = |threads| {
        let mut bounds = bounds(file, threads, STATES);
        if file == "thread_pool.tp" {
            // A block of ten tasks has to fit.
            bounds.values = vec![0, 10];
        }
        search(program, &bounds)
    };
    let Some((start, steps)) = (1..=3).find_map(run) else {
        return false;
    };
    let example = counterexample(&start, &steps);
    replay::check(program, &example, &Budget::default()).expect(file);
    true
}

#[test]
fn a_safe_program_with_one_assertion_negated_is_unsafe() {
    let mut count = 0;
    for entry in corpus().iter().filter(|e| e.safe) {
        let variants = negated(&read(&entry.file));
        assert!(!variants.is_empty(), "{} asserts nothing", entry.file);
        for source in variants {
            let lowered = tp::lower(&entry.file, &source).unwrap_or_else(|e| panic!("{e}"));
            assert!(goes_wrong(&entry.file, &lowered.program), "vacuous:\n{source}");
            count += 1;
        }
    }
    assert!(count >= 90, "{count} assertions");
}

/// The program in which the end of one step is an error. A step that divides has an edge for each
/// sign: they have one source and one note.
fn marked(lowered: &Source, template: usize, edge: usize) -> Program {
    let mut program = lowered.program.clone();
    let notes = &lowered.notes[template];
    let template = &mut program.templates[template];
    let (source, end) = (template.edges[edge].source, template.locations.len());
    for (other, note) in template.edges.iter_mut().zip(notes) {
        if other.source == source && *note == notes[edge] {
            other.target = u32::try_from(end).expect("few locations");
        }
    }
    template.locations.push(Location { name: "taken".to_owned(), error: true });
    program
}

#[test]
fn each_step_of_a_safe_program_can_be_taken() {
    for entry in corpus().iter().filter(|e| e.safe) {
        let lowered = lower(&entry.file);
        for (t, template) in lowered.program.templates.iter().enumerate() {
            for (e, edge) in template.edges.iter().enumerate() {
                let target = usize::try_from(edge.target).expect("an index");
                let fails = template.locations[target].error;
                let program = marked(&lowered, t, e);
                assert!(fails || goes_wrong(&entry.file, &program), "{}", lowered.notes[t][e]);
            }
        }
    }
}
