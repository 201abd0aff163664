//! Texts that are no programs (SPEC.md section 4.1).

use super::{Arena, Pair};
use crate::introduction::{PROGRAM, proof};
use threadproof_format::proof::Proof;

/// Adds the cases.
pub fn add(arena: &mut Arena) {
    let spaced = PROGRAM
        .replace("\n    ", "\r\n\t")
        .replace("core 1;", "// a comment\ncore  1 ;// another: \"global\"")
        .replace("x := g", "x\n:=\ng");
    let pair = Pair::new(&spaced, Proof::ProofSpace(proof()));
    arena.good("layout", "2.3", "white space and comments are no part of a program", pair);
    declarations(arena);
    edges(arena);
    expressions(arena);
    brackets(arena);
    tokens(arena);
    counters(arena);
}

/// A name, what is wrong, the text before and after, and the reason.
type Row<'a> = (&'a str, &'a str, &'a str, &'a str, &'a str);

fn add_rows(arena: &mut Arena, base: &str, section: &str, rows: &[Row<'_>]) {
    let mut group = arena.on(base, section);
    for (name, trap, old, new, words) in rows {
        group.program(name, ("syntax", words), trap, |core| {
            assert!(core.contains(old), "no {old:?}");
            core.replacen(old, new, 1)
        });
    }
}

const NEEDED: &str = "is needed here";
const UPDATED: &str = "an input, or a variable that is updated already";
const TAKEN: &str = "this name is taken";
const NO_NAME: &str = "a name is needed here";
const NO_EXPRESSION: &str = "an expression is needed here";

fn declarations(arena: &mut Arena) {
    let rows: [Row<'_>; 16] = [
        ("core_form_of_another_version", "the text's first number", "core 1", "core 2", NEEDED),
        ("template_that_is_neither", "`many` or `one`", "many t", "some t", NEEDED),
        ("semicolon_is_missing", "after the version", "core 1;", "core 1", NEEDED),
        (
            "unknown_sort",
            "there are two, and arrays of them",
            "init g",
            "global h: nat; init g",
            "a sort is needed here",
        ),
        (
            "array_of_arrays",
            "arrays of numbers and of truth values",
            "g: int",
            "g: int[][]",
            NEEDED,
        ),
        ("assumption_without_text", "a string", "global", "assumption g; global", NEEDED),
        ("global_twice", "one name, two variables", "init g", "global g: int; init g", TAKEN),
        (
            "local_with_a_global's_name",
            "one name, two variables",
            "local x: int;",
            "local x: int; local g: int;",
            TAKEN,
        ),
        (
            "variable_with_a_word's_name",
            "`when` is no name",
            "local x: int;",
            "local x: int; local when: int;",
            NO_NAME,
        ),
        (
            "initial_condition_about_a_local",
            "it is about globals",
            "init g",
            "init x",
            NO_EXPRESSION,
        ),
        (
            "initial_error_location",
            "the error would be there at once",
            "location read;",
            "location read error;",
            "a template needs an initial location, which is no error",
        ),
        (
            "location_twice",
            "one name, two locations",
            "wrong error;",
            "wrong error; location wrong;",
            TAKEN,
        ),
        (
            "template_without_a_location",
            "where would its threads be?",
            "many t",
            "many u { } many t",
            "a template needs an initial location",
        ),
        (
            "template_twice",
            "one name, two templates",
            "many t",
            "one t { location a; } many t",
            "two templates of one name",
        ),
        (
            "local_after_a_location",
            "locals come first",
            "location wrong",
            "local y: int; location wrong",
            NEEDED,
        ),
        ("something_after_the_end", "a bracket too many", "1; }\n}\n", "1; }\n}\n}\n", NEEDED),
    ];
    add_rows(arena, "introduction", "4.1", &rows);
}

fn edges(arena: &mut Arena) {
    let rows: [Row<'_>; 8] = [
        (
            "edge_to_an_unknown_location",
            "there are three",
            "-> wrong",
            "-> nowhere",
            "a location is needed here",
        ),
        (
            "edge_from_an_unknown_location",
            "there are three",
            "edge write -> read",
            "edge nowhere -> read",
            "a location is needed here",
        ),
        ("guard_that_is_a_number", "a formula", "when x < 1", "when x", "another sort is needed"),
        (
            "update_of_another_sort",
            "x is an integer",
            "x := g",
            "x := true",
            "another sort is needed",
        ),
        ("update_twice", "which of the two?", "x := g", "x := g, x := 1", UPDATED),
        (
            "update_of_an_input",
            "inputs are read alone",
            "{ x := g; }",
            "{ input i: int; i := g; }",
            UPDATED,
        ),
        (
            "input_of_another_edge",
            "an input is its edge's",
            "{ x := g; }\n    edge write -> read { g := g + x; }",
            "{ input i: int; x := i; }\n    edge write -> read { g := g + i; }",
            NO_EXPRESSION,
        ),
        ("update_of_an_unknown_variable", "there is no y", "x := g", "y := g", NO_EXPRESSION),
    ];
    add_rows(arena, "introduction", "4.1", &rows);
    let row = (
        "local_of_another_template",
        "k is the local of `s`",
        "n := n; }",
        "k := n; }",
        NO_EXPRESSION,
    );
    add_rows(arena, "single", "4.1", &[row]);
}

fn expressions(arena: &mut Arena) {
    let rows: [Row<'_>; 16] = [
        ("unknown_name", "there is no y", "when x < 1", "when y < 1", NO_EXPRESSION),
        (
            "comparisons_in_a_row",
            "0 < x < 1 means nothing",
            "x < 1",
            "true == true == true",
            "comparisons do not chain",
        ),
        ("product_of_variables", "terms are linear", "g + x", "g * x", NEEDED),
        ("product_with_the_number_last", "the number comes first", "g + x", "g * 2", NEEDED),
        (
            "minus_before_a_variable",
            "a sign is a number's",
            "g + x",
            "-x",
            "an integer is needed here",
        ),
        (
            "parenthesis_is_open",
            "it does not close",
            "when x < 1",
            "when (x < 1",
            "an open parenthesis or bracket",
        ),
        (
            "parenthesis_closes_nothing",
            "it was not open",
            "when x < 1",
            "when x < 1)",
            "this closes nothing",
        ),
        (
            "bracket_for_a_parenthesis",
            "the wrong one closes",
            "when x < 1",
            "when (x < 1]",
            "this closes nothing",
        ),
        (
            "read_of_a_number",
            "x is no array",
            "when x < 1",
            "when x[0] < 1",
            "reading what is no array",
        ),
        (
            "order_of_truth_values",
            "`<` is on integers",
            "when x < 1",
            "when true < false",
            "operand of the wrong sort",
        ),
        (
            "sum_with_a_truth_value",
            "`+` is on integers",
            "g + x",
            "g + true",
            "operand of the wrong sort",
        ),
        (
            "negation_of_a_number",
            "`!` is on truth values",
            "when x < 1",
            "when !x < 1",
            "operand of the wrong sort",
        ),
        (
            "division_by_one",
            "the divisor is at least 2",
            "when x < 1",
            "when x / 1 < 1",
            "operand of the wrong sort",
        ),
        ("division_by_a_variable", "it is a literal", "when x < 1", "when x % x < 1", "an integer"),
        ("operand_is_missing", "nothing after `<`", "when x < 1", "when x <", NO_EXPRESSION),
        ("operator_is_missing", "two operands side by side", "when x < 1", "when x < 1 1", NEEDED),
    ];
    add_rows(arena, "introduction", "4.1", &rows);
}

fn brackets(arena: &mut Arena) {
    let rows = [
        ("parenthesis_for_a_bracket", "the wrong one closes", "[0]", "[0)", "closes nothing"),
        (
            "write_of_a_truth_value",
            "an array of integers",
            "a[1 := n]",
            "a[1 := true]",
            "operand of the wrong sort",
        ),
    ];
    add_rows(arena, "operators", "4.1", &rows);
}

fn tokens(arena: &mut Arena) {
    let character = "a character that the core form does not use";
    let rows: [Row<'_>; 9] = [
        ("unknown_character", "no token begins so", "x < 1", "x ? 1", character),
        ("half_an_operator", "`&` is none", "x < 1", "x < 1 & true", character),
        ("letter_that_is_not_ascii", "names are ASCII", "local x", "local é", character),
        ("byte_order_mark", "it is no white space", "core 1", "\u{feff}core 1", character),
        ("space_that_is_not_ascii", "it is no white space", "core 1", "core\u{a0}1", character),
        ("vertical_tab", "it is no white space", "core 1", "core\u{b}1", character),
        ("character_zero", "it is no white space", "core 1", "core\u{0}1", character),
        (
            "string_is_open",
            "it ends with the line",
            "global g",
            "assumption \"no end;\nglobal g",
            "a string that does not end",
        ),
        ("character_of_another_language", "`~` is no token", "core 1", "~ core 1", character),
    ];
    add_rows(arena, "introduction", "4.1", &rows);
}

fn counters(arena: &mut Arena) {
    let counted = "no threads are counted here";
    let rows: [Row<'_>; 8] = [
        (
            "count_at_the_initial_location",
            "it may be any number",
            "n < #t.second",
            "n < #t.outside",
            counted,
        ),
        (
            "count_at_an_error_location",
            "nobody stays there",
            "n < #t.second",
            "n < #t.wrong",
            counted,
        ),
        (
            "count_at_an_unknown_location",
            "there are four",
            "n < #t.second",
            "n < #t.third",
            counted,
        ),
        ("count_of_an_unknown_template", "there is one", "n < #t.second", "n < #u.second", counted),
        ("count_without_a_dot", "a template and a location", "#t.second", "#t second", NEEDED),
        (
            "count_in_an_initial_condition",
            "counters are for edges",
            "init n == 0",
            "init n == #t.first",
            counted,
        ),
        (
            "count_as_a_truth_value",
            "it is an integer",
            "when n < #t.second",
            "when #t.second",
            "another sort is needed",
        ),
        (
            "update_of_a_counter",
            "threads move, nobody sets it",
            "n := n - 1",
            "#t.first := 0",
            NO_EXPRESSION,
        ),
    ];
    add_rows(arena, "inside", "4.4", &rows);
}
