//! Hostile input: whatever is declared or nested, a checker answers soon, in little memory, and
//! does not crash. Long ones are recipes, so that they need no room in the repository.

use super::{Arena, Bytes, Case, once, refused};
use crate::introduction::PROGRAM;

/// How deep and how long.
const MANY: usize = 1_000_000;

/// How deep where the second checker takes its time.
const FEWER: usize = 100_000;

/// Adds the cases.
pub fn add(arena: &mut Arena) {
    nested(arena);
    lengths(arena);
    inside(arena);
    small(arena);
    texts(arena);
    broken_texts(arena);
}

pub fn case(name: &str, section: &str, category: &str, reason: &str, trap: &str) -> Case {
    Case {
        folder: "nocrash".to_owned(),
        name: name.to_owned(),
        core: once(PROGRAM),
        certificate: once([]),
        expected: refused((category, reason), section),
        trap: trap.to_owned(),
        section: section.to_owned(),
        base: Some("introduction".to_owned()),
        refuted_by: None,
    }
}

fn nested(arena: &mut Arena) {
    let rows: [(&str, &str, &[u8]); 4] = [
        ("nested_arrays", "an array in an array, a million times", b"\x81"),
        ("nested_maps", "a map as a value, a million times", b"\xa1\x00"),
        ("nested_keys", "a map as a key, a million times", b"\xa1"),
        ("nested_pairs", "a million arrays that all want two elements", b"\x82\x00"),
    ];
    for (name, trap, piece) in rows {
        let certificate: Bytes = vec![(piece.to_vec(), MANY), (vec![0xf6], 1)];
        arena.cases.push(Case { certificate, ..case(name, "11", "limit", "nesting", trap) });
    }
    let rows: [(&str, &str, &str, &[u8]); 2] = [
        ("nested_tags", "a tag of a tag, a million times", "a tag", b"\xc1"),
        ("nested_indefinite_arrays", "a million arrays without a length", "indefinite", b"\x9f"),
    ];
    for (name, trap, reason, piece) in rows {
        let certificate: Bytes = vec![(piece.to_vec(), MANY)];
        arena.cases.push(Case { certificate, ..case(name, "2.1", "encoding", reason, trap) });
    }
}

/// A head with a length of 64 bits.
fn head(kind: u8, length: u64) -> Vec<u8> {
    [&[kind << 5 | 27][..], &length.to_be_bytes()].concat()
}

fn lengths(arena: &mut Arena) {
    let reason = "longer than the bytes left";
    let kinds = [("bytes", 2), ("text", 3), ("array", 4), ("map", 5)];
    let lengths = [("2_60", 1 << 60), ("2_63", 1 << 63), ("2_64", u64::MAX)];
    for (what, kind) in kinds {
        for (size, length) in lengths {
            let name = format!("{what}_of_length_{size}");
            let trap = "a length that no memory has room for";
            let certificate = once(head(kind, length));
            let case = case(&name, "2.1", "encoding", reason, trap);
            arena.cases.push(Case { certificate, ..case });
        }
    }
}

/// The same inside an otherwise good certificate.
fn inside(arena: &mut Arena) {
    let bytes = arena.pair("introduction").bytes();
    let layers = b"\x66layers";
    let at = bytes.windows(layers.len()).position(|w| w == layers).expect("the field");
    let (before, after) = bytes.split_at(at + layers.len());
    let trap = "nested arrays for the layers of a good certificate";
    let certificate: Bytes = vec![(before.to_vec(), 1), (vec![0x81], MANY), (after.to_vec(), 1)];
    let deep = case("nested_layers", "11", "limit", "nesting", trap);
    arena.cases.push(Case { certificate, ..deep });
    let trap = "2^60 layers are declared in a good certificate";
    let certificate = once([before, &head(4, 1 << 60), &after[1..]].concat());
    let long = case("layers_of_length_2_60", "2.1", "encoding", "longer than", trap);
    arena.cases.push(Case { certificate, ..long });
    let trap = "a million layers that are nothing";
    let certificate: Bytes = vec![
        ([before, &[0x9a], &u32::try_from(MANY).expect("32 bits").to_be_bytes()].concat(), 1),
        (vec![0xf6], MANY),
        (after[1..].to_vec(), 1),
    ];
    let many = case("a_million_layers", "2.4", "schema", "not of the schema", trap);
    arena.cases.push(Case { certificate, ..many });
    let long = case("truncated_in_the_middle", "2.1", "encoding", "", "half a certificate");
    arena.cases.push(Case { certificate: once(&bytes[..bytes.len() / 2]), ..long });
}

