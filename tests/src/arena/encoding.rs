//! Bytes that are no certificate (SPEC.md section 2).

use super::{Arena, Group, Why};
use ciborium::Value;
use threadproof_format::proof::VERSION;

const SCHEMA: Why<'static> = ("schema", "certificate: not of the schema");

/// Adds the cases.
pub fn add(arena: &mut Arena) {
    heads(arena);
    simple(arena);
    strings(arena);
    ends(arena);
    keys(arena);
    fields(arena);
    numbers(arena);
    integers(arena);
    variants(arena);
}

/// The bytes of the field `version`, but for its value.
const KEY: &[u8] = b"\x67version";

fn version() -> u8 {
    u8::try_from(VERSION).expect("a small number")
}

/// Replaces bytes where they first stand.
fn replace(bytes: &mut Vec<u8>, old: &[u8], new: &[u8]) {
    let at = bytes.windows(old.len()).position(|window| window == old).expect("the bytes");
    bytes.splice(at..at + old.len(), new.iter().copied());
}

/// Another encoding of the field `version`.
fn versions(group: &mut Group<'_>, name: &str, why: Why<'_>, trap: &str, new: &[u8]) {
    group.bytes(name, why, trap, |bytes| {
        replace(bytes, &[KEY, &[version()]].concat(), &[KEY, new].concat());
    });
}

fn heads(arena: &mut Arena) {
    let mut group = arena.on("introduction", "2.1");
    let why = ("encoding", "not the shortest form");
    let v = version();
    let rows: [(&str, &str, &[u8]); 4] = [
        ("integer_of_two_bytes", "the head has room for it", &[0x18, v]),
        ("integer_of_three_bytes", "the head has room for it", &[0x19, 0, v]),
        ("integer_of_five_bytes", "the head has room for it", &[0x1a, 0, 0, 0, v]),
        ("integer_of_nine_bytes", "the head has room for it", &[0x1b, 0, 0, 0, 0, 0, 0, 0, v]),
    ];
    for (name, trap, bytes) in rows {
        versions(&mut group, name, why, trap, bytes);
    }
    let rows: [(&str, &str, &[u8], &[u8]); 4] = [
        ("overlong_array", "no elements, in two bytes", b"\x66layers\x80", b"\x66layers\x98\x00"),
        ("overlong_bytes", "32 bytes, in three", b"\x58\x20", b"\x59\x00\x20"),
        ("overlong_text", "five characters, in two bytes", b"\x65proof", b"\x78\x05proof"),
        ("overlong_map", "five fields, in two bytes", b"\xa5\x65proof", b"\xb8\x05\x65proof"),
    ];
    for (name, trap, old, new) in rows {
        group.bytes(name, why, trap, |bytes| replace(bytes, old, new));
    }
    let why = ("encoding", "indefinite length");
    let rows: [(&str, &[u8], &[u8]); 3] = [
        ("indefinite_array", b"\x66layers\x80", b"\x66layers\x9f\xff"),
        ("indefinite_text", b"\x65proof", b"\x7f\x65proof\xff"),
        ("indefinite_bytes", b"\x58\x20", b"\x5f\x58\x20"),
    ];
    for (name, old, new) in rows {
        group.bytes(name, why, "a length that is told at the end", |b| replace(b, old, new));
    }
    group.bytes("indefinite_map", why, "a length that is told at the end", |bytes| {
        bytes[0] = 0xbf;
        bytes.push(0xff);
    });
    versions(
        &mut group,
        "reserved_head",
        ("encoding", "reserved head"),
        "28 means nothing",
        &[0x1c],
    );
    let why = ("encoding", "a tag");
    versions(&mut group, "tagged_integer", why, "a big integer by a tag", &[0xc2, 0x41, v]);
    group.bytes("tagged_certificate", why, "the tag that says: this is CBOR", |bytes| {
        bytes.splice(0..0, [0xd9, 0xd9, 0xf7]);
    });
}

