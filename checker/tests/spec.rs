//! SPEC.md itself: its layout, that the rules which the trusted code cites are there, and its
//! worked example, byte by byte.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use threadproof_checker::check;
use threadproof_checker::error::Budget;
use threadproof_checker::internals::core_form;
use threadproof_checker::internals::obligation::Obligation;
use threadproof_checker::internals::refute::clauses::ClausalForm;
use threadproof_checker::internals::refute::terms::{Leaf, Variable};
use threadproof_format::proof::{Certificate, Proof};
use threadproof_format::refutation::Linear;
use threadproof_format::{Cmp, Expr, Int, Op, cbor};
use threadproof_tests_trusted::introduction::obligations;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn specification() -> String {
    std::fs::read_to_string(root().join("SPEC.md")).expect("SPEC.md")
}

/// The content of the one block of code with this word.
fn block(word: &str) -> String {
    let text = specification();
    let parts: Vec<&str> = text.split(&format!("\n```{word}\n")).collect();
    let [_, after] = parts[..] else { panic!("{} blocks of {word}", parts.len() - 1) };
    after.split_once("```").expect("its end").0.to_owned()
}

#[test]
fn no_line_is_long() {
    let text = specification();
    let long: Vec<&str> = text.lines().filter(|line| line.chars().count() > 120).collect();
    assert_eq!(long, Vec::<&str>::new());
}

/// A number such as 8.4.3, if the text begins with one of two or three parts.
fn number(text: &str) -> Option<Vec<u32>> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let parts = text[..end].trim_end_matches('.').split('.').map(str::parse);
    parts.collect::<Result<Vec<u32>, _>>().ok().filter(|parts| (1..=3).contains(&parts.len()))
}

/// The numbers of sections and rules, in the order of the text.
fn numbers() -> Vec<Vec<u32>> {
    let text = specification();
    let headings = |line: &str| line.trim_start_matches('#').strip_prefix(' ').and_then(number);
    let of = |line: &str| match line.strip_prefix("**") {
        Some(rule) => number(rule),
        None => line.starts_with("##").then(|| headings(line)).flatten(),
    };
    text.lines().filter_map(of).collect()
}

#[test]
fn sections_and_rules_ascend() {
    let numbers = numbers();
    assert!(numbers.iter().filter(|number| number.len() == 3).count() > 120, "{numbers:?}");
    let wrong = numbers.windows(2).find(|pair| pair[0] >= pair[1]);
    assert_eq!(wrong, None, "a number that does not ascend");
    for number in numbers.iter().filter(|number| number.len() > 1 && number[1] != 0) {
        let section = number[..number.len() - 1].to_vec();
        let of_an_introduction = number.len() == 3 && number[1] == 0;
        assert!(of_an_introduction || numbers.contains(&section), "{number:?} is in no section");
    }
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// The numbers that a comment cites after `section`, `sections` or `SPEC.md`.
fn cited(line: &str) -> Vec<Vec<u32>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if !["(section", "section", "sections", "(sections", "SPEC.md", "(SPEC.md"].contains(word) {
            continue;
        }
        for word in words[at + 1..].iter().skip_while(|word| word.starts_with("section")) {
            match number(word) {
                Some(number) => found.push(number),
                None if !["and", "to"].contains(word) => break,
                None => {}
            }
            if word.contains(')') || word.ends_with([';', ':']) {
                break;
            }
        }
    }
    found
}

#[test]
fn what_the_code_cites_is_there() {
    let known: BTreeSet<Vec<u32>> = numbers().into_iter().collect();
    let mut files = Vec::new();
    sources(&root().join("checker/src"), &mut files);
    sources(&root().join("format/src"), &mut files);
    let mut count = 0;
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a source");
        for line in text.lines().filter(|line| !line.contains("RFC")) {
            for number in cited(line) {
                assert!(known.contains(&number), "{}: {number:?}: {line}", file.display());
                count += 1;
            }
        }
    }
    assert!(count > 80, "{count} citations");
}

/// The rows of the dump: the bytes, and what they are said to be.
fn rows() -> Vec<(Vec<u8>, String)> {
    let mut rows: Vec<(Vec<u8>, String)> = Vec::new();
    for line in block("cbor").lines() {
        let (digits, note) = line.split_once('#').map_or((line, None), |(d, n)| (d, Some(n)));
        let digits: Vec<char> = digits.chars().filter(|c| !c.is_whitespace()).collect();
        let byte = |pair: &[char]| {
            u8::from_str_radix(&pair.iter().collect::<String>(), 16).expect("digits")
        };
        let bytes = digits.chunks(2).map(byte);
        match note {
            Some(note) => {
                let note = note.split(" -- ").next().expect("a note").trim();
                rows.push((bytes.collect(), note.to_owned()));
            }
            None => rows.last_mut().expect("a row before").0.extend(bytes),
        }
    }
    rows
}

/// A head of CBOR: its kind, its argument, and the bytes after it.
fn head(bytes: &[u8]) -> (u8, u64, &[u8]) {
    let (kind, low) = (bytes[0] >> 5, bytes[0] & 31);
    let length = if low < 24 { 0 } else { 1 << (low - 24) };
    let (argument, rest) = bytes[1..].split_at(length);
    let value = argument.iter().fold(0, |value, byte| (value << 8) | u64::from(*byte));
    (kind, if length == 0 { u64::from(low) } else { value }, rest)
}

