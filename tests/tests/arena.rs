//! The arena: stored pairs of a program and a certificate, good, bad and hostile ones, that every
//! checker has to judge rightly and for the reason that is named. The arena itself is tested by
//! checkers that are wrong.
//!
//! `corpus/certificates` is made from `tests/src/arena` by `make arena`.

use ciborium::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;
use threadproof_checker::check_within;
use threadproof_checker::error::Budget;
use threadproof_checker::internals::core_form;
use threadproof_format::cbor;
use threadproof_format::proof::{Certificate, Conclusion};
use threadproof_tests::arena;
use threadproof_tests::arena::{Case, File};
use threadproof_tests::contender::{Cases, Contender, Stored, stored};
use threadproof_tests::cost::cpu_time;
use threadproof_tests::harness::{arg, checker, root};

fn folder() -> PathBuf {
    root().join("corpus/certificates")
}

/// The files below a folder, sorted by their paths.
fn files_in(folder: &Path) -> Vec<File> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
        let entry = entry.expect("an entry");
        let name = entry.file_name().into_string().expect("UTF-8");
        if entry.file_type().expect("a type").is_dir() {
            let inner = files_in(&entry.path()).into_iter();
            found.extend(inner.map(|(path, bytes)| (format!("{name}/{path}"), bytes)));
        } else {
            found.push((name, std::fs::read(entry.path()).expect("a file")));
        }
    }
    found.sort();
    found
}

fn made() -> Vec<File> {
    let mut files = arena::files(&arena::all());
    files.sort();
    files
}

#[test]
fn what_is_stored_is_what_is_made() {
    let (stored, made) = (files_in(&folder()), made());
    let names = |files: &[File]| files.iter().map(|file| file.0.clone()).collect::<Vec<_>>();
    assert_eq!(names(&stored), names(&made), "`make arena` makes them anew");
    for ((name, stored), (_, made)) in stored.iter().zip(&made) {
        assert!(stored == made, "{name} is another: `make arena` makes it anew");
    }
}

#[test]
#[ignore = "writes the corpus: `make arena`"]
fn make() {
    let folder = folder();
    if folder.exists() {
        std::fs::remove_dir_all(&folder).expect("the old files");
    }
    for (name, bytes) in made() {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, bytes).expect("a file");
    }
}

/// Both checkers, and what they are told apart by.
fn first() -> Contender {
    Contender::new(&[arg(&checker()), "--json"])
}

fn second() -> Contender {
    let script = root().join("tests/reference_checker/batch.py");
    Contender { batch: true, reasons: false, ..Contender::new(&["python3", arg(&script)]) }
}

#[test]
fn the_checker_judges_all_rightly() {
    let complaints = first().complaints(&stored(&folder()));
    assert!(complaints.is_empty(), "{complaints:#?}");
}

#[test]
fn the_second_checker_judges_all_rightly() {
    let complaints = second().complaints(&stored(&folder()));
    assert!(complaints.is_empty(), "{complaints:#?}");
}

/// Processor time that a check may take: so much at all, for each byte, and for each unit of work
/// that it counts. It is some times what checks take in tests (200 nanoseconds for a byte), so that
/// it does not matter what else the machine does; work that is not counted soon takes longer.
const NANOSECONDS: [u64; 3] = [50_000_000, 500, 500];

/// A time that a check takes.
fn nanoseconds(time: Duration) -> u64 {
    time.as_nanos().try_into().expect("less than centuries")
}

/// Processor time and its bound, for a check of a case in a thread of its own.
fn time_and_bound(case: &Stored) -> [u64; 2] {
    let read = |path: &Path| std::fs::read(path).expect("a file of the arena");
    let (core, certificate) = (read(&case.core), read(&case.certificate));
    let bytes = (core.len() + certificate.len()) as u64;
    let checked = std::thread::spawn(move || {
        let (before, budget) = (cpu_time(), Budget::default());
        let given = budget.left();
        let _ = check_within(&core, &certificate, &budget);
        (nanoseconds(cpu_time() - before), given - budget.left())
    });
    let (time, work) = checked.join().expect("no panic");
    let [least, byte, unit] = NANOSECONDS;
    [time, least + byte * bytes + unit * work]
}

#[test]
fn no_check_takes_longer_than_its_work() {
    let cases = stored(&folder());
    let times = cases.list.iter().map(|case| (case.name.as_str(), time_and_bound(case)));
    let late: Vec<_> = times.filter(|(_, [time, bound])| time > bound).collect();
    assert!(late.is_empty(), "nanoseconds, and how many are allowed: {late:#?}");
}

