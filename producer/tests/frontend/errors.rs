//! Errors: each names its place and what is wrong, and nothing is skipped.

use threadproof_producer::frontend::tp;
use threadproof_producer::text::Diagnostics;

fn errors(source: &str) -> Diagnostics {
    match tp::lower("test.tp", source) {
        Ok(lowered) => panic!("no error in {source}\n{}", lowered.core),
        Err(errors) => errors,
    }
}

/// The errors as `line:column: message`.
fn list(source: &str) -> Vec<String> {
    let found = errors(source);
    let text = |item| {
        let (line, column) = found.position(item);
        format!("{line}:{column}: {}", item.message)
    };
    found.items().iter().map(text).collect()
}

/// Asserts that a text has exactly these errors.
pub fn check(source: &str, expected: &[&str]) {
    assert_eq!(list(source), expected, "{source}");
}

/// The same for statements of a thread with some variables; the statements are on line 3.
fn check_in_thread(statements: &str, expected: &[&str]) {
    let source = format!(
        "global int x; global bool b; global int a[]; global lock m;\n\
         thread t[*] {{ local int y; local bool c;\n{statements}\n}}\n"
    );
    check(&source, expected);
}

#[test]
fn an_error_shows_its_line_a_caret_and_a_hint() {
    let text = errors("global int x;\n\nthread t {\n    x = x * x; // square\n}\n").to_string();
    let expected = "\
error: a product of two variables is not linear
 --> test.tp:4:9
  |
4 |     x = x * x; // square
  |         ^^^^^
  |
  = help: one factor must be a constant
";
    assert_eq!(text, expected);
}

#[test]
fn an_error_in_an_empty_text_or_at_its_end_is_shown_as_well() {
    assert!(errors("").to_string().contains("--> test.tp:1:1"));
    let text = errors("thread t {\n\n").to_string();
    assert!(text.contains("--> test.tp:1:10") && text.contains("1 | thread t {"), "{text}");
}

#[test]
fn all_errors_are_found_in_order() {
    check(
        "global int x = y;\nglobal int x;\nthread t {\n  z = 1;\n  x = b;\n  goto out;\n}\n",
        &[
            "1:16: an initial value must be a constant",
            "2:12: `x` is declared twice",
            "4:3: `z` is not declared",
            "5:7: `b` is not declared",
            "6:8: there is no label `out`",
        ],
    );
}

#[test]
fn syntax() {
    check_in_thread("x = ;", &["3:5: expected an expression, found `;`"]);
    check_in_thread("x = 1", &["3:5: expected `;`, found `}`"]);
    check_in_thread("x == 1;", &["3:3: expected `=`, found `==`"]);
    check_in_thread("x++;", &["3:2: expected `=`, found `++`"]);
    check_in_thread("x += 1;", &["3:3: expected `=`, found `+=`"]);
    check_in_thread("if x > 0 { }", &["3:4: expected `(`, found `x`"]);
    check_in_thread("else { }", &["3:1: `else` without an `if` before it"]);
    check_in_thread("for (;;) { }", &["3:1: `for` and `do` are not supported"]);
    check_in_thread("int z;", &["3:1: a declaration after the first statement"]);
    check_in_thread("x = 1; local int z;", &["3:8: a local is declared after the first statement"]);
    check_in_thread("x = 0x1F;", &["3:6: unexpected character in a number"]);
    check_in_thread("x = a[1][2];", &["3:9: arrays have one dimension"]);
    check_in_thread("x = 1 & 2;", &["3:7: expected `;`, found `&`"]);
    check_in_thread("x = é;", &["3:5: expected an expression, found `é`"]);
    check_in_thread("cas(x, 1);", &["3:1: expected a statement, found the keyword `cas`"]);
    check_in_thread("assume(cas(x, 1));", &["3:11: `cas` takes 3 arguments, not 2"]);
    check_in_thread("f(x) = 1;", &["3:6: expected `;`, found `=`"]);
    check_in_thread("x = (1 + 2;", &["3:11: expected `)`, found `;`"]);
    check_in_thread("{ x = 1;", &["4:1: expected `}`, found the end of the file"]);
    check_in_thread(
        "x = 1; } }",
        &["3:10: expected a declaration, found `}`", "4:1: expected a declaration, found `}`"],
    );
    check("thread t { } /* open", &["1:14: this comment is never closed"]);
    check("int x; thread t { }", &["1:1: a declaration without `global`"]);
    check("global int a[10]; thread t { }", &["1:14: an array with a size"]);
    check(
        "global float f; thread t { }",
        &["1:8: expected a type (int, bool or lock), found `float`"],
    );
    check("thread t[0] { }", &["1:10: the number of threads must be between 1 and 64"]);
    check("thread t[n] { }", &["1:10: expected a number of threads, found `n`"]);
    check("thread while { }", &["1:8: expected the name of a thread, found the keyword `while`"]);
    check("global int x;", &["1:1: the program has no thread"]);
    check("", &["1:1: the program has no thread"]);
}