fn simple(arena: &mut Arena) {
    let mut group = arena.on("introduction", "2.1");
    let why = ("encoding", "a float, break or simple value");
    let rows: [(&str, &[u8]); 6] = [
        ("half_float", &[0xf9, 0x42, 0]),
        ("single_float", &[0xfa, 0x40, 0x40, 0, 0]),
        ("double_float", &[0xfb, 0x40, 0x08, 0, 0, 0, 0, 0, 0]),
        ("break_without_a_beginning", &[0xff]),
        ("simple_value", &[0xe3]),
        ("undefined", &[0xf7]),
    ];
    for (name, bytes) in rows {
        versions(&mut group, name, why, "no integer is written so", bytes);
    }
    versions(&mut group, "simple_value_of_two_bytes", why, "`true` in two bytes", &[0xf8, 0x15]);
    versions(&mut group, "null_for_a_number", SCHEMA, "nothing for a number", &[0xf6]);
    versions(&mut group, "truth_for_a_version", SCHEMA, "`true` for a number", &[0xf5]);
    let mut group = arena.on("no_witness", "2.1");
    group.bytes("undefined_for_null", why, "undefined for null", |bytes| {
        replace(bytes, b"\x67witness\xf6", b"\x67witness\xf7");
    });
}

fn strings(arena: &mut Arena) {
    let mut group = arena.on("introduction", "2.1");
    let why = ("encoding", "text that is not UTF-8");
    let rows: [(&str, &str, &[u8]); 3] = [
        ("text_with_a_broken_byte", "no character begins so", b"\xff"),
        ("text_with_an_overlong_character", "a line feed in two bytes", b"\xc0\x8a"),
        ("text_with_half_a_character", "a surrogate", b"\xed\xa0\x80"),
    ];
    for (name, trap, broken) in rows {
        group.bytes(name, why, trap, |bytes| {
            let old = &b"core\n1\n;\n"[..];
            let rest = &old[broken.len()..];
            replace(bytes, old, &[broken, rest].concat());
        });
    }
}

fn ends(arena: &mut Arena) {
    let mut group = arena.on("introduction", "2.1");
    let why = ("limit", "over the limit: nesting");
    group.bytes("nesting_of_33", why, "a limit", |bytes| {
        *bytes = [&[0x81; 33][..], &[0xf6]].concat();
    });
    let why = ("encoding", "trailing bytes");
    group.bytes("trailing_byte", why, "one byte more", |bytes| bytes.push(0));
    group.bytes("trailing_line_feed", why, "an editor's line feed", |bytes| bytes.push(b'\n'));
    group.bytes("certificate_twice", why, "two certificates", |bytes| bytes.extend(bytes.clone()));
    let why = ("encoding", "longer than the bytes left");
    group.bytes("truncated", why, "a byte is missing", |bytes| {
        bytes.pop();
    });
}

fn keys(arena: &mut Arena) {
    let mut group = arena.on("introduction", "2.1");
    let why = ("encoding", "keys not ascending");
    let entry = [KEY, &[version()]].concat();
    let twice = [&entry[..], &entry[..]].concat();
    group.bytes("duplicate_key", why, "which of the two?", |bytes| {
        bytes[0] += 1;
        replace(bytes, &entry, &twice);
    });
    let mut later = twice.clone();
    *later.last_mut().expect("a byte") += 1;
    group.bytes("duplicate_key_with_another_value", why, "which of the two?", |bytes| {
        bytes[0] += 1;
        replace(bytes, &entry, &later);
    });
    group.untyped("keys_in_disorder", why, "the first two fields exchanged", |value| {
        value.as_map_mut().expect("a map").swap(0, 1);
    });
    group.untyped("keys_in_disorder_inside", why, "a triple's fields exchanged", |value| {
        at(value, "proof.proof-space.basis.0").as_map_mut().expect("a map").swap(0, 1);
    });
    group.untyped("key_that_is_no_text", SCHEMA, "a number for a field's name", |value| {
        value.as_map_mut().expect("a map").insert(0, (0.into(), 0.into()));
    });
}

