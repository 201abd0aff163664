//! The programs of corpus/: each lowers to a core form that the
//! checker reads as the same program, and explicit execution agrees with the verdicts.

use std::path::{Path, PathBuf};
use threadproof_checker::error::Budget;
use threadproof_checker::internals::{core_form, replay};
use threadproof_producer::frontend::tp;
use threadproof_producer::source::Source;
use threadproof_tests::corpus::corpus;
use threadproof_tests::explicit::{Bounds, counterexample, initial, search};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus")
}

pub fn read(file: &str) -> String {
    std::fs::read_to_string(folder().join(file)).unwrap_or_else(|e| panic!("{file}: {e}"))
}

pub fn lower(file: &str) -> Source {
    match tp::lower(file, &read(file)) {
        Ok(lowered) => lowered,
        Err(errors) => panic!("{errors}"),
    }
}

#[test]
fn every_program_opens_with_a_comment_and_lowers_the_same_way_twice() {
    for entry in corpus() {
        assert!(read(&entry.file).starts_with("// "), "{}", entry.file);
        assert_eq!(lower(&entry.file), lower(&entry.file));
    }
}

#[test]
fn the_checker_reads_the_core_form_as_the_same_program() {
    for entry in corpus() {
        let lowered = lower(&entry.file);
        let (program, _) = core_form::parse(&lowered.core).expect(&entry.file);
        assert_eq!(program, lowered.program, "{}", entry.file);
    }
}

/// Initial values that lead to an error soon where there is one.
pub fn bounds(file: &str, threads: usize, states: usize) -> Bounds {
    let starts = |names: &[&str]| names.iter().any(|name| file.starts_with(name));
    let values = match file {
        "thread_pool_off_by_one.tp" => vec![0, 10],
        _ if starts(&["semaphore_two"]) => vec![2, 3],
        _ if starts(&["double_checked"]) => vec![7],
        _ if starts(&["thread_pool_swap"]) => vec![0, 3],
        _ if starts(&["stack", "semaphore_one", "cas_maximum", "clh_lock"]) => vec![0, 1, 2],
        _ if starts(&["consensus", "sticky_error", "thread_pool_guided"]) => vec![0, 1, 2],
        // Quotients and remainders of both signs.
        _ if starts(&["striped_locks"]) => vec![-1, 0],
        _ => vec![0, 1],
    };
    Bounds { threads, values, states }
}

#[test]
fn no_safe_program_goes_wrong_on_few_threads_and_small_values() {
    for entry in corpus().iter().filter(|e| e.safe) {
        let program = lower(&entry.file).program;
        for threads in 1..=3 {
            let bounds = bounds(&entry.file, threads, 10_000);
            assert!(!initial(&program, &bounds).is_empty(), "{}", entry.file);
            let found = search(&program, &bounds);
            assert!(found.is_none(), "{}, {threads} threads: {found:?}", entry.file);
        }
    }
}

#[test]
fn every_unsafe_program_goes_wrong_soon_and_the_checker_replays_it() {
    for entry in corpus().iter().filter(|e| !e.safe) {
        let program = lower(&entry.file).program;
        let run = |n| search(&program, &bounds(&entry.file, n, 400_000));
        let found = (1..=3).find_map(run);
        let (start, steps) = found.unwrap_or_else(|| panic!("{}: no error", entry.file));
        let most = match entry.file.as_str() {
            "thread_pool_off_by_one.tp" => 68,
            "courtois_no_mutex.tp" => 32,
            _ => 27,
        };
        assert!(steps.len() <= most, "{}: {} steps", entry.file, steps.len());
        let example = counterexample(&start, &steps);
        let replayed = replay::check(&program, &example, &Budget::default());
        assert!(replayed.is_ok(), "{}: {:?}", entry.file, replayed.err());
    }
}
