//! A certificate is about one program: each safe program's certificate is rejected for each of
//! its broken twins, also with the twin's digest and statement put in.

mod common;

use common::{THREADPROOF, arg, corpus, run};
use threadproof_checker::error::Reason;
use threadproof_checker::{check, core_form};
use threadproof_format::{Digest, cbor, proof::Certificate};

#[test]
fn a_certificate_does_not_prove_a_broken_twin() {
    let folder = tempfile::tempdir().unwrap();
    let entries = corpus();
    let mut pairs = 0;
    for safe in entries.iter().filter(|e| e.safe) {
        let file = folder.path().join(&safe.file).with_extension("cert");
        let proved = run(THREADPROOF, &["prove", arg(&safe.path()), "-o", arg(&file)]);
        assert_eq!(proved.0, 0, "{}: {}", safe.file, proved.1);
        let bytes = std::fs::read(&file).unwrap();
        for twin in entries.iter().filter(|e| e.twin_of.as_deref() == Some(&safe.file)) {
            let core = run(THREADPROOF, &["lower", arg(&twin.path())]).1;
            let failure = check(&core, &bytes).unwrap_err();
            assert_eq!(failure.reason, Reason::ProgramDigest, "{}", twin.file);
            let mut forged: Certificate = cbor::decode(&bytes).unwrap();
            forged.statement = core_form::statement(&core).unwrap();
            forged.program = Digest::of([forged.statement.as_bytes()]);
            let failure = check(&core, &cbor::encode(&forged).unwrap()).unwrap_err();
            assert_ne!(failure.reason, Reason::ProgramDigest, "{}", twin.file);
            assert!(!failure.reason.declines(), "{}: {failure}", twin.file);
            pairs += 1;
        }
    }
    assert!(pairs >= 150, "only {pairs} pairs");
}
