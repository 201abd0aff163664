//! The C front end against C itself: random programs, executed by an interpreter that was written
//! from the C standard and shares nothing with the front end, and their core programs, by brute
//! force, have the same failing assertions. What the interpreter observes of a program of one
//! thread is what the compiled program prints.
//!
//! `THREADPROOF_RANDOM_PROGRAMS` and `THREADPROOF_RANDOM_SEED` set how many programs there are and
//! the first one's seed; `make random` runs many.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use threadproof_format::program::Program;
use threadproof_format::proof::Conclusion;
use threadproof_producer::frontend::c::{DataModel, lower, preprocess};
use threadproof_producer::prove::{Verdict, prove};
use threadproof_producer::source::Source;
use threadproof_tests::c::ast::{Assertion, Binary, Expr, Int, Stmt, Unit};
use threadproof_tests::c::compile::compile;
use threadproof_tests::c::core::{Core, Reached, line};
use threadproof_tests::c::generate::{Purpose, generate};
use threadproof_tests::c::machine::{Behaviour, Machine};
use threadproof_tests::c::print::{Style, Text, print};
use threadproof_tests::c::{self, calls};
use threadproof_tests::damage::{DAMAGES, damaged};
use threadproof_tests::limited;
use threadproof_tests::property;

/// Programs of one thread, of several threads, and those that are proved, if nothing else is said.
const PROGRAMS: u64 = 300;
const THREADED: u64 = 200;
const PROVED: u64 = 30;

/// States that are visited of a program.
const STATES: usize = 30_000;

/// What the texts include.
const HEADERS: [&str; 8] = [
    "pthread.h",
    "assert.h",
    "stdatomic.h",
    "stdlib.h",
    "stdio.h",
    "unistd.h",
    "time.h",
    "sched.h",
];

/// The functions that they use beyond these.
const DECLARED: &str = "
extern void reach_error(void);
extern void __VERIFIER_error(void);
extern void __VERIFIER_assert(int);
extern void assume_abort_if_not(int);
";

/// A random program with assertions about what its variables hold at the end.
struct Case {
    seed: u64,
    text: Text,
    values: Vec<i128>,
    behaviour: Behaviour,
}

/// The integers that are tried where any is possible.
fn values(seed: u64) -> Vec<i128> {
    let further = [-1, 2, 3, 200][usize::try_from(seed % 4).expect("small")];
    vec![0, 1, further]
}

fn behaviour(unit: &Unit, values: &[i128]) -> Behaviour {
    let code = compile(unit);
    Machine::new(&code, values, THREADS, STATES).behaviour()
}

/// Threads of a function that are started.
const THREADS: usize = 2;

/// The statements with these in the place of each observation.
fn replaced(code: &[Stmt], by: &dyn Fn(usize, &Expr) -> Vec<Stmt>) -> Vec<Stmt> {
    let one = |s: &Stmt| match s {
        Stmt::Observe(number, e) => by(*number, e),
        other => vec![other.clone()],
    };
    code.iter().flat_map(one).collect()
}

fn with_assertions(unit: &Unit, by: &dyn Fn(usize, &Expr) -> Vec<Stmt>) -> Unit {
    let mut unit = unit.clone();
    let main = unit.functions.last_mut().expect("main");
    main.body = replaced(&main.body, by);
    unit
}

fn constant(value: i128) -> Expr {
    let kind = if value > Int::LLong.max() { Int::ULLong } else { Int::LLong };
    match value < 0 {
        // The least one has no positive counterpart.
        true => {
            let below = Expr::Unary(
                c::ast::Unary::Minus,
                Box::new(Expr::Constant(-(value + 1), Int::LLong)),
            );
            Expr::two(Binary::Sub, below, Expr::Constant(1, Int::LLong))
        }
        false => Expr::Constant(value, kind),
    }
}