#[test]
fn after_a_syntax_error_the_next_statement_is_read() {
    check(
        "global int x;\nthread t {\n  x = ;\n  if (x > ) { x = 1; }\n  x = 2\n}\nthread u { x 1; }\n",
        &[
            "3:7: expected an expression, found `;`",
            "4:11: expected an expression, found `)`",
            "5:7: expected `;`, found `}`",
            "7:14: expected `=`, found `1`",
        ],
    );
}

/// Statements on line 3 that repeat a text before and behind `x = 1;`.
fn nested(before: &str, behind: &str, times: usize) -> String {
    let (before, behind) = (before.repeat(times), behind.repeat(times));
    format!("global int x;\nthread t {{\n{before}x = 1;{behind}\n}}\n")
}

#[test]
fn nesting_is_limited() {
    for (before, behind) in [("{", "}"), ("if (x > 0) ", ""), ("atomic { ", "}"), ("l: ", "")] {
        if before != "l: " {
            assert!(tp::lower("test.tp", &nested(before, behind, 98)).is_ok(), "{before}");
        }
        for times in [100, 100_000] {
            let found = list(&nested(before, behind, times));
            assert_eq!(found.len(), 1, "{before}");
            assert!(found[0].ends_with("nested more than 100 levels deep"), "{found:?}");
        }
    }
    let (open, minus) = ("(".repeat(100_000), "- ".repeat(100_000));
    for e in [open, minus] {
        let found = list(&format!("global int x;\nthread t {{\nx = {e}1;\n}}\n"));
        assert_eq!(found.len(), 1);
        assert!(found[0].ends_with("nested more than 100 levels deep"), "{found:?}");
    }
}

#[test]
fn chains_of_operators_are_limited() {
    let sum = |n| format!("global int x;\nthread t {{\nx = x{};\n}}\n", " + x".repeat(n));
    assert!(tp::lower("test.tp", &sum(199)).is_ok());
    assert_eq!(list(&sum(200)), ["3:5: an expression of more than 200 operators in a chain"]);
    assert_eq!(list(&sum(100_000)), ["3:5: an expression of more than 200 operators in a chain"]);
}

#[test]
fn names() {
    check_in_thread("z = 1;", &["3:1: `z` is not declared"]);
    check_in_thread("x = t;", &["3:5: `t` is a thread, not a variable"]);
    check_in_thread("f();", &["3:1: there is no procedure `f`"]);
    check_in_thread("l: x = 1; l: x = 2;", &["3:11: the label `l` is defined twice"]);
    check("global int x; thread x { }", &["1:22: `x` is declared twice"]);
    check(
        "global int x; thread t { local bool x; }",
        &["1:37: the local `x` hides a global, procedure or thread of that name"],
    );
    check("thread t { local int y; local bool y; }", &["1:36: `y` is declared twice"]);
    check("thread t { local lock l; }", &["1:23: a local lock"]);
    check("global lock l[]; thread t { }", &["1:13: arrays of locks are not supported"]);
    check("global int x; init (y > x); thread t { local int y; }", &["1:21: `y` is not declared"]);
}