/// The value at a path: names of fields, and numbers of elements.
fn at<'a>(value: &'a mut Value, path: &str) -> &'a mut Value {
    path.split('.').fold(value, |value, step| match value {
        Value::Array(items) => &mut items[step.parse::<usize>().expect("a number")],
        Value::Map(entries) => {
            let entry = entries.iter_mut().find(|(key, _)| key.as_text() == Some(step));
            &mut entry.unwrap_or_else(|| panic!("no field {step}")).1
        }
        _ => panic!("{step} is in no array or map"),
    })
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn fields(arena: &mut Arena) {
    let mut group = arena.on("introduction", "2.4");
    let triple = "proof.proof-space.basis.0";
    for (name, path) in
        [("unknown_field", "proof.proof-space"), ("unknown_field_of_a_triple", triple)]
    {
        group.untyped(name, SCHEMA, "a field that the schema does not know", |value| {
            let entry = (text("a field that nobody knows"), Value::Null);
            at(value, path).as_map_mut().expect("a map").push(entry);
        });
    }
    for (name, path, field) in [
        ("missing_layers", "", 1),
        ("missing_field", "proof.proof-space", 0),
        ("missing_field_of_a_triple", triple, 5),
    ] {
        group.untyped(name, SCHEMA, "a field is missing", |value| {
            let map = if path.is_empty() { value } else { at(value, path) };
            map.as_map_mut().expect("a map").remove(field);
        });
    }
    let list = "proof.proof-space.basis.0.pre.0";
    group.untyped("instance_of_three", SCHEMA, "a predicate, threads and more", |value| {
        at(value, list).as_array_mut().expect("an array").push(0.into());
    });
    group.untyped("instance_of_one", SCHEMA, "a predicate without threads", |value| {
        at(value, list).as_array_mut().expect("an array").pop();
    });
    group.untyped("slot_of_three", SCHEMA, "a template, a location and more", |value| {
        let slot = at(value, "proof.proof-space.configurations.0.threads.0");
        slot.as_array_mut().expect("an array").push(0.into());
    });
    group.untyped("array_for_a_certificate", SCHEMA, "the fields' values alone", |value| {
        let fields = value.as_map().expect("a map").iter().map(|(_, field)| field.clone());
        *value = Value::Array(fields.collect());
    });
    group.untyped("null_for_an_array", SCHEMA, "no layers, but not so", |value| {
        *at(value, "layers") = Value::Null;
    });
    group.untyped("statement_of_bytes", SCHEMA, "bytes for text", |value| {
        let statement = at(value, "statement");
        *statement = Value::Bytes(statement.as_text().expect("text").as_bytes().to_vec());
    });
    for (name, trap, length) in
        [("digest_of_31_bytes", "a byte less", 31), ("digest_of_33_bytes", "a byte more", 33)]
    {
        group.untyped(name, SCHEMA, trap, |value| {
            at(value, "program").as_bytes_mut().expect("bytes").resize(length, 0);
        });
    }
    group.untyped("digest_of_text", SCHEMA, "hexadecimal digits", |value| {
        *at(value, "program") = text(&"0".repeat(64));
    });
}

fn numbers(arena: &mut Arena) {
    let mut group = arena.on("introduction", "2.2");
    let edge = "proof.proof-space.basis.0.edge";
    let rows: [(&str, &str, Value); 5] = [
        ("negative_number", "numbers are not negative", Value::Integer((-1).into())),
        ("number_of_33_bits", "numbers have 32 bits", Value::Integer((1_u64 << 32).into())),
        ("number_of_64_bits", "numbers have 32 bits", Value::Integer(u64::MAX.into())),
        ("number_in_text", "no text stands for a number", text("0")),
        ("truth_for_a_number_of_an_edge", "no truth value stands for it", Value::Bool(false)),
    ];
    for (name, trap, new) in rows {
        group.untyped(name, SCHEMA, trap, |value| *at(value, edge) = new);
    }
    let literal = "proof.proof-space.basis.1.refutation.0.f.l.2";
    for (name, number) in
        [("literal_of_33_bits", 1_i64 << 31), ("literal_below_32_bits", -(1_i64 << 31) - 1)]
    {
        group.untyped(name, SCHEMA, "literals have 32 bits", |value| {
            *at(value, literal) = Value::Integer(number.into());
        });
    }
    let mut group = arena.on("hit", "2.4");
    for (name, case) in [("case_of_nine_bits", 256), ("negative_case", -1)] {
        group.untyped(name, SCHEMA, "a case is a byte", |value| {
            *at(value, "proof.proof-space.basis.0.refutation.0.h.c") = Value::Integer(case.into());
        });
    }
}

