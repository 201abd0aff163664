//! What the end-to-end tests share: the binaries, the corpus, temporary folders.
#![allow(dead_code, reason = "each test binary uses a part")]

use serde_json::Value;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The checkout's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The producer's binary.
pub const THREADPROOF: &str = env!("CARGO_BIN_EXE_threadproof");

/// The independent checker's binary beside the producer's. It belongs to another package, so cargo
/// does not keep it fresh for these tests: it is built once here.
pub fn checker() -> PathBuf {
    static BUILT: std::sync::OnceLock<PathBuf> = std::sync::OnceLock::new();
    let build = || {
        let path = Path::new(THREADPROOF).with_file_name("threadproof-check");
        let folder = path.parent().expect("the profile's folder");
        let target = folder.parent().expect("the target folder");
        let profile = if folder.ends_with("release") { "release" } else { "dev" };
        let status = Command::new(env!("CARGO"))
            .current_dir(root())
            .args(["build", "--quiet", "--offline", "--package", "threadproof-checker"])
            .args(["--profile", profile, "--target-dir", arg(target)])
            .status();
        assert!(status.expect("cargo").success(), "the checker does not build");
        assert!(path.exists(), "{} is missing", path.display());
        path
    };
    BUILT.get_or_init(build).clone()
}

/// One program of the corpus.
#[derive(Debug, Clone)]
pub struct Entry {
    pub file: String,
    pub safe: bool,
    pub twin_of: Option<String>,
    /// What a C program is checked for besides its assertions.
    pub check: Option<String>,
    /// It is safe for lack of content: the translation leaves no error location.
    pub vacuous: bool,
    folder: PathBuf,
}

impl Entry {
    /// The exit code of a checker.
    pub fn checked(&self) -> i32 {
        match (self.safe, self.vacuous) {
            (true, false) => 0,
            (true, true) => 4,
            (false, _) => 6,
        }
    }

    /// The exit code of `prove`.
    pub fn code(&self) -> i32 {
        match (self.safe, self.vacuous) {
            (true, false) => 0,
            (true, true) => 4,
            (false, _) => 1,
        }
    }

    pub fn path(&self) -> PathBuf {
        self.folder.join(&self.file)
    }
}

/// The corpus of programs in the language.
pub fn corpus() -> Vec<Entry> {
    manifest("corpus", ".tp", 250)
}

/// A folder's manifest; fails if it names fewer programs than these, one that is missing, or leaves one out.
pub fn manifest(folder: &str, ending: &str, least: usize) -> Vec<Entry> {
    let folder = root().join(folder);
    let text = std::fs::read_to_string(folder.join("manifest.json")).expect("the manifest");
    let list: Vec<Value> = serde_json::from_str(&text).expect("a JSON array");
    let entries: Vec<Entry> = list
        .iter()
        .map(|item| Entry {
            file: item["file"].as_str().expect("file").to_owned(),
            safe: match item["verdict"].as_str() {
                Some("safe") => true,
                Some("unsafe") => false,
                other => panic!("verdict {other:?}"),
            },
            twin_of: item["twin_of"].as_str().map(str::to_owned),
            check: item["check"].as_str().map(str::to_owned),
            vacuous: item["vacuous"].as_bool().unwrap_or_default(),
            folder: folder.clone(),
        })
        .collect();
    let mut listed: Vec<String> = entries.iter().map(|e| e.file.clone()).collect();
    listed.sort();
    let files = std::fs::read_dir(&folder).expect("the corpus");
    let mut found: Vec<String> = files
        .map(|f| f.expect("a file").file_name().into_string().expect("UTF-8"))
        .filter(|name| name.ends_with(ending))
        .collect();
    found.sort();
    assert_eq!(listed, found, "the manifest lists each program once");
    assert!(entries.len() >= least, "the corpus has {} programs", entries.len());
    entries
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