/// Diagnostic notation of the first item of some bytes, and the bytes after it.
fn item(bytes: &[u8]) -> (String, &[u8]) {
    let (kind, argument, mut rest) = head(bytes);
    let length = usize::try_from(argument).expect("a length");
    let mut next = || {
        let (text, after) = item(rest);
        rest = after;
        text
    };
    let text = match kind {
        0 => argument.to_string(),
        1 => format!("-{}", argument + 1),
        3 => {
            let (text, after) = rest.split_at(length);
            rest = after;
            format!("{:?}", std::str::from_utf8(text).expect("UTF-8"))
        }
        4 => format!("[{}]", (0..length).map(|_| next()).collect::<Vec<_>>().join(", ")),
        5 => {
            let pairs = (0..length).map(|_| format!("{}: {}", next(), next()));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
        _ => panic!("kind {kind}"),
    };
    (text, rest)
}

/// What the bytes of a row are: a key if the row has one, then an item, of which there may be the
/// head alone.
fn described(bytes: &[u8], note: &str) -> String {
    let (key, bytes) = match note.split_once(": ") {
        Some((key, _)) if key.starts_with('"') => {
            let (text, rest) = item(bytes);
            (text + ": ", rest)
        }
        _ => (String::new(), bytes),
    };
    let (kind, argument, rest) = head(bytes);
    let value = note.rsplit(": ").next().expect("a value");
    let alone = ["bytes(", "text(", "array(", "map("].iter().position(|w| value.starts_with(w));
    let Some(at) = alone else {
        let (text, rest) = item(bytes);
        assert!(rest.is_empty(), "{note}: more bytes than that");
        return key + &text;
    };
    assert_eq!(usize::from(kind), at + 2, "{note}: another kind");
    let content = if at < 2 { argument } else { 0 };
    assert_eq!(rest.len() as u64, content, "{note}: another length");
    format!("{key}{}{argument})", ["bytes(", "text(", "array(", "map("][at])
}

#[test]
fn each_byte_of_the_example_is_what_its_line_says() {
    let rows = rows();
    assert!(rows.len() > 50, "{} rows", rows.len());
    for (bytes, note) in &rows {
        assert_eq!(described(bytes, note), *note);
    }
}

fn certificate() -> Vec<u8> {
    rows().into_iter().flat_map(|row| row.0).collect()
}

#[test]
fn the_example_is_accepted_with_its_claim() {
    let claim = check(&block("core"), &certificate()).expect("accepted");
    assert_eq!(claim.to_string(), block("text"));
}

/// An expression as the core form has it, of what occurs in the example.
fn infix(expr: &Expr) -> String {
    let mut stack: Vec<(String, bool)> = Vec::new();
    for op in &expr.0 {
        let operator = match op {
            Op::Int(value) => (value.to_string(), true),
            Op::Bool(value) => (value.to_string(), true),
            Op::Global(0) => ("x".to_owned(), true),
            Op::Not => match stack.pop().expect("an operand") {
                (operand, true) => (format!("!{operand}"), true),
                (operand, false) => (format!("!({operand})"), true),
            },
            binary => {
                let word = match binary {
                    Op::Add => "+",
                    Op::Cmp(Cmp::Eq) => "==",
                    Op::Cmp(Cmp::Lt) => "<",
                    Op::Cmp(Cmp::Ge) => ">=",
                    other => panic!("{other:?} is not in the example"),
                };
                let (right, left) = (stack.pop().expect("two"), stack.pop().expect("two"));
                (format!("{} {word} {}", left.0, right.0), false)
            }
        };
        stack.push(operator);
    }
    stack.pop().expect("a value").0
}

fn linear(form: &Linear) -> String {
    assert_eq!(form.terms, [(0, Int::from(1))], "a form of x alone");
    match form.constant == Int::from(0) {
        true => "x".to_owned(),
        false => format!("x + {}", form.constant),
    }
}

/// An obligation as the example shows it.
fn shown(obligation: &Obligation) -> String {
    let form: ClausalForm = obligation.clausal_form(&Budget::default()).expect("a form");
    assert_eq!(form.leaves()[..], [Leaf::Variable(Op::Global(0))]);
    let variable = |(number, variable): (usize, &Variable)| match variable {
        Variable::True => format!("{number} = true"),
        Variable::AtMost(form) => format!("{number} = ({} <= 0)", linear(form)),
        Variable::Both(a, b) => format!("{number} = ({a} and {b})"),
        Variable::Truth(_) => panic!("a truth value"),
    };
    let formulas: Vec<String> = obligation.formulas.iter().map(infix).collect();
    let variables: Vec<String> = (1..).zip(form.variables()).map(variable).collect();
    let clauses = form.clauses().iter().enumerate();
    let clauses: Vec<String> = clauses.map(|(i, clause)| format!("{i} = {clause:?}")).collect();
    let lines = [
        ("formulas", formulas.join("; ")),
        ("variables", variables.join(", ")),
        ("clauses", clauses.join(", ")),
    ];
    let lines = lines.map(|(word, list)| format!("  {word:<10} {list}\n"));
    format!("{}\n{}", obligation.id, lines.concat())
}

#[test]
fn the_obligations_of_the_example_are_those_that_it_shows() {
    let (program, _) = core_form::parse(&block("core")).expect("a program");
    let decoded: Certificate = cbor::decode(&certificate()).expect("a certificate");
    let Proof::ProofSpace(proof) = decoded.proof else { panic!("a proof space") };
    let list = obligations(&program, &proof);
    assert_eq!(list.iter().map(shown).collect::<String>(), block("obligations"));
}