#[test]
fn sorts() {
    check_in_thread("x = b;", &["3:5: expected an integer, found a truth value"]);
    check_in_thread("b = 1;", &["3:5: expected a truth value, found an integer"]);
    check_in_thread("while (1) { }", &["3:8: expected a truth value, found an integer"]);
    check_in_thread("x = a;", &["3:5: expected an integer, found an array"]);
    check_in_thread("a = a;", &["3:1: an array is assigned as a whole"]);
    check_in_thread("x[1] = 2;", &["3:1: `x` is not an array"]);
    check_in_thread("a[b] = 2;", &["3:3: expected an integer, found a truth value"]);
    check_in_thread("assert(x == b);", &["3:13: expected an integer, found a truth value"]);
    check_in_thread("assert(a == a);", &["3:8: expected an integer, found an array"]);
    check_in_thread("assert(1 < x < 3);", &["3:8: comparisons do not chain"]);
    check_in_thread("x = x && b;", &["3:5: expected a truth value, found an integer"]);
    check_in_thread("m = true;", &["3:1: the lock `m` is written to"]);
    check_in_thread("havoc m;", &["3:7: the lock `m` is written to"]);
    check_in_thread("lock(x);", &["3:6: `x` is not a lock"]);
    check_in_thread("assume(cas(m, false, true));", &["3:12: the lock `m` is written to"]);
    check_in_thread("assume(cas(x, 0, b));", &["3:18: expected an integer, found a truth value"]);
    check_in_thread(
        "assume(cas(x + 1, 0, 1));",
        &["3:12: `cas` needs a variable or an array element"],
    );
    check_in_thread("assume(cas(a, 0, 1));", &["3:12: `cas` on a whole array"]);
    check_in_thread(
        "x = z + b;",
        &["3:5: `z` is not declared", "3:9: expected an integer, found a truth value"],
    );
}

#[test]
fn linearity() {
    check_in_thread("x = x * y;", &["3:5: a product of two variables is not linear"]);
    check_in_thread("x = y / x;", &["3:9: the divisor is not a constant"]);
    check_in_thread("x = x / 0;", &["3:9: the divisor is not positive"]);
    check_in_thread("x = x % -2;", &["3:9: the divisor is not positive"]);
    check(
        "global int x; init (x % x == 0); thread t { }",
        &["1:25: the divisor is not a constant"],
    );
}

#[test]
fn effects_stand_in_conditions_only() {
    check_in_thread("x = *;", &["3:5: `*` is not an integer"]);
    check_in_thread("assert(*);", &["3:8: `*` is not allowed here"]);
    check_in_thread("assert(cas(x, 0, 1));", &["3:8: `cas` is not allowed here"]);
    check_in_thread("b = cas(x, 0, 1) == true;", &["3:5: `cas` is not allowed here"]);
    check(
        "global int x; global bool f[]; thread t { f[x] = cas(x, 0, 1); }",
        &["1:50: `cas` or `*` is assigned to an array element"],
    );
    check("global bool b; init (*); thread t { }", &["1:22: `*` is not allowed here"]);
}

#[test]
fn initial_values() {
    check("global int a[] = 0; thread t { }", &["1:18: an array has no initial value"]);
    check("global lock m = true; thread t { }", &["1:17: a lock has no initial value"]);
    check("global int x = true; thread t { }", &["1:16: expected an integer, found a truth value"]);
    check(
        "global int x; thread t { local int y = x; }",
        &["1:40: an initial value must be a constant"],
    );
}

#[test]
fn atomic_blocks() {
    check_in_thread("atomic { while (x > 0) { x = x - 1; } }", &["3:10: a loop inside `atomic`"]);
    check_in_thread("l: x = 1; atomic { goto l; }", &["3:25: `goto` inside `atomic`"]);
    check_in_thread("goto l; atomic { l: x = 1; }", &["3:18: a label inside `atomic`"]);
    check_in_thread("atomic { return; x = 1; }", &["3:18: this statement can never run"]);
    let many = "if (*) { x = x + 1; } ".repeat(9);
    check_in_thread(
        &format!("atomic {{ {many} }}"),
        &["3:186: more than 256 paths through one atomic step"],
    );
    let growing = "x = x + x; ".repeat(20);
    check_in_thread(
        &format!("atomic {{ {growing} }}"),
        &["3:142: the formula of this step grows too large"],
    );
    let choices = "(* || *) && ".repeat(60);
    check_in_thread(
        &format!("assume({choices} true);"),
        &["3:1: more than 256 paths through one atomic step"],
    );
}

