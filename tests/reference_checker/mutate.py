"""Random mutants of programs and certificates. Everything is drawn from the given random.Random, so a seed repeats a run."""

import copy
import re

import cbor
import program as core
from cbor import Map
from errors import Refused

TOKENS = ["(", ")", "[", "]", ";", ":", ":=", "->", "{", "}", ",", "!", "&&", "||", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "#", "."]
WORDS = ["true", "false", "when", "init", "input", "local", "location", "error", "edge", "many", "one", "int", "bool", "x", "0", "1", "007", '"s"']
INTEGERS = [0, 1, 2, 3, 23, 24, 255, 256, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1, -1, -2, -(2**31), -(2**31) - 1, -(2**63), -(2**64)]
OPERATORS = ["==", "!=", "<", "<=", ">", ">=", "+", "-", "[]", "[:=]", "!", "&&", "||"]
TEXTS = ["", "-", "0", "-0", "9223372036854775808", "-9223372036854775809", "9223372036854775807", "09223372036854775808", "+", "==", "<", "&&", "!", "e", "s", "i", "b"]


def children(item):
    """The places inside an item, as (container, index)."""
    if isinstance(item, list):
        return [(item, k) for k in range(len(item))]
    if isinstance(item, Map):
        return [(item.pairs, k) for k in range(len(item.pairs))]
    return []


def places(root):
    """Every place of a tree as (container, index, shape); the shape tells what kind of field it is."""
    found, todo = [], [(root, "")]
    while todo:
        item, shape = todo.pop()
        for container, k in children(item):
            if isinstance(item, Map):
                key, value = container[k]
                inner = f"{shape}.{key}"
            else:
                value, inner = container[k], f"{shape}[{k if len(container) == 2 and isinstance(container[0], int) else ''}]"
            found.append((container, k, inner[-24:], isinstance(item, Map)))
            todo.append((value, inner))
    return found


def get(place):
    container, k, _, in_map = place
    return container[k][1] if in_map else container[k]


def put(place, value):
    container, k, _, in_map = place
    container[k] = (container[k][0], value) if in_map else value


def other_atom(random, value):
    if isinstance(value, bool) or value is None:
        return random.choice([True, False, None, 0])
    if isinstance(value, int):
        near = [number for number in (value + 1, value - 1, -value, -1 - value, value * 2) if -(2**64) <= number < 2**64]
        return random.choice(near * 9 + [0, 1, 2, 3] * 9 + INTEGERS + [str(value), True])
    if isinstance(value, str):
        return random.choice(TEXTS + OPERATORS * 6 + [value + "0", value[1:]])
    data = bytearray(value or b"\0")
    data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    return random.choice([bytes(data), value[1:], value + b"\0"])


def change_list(random, items):
    kind = random.randrange(6)
    at = random.randrange(len(items) + 1)
    if kind == 0 or not items:
        items.insert(at, copy.deepcopy(random.choice(items)) if items else random.choice([0, 1, [], "+"]))
    elif kind == 1:
        other = random.randrange(len(items))
        at %= len(items)
        items[at], items[other] = items[other], items[at]
    elif kind == 2:
        items.clear()
    elif kind == 3:
        del items[at:]
    else:
        del items[at % len(items)]


def change_map(random, item):
    if not item.pairs:
        item.pairs.append(("x", 0))
        return
    kind, at = random.randrange(4), random.randrange(len(item.pairs))
    if kind == 0:
        del item.pairs[at]
    elif kind == 1:
        item.pairs.insert(at, copy.deepcopy(item.pairs[at]))
    elif kind == 2:
        item.pairs[at] = (random.choice(["x", "i", "b", "g", "l", "u", "n", "a", "f", "h", "m", "r", "e", "s", "ia", "ba", 0]), item.pairs[at][1])
    else:
        random.shuffle(item.pairs)


