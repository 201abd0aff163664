//! The drivers of the paper on abstract threads: proved with their abstract threads and without,
//! for any number of threads and for 1, 2, ... threads of each kind, as the paper's tables have
//! them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// The drivers, by the names of their files.
const DRIVERS: [&str; 2] = ["bluetooth_abstract", "battery"];

/// Numbers of threads; a column ends with the first one that takes longer than the limit.
const THREADS: std::ops::RangeInclusive<usize> = 1..=11;

/// Seconds after which a run is given up.
const LIMIT: &str = "20";

/// What a run of the prover took, and the certificate's bytes; `None` if it found no proof in time.
fn prove(program: &Path, certificate: &Path, more: &[&str]) -> Option<(Duration, usize)> {
    let start = Instant::now();
    let status = Command::new(env!("CARGO_BIN_EXE_threadproof"))
        .arg("prove")
        .arg(program)
        .args(["--threads", "1", "--time-limit", LIMIT, "-o"])
        .arg(certificate)
        .args(more)
        .output()
        .expect("the prover runs");
    let time = start.elapsed();
    let bytes = || std::fs::read(certificate).expect("a certificate").len();
    match status.status.code() {
        Some(0) => Some((time, bytes())),
        Some(2) => None,
        other => panic!("{}: exit {other:?}", program.display()),
    }
}

/// The core form of a driver, which has no abstract threads.
fn concrete(program: &Path, folder: &Path) -> PathBuf {
    let lowered = Command::new(env!("CARGO_BIN_EXE_threadproof"))
        .arg("lower")
        .arg(program)
        .output()
        .expect("the prover runs");
    assert!(lowered.status.success(), "{}", program.display());
    let path = folder.join("concrete.core");
    std::fs::write(&path, lowered.stdout).expect("the core form");
    path
}

/// Time of a check.
fn check(core: &Path, certificate: &Path) -> Duration {
    let core = std::fs::read_to_string(core).expect("the core form");
    let certificate = std::fs::read(certificate).expect("a certificate");
    let start = Instant::now();
    threadproof_checker::check(&core, &certificate).expect("accepted");
    start.elapsed()
}

fn text(found: Option<(Duration, usize)>) -> String {
    match found {
        Some((time, bytes)) => format!("{:>7.2} s {bytes:>8} bytes", time.as_secs_f64()),
        None => format!("{:>25}", format!("none in {LIMIT} s")),
    }
}

/// A driver's table.
fn print_driver(name: &str) {
    let corpus = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../corpus/abstract");
    let program = corpus.join(format!("{name}.tp"));
    let folder = tempfile::tempdir().expect("a folder");
    let (certificate, core) = (folder.path().join("cert"), concrete(&program, folder.path()));
    println!("\n{name}, prove (whole process, one thread): with abstract threads, without");
    let found = prove(&program, &certificate, &[]).expect("a proof for any number of threads");
    let checked = check(&core, &certificate).as_secs_f64() * 1e3;
    let alone = prove(&core, &certificate, &[]);
    println!("  any {}   {}   check {checked:.1} ms", text(Some(found)), text(alone));
    let mut going = [true, true];
    for n in THREADS.map(|n| n.to_string()) {
        let columns = [&program, &core].into_iter().zip(&mut going).map(|(file, going)| {
            let found = going.then(|| prove(file, &certificate, &["--exactly", &n])).flatten();
            *going = found.is_some();
            text(found)
        });
        println!("  {n:>3} {}", columns.collect::<Vec<_>>().join("   "));
    }
}

/// The tables of all drivers.
pub fn print() {
    DRIVERS.iter().for_each(|name| print_driver(name));
}
