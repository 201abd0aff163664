//! The binary: exit codes and what it prints, on inputs that are not kind.

use std::fs::File;
use std::process::{Command, Output, Stdio};
use threadproof_format::limits::MAX_BYTES;
use threadproof_format::proof::Proof;
use threadproof_format::proof::counterexample::{Counterexample, Move, State, Thread};
use threadproof_format::proof::proof_space::ProofSpace;
use threadproof_tests_trusted::introduction::{PROGRAM, certificate, proof};

/// A folder of this test alone, with a program and its certificate.
fn folder(name: &str, program: &str) -> std::path::PathBuf {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let bytes = certificate(program, Proof::ProofSpace(proof()));
    std::fs::write(folder.join("program"), program).unwrap();
    std::fs::write(folder.join("certificate"), bytes).unwrap();
    folder
}

fn checker(folder: &std::path::Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_threadproof-check"));
    command.current_dir(folder).args(arguments);
    command
}

fn run(folder: &std::path::Path, arguments: &[&str]) -> (i32, Output) {
    let output = checker(folder, arguments).output().unwrap();
    (output.status.code().unwrap(), output)
}

#[test]
fn each_verdict_has_its_exit_code() {
    let folder = folder("codes", PROGRAM);
    std::fs::write(folder.join("other"), PROGRAM.replace("g + x", "g - x")).unwrap();
    std::fs::write(folder.join("latin"), b"core 1; // \xff").unwrap();
    assert_eq!(run(&folder, &["program", "certificate"]).0, 0);
    assert_eq!(run(&folder, &["other", "certificate"]).0, 1);
    assert_eq!(run(&folder, &["latin", "certificate"]).0, 3);
    assert_eq!(run(&folder, &["program", "program"]).0, 1);
    let unwitnessed = ProofSpace { witness: None, ..proof() };
    let vacuous = certificate(PROGRAM, Proof::ProofSpace(unwitnessed));
    std::fs::write(folder.join("vacuous"), vacuous).unwrap();
    assert_eq!(run(&folder, &["program", "vacuous"]).0, 4);
    assert_eq!(run(&folder, &["--json", "program", "vacuous"]).0, 4);
    let wrong = "core 1; one t { location l; location w error; edge l -> w { } }";
    let start = State { globals: vec![], threads: vec![Thread { locals: vec![], template: 0 }] };
    let schedule = vec![Move { edge: 0, inputs: vec![], thread: 0 }];
    let execution = certificate(wrong, Proof::Counterexample(Counterexample { start, schedule }));
    std::fs::write(folder.join("wrong"), wrong).unwrap();
    std::fs::write(folder.join("execution"), execution).unwrap();
    assert_eq!(run(&folder, &["wrong", "execution"]).0, 6);
    for usage in [&["program"][..], &["program", "certificate", "other"], &["-x", "a", "b"], &[]] {
        assert_eq!(run(&folder, usage).0, 3, "{usage:?}");
    }
    assert_eq!(run(&folder, &["nothing", "certificate"]).0, 3);
    assert_eq!(run(&folder, &["program", "."]).0, 3);
}

/// A file over the limit is declined, even if what was read of it ends within a character.
#[test]
fn files_over_the_limit_are_declined() {
    let folder = folder("long", PROGRAM);
    let file = File::create(folder.join("long")).unwrap();
    file.set_len(MAX_BYTES as u64 + 2).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, b"\xc3\xa9", MAX_BYTES as u64).unwrap();
    let (code, output) = run(&folder, &["long", "certificate"]);
    assert_eq!(code, 2, "{output:?}");
    std::fs::remove_file(folder.join("long")).unwrap();
}

/// Up to the limit a text is judged by what is in it.
#[test]
fn files_at_the_limit_are_read_to_the_end() {
    let folder = folder("longest", PROGRAM);
    let file = File::create(folder.join("longest")).unwrap();
    file.set_len(MAX_BYTES as u64 - 1).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, b"\xff", MAX_BYTES as u64 - 1).unwrap();
    let (code, output) = run(&folder, &["longest", "certificate"]);
    assert_eq!(code, 3, "{output:?}");
    let first = "bad input (syntax): program: line 1, column 1: a character that the core form";
    assert!(output.stdout.starts_with(first.as_bytes()), "{output:?}");
    std::fs::remove_file(folder.join("longest")).unwrap();
}

