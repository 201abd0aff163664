//! Certificates, checked.
#![no_main]

mod mutator;

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use std::path::Path;
use std::sync::{LazyLock, Mutex};
use threadproof_tests::fuzzing::check::{Judge, allow_greater_numbers};
use threadproof_tests::fuzzing::edit;

static JUDGE: LazyLock<Mutex<Judge>> = LazyLock::new(|| {
    let good = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/certificates/good");
    Mutex::new(Judge::new(&good))
});

fuzz_target!(init: allow_greater_numbers(), |bytes: &[u8]| {
    let mut judge = JUDGE.lock().expect("no panic before");
    judge.run(&threadproof_checker::check, bytes).unwrap_or_else(|objection| panic!("{objection}"));
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutator::mutate(data, size, max_size, seed, edit::certificate)
});
