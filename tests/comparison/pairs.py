"""Pairs of a program and a certificate as trees of tokens and CBOR items, and edits of them that can be combined.

A place is a path from ("program",) or ("certificate",). Texts of programs, the program itself and the `statement` of a
layer, are lists of tokens, white space among them. An edit is a tuple of changes at different places:
("set", path, value) or ("splice", path, start, end, items), which takes items out of a list and puts others in.
"""

import hashlib
import json
import pathlib
import re

import cbor
import program as core
from cbor import Map
from errors import Refused

ARENA = pathlib.Path(__file__).parent.parent.parent / "corpus" / "certificates"
TOKENS = re.compile(r'"[^"\n]*"|//[^\n]*|\w+|\s+|:=|[=!<>]=|&&|\|\||->|.', re.DOTALL)


def tokens(text):
    return TOKENS.findall(text)


class Raw:
    """Bytes in the place of an item."""

    def __init__(self, data):
        self.data = data


class Text(list):
    """The tokens of a program's text."""


class Pair:
    """`kept` are the places of digests and statements that stay, right or wrong; the others follow from the programs."""

    def __init__(self, name, program, certificate, kept=frozenset()):
        self.name = name
        self.program = program
        self.certificate = certificate
        self.kept = kept

    def bytes(self):
        text = "".join(self.program)
        return text.encode("utf-8", "surrogateescape"), encode(restated(self.certificate, text, self.kept))

    def get(self, path):
        return item({"program": self.program, "certificate": self.certificate}[path[0]], path[1:])


def item(root, path):
    for step in path:
        root = dict(root.pairs)[step] if isinstance(root, Map) else root[step]
    return root


def read(name, program, certificate):
    """The pair of some bytes; None if they are no UTF-8 or no certificate to look into."""
    try:
        root = cbor.decode(certificate)
    except Refused:
        return None
    if not isinstance(root, Map):
        return None
    text = program.decode("utf-8", "surrogateescape")
    root = opened(root)
    right = restated(root, text, ())
    kept = [path for path in identities(root) if plain(item(root, path[1:])) != plain(item(right, path[1:]))]
    pair = Pair(name, Text(tokens(text)), root, frozenset(kept))
    return pair if pair.bytes() == (program, certificate) else None


def plain(text):
    return "".join(text) if isinstance(text, Text) else text


def layers_of(root):
    """The layers that have a program's text, with their numbers."""
    layers = field(root, "layers")
    return [(k, layer) for k, layer in enumerate(layers) if isinstance(field(layer, "statement"), (str, Text))] if isinstance(layers, list) else []


def opened(root):
    """The certificate with the statements of its layers as tokens."""
    for k, layer in layers_of(root):
        text = Text(tokens(field(layer, "statement")))
        root = spliced(root, ("layers", k, "statement"), lambda _, text=text: text)
    return root


def field(found, name):
    if not isinstance(found, Map):
        return None
    return next((value for key, value in found.pairs if key == name), None)


def identities(root):
    """The places of digests and statements that follow from the programs."""
    found = [("certificate", name) for name in ("program", "statement") if field(root, name) is not None]
    layers = [(k, name) for k, layer in layers_of(root) for name in ("program", "statement") if field(layer, name) is not None]
    return found + [("certificate", "layers", k, name) for k, name in layers]


def is_identity(path):
    return path in (("certificate", "program"), ("certificate", "statement")) or path[1:2] == ("layers",) and path[3:] == ("program",)


def statement_of(text):
    """The statement of a text; None if it has no tokens."""
    try:
        return "".join(token + "\n" for _, token in core.tokens_of(text))
    except Refused:
        return None


def restated(root, text, kept):
    """The certificate about the program of this text, and its layers about what they state."""
    statement = statement_of(text)
    told = [(("certificate", "statement"), statement), (("certificate", "program"), digest(statement))]
    for k, layer in layers_of(root):
        own = statement_of("".join(field(layer, "statement")))
        told.append((("certificate", "layers", k, "statement"), own))
        told.append((("certificate", "layers", k, "program"), digest(own)))
    for path, value in told:
        if value is not None and path not in kept and field(item(root, path[1:-1]), path[-1]) is not None:
            root = spliced(root, path[1:], lambda _, value=value: value)
    return root


def digest(statement):
    return None if statement is None else hashlib.sha256(statement.encode("utf-8", "surrogateescape")).digest()


def encode(root):
    out, todo = bytearray(), [root]
    while todo:
        found = todo.pop()
        if isinstance(found, Raw):
            out += found.data
        elif isinstance(found, Text):
            todo.append("".join(found))
        elif isinstance(found, list):
            out += cbor._encoded_head(4, len(found))
            todo.extend(reversed(found))
        elif isinstance(found, Map):
            out += cbor._encoded_head(5, len(found.pairs))
            for key, value in reversed(found.pairs):
                todo.append(value)
                todo.append(key)
        elif isinstance(found, str):
            data = found.encode("utf-8", "surrogateescape")
            out += cbor._encoded_head(3, len(data)) + data
        else:
            out += cbor.encode(found)
    return bytes(out)


