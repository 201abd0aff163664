//! The table: each shape at two lengths. Its time has to grow with its bytes and its charge.

use super::encoding::Input;
use super::shapes::{Shape, pairs, singles};
use std::process::ExitCode;
use std::time::Duration;
use threadproof_tests_trusted::cost::{Cost, charged, cpu_time, measure};

/// The second length is so many times the first.
const TIMES: usize = 4;
/// The first length that is tried.
const LEAST: usize = 128;
/// What takes so long is long enough.
const LONG: Duration = Duration::from_millis(40);
/// Longer inputs are not tried, whatever they take.
const BYTES: usize = 64 << 20;
/// The time may grow so many times as much as the bytes or the charge, whichever grows more: tables
/// outgrow caches.
const GROWTH: f64 = 2.5;
/// From so much more on, the next length is measured as well, unless it already takes so long.
const DOUBT: f64 = 1.4;
const CLEAR: Duration = Duration::from_millis(400);

/// A shape's costs at both lengths.
struct Row {
    name: String,
    n: usize,
    short: Cost,
    long: Cost,
    answer: String,
}

/// Prints the costs of all shapes whose names have these words in them.
pub fn run(words: &[&str]) -> ExitCode {
    println!(
        "{:44}{:>8}{:>10}{:>9}{:>12}{:>9}{:>9}{:>7}{:>8}{:>8}  answer",
        "shape", "n", "bytes", "seconds", "work", "ns/byte", "ns/unit", "share", "growth", "charge"
    );
    let (mut rows, mut wrong) = (0, 0);
    for shape in singles().into_iter().chain(pairs()) {
        if words.iter().all(|word| shape.name.contains(word)) {
            let row = Row::of(&shape);
            let objection = row.objection();
            println!("{row}{}", objection.map_or(String::new(), |what| format!("  {what}")));
            rows += 1;
            wrong += usize::from(objection.is_some());
        }
    }
    println!("{rows} shapes, {wrong} of them cost more than they charge");
    if rows > 0 && wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn cost(input: &Input) -> Cost {
    measure(|| charged(&input.core, &input.certificate), cpu_time, input.bytes())
}

impl Row {
    fn of(shape: &Shape) -> Self {
        let mut n = LEAST;
        let mut short = cost(&(shape.make)(n));
        loop {
            n *= TIMES;
            let input = (shape.make)(n);
            let long = cost(&input);
            let mut row = Row { name: shape.name.clone(), n, short, long, answer: String::new() };
            let may_be_longer = input.bytes() <= BYTES / TIMES;
            let shows = long.time > LONG || n >= shape.most;
            // A doubt is settled by what takes longer.
            let doubtful = row.growth() > DOUBT * row.charge() && long.time < CLEAR;
            if !may_be_longer || (shows && !doubtful) {
                if row.objection().is_some() {
                    row.long.time = (0..3).fold(long.time, |least, _| least.min(cost(&input).time));
                }
                let answer = threadproof_checker::check(&input.core, &input.certificate);
                let answer = answer.map_or_else(|e| e.to_string(), |_| "accepted".to_owned());
                row.answer = answer.chars().take(60).collect();
                return row;
            }
            short = long;
        }
    }

    fn growth(&self) -> f64 {
        self.long.time.as_secs_f64() / self.short.time.as_secs_f64()
    }

    /// How much more the greater of the bytes and the charge is.
    fn charge(&self) -> f64 {
        let ratio = |of: fn(&Cost) -> f64| of(&self.long) / of(&self.short).max(1.0);
        ratio(|cost| cost.bytes as f64).max(ratio(|cost| cost.work as f64))
    }

    fn objection(&self) -> Option<&'static str> {
        if self.long.is_hidden() || self.short.is_hidden() {
            Some("OVER THE BOUND")
        } else if self.long.time > LONG && self.growth() > GROWTH * self.charge() {
            Some("GROWS FASTER")
        } else {
            None
        }
    }
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Cost { time, work, bytes } = self.long;
        let nanos = 1e9 * time.as_secs_f64();
        write!(
            f,
            "{:44}{:8}{:10}{:9.3}{:12}{:9.1}{:9.1}{:7.2}{:8.1}{:8.1}  {}",
            self.name,
            self.n,
            bytes,
            time.as_secs_f64(),
            work,
            nanos / bytes as f64,
            nanos / work.max(1) as f64,
            self.long.share(),
            self.growth(),
            self.charge(),
            self.answer
        )
    }
}