/// Exit code, and how standard output and standard error begin.
#[test]
fn each_option_and_each_mistake_has_its_answer() {
    let folder = folder("answers", PROGRAM);
    let version = concat!("threadproof-check ", env!("CARGO_PKG_VERSION"), "\n");
    for (arguments, code, out, err) in [
        (&["--help"][..], 0, "usage: threadproof-check", ""),
        (&["-h"], 0, "usage: threadproof-check", ""),
        (&["--version"], 0, version, ""),
        (&["-V"], 0, version, ""),
        // Exit code 0 of a check means "accepted".
        (&["program", "--help"], 3, "", "usage: threadproof-check"),
        (&["-h", "program"], 3, "", "usage: threadproof-check"),
        (&["--json", "--version"], 3, "", "usage: threadproof-check"),
        (&["--", "--help"], 3, "", "usage: threadproof-check"),
        (&["--", "program", "certificate"], 0, "accepted: safe: ", ""),
        (&["program", "--", "--json"], 3, "", "threadproof-check: --json: "),
        (&["--json", "--", "program", "certificate"], 0, "{\"verdict\":\"accepted\",", ""),
        (
            &["--", "\u{1b}[31m\u{f6}", "certificate"],
            3,
            "",
            "threadproof-check: \\u{1b}[31m\\u{f6}: ",
        ),
        (&["--print", "program"], 0, "// program sha256:", ""),
        (&["--print", "certificate"], 3, "bad input (syntax): program: line 1, column 1: ", ""),
        (&["--print", "program", "certificate"], 3, "", "usage: threadproof-check"),
        (&["--print", "--json", "program"], 3, "", "usage: threadproof-check"),
        (&["--print"], 3, "", "usage: threadproof-check"),
        (&["--print", "nothing"], 3, "", "threadproof-check: nothing: "),
        (&["program", "certificate"], 0, "accepted: safe: ", ""),
        (&["--json", "program", "certificate"], 0, "{\"verdict\":\"accepted\",", ""),
        (&["program", "--json", "program"], 1, "{\"verdict\":\"rejected\",", ""),
        (&["program", "program"], 1, "rejected (encoding): certificate: ", ""),
        (&["-x", "certificate"], 3, "", "usage: threadproof-check"),
        (&["program"], 3, "", "usage: threadproof-check"),
        (&["nothing", "certificate"], 3, "", "threadproof-check: nothing: "),
        (&["program", "nothing"], 3, "", "threadproof-check: nothing: "),
        (&["program", "."], 3, "", "threadproof-check: .: "),
    ] {
        let (got, output) = run(&folder, arguments);
        assert_eq!(got, code, "{arguments:?}");
        for (stream, begin) in [(&output.stdout, out), (&output.stderr, err)] {
            let text = String::from_utf8_lossy(stream);
            assert!(text.starts_with(begin) && begin.is_empty() == text.is_empty(), "{text}");
        }
    }
}

#[test]
fn a_verdict_that_cannot_be_printed_is_an_error_and_no_panic() {
    let folder = folder("full", PROGRAM);
    let full = || Stdio::from(File::options().write(true).open("/dev/full").unwrap());
    let code = |arguments: &[&str]| {
        let mut command = checker(&folder, arguments);
        command.stdout(full()).stderr(full()).status().unwrap().code()
    };
    assert_eq!(code(&["program", "certificate"]), Some(3));
    assert_eq!(code(&["--help"]), Some(3));
    assert_eq!(code(&["program"]), Some(3));
    assert_eq!(code(&["nothing", "certificate"]), Some(3));
}

/// What is no program is no bad proof either: the answer says what a program is.
#[test]
fn a_program_that_is_none_is_answered_with_help() {
    let folder = folder("input", PROGRAM);
    std::fs::write(folder.join("source.tp"), "thread t { assert(true); }").unwrap();
    let said = |arguments: &[&str]| {
        let (code, output) = run(&folder, arguments);
        assert_eq!(code, 3, "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let (lower, swapped) = ("`threadproof lower FILE` writes it\n", "are the arguments swapped?\n");
    let text = said(&["source.tp", "certificate"]);
    assert!(text.starts_with("bad input (syntax): program: line 1, column 1: `core` is needed"));
    assert!(text.ends_with(lower), "{text}");
    for swap in [["certificate", "program"], ["source.tp", "program"], ["certificate", "source.tp"]]
    {
        let text = said(&swap);
        assert!(text.contains(lower) && text.ends_with(swapped), "{text}");
    }
    let text = said(&["--json", "certificate", "program"]);
    assert!(text.starts_with("{\"verdict\":\"bad-input\",") && text.lines().count() == 1, "{text}");
}