# Edits


def spliced(root, path, change):
    """The tree with the item at a path changed; what is not on the path is shared. KeyError, IndexError: no such place."""
    if not path:
        return change(root)
    step, rest = path[0], path[1:]
    if isinstance(root, Map):
        at = next((k for k, (key, _) in enumerate(root.pairs) if key == step), None)
        if at is None:
            raise KeyError(step)
        pairs = list(root.pairs)
        pairs[at] = (step, spliced(pairs[at][1], rest, change))
        return Map(pairs)
    if not isinstance(root, list) or not isinstance(step, int):
        raise KeyError(step)
    items = type(root)(root)
    items[step] = spliced(items[step], rest, change)
    return items


def position(change):
    """Where a change begins: those behind it are made first."""
    return change[1] + ((change[2],) if change[0] == "splice" else ())


def applied(pair, edit):
    """The pair with an edit; None if it has no such place."""
    made = Pair(pair.name, pair.program, pair.certificate, pair.kept)
    for change in sorted(edit, key=lambda c: tuple((isinstance(s, str), s) for s in position(c)), reverse=True):
        if is_identity(change[1]):
            made.kept |= {change[1]}
        if change[0] == "set":
            value = change[2]
            act = lambda _: value
        else:
            def act(items, c=change):
                if not isinstance(items, list) or c[3] > len(items):
                    raise IndexError
                return type(items)(items[: c[2]] + list(c[4]) + items[c[3] :])
        root, *path = change[1]
        try:
            if root == "program":
                made.program = spliced(made.program, path, act)
            else:
                made.certificate = spliced(made.certificate, path, act)
        except (KeyError, IndexError):
            return None
    if not isinstance(made.program, list) or not all(isinstance(token, str) for token in made.program):
        return None
    return made


def spans(change):
    """Where a change takes something away: a path and a range of its last step; without a range: all below."""
    if change[0] == "set":
        return change[1], None
    return change[1], (change[2], change[3])


def conflict(one, other):
    """Whether two changes are about the same place."""
    (p, ranged), (q, other_range) = spans(one), spans(other)
    if len(p) > len(q) or len(p) == len(q) and ranged is None:
        (p, ranged), (q, other_range) = (q, other_range), (p, ranged)
    if q[: len(p)] != p:
        return False
    if ranged is None:
        return True
    if len(q) > len(p):
        return ranged[0] <= q[len(p)] < ranged[1]
    if other_range is None:
        return True
    return ranged[0] < other_range[1] and other_range[0] < ranged[1] or ranged == other_range


def together(one, other):
    """Two edits of one pair as one; None if they are about the same place."""
    if any(conflict(a, b) for a in one for b in other):
        return None
    return one + other


def same(a, b):
    if isinstance(a, Map) and isinstance(b, Map):
        return len(a.pairs) == len(b.pairs) and all(k == m and same(v, w) for (k, v), (m, w) in zip(a.pairs, b.pairs))
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and a == b


def difference(old, new):
    """The edit that makes one pair of another."""
    changes = changed_items(("program",), old.program, new.program) + changed_items(("certificate",), old.certificate, new.certificate)
    changes = [c for c in changes if not is_identity(c[1])]
    changes += [("set", path, new.get(path)) for path in sorted(new.kept - old.kept)]
    return tuple(changes)


def changed_items(path, old, new):
    if same(old, new):
        return []
    if isinstance(old, Map) and isinstance(new, Map) and [k for k, _ in old.pairs] == [k for k, _ in new.pairs]:
        return [c for (k, a), (_, b) in zip(old.pairs, new.pairs) for c in changed_items(path + (k,), a, b)]
    if isinstance(old, list) and isinstance(new, list):
        if len(old) == len(new) and not isinstance(old, Text):
            return [c for k, (a, b) in enumerate(zip(old, new)) for c in changed_items(path + (k,), a, b)]
        start = 0
        while start < min(len(old), len(new)) and same(old[start], new[start]):
            start += 1
        end = 0
        while end < min(len(old), len(new)) - start and same(old[-1 - end], new[-1 - end]):
            end += 1
        return [("splice", path, start, len(old) - end, new[start : len(new) - end])]
    return [("set", path, new)]


# The arena


def content(place):
    if isinstance(place, str):
        return (ARENA / place).read_bytes()
    return b"".join(bytes.fromhex(piece) * times for piece, times in place)


class Case:
    def __init__(self, line):
        self.folder, self.name, self.base = line["folder"], line["name"], line.get("base")
        self.program, self.certificate = content(line["program"]), content(line["certificate"])


def arena():
    """The cases of the arena that are not long."""
    lines = json.loads((ARENA / "manifest.json").read_text())
    return [Case(line) for line in lines if isinstance(line["program"], str) and isinstance(line["certificate"], str)]
