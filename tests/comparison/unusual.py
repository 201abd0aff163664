"""Unusual ways to write programs and integers: tokens side by side, characters, lengths at the limits, names like words of
the core form, integers of all sizes in each place; and each of these with a fault of another kind.
"""

import itertools

import limits
import pairs
import schema
from cbor import Map
from edits import places
from pairs import Pair, Text, applied, tokens

PROGRAM = """core 1;
assumption "none";
global n: int;
global a: int[];
init n == 0;
many t {
    local k: int;
    init k >= -1;
    location first;
    location second;
    location wrong error;
    edge first -> second { input u: int; when 2 * u == n + k && #t.second >= 0; n := -3 * u, a := a[k := 1]; }
    edge second -> second { }
}
one s { location first; location wrong error; edge first -> first { when #t.second - 1 == #s.first; } }
"""

CHARACTERS = [
    "\0", "\x01", "\t", "\n", "\x0b", "\x0c", "\r", "\r\n", "\x1b", " ", "\x7f", "\x80", "\x85", "\xa0", "\xad", "é", "\u0661", "\u200b", "\u202e",
    "\u2028", "\u2029", "\ufeff", "\uff11", "\U0001d7d9", "\udc80", "\udcff", '"', "'", "\\", "/", "//", "/**/", "// \r x", "//\n", "$", "@", "`", "~", "^", "|", "&",
    "=", "?", "%", "_", "\u212a", "ſ",
]  # fmt: skip
SYMBOLS = [":=", "==", "!=", "<=", ">=", "&&", "||", "->", ";", ":", "{", "}", "(", ")", "[", "]", ",", "<", ">", "!", "+", "-", "*", "/", "%", "#", "."]
WORDS = "core assumption global init int bool many one local location error edge input when true false".split()
NUMBERS = [
    "0", "-0", "- 0", "--1", "-(1)", "00", "007", "-007", "1.0", "1e3", "0x10", "1_000", "+1", "1a", "a1", "1 1", "9223372036854775807", "9223372036854775808",
    "-9223372036854775808", "-9223372036854775809", "18446744073709551616", "\u0661", "1" * limits.DIGITS, "-" + "1" * limits.DIGITS,
    "1" * (limits.DIGITS + 1), "-" + "1" * (limits.DIGITS + 1), "0" * limits.DIGITS + "1", "0" * (limits.DIGITS - 1) + "1", "a" * (limits.DIGITS + 1),
    "-" + "a" * (limits.DIGITS + 1), "-" + "a" * 1000, '-"' + "1" * (limits.DIGITS + 1) + '"', "1" * (limits.DIGITS + 1) + "a", "-true", "-n", "-when", "-#t.second",
    "-n * 2", "2 * -3 * n", "2 * 3", "n * 2", "(2) * n", "-2 * (n)", "2 * !n", "!2 * n", "- - n", "a" * 1000, "a" * 1001, '"' + "x" * 20000 + '"',
]  # fmt: skip
TEXTS = NUMBERS + ["", "-", " 1", "1 ", "+9223372036854775808", "9_223_372_036_854_775_808", "9223372036854775808\n", "-09223372036854775809", "٩٢٢٣٣٧٢٠٣٦٨٥٤٧٧٥٨٠٨"]
INTEGERS = [
    edge + more
    for edge in (0, 24, 2**7, 2**8, 2**15, 2**16, 2**31, 2**32, 2**63, 2**64 - 1, -24, -(2**8), -(2**31), -(2**32), -(2**63), -(2**64))
    for more in (-1, 0, 1)
    if -(2**64) <= edge + more < 2**64
]


def base():
    """A certificate about a program with a bit of everything; it does not have to be a proof."""
    space = Map([(k, []) for k in ("basis", "initial")] + [("witness", None)] + [(k, []) for k in ("impossible", "predicates", "error_steps", "configurations")])
    fields = [("proof", Map([("proof-space", space)])), ("layers", []), ("program", b""), ("version", schema.VERSION), ("statement", "")]
    return Pair("everything", Text(tokens(PROGRAM)), Map(fields))


def of_programs():
    """Each unusual text at each kind of place of a program."""
    pair = base()
    seen = set()
    for k, token in enumerate(pair.program):
        after = next((t for t in pair.program[k + 1 :] if not t.isspace()), "")
        kind = (token if not token.isidentifier() or token in WORDS else "name", after)
        if kind in seen and not token.isdigit():
            continue
        seen.add(kind)
        for word in CHARACTERS + SYMBOLS + WORDS + NUMBERS:
            for start, end, items in ((k, k + 1, [word]), (k, k, [word]), (k + 1, k + 1, [word])):
                yield "text", pair, (("splice", ("program",), start, end, items),)
    for start, end in ((0, 0), (len(pair.program), len(pair.program))):
        for word in CHARACTERS:
            yield "text", pair, (("splice", ("program",), start, end, [word]),)