fn assertion(operator: Binary, e: &Expr, value: i128) -> Stmt {
    Stmt::Assert(Assertion::Function("assert"), Expr::two(operator, e.clone(), constant(value)))
}

/// A program of several threads. That its variables have some values at the end is asserted to be
/// impossible: values that are observed, unless it is to be `safe`, and others.
fn threads_case(seed: u64, safe: bool) -> Case {
    let unit = generate(Purpose::Threads, seed);
    let values = values(seed);
    let seen = behaviour(&unit, &values);
    let asserted = |number: usize, e: &Expr| {
        let of = seen.observed.iter().filter(|(n, _)| *n == number).map(|(_, value)| *value);
        let of: BTreeSet<i128> = of.collect();
        let mut some: BTreeSet<i128> = of.iter().take(2).flat_map(|v| [*v, v + 1]).collect();
        some.insert(5);
        some.retain(|v| Int::LLong.contains(*v) && !(safe && of.contains(v)));
        some.into_iter().map(|value| assertion(Binary::Ne, e, value)).collect()
    };
    let unit = with_assertions(&unit, &asserted);
    let behaviour = behaviour(&unit, &values);
    Case { seed, text: print(&unit, Style::Plain), values, behaviour }
}

/// A program of one thread: all observed values are asserted, and then that the first one is
/// another.
fn sequential_case(seed: u64, seen: &Behaviour) -> Case {
    let unit = generate(Purpose::Compiled, seed);
    let value = |number: usize| seen.observed.iter().find(|(n, _)| *n == number).map(|(_, v)| *v);
    let mut unit = with_assertions(&unit, &|number, e| {
        value(number).into_iter().map(|value| assertion(Binary::Eq, e, value)).collect()
    });
    if let Some(value) = value(0) {
        let body = &mut unit.functions.last_mut().expect("main").body;
        let at = body.len() - 1;
        body.insert(at, assertion(Binary::Ne, &Expr::name("r0"), value));
    }
    let behaviour = behaviour(&unit, &[0]);
    let text = print(&unit, Style::Plain);
    let last = text.assertions.len() - 1;
    assert_eq!(behaviour.failed, BTreeSet::from([last]), "seed {seed}");
    Case { seed, text, values: vec![0], behaviour }
}

/// The texts as the preprocessor gives them, in one run of it.
fn preprocessed(texts: &[&str]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("random.c");
    let mut all: String = HEADERS.iter().map(|h| format!("#include <{h}>\n")).collect();
    all.push_str(DECLARED);
    for text in texts {
        write!(all, "@@\n#line 1 \"random.c\"\n{text}").expect("a string");
    }
    std::fs::write(&path, all).expect("a file");
    let all = preprocess(&path, DataModel::Lp64).expect("a C compiler");
    let mut parts = all.split("@@");
    let head = parts.next().expect("the headers").to_owned();
    parts.map(|part| format!("{head}{part}")).collect()
}

/// How a comparison without a difference ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Compared {
    Same,
    /// There are too many states.
    Large,
    /// An input has too many values.
    Undetermined,
}

/// What a core program can reach.
fn reached(case: &Case, program: &Program) -> Reached {
    Core { program, values: &case.values, threads: THREADS, states: STATES }.reached()
}

/// Compares a program with its core program; an error says how they differ.
fn judge(case: &Case, program: &Program, notes: &[Vec<String>]) -> Result<Compared, String> {
    let reached = reached(case, program);
    if reached.undetermined.is_some() {
        return Ok(Compared::Undetermined);
    }
    if !reached.complete || !case.behaviour.complete {
        return Ok(Compared::Large);
    }
    let note = |(t, e): &(usize, usize)| line("random.c", &notes[*t][*e]);
    let lines = |errors: &BTreeSet<_>| errors.iter().map(note).collect::<BTreeSet<usize>>();
    let (first, later) = (lines(&reached.first), lines(&reached.later));
    let wanted = case.behaviour.failed.iter().map(|number| case.text.assertions[*number]);
    let wanted: BTreeSet<usize> = wanted.collect();
    // A write and a failure behind it can be one step of the core program: then others see the
    // write too late.
    if first.is_subset(&wanted) && wanted.iter().all(|l| first.contains(l) || later.contains(l)) {
        return Ok(Compared::Same);
    }
    Err(format!(
        "the assertions of lines {wanted:?} fail, in the core program {first:?}, and then {later:?}"
    ))
}

