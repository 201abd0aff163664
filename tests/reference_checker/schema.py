"""The schema of certificates (SPEC.md, sections 2.2 and 2.4): from CBOR items to the values that the checks read."""

import re
from dataclasses import dataclass

import kinds
import limits
from cbor import Map
from errors import require

VERSION = 5
DIGITS = re.compile(r"-?[1-9][0-9]*\Z", re.ASCII)
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
PLAIN = ("+", "-", "[]", "[:=]", "!", "&&", "||")


@dataclass
class Certificate:
    layers: list
    program: bytes
    statement: str
    kind: str
    proof: object


@dataclass
class Layer:
    """The parts that are kept are None."""

    to: list
    parts: list
    program: bytes
    witness: object
    statement: str


@dataclass
class Abstracted:
    copies: list
    invariants: list
    refutations: list


@dataclass
class State:
    globals: list
    threads: list


def expect(condition, reason):
    require(condition, "schema", reason)


def fields(item, *names):
    """The values of a map that has exactly these fields."""
    expect(isinstance(item, Map), "a map expected")
    found = dict(item.pairs) if all(isinstance(k, str) for k, _ in item.pairs) else {}
    expect(sorted(found) == sorted(names) and len(item.pairs) == len(names), f"exactly the fields {', '.join(names)} expected")
    return [found[name] for name in names]


def variant(item):
    """The one field of a map, as name and value."""
    expect(isinstance(item, Map) and len(item.pairs) == 1 and isinstance(item.pairs[0][0], str), "a map of one field expected")
    return item.pairs[0]


def array(item, of):
    expect(isinstance(item, list), "an array expected")
    return [of(element) for element in item]


def tuple_of(item, *readers):
    expect(isinstance(item, list) and len(item) == len(readers), "an array of another length")
    return tuple(reader(element) for reader, element in zip(readers, item))


def is_integer(item):
    return isinstance(item, int) and not isinstance(item, bool)


def ranged(low, high):
    def read(item):
        expect(is_integer(item) and low <= item <= high, f"an integer in {low}..{high} expected")
        return item

    return read


u32 = ranged(0, 2**32 - 1)
u8 = ranged(0, 255)
literal = ranged(-(2**31), 2**31 - 1)


def boolean(item):
    expect(isinstance(item, bool), "a truth value expected")
    return item


def integer(item):
    """Section 2.2."""
    small = range(-(2**63), 2**63)
    if is_integer(item):
        require(item in small, "encoding", "an integer of this size is written as text")
        return item
    expect(isinstance(item, str), "an integer expected")
    require(len(item.encode().removeprefix(b"-")) <= limits.DIGITS, "limit", "an integer's text is too long")
    require(DIGITS.match(item) is not None, "encoding", "an integer's text has another form")
    number = int(item)
    require(number not in small, "encoding", "an integer of this size is not written as text")
    return number


def text(item):
    expect(isinstance(item, str), "text expected")
    return item


def numbers(item):
    return array(item, u32)


def operator(item):
    if isinstance(item, str):
        expect(item in PLAIN, "an unknown operator")
        return (item,)
    name, value = variant(item)
    if name == "i":
        return ("i", integer(value))
    if name == "b":
        return ("b", boolean(value))
    if name in ("g", "u"):
        return (name, u32(value))
    if name in ("l", "n"):
        return (name, *tuple_of(value, u32, u32))
    if name in ("*", "/", "%"):
        return (name, integer(value))
    expect(name == "c" and value in COMPARISONS, "an unknown operator")
    return ("c", value)


def expression(item):
    return tuple(array(item, operator))


def linear(item):
    c, t = fields(item, "c", "t")
    return integer(c), array(t, lambda pair: tuple_of(pair, u32, integer))


def step(item):
    name, value = variant(item)
    if name == "a":
        return name, linear(value)
    if name == "f":
        literals, sums = fields(value, "l", "s")
        pair = lambda item: tuple_of(item, u32, integer)
        return name, (array(literals, literal), array(sums, lambda s: array(s, pair)))
    if name in ("h", "m"):
        c, leaf = fields(value, "c", "l")
        return name, (u8(c), u32(leaf))
    if name == "r":
        c, left, right = fields(value, "c", "l", "r")
        return name, (u8(c), u32(left), u32(right))
    expect(name == "u", "an unknown step")
    hints, literals = fields(value, "h", "l")
    return name, (array(literals, literal), numbers(hints))


def refutation(item):
    return array(item, step)


def value(item):
    name, content = variant(item)
    if name == "i":
        return name, integer(content)
    if name == "b":
        return name, boolean(content)
    expect(name in ("ia", "ba"), "an unknown value")
    element = integer if name == "ia" else boolean
    entries = lambda item: array(item, lambda entry: tuple_of(entry, integer, element))
    return name, tuple_of(content, element, entries)


def values(item):
    return array(item, value)


def state(item):
    def thread(item):
        locals_, template = fields(item, "locals", "template")
        return u32(template), values(locals_)

    globals_, threads = fields(item, "globals", "threads")
    return State(values(globals_), array(threads, thread))


def optional_state(item):
    return None if item is None else state(item)


def digest(item):
    expect(isinstance(item, bytes) and len(item) == 32, "a digest of 32 bytes expected")
    return item


def part(item):
    if item == "kept":
        return None
    name, content = variant(item)
    expect(name == "abstracted", "an unknown part")
    copies, invariants, refutations = fields(content, "copies", "invariants", "refutations")
    return Abstracted(numbers(copies), array(invariants, expression), array(refutations, refutation))


def layer(item):
    to, parts, program, witness, statement = fields(item, "to", "parts", "program", "witness", "statement")
    return Layer(numbers(to), array(parts, part), digest(program), optional_state(witness), text(statement))


def check_version(item):
    """Section 2.5: a certificate of another version is declined, whatever else it holds."""
    pairs = item.pairs if isinstance(item, Map) else []
    for key, value in pairs:
        number = key == "version" and is_integer(value) and 0 <= value < 2**32
        require(not number or value == VERSION, "version", "an unknown version")


def certificate(item):
    """The certificate that a CBOR item is."""
    check_version(item)
    proof, layers, program, version, statement = fields(item, "proof", "layers", "program", "version", "statement")
    name, content = variant(proof)
    expect(name in kinds.MODULES, "an unknown proof")
    read = kinds.module(name).read(content)
    u32(version)
    return Certificate(array(layers, layer), digest(program), text(statement), name, read)
