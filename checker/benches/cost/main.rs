//! What checks cost, and what they charge (SPEC.md section 11): the lists of the format and of the core form, each at
//! two lengths.

mod conformance;
mod encoding;
mod execution;
mod family;
mod kernel;
mod space;

#[path = "../../../fuzz/src/cost.rs"]
mod cost;

use cost::{Cost, charged, cpu_time, measure};
use encoding::Input;
use family::{FAMILIES, Family, Sizes};
use std::time::Duration;

fn cost_of(input: &Input) -> Cost {
    measure(|| charged(&input.core, &input.certificate), cpu_time, input.bytes())
}

fn main() {
    let filter: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    for family in &FAMILIES {
        for (i, a) in family.knobs.iter().enumerate() {
            for b in &family.knobs[..=i] {
                let name = format!("{} {} x {}", family.name, a.0, b.0);
                if !filter.iter().all(|f| name.contains(f.as_str())) { continue; }
                shape(&name, if a == b { 1 << 18 } else { 8192 }, |n| (family.make)(&Sizes(&[(a.0, n.min(a.1)), (b.0, n.min(b.1))])));
            }
        }
    }
}

fn shape(name: &str, most: usize, make: impl Fn(usize) -> Input) {
    let mut n = 128;
    let mut last: Option<Cost> = None;
    loop {
        let input = make(n);
        if input.bytes() > 32 << 20 { println!("{name}: too long"); return; }
        let cost = cost_of(&input);
        if cost.time > Duration::from_millis(40) || n >= most {
            let before = last.unwrap_or(cost);
            let growth = cost.time.as_secs_f64() / before.time.as_secs_f64();
            let charge = (cost.work as f64 / before.work.max(1) as f64).max(cost.bytes as f64 / before.bytes as f64);
            let mark = if cost.is_hidden() { "HIDDEN" } else if growth > 2.5 * charge { "GROWS" } else { "" };
            let verdict = match threadproof_checker::check(&input.core, &input.certificate) { Ok(_) => "ok".to_owned(), Err(e) => { let mut s = e.to_string(); s.truncate(60); s } };
            println!("{name:40} n {n:8} bytes {:9} {:8.3} s work {:11} ns/unit {:7.1} ns/byte {:7.1} share {:5.2} growth {growth:4.1}/{charge:4.1} {mark} [{verdict}]", cost.bytes, cost.time.as_secs_f64(), cost.work,
                cost.time.as_secs_f64()*1e9/cost.work.max(1) as f64, cost.time.as_secs_f64()*1e9/cost.bytes as f64, cost.share());
            return;
        }
        last = Some(cost);
        n *= 4;
    }
}