fn numbered(text: &str) -> String {
    text.lines().enumerate().map(|(i, line)| format!("{:3} {line}\n", i + 1)).collect()
}

/// What came out for a number of programs.
#[derive(Debug, Default)]
struct Found {
    compared: usize,
    /// Those with a failing assertion.
    wrong: usize,
    /// Those with too many states.
    large: usize,
    undetermined: usize,
    refused: BTreeMap<String, usize>,
}

/// The core programs of the cases that the front end takes.
fn lowered(cases: Vec<Case>, found: &mut Found) -> Vec<(Case, Source)> {
    let texts: Vec<&str> = cases.iter().map(|case| case.text.text.as_str()).collect();
    let texts = preprocessed(&texts);
    let mut out = Vec::new();
    for (case, text) in cases.into_iter().zip(texts) {
        match lower("random.c", &text, DataModel::Lp64) {
            Ok(lowered) => out.push((case, lowered)),
            Err(e) => {
                let message = e.items()[0].message.clone();
                let (seed, count) = (case.seed, found.refused.entry(message).or_default());
                println!("seed {seed}: {e}\n{}", numbered(&case.text.text));
                *count += 1;
            }
        }
    }
    out
}

/// Each assertion is an error location, or an assumption names it.
fn named_or_there(case: &Case, lowered: &Source) -> bool {
    let mut lines = BTreeSet::new();
    for (template, notes) in lowered.program.templates.iter().zip(&lowered.notes) {
        for (edge, note) in template.edges.iter().zip(notes) {
            if template.locations[usize::try_from(edge.target).expect("a location")].error {
                lines.insert(line("random.c", note));
            }
        }
    }
    let said = |line: usize| format!("assertion random.c:{line} is no error location: ");
    case.text.assertions.iter().all(|at| {
        lines.contains(at)
            || lowered.program.assumptions.iter().any(|text| text.starts_with(&said(*at)))
    })
}

/// Compares programs with their core programs.
fn compare(cases: Vec<Case>, found: &mut Found) {
    let mut wrong = Vec::new();
    for (case, lowered) in lowered(cases, found) {
        let there = named_or_there(&case, &lowered);
        let text = || format!("{}\n{}", numbered(&case.text.text), lowered.core);
        assert!(there, "seed {}: an assertion disappears:\n{}", case.seed, text());
        match judge(&case, &lowered.program, &lowered.notes) {
            Ok(Compared::Same) => {
                found.compared += 1;
                found.wrong += usize::from(!case.behaviour.failed.is_empty());
            }
            Ok(Compared::Large) => found.large += 1,
            Ok(Compared::Undetermined) => found.undetermined += 1,
            Err(why) => wrong.push(format!(
                "seed {}: {why}\n{}\n{}",
                case.seed,
                numbered(&case.text.text),
                lowered.core
            )),
        }
    }
    wrong.iter().for_each(|why| println!("{why}"));
    assert!(wrong.is_empty(), "{} differ; the first one:\n{}", wrong.len(), wrong[0]);
}

/// Enough is compared.
fn enough(found: &Found, programs: usize) {
    assert_eq!(found.undetermined, 0, "inputs with too many values");
    assert!(10 * found.compared >= 8 * programs, "too little is compared");
}

fn size(programs: u64) -> usize {
    usize::try_from(programs).expect("a size")
}

/// Programs that are looked at together: that many are in one run of the compiler.
const TOGETHER: usize = 400;

