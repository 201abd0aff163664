//! Proves and checks the whole corpus and families of growing programs several times, and prints for each
//! program what it took: medians, sizes, and the ratio of checking to proving, all from one run; then how
//! the figures stand to their targets, how time grows with the size of a program, and the drivers with abstract threads.

mod drivers;
mod growth;

use growth::{FAMILIES, Family, SIZES};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use threadproof_format::cbor;
use threadproof_format::proof::{Certificate, Conclusion, Proof};
use threadproof_producer::engine::control::{Control, Progress};
use threadproof_producer::frontend::tp;
use threadproof_producer::prove::{Verdict, prove};

const RUNS: usize = 5;

/// Runs of a program of a family.
const FAMILY_RUNS: usize = 3;

struct Row {
    name: String,
    conclusion: Conclusion,
    sizes: String,
    prove: Duration,
    check: Duration,
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// Proves a program so many times.
fn row(name: &str, source: &str, runs: usize) -> Row {
    let (mut proving, mut checking, mut last) = (vec![], vec![], None);
    for _ in 0..runs {
        let latest: Arc<Mutex<Option<Progress>>> = Arc::default();
        let seen = latest.clone();
        let progress = move |p: &Progress| *seen.lock().expect("no panic") = Some(*p);
        let control = Control { progress: Some(Arc::new(progress)), ..Control::default() };
        let start = Instant::now();
        let lowered = tp::lower(name, source).expect("a program");
        let core = lowered.core_form();
        let verdict = prove(&lowered.program, &core, &control);
        proving.push(start.elapsed());
        let Verdict::Certified(claim, bytes) = verdict else { panic!("{name}: {verdict:?}") };
        let start = Instant::now();
        threadproof_checker::check(&core, &bytes).expect("accepted");
        checking.push(start.elapsed());
        let iterations = latest.lock().expect("no panic").map_or(0, |p| p.iteration);
        last = Some((claim.conclusion, describe(iterations, &bytes)));
    }
    let (conclusion, sizes) = last.expect("a run");
    Row {
        name: name.to_owned(),
        conclusion,
        sizes,
        prove: median(proving),
        check: median(checking),
    }
}

/// Iterations, predicates, triples, configurations, bytes.
fn describe(iterations: usize, bytes: &[u8]) -> String {
    let certificate: Certificate = cbor::decode(bytes).expect("a certificate");
    let (predicates, triples, configurations) = match &certificate.proof {
        Proof::ProofSpace(p) => (p.predicates.len(), p.basis.len(), p.configurations.len()),
        Proof::Counterexample(_) => (0, 0, 0),
    };
    let bytes = bytes.len();
    format!("{iterations:>5} {predicates:>5} {triples:>5} {configurations:>5} {bytes:>7}")
}

/// The programs of the corpus, by name.
fn corpus() -> Vec<(String, String)> {
    let corpus = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let mut programs: Vec<(String, String)> = std::fs::read_dir(corpus)
        .expect("the corpus")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|e| e == "tp"))
        .map(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).expect("a program"))
        })
        .collect();
    programs.sort();
    assert!(!programs.is_empty(), "the corpus is empty");
    programs
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn ratio(row: &Row) -> f64 {
    row.check.as_secs_f64() / row.prove.as_secs_f64()
}

fn print_title() {
    println!("{:<45} {:>15} iter. pred. trip. conf.   bytes  prove ms  check ms   ratio", "", "");
}

fn print_row(row: &Row) {
    let verdict = row.conclusion.word();
    let (prove, check) = (milliseconds(row.prove), milliseconds(row.check));
    println!(
        "{:<45} {verdict:>15} {} {prove:>9.2} {check:>9.3} {:>7.4}",
        row.name,
        row.sizes,
        ratio(row)
    );
}

/// Sums, and the figures that have a target.
fn print_summary(rows: &[Row]) {
    let mut conclusions: Vec<Conclusion> = Vec::new();
    for row in rows {
        if !conclusions.contains(&row.conclusion) {
            conclusions.push(row.conclusion);
        }
    }
    for conclusion in conclusions {
        let part: Vec<&Row> = rows.iter().filter(|row| row.conclusion == conclusion).collect();
        let total = |time: fn(&Row) -> Duration| part.iter().map(|r| time(r)).sum::<Duration>();
        let logarithms: f64 = part.iter().map(|r| milliseconds(r.prove).ln()).sum();
        let count = u32::try_from(part.len()).expect("few programs");
        let mean = (logarithms / f64::from(count)).exp();
        let longest = part.iter().max_by_key(|r| r.prove).expect("a program");
        let mut ratios: Vec<f64> = part.iter().map(|r| ratio(r)).collect();
        ratios.sort_by(f64::total_cmp);
        println!(
            "{count} {}: prove {:.1} ms, check {:.2} ms; geometric mean of prove {mean:.2} ms; \
             longest {:.1} ms ({}); median of check / prove {:.4}",
            conclusion.word(),
            milliseconds(total(|r| r.prove)),
            milliseconds(total(|r| r.check)),
            milliseconds(longest.prove),
            longest.name,
            ratios[ratios.len() / 2],
        );
    }
}

/// A family's rows, and the exponent of the power of N that time grows with from one to the next.
fn print_family(family: &Family) {
    println!("\n{}: {}", family.name, family.about);
    print_title();
    let mut growth = Vec::new();
    let mut before: Option<(usize, Duration)> = None;
    for n in SIZES {
        let row = row(&format!("{} {n}", family.name), &(family.program)(n), FAMILY_RUNS);
        assert_eq!(row.conclusion, Conclusion::Safe, "{}", row.name);
        print_row(&row);
        if let Some((smaller, time)) = before {
            let factor = row.prove.as_secs_f64() / time.as_secs_f64();
            let size = |n: usize| f64::from(u32::try_from(n).expect("a small number"));
            let exponent = factor.ln() / (size(n) / size(smaller)).ln();
            growth.push(format!("{smaller} to {n}: x {factor:.1} = N^{exponent:.1}"));
        }
        before = Some((n, row.prove));
    }
    println!("growth of prove: {}", growth.join(", "));
}

fn main() {
    println!("medians of {RUNS} runs");
    print_title();
    let mut rows = Vec::new();
    for (name, source) in corpus() {
        rows.push(row(&name, &source, RUNS));
        rows.last().into_iter().for_each(print_row);
    }
    print_summary(&rows);
    FAMILIES.iter().for_each(print_family);
    drivers::print();
}