/// The names of the cases that a checker is wrong about, and of those that a test says it has to be
/// wrong about.
#[track_caller]
fn fails(contender: &Contender, wrong: impl Fn(&Stored) -> bool) {
    fails_on(&stored(&folder()), contender, wrong);
}

#[track_caller]
fn fails_on(cases: &Cases, contender: &Contender, wrong: impl Fn(&Stored) -> bool) {
    let complaints = contender.complaints(cases);
    let found: BTreeSet<&str> = complaints.iter().map(|c| c.0.as_str()).collect();
    let expected: BTreeSet<&str> =
        cases.list.iter().filter(|c| wrong(c)).map(|c| c.name.as_str()).collect();
    assert!(!expected.is_empty());
    assert_eq!(found, expected);
}

/// Whether a claim of safety that has content is to be accepted.
fn is_safe(case: &Stored) -> bool {
    case.expected.conclusion == "safe" && case.expected.vacuous.is_empty()
}

/// A checker that says and exits with the same for everything.
fn always(verdict: &str, code: u8) -> Contender {
    Contender::new(&["sh", "-c", &format!("echo '{verdict}'; exit {code}")])
}

#[test]
fn a_checker_that_always_accepts_fails() {
    fails(&always(r#"{"verdict":"accepted","conclusion":"safe"}"#, 0), |case| !is_safe(case));
}

#[test]
fn a_checker_that_always_rejects_fails() {
    let rejects = r#"{"verdict":"rejected","category":"refutation","reason":""}"#;
    fails(&Contender { reasons: false, ..always(rejects, 1) }, |case| {
        case.expected.category != "refutation"
    });
}

#[test]
fn a_checker_that_always_declines_fails() {
    let declines = r#"{"verdict":"declined","category":"limit","reason":""}"#;
    fails(&Contender { reasons: false, ..always(declines, 2) }, |case| {
        case.expected.category != "limit"
    });
}

#[test]
fn a_checker_that_crashes_fails() {
    fails(&always("", 101), |_| true);
}

/// The cases that take no time, for a checker that is the first one but for a flaw.
fn quick() -> Cases {
    let mut cases = stored(&folder());
    cases.list.retain(|case| case.folder != "nocrash");
    cases
}

#[test]
fn a_checker_with_other_exit_codes_fails() {
    let script = format!("{} --json \"$@\"; exit 0", arg(&checker()));
    fails_on(&quick(), &Contender::new(&["sh", "-c", &script, "sh"]), |case| !is_safe(case));
}

#[test]
fn a_checker_that_names_no_reasons_fails() {
    let script = format!(
        "said=$({} --json \"$@\"); code=$?; echo \"$said\" | sed 's/\"reason\":.*}}/\"reason\":\"\"}}/'; exit $code",
        arg(&checker())
    );
    fails_on(&quick(), &Contender::new(&["sh", "-c", &script, "sh"]), |case| case.folder == "bad");
}

fn certificate(case: &Case) -> Certificate {
    cbor::decode(&case.certificate[0].0).unwrap_or_else(|e| panic!("{}: {e}", case.name))
}

fn statement(case: &Case) -> String {
    let text = std::str::from_utf8(&case.core[0].0).expect("UTF-8");
    core_form::statement(text).expect("tokens")
}

#[test]
fn false_claims_are_refuted_by_good_certificates() {
    let cases = arena::all();
    let mut count = 0;
    for case in cases.iter().filter(|case| case.refuted_by.is_some()) {
        let named =
            |other: &&Case| other.folder == "good" && Some(&other.name) == case.refuted_by.as_ref();
        let opposite = cases.iter().find(named).unwrap_or_else(|| panic!("{}", case.name));
        assert_eq!(statement(case), statement(opposite), "{}", case.name);
        let claims = [case, opposite].map(|c| certificate(c).proof.conclusion());
        let opposed = [Conclusion::Safe, Conclusion::ErrorReachable];
        assert!(opposed.iter().all(|c| claims.contains(c)), "{}: {claims:?}", case.name);
        count += 1;
    }
    assert!(count >= 50, "only {count} cases claim what is false");
}

#[test]
fn each_bad_case_is_a_good_one_with_a_trap() {
    let cases = arena::all();
    let names: BTreeSet<&str> = cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names.len(), cases.len(), "a name stands for one case");
    let good = |name: &str| cases.iter().any(|case| case.folder == "good" && case.name == name);
    for case in cases.iter().filter(|case| case.folder == "bad") {
        let base = case.base.as_deref().expect("a base");
        assert!(good(base), "{}: {base}", case.name);
        assert!(!case.trap.is_empty() && !case.expected.reason.is_empty(), "{}", case.name);
    }
}

#[test]
fn the_rules_of_the_cases_are_in_the_specification() {
    let text = std::fs::read_to_string(root().join("SPEC.md")).expect("the specification");
    for case in arena::all() {
        let number = &case.section;
        let starts = [format!("**{number}** "), format!("## {number} "), format!("### {number} ")];
        let there = text.lines().any(|line| starts.iter().any(|start| line.starts_with(start)));
        assert!(there, "{}: no rule {number}", case.name);
    }
}

/// The text of a section of the specification.
fn section(heading: &str) -> String {
    let text = std::fs::read_to_string(root().join("SPEC.md")).expect("the specification");
    let (_, rest) = text.split_once(heading).unwrap_or_else(|| panic!("no {heading}"));
    rest.split("\n#").next().expect("a section").to_owned()
}

#[test]
fn each_error_category_has_a_bad_case() {
    let section = section("## 10 Error categories");
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    let names: BTreeSet<&str> = rows.flat_map(|row| row.split('`').skip(1).step_by(2)).collect();
    assert!(names.len() >= 20, "{names:?}");
    let cases = arena::all();
    let bad = cases.iter().filter(|case| case.folder == "bad");
    let found: BTreeSet<&str> = bad.map(|case| case.expected.category.as_str()).collect();
    assert_eq!(found, names);
}

/// The names of fields and the texts that stand for themselves in the schema.
fn schema() -> BTreeSet<String> {
    let section = section("### 2.4 Schema");
    let rules = section.split("```").nth(1).expect("the schema");
    let rules: String =
        rules.lines().skip(1).map(|line| line.split(';').next().unwrap_or(line)).collect();
    let (mut names, mut open, mut rest) = (BTreeSet::new(), Vec::new(), rules.as_str());
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let length = match first {
            '"' => 2 + rest[1..].find('"').expect("a text"),
            _ if first.is_ascii_alphabetic() => rest.find(|c| !word(c)).unwrap_or(rest.len()),
            _ => 1,
        };
        let (item, after) = rest.split_at(length);
        match first {
            '{' | '[' => open.push(first),
            '}' | ']' => drop(open.pop()),
            '"' => drop(names.insert(item.trim_matches('"').to_owned())),
            // An element of an array has a name in the schema, and none in the bytes.
            _ if after.trim_start().starts_with(':') && open.last() == Some(&'{') => {
                names.insert(item.to_owned());
            }
            _ => {}
        }
        rest = after;
    }
    names
}

