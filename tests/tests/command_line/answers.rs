//! What is said of claims without content and of mistakes: as text, as JSON, and by the exit code.

use super::{Files, SAFE, json};
use serde_json::Value;
use threadproof_checker::internals::core_form;
use threadproof_producer::logic::print;
use threadproof_tests::harness::{arg, checker, run, threadproof};

/// Programs that are safe whatever their threads do, what is told first, and the word for it.
const VACUOUS: [(&str, &str, &str, &str); 6] = [
    (
        "none.tp",
        "global int g = 1;\nthread t[*] { g = g + 1; }\n",
        "the program has no error location",
        "no-error-location",
    ),
    (
        "none.c",
        "int x;\nint main(void) { x = 1; return 0; }\n",
        "the program has no error location",
        "no-error-location",
    ),
    (
        "none.core",
        "core 1; many t { location l; }",
        "the program has no error location",
        "no-error-location",
    ),
    (
        "path.core",
        "core 1; many t { location l; location w error; edge w -> w { } }",
        "no path of the program leads to an error location",
        "no-error-path",
    ),
    (
        "start.tp",
        "global int g;\ninit (g >= 1 && g <= 0);\nthread t[*] { assert(g >= 1); }\n",
        "no state satisfies the initial condition",
        "no-initial-state",
    ),
    (
        "threads.core",
        "core 1; many t { local x: int; init x >= 1 && x <= 0; location l; location w error; edge l -> w { } }",
        "no initial state has threads of all templates",
        "no-initial-state",
    ),
];

#[test]
fn a_claim_without_content_says_so_first_and_has_its_own_exit_code() {
    let files = Files::new();
    for (name, text, why, word) in VACUOUS {
        let (source, cert) = (files.write(name, text), files.path("vacuous.cert"));
        let (code, out, err) = run(threadproof(), &["prove", arg(&source), "-o", arg(&cert)]);
        assert_eq!((code, err.as_str()), (4, ""), "{out}");
        assert!(out.starts_with(&format!("SAFE, but vacuous: {why} (")), "{out}");
        assert!(out.contains("\naccepted, but vacuous: "), "{out}");
        let core = name.ends_with(".core");
        let help = if core { "mark what must not be reached" } else { "say what should hold" };
        let help = out.contains(&format!("\nhelp: {help}"));
        assert_eq!(help, word == "no-error-location", "{out}");
        assert_eq!(out.contains("--check race,bounds,overflow"), name == "none.c", "{out}");
        let (code, out, _) = run(threadproof(), &["prove", arg(&source), "--json"]);
        let object = json(&out);
        assert_eq!((code, &object["verdict"]), (4, &"safe".into()), "{out}");
        assert_eq!((&object["vacuous"], &object["reason"]), (&word.into(), &why.into()), "{out}");
        assert_eq!(object["claim"]["vacuous"], word, "{out}");
        let core = files.write("vacuous.core", &run(threadproof(), &["lower", arg(&source)]).1);
        for how in [vec![], vec!["--json"]] {
            let own = [&["check", arg(&source), arg(&cert)], how.as_slice()].concat();
            let own = run(threadproof(), &own);
            let checked = run(checker(), &[how.as_slice(), &[arg(&core), arg(&cert)]].concat());
            assert_eq!((own.0, &own), (4, &checked));
        }
        let (code, out, err) = run(threadproof(), &["export", "--invariant", arg(&cert)]);
        assert_eq!(code, 0, "{err}");
        let invariant = files.write("vacuous.inv", &out);
        let (code, out, err) = run(threadproof(), &["certify", arg(&core), arg(&invariant)]);
        assert_eq!(code, 4, "{out}{err}");
        assert!(out.starts_with(&format!("SAFE, but vacuous: {why} (")), "{out}");
    }
    let source = files.write("safe.tp", SAFE);
    let (code, out, _) = run(threadproof(), &["prove", arg(&source), "--json"]);
    let object = json(&out);
    assert_eq!((code, &object["vacuous"], &object["reason"]), (0, &Value::Null, &Value::Null));
}

/// An error where JSON is wanted is JSON, where the verdict would stand.
#[test]
fn errors_are_json_where_the_verdict_would_be() {
    let files = Files::new();
    let bad = files.write("bad.tp", "global int g;\nthread t {\n    g = h;\n}\n");
    let none = files.path("none.cert");
    for arguments in [
        &["prove", arg(&bad)][..],
        &["lower", arg(&bad)],
        &["check", arg(&bad), arg(&none)],
        &["certify", arg(&bad), arg(&none)],
        &["prove", arg(&files.path("nowhere.tp"))],
        &["show", arg(&none)],
        &["explain", arg(&none), "--random", "1"],
    ] {
        let (code, out, err) = run(threadproof(), &[arguments, &["--json"]].concat());
        assert_eq!((code, err.as_str()), (3, ""), "{arguments:?}");
        let object = json(&out);
        let reason = object["reason"].as_str().expect("a text");
        assert_eq!(object["verdict"], "error", "{out}");
        let place = if arguments.contains(&arg(&bad)) { "bad.tp:3:9" } else { "No such file" };
        assert!(reason.contains(place) && !reason.contains('\u{1b}'), "{out}");
    }
}

#[test]
fn files_and_numbers_are_named_as_they_were_given() {
    let files = Files::new();
    let source = files.write("safe.tp", SAFE);
    let nowhere = files.path("no/such/folder.cert");
    let (code, _, err) = run(threadproof(), &["prove", arg(&source), "-o", arg(&nowhere)]);
    assert_eq!(code, 3);
    assert_eq!(err, format!("{}: No such file or directory (os error 2)\n", nowhere.display()));
    for option in ["--time-limit", "--threads"] {
        for number in ["-1", "0", "nine"] {
            let (code, _, err) = run(threadproof(), &["prove", arg(&source), option, number]);
            let what = if number == "nine" { "not a number of" } else { "must be positive" };
            assert!(code == 3 && err.contains(what), "{option} {number}: {err}");
        }
    }
    let version = concat!("threadproof ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(run(threadproof(), &["-V"]).1, version);
}

/// What could make a terminal show something else than is there.
#[test]
fn what_is_printed_is_shown_as_it_is() {
    let files = Files::new();
    let (code, _, err) = run(threadproof(), &["prove", "\u{1b}[2K\u{202e}\u{f6}.tp"]);
    assert!(code == 3 && err.starts_with("\\u{1b}[2K\\u{202e}\u{f6}.tp: "), "{err}");
    // A file's name is in the comments of the core form, and beside an interleaving.
    let source = files.write("\u{202e}\u{f6}.tp", &SAFE.replace("g + x", "g - x"));
    let (code, core, err) = run(threadproof(), &["lower", arg(&source)]);
    assert_eq!(code, 0, "{err}");
    assert!(core.contains("// \\u{202e}\\u{f6}.tp:2: g = g - x;"), "{core}");
    let (code, out, _) = run(threadproof(), &["prove", arg(&source)]);
    assert!(code == 1 && out.contains("// \\u{202e}\u{f6}.tp:2: g = g - x;"), "{out}");
    // Also in what a program assumes.
    let (mut program, _) = core_form::parse("core 1;").expect("a program");
    program.assumptions.push("\u{f6}\"\n\u{7f}".to_owned());
    let core = print::program(&program, &|_, _| String::new());
    let (read, _) = core_form::parse(&core).expect("a program");
    assert_eq!(read.assumptions, [r"\u{f6}\u{22}\u{a}\u{7f}"]);
}
