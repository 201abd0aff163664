//! The trust boundary: what the trusted crates depend on, and that they have no unsafe code.

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
        .current_dir(threadproof_tests::harness::root())
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

/// The manifest of a package, or of the workspace.
fn manifest(folder: &str) -> String {
    let file = threadproof_tests::harness::root().join(folder).join("Cargo.toml");
    std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

#[test]
fn no_package_has_unsafe_code() {
    let workspace = manifest("");
    assert!(workspace.contains("[workspace.lints.rust]\nunsafe_code = \"forbid\"\n"));
    let (_, members) = workspace.split_once("members = [").expect("members");
    let members = members.split_once(']').expect("their end").0.split(", ");
    for member in members {
        let text = manifest(member.trim_matches('"'));
        assert!(text.contains("\n[lints]\nworkspace = true\n"), "{member}");
    }
}

/// So what is tested is what the packages say that they need.
#[test]
fn the_toolchain_is_the_oldest_that_is_promised() {
    let file = threadproof_tests::harness::root().join("rust-toolchain.toml");
    let toolchain = std::fs::read_to_string(file).expect("rust-toolchain.toml");
    let (_, rest) = toolchain.split_once("channel = \"").expect("a channel");
    let (channel, _) = rest.split_once(".0\"").expect("a first release of its version");
    assert!(manifest("").contains(&format!("\nrust-version = \"{channel}\"\n")));
    for package in ["format", "checker"] {
        assert!(manifest(package).contains("\nrust-version.workspace = true\n"));
        let page = threadproof_tests::harness::root().join(package).join("README.md");
        let page = std::fs::read_to_string(page).expect("README.md");
        assert!(page.contains(&format!("Needs Rust {channel}.")), "{package}");
    }
}