#[test]
fn what_can_never_run() {
    check_in_thread("return; x = 1; y = 2;", &["3:9: this statement can never run"]);
    check_in_thread("while (true) { x = 1; } x = 2;", &["3:25: this statement can never run"]);
    check_in_thread("l: x = 1; goto l; assert(x == 1);", &["3:19: this statement can never run"]);
    check_in_thread("assert(false); x = 1;", &["3:16: this statement can never run"]);
    check_in_thread("while (b) { break; x = 1; }", &["3:20: this statement can never run"]);
    check_in_thread("return; l: x = 1; goto l;", &["3:12: this statement can never run"]);
    check_in_thread(
        "return; goto l; l: x = 1;",
        &["3:9: this statement can never run", "3:20: this statement can never run"],
    );
    check_in_thread("if (* && false) { x = 1; }", &["3:19: this statement can never run"]);
    check_in_thread("if (1 < 2) { x = 1; }", &["3:5: this condition is always true"]);
    check_in_thread("while (false) { x = 1; }", &["3:8: this condition is always false"]);
    check_in_thread(
        "assert(1 + 1 == 2);",
        &["3:8: this assertion holds whatever the program does"],
    );
    check_in_thread("l: goto l;", &["3:1: the jumps to `l` go round without a step"]);
    check_in_thread("k: goto l; l: goto k;", &["3:1: the jumps to `k` go round without a step"]);
    check_in_thread("break;", &["3:1: `break` and `continue` are allowed only inside a loop"]);
}

#[test]
fn unreachable_statements_are_reported_once_for_all_threads_of_a_template() {
    check("global int x; thread t[3] { return; x = 1; }", &["1:37: this statement can never run"]);
}

#[test]
fn procedures() {
    let with = |procedures: &str, call: &str| {
        format!(
            "global int x; global bool b; global int a[];\n{procedures}\nthread t {{ {call} }}\n"
        )
    };
    let check = |procedures: &str, call: &str, expected: &[&str]| {
        check(&with(procedures, call), expected);
    };
    check("void f() { f(); }", "f();", &["2:12: the procedure `f` is recursive"]);
    check(
        "void f() { g(); } void g() { h(); } void h() { g(); }",
        "f();",
        &["2:30: the procedure `g` is recursive"],
    );
    check("void f() { x = 1; }", "", &["2:6: the procedure `f` is never called"]);
    check(
        "int f() { if (*) { return 1; } }",
        "x = f();",
        &["2:5: `f` can end without returning a value"],
    );
    check("int f() { return; }", "x = f();", &["2:11: this procedure must return a value"]);
    check("void f() { return 1; }", "f();", &["2:19: a `void` procedure returns no value"]);
    check("void f() { x = 1; }", "x = f();", &["3:16: `f` returns no value"]);
    check(
        "bool f() { return b; }",
        "x = f();",
        &["3:16: expected an integer, found a truth value"],
    );
    check("int f() { return b; }", "x = f();", &["2:18: expected an integer, found a truth value"]);
    check("int f(int n) { return n; }", "x = f();", &["3:16: `f` takes 1 arguments, not 0"]);
    check(
        "int f(int n) { return n; }",
        "x = f(b);",
        &["3:18: expected an integer, found a truth value"],
    );
    check(
        "int f() { return 1; }",
        "x = f() + 1;",
        &["3:16: a call is not allowed inside an expression"],
    );
    check(
        "int f() { return 1; }",
        "a[0] = f();",
        &["3:12: a result cannot be assigned to an array element"],
    );
    check("int f() { return 1; }", "f = 1;", &["3:12: `f` is a procedure"]);
    check(
        "void f(int n[]) { x = n[0]; }",
        "f(a);",
        &[
            "2:12: a parameter must be an int or a bool",
            "3:14: expected an integer, found an array",
        ],
    );
    check(
        "void f() { while (*) { x = 1; } }",
        "atomic { f(); }",
        &["3:21: `f` has a loop or a `goto`, and is called inside `atomic`"],
    );
    check("void f() { y = 1; }", "local int y; f();", &["2:12: `y` is not declared"]);
    check("", "return 1;", &["3:19: a thread returns no value"]);
}

