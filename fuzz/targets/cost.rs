//! Certificates, checked: how long it takes for the work that is charged.
#![no_main]

mod mutator;

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use threadproof_tests::cost::{charged, climb, cpu_time, measure, objection, stated};
use threadproof_tests::fuzzing::{edit, lengthen};

fuzz_target!(|bytes: &[u8]| {
    let program = stated(bytes);
    let cost = measure(|| charged(&program, bytes), cpu_time, program.len() + bytes.len());
    climb(&cost);
    if let Some(objection) = objection(&cost) {
        panic!("{objection}");
    }
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutator::mutate(data, size, max_size, seed, |bytes, random| match random.u8(..3) {
        0 => edit::certificate(bytes, random),
        _ => lengthen::certificate(bytes, random),
    })
});
