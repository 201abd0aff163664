//! The core form: what the parser accepts, and that it refuses everything else at the right place
//! (SPEC.md sections 2.3 and 4.1).

use threadproof_checker::core_form::{parse, statement};
use threadproof_checker::error::Reason;
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
        ("core 1; init 1 == 1 @== true;".into(), "do not chain"),
        ("core 1; assumption @x;".into(), "a string is needed"),
        ("core 1; assumption @\"x;".into(), "does not end"),
        ("core 1; @$ x".into(), "a character"),
        ("core 1; @é".into(), "a character"),
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
    let long = "1".repeat(threadproof_format::limits::MAX_DIGITS);
    assert!(init(&format!("x == {long}")).is_ok());
    assert_eq!(init(&format!("x == {long}1")), Err(Reason::Limit("digits of an integer")));
}
