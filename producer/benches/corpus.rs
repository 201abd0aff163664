//! Proves and checks the whole corpus several times, and prints for each program what it took:
//! medians, sizes, and the ratio of checking to proving, all from one run.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use threadproof_format::cbor;
use threadproof_format::proof::{Certificate, Proof};
use threadproof_producer::engine::control::{Control, Progress};
use threadproof_producer::frontend::tp;
use threadproof_producer::prove::{Verdict, prove};

const RUNS: usize = 5;

struct Row {
    name: String,
    safe: bool,
    sizes: String,
    prove: Duration,
    check: Duration,
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn row(path: &PathBuf) -> Row {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let source = std::fs::read_to_string(path).expect("a program");
    let (mut proving, mut checking, mut sizes, mut safe) = (vec![], vec![], String::new(), false);
    for _ in 0..RUNS {
        let last: Arc<Mutex<Option<Progress>>> = Arc::default();
        let seen = last.clone();
        let progress = move |p: &Progress| *seen.lock().expect("no panic") = Some(*p);
        let control = Control { progress: Some(Arc::new(progress)), ..Control::default() };
        let start = Instant::now();
        let lowered = tp::lower(&name, &source).expect("a program of the corpus");
        let core = lowered.core_form();
        let verdict = prove(&lowered.program, &core, &control);
        proving.push(start.elapsed());
        let Verdict::Certified(claim, bytes) = verdict else { panic!("{name}: {verdict:?}") };
        let start = Instant::now();
        threadproof_checker::check(&core, &bytes).expect("accepted");
        checking.push(start.elapsed());
        safe = claim.safe;
        let iterations = last.lock().expect("no panic").map_or(0, |p| p.iteration);
        sizes = describe(iterations, &bytes);
    }
    Row { name, safe, sizes, prove: median(proving), check: median(checking) }
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

fn main() {
    let corpus = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(corpus)
        .expect("the corpus")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|e| e == "tp"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "the corpus is empty");
    println!("{RUNS} runs, medians");
    println!("{:<45} {:>6} iter. pred. trip. conf.   bytes  prove ms  check ms   ratio", "", "");
    let rows: Vec<Row> = paths.iter().map(row).collect();
    for row in &rows {
        let (prove, check) = (row.prove.as_secs_f64() * 1e3, row.check.as_secs_f64() * 1e3);
        let verdict = if row.safe { "safe" } else { "unsafe" };
        let ratio = check / prove;
        println!(
            "{:<45} {verdict:>6} {} {prove:>9.2} {check:>9.3} {ratio:>7.4}",
            row.name, row.sizes
        );
    }
    for (safe, title) in [(true, "safe"), (false, "unsafe")] {
        let part = || rows.iter().filter(|row| row.safe == safe);
        let total = |time: fn(&Row) -> Duration| part().map(time).sum::<Duration>().as_secs_f64();
        let (prove, check) = (total(|r| r.prove), total(|r| r.check));
        println!("all {title}: prove {prove:.3} s, check {check:.4} s, ratio {:.4}", check / prove);
    }
}
