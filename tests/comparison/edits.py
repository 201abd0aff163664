"""Edits of one place of a pair: of a token, of a part of a program, of a CBOR item by what it is."""

import cbor
from cbor import Map
from pairs import Raw, Text

WORDS = "true false when init input local location error edge many one int bool global assumption core x 0 1 2 - ! && || == != <= < + * ( ) [ ] ; : := , # . { } ->".split()
OPERATORS = ["+", "-", "[]", "[:=]", "!", "&&", "||"]
COMPARISONS = ["==", "!=", "<", "<=", ">", ">="]
INTEGERS = [0, 1, 2, 3, 255, 256, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63, -1, -(2**31), -(2**63), -(2**63) - 1]
TEXTS = ["", "-", "0", "-0", "9223372036854775808", "-9223372036854775809", "9223372036854775807", "09223372036854775808", "kept", "abstracted", "1" * 10001, "-" + "1" * 10000]
HEADS = [Raw(bytes.fromhex(digits)) for digits in ("1800", "f93800", "f7", "c000", "5f40ff", "9fff", "bfff", "7f60ff", "1c", "61ff", "a2010201ff")]


class Place:
    """`shape` tells what kind of field it is."""

    def __init__(self, path, item, shape):
        self.path = path
        self.item = item
        self.shape = shape


def places(pair):
    """Every place of a certificate, and the texts of programs."""
    found, todo = [], [Place(("certificate",), pair.certificate, "")]
    while todo:
        at = todo.pop()
        found.append(at)
        if isinstance(at.item, Map):
            todo += [Place(at.path + (k,), v, f"{at.shape}.{k}"[-40:]) for k, v in reversed(at.item.pairs)]
        elif isinstance(at.item, list) and not isinstance(at.item, Text):
            is_tuple = len(at.item) == 2 and isinstance(at.item[0], int)
            shape = lambda k: f"{at.shape}[{k if is_tuple else ''}]"[-40:]
            todo += [Place(at.path + (k,), v, shape(k)) for k, v in reversed(list(enumerate(at.item)))]
    found.append(Place(("program",), pair.program, "text"))
    return found


def values(item):
    """What can stand in the place of an item, but for lists and maps."""
    if isinstance(item, bool):
        return [not item, None, 0]
    if item is None:
        return [0, False]
    if isinstance(item, int):
        near = [item + 1, item - 1, 0, item * 2, -item, -1 - item, 2**32 - 1, 2**63 - 1]
        return near + INTEGERS + [str(item), str(2**64), str(-(2**64)), None]
    if isinstance(item, str):
        return (OPERATORS if item in OPERATORS else COMPARISONS if item in COMPARISONS else TEXTS) + [item + "0", item[1:], 0]
    if isinstance(item, bytes):
        return [item[:-1], item + b"\0", bytes([item[0] ^ 1]) + item[1:] if item else b"\1", 0]
    return [None, 0]


