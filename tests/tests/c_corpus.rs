//! The C programs of corpus/c through the binaries: each has the verdict that the manifest says,
//! and both checkers accept its certificate.

use std::path::{Path, PathBuf};
use std::process::Command;
use threadproof_tests::corpus::{Entry, assert_twins, manifest};
use threadproof_tests::harness::{arg, checker, compare_checkers, root, run, threadproof};

fn folder() -> PathBuf {
    root().join("corpus/c")
}

/// The manifest's entries; fails if it does not list each program once.
fn corpus() -> Vec<Entry> {
    manifest("corpus/c", ".c", 80)
}

/// Proves or refutes a program, and has the independent checker judge the certificate.
fn judge(entry: &Entry, out: &Path) -> Result<(), String> {
    let program = entry.path();
    let stem = entry.file.trim_end_matches(".c");
    let (certificate, core) = (out.join(format!("{stem}.cert")), out.join(format!("{stem}.core")));
    let limit = ["--threads", "1", "--time-limit", "60"];
    let check = entry.check.as_ref().map_or(Vec::new(), |check| vec!["--check", check]);
    let how =
        [&["prove", arg(&program), "-o", arg(&certificate)], limit.as_slice(), &check].concat();
    let (code, said, error) = run(threadproof(), &how);
    if code != entry.code() {
        return Err(format!("exit code {code}: {said}{error}"));
    }
    let (code, text, error) =
        run(threadproof(), &[&["lower", arg(&program)], check.as_slice()].concat());
    if code != 0 {
        return Err(error);
    }
    std::fs::write(&core, text).map_err(|e| e.to_string())?;
    let (code, claim, error) = run(checker(), &[arg(&core), arg(&certificate)]);
    let word = match (entry.safe, entry.vacuous) {
        (true, false) => "accepted: safe",
        (true, true) => "accepted, but vacuous: the program has no error location\n",
        (false, _) => "accepted: unsafe",
    };
    // What is checked is what goes wrong.
    let place = format!(".{}_", entry.check.as_deref().unwrap_or("error"));
    let first = claim.lines().next().unwrap_or_default();
    match code == entry.checked()
        && claim.starts_with(word)
        && (entry.safe || first.contains(&place))
    {
        true => Ok(()),
        false => Err(format!("the checker: {code}: {claim}{error}")),
    }
}

#[test]
fn every_program_has_its_verdict_and_both_checkers_accept_its_certificate() {
    let out = tempfile::tempdir().unwrap();
    let judged = |e: &Entry| judge(e, out.path()).err().map(|why| format!("{}: {why}", e.file));
    let entries = corpus();
    let wrong: Vec<String> = entries.iter().filter_map(judged).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // The second checker: without mutants it judges the certificates themselves.
    let checker = checker();
    let cores = entries.iter().map(|e| out.path().join(&e.file).with_extension("core"));
    let cores: Vec<PathBuf> = cores.collect();
    let mut arguments = vec!["--mutants", "0", arg(&checker)];
    arguments.extend(cores.iter().map(|core| arg(core)));
    compare_checkers("compare.py", &arguments);
}

#[test]
fn effects_in_operands_without_use_are_kept() {
    let out = tempfile::tempdir().unwrap();
    let judged = |e: &Entry| judge(e, out.path()).err().map(|why| format!("{}: {why}", e.file));
    let wrong: Vec<String> =
        manifest("tests/c_cases", ".c", 17).iter().filter_map(judged).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_safe_program_has_a_broken_twin() {
    assert_twins(&corpus());
}

#[test]
fn the_data_model_decides_how_wide_a_long_is() {
    let program = folder().join("wide_long.c");
    let prove = |model| run(threadproof(), &["prove", arg(&program), "--data-model", model]);
    let (code, said, _) = prove("LP64");
    assert!(code == 0 && said.contains("the data model is LP64"), "{said}");
    let (code, said, _) = prove("ILP32");
    assert!(code == 1 && said.contains("the data model is ILP32"), "{said}");
}

#[test]
fn what_is_assumed_is_printed_with_the_claim() {
    let program = folder().join("lost_update.c");
    let (code, said, _) = run(threadproof(), &["prove", arg(&program)]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("assumption: no signed integer overflow happens"), "{said}");
    let program = folder().join("unsigned_wrap.c");
    let (code, said, _) = run(threadproof(), &["prove", arg(&program)]);
    assert!(code == 0 && !said.contains("overflow"), "{said}");
}

#[test]
fn a_preprocessed_file_is_lowered_as_the_c_file_is() {
    let out = tempfile::tempdir().unwrap();
    let text = "unsigned x;\nint main(void) {\n    x++;\n    if (x != 1) { reach_error(); }\n}\n";
    let [plain, preprocessed] = ["p.c", "p.i"].map(|name| out.path().join(name));
    std::fs::write(&plain, text).unwrap();
    std::fs::write(&preprocessed, text).unwrap();
    let lower = |path: &Path| run(threadproof(), &["lower", arg(path)]);
    let ((code, core, _), (same, other, _)) = (lower(&plain), lower(&preprocessed));
    assert_eq!((code, same), (0, 0));
    assert!(core.contains("// p.c:3: x++;"), "{core}");
    assert_eq!(core, other.replace("// p.i:", "// p.c:"));
}

#[test]
fn without_a_c_compiler_a_preprocessed_file_is_asked_for() {
    let how = ["lower", arg(&folder().join("peterson.c"))].map(str::to_owned);
    let mut command = Command::new(threadproof());
    let output = command.args(how).env("PATH", "").output().expect("the prover");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("there is no C compiler to preprocess it"), "{said}");
}

#[test]
fn checks_are_part_of_the_statement() {
    let out = tempfile::tempdir().unwrap();
    let program = folder().join("race_lock.c");
    let certificate = out.path().join("race.cert");
    let checks = ["--check", "race", "--check", "bounds,overflow"];
    let prove = ["prove", arg(&program), "-o", arg(&certificate), "--check", "race,bounds"];
    let (code, said, _) = run(threadproof(), &prove);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("error location: worker.race_counter_1"), "{said}");
    let errors = "assumption: errors are failing assertions (error_...) and: out of bounds (bounds_...), data race (race_...)";
    assert!(said.contains(errors), "{said}");
    let check = |checks: &[&str]| {
        let (code, said, _) =
            run(threadproof(), &[&["check", arg(&program), arg(&certificate)], checks].concat());
        (code, said)
    };
    assert_eq!(check(&["--check", "bounds", "--check", "race"]).0, 0);
    assert_eq!((check(&[]).0, check(&["--check", "race"]).0, check(&checks).0), (1, 1, 1));
}

#[test]
fn checks_are_for_c_programs() {
    let program = root().join("corpus/thread_pool.tp");
    for how in [vec!["prove"], vec!["lower"]] {
        let how = [how.as_slice(), &[arg(&program), "--check", "race"]].concat();
        let (code, _, error) = run(threadproof(), &how);
        assert_eq!(code, 3);
        assert!(error.contains("--check applies only to C programs (.c or .i)"), "{error}");
    }
    let program = folder().join("race_lock.c");
    let (code, _, error) = run(threadproof(), &["prove", arg(&program), "--check", "races"]);
    assert!(code == 3 && error.contains("overflow, bounds, race"), "{error}");
}
