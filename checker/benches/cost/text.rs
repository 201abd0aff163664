//! The core form: each repetition of its grammar (SPEC.md section 4.1), and what is long or deep
//! besides.

use super::encoding::{Input, certificate, proof_space};
use super::family::{all, join};

/// A text with something long: what the grammar says of it, if it does, its name, and the text.
type Text = (&'static str, &'static str, fn(usize) -> String);

fn with(declarations: &str, formula: &str) -> String {
    format!(
        "core 1; global b: bool; global x: int; global r: int[]; {declarations} init {formula}; many t {{ location a; }}"
    )
}

fn command(edge: &str) -> String {
    format!("core 1; global x: int; many t {{ location a; edge a -> a {{ {edge} }} }}")
}

fn around(open: &str, inside: &str, close: &str, n: usize) -> String {
    with("", &format!("{}{inside}{} || b", open.repeat(n), close.repeat(n)))
}

/// All of them.
pub const TEXTS: [Text; 47] = [
    (r#""assumption" string ";""#, "assumptions", |n| {
        format!("core 1; {} many t {{ location a; }}", "assumption \"a\";\n".repeat(n))
    }),
    (r#""global" name ":" sort ";""#, "globals", |n| {
        with(&all(n, |i| format!("global g{i}: int;\n")), "b")
    }),
    ("template", "templates", |n| {
        with("", "b") + &all(n, |i| format!("many t{i} {{ location a; }}\n"))
    }),
    (r#""local" name ":" sort ";""#, "locals", |n| {
        format!("core 1; many t {{ {} location a; }}", all(n, |i| format!("local x{i}: int;\n")))
    }),
    ("location", "locations", |n| {
        format!("core 1; many t {{ {} }}", all(n, |i| format!("location l{i};\n")))
    }),
    ("edge", "edges", |n| {
        format!("core 1; many t {{ location a; {} }}", "edge a -> a {}\n".repeat(n))
    }),
    (r#""input" name ":" sort ";""#, "inputs", |n| {
        command(&all(n, |i| format!("input u{i}: int;\n")))
    }),
    (r#""," name ":=" expression"#, "updates", |n| {
        let globals = all(n, |i| format!("global g{i}: int;"));
        let updates = join(n, ",\n", |i| format!("g{i} := 1"));
        format!("core 1; {globals} many t {{ location a; edge a -> a {{ {updates}; }} }}")
    }),
    (r#""||" conj"#, "disjunction", |n| with("", &vec!["b"; n].join(" || "))),
    (r#""&&" relation"#, "conjunction", |n| with("", &vec!["b"; n].join(" && "))),
    (r#"("+" | "-") term"#, "sum", |n| with("", &format!("{} == 0", vec!["x"; n].join(" + ")))),
    (r#"("/" | "%") integer"#, "quotients", |n| with("", &format!("x{} == 0", " / 2".repeat(n)))),
    ("", "nested quotients", |n| {
        with("", &format!("{}x{} == 0", "(x + ".repeat(n), ") % 3".repeat(n)))
    }),
    (r#""[" expression [":=" expression] "]""#, "writes", |n| {
        with("", &format!("r{}[x] == 0", "[1 := 2]".repeat(n)))
    }),
    ("", "negations", |n| around("!", "b", "", n)),
    ("", "multiplications", |n| around("1 * ", "x", " == 0", n)),
    ("", "parentheses", |n| around("(", "b", ")", n)),
    ("", "open parentheses", |n| around("(", "b", "", n)),
    ("", "closed parentheses", |n| around("", "b", ")", n)),
    ("", "nested reads", |n| with("", &format!("{}x{} == 0", "r[".repeat(n), "]".repeat(n)))),
    ("", "nested writes", |n| {
        with("", &format!("{}0{}[0] == 0", "r[x := ".repeat(n), "][0]".repeat(n)))
    }),
    ("", "writes at indexes with writes", |n| {
        with("", &format!("{}x{} == 0", "r[1 := 0][".repeat(n), "]".repeat(n)))
    }),
    ("", "comparisons", |n| with("", &vec!["x == x"; n].join(" && "))),
    ("", "equivalences", |n| around("(b == ", "b", ")", n)),
    ("", "chained comparisons", |n| with("", &vec!["x"; n].join(" == "))),
    ("", "counters", |n| {
        let sum = vec!["#t.b"; n].join(" + ");
        format!("core 1; many t {{ location a; location b; edge a -> a {{ when {sum} == 0; }} }}")
    }),
    ("", "unknown counters", |n| command(&format!("when {} == 0;", vec!["#t.b"; n].join(" + ")))),
    ("", "white space", |n| with(&" \n\t\r\n".repeat(n), "b")),
    ("", "a comment", |n| with(&format!("//{}\n", "c".repeat(n)), "b")),
    ("", "comments", |n| with(&"//\n".repeat(n), "b")),
    ("", "a comment of slashes", |n| with(&format!("{}\n", "//".repeat(n)), "b")),
    ("", "a string", |n| {
        format!("core 1; assumption \"{}\"; many t {{ location a; }}", "s".repeat(n))
    }),
    ("", "a string that does not end", |n| format!("core 1; assumption \"{}", "s".repeat(n))),
    ("", "strings that do not end", |n| format!("core 1; {}", "\"\n".repeat(n))),
    ("", "a name", |n| with(&format!("global {}: int;", "n".repeat(n)), "b")),
    ("", "a long name often", |n| {
        let name = "n".repeat(n);
        with(
            &format!("global {name}: int;"),
            &format!("{} == 0", vec![name.as_str(); 64].join("+")),
        )
    }),
    ("", "long names", |n| with(&all(64, |i| format!("global {}{i}: int;", "n".repeat(n))), "b")),
    ("", "an unknown name", |n| with("", &"n".repeat(n))),
    ("", "digits", |n| with("", &format!("x == {}", "9".repeat(n.min(10_000))))),
    ("", "integers of many digits", |n| {
        with("", &vec![format!("x == {}", "9".repeat(10_000)); n.div_ceil(1000)].join(" && "))
    }),
    ("", "zeros", |n| with("", &format!("x == {}", "0".repeat(n)))),
    ("", "integers", |n| with("", &format!("x == {}", vec!["12345678"; n].join(" + ")))),
    ("", "semicolons", |n| format!("core 1; {}", ";".repeat(n))),
    ("", "lines before an error", |n| format!("core 1; {}?", "\n".repeat(n))),
    ("", "other characters", |n| format!("core 1; // {}\n ?", "\u{e9}".repeat(n))),
    ("", "minus signs", |n| with("", &format!("{}1 == 0", "-".repeat(n)))),
    ("", "errors", |n| {
        let errors = all(n, |i| format!("location e{i} error;\n"));
        format!("core 1; many t {{ location a; {errors} }}")
    }),
];

/// The text with a proof of nothing.
pub fn input(core: String) -> Input {
    let certificate = certificate(&core, proof_space(&[]), &[]);
    Input { core, certificate }
}

/// What the grammar repeats: the text between braces that are no tokens.
pub fn repetitions(grammar: &str) -> Vec<String> {
    let (mut found, mut open, mut quoted) = (Vec::new(), Vec::new(), false);
    let text: String = grammar.split_whitespace().collect::<Vec<_>>().join(" ");
    for (at, sign) in text.char_indices() {
        match sign {
            '"' => quoted = !quoted,
            '{' if !quoted => open.push(at + 1),
            '}' if !quoted => found.push(text[open.pop().expect("an open brace")..at].to_owned()),
            _ => {}
        }
    }
    found
}
