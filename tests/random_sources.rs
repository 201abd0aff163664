//! The language against its core programs: an interpreter that was written from docs/language.md, and shares
//! nothing with the front end, and brute force on the core program have the same traces, step by step. So for
//! random programs of all constructs and for those of corpus/, with 1 to 3 threads of each `[*]` template.
//!
//! `THREADPROOF_RANDOM_PROGRAMS` and `THREADPROOF_RANDOM_SEED` set how many programs there are and the first one's seed.

#[path = "common/explicit.rs"]
mod explicit;
#[path = "common/source.rs"]
mod source;
#[path = "common/surface/mod.rs"]
mod surface;
#[path = "common/traces.rs"]
mod traces;

use quickcheck::{Arbitrary, Gen};
use std::path::Path;
use surface::ast::Unit;
use surface::interpret::Machine;
use surface::parse;
use threadproof_format::program::Program;
use threadproof_producer::frontend::{Lowered, tp};
use traces::{Compared, Core, compare};

/// Programs, if nothing else is said.
const PROGRAMS: u64 = 1_500;

/// How much is compared of one program.
#[derive(Clone, Copy)]
struct Effort {
    /// The most threads of each `[*]` template.
    threads: usize,
    /// Pairs of sets of states, for each number of threads.
    pairs: usize,
}

/// Integers that are tried where any is possible.
const INTS: [i64; 3] = [-1, 0, 1];

/// Compares a program with its core program, and its abstract ones with theirs, for each number of threads.
fn judge(unit: &Unit, lowered: &Lowered, effort: Effort) -> Result<Vec<Compared>, String> {
    let layers = lowered.layers.iter().map(|layer| &layer.program);
    let mut out = Vec::new();
    for (layer, program) in std::iter::once(&lowered.program).chain(layers).enumerate() {
        out.extend(judge_layer(unit, program, layer, effort)?);
    }
    Ok(out)
}

fn judge_layer(
    unit: &Unit,
    program: &Program,
    layer: usize,
    effort: Effort,
) -> Result<Vec<Compared>, String> {
    // What an abstract thread does is a choice among the integers that are tried.
    let range = if layer == 0 { -6..=6 } else { -1..=1 };
    let one = |threads: usize| {
        let machine = Machine::new(unit, layer, threads, &INTS);
        let core = Core::new(program, machine.declared(), threads, &INTS);
        compare(&machine, &core, range.clone(), effort.pairs)
            .map_err(|trace| format!("layer {layer}, {threads} threads:\n{trace}"))
    };
    (1..=effort.threads).map(one).collect()
}

fn from_environment(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}

/// The program with this seed.
fn generate(seed: u64) -> Unit {
    Unit::arbitrary(&mut Gen::from_size_and_seed(10, seed))
}

#[test]
fn random_programs_do_what_their_core_programs_do() {
    let programs = from_environment("THREADPROOF_RANDOM_PROGRAMS").unwrap_or(PROGRAMS);
    let first = from_environment("THREADPROOF_RANDOM_SEED").unwrap_or(1);
    let effort = Effort { threads: 3, pairs: 60 };
    let mut refused = 0;
    let mut found = Vec::new();
    for seed in first..first + programs {
        let unit = generate(seed);
        let text = unit.to_string();
        assert_eq!(parse::unit(&text), unit, "seed {seed}:\n{text}");
        if std::env::var("SHOW").is_ok() {
            println!("SEED {seed}\n{text}")
        }
        match tp::lower("random.tp", &text) {
            Ok(lowered) => match judge(&unit, &lowered, effort) {
                Ok(compared) => found.extend(compared),
                Err(why) => panic!("seed {seed}: {why}\n{text}\n{}", reduced(&unit, effort)),
            },
            Err(e) => {
                refused += 1;
                if std::env::var("SHOW").is_ok() {
                    println!("{seed} {e}")
                }
            }
        }
    }
    let count = |kind| found.iter().filter(|c| **c == kind).count();
    let kinds = [Compared::All, Compared::Some, Compared::None].map(count);
    println!(
        "{programs} programs from seed {first}: {refused} refused by the front end; compared with all traces, some, none: {kinds:?}"
    );
}

/// A smaller program that fails.
fn reduced(unit: &Unit, effort: Effort) -> String {
    let failure = |unit: &Unit| {
        let lowered = tp::lower("random.tp", &unit.to_string()).ok()?;
        judge(unit, &lowered, effort).err().map(|why| (why, lowered))
    };
    let mut smallest = unit.clone();
    while let Some(smaller) = smallest.shrink().find(|unit| failure(unit).is_some()) {
        smallest = smaller;
    }
    let (why, lowered) = failure(&smallest).expect("it fails");
    format!("reduced: {why}\n{smallest}\n{}", lowered.core_form())
}

#[test]
fn the_corpus_does_what_its_core_programs_do() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let files = ["", "abstract"].iter().flat_map(|f| std::fs::read_dir(root.join(f)).unwrap());
    let mut files: Vec<_> = files
        .map(|f| f.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "tp"))
        .collect();
    files.sort();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let unit = parse::unit(&text);
        let lowered = tp::lower("test.tp", &text).unwrap();
        if let Err(e) = judge(&unit, &lowered, Effort { threads: 2, pairs: 100 }) {
            panic!("{}: {e}", file.display());
        }
    }
}
