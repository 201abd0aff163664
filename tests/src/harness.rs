//! What the end-to-end tests share: the binaries, the second checker.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
pub use threadproof_tests_trusted::root;

/// The producer's binary.
pub fn threadproof() -> PathBuf {
    static FOUND: OnceLock<PathBuf> = OnceLock::new();
    FOUND.get_or_init(|| binary("threadproof")).clone()
}

/// The independent checker's binary.
pub fn checker() -> PathBuf {
    static FOUND: OnceLock<PathBuf> = OnceLock::new();
    FOUND.get_or_init(|| binary("threadproof-check")).clone()
}

/// A binary of the profile that this test is built with. Cargo tells its path to the tests of its
/// own package only, and `cargo test` need not build it: so it may be missing or old.
///
/// # Panics
/// If it is missing, or older than what it is made of, which a file beside it lists.
fn binary(name: &str) -> PathBuf {
    const BUILD: &str = "build the binaries first: `cargo build --bins`, with `--release` for `cargo test --release`";
    let test = std::env::current_exe().expect("this program's path");
    let folder = test.parent().and_then(Path::parent).expect("the profile's folder");
    let path = folder.join(name);
    let changed = |file: &Path| std::fs::metadata(file).and_then(|data| data.modified());
    let built = changed(&path).unwrap_or_else(|e| panic!("{}: {e}; {BUILD}", path.display()));
    let list = path.with_extension("d");
    let list = std::fs::read_to_string(&list)
        .unwrap_or_else(|e| panic!("{}: {e}; {BUILD}", list.display()));
    let (_, sources) = list.split_once(": ").expect("what it is made of");
    for source in sources.replace("\\ ", "\0").split_whitespace() {
        let source = PathBuf::from(source.replace('\0', " "));
        let new = changed(&source).map_or(true, |changed| changed > built);
        assert!(!new, "{name} is older than {}; {BUILD}", source.display());
    }
    path
}

/// Runs a program; panics if it cannot be started or is ended by a signal.
pub fn run(program: impl AsRef<Path>, arguments: &[&str]) -> (i32, String, String) {
    let program = program.as_ref();
    let output: Output = Command::new(program)
        .args(arguments)
        .output()
        .unwrap_or_else(|e| panic!("{}: {e}", program.display()));
    let code = output.status.code().unwrap_or_else(|| panic!("{program:?} {arguments:?}: signal"));
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (code, text(output.stdout), text(output.stderr))
}

/// Runs a command that answers each line of its input with a line; gives these.
pub fn answers(mut command: Command, input: String) -> Vec<String> {
    let lines = input.lines().count();
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = child.unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let mut pipe = child.stdin.take().expect("its input");
    let writer = std::thread::spawn(move || pipe.write_all(input.as_bytes()));
    let output = child.wait_with_output().expect("its output");
    let written = writer.join().expect("no panic");
    assert!(output.status.success() && written.is_ok(), "{command:?} failed");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let answers: Vec<String> = text.lines().map(str::to_owned).collect();
    assert_eq!(answers.len(), lines, "an answer of {command:?} for each line");
    answers
}

/// A program and a certificate as the second checker's batch reads them.
pub fn pair_line(program: &[u8], certificate: &[u8]) -> String {
    let hex = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect::<String>();
    format!("{} {}\n", hex(program), hex(certificate))
}

/// A path as an argument.
pub fn arg(path: &Path) -> &str {
    path.to_str().expect("a UTF-8 path")
}

/// Runs a script of the second checker, written from SPEC.md alone, against the first one; gives
/// what it prints.
pub fn compare_checkers(script: &str, arguments: &[&str]) -> String {
    let script = root().join("tests/reference_checker").join(script);
    let (code, out, error) = run("python3", &[&[arg(&script)], arguments].concat());
    println!("{out}");
    assert_eq!(code, 0, "{out}{error}");
    out
}