fn small(arena: &mut Arena) {
    let rows: [(&str, &str, &str, &[u8]); 9] = [
        ("empty_certificate", "encoding", "ends too early", b""),
        ("one_byte_of_an_integer", "encoding", "ends too early", b"\x1b"),
        ("one_break", "encoding", "a float, break or simple value", b"\xff"),
        ("one_null", "schema", "not of the schema", b"\xf6"),
        ("one_map", "schema", "not of the schema", b"\xa0"),
        ("largest_integer", "schema", "not of the schema", b"\x1b\xff\xff\xff\xff\xff\xff\xff\xff"),
        ("least_integer", "schema", "not of the schema", b"\x3b\xff\xff\xff\xff\xff\xff\xff\xff"),
        ("text_certificate", "encoding", "", b"{\"proof\": {}}"),
        ("sequence_of_zeros", "encoding", "trailing bytes", &[0; 64]),
    ];
    for (name, category, reason, bytes) in rows {
        let case = case(name, "2.1", category, reason, "no certificate");
        arena.cases.push(Case { certificate: once(bytes), ..case });
    }
}

const NEEDED: &str = "an expression is needed here";

/// Programs with a long or deep expression in place of a guard.
fn texts(arena: &mut Arena) {
    let (before, after) = PROGRAM.split_once("x < 1").expect("the guard");
    let rows: [(&str, &str, &str, usize, [&str; 3]); 6] = [
        ("open_parentheses", NEEDED, "a million open parentheses", MANY, ["(", "", ""]),
        ("parentheses", "", "parentheses, all closed", FEWER, ["(", "x < 1", ")"]),
        ("negations", NEEDED, "negations of nothing", FEWER, ["!", "", ""]),
        ("open_brackets", NEEDED, "open brackets", FEWER, ["x[", "", ""]),
        ("open_writes", NEEDED, "open writes", FEWER, ["x[0:=", "", ""]),
        ("closing_parentheses", "this closes nothing", "closing ones", FEWER, ["", "x < 1", ")"]),
    ];
    for (name, reason, trap, times, [open, middle, close]) in rows {
        let mut core: Bytes = vec![(before.into(), 1)];
        core.extend([(open.into(), times), (middle.into(), 1), (close.into(), times)]);
        core.push((after.into(), 1));
        core.retain(|(piece, _)| !piece.is_empty());
        // A program that can be read, and the empty certificate.
        let category = if reason.is_empty() { "encoding" } else { "syntax" };
        arena.cases.push(Case { core, ..case(name, "4.1", category, reason, trap) });
    }
    let trap = "an integer of a million digits";
    let core: Bytes =
        vec![(format!("{before}x < 1").into(), 1), (b"0".to_vec(), MANY), (after.into(), 1)];
    let long = case("integer_of_a_million_digits", "11", "limit", "digits of an integer", trap);
    arena.cases.push(Case { core, ..long });
}

fn broken_texts(arena: &mut Arena) {
    let character = "a character that the core form does not use";
    let quotes = "a string that does not end";
    let rows: [(&str, &str, &str, Bytes); 6] = [
        ("empty_program", "is needed here", "no text at all", once([])),
        ("program_of_zeros", character, "a million zeros", vec![(vec![0], MANY)]),
        (
            "program_that_is_not_utf_8",
            character,
            "bytes that are no text",
            vec![(vec![0xff], MANY)],
        ),
        (
            "program_of_one_quote",
            quotes,
            "a string without an end",
            vec![(b"\"".to_vec(), 1), (b"a".to_vec(), MANY)],
        ),
        (
            "program_of_one_comment",
            "is needed here",
            "a comment alone",
            vec![(b"/".to_vec(), MANY)],
        ),
        (
            "program_with_half_a_character",
            character,
            "the text ends in a character",
            once(b"core 1; \xe2\x82"),
        ),
    ];
    for (name, reason, trap, core) in rows {
        arena.cases.push(Case { core, ..case(name, "4.1", "syntax", reason, trap) });
    }
}
