//! The arena without its harness: the good and the bad pairs of `corpus/certificates`, by the
//! library itself. What goes wrong in a change of the checker shows here within a second
//! (`tests/arena.rs` has the rest).

use serde_json::Value;
use std::path::PathBuf;
use threadproof_checker::check;
use threadproof_checker::claim::Vacuous;
use threadproof_checker::verdict::Verdict;

#[test]
fn good_pairs_are_accepted_and_bad_ones_rejected_for_their_reason() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../corpus/certificates");
    let read = |name: &Value| {
        let path = folder.join(name.as_str().expect("a path"));
        std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    };
    let manifest = read(&Value::from("manifest.json"));
    let list: Vec<Value> = serde_json::from_slice(&manifest).expect("the manifest");
    let mut counts = [0, 0];
    for case in list.iter().filter(|case| case["folder"] != "nocrash") {
        let name = &case["name"];
        let result = check(&read(&case["program"]), &read(&case["certificate"]));
        counts[usize::from(result.is_ok())] += 1;
        match (result, case["verdict"].as_str()) {
            (Ok(claim), Some("accepted")) => {
                assert_eq!(claim.conclusion.word(), case["conclusion"], "{name}");
                assert_eq!(claim.vacuous.map(Vacuous::word), case["vacuous"].as_str(), "{name}");
            }
            (Err(failure), Some(verdict @ ("rejected" | "declined" | "bad-input"))) => {
                let (category, reason) = (failure.reason.category(), failure.to_string());
                assert_eq!(category, case["category"].as_str().expect("a category"), "{name}");
                let words = case["reason"].as_str().expect("words");
                assert!(reason.contains(words), "{name}: {reason:?} without {words:?}");
                assert_eq!(word(failure.reason.verdict()), verdict, "{name}");
            }
            (other, expected) => panic!("{name}: {other:?}, not {expected:?}"),
        }
    }
    assert!(counts[0] > 400 && counts[1] > 80, "{counts:?}");
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Accepted(_) | Verdict::Vacuous => "accepted",
        Verdict::Rejected => "rejected",
        Verdict::Declined => "declined",
        Verdict::BadInput => "bad-input",
    }
}
