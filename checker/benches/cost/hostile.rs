//! What hostile files cost at most: seconds, and bytes of memory for each byte. Each pair of files
//! is checked by a process of its own, one after the other, within a bound on its memory.

use super::encoding::Input;
use super::shapes::{Shape, pairs, singles};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;
use threadproof_format::limits::{MAX_BYTES, MAX_WORK};
use threadproof_tests_trusted::cost::{Cost, charged, cpu_time, measure};

/// Memory that a check gets, in KiB.
const MEMORY: u64 = 14 << 20;
/// Bytes of the first round, which all shapes take part in.
const FIRST: usize = 4 << 20;
/// How many of the first round come to the second one, by memory and by time.
const WORST: usize = 6;
/// Less work tells nothing about the time that a unit takes.
const WORK: u64 = 10_000_000;
/// Lengths beyond which a product is not lengthened.
const LONGEST: usize = 1 << 20;

/// What a process that checked two files says of itself.
struct Checked {
    name: String,
    bytes: usize,
    seconds: f64,
    work: u64,
    /// The most memory that it had, in bytes.
    memory: u64,
    answer: String,
}

/// Checks two files, as `threadproof-check` does, and says what it took.
pub fn check(program: &str, certificate: &str) -> ExitCode {
    let program = std::fs::read_to_string(program).expect("a program");
    let certificate = std::fs::read(certificate).expect("a certificate");
    let start = cpu_time();
    let work = charged(&program, &certificate);
    let micros = (cpu_time() - start).as_micros();
    let status = std::fs::read_to_string("/proc/self/status").expect("this process");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("its memory");
    let peak = peak.trim().trim_end_matches(" kB");
    println!("{micros} {work} {peak}");
    ExitCode::SUCCESS
}

/// Measures hostile files of so many MiB, of the shapes that have these words in their names.
pub fn run(mib: usize, words: &[&str]) -> ExitCode {
    let bytes = (mib << 20).min(MAX_BYTES);
    let chosen = |shape: &Shape| words.iter().all(|word| shape.name.contains(word));
    let files = Files::new();
    println!("what the bytes cost, at {} MiB:", FIRST >> 20);
    let shapes: Vec<Shape> = singles().into_iter().filter(chosen).collect();
    let mut first: Vec<(usize, Checked)> = Vec::new();
    for (i, shape) in shapes.iter().enumerate() {
        // What cannot be long is no matter of bytes.
        if let Some(input) = of_size(shape, FIRST).filter(|input| input.bytes() > FIRST / 4) {
            first.push((i, files.checked(&shape.name, &input)));
        }
    }
    let mut worst: Vec<usize> = Vec::new();
    for by in [Checked::factor, Checked::per_byte] {
        first.sort_by(|(_, one), (_, other)| by(other).total_cmp(&by(one)));
        worst.extend(
            first
                .iter()
                .take(WORST)
                .map(|(i, _)| *i)
                .filter(|i| !worst.contains(i))
                .collect::<Vec<_>>(),
        );
    }
    println!("what the bytes cost, at {mib} MiB, of the shapes that cost most:");
    worst
        .into_iter()
        .filter_map(|i| Some((&shapes[i], of_size(&shapes[i], bytes)?)))
        .for_each(|(shape, input)| drop(files.checked(&shape.name, &input)));
    println!("what the work costs, up to its limit, where a unit costs most:");
    let mut products: Vec<(f64, Shape, usize)> = Vec::new();
    for shape in pairs().into_iter().filter(chosen) {
        if let Some((n, cost)) = working(&shape) {
            products.push((cost.time.as_secs_f64() / cost.work as f64, shape, n));
        }
    }
    products.sort_by(|one, other| other.0.total_cmp(&one.0));
    for (_, shape, mut n) in products.into_iter().take(WORST) {
        loop {
            let input = (shape.make)(n);
            let checked = files.checked(&shape.name, &input);
            if checked.work > MAX_WORK / 2 || n >= LONGEST || 2 * checked.bytes > bytes {
                break;
            }
            n *= 2;
        }
    }
    ExitCode::SUCCESS
}

/// The shape with files of about this size, the longer one at most that.
fn of_size(shape: &Shape, bytes: usize) -> Option<Input> {
    let longer = |input: &Input| input.core.len().max(input.certificate.len());
    let (low, high) = (longer(&(shape.make)(1024)), longer(&(shape.make)(2048)));
    let grown = high.saturating_sub(low);
    if grown == 0 {
        return None;
    }
    let n = bytes / 20 * 19 / grown * 1024 + 1024;
    // A product of lengths grows faster.
    (0..20).map(|half| (shape.make)(n >> half)).find(|input| longer(input) <= bytes)
}

/// A length at which enough work is done, and the cost.
fn working(shape: &Shape) -> Option<(usize, Cost)> {
    let mut n = 128;
    while n <= shape.most {
        let input = (shape.make)(n);
        let check = || charged(&input.core, &input.certificate);
        let cost = measure(check, cpu_time, input.bytes());
        if cost.work >= WORK {
            return Some((n, cost));
        }
        if cost.time > Duration::from_secs(1) {
            return None;
        }
        n *= 2;
    }
    None
}

/// Where the files are.
struct Files {
    program: PathBuf,
    certificate: PathBuf,
}

impl Files {
    fn new() -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile");
        std::fs::create_dir_all(&folder).expect("a folder");
        Files { program: folder.join("program"), certificate: folder.join("certificate") }
    }

    /// Has the input checked, and prints what it took.
    fn checked(&self, name: &str, input: &Input) -> Checked {
        std::fs::write(&self.program, &input.core).expect("a file");
        std::fs::write(&self.certificate, &input.certificate).expect("a file");
        let limited = format!("ulimit -v {MEMORY}; exec \"$0\" check \"$1\" \"$2\"");
        let own = std::env::current_exe().expect("this program");
        let mut command = Command::new("sh");
        let output = command.args(["-c", &limited]).args([&own, &self.program, &self.certificate]);
        let output = output.output().expect("a shell");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut said = said.split_whitespace();
        let mut count = || said.next().and_then(|word| word.parse::<u64>().ok());
        let (micros, work, kib) = (count(), count(), count());
        let answer = match kib {
            Some(_) => String::new(),
            None => format!("NO ANSWER: {}", output.status),
        };
        let seconds = Duration::from_micros(micros.unwrap_or(0)).as_secs_f64();
        let memory = kib.unwrap_or(MEMORY) << 10;
        let bytes = input.bytes();
        let name = name.to_owned();
        let work = work.unwrap_or(0);
        let checked = Checked { name, bytes, seconds, work, memory, answer };
        println!("{checked}");
        checked
    }
}

impl Checked {
    /// Bytes of memory for each byte of input.
    fn factor(&self) -> f64 {
        self.memory as f64 / self.bytes as f64
    }

    fn per_byte(&self) -> f64 {
        1e9 * self.seconds / self.bytes as f64
    }
}

impl std::fmt::Display for Checked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Checked { name, bytes, seconds, work, memory, answer } = self;
        write!(
            f,
            "{name:60}{bytes:11} bytes{seconds:9.2} s{work:12} units{:8} MiB {:6.1} ns/byte{:7.1} bytes/byte {answer}",
            memory >> 20,
            self.per_byte(),
            self.factor()
        )
    }
}