def of_names():
    """Names that are words of the core form, or the names of other things, where a name is declared."""
    pair = base()
    for name in ("n", "a", "t", "k", "first", "second", "wrong", "u", "s"):
        for word in [*WORDS, "N", "Init", "_", "__", "_1", "n", "a", "t", "k", "first", "second", "wrong", "u", "s", "true1", "x" * 1000, "x" * 1001]:
            program = Text(word if token == name else token for token in pair.program)
            yield f"name {name}", pair, (("set", ("program",), program),)
            for k, token in enumerate(pair.program):
                if token == name:
                    yield f"name {name}", pair, (("splice", ("program",), k, k + 1, [word]),)


def of_integers():
    """Integers of all sizes, as numbers and as texts, in each kind of place of the arena's good certificates."""
    seen = set()
    for case in pairs.arena():
        pair = case.folder == "good" and pairs.read(case.name, case.program, case.certificate)
        for place in places(pair) if pair else []:
            if place.shape in seen or isinstance(place.item, (bool, Text, list, Map, bytes)):
                continue
            seen.add(place.shape)
            for value in INTEGERS + TEXTS:
                yield place.shape, pair, (("set", place.path, value),)


def heads():
    """Each head byte with each length of argument, as the whole certificate and as its version."""
    for head in range(256):
        for tail in ("", "00", "17", "18", "ff", "0000", "00ff", "0100", "ffff", "00010000", "0000ffff", "0000000100000000", "00000000ffffffff", "8000000000000000"):
            yield bytes([head]) + bytes.fromhex(tail)


def nested():
    """Arrays and maps in one another, as deep as is allowed and one deeper, with something at the bottom."""
    for depth in range(limits.NESTING - 2, limits.NESTING + 3):
        for bottom in ("80", "a0", "00", "f6", "40", "8100", "a10000", "ff", ""):
            yield bytes([0x81] * depth) + bytes.fromhex(bottom)
            yield bytes.fromhex("a100") * depth + bytes.fromhex(bottom)


def sized(bits):
    """Products and sums of about so many bits, in a guard of a counterexample, in a predicate, and where nothing needs them."""
    for digits, sum_ in ((1, ""), (0, ""), (0, " + n"), (0, " - n"), (-1, "")):
        # 2^a times 2^b, each within the digits of a literal.
        exponent = bits - 33000 + digits
        product = f"{2**33000 - 1 if digits < 0 else 2**33000} * {2**exponent} * n"
        for guard in (f"{product}{sum_} >= n", f"n == 0 && {product}{sum_} != 0", f"false && {product}{sum_} == 0", f"a[{product}{sum_}] == 0"):
            yield f"core 1; global n: int; global a: int[]; init n == 1; many t {{ location x; location wrong error; edge x -> wrong {{ when {guard}; }} }}"


def of_bits():
    """Long integers: as they are computed in a replay, and in the clausal form of an obligation."""
    state = Map([("globals", [Map([("i", 1)]), Map([("ia", [0, []])])]), ("threads", [Map([("locals", []), ("template", 0)])])])
    run = Map([("start", state), ("schedule", [Map([("edge", 0), ("inputs", []), ("thread", 0)])])])
    triple = [("pre", []), ("edge", 0), ("post", 0), ("acting", 0), ("template", 0), ("refutation", [Map([("u", Map([("h", [1]), ("l", [])]))])])]
    for bits in (limits.BITS - 1, limits.BITS, limits.BITS + 1):
        for text in sized(bits):
            pair = base()
            pair.program = Text(tokens(text))
            yield "bits in a replay", pair, (("set", ("certificate", "proof"), Map([("counterexample", run)])),)
            yield "bits in an obligation", pair, (("set", ("certificate", "proof", "proof-space", "basis"), [Map(triple)]),)


def long_formulas():
    """Formulas at the limit of operators, each of which takes a second."""
    for count in (limits.OPERATORS, limits.OPERATORS + 1, limits.OPERATORS + 2):
        formula = "!" * (count - 1) + "true"
        for other in ("", "global n: int; global n: int;"):
            yield f"core 1; {other} init {formula}; many t {{ location x; }}"
            yield f"core 1; {other} many t {{ location x; edge x -> x {{ when {formula}; }} }} many t {{ location x; }}"
            yield f"core 1; {other} many t {{ location x; edge x -> x {{ when #t.y == 0; }} edge x -> x {{ when {formula}; }} }}"
            yield f"core 1; {other} init {formula} + 1; many t {{ location x; }}"
            yield f"core 1; {other} init ({formula}; many t {{ location x; }}"


