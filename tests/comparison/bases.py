"""Pairs to be changed besides the arena's: they have what is seldom in a proof, and need not be right."""

import pairs
import schema
from cbor import Map
from pairs import Pair, Text, tokens

SPACE = ("basis", "initial", "witness", "impossible", "predicates", "error_steps", "configurations")


def fields(**values):
    """A map; its keys are in the order of the encoding."""
    return Map(sorted(values.items(), key=lambda field: (len(field[0]), field[0])))


def space(**values):
    return Map([(name, values.get(name, None if name == "witness" else []))for name in SPACE])


def certificate(proof, layers=()):
    return Map([("proof", proof), ("layers", list(layers)), ("program", b""), ("version", schema.VERSION), ("statement", "")])


def pair(name, program, proof, layers=()):
    return Pair(name, Text(tokens(program)), certificate(proof, layers))


def layer(program, to, parts):
    return Map([("to", to), ("parts", parts), ("program", b""), ("witness", None), ("statement", Text(tokens(program)))])


THREE = """core 1; global n: int; global m: int;
many t { local k: int; location a; location b; location bad error; edge a -> b { when n == 0; n := m, m := n; } edge b -> bad { when k == 1; } }
one s { local c: int; location x; location y; location bad error; edge x -> y { input v: int; c := v, n := v; } edge y -> bad { when n != c; } }
"""


def three_slots():
    """An embedding of three slots, and instances of predicates with three positions."""
    k = lambda p: Map([("l", [p, 0])])
    plus, less = "+", Map([("c", "<=")])
    predicate = fields(formula=[k(0), k(1), plus, k(2), less], threads=[0, 0, 0])
    instance = [1, [0, 1, 2]]
    here = Map([("steps", [[Map([("e", [1, [0, 1, 2]])])]] * 3), ("negated", [instance]), ("threads", [[0, 0], [0, None], [0, 1]])])
    above = Map([("steps", []), ("negated", []), ("threads", [[0, 0], [0, 1], [1, 1]])])
    triple = Map([("pre", [instance, [1, [0, 2, 1]]]), ("edge", 0), ("post", 1), ("acting", 1), ("template", 0), ("refutation", [])])
    proof = space(
        basis=[triple], predicates=[predicate], configurations=[here, above],
        error_steps=[[Map([("s", instance)]), Map([("e", [0, [0, 0, 0]])]), Map([("e", [1, [0, 0, 0]])])]],
    )  # fmt: skip
    return pair("three_slots", THREE, Map([("proof-space", proof)]))


def three_times():
    """An embedding that gives three slots one thread."""
    program = "core 1; many t { location a; location bad error; edge a -> bad { } }"
    configuration = Map([("steps", []), ("negated", []), ("threads", [[0, 0], [0, 0], [0, 0]])])
    proof = space(configurations=[configuration], error_steps=[[Map([("e", [0, [0, 0, 0]])])]])
    return pair("three_times", program, Map([("proof-space", proof)]))


def shared_input():
    """An abstract step that gives two globals one input."""
    globals_ = "core 1; global g0: int; global g1: int; global h: bool;"
    concrete = globals_ + """ many t { location a; location b; edge a -> b { input v: int; input w: int; when v == 5 && w == 5; g0 := v, g1 := w; }
        edge b -> a { h := !h; } } one r { local n: int; location a; edge a -> a { n := n + 1; } }"""
    abstract = globals_ + """ many t { local c: int; location a; edge a -> a { input u: int; input x: bool; g0 := u, g1 := u, c := u, h := x; } edge a -> a { h := !h, c := g0; } }
        one r { local n: int; location a; edge a -> a { n := n + 1; } }"""
    invariant = [Map([("l", [1, 0])])]
    part = Map([("abstracted", Map([("copies", [0]), ("invariants", [invariant, invariant]), ("refutations", [])]))])
    return pair("shared_input", concrete, Map([("proof-space", space())]), [layer(abstract, [0, 1], [part, "kept"])])


def all_pairs():
    """The arena's good cases and the ones above."""
    good = (pairs.read(case.name, case.program, case.certificate) for case in pairs.arena() if case.folder == "good")
    return [found for found in good if found] + [three_slots(), three_times(), shared_input()]
