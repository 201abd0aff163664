//! The binary: exit codes and what it prints, on inputs that are not kind.

mod common;

use common::{PROGRAM, certificate, proof};
use std::fs::File;
use std::process::{Command, Output, Stdio};
use threadproof_format::limits::MAX_BYTES;
use threadproof_format::proof::Proof;

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
    assert_eq!(run(&folder, &["latin", "certificate"]).0, 1);
    assert_eq!(run(&folder, &["program", "program"]).0, 1);
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
    assert_eq!(code, 1, "{output:?}");
    assert!(
        output.stdout.starts_with(b"rejected (syntax): line 1, column 1: the program is not UTF-8")
    );
    std::fs::remove_file(folder.join("longest")).unwrap();
}

/// Exit code, and how standard output and standard error begin.
#[test]
fn each_option_and_each_mistake_has_its_answer() {
    let folder = folder("answers", PROGRAM);
    let version = concat!("threadproof-check ", env!("CARGO_PKG_VERSION"), "\n");
    for (arguments, code, out, err) in [
        (&["--help"][..], 0, "usage: threadproof-check", ""),
        (&["-h", "program"], 0, "usage: threadproof-check", ""),
        (&["--version"], 0, version, ""),
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

/// An assumption cannot write over what the checker says.
#[test]
fn assumptions_are_printed_without_control_characters() {
    let assumption = "core 1;\nassumption \"it's\rthus\u{1b}[2K \u{202e}\";";
    let folder = folder("escape", &PROGRAM.replacen("core 1;", assumption, 1));
    let (code, output) = run(&folder, &["program", "certificate"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(code, 0, "{text}");
    assert!(text.contains(r"assumption: it's\rthus\u{1b}[2K \u{202e}"), "{text}");
}