def change_field(random, root):
    """One field of the tree is changed, in place, perhaps to what another one of them is."""
    everywhere = places(root)
    place = random.choice(everywhere)
    value = get(place)
    if isinstance(value, Map) and random.random() < 0.8:
        place = random.choice([p for p in everywhere if not isinstance(get(p), Map)])
        value = get(place)
    if random.random() < 0.5:
        alike = [p for p in everywhere if p[2] == place[2] and get(p) != value]
        if alike:
            put(place, copy.deepcopy(get(random.choice(alike))))
            return
    if random.random() < 0.03:
        put(place, copy.deepcopy(get(random.choice(everywhere))))
    elif isinstance(value, list):
        change_list(random, value)
    elif isinstance(value, Map):
        change_map(random, value)
    else:
        put(place, other_atom(random, value))


def change_bytes(random, data):
    data = bytearray(data)
    kind, at = random.randrange(6), random.randrange(len(data))
    if kind == 0:
        del data[at]
    elif kind == 1:
        data.insert(at, random.randrange(256))
    elif kind == 2:
        del data[at:]
    elif kind == 3:
        data += bytes([random.randrange(256)])
    elif kind == 4:
        data[at] = random.randrange(256)
    else:
        data[at] ^= 1 << random.randrange(8)
    return bytes(data)


def change_tokens(random, program):
    """A token of the program is removed, doubled, exchanged or replaced."""
    tokens = re.findall(r'"[^"\n]*"|//[^\n]*|\w+|\s+|:=|[=!<>]=|&&|\|\||->|.', program.decode("utf-8"))
    at = random.choice([k for k, token in enumerate(tokens) if not token.isspace()])
    other = random.randrange(len(tokens))
    kind = random.randrange(8)
    if kind == 0:
        del tokens[at]
    elif kind == 1:
        tokens.insert(at, tokens[at])
    elif kind == 2:
        tokens[at], tokens[other] = tokens[other], tokens[at]
    elif kind == 3:
        tokens[at] = tokens[other]
    elif kind == 4:
        tokens.insert(at, " " + random.choice(TOKENS + WORDS) + " ")
    elif kind == 5:
        same = [t for t in tokens if t.isidentifier() == tokens[at].isidentifier() and not t.isspace()]
        tokens[at] = random.choice(same)
    elif kind == 6:
        names = [t for t in tokens if t.isidentifier()]
        tokens[at] = f"#{random.choice(names)}.{random.choice(names)}"
    else:
        tokens[at] = random.choice(TOKENS + WORDS)
    return "".join(tokens).encode("utf-8")


def set_field(item, name, value):
    item.pairs = [(key, value if key == name else old) for key, old in item.pairs]


def address(program, item):
    """Make the certificate or layer name the program, if the program can be read."""
    try:
        read = core.parse(program)
    except Refused:
        return
    set_field(item, "program", read.digest)
    set_field(item, "statement", read.statement)


def change_layer_program(random, layer):
    """A token of the layer's program is changed, and the layer names what comes out."""
    program = change_tokens(random, dict(layer.pairs)["statement"].encode())
    set_field(layer, "statement", program.decode())
    address(program, layer)


KINDS = {"field": 70, "two fields": 8, "certificate bytes": 8, "program": 10, "program bytes": 4}


def mutant(random, program, certificate):
    """One mutant: (what was changed, program, certificate)."""
    root = cbor.decode(certificate)
    layers = dict(root.pairs)["layers"]
    kinds = KINDS | ({"layer's program": 30} if layers else {})
    kind = random.choices(list(kinds), list(kinds.values()))[0]
    if kind == "certificate bytes":
        return kind, program, change_bytes(random, certificate)
    if kind == "layer's program":
        change_layer_program(random, random.choice(layers))
    elif kind.startswith("program"):
        program = change_tokens(random, program) if kind == "program" else change_bytes(random, program)
        address(program, root)
    else:
        for _ in range(1 + (kind == "two fields")):
            change_field(random, root)
    return kind, program, cbor.encode(root)