/// Procedures f0 to f`n`, each of which calls the one before it.
fn chain(n: usize, body: impl Fn(usize) -> String) -> String {
    let mut source = String::from("global int x;\nvoid f0() { x = 0; }\n");
    for i in 1..=n {
        source += &format!("void f{i}() {{ {} }}\n", body(i - 1));
    }
    source
}

#[test]
fn inlining_is_limited() {
    let deep = chain(100, |i| format!("if (x > 0) {{ {{ {{ f{i}(); }} }} }}"));
    for thread in ["thread t { f100(); }", "thread t { atomic { f100(); } }"] {
        let found = list(&format!("{deep}{thread}\n"));
        assert_eq!(found.len(), 1);
        let message = "statements and calls are nested more than 150 levels deep";
        assert!(found[0].ends_with(message), "{found:?}");
    }
    let shallow = chain(120, |i| format!("f{i}();"));
    assert!(tp::lower("test.tp", &format!("{shallow}thread t {{ f120(); }}\n")).is_ok());
    let wide = chain(30, |i| format!("f{i}(); f{i}();"));
    assert_eq!(
        list(&format!("{wide}thread t {{ f30(); }}\n")),
        ["2:13: the thread grows too large when its procedures are inlined"]
    );
}

#[test]
fn the_size_of_one_condition_is_limited() {
    let sum = format!("x{}", " + x".repeat(150));
    let wide = format!("({sum} > 0){}", format!(" && ({sum} > 1)").repeat(40));
    let source = |s: &str| format!("global int x;\n{s}\n");
    for text in [
        format!("thread t {{ while ({wide}) {{ }} }}"),
        format!("thread t {{ assume({wide}); }}"),
        format!("init ({wide}); thread t {{ }}"),
    ] {
        let found = list(&source(&text));
        assert_eq!(found.len(), 1);
        assert!(found[0].ends_with("the formula of this step grows too large"), "{found:?}");
    }
}

#[test]
fn characters_that_mislead_are_refused_wherever_they_are() {
    let program = "global int x;\nthread t[*] {\nx = 1; // \u{f6}, \u{4e2d}\u{6587}, \u{5d0}\n}\n";
    assert!(tp::lower("test.tp", program).is_ok());
    assert!(tp::lower("test.tp", &format!("\u{feff}{program}")).is_ok(), "a byte order mark");
    assert!(tp::lower("test.tp", &program.replace('\n', "\r\n")).is_ok(), "lines of Windows");
    let format = "is an invisible character or one that changes the direction of text";
    let cases = [
        ('\u{202e}', format!("3:11: U+202E {format}")),
        ('\u{200b}', format!("3:11: U+200B {format}")),
        ('\u{feff}', format!("3:11: U+FEFF {format}")),
        ('\u{3164}', "3:11: U+3164 is an invisible character".to_owned()),
        ('\u{1b}', "3:11: U+001B is a control character".to_owned()),
        ('\r', "3:11: U+000D is a carriage return without a line feed".to_owned()),
        ('\u{2028}', "3:11: U+2028 is a line or paragraph separator".to_owned()),
    ];
    for (c, expected) in cases {
        check(&program.replace('\u{f6}', &c.to_string()), &[&expected]);
    }
    let hint = "remove it: text must look the way it is read, also in comments";
    assert!(errors("thread t { x\u{7} = 1; }\n").to_string().contains(hint));
}