def of_list(path, items, other):
    """Edits of a list; `other` is an element for it."""
    n = len(items)
    made = [(path, 0, n, []), (path, n, n, [other])]
    if items:
        made += [
            (path, n - 1, n, []), (path, 0, 1, []), (path, n, n, [items[-1]]), (path, 0, 0, [items[0]]),
            (path, 0, 2, items[1::-1]), (path, n // 2, n // 2 + 1, []), (path, 0, 0, [other]), (path, 0, n, items[::-1]),
            (path, n - 1, n, [other]), (path, 0, 1, [other]),
        ]  # fmt: skip
    return [(("splice", *change),) for change in made]


def of_map(path, found):
    pairs = found.pairs
    made = [pairs[1:], pairs[:-1], pairs[::-1], pairs + [("x", 0)], pairs[:1] + pairs]
    if len(pairs) == 1:
        name, value = pairs[0]
        made = [[(other, value)] for other in ("i", "b", "g", "l", "u", "n", "*", "/", "%", "c", "a", "f", "h", "m", "r", "e", "s", "ia", "ba") if other != name] + made[-2:]
    return [(("set", path, Map(list(new))),) for new in made]


def of_place(place, alike):
    """Edits of one place; `alike` are items of other such places."""
    path, item = place.path, place.item
    if isinstance(item, Text):
        return of_text(path, item)
    replaced = [(("set", path, other),) for other in alike]
    if isinstance(item, Map):
        return of_map(path, item) + replaced
    if isinstance(item, list):
        element = next((other[0] for other in alike if isinstance(other, list) and other), item[0] if item else 0)
        return of_list(path, item, element) + replaced
    return replaced + [(("set", path, value),) for value in values(item) if type(value) is not type(item) or value != item]


def of_encoding(place):
    """Edits that leave the deterministic encoding."""
    return [(("set", place.path, head),) for head in HEADS]


# Programs


def is_space(token):
    return token.isspace() or token.startswith("//")


def parts(text):
    """The statements, updates and blocks of a program: ranges of its tokens."""
    found, start, opened = [], 0, []
    for k, token in enumerate(text):
        if token in ("{", "}", ";", ","):
            if token == "{":
                opened.append(start)
            elif token == "}" and opened:
                found.append((opened.pop(), k + 1))
            else:
                found.append((start, k + 1))
            start = k + 1
    return found


def of_parts(path, text):
    """A part is taken out, repeated, or exchanged with the next one that ends alike."""
    found, made = parts(text), []
    for at, (start, end) in enumerate(found):
        made.append(("splice", path, start, end, []))
        made.append(("splice", path, end, end, text[start:end]))
        following = next(((s, e) for s, e in found[at + 1 :] if s == end and text[e - 1] == text[end - 1]), None)
        if following:
            made.append(("splice", path, start, following[1], text[end : following[1]] + text[start:end]))
    return [(change,) for change in made]


def of_token(path, text, k, words):
    """A token is taken out, repeated, or another word stands there or before it."""
    made = [("splice", path, k, k + 1, []), ("splice", path, k, k, [text[k], " "])]
    for word in words:
        if word != text[k]:
            made.append(("splice", path, k, k + 1, [" ", word, " "]))
            made.append(("splice", path, k, k, [" ", word, " "]))
    return [(change,) for change in made]


def of_text(path, text):
    made = of_parts(path, text)
    names = list(dict.fromkeys(token for token in text if token.isidentifier()))
    seen = {}
    for k, token in enumerate(text):
        if is_space(token):
            continue
        before = next((t for t in reversed(text[:k]) if not is_space(t)), "")
        seen[token, before] = seen.get((token, before), 0) + 1
        if seen[token, before] <= 1:
            made += of_token(path, text, k, names[:12] if token.isidentifier() else WORDS[::3])
    return made


def in_all_texts(pair, random):
    """One edit of each text of a program at once: the same token becomes the same other one, or the same declarations change places."""
    texts = [("program",)]
    layers = next((v for k, v in pair.certificate.pairs if k == "layers"), [])
    texts += [("certificate", "layers", k, "statement") for k in range(len(layers)) if isinstance(layers, list)]
    try:
        texts = [(path, pair.get(path)) for path in texts]
    except (KeyError, IndexError, TypeError):
        return None
    texts = [(path, text) for path, text in texts if isinstance(text, Text)]
    if random.random() < 0.5:
        old = random.choice([t for t in pair.program if not is_space(t)])
        new = random.choice(WORDS + [t for t in pair.program if t.isidentifier()])
        return tuple(("set", path, Text([f" {new} " if t == old else t for t in text])) for path, text in texts)
    word = random.choice(["global", "edge", "local", "location", "many", "one"])
    edit = []
    for path, text in texts:
        found = [(s, e) for s, e in parts(text) if word in text[s:e] and e - s < 200]
        found = [(a, b) for a, b in zip(found, found[1:]) if a[1] == b[0]]
        if found:
            a, b = found[0]
            edit.append(("splice", path, a[0], b[1], text[b[0] : b[1]] + text[a[0] : a[1]]))
    return tuple(edit) or None
