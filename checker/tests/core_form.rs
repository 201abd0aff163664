//! The core form: what the parser accepts, and that it refuses everything else at the right place
//! (SPEC.md sections 2.3 and 4.1).

use threadproof_checker::error::Reason;
use threadproof_checker::internals::core_form::{parse, statement};
use threadproof_checker::read_back;
use threadproof_format::limits::{MAX_DIGITS, MAX_NAME};
use threadproof_format::program::Multiplicity;
use threadproof_format::{Cmp, Expr, Int, Op, Sort};

const LOCK: &str = "core 1;
assumption \"each statement is one atomic step\";
global m: bool;
global a: int[];
init !m && a[0] == 0;
many worker {
    local x: int;
    init x >= 0;
    location start;
    location held;
    location wrong error;
    edge start -> held { input v: int; when !m && v > x; m := true, x := v, a := a[x := v]; }
    edge held -> wrong { when x < 0; } // the assertion
}
one main {
    local done: bool;
    location only;
    edge only -> only { done := !done; }
}
";

#[test]
fn a_program_is_read_as_it_is_written() {
    let (program, _) = parse(LOCK).unwrap();
    assert_eq!(program.assumptions, ["each statement is one atomic step"]);
    let globals: Vec<_> =
        program.globals.iter().map(|v| (v.name.as_str(), v.sort, v.owner)).collect();
    assert_eq!(
        globals,
        [("m", Sort::Bool, None), ("a", Sort::IntArray, None), ("done", Sort::Bool, Some(1))]
    );
    let worker = &program.templates[0];
    assert_eq!(worker.multiplicity, Multiplicity::Many);
    assert_eq!(worker.locations.iter().map(|l| l.error).collect::<Vec<_>>(), [false, false, true]);
    let edge = &worker.edges[0];
    assert_eq!((edge.source, edge.target, edge.inputs.len()), (0, 1, 1));
    let guard =
        vec![Op::Global(0), Op::Not, Op::Input(0), Op::Local(0, 0), Op::Cmp(Cmp::Gt), Op::And];
    assert_eq!(edge.guard, Expr(guard));
    let store = vec![Op::Global(1), Op::Local(0, 0), Op::Input(0), Op::Store];
    assert_eq!(edge.updates[2], (Op::Global(1), Expr(store)));
    assert_eq!(program.templates[1].edges[0].updates[0].0, Op::Global(2));
}

#[test]
fn the_digest_is_over_the_tokens() {
    let (_, digest) = parse(LOCK).unwrap();
    let spaced = LOCK.replace(';', " ;\r\n\t").replace("// the assertion", "// another comment");
    assert_eq!(parse(&spaced).unwrap().1, digest);
    let canonical = statement(LOCK).unwrap();
    assert_eq!(threadproof_format::Digest::of([canonical.as_bytes()]), digest);
    assert_eq!(parse(&canonical).unwrap(), parse(LOCK).unwrap());
    for (from, to) in
        [("x >= 0", "x > 0"), ("atomic", "big"), ("held;", "kept;"), ("!m &&", "m &&")]
    {
        assert!(LOCK.contains(from));
        let other = LOCK
            .replacen(from, to, 1)
            .replace("-> held", "-> kept")
            .replace("edge held", "edge kept");
        let other = if to == "kept;" { other } else { LOCK.replacen(from, to, 1) };
        assert_ne!(parse(&other).unwrap().1, digest, "{from}");
    }
}

fn init(formula: &str) -> Result<Expr, Reason> {
    let text = format!(
        "core 1; global x: int; global y: int; global b: bool; global a: int[]; init {formula};"
    );
    parse(&text).map(|(program, _)| program.init)
}

#[test]
fn operators_bind_as_the_grammar_says() {
    for (short, long) in [
        ("x + y - 1 < 3 * x && b || !b", "((((x + y) - 1) < (3 * x)) && b) || (!b)"),
        ("-3 * x - -2 == y", "((-3 * x) - (-2)) == y"),
        ("!b == b", "(!b) == b"),
        ("a[x := y][y] == a[a[x] + 1]", "((a[x := y])[y]) == (a[(a[x]) + 1])"),
        ("2 * 3 * x <= y", "(2 * (3 * x)) <= y"),
        ("b || b && b || b", "(b || (b && b)) || b"),
        ("2 * x / 3 % 5 + y / 2 < 1", "((((2 * x) / 3) % 5) + (y / 2)) < 1"),
        ("a[x / 2] % 2 == -7 / 2", "((a[(x / 2)]) % 2) == ((-7) / 2)"),
        ("x /2 == y// a comment\n", "(x / 2) == y"),
    ] {
        assert_eq!(init(short).unwrap(), init(long).unwrap(), "{short}");
    }
    let big = "123456789012345678901234567890";
    let value = |text: &str| Op::Int(Int(text.parse().unwrap()));
    for number in [big, "0", "7", "-7", &format!("-{big}")] {
        assert_eq!(init(&format!("x == {number}")).unwrap().0[1], value(number));
    }
}

