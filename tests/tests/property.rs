//! The runner of random properties: it names the seed of what fails, and quickcheck shrinks it.

use quickcheck::{Arbitrary, Gen};
use std::fmt::{self, Display, Formatter};
use std::panic::catch_unwind;
use threadproof_tests::property::{findings, input};

#[derive(Clone, Debug, PartialEq)]
struct Numbers(Vec<u8>);

impl Arbitrary for Numbers {
    fn arbitrary(random: &mut Gen) -> Self {
        Numbers(Vec::arbitrary(random))
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        Box::new(self.0.shrink().map(Numbers))
    }
}

impl Display for Numbers {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "numbers {:?}", self.0)
    }
}

#[test]
fn each_seed_has_its_input_and_its_finding() {
    let wanted: Vec<(u64, Numbers)> = (5..25).map(|seed| (seed, input(seed))).collect();
    assert_eq!(findings(5..25, |seed, numbers: &Numbers| Ok((seed, numbers.clone()))), wanted);
    assert!(wanted.windows(2).any(|pair| pair[0].1 != pair[1].1), "inputs differ");
}

/// What the report says about a property that fails.
fn report(judge: fn(u64, &Numbers) -> Result<(), String>) -> String {
    let panic = catch_unwind(|| findings(1..100, judge)).expect_err("it fails");
    *panic.downcast::<String>().expect("a text")
}

#[test]
fn what_fails_is_shrunk_and_named() {
    let first = (1..100).find(|seed| input::<Numbers>(*seed).0.len() > 2).expect("a long one");
    let long = |_, numbers: &Numbers| match numbers.0.len() {
        0..=2 => Ok(()),
        length => Err(format!("length {length}")),
    };
    let said = report(long);
    assert!(said.contains("numbers [0, 0, 0]\n"), "{said}");
    assert!(said.contains(&format!("seed {first}: length 3")), "{said}");
}

#[test]
fn a_panic_is_a_failure() {
    let said = report(|seed, numbers| match numbers.0.len() {
        0..=2 => Ok(()),
        _ => panic!("of seed {seed}"),
    });
    assert!(said.contains("numbers [0, 0, 0]\n") && said.contains("of seed"), "{said}");
}