/// The names of fields and the texts in a certificate.
fn names_in(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| names_in(item, found)),
        Value::Map(entries) => {
            for (key, item) in entries {
                names_in(key, found);
                names_in(item, found);
            }
        }
        Value::Text(text) => drop(found.insert(text.clone())),
        _ => {}
    }
}

#[test]
fn the_good_cases_have_every_field_of_the_schema() {
    let mut found = BTreeSet::new();
    let cases = arena::all();
    for case in cases.iter().filter(|case| case.folder == "good") {
        let value = ciborium::from_reader(case.certificate[0].0.as_slice()).expect("a certificate");
        names_in(&value, &mut found);
    }
    let names = schema();
    assert!(names.len() >= 60, "{names:?}");
    let missing: Vec<&String> = names.difference(&found).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn the_trust_page_counts_the_cases_rightly() {
    let page = std::fs::read_to_string(root().join("docs/trust.md")).expect("the page");
    let text = std::fs::read_to_string(folder().join("manifest.json")).expect("the manifest");
    let lines: Vec<serde_json::Value> = serde_json::from_str(&text).expect("a JSON array");
    let of = |name: &str| lines.iter().filter(|line| line["folder"] == name).count();
    let refuted =
        |line: &&serde_json::Value| line["folder"] == "bad" && line["refuted_by"].is_string();
    let counts = format!(
        "{} bad (of {} the claim is shown false), {} good, {} hostile",
        of("bad"),
        lines.iter().filter(refuted).count(),
        of("good"),
        of("nocrash")
    );
    assert!(page.contains(&counts), "docs/trust.md: {counts}");
}
