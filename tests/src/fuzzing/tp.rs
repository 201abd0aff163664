//! The language's front end on any text.

use threadproof_checker::internals::core_form;
use threadproof_format::program::Program;
use threadproof_producer::frontend::tp;

/// Words and signs to put somewhere; the last ones are no part of the language.
pub const PIECES: [&str; 28] = [
    "{",
    "}",
    "(",
    ")",
    ";",
    "=",
    "==",
    "*",
    "-",
    "!",
    "/ 2",
    "while (x) ",
    "if (*) ",
    "atomic {",
    "goto l; l:",
    "cas(x, 1, 2)",
    "lock(m);",
    "local int z;",
    "assert(false);",
    "[1]",
    "'",
    "unchanged",
    "initial node n;",
    "local int k in 0..2;",
    "/*",
    "é",
    "\"",
    "\u{0}",
];

/// Lowers a text: it is refused with errors that have places, or the checker reads the core forms
/// that come out. Whether it was lowered.
///
/// # Panics
/// If something of this is not so.
pub fn run(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    match tp::lower("damaged.tp", text) {
        Ok(lowered) => {
            same(&lowered.core, &lowered.program);
            lowered.abstractions.iter().for_each(|layer| same(&layer.core, &layer.program));
            true
        }
        Err(errors) => {
            assert!(!errors.items().is_empty(), "refused without an error");
            assert!(errors.to_string().contains("damaged.tp:"), "an error without a place");
            false
        }
    }
}

pub(super) fn same(core: &str, program: &Program) {
    let (read, _) = core_form::parse(core).unwrap_or_else(|e| panic!("{e}:\n{core}"));
    assert_eq!(read, *program, "{core}");
}
