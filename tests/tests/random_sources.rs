//! The language against its core programs: an interpreter that was written from docs/language.md,
//! and shares nothing with the front end, and brute force on the core program have the same traces,
//! step by step. So for random programs of all constructs and for those of corpus/, with 1 to 3
//! threads of each `[*]` template.
//!
//! `THREADPROOF_RANDOM_PROGRAMS` and `THREADPROOF_RANDOM_SEED` set how many programs there are and
//! the first one's seed; `make random` runs many, and compares more of each.

use std::path::{Path, PathBuf};
use threadproof_format::program::Program;
use threadproof_producer::frontend::tp;
use threadproof_producer::source::Source;
use threadproof_tests::damage::{DAMAGES, damaged, edges};
use threadproof_tests::property;
use threadproof_tests::surface::ast::Unit;
use threadproof_tests::surface::interpret::Machine;
use threadproof_tests::surface::parse;
use threadproof_tests::traces::{Compared, Core, Extent, compare};

/// Programs, if nothing else is said.
const PROGRAMS: u64 = 2_000;

/// Integers that are tried where any is possible.
const INTS: [i64; 3] = [-1, 0, 1];

/// How much is compared of one program.
#[derive(Clone, Copy)]
struct Effort {
    /// Threads of each `[*]` template, in one comparison after the other.
    threads: &'static [usize],
    /// Pairs of sets of states for one thread; for more threads a third of it.
    pairs: usize,
}

/// Compares a program with its core program, and its abstract ones with theirs.
fn judge(unit: &Unit, lowered: &Source, effort: Effort) -> Result<Vec<Compared>, String> {
    let layers = lowered.abstractions.iter().map(|layer| &layer.program);
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
    let one = |threads: &usize| {
        let machine = Machine::new(unit, layer, *threads, &INTS);
        let core = Core::new(program, machine.declared(), *threads, &INTS);
        let pairs = if *threads == 1 { effort.pairs } else { effort.pairs / 3 };
        compare(&machine, &core, range.clone(), pairs)
            .map_err(|trace| format!("layer {layer}, {threads} threads:\n{trace}"))
    };
    effort.threads.iter().map(one).collect()
}

/// The core program of a program, if the front end takes it.
fn lower(unit: &Unit) -> Option<Source> {
    tp::lower("random.tp", &unit.to_string()).ok()
}

/// What is compared of one program; `None` if the front end refuses it.
fn compared(seed: u64, unit: &Unit) -> Result<Option<Vec<Compared>>, String> {
    let effort = match (property::many(), seed % 2) {
        (Some(_), _) => Effort { threads: &[1, 2, 3], pairs: 300 },
        (None, 0) => Effort { threads: &[1, 2], pairs: 100 },
        (None, _) => Effort { threads: &[1, 3], pairs: 100 },
    };
    if parse::unit(&unit.to_string()) != *unit {
        return Err("it is read as another program".to_owned());
    }
    let Some(lowered) = lower(unit) else { return Ok(None) };
    let compared = judge(unit, &lowered, effort);
    compared.map(Some).map_err(|why| format!("{why}\n{}", lowered.core))
}

#[test]
fn random_programs_do_what_their_core_programs_do() {
    let seeds = property::seeds(PROGRAMS);
    let findings = property::findings(seeds.clone(), compared);
    let (programs, refused) = (findings.len(), findings.iter().filter(|f| f.is_none()).count());
    let found: Vec<Compared> = findings.into_iter().flatten().flatten().collect();
    let count = |extent| found.iter().filter(|c| c.extent == extent).count();
    let (all, some, nothing) = (count(Extent::All), count(Extent::Some), count(Extent::Nothing));
    println!(
        "{programs} programs from seed {}, {refused} of them refused by the front end; {} comparisons: \
         {all} of all traces, {some} of some, {nothing} of none; {} with a failing assertion, {} of fewer than 5 states",
        seeds.start,
        found.len(),
        found.iter().filter(|c| c.wrong).count(),
        found.iter().filter(|c| c.pairs < 5).count(),
    );
    assert!(20 * refused <= programs, "the generator makes programs that the front end refuses");
    assert!(4 * all >= found.len() && 20 * nothing <= found.len(), "too little is compared");
}

/// The programs of corpus/ and corpus/abstract/.
fn corpus() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let entries = |folder: &str| std::fs::read_dir(root.join(folder)).expect("the corpus");
    let paths = ["", "abstract"].into_iter().flat_map(entries).map(|f| f.expect("a file").path());
    let mut files: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|e| e == "tp")).collect();
    files.sort();
    files
}

#[test]
fn the_corpus_does_what_its_core_programs_do() {
    let (effort, files) = (Effort { threads: &[1, 2], pairs: 180 }, corpus());
    assert!(files.len() >= 300, "the corpus has {} programs", files.len());
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a text");
        let lowered = tp::lower("corpus.tp", &text).unwrap_or_else(|e| panic!("{e}"));
        if let Err(why) = judge(&parse::unit(&text), &lowered, effort) {
            panic!("{}: {why}", file.display());
        }
    }
}

#[test]
fn damage_to_random_core_programs_is_noticed() {
    let effort = Effort { threads: &[1, 2], pairs: 180 };
    let mut noticed = DAMAGES.map(|(kind, _)| (kind, 0, 0));
    for seed in 1..=200 {
        let unit: Unit = property::input(seed);
        let Some(lowered) = lower(&unit) else { continue };
        let edges = edges(&lowered.program);
        let at = edges[usize::try_from(seed).expect("small") * 7 % edges.len()];
        for ((_, damage), (_, found, all)) in DAMAGES.iter().zip(&mut noticed) {
            if let Some(wrong) = damaged(&lowered.program, at, *damage) {
                *found += usize::from(judge_layer(&unit, &wrong, 0, effort).is_err());
                *all += 1;
            }
        }
    }
    println!("noticed: {noticed:?}");
    // Other damage changes nothing: many edges of random programs cannot be taken, and many guards
    // always hold.
    assert!(noticed.iter().all(|(_, found, all)| 4 * found >= *all), "{noticed:?}");
}

#[test]
fn every_damage_to_this_core_program_is_noticed() {
    let unit = parse::unit(
        "global int g = 0; global int a[]; global lock m; init (a[0] == 0);
         int next(int k) { if (k == 1) { return 0; } return k + 1; }
         thread t[*] {
             local int x = -1; local bool b = false;
             lock(m);
             g = g + 1;
             while (x < 2) { x = x + 1; a[x] = g; if (a[x] == 2 || cas(b, false, true)) continue; g = g + 1; }
             atomic { havoc x; assume(x > 0); b = x > g; }
             x = next(g - 1);
             unlock(m);
         inside:
             x = x - 2;
             assert(count(inside) < 1 && g < 6);
         }",
    );
    let program = lower(&unit).expect("a program").program;
    let effort = Effort { threads: &[1, 2], pairs: 3_000 };
    assert!(judge_layer(&unit, &program, 0, effort).is_ok());
    let mut missed = Vec::new();
    for at in edges(&program) {
        for (kind, damage) in DAMAGES {
            let wrong = damaged(&program, at, damage);
            if wrong.is_some_and(|wrong| judge_layer(&unit, &wrong, 0, effort).is_ok()) {
                missed.push((at, kind));
            }
        }
    }
    assert!(missed.is_empty(), "{missed:?}");
}
