//! A checker in the arena: a command that gets a program and a certificate, and prints its verdict
//! as JSON. It runs within bounds on memory and time, and beyond them it has crashed.

use crate::arena::Expected;
use crate::harness::{answers, pair_line};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Kilobytes of memory and seconds of processor time for one process.
const LIMITS: &str = "ulimit -v 2000000 && ulimit -t 60 && exec \"$@\"";

/// A case as it stands in the manifest, its files at hand.
pub struct Stored {
    pub folder: String,
    pub name: String,
    pub core: PathBuf,
    pub certificate: PathBuf,
    pub expected: Expected,
}

/// The cases, and the folder with those that are made by a recipe.
pub struct Cases {
    pub list: Vec<Stored>,
    _made: tempfile::TempDir,
}

/// Reads the manifest in a folder. Fails if it has too few cases.
pub fn stored(folder: &Path) -> Cases {
    let text = std::fs::read_to_string(folder.join("manifest.json")).expect("the manifest");
    let lines: Vec<Value> = serde_json::from_str(&text).expect("a JSON array");
    let made = tempfile::tempdir().expect("a folder");
    let list: Vec<Stored> = lines.iter().map(|line| read(line, folder, made.path())).collect();
    for (name, least) in [("good", 60), ("bad", 350), ("nocrash", 40)] {
        let count = list.iter().filter(|case| case.folder == name).count();
        assert!(count >= least, "only {count} cases are {name}");
    }
    Cases { list, _made: made }
}

fn read(line: &Value, folder: &Path, made: &Path) -> Stored {
    let text = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
    let name = text("name");
    let file = |key: &str| match &line[key] {
        Value::String(path) => folder.join(path),
        recipe => {
            let path = made.join(format!("{name}.{key}"));
            std::fs::write(&path, expand(recipe)).expect("a file");
            path
        }
    };
    let (core, certificate) = (file("program"), file("certificate"));
    let [verdict, conclusion, vacuous, category, reason] =
        ["verdict", "conclusion", "vacuous", "category", "reason"].map(text);
    let expected = Expected { verdict, conclusion, vacuous, category, reason };
    Stored { folder: text("folder"), core, certificate, expected, name }
}

/// The bytes of a recipe: pieces in hexadecimal digits, each with how often it is repeated.
fn expand(recipe: &Value) -> Vec<u8> {
    let piece = |piece: &Value| {
        let digits = piece[0].as_str().expect("digits");
        let digit = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).expect("digits");
        let content: Vec<u8> = (0..digits.len()).step_by(2).map(digit).collect();
        let times = piece[1].as_u64().and_then(|n| usize::try_from(n).ok()).expect("a number");
        (content, times)
    };
    crate::arena::expand(&recipe.as_array().expect("a recipe").iter().map(piece).collect())
}

/// A checker.
pub struct Contender {
    /// Program and arguments; after them come the paths of a program and a certificate.
    pub command: Vec<String>,
    /// It is run once, and reads a line with the bytes of both for each case.
    pub batch: bool,
    /// Its reasons have the words of the manifest.
    pub reasons: bool,
}

/// What was said of a case: the verdict as JSON (null if it is none) and the exit code, if each
/// case has its own.
struct Answer {
    said: Value,
    code: Option<i32>,
}

impl Contender {
    /// A checker that is run for each case and has the manifest's reasons.
    pub fn new(command: &[&str]) -> Self {
        let command = command.iter().map(|&word| word.to_owned()).collect();
        Contender { command, batch: false, reasons: true }
    }

    fn bounded(&self) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", LIMITS, "sh"]).args(&self.command);
        command
    }

    fn answers(&self, cases: &Cases) -> Vec<Answer> {
        if self.batch {
            return self.answers_at_once(cases);
        }
        let answer = |case: &Stored| {
            let output = self.bounded().args([&case.core, &case.certificate]).output();
            let output = output.expect("a shell");
            let said = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
            Answer { said, code: Some(output.status.code().unwrap_or(-1)) }
        };
        cases.list.iter().map(answer).collect()
    }

    fn answers_at_once(&self, cases: &Cases) -> Vec<Answer> {
        let read = |path: &Path| std::fs::read(path).expect("a file of the arena");
        let line = |case: &Stored| pair_line(&read(&case.core), &read(&case.certificate));
        let input = cases.list.iter().map(line).collect();
        let said = answers(self.bounded(), input).into_iter();
        let said = said.map(|line| serde_json::from_str(&line).unwrap_or(Value::Null));
        said.map(|said| Answer { said, code: None }).collect()
    }

    /// The cases that it judges wrongly, and how.
    pub fn complaints(&self, cases: &Cases) -> Vec<(String, String)> {
        let answers = self.answers(cases).into_iter();
        let judged = cases.list.iter().zip(answers);
        let wrong = judged.filter(|(case, answer)| !self.is_right(&case.expected, answer));
        wrong
            .map(|(case, Answer { said, code })| {
                (case.name.clone(), format!("{:?} expected, {said} said, {code:?}", case.expected))
            })
            .collect()
    }

    fn is_right(&self, expected: &Expected, answer: &Answer) -> bool {
        let said = |key: &str| answer.said[key].as_str().unwrap_or_default();
        let code = match expected.verdict.as_str() {
            "accepted" if !expected.vacuous.is_empty() => 4,
            "accepted" => match expected.conclusion.as_str() {
                "safe" => 0,
                "safe-within" => 5,
                "error-reachable" => 6,
                other => panic!("a case with the conclusion {other:?}"),
            },
            "rejected" => 1,
            "declined" => 2,
            _ => 3,
        };
        said("verdict") == expected.verdict
            && said("conclusion") == expected.conclusion
            && said("vacuous") == expected.vacuous
            && (answer.code.is_none() || answer.code == Some(code))
            && of_bytes(said("category")) == of_bytes(&expected.category)
            && (!self.reasons || said("reason").contains(&expected.reason))
    }
}

/// Either of two categories may be given for bytes that are no certificate (SPEC.md section 10).
fn of_bytes(category: &str) -> &str {
    if category == "schema" { "encoding" } else { category }
}