# Faults of the program above: what stands there, and what is put in its place. The first ones decline.
FAULTS = [
    ("n == 0", "n == " + "1" * (limits.DIGITS + 1)), ("2 * u", "1" * (limits.DIGITS + 1) + " * u"), ("#t.second - 1", "-" + "1" * (limits.DIGITS + 1)),
    ("-3 * u", "1" * (limits.DIGITS + 1)), ("n == 0", "n == " + "x" * 1001), ("#t.second >= 0", "#" + "t" * 1001 + ".second >= 0"), ("one s", "one " + "s" * 1001),
    ("core 1", "core " + "1" * (limits.DIGITS + 1)), ("core 1", "core 2"), ('"none"', "none"), ('"none"', '"no\r ne"'), ('"none"', '"none'), ("global n", "global when"),
    ("global a", "global n"), ("int[]", "int[3]"), ("n == 0", "nosuch == 0"), ("n == 0", "k == 0"), ("n == 0", "n + true == 0"), ("n == 0", "n"), ("n == 0", "#t.second == 0"),
    ("n == 0", "(n == 0"), ("n == 0", "n == 0)"), ("n == 0", "n == $"), ("local k", "local n"), ("k >= -1", "k"), ("location second", "location first"),
    ("location first", "location first error"), ("wrong error", "wrong wrong"), ("first -> second", "first -> nosuch"), ("first -> second", "nosuch -> second"),
    ("input u", "input k"), ("2 * u", "2 * nosuch"), ("2 * u", "2 * #t.nosuch"), ("2 * u", "2 * #nosuch.second"), ("2 * u", "2 * #t.first"), ("2 * u", "u * 2"),
    ("#t.second >= 0", "#t.wrong >= 0"), ("#t.second >= 0", "#s.wrong >= 0"), ("n := -3 * u", "u := 3"), ("n := -3 * u", "n := true"), ("a := a[", "n := a["),
    ("one s", "one t"), ("#t.second - 1", "#t.nosuch - 1"), ("#t.second - 1", "true - 1"), ("} }\n", "}\n"), ("} }\n", "} } }\n"),
]  # fmt: skip


def two_faults():
    """Each two of the faults above in one program; and faults of the bytes."""
    pair = base()
    for a, b in itertools.combinations(FAULTS, 2):
        for first, second in ((a, b), (b, a)):
            text = PROGRAM.replace(*first, 1)
            if second[0] in text:
                yield f"two faults: {first[1][:20]} and {second[1][:20]}", pair, (("set", ("program",), Text(tokens(text.replace(*second, 1)))),)
    yield from two_faults_of_bytes()


def two_faults_of_bytes():
    """An integer with too many digits, or an unknown version, beside another fault of the bytes or of the schema."""
    found = next(case for case in pairs.arena() if case.name == "values" or case.name == "bounds")
    pair = pairs.read(found.name, found.program, found.certificate)
    everywhere = [p for p in places(pair) if not isinstance(p.item, Text)]
    integers = [p for p in everywhere if p.shape.endswith((".c", "[1]", ".i"))]
    shapes = {}
    for place in everywhere:
        shapes.setdefault(place.shape, place)
    for place in shapes.values():
        for value in (None, "007", -1, 2**63, "1" * 10001, Map([])):
            edit = (("set", place.path, value),)
            for version in (schema.VERSION + 1, 2**32, str(schema.VERSION), -1, None):
                yield "version and more", pair, (*edit, ("set", ("certificate", "version"), version))
            for integer in integers[:1] + integers[-1:]:
                yield "digits and more", pair, (*edit, ("set", integer.path, "1" * (limits.DIGITS + 1)))


def run(comparison, every, full):
    pair = base()
    for data in [*heads(), *nested()][::every]:
        comparison.compare("bytes", "".join(pair.program).encode(), data)
    known = schema.VERSION
    for version in ("00", f"{known + 1:02x}", f"18{known:02x}", f"1a{known:08x}", f"61{ord(str(known)):02x}", "f6"):
        data = pair.bytes()[1].replace(b"gversion" + bytes([known]), b"gversion" + bytes.fromhex(version))
        comparison.compare("version", "".join(pair.program).encode(), data)
    if full:
        for text in long_formulas():
            made = Pair("long formulas", Text(tokens(text)), pair.certificate)
            comparison.compare("long formulas", *made.bytes())
    sources = itertools.chain(of_programs(), of_names(), of_integers(), of_bits(), two_faults())
    for name, pair, edit in itertools.islice(sources, 0, None, every):
        paths = [change[1] for change in edit]
        if len(set(paths)) < len(paths) or any(p != q and p[: len(q)] == q for p in paths for q in paths):
            continue
        made = applied(pair, edit)
        if made:
            comparison.compare(f"{pair.name}, {name}, {str(edit)[:200]}", *made.bytes())