#[test]
fn programs_of_several_threads_do_what_their_core_programs_do() {
    let seeds: Vec<u64> = property::seeds(THREADED).collect();
    let mut found = Found::default();
    for seeds in seeds.chunks(TOGETHER) {
        compare(seeds.iter().map(|seed| threads_case(*seed, false)).collect(), &mut found);
    }
    println!("{} programs from seed {}: {found:?}", seeds.len(), seeds[0]);
    enough(&found, seeds.len());
}

#[test]
fn programs_of_one_thread_do_what_the_compiled_ones_do() {
    let seeds: Vec<u64> = property::seeds(PROGRAMS).collect();
    let (mut found, mut undefined) = (Found::default(), 0);
    for seeds in seeds.chunks(TOGETHER) {
        let mut cases = Vec::new();
        for (seed, printed) in seeds.iter().zip(compiled(seeds)) {
            let unit = generate(Purpose::Compiled, *seed);
            let seen = behaviour(&unit, &[0]);
            if seen.undefined {
                undefined += 1;
                continue;
            }
            let wanted: BTreeMap<usize, i128> =
                seen.observed.iter().map(|(n, v)| (*n, Int::ULLong.convert(*v))).collect();
            let text = || numbered(&print(&unit, Style::Plain).text);
            assert_eq!(wanted, printed, "seed {seed}:\n{}", text());
            cases.push(sequential_case(*seed, &seen));
        }
        compare(cases, &mut found);
    }
    println!("{} programs from seed {}, {undefined} undefined: {found:?}", seeds.len(), seeds[0]);
    enough(&found, seeds.len());
}

/// What the programs print when they are compiled, together.
fn compiled(seeds: &[u64]) -> Vec<BTreeMap<usize, i128>> {
    let folder = tempfile::tempdir().expect("a folder");
    let (source, binary) = (folder.path().join("all.c"), folder.path().join("all"));
    let mut all: String = HEADERS.iter().map(|h| format!("#include <{h}>\n")).collect();
    for (number, seed) in seeds.iter().enumerate() {
        all.push_str(&print(&generate(Purpose::Compiled, *seed), Style::Compiled(number)).text);
    }
    // It does not wait for ever.
    all.push_str("extern unsigned alarm(unsigned);\nint main(void) {\nalarm(60);\n");
    (0..seeds.len()).for_each(|i| writeln!(all, "p{i}_main();").expect("a string"));
    all.push_str("}\n");
    std::fs::write(&source, all).expect("a file");
    run(Command::new("gcc").args(["-w", "-O1", "-o"]).arg(&binary).arg(&source));
    let text = run(&mut Command::new(Path::new(&binary)));
    let mut out = vec![BTreeMap::new(); seeds.len()];
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |i: usize| words[i].parse::<usize>().expect("a number");
        out[number(0)].insert(number(1), words[2].parse().expect("a value"));
    }
    out
}

/// What a command prints; it has to succeed.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Whether a text has a call of this function with something in its operands that writes.
fn calls_with_effect(text: &str, name: &str) -> bool {
    let calls = text.match_indices(name).filter(|(at, _)| {
        !text[..*at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
            && text[at + name.len()..].starts_with('(')
    });
    calls
        .map(|(at, _)| operands(&text[at + name.len() + 1..]))
        .any(|operands| ["++", "--", " = "].iter().any(|effect| operands.contains(effect)))
}

/// What stands before the parenthesis that closes.
fn operands(text: &str) -> &str {
    let mut depth = 0;
    let closes = |c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth < 0
    };
    &text[..text.find(closes).expect("a parenthesis")]
}

