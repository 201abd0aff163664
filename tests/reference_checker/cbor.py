"""Deterministic CBOR (SPEC.md, section 2.1): a strict decoder and an encoder, neither of them recursive.

Items are int, bytes, str, True, False, None, list, and Map.
"""

import limits
from errors import Refused, require


class Map:
    """A map as its pairs, in the order of the encoding."""

    def __init__(self, pairs):
        self.pairs = pairs


class _Open:
    """An array or map whose elements are still being read."""

    def __init__(self, is_map, count):
        self.is_map = is_map
        self.left = count * 2 if is_map else count
        self.items = []
        self.last_key = None
        self.start = None

    def finish(self):
        if not self.is_map:
            return self.items
        return Map(list(zip(self.items[0::2], self.items[1::2])))

    def expects_key(self):
        return self.is_map and self.left % 2 == 0


def _head(data, at):
    """The major type, additional information and argument of the head at an offset, and the offset after it."""
    require(at < len(data), "encoding", "the item ends too early")
    major, info = data[at] >> 5, data[at] & 31
    at += 1
    if info < 24:
        return major, info, info, at
    require(info <= 27, "encoding", "an indefinite length or a reserved head")
    size = 1 << (info - 24)
    require(at + size <= len(data), "encoding", "the item ends too early")
    argument = int.from_bytes(data[at : at + size], "big")
    if major != 7:
        shortest = 24 if size == 1 else 1 << (4 * size)
        require(argument >= shortest, "encoding", "an integer that is not in its shortest form")
    return major, info, argument, at + size


def _simple(info):
    require(info in (20, 21, 22), "encoding", "a float, or a simple value that is not false, true or null")
    return {20: False, 21: True, 22: None}[info]


def _text(data):
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused("encoding", "text that is not UTF-8") from error


def decode(data):
    """The one item that the bytes encode."""
    require(len(data) <= limits.BYTES, "limit", "the certificate is too long")
    at, opened = 0, []
    while True:
        if opened and opened[-1].left and opened[-1].expects_key():
            opened[-1].start = at
        require(len(opened) <= limits.NESTING, "limit", "items are nested too deeply")
        major, info, argument, at = _head(data, at)
        complete = True
        if major == 0:
            item = argument
        elif major == 1:
            item = -1 - argument
        elif major in (2, 3):
            require(argument <= len(data) - at, "encoding", "more bytes are declared than are left")
            item = data[at : at + argument]
            at += argument
            item = _text(item) if major == 3 else item
        elif major in (4, 5):
            elements = argument * (major - 3)
            require(elements <= len(data) - at, "encoding", "more elements are declared than are left")
            opened.append(_Open(major == 5, argument))
            complete = False
        else:
            require(major == 7, "encoding", "a tag")
            item = _simple(info)
        while complete or opened[-1].left == 0:
            if not complete:
                item = opened.pop().finish()
                complete = True
            if not opened:
                require(at == len(data), "encoding", "bytes after the item")
                return item
            top = opened[-1]
            if top.expects_key():
                key = data[top.start : at]
                require(top.last_key is None or top.last_key < key, "encoding", "map keys are not strictly ascending")
                top.last_key = key
            top.items.append(item)
            top.left -= 1
            complete = False


def _encoded_head(major, argument):
    if argument < 24:
        return bytes([major << 5 | argument])
    for info, size in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if argument < 1 << (8 * size):
            return bytes([major << 5 | info]) + argument.to_bytes(size, "big")
    raise ValueError("the argument has more than 64 bits")


def encode(item):
    """The bytes of an item. The pairs of a map are written as they stand, so that a test can write wrong ones."""
    out, todo = bytearray(), [item]
    while todo:
        item = todo.pop()
        if item is None or item is True or item is False:
            out.append({False: 0xF4, True: 0xF5, None: 0xF6}[item])
        elif isinstance(item, int):
            out += _encoded_head(0, item) if item >= 0 else _encoded_head(1, -1 - item)
        elif isinstance(item, bytes):
            out += _encoded_head(2, len(item)) + item
        elif isinstance(item, str):
            data = item.encode("utf-8")
            out += _encoded_head(3, len(data)) + data
        elif isinstance(item, list):
            out += _encoded_head(4, len(item))
            todo.extend(reversed(item))
        else:
            out += _encoded_head(5, len(item.pairs))
            for key, value in reversed(item.pairs):
                todo.append(value)
                todo.append(key)
    return bytes(out)
