//! A certificate is about one program: each safe program's certificate is rejected for each of
//! its broken twins, also with the twin's digest and statement put in.

use super::proved;
use threadproof_checker::check;
use threadproof_checker::error::Reason;
use threadproof_checker::internals::core_form;
use threadproof_checker::verdict::Verdict;
use threadproof_format::{Digest, cbor, proof::Certificate};

#[test]
fn a_certificate_does_not_prove_a_broken_twin() {
    let mut pairs = 0;
    for safe in proved().iter().filter(|p| p.entry.safe) {
        let twins = proved().iter();
        for twin in twins.filter(|t| t.entry.twin_of.as_deref() == Some(&safe.entry.file)) {
            let failure = check(&twin.core, &safe.certificate).unwrap_err();
            assert_eq!(failure.reason, Reason::ProgramDigest, "{}", twin.entry.file);
            let mut forged: Certificate = cbor::decode(&safe.certificate).unwrap();
            forged.statement = core_form::statement(&twin.core).unwrap();
            forged.program = Digest::of([forged.statement.as_bytes()]);
            let failure = check(&twin.core, &cbor::encode(&forged).unwrap()).unwrap_err();
            assert_ne!(failure.reason, Reason::ProgramDigest, "{}", twin.entry.file);
            assert_eq!(failure.reason.verdict(), Verdict::Rejected, "{}", twin.entry.file);
            pairs += 1;
        }
    }
    assert!(pairs >= 150, "only {pairs} pairs");
}
