//! The search for executions alone: the broken programs of the corpus, cases of its own, and random
//! programs against brute force. What it finds is executed by the tests' own reading of core
//! programs.

use threadproof_checker::internals::core_form::parse;
use threadproof_format::program::Program;
use threadproof_format::proof::counterexample::Counterexample;
use threadproof_producer::control::Control;
use threadproof_producer::engine::explore::{Answer, Explore};
use threadproof_producer::frontend::tp;
use threadproof_tests::corpus::{Entry, corpus, manifest};
use threadproof_tests::explicit::{self, Bounds, Explored};
use threadproof_tests::harness::{arg, run, threadproof};
use threadproof_tests::property;
use threadproof_tests::random::RandomProgram;

/// The work of one turn.
const TURN: u64 = 20_000;

/// What the search ends with after so many turns; a run has been executed.
fn search(program: &Program, turns: usize) -> Result<Option<Counterexample>, String> {
    let mut explore = Explore::new(program);
    for _ in 0..turns {
        match explore.run(TURN, &Control::default()) {
            Answer::Found(run) => {
                explicit::execute(program, &run).map_err(|why| format!("{why}: {run:?}"))?;
                return Ok(Some(run));
            }
            Answer::Exhausted => return Ok(None),
            Answer::NotYet => {}
        }
    }
    Ok(None)
}

/// A program of the corpus in core form.
fn lowered(entry: &Entry) -> Program {
    let path = entry.path();
    let check = entry.check.as_ref().map_or(Vec::new(), |check| vec!["--check", check]);
    let (code, core, error) = run(threadproof(), &[&["lower", arg(&path)], &check[..]].concat());
    assert_eq!(code, 0, "{}: {error}", entry.file);
    parse(&core).expect("a core form").0
}

/// The programs of the corpus that the search judges wrongly.
fn wrong(entries: &[Entry], turns: usize) -> Vec<String> {
    let judge = |entry: &Entry| match search(&lowered(entry), turns) {
        Ok(found) if found.is_some() != entry.safe => None,
        Ok(found) => Some(format!("{}: {found:?}", entry.file)),
        Err(why) => Some(format!("{}: {why}", entry.file)),
    };
    entries.iter().filter_map(judge).collect()
}

#[test]
fn every_broken_program_is_refuted() {
    let all: Vec<Entry> = corpus().into_iter().chain(manifest("corpus/c", ".c", 80)).collect();
    let broken: Vec<Entry> = all.into_iter().filter(|entry| !entry.safe).collect();
    let wrong = wrong(&broken, 200);
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), broken.len(), wrong.join("\n"));
}

#[test]
fn no_safe_program_is_refuted() {
    let all = corpus().into_iter().chain(manifest("corpus/c", ".c", 80));
    let safe: Vec<Entry> = all.filter(|entry| entry.safe).collect();
    let wrong = wrong(&safe, 1);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The counterexample of a program in the language: how many threads and steps it has.
fn shortest(text: &str, turns: usize) -> (usize, usize) {
    let program = tp::lower("case.tp", text).expect("a program").program;
    let found = search(&program, turns).expect("an execution");
    let run = found.unwrap_or_else(|| panic!("nothing is found: {text}"));
    (run.start.threads.len(), run.schedule.len())
}

#[test]
fn remainders_are_found() {
    let lost_write = "global int pos = 0; global int a[];
        thread t[*] {
            local int p;
            atomic { p = pos; pos = pos + 1; }
            a[p % 2] = p;
            assert(a[p % 2] == p);
        }";
    assert_eq!(shortest(lost_write, 100), (3, 6));
    let guard = "global int deq = 0; global int seq[]; init (seq[0] == 0);
        thread w { seq[0] = 1; }
        thread c { local int pos; pos = deq; if (seq[pos % 4] == pos + 1) { assert(false); } }";
    assert_eq!(shortest(guard, 100), (2, 4));
    let counts = "global int x = 0;
        thread t[*] { x = x + 1; assert(x % 2 == 0 || x % 2 == 1 && x < 2); }";
    assert_eq!(shortest(counts, 100), (3, 4));
}

/// Three threads that count, and whose sum is wrong only where all have come to the end.
fn counting(to: usize) -> String {
    format!(
        "global int x = 0;
         thread t[*] {{
             local int i = 0;
             while (i < {to}) {{ i = i + 1; x = x + 1; }}
             assert(x < {});
         }}",
        3 * to
    )
}

#[test]
fn long_executions_are_found() {
    // Each round is three steps, and one thread takes two more at the end.
    assert_eq!(shortest(&counting(40), 100), (3, 3 * 3 * 40 + 2));
    assert_eq!(shortest(&counting(1_000), 300), (3, 3 * 3 * 1_000 + 2));
}

#[test]
fn the_command_line_has_it_as_a_strategy() {
    let folder = tempfile::tempdir().unwrap();
    let prove = |text: &str| {
        let file = folder.path().join("case.tp");
        std::fs::write(&file, text).unwrap();
        let how = ["prove", arg(&file), "--strategy", "executions", "--time-limit", "2"];
        run(threadproof(), &how)
    };
    let (code, said, _) = prove(&counting(40));
    assert!(code == 1 && said.starts_with("UNSAFE"), "{said}");
    let (code, said, _) = prove("global int x = 0; thread t[*] { x = x + 1; assert(x > 0); }");
    assert!(code == 2 && said.contains("random steps in"), "{said}");
}

/// Random programs, if nothing else is said.
const PROGRAMS: u64 = 400;

/// An error that brute force finds with one to three threads and few states.
fn brute_force(program: &Program) -> Option<usize> {
    (1..=3).find_map(|threads| {
        let bounds = Bounds { threads, values: (-1..=2).collect(), states: 400 };
        match explicit::explore(program, &bounds) {
            Explored::Error(_, steps) => Some(steps.len()),
            Explored::All | Explored::Some => None,
        }
    })
}

/// Who finds an error.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Finder {
    Both,
    SearchAlone,
    Neither,
}

fn compared(input: &RandomProgram) -> Result<Finder, String> {
    let program = parse(&input.to_string()).map_err(|e| format!("no program: {e}"))?.0;
    let wanted = brute_force(&program);
    let turns = if wanted.is_some() { 100 } else { 1 };
    match (wanted, search(&program, turns)?) {
        (Some(_), Some(_)) => Ok(Finder::Both),
        (None, Some(_)) => Ok(Finder::SearchAlone),
        (None, None) => Ok(Finder::Neither),
        (Some(steps), None) => Err(format!("{steps} steps are not found")),
    }
}

#[test]
fn what_brute_force_finds_is_found() {
    let findings = property::findings(property::seeds(PROGRAMS), |_, input| compared(input));
    let count = |finder| findings.iter().filter(|found| **found == finder).count();
    let [both, alone, neither] = [Finder::Both, Finder::SearchAlone, Finder::Neither].map(count);
    println!("{both} errors found by both, {alone} by the search alone, {neither} by neither");
    assert!(5 * both > findings.len() && neither > 0);
}
