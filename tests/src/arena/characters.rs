//! Characters and lengths of the core form (SPEC.md sections 4.1.1 and 11): what a reader sees is
//! what is read.

use super::{Arena, Pair};
use crate::introduction::{PROGRAM, proof};
use threadproof_format::proof::Proof;

/// Adds the cases.
pub fn add(arena: &mut Arena) {
    good(arena);
    hidden(arena);
    names(arena);
}

fn good(arena: &mut Arena) {
    let pair = |core: &str| Pair::new(core, Proof::ProofSpace(proof()));
    let tabs = "assumption \"tab\there\";\r\nglobal";
    let core = PROGRAM.replacen("global", tabs, 1).replace("\n    ", "\n\t// tab\there\r\n    ");
    let shows = "tabs in strings and comments, carriage returns before line feeds";
    arena.good("tabs_and_line_ends", "4.1.1", shows, pair(&core));
    let core = PROGRAM.replace("x", &"x".repeat(1_000)).replace("read", &"r".repeat(1_000));
    arena.good("long_names", "11.1", "names of 1,000 characters", pair(&core));
}

const UNKNOWN: &str = "a character that the core form does not use";

fn hidden(arena: &mut Arena) {
    let mut group = arena.on("introduction", "4.1.1");
    let before = "edge write -> wrong { when x < 1; }";
    let returned = format!("// and is wrong\r    edge read -> wrong {{ }}\n    {before}");
    let rows: [(&str, &str, &str, &str); 9] = [
        ("comment_that_hides_a_line", "a line ends at a carriage return only", before, &returned),
        ("carriage_return_between_tokens", "no line feed follows", "core 1", "core\r1"),
        ("carriage_return_twice", "the first has none after it", "core 1;\n", "core 1;\r\r\n"),
        ("delete_in_a_comment", "it does not print", "core 1;", "core 1; // \u{7f}"),
        ("zero_in_a_comment", "it does not print", "core 1;", "core 1; // \0"),
        (
            "direction_in_a_comment",
            "what follows is shown before it",
            "core 1;",
            "core 1; // \u{202e}\n",
        ),
        (
            "escape_in_an_assumption",
            "a terminal erases what is above",
            "global",
            "assumption \"none\u{1b}[1A\u{1b}[2K\"; global",
        ),
        (
            "invisible_in_an_assumption",
            "two texts look the same",
            "global",
            "assumption \"no\u{200b}ne\"; global",
        ),
        (
            "letter_of_another_script_in_an_assumption",
            "two texts look the same",
            "global",
            "assumption \"n\u{3bf}ne\"; global",
        ),
    ];
    for (name, trap, old, new) in rows {
        group.program(name, ("syntax", UNKNOWN), trap, |core| core.replacen(old, new, 1));
    }
    let trap = "nothing follows it";
    group.program("carriage_return_at_the_end", ("syntax", UNKNOWN), trap, |core| {
        format!("{core}\r")
    });
}

fn names(arena: &mut Arena) {
    let mut group = arena.on("introduction", "11.1");
    let name = "x".repeat(1_001);
    let why = ("limit", "characters of a name");
    group
        .program("name_that_is_too_long", why, "1,001 characters", |core| core.replace('x', &name));
    let trap = "a name, whose characters are no digits";
    group.program("name_after_a_sign_that_is_too_long", why, trap, |core| {
        core.replacen("g >= 1", &format!("g >= - {}", "x".repeat(10_001)), 1)
    });
    let mut group = arena.on("introduction", "4.1.4");
    let why = ("syntax", "an integer is needed here");
    group.program("name_after_a_sign", why, "a name of 1,000 characters, no integer", |core| {
        core.replacen("g >= 1", &format!("g >= - {}", &name[1..]), 1)
    });
    group.program("string_after_a_sign", why, "a long string, no integer", |core| {
        core.replacen("g >= 1", &format!("g >= - \"{}\"", "1".repeat(10_001)), 1)
    });
}
