//! The trust boundary: what the trusted crates depend on, and that they have no unsafe code.

mod common;

use std::collections::BTreeSet;

/// serde, ciborium, sha2, num-bigint, and what these pull in.
const ALLOWED: [&str; 31] = [
    "autocfg",
    "block-buffer",
    "cfg-if",
    "ciborium",
    "ciborium-io",
    "ciborium-ll",
    "const-oid",
    "cpufeatures",
    "crunchy",
    "crypto-common",
    "digest",
    "half",
    "hybrid-array",
    "libc",
    "num-bigint",
    "num-integer",
    "num-traits",
    "proc-macro2",
    "quote",
    "serde",
    "serde_bytes",
    "serde_core",
    "serde_derive",
    "sha2",
    "syn",
    "threadproof-checker",
    "threadproof-format",
    "typenum",
    "unicode-ident",
    "zerocopy",
    "zerocopy-derive",
];

fn dependencies(package: &str) -> BTreeSet<String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = std::process::Command::new(cargo)
        .current_dir(common::root())
        .args(["tree", "--offline", "-p", package, "-e", "normal", "--prefix", "none"])
        .output()
        .expect("cargo tree");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines().filter_map(|l| l.split_whitespace().next()).map(str::to_owned).collect()
}

#[test]
fn the_trusted_crates_depend_on_a_short_list() {
    let allowed: BTreeSet<String> = ALLOWED.iter().map(|s| (*s).to_owned()).collect();
    for package in ["threadproof-format", "threadproof-checker"] {
        let found = dependencies(package);
        assert!(found.contains("ciborium") && found.contains(package), "{found:?}");
        let more: Vec<_> = found.difference(&allowed).collect();
        assert!(more.is_empty(), "{package} depends on {more:?}");
    }
    assert!(dependencies("threadproof-producer").contains("z3"), "the test sees dependencies");
}

#[test]
fn the_trusted_crates_forbid_unsafe_code() {
    for file in ["format/src/lib.rs", "checker/src/lib.rs", "checker/src/main.rs"] {
        let text = std::fs::read_to_string(common::root().join(file)).expect(file);
        assert!(text.contains("#![forbid(unsafe_code)]"), "{file}");
    }
}
