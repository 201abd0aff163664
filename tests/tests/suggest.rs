//! `threadproof suggest-abstraction` through the binary: what it proposes is an abstract thread of
//! the language, and the thread conforms to it.

use std::path::Path;
use threadproof_tests::harness::{arg, root, run, threadproof};

/// Every so many programs of the corpus are tried.
const EVERY: usize = 5;

/// What is proposed for a thread of a program.
fn suggest(program: &Path, thread: &str) -> (i32, String, String) {
    run(threadproof(), &["suggest-abstraction", arg(program), "--template", thread])
}

/// The program's text with the proposal in it.
fn with(source: &str, thread: &str, proposal: &str) -> String {
    let head = source.find(&format!("thread {thread}")).expect("the thread");
    let body = head + source[head..].find('{').expect("its body");
    let (before, after) = source.split_at(body);
    format!("{before}abstracts {thread}_abstract {after}\n{proposal}")
}

/// The threads of a program that stand in its text under their own names.
fn threads(program: &Path, source: &str) -> Vec<String> {
    let (code, core, err) = run(threadproof(), &["lower", arg(program)]);
    assert_eq!(code, 0, "{err}");
    let heads = core.lines().filter_map(|l| l.strip_prefix("many ").or(l.strip_prefix("one ")));
    let names = heads.map(|l| l.trim_end_matches(" {").to_owned());
    let own = |name: &String| {
        let word = format!("thread {name}");
        source.match_indices(&word).any(|(at, _)| {
            !source[at + word.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
        })
    };
    names.filter(own).collect()
}

#[test]
fn proposals_are_abstract_threads_to_which_the_threads_conform() {
    let temporary = tempfile::tempdir().unwrap();
    let changed = temporary.path().join("changed.tp");
    let mut tried = 0;
    for entry in threadproof_tests::corpus::corpus().iter().filter(|e| e.safe).step_by(EVERY) {
        let program = entry.path();
        let source = std::fs::read_to_string(&program).unwrap();
        for thread in threads(&program, &source) {
            let (code, proposal, err) = suggest(&program, &thread);
            let place = format!("{}, {thread}", entry.file);
            if err.contains("threads of an abstracted template are counted") {
                continue;
            }
            assert_eq!(code, 0, "{place}: {err}");
            assert!(
                proposal.starts_with(&format!("// {thread} conforms to it.\n")),
                "{place}: {proposal}"
            );
            std::fs::write(&changed, with(&source, &thread, &proposal)).unwrap();
            let (code, core, err) = run(threadproof(), &["lower", arg(&changed), "--layer", "1"]);
            assert_eq!(code, 0, "{place}: {err}");
            assert!(core.contains(&thread), "{place}: {core}");
            tried += 1;
        }
    }
    assert!(tried >= 20, "only {tried} threads were tried");
}

#[test]
fn a_driver_is_proved_with_what_is_proposed_for_its_threads() {
    let temporary = tempfile::tempdir().unwrap();
    let program = root().join("corpus/bluetooth.tp");
    let mut source = std::fs::read_to_string(&program).unwrap();
    for thread in ["pnp_stop", "pnp_add"] {
        let (code, proposal, err) = suggest(&program, thread);
        assert_eq!(code, 0, "{err}");
        source = with(&source, thread, &proposal);
    }
    let changed = temporary.path().join("changed.tp");
    std::fs::write(&changed, source).unwrap();
    let (code, out, err) = run(threadproof(), &["prove", arg(&changed), "--threads", "1"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("proof: abstract threads of pnp_stop, pnp_add"), "{out}");
}

/// Locals whose values the code shows are kept in the nodes, others are dropped.
#[test]
fn nodes_are_named_after_the_values_that_matter() {
    let temporary = tempfile::tempdir().unwrap();
    let program = temporary.path().join("flag.tp");
    let source = "global int x = 0;
        thread worker[*] {
            local bool up = false;
            local int seen;
            seen = x;
            if (*) up = true;
            assume(x > 1);
            if (up) x = seen;
        }";
    std::fs::write(&program, source).unwrap();
    let (code, out, err) = suggest(&program, "worker");
    assert_eq!(code, 0, "{err}");
    let nodes: Vec<&str> = out.lines().filter(|l| l.contains("node ")).map(str::trim).collect();
    assert!(nodes.iter().any(|n| n.contains("up_true")), "{out}");
    assert!(nodes.iter().all(|n| !n.contains("seen")), "{out}");
    assert!(out.contains("unchanged except (x);"), "any value is written: {out}");
}

#[test]
fn what_cannot_be_proposed_is_said() {
    let program = root().join("corpus/semaphore_places.tp");
    let (code, _, err) = suggest(&program, "user");
    assert_eq!(code, 3);
    assert!(err.contains("threads of an abstracted template are counted"), "{err}");
    let (code, _, err) = suggest(&program, "nobody");
    assert_eq!(code, 3);
    assert!(err.contains("unknown thread `nobody`; expected one of user"), "{err}");
}