#[test]
fn names_are_letters_digits_and_underscores() {
    for name in ["_", "_x", "x_1", "Z9", "when_", "t0"] {
        let (program, _) = parse(&format!("core 1; global {name}: int;")).unwrap();
        assert_eq!(program.globals[0].name, name);
    }
}

fn error(text: &str) -> (usize, usize, String) {
    match parse(text) {
        Err(Reason::Syntax(line, column, what)) => (line, column, what),
        other => panic!("{other:?}"),
    }
}

#[test]
fn everything_else_is_refused_at_its_place() {
    let body = |text: &str| format!("core 1;\nglobal x: int;\nmany t {{ location l; {text} }}");
    // The place is marked with @.
    for (marked, what) in [
        ("@".to_owned(), "`core` is needed"),
        ("core @2;".into(), "`1` is needed"),
        ("core 1; global x @int;".into(), "`:` is needed"),
        ("core 1; global x: @nat;".into(), "a sort is needed"),
        ("core 1; global x: int; global @x: int;".into(), "this name is taken"),
        ("core 1; global @when: int;".into(), "a name is needed"),
        ("core 1; global @1: int;".into(), "a name is needed"),
        ("core 1; global @: int;".into(), "a name is needed"),
        ("core 1; init @1;".into(), "not well sorted"),
        ("core 1; init @x;".into(), "an expression is needed"),
        ("core 1; init true@".into(), "`;` is needed"),
        ("core 1; init (true@;".into(), "an open parenthesis"),
        ("core 1; init true@);".into(), "this closes nothing"),
        ("core 1; init 1 < 2 @< 3;".into(), "do not chain"),
        ("core 1; init @1 / 1 == 1;".into(), "not well sorted"),
        ("core 1; init @1 % 0 == 1;".into(), "not well sorted"),
        ("core 1; init @1 / -2 == 1;".into(), "not well sorted"),
        ("core 1; init @true / 2;".into(), "not well sorted"),
        ("core 1; init 1 / @(2) == 1;".into(), "an integer is needed"),
        ("core 1; init @% 2 == 1;".into(), "an expression is needed"),
        ("core 1; init 1 == 1 @== true;".into(), "do not chain"),
        ("core 1; assumption @x;".into(), "a string is needed"),
        ("core 1; assumption @\"x;".into(), "does not end"),
        ("core 1; @$ x".into(), "a character"),
        ("core 1; @some t { location l; }".into(), "`many` or `one`"),
        ("core 1; many t { @}".into(), "needs an initial location"),
        ("core 1; many t { location l error; @}".into(), "needs an initial location"),
        ("core 1; many t { location l; location @l; }".into(), "this name is taken"),
        ("core 1; many t { location l; } one t { location l; }@".into(), "two templates"),
        (body("edge l -> @k { }"), "a location is needed"),
        (body("edge l -> l { x := 1, x @:= 2; }"), "is updated already"),
        (body("edge l -> l { input i: int; i @:= 1; }"), "an input"),
        (body("edge l -> l { input @x: int; }"), "this name is taken"),
        (body("edge l -> l { when @x; }"), "not well sorted"),
        (body("edge l -> l { x := @true; }"), "not well sorted"),
        (body("edge l -> l { x := x @* 2; }"), "`;` is needed"),
        (body("edge l -> l { x := 2 * @; }"), "an expression is needed"),
        (body("edge l -> l { x := 1 - - @x; }"), "an integer is needed"),
        (body("edge l -> l { input i: int; } edge l -> l { x := @i; }"), "an expression"),
    ] {
        let before = marked.split('@').next().unwrap();
        let place = (before.lines().count().max(1), before.lines().last().unwrap_or("").len() + 1);
        let text = marked.replace('@', "");
        let (line, column, message) = error(&text);
        assert!(message.contains(what), "{text}: {message}");
        assert_eq!((line, column), place, "{text}: {message}");
    }
}

#[test]
fn deep_nesting_needs_no_stack_and_long_numbers_are_declined() {
    let depth = 200_000;
    let deep = format!("{}x{} == {}b", "(".repeat(depth), ")".repeat(depth), "!".repeat(depth));
    assert!(matches!(init(&deep), Err(Reason::Syntax(..))));
    let deep = format!("{}x{} == 1", "(".repeat(depth), ")".repeat(depth));
    assert!(init(&deep).is_ok());
    assert!(init(&format!("{}b", "!".repeat(depth))).is_ok());
    let long = "1".repeat(MAX_DIGITS);
    assert!(init(&format!("x == {long}")).is_ok());
    assert_eq!(init(&format!("x == {long}1")), Err(Reason::Limit("digits of an integer")));
}

