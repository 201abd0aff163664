//! The C front end on any text, as it is after preprocessing.

use super::tp::same;
use threadproof_producer::frontend::c::{Options, lower};

/// Words and signs to put somewhere; the last ones are not modelled, or no part of C.
pub const PIECES: [&str; 30] = [
    "{",
    "}",
    "(",
    ")",
    ";",
    "=",
    "+=",
    "*",
    "&",
    "-",
    "!",
    "++",
    "->",
    ", ",
    "[1]",
    "/ 2",
    "<< 1",
    "while (x) ",
    "if (1) ",
    "goto l; l:",
    "return ",
    "int *p = &x;",
    "struct s { int a; } s;",
    "unsigned char ",
    "assert(0);",
    "__VERIFIER_atomic_begin();",
    "float ",
    "\"a\"",
    "é",
    "\u{0}",
];

/// What stands for the headers.
const HEADER: &str = "typedef unsigned long pthread_t; typedef struct { int s; } pthread_mutex_t;
typedef struct { int s; } pthread_rwlock_t; typedef struct { int s; } pthread_cond_t; typedef int pthread_spinlock_t;
typedef int pthread_once_t; typedef unsigned long size_t; typedef _Bool bool; typedef _Atomic int atomic_int;
int pthread_create(pthread_t *, void *, void *(*)(void *), void *); int pthread_join(pthread_t, void **);
void *malloc(size_t); void *calloc(size_t, size_t);
";
/// Macros that programs use, and what they stand for.
const MACROS: [(&str, &str); 6] = [
    ("PTHREAD_MUTEX_INITIALIZER", "{ 0 }"),
    ("PTHREAD_RWLOCK_INITIALIZER", "{ 0 }"),
    ("PTHREAD_COND_INITIALIZER", "{ 0 }"),
    ("PTHREAD_ONCE_INIT", "0"),
    ("NULL", "0"),
    ("INT_MAX", "2147483647"),
];

/// Lowers a text, whose directives and comments are left out: it is refused with a place, or the
/// checker reads the core form that comes out. Whether it was lowered.
///
/// # Panics
/// If something of this is not so.
pub fn run(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let code = |line: &'_ str| line.split("//").next().unwrap_or_default().to_owned();
    let kept =
        text.lines().map(|line| if line.starts_with('#') { String::new() } else { code(line) });
    let text: Vec<String> = kept.collect();
    let text = format!("{HEADER}{}\n", text.join("\n"));
    let text = MACROS.iter().fold(text, |text, (name, value)| text.replace(name, value));
    match lower("damaged.c", &text, Options::default()) {
        Ok(lowered) => {
            same(&lowered.core, &lowered.program);
            true
        }
        Err(error) => {
            let said = error.to_string();
            assert!(
                said.contains("--> damaged.c:") && !said.contains("the front end failed"),
                "{said}"
            );
            false
        }
    }
}