fn integers(arena: &mut Arena) {
    let mut group = arena.on("bounds", "2.2");
    let multiplier = "proof.proof-space.basis.0.refutation.0.f.s.0.0.1";
    let other = ("encoding", "another encoding is shorter or complete");
    let rows: [(&str, &str, Why<'_>, Value); 12] = [
        (
            "fractional_multiplier",
            "one half as a float",
            ("encoding", "a float"),
            Value::Float(0.5),
        ),
        ("fraction_in_text", "one half as text", SCHEMA, text("1/2")),
        ("decimal_fraction_in_text", "one half as text", SCHEMA, text("0.5")),
        ("small_integer_in_text", "an integer of 64 bits is none of text", other, text("1")),
        (
            "largest_integer_in_text",
            "2^63 - 1 is an integer of 64 bits",
            other,
            text("9223372036854775807"),
        ),
        (
            "integer_with_a_leading_zero",
            "digits without leading zeros",
            other,
            text("09223372036854775808"),
        ),
        ("integer_with_a_plus", "no sign but a minus", other, text("+9223372036854775808")),
        ("minus_zero", "0 is an integer of 64 bits", other, text("-0")),
        ("integer_in_hexadecimal", "decimal digits", SCHEMA, text("0x8000000000000000")),
        ("integer_of_no_digits", "no digits at all", SCHEMA, text("")),
        (
            "integer_of_64_bits_without_text",
            "2^63 is text",
            other,
            Value::Integer((1_u64 << 63).into()),
        ),
        ("integer_with_a_space", "decimal digits", SCHEMA, text(" 9223372036854775808")),
    ];
    for (name, trap, why, new) in rows {
        group.untyped(name, why, trap, |value| *at(value, multiplier) = new);
    }
    let tagged = Value::Tag(30, Box::new(Value::Array(vec![1.into(), 2.into()])));
    group.untyped("fraction_by_a_tag", ("encoding", "a tag"), "one half by a tag", |value| {
        *at(value, multiplier) = tagged;
    });
    let why = ("limit", "digits of an integer");
    group.untyped("integer_of_10001_digits", why, "a limit", |value| {
        *at(value, multiplier) = text(&"9".repeat(10_001));
    });
}

fn variants(arena: &mut Arena) {
    let mut group = arena.on("introduction", "2.4");
    let formula = "proof.proof-space.predicates.0.formula";
    let map = |entries: &[(&str, Value)]| {
        Value::Map(entries.iter().map(|(name, value)| (text(name), value.clone())).collect())
    };
    let rows: [(&str, &str, Value); 7] = [
        ("unknown_operator", "no operator is called so", text("/")),
        ("operator_without_its_number", "an integer literal without the integer", text("i")),
        (
            "operator_with_two_names",
            "an integer and a truth value",
            map(&[("b", true.into()), ("i", 1.into())]),
        ),
        ("operator_without_a_name", "a map without a field", map(&[])),
        ("operator_that_is_a_number", "a number without its name", 1.into()),
        ("unknown_comparison", "no comparison is called so", map(&[("c", text("<>"))])),
        ("operator_with_a_needless_value", "`!` is text alone", map(&[("!", Value::Null)])),
    ];
    for (name, trap, new) in rows {
        group.untyped(name, SCHEMA, trap, |value| *at(value, &format!("{formula}.1")) = new);
    }
    for (name, path) in [
        ("unknown_step", "proof.proof-space.basis.0.refutation.0"),
        ("unknown_hint", "proof.proof-space.error_steps.0.0"),
    ] {
        group.untyped(name, SCHEMA, "nothing is called so", |value| {
            let content = at(value, path).as_map().expect("a map")[0].1.clone();
            *at(value, path) = map(&[("q", content)]);
        });
    }
    group.untyped("number_for_a_truth_value", SCHEMA, "1 is not `true`", |value| {
        *at(value, &format!("{formula}.1")) = map(&[("b", 1.into())]);
    });
    group.untyped("null_for_an_integer", SCHEMA, "an integer literal without a value", |value| {
        *at(value, &format!("{formula}.1")) = map(&[("i", Value::Null)]);
    });
    group.untyped("two_proofs", SCHEMA, "a proof space and a counterexample", |value| {
        let nothing = map(&[("start", Value::Null), ("schedule", Value::Null)]);
        let proof = at(value, "proof").as_map_mut().expect("a map");
        proof.push((text("counterexample"), nothing));
    });
    group.untyped("unknown_proof", SCHEMA, "no proof is called so", |value| {
        *at(value, "proof") = map(&[("trust me", Value::Null)]);
    });
    group.untyped("no_proof", SCHEMA, "null for a proof", |value| {
        *at(value, "proof") = Value::Null;
    });
    let mut group = arena.on("arrays_and_inputs", "2.4");
    group.untyped("unknown_value", SCHEMA, "nothing is called so", |value| {
        let array = at(value, "proof.counterexample.start.globals.1");
        *array = map(&[("q", array.as_map().expect("a map")[0].1.clone())]);
    });
    let mut group = arena.on("abstract_copy", "2.4");
    group.untyped("unknown_part", SCHEMA, "a part that is neither kept nor abstracted", |value| {
        *at(value, "layers.0.parts.2") = text("trusted");
    });
    group.untyped("unknown_part_with_a_proof", SCHEMA, "as before", |value| {
        let part = at(value, "layers.0.parts.0");
        *part = map(&[("trusted", part.as_map().expect("a map")[0].1.clone())]);
    });
}