/// Digits are those of integers, and names have their own limit: they are counted of every token,
/// and of nothing else.
#[test]
fn long_names_are_declined() {
    let name = "x".repeat(MAX_NAME);
    assert!(parse(&format!("core 1; global {name}: int; init {name} == 0;")).is_ok());
    let longer = Err(Reason::Limit("characters of a name"));
    assert_eq!(parse(&format!("core 1; global {name}x: int;")), longer);
    assert_eq!(parse(&format!("core {name}x")), longer);
    for what in [name.as_str(), &format!("\"{}\"", "x".repeat(MAX_DIGITS + 1))] {
        let (_, _, said) = error(&format!("core 1; init 0 == - {what};"));
        assert_eq!(said, "an integer is needed here");
    }
    // Comments have no limit.
    assert!(parse(&format!("core 1; // {name}x {}", "1".repeat(MAX_DIGITS + 1))).is_ok());
}

/// Whatever an editor might not show as it is read is refused, wherever it stands.
#[test]
fn a_text_is_printable_ascii_in_lines() {
    for (before, after) in [("// ", ""), ("assumption \"", "\";"), ("", ""), ("global x", ": int;")]
    {
        let begin = format!("core 1;\n{before}");
        let read = |bytes: &[u8]| parse(&[begin.as_bytes(), bytes, after.as_bytes()].concat());
        let place = (2, before.len() + 1, "a character that the core form does not use".to_owned());
        for byte in (0..=255_u8).filter(|b| !(b' '..=b'~').contains(b) && !b"\t\n".contains(b)) {
            let Err(Reason::Syntax(line, column, what)) = read(&[byte, b'x']) else {
                panic!("{before}{byte}");
            };
            assert_eq!((line, column, what), place, "{byte}");
        }
        for text in ["\u{f6}", "\u{202e}", "\u{feff}", "\u{200b}", "\u{2028}", "\r\r\n"] {
            assert!(
                matches!(read(text.as_bytes()), Err(Reason::Syntax(2, _, what)) if what == place.2)
            );
        }
    }
    let lines = |end: &str| parse(&LOCK.replace('\n', end)).map(|read| read.1);
    assert_eq!(lines("\r\n"), lines("\n"));
    assert_eq!(lines("\t\r\n"), lines("\n"));
    assert!(parse("core 1;\r\n// a\ttab").is_ok() && parse("core 1; assumption \"a\tb\";").is_ok());
    // A carriage return at the end, or between two lines.
    assert!(parse("core 1;\r").is_err() && parse("core 1;\n\r").is_err());
    // A comment ends where the line does, as it is seen.
    let hidden = "core 1; many t { location a; // \redge a -> a { } \n }";
    assert_eq!(error(hidden), (1, 33, "a character that the core form does not use".to_owned()));
}

/// What is printed is what was read, without comments; each part has a line of its own.
#[test]
fn a_program_is_printed_as_it_is_read() {
    let text = "core 1; // a comment
assumption \"it is so\";global a :int [ ];init a[0]==0&&!(a[1] < - 1);
many t { local x:int; location l; location w error;
    edge l->w { input i: int; when x<i && #u . m >= 1; a:=a[x :=i+2*x] , x := -3; } edge l -> l { } }
one u { location k; location m; }";
    let (_, digest) = parse(text).unwrap();
    let laid_out = format!(
        "// program sha256:{digest}
core 1;
assumption \"it is so\";
global a: int[];
init a[0] == 0 && !(a[1] < - 1);
many t {{
    local x: int;
    location l;
    location w error;
    edge l -> w {{
        input i: int;
        when x < i && #u.m >= 1;
        a := a[x := i + 2 * x],
        x := - 3;
    }}
    edge l -> l {{
    }}
}}
one u {{
    location k;
    location m;
}}
"
    );
    assert_eq!(read_back(text).unwrap(), laid_out);
    for text in [text, LOCK, "core 1;"] {
        let again = read_back(text).unwrap();
        assert_eq!(parse(&again).unwrap(), parse(text).unwrap(), "{again}");
        assert_eq!(read_back(&again).unwrap(), again);
    }
    let failure = read_back("core 1; init true").unwrap_err();
    assert!(
        matches!(failure.reason, Reason::Input(reason) if matches!(*reason, Reason::Syntax(..)))
    );
}
