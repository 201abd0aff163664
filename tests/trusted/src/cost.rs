//! What a check costs: its time, against the bytes that it reads and the work that it charges
//! (SPEC.md section 11).

use ciborium::Value;
use std::hint::black_box;
use std::time::Duration;
use threadproof_checker::check_within;
use threadproof_checker::error::Budget;
use threadproof_format::limits::MAX_WORK;

/// Time that a byte of program or certificate may take, whatever it is: it is read, decoded,
/// encoded again, hashed, compared. Twice what the worst byte takes: an empty sum of a lemma (`make
/// cost WORDS=format:`).
pub const PER_BYTE: Duration = Duration::from_nanos(400);
/// Time that a unit of charged work may take.
pub const PER_UNIT: Duration = Duration::from_nanos(100);
/// Less than this is never objected to.
pub const FLOOR: Duration = Duration::from_millis(20);
/// How often what is over the bound is measured again before it is objected to.
const REPETITIONS: usize = 5;

/// What one check cost.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    pub time: Duration,
    /// Units of work that it charged.
    pub work: u64,
    /// Bytes of program and certificate.
    pub bytes: usize,
}

impl Cost {
    /// The time that the bytes and the charged work account for.
    pub fn bound(&self) -> Duration {
        let times =
            |each: Duration, count: f64| Duration::from_secs_f64(each.as_secs_f64() * count);
        #[allow(clippy::cast_precision_loss, reason = "a bound on time")]
        let (bytes, work) = (self.bytes as f64, self.work as f64);
        times(PER_BYTE, bytes) + times(PER_UNIT, work)
    }

    /// The time as a share of the bound: over 1 is too much.
    pub fn share(&self) -> f64 {
        self.time.as_secs_f64() / self.bound().as_secs_f64().max(1e-9)
    }

    /// Whether the charge does not account for the time.
    pub fn is_hidden(&self) -> bool {
        self.time > FLOOR && self.time > self.bound()
    }
}

/// Checks, and gives the work that it charged.
pub fn charged(program: &str, certificate: &[u8]) -> u64 {
    let budget = Budget::default();
    drop(black_box(check_within(program, certificate, &budget)));
    MAX_WORK - budget.left()
}

/// CPU time of this thread, so that it does not matter who else uses the machine.
///
/// # Panics
/// If the system does not tell it: it has to be Linux.
pub fn cpu_time() -> Duration {
    // The kernel counts up to now only when it schedules.
    std::thread::yield_now();
    let path = "/proc/thread-self/schedstat";
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let first = text.split_whitespace().next().and_then(|word| word.parse().ok());
    Duration::from_nanos(first.unwrap_or_else(|| panic!("{path}: {text}")))
}

/// Measures a check, which gives its charge: the least time of some repetitions if it is over the
/// bound.
pub fn measure(
    mut check: impl FnMut() -> u64,
    mut clock: impl FnMut() -> Duration,
    bytes: usize,
) -> Cost {
    let mut once = || {
        let start = clock();
        let work = check();
        Cost { time: clock().saturating_sub(start), work, bytes }
    };
    let mut least = once();
    for _ in 1..REPETITIONS {
        if !least.is_hidden() {
            break;
        }
        least.time = least.time.min(once().time);
    }
    least
}

/// What is wrong about a cost.
pub fn objection(cost: &Cost) -> Option<String> {
    let Cost { time, work, bytes } = cost;
    let bound = cost.bound();
    cost.is_hidden()
        .then(|| format!("{time:?} for {work} units and {bytes} bytes: more than {bound:?}"))
}

/// The program that a certificate states, though it may be no certificate otherwise.
pub fn stated(bytes: &[u8]) -> String {
    let value: Option<Value> = ciborium::from_reader(bytes).ok();
    let entries = value.and_then(|value| value.into_map().ok()).unwrap_or_default();
    let statement = entries.into_iter().find(|(key, _)| key.as_text() == Some("statement"));
    statement.and_then(|(_, text)| text.into_text().ok()).unwrap_or_default()
}

/// Tells a fuzzer that inputs differ by branches that they take: one for each step of the score, so
/// that it keeps what gets a step higher.
macro_rules! ladder {
    ($score:expr; $($step:literal)*) => {
        let score = $score;
        $(if score >= f64::from($step) / 4.0 {
            black_box($step);
        })*
    };
}

/// The inputs that a fuzzer should keep: a greater share of the bound, more time for the bytes,
/// more time. Each step is a fourth root of ten greater: less may be noise.
pub fn climb(cost: &Cost) {
    let seconds = cost.time.as_secs_f64().max(1e-9);
    #[allow(clippy::cast_precision_loss, reason = "a score")]
    let bytes = cost.bytes.max(1) as f64;
    // From a thousandth of the bound, a nanosecond for a byte, a tenth of a millisecond.
    ladder!(3.0 + cost.share().log10(); 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
    ladder!((1e9 * seconds / bytes).log10(); 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24);
    ladder!(4.0 + seconds.log10(); 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20);
}
