//! Obligations as scripts, and what the solvers answer.

use std::path::{Path, PathBuf};
use std::process::Command;
use threadproof_tests::harness::{arg, root, run, threadproof};

/// A script that a solver reads.
#[derive(Clone, Debug)]
pub struct Script {
    /// The certificate, and the place in it.
    pub name: String,
    pub path: PathBuf,
}

impl Script {
    /// The Alethe proof beside it: exactly a script that divides has none.
    pub fn proof(&self) -> Option<PathBuf> {
        let text = std::fs::read_to_string(&self.path).expect("a script");
        let divides = text.contains("(div ") || text.contains("(mod ");
        let proof = self.path.with_extension("alethe");
        assert_eq!(proof.exists(), !divides, "{}", self.name);
        (!divides).then_some(proof)
    }
}

/// What both solvers say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Satisfiable,
    Unsatisfiable,
}

/// The obligations of a certificate, as the command line exports them, with proofs beside them or
/// without.
pub fn export(name: &str, certificate: &Path, folder: &Path, proofs: bool) -> Vec<Script> {
    let folder = folder.join(name.replace('/', "_"));
    let mut arguments = vec!["export", "--obligations", arg(&folder), arg(certificate)];
    arguments.extend(proofs.then_some("--alethe"));
    let (code, out, error) = run(threadproof(), &arguments);
    assert_eq!(code, 0, "{name}: {out}{error}");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(&folder).expect("a folder").map(|f| f.expect("a file").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "smt2"));
    paths.sort();
    let count = out.split_whitespace().next().and_then(|n| n.parse().ok());
    assert_eq!(count, Some(paths.len()), "{name}: a file for each obligation");
    let script = |path: PathBuf| {
        let place = path.file_stem().expect("a name").to_string_lossy();
        Script { name: format!("{name}: {place}"), path }
    };
    paths.into_iter().map(script).collect()
}

/// Copies of a script each of which lacks one assertion.
pub fn without_each_assertion(script: &Script, folder: &Path) -> Vec<Script> {
    let text = std::fs::read_to_string(&script.path).expect("a script");
    let lines: Vec<&str> = text.lines().collect();
    let asserts = (0..lines.len()).filter(|i| lines[*i].starts_with("(assert "));
    asserts
        .map(|gone| {
            let rest = lines.iter().enumerate().filter(|(i, _)| *i != gone);
            let rest: Vec<&str> = rest.map(|(_, line)| *line).collect();
            let name = format!("{} without `{}`", script.name, lines[gone]);
            let count = std::fs::read_dir(folder).expect("a folder").count();
            let path = folder.join(format!("{count}.smt2"));
            std::fs::write(&path, rest.join("\n")).expect("a script");
            Script { name, path }
        })
        .collect()
}

/// What both solvers say of each script.
///
/// # Panics
/// If they differ or one does not know.
pub fn verdicts(scripts: &[Script]) -> Vec<Verdict> {
    let (z3, cvc5) = std::thread::scope(|scope| {
        let other = scope.spawn(|| answers("cvc5", scripts));
        (answers("z3", scripts), other.join().expect("cvc5"))
    });
    let (mut agreed, mut wrong) = (Vec::new(), Vec::new());
    for (script, answers) in scripts.iter().zip(z3.iter().zip(&cvc5)) {
        match (answers.0.as_str(), answers.1.as_str()) {
            ("sat", "sat") => agreed.push(Verdict::Satisfiable),
            ("unsat", "unsat") => agreed.push(Verdict::Unsatisfiable),
            (z3, cvc5) => wrong.push(format!("{}: z3: {z3}, cvc5: {cvc5}", script.name)),
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    agreed
}

/// A solver's answers, one for each script.
fn answers(solver: &str, scripts: &[Script]) -> Vec<String> {
    assert!(root().join(".cvc5").exists(), "cvc5 is missing: run ./setup.sh z3 cvc5");
    let mut command = Command::new("python3");
    command.arg(root().join("tests/oracles/solve.py")).arg(solver);
    threadproof_tests::harness::answers(
        command,
        scripts.iter().map(|s| format!("{}\n", arg(&s.path))).collect(),
    )
}