#[test]
fn the_programs_call_all_modelled_functions_with_effects_in_their_operands() {
    let texts = |purpose, programs| {
        (1..=programs).map(move |seed| print(&generate(purpose, seed), Style::Plain).text)
    };
    let texts: Vec<String> = texts(Purpose::Compiled, 20 * PROGRAMS)
        .chain(texts(Purpose::Threads, 20 * THREADED))
        .collect();
    let called = |name: &str| texts.iter().any(|text| calls_with_effect(text, name));
    let changed = |line: &&calls::Line| line.operands.iter().any(|o| !o.starts_with('!'));
    let missed: Vec<&str> =
        calls::all().filter(changed).map(|l| l.name).filter(|name| !called(name)).collect();
    assert!(missed.is_empty(), "{missed:?}");
}

/// Damages an edge of each program in each way, one that is tried; of each kind how often it was
/// noticed, and how often it was done.
fn noticed(cases: Vec<Case>) -> Vec<(&'static str, usize, usize)> {
    let mut counts: Vec<(&str, usize, usize)> =
        DAMAGES.iter().map(|(kind, _)| (*kind, 0, 0)).collect();
    for (case, lowered) in lowered(cases, &mut Found::default()) {
        // Other damage changes nothing.
        let tried: Vec<_> = reached(&case, &lowered.program).tried.into_iter().collect();
        let Some(at) = tried.get(size(case.seed) * 7 % tried.len().max(1)) else { continue };
        for ((_, damage), (_, found, all)) in DAMAGES.iter().zip(&mut counts) {
            let Some(wrong) = damaged(&lowered.program, *at, *damage) else { continue };
            match judge(&case, &wrong, &lowered.notes) {
                Ok(Compared::Same) => *all += 1,
                Ok(_) => {}
                Err(_) => (*found, *all) = (*found + 1, *all + 1),
            }
        }
    }
    counts
}

#[test]
fn damage_to_core_programs_is_noticed() {
    let one =
        |seed: u64| sequential_case(seed, &behaviour(&generate(Purpose::Compiled, seed), &[0]));
    let counts = noticed((1..=200).map(one).collect());
    println!("one thread: {counts:?}");
    // Other damage changes nothing: many guards always hold, and many values are not looked at
    // again.
    let some = |(_, found, all): &(_, usize, usize)| *found > 2 && 25 * found >= *all;
    assert!(counts.iter().all(some), "{counts:?}");
    let counts = noticed((1..=60).map(|seed| threads_case(seed, false)).collect());
    println!("several threads: {counts:?}");
    assert!(counts.iter().all(some), "{counts:?}");
}

#[test]
fn the_prover_never_contradicts_the_interpreter() {
    let programs = property::many().map_or(PROVED, |all| all.div_ceil(20));
    let first = property::seeds(programs).start;
    let cases = (first..first + programs).map(|seed| threads_case(seed, seed % 2 == 0)).collect();
    let mut counts = [0; 3];
    for (case, lowered) in lowered(cases, &mut Found::default()) {
        let failed = !case.behaviour.failed.is_empty();
        let all = case.behaviour.complete && !case.behaviour.bounded;
        let verdict = prove(&lowered, &limited::plan(), &limited::control(12, 30)).verdict;
        let text = || format!("seed {}:\n{}", case.seed, numbered(&case.text.text));
        match verdict {
            Verdict::Certified(claim, _) => match claim.conclusion {
                Conclusion::Safe => {
                    assert!(!failed, "safe, but an assertion can fail: {}", text());
                    counts[0] += 1;
                }
                Conclusion::SafeWithin { .. } => panic!("{}, unasked", claim.statement),
                Conclusion::ErrorReachable => {
                    assert!(failed || !all, "unsafe, but no assertion can fail: {}", text());
                    counts[1] += 1;
                }
            },
            Verdict::Unknown(_) => counts[2] += 1,
        }
    }
    let [safe, refuted, unknown] = counts;
    println!(
        "{programs} programs from seed {first}: {safe} safe, {refuted} unsafe, {unknown} unknown"
    );
    assert!(10 * safe >= size(programs) && 10 * refuted >= size(programs), "too few of a kind");
}
