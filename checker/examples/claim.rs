//! Checks a certificate within a bound on work, and reads the claim field by field:
//! `cargo run --example claim -- PROGRAM CERTIFICATE [WORK]`.
//! By default it checks the certificate beside this file.

use std::error::Error;
use threadproof_checker::check_within;
use threadproof_checker::error::Budget;
use threadproof_format::limits::MAX_WORK;

fn main() -> Result<(), Box<dyn Error>> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/introduction");
    let mut arguments = std::env::args().skip(1);
    let program = arguments.next().unwrap_or_else(|| format!("{beside}.core"));
    let certificate = arguments.next().unwrap_or_else(|| format!("{beside}.cert"));
    let work = arguments.next().map_or(Ok(MAX_WORK), |work| work.parse())?;

    let (program, certificate) = (std::fs::read(program)?, std::fs::read(certificate)?);
    let budget = Budget::new(work);
    let claim = check_within(&program, &certificate, &budget)?;

    println!("claim: {}", claim.statement);
    if let Some(why) = claim.vacuous {
        println!("but it says little: {why}");
    }
    println!("about the program with the digest {}", claim.program);
    for assumption in &claim.assumptions {
        println!("assuming: {assumption}");
    }
    println!("work: {} of {work}", work - budget.left());
    Ok(())
}
