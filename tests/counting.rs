//! Proofs that count threads, against explicit states.

#[path = "common/counting.rs"]
mod counting;

use threadproof_format::proof::Proof;

#[test]
fn the_proofs_are_accepted() {
    for p in counting::proofs() {
        let bytes = counting::certificate(p.core, Proof::ProofSpace(p.proof.clone()));
        let claim = threadproof_checker::check(p.core, &bytes);
        assert!(claim.as_ref().is_ok_and(|c| c.safe), "{}: {claim:?}", p.name);
        println!("{}: {} predicates, {} triples, {} configurations, {} impossible, hints {:?}", p.name, p.proof.predicates.len(), p.proof.basis.len(), p.proof.configurations.len(), p.proof.impossible.len(), p.proof.error_steps);
        if let Ok(folder) = std::env::var("COUNTING_OUT") {
            std::fs::write(format!("{folder}/{}.core", p.name), p.core).unwrap();
            std::fs::write(format!("{folder}/{}.cert", p.name), bytes).unwrap();
        }
    }
}
