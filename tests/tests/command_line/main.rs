//! The command line: exit codes, JSON, limits, files.

mod answers;
mod faults;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use threadproof_tests::harness::{arg, checker, root, run, threadproof};

fn pool() -> PathBuf {
    root().join("corpus/thread_pool.tp")
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

struct Files {
    folder: tempfile::TempDir,
}

impl Files {
    fn new() -> Self {
        Files { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        std::fs::write(self.path(name), text).unwrap();
        self.path(name)
    }
}

const SAFE: &str = "global int g = 1;
thread t[*] { local int x; x = g; g = g + x; assert(g >= 1); }
";

/// A square is never twice another one, which no predicate of the logic says.
const HARD: &str = "global int x = 1, square = 1, y = 1, other = 1;
thread t[*] { while (*) { atomic { square = square + 2 * x + 1; x = x + 1; } } }
thread u[*] { while (*) { atomic { other = other + 2 * y + 1; y = y + 1; } } }
thread v { assert(square != 2 * other); }
";

#[test]
fn a_safe_program_is_proved_and_checked() {
    let files = Files::new();
    let (source, cert) = (files.write("safe.tp", SAFE), files.path("safe.cert"));
    let (code, out, err) = run(threadproof(), &["prove", arg(&source), "-o", arg(&cert)]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.starts_with("SAFE") && out.contains("t: any number of threads"), "{out}");
    let (code, out, _) = run(threadproof(), &["prove", arg(&source), "--json"]);
    let object = json(&out);
    assert_eq!(
        (code, &object["verdict"], &object["certificate"]),
        (0, &"safe".into(), &Value::Null)
    );
    let size = std::fs::metadata(&cert).unwrap().len();
    assert_eq!(object["bytes"], size);
    let (code, out, _) = run(threadproof(), &["check", arg(&source), arg(&cert), "--json"]);
    assert_eq!((code, &json(&out)["verdict"]), (0, &"accepted".into()));
    let (code, out, _) = run(threadproof(), &["show", arg(&cert)]);
    assert_eq!(code, 0);
    assert!(out.contains("{g >= 1} (x := g : 1) {x(1) >= 1}"), "{out}");
    let (code, out, _) = run(threadproof(), &["show", arg(&cert), "--json"]);
    assert!(code == 0 && json(&out)["Hoare triples"].is_array(), "{out}");
    let (code, out, _) = run(threadproof(), &["lower", arg(&source), "--json"]);
    assert!(code == 0 && json(&out)["core"].as_str().unwrap().starts_with("core 1;"), "{out}");
}

#[test]
fn a_broken_program_gets_a_counterexample_with_values() {
    let files = Files::new();
    let source = files.write("broken.tp", &SAFE.replace("g + x", "g - x"));
    let cert = files.path("broken.cert");
    let (code, out, _) = run(threadproof(), &["prove", arg(&source), "-o", arg(&cert)]);
    assert!(code == 1 && out.starts_with("UNSAFE"), "{out}");
    assert!(out.contains("// broken.tp:2: g = g - x;"), "{out}");
    let (code, out, _) = run(threadproof(), &["check", arg(&source), arg(&cert)]);
    assert!(code == 6 && out.starts_with("accepted: unsafe"), "{out}");
    assert!(out.contains("an execution of 1 thread leads a thread to the error location t.error"));
    let (code, out, _) = run(threadproof(), &["show", arg(&cert), arg(&source)]);
    assert!(code == 0 && out.contains("// broken.tp:2: g = g - x;"), "{out}");
    let (code, _, err) = run(threadproof(), &["show", arg(&cert), arg(&pool())]);
    assert!(code == 3 && err.contains("about another program"), "{err}");
    let (code, out, _) = run(threadproof(), &["show", arg(&cert)]);
    assert!(code == 0 && out.contains("error location") && out.contains("g = 0"), "{out}");
}

#[test]
fn the_checker_rejects_declines_and_complains() {
    let files = Files::new();
    let (source, cert) = (files.write("safe.tp", SAFE), files.path("safe.cert"));
    assert_eq!(run(threadproof(), &["prove", arg(&source), "-o", arg(&cert)]).0, 0);
    let core = files.write("safe.core", &run(threadproof(), &["lower", arg(&source)]).1);
    assert_eq!(run(checker(), &[arg(&core), arg(&cert)]).0, 0);
    let other = std::fs::read_to_string(&core).unwrap().replace("g + x", "g - x");
    let other = files.write("other.core", &other);
    let (code, out, _) = run(checker(), &[arg(&other), arg(&cert)]);
    assert!(code == 1 && out.starts_with("rejected (digest)"), "{out}");
    let (code, out, _) = run(checker(), &["--json", arg(&other), arg(&cert)]);
    assert_eq!((code, &json(&out)["category"]), (1, &"digest".into()));
    let mut bytes = std::fs::read(&cert).unwrap();
    bytes.push(0);
    std::fs::write(files.path("longer.cert"), &bytes).unwrap();
    let (code, out, _) = run(checker(), &[arg(&core), arg(&files.path("longer.cert"))]);
    assert!(code == 1 && out.starts_with("rejected (encoding)"), "{out}");
    std::fs::write(files.path("deep.cert"), vec![0x81; 100_000]).unwrap();
    let (code, out, _) = run(checker(), &[arg(&core), arg(&files.path("deep.cert"))]);
    assert!(code == 2 && out.starts_with("declined (limit)"), "{out}");
    assert_eq!(run(checker(), &[]).0, 3);
    assert_eq!(run(checker(), &["--trust-me", arg(&core), arg(&cert)]).0, 3);
    assert_eq!(run(checker(), &[arg(&core), "nowhere.cert"]).0, 3);
    assert_eq!(run(checker(), &["--help"]).0, 0);
}

#[test]
fn bad_usage_and_bad_input_exit_with_3() {
    let files = Files::new();
    assert_eq!(run(threadproof(), &[]).0, 3);
    assert_eq!(run(threadproof(), &["prove"]).0, 3);
    assert_eq!(run(threadproof(), &["prove", "nowhere.tp"]).0, 3);
    assert_eq!(run(threadproof(), &["prove", arg(&pool()), "--time-limit", "-1"]).0, 3);
    assert_eq!(run(threadproof(), &["--version"]).0, 0);
    let source = files.write("bad.tp", "global int g;\nthread t {\n    g = h;\n}\n");
    let (code, out, err) = run(threadproof(), &["prove", arg(&source)]);
    assert_eq!((code, out.as_str()), (3, ""));
    assert!(err.contains("bad.tp:3") && err.contains("g = h;") && err.contains('^'), "{err}");
    let source = files.write("program.txt", SAFE);
    assert_eq!(run(threadproof(), &["prove", arg(&source)]).0, 3);
    let unwritable = files.path("no/such/folder.cert");
    assert_eq!(run(threadproof(), &["prove", arg(&pool()), "-o", arg(&unwritable)]).0, 3);
    let cert = files.write("bad.cert", "no certificate");
    assert_eq!(run(threadproof(), &["show", arg(&cert)]).0, 3);
}

#[test]
fn an_invariant_proves_a_program_or_is_shown_to_fail() {
    let files = Files::new();
    let source = files.write("safe.tp", SAFE);
    let good = files
        .write("good.inv", "invariant g >= 1; invariant forall a: t . a at {L2} ==> a.x >= 1;");
    let cert = files.path("safe.cert");
    let (code, out, err) =
        run(threadproof(), &["certify", arg(&source), arg(&good), "-o", arg(&cert)]);
    assert!(code == 0 && out.starts_with("SAFE"), "{out}{err}");
    assert_eq!(run(threadproof(), &["check", arg(&source), arg(&cert)]).0, 0);
    let (code, out, _) = run(threadproof(), &["export", "--invariant", arg(&cert)]);
    assert!(
        code == 0 && out.contains("invariant forall t1: t . t1 at {L2} ==> t1.x >= 1;"),
        "{out}"
    );

    let weak = files.write("weak.inv", "// too weak\ninvariant g >= 1;");
    let (code, out, _) = run(threadproof(), &["certify", arg(&source), arg(&weak)]);
    assert!(
        code == 2 && out.contains("step:\n  t 1: L2 -> L3: g := g + x    // safe.tp:2"),
        "{out}"
    );
    let (code, out, _) = run(threadproof(), &["certify", arg(&source), arg(&weak), "--json"]);
    assert_eq!((code, json(&out)["verdict"].as_str()), (2, Some("unknown")), "{out}");
    let wrong = files.write("wrong.inv", "invariant g >= 1;\ninvariant h == 1;");
    let (code, out, err) = run(threadproof(), &["certify", arg(&source), arg(&wrong)]);
    assert!(code == 3 && out.is_empty() && err.contains("wrong.inv:2:11"), "{out}{err}");
    assert_eq!(run(threadproof(), &["export", arg(&cert)]).0, 3);
}

#[test]
fn clauses_of_a_program_may_count_threads() {
    let files = Files::new();
    let program = "global int x = 0;
invariant (count(inside) <= x);
thread worker[*] { x = x + 1; inside: x = x - 1; }
hint (count(inside) <= x && x >= 0);
thread observer { assert(x >= count(inside)); }
";
    let source = files.write("counted.tp", program);
    for strategy in ["difference-bounds", "facts-about-two-threads"] {
        let how = ["prove", arg(&source), "--threads", "1", "--strategy", strategy];
        let (code, _, said) = run(threadproof(), &how);
        assert!(matches!(code, 0 | 2) && !said.contains("panicked"), "{strategy}: {code} {said}");
    }
    let (code, said, error) = run(threadproof(), &["prove", arg(&source)]);
    assert_eq!(code, 0, "{said}{error}");
}

#[test]
fn a_time_limit_ends_a_run_with_unknown() {
    let files = Files::new();
    let source = files.write("hard.tp", HARD);
    let start = Instant::now();
    let (code, out, _) = run(threadproof(), &["prove", arg(&source), "--time-limit", "0.2"]);
    assert_eq!(code, 2, "{out}");
    assert!(out.starts_with("UNKNOWN: the time limit of 0.2 s was reached"), "{out}");
    assert!(start.elapsed() < Duration::from_secs(20));
    let (code, out, _) =
        run(threadproof(), &["prove", arg(&source), "--memory-limit", "1", "--json"]);
    assert!(code == 2 && json(&out)["reason"].as_str().unwrap().contains("memory limit"), "{out}");
    assert!(!Path::new("hard.cert").exists());
}

#[test]
fn an_interrupt_ends_a_run_with_unknown() {
    let files = Files::new();
    let source = files.write("hard.tp", HARD);
    let child = std::process::Command::new(threadproof())
        .args(["prove", arg(&source), "--time-limit", "60"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(500));
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(out.starts_with("UNKNOWN: interrupted"), "{out}");
}

/// A line of two hundred steps: one strategy proves it at once, others have long traces to look at.
#[test]
fn a_proof_does_not_wait_for_strategies_that_have_none() {
    let files = Files::new();
    let steps = "    x = x + 1;\n".repeat(200);
    let text = format!("global int x = 0;\nthread t[*] {{\n{steps}    assert(x >= 1);\n}}\n");
    let source = files.write("line.tp", &text);
    let start = Instant::now();
    let options = ["prove", arg(&source), "--threads", "2", "--time-limit", "60"];
    let (code, out, err) = run(threadproof(), &options);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(start.elapsed() < Duration::from_secs(50), "{:?}", start.elapsed());
}

/// What was tried is told at the limit as well, and the limit holds from the first moment on.
#[test]
fn the_time_limit_leaves_a_diagnosis() {
    let files = Files::new();
    let source = files.write("hard.tp", HARD);
    for threads in ["1", "2"] {
        let options = ["prove", arg(&source), "--threads", threads, "--time-limit", "2", "--json"];
        let (code, out, _) = run(threadproof(), &options);
        let object = json(&out);
        assert_eq!((code, &object["verdict"]), (2, &"unknown".into()), "{out}");
        assert_eq!(object["reason"], "the time limit of 2 s was reached");
        let tried = object["details"]["tried"].as_array().expect("what was tried");
        let begins = |line: &Value, what: &str| line.as_str().is_some_and(|l| l.starts_with(what));
        for what in
            ["difference bounds: ", "implications about two threads: ", "Horn clauses, level 1: "]
        {
            assert!(tried.iter().any(|line| begins(line, what)), "{what} in {out}");
        }
    }
}

#[test]
fn one_strategy_on_one_thread_gives_the_same_bytes() {
    let files = Files::new();
    let source = pool();
    let prove = |name: &str, options: &[&str]| {
        let cert = files.path(name);
        let mut arguments = vec!["prove", arg(&source), "-o", arg(&cert)];
        arguments.extend(options);
        let (code, out, err) = run(threadproof(), &arguments);
        assert_eq!((code, err.as_str()), (0, ""), "{out}");
        std::fs::read(cert).unwrap()
    };
    let options = ["--strategy", "difference-bounds", "--threads", "1"];
    assert_eq!(prove("a", &options), prove("b", &options));
    // Side by side any strategy may be the first.
    prove("c", &["--threads", "3"]);
    let options = ["--strategy", "difference-bounds", "--strategy", "weakest-preconditions"];
    prove("d", &options);
    let (code, _, err) = run(threadproof(), &["prove", arg(&source), "--strategy", "luck"]);
    assert_eq!(code, 3);
    assert!(err.contains("difference-bounds-with-dummy-threads"), "{err}");
    let (code, ..) = run(threadproof(), &["prove", arg(&source), "--threads", "0"]);
    assert_eq!(code, 3);
}

/// A thread with an abstraction, and a single one.
const ABSTRACTED: &str = "global int g = 1;
abstract W { common assertion (g >= 1); initial node n; edge n -> n (g' > g); }
thread s { assert(g >= 1); }
thread t[*] abstracts W { local int x = 0; g = g + 1; x = g; }
";

#[test]
fn layers_and_fixed_numbers_of_threads_are_lowered_and_proved() {
    let files = Files::new();
    let source = files.write("abstracted.tp", ABSTRACTED);
    let lower =
        |options: &[&str]| run(threadproof(), &[&["lower", arg(&source)], options].concat());
    let (_, concrete, _) = lower(&["--layer", "0"]);
    assert_eq!(concrete, lower(&[]).1);
    let templates = |options: &[&str]| -> Vec<String> {
        let (code, out, err) = lower(options);
        assert_eq!(code, 0, "{err}");
        let lines = out.lines().filter(|l| l.starts_with("one ") || l.starts_with("many "));
        lines.map(|l| l.trim_end_matches(" {").to_owned()).collect()
    };
    assert_eq!(templates(&[]), ["one s", "many t"]);
    assert_eq!(templates(&["--layer", "1"]), ["one s", "many W"]);
    assert_eq!(templates(&["--exactly", "2"]), ["one s", "one t_1", "one t_2"]);
    assert_eq!(templates(&["--layer", "1", "--exactly", "2"]), ["one s", "one W_1", "one W_2"]);
    let (code, out, err) = lower(&["--layer", "2"]);
    assert_eq!((code, out.as_str()), (3, ""));
    assert!(err.contains("unknown layer 2; layers of abstraction: 1"), "{err}");
    let (code, out, err) = run(threadproof(), &["prove", arg(&source), "--exactly", "2"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("assumption: exactly 2 threads run t"), "{out}");
    assert!(out.contains("proof: any number of threads t for single ones"), "{out}");
    assert!(out.contains("then abstract threads of t"), "{out}");
    let single = files.write("single.tp", "thread t { assume(true); }");
    let (code, _, err) = run(threadproof(), &["lower", arg(&single), "--exactly", "2"]);
    assert_eq!((code, err.as_str()), (3, "no thread is declared with `[*]`\n"));
    for number in ["0", "65", "x"] {
        assert_eq!(lower(&["--exactly", number]).0, 3, "{number}");
    }
}
