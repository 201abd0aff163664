"""Differential test of clausal forms and array steps: check.py's against another checker's binary.

usage: compare_clauses.py [--count N] [--seed S] [--keep DIRECTORY] BINARY

Each of N random obligations, of an initial predicate, a triple or an impossible configuration, gets the step list that restates all of its clauses, with array steps between, by unit
propagation from their numbers. So the steps are valid only for the numbers of SPEC.md, section 5. The last step adds
no empty clause: a checker that agrees refuses the certificate for that alone. Then a variable that is none is named, or
one literal or hint is changed, or an atom is named that is a variable already or one beside it that may be none, and both
checkers have to find the same again.
"""

import argparse
import copy
import pathlib
import random
import sys
import tempfile

import cbor
import program as core
import refutation
import schema
import space_schema
from cbor import Map
from check import check
from clausal import clausal_form
from compare import run_binary
from errors import Refused
from proof_space import Predicates, impossible_obligation, initial_obligation, triple_obligation

HEADER = (
    "core 1; global x: int; global y: int; global z: int; global a: int[]; global d: int[]; global c: bool[]; "
    "global p: bool; global q: bool; init {init}; "
    "many t {{ location start; location one_way; location other; location wrong error; {many} }} "
    "one s {{ location first; location second; location third; {one} }}"
)
PLACES = {"t": ["start", "one_way", "other"], "s": ["first", "second", "third"]}
COUNTERS = ["#t.one_way", "#t.other", "#s.first", "#s.second", "#s.third"]
OWN_END = "the last step does not add the empty clause"
BINARY_END = "the last step is not the empty clause"


def record(**fields):
    return Map(sorted(fields.items(), key=lambda field: (len(field[0]), field[0])))


class Formulas:
    """Random expressions of the core form over the globals of HEADER, and counters unless it is said otherwise."""

    def __init__(self, draw):
        self.draw = draw
        self.counters = True

    def integer(self, depth):
        kind = self.draw.randrange(9) if depth else self.draw.randrange(4)
        if kind < 3:
            return self.draw.choice(COUNTERS if self.counters and self.draw.random() < 0.4 else "xyz")
        if kind == 3:
            return str(self.draw.randrange(-3, 4))
        if kind == 4:
            return f"({self.integer(depth - 1)} + {self.integer(depth - 1)})"
        if kind == 5:
            return f"({self.integer(depth - 1)} - {self.integer(depth - 1)})"
        if kind == 6:
            return f"{self.draw.randrange(-4, 5)} * {self.integer(depth - 1)}"
        return f"{self.array(depth - 1, 'int')}[{self.integer(depth - 1)}]"

    def array(self, depth, element):
        if depth <= 0 or self.draw.random() < 0.3:
            return "c" if element == "bool" else self.draw.choice("ad")
        value = self.formula(depth - 1) if element == "bool" else self.integer(depth - 1)
        return f"{self.array(depth - 1, element)}[{self.integer(depth - 1)} := {value}]"

    def formula(self, depth):
        kind = self.draw.randrange(12) if depth else self.draw.randrange(3)
        if kind < 2:
            return self.draw.choice("pq")
        if kind == 2:
            return f"({self.integer(0)} {self.draw.choice(['<', '<=', '>', '>=', '==', '!='])} {self.integer(0)})"
        if kind == 3:
            return "!" + self.formula(depth - 1)
        if kind < 6:
            return f"({self.formula(depth - 1)} {self.draw.choice(['&&', '||'])} {self.formula(depth - 1)})"
        if kind == 6:
            return f"({self.formula(depth - 1)} {self.draw.choice(['==', '!='])} {self.formula(depth - 1)})"
        if kind == 7:
            return f"{self.array(depth - 1, 'bool')}[{self.integer(depth - 1)}]"
        if kind == 8:
            return self.draw.choice(["true", "false"])
        return f"({self.integer(depth - 1)} {self.draw.choice(['<', '<=', '>', '>=', '==', '!='])} {self.integer(depth - 1)})"

    def initial(self, depth):
        """A formula without counters."""
        self.counters = False
        formula = self.formula(depth)
        self.counters = True
        return formula

    def edge(self, template):
        """An edge of the template, with a guard and some updates."""
        source, target = (self.draw.choice(PLACES[template]) for _ in "ab")
        new = {"x": lambda: self.integer(2), "p": lambda: self.formula(2), "a": lambda: self.array(2, "int"), "c": lambda: self.array(2, "bool")}
        updates = [f"{name} := {value()}" for name, value in new.items() if self.draw.random() < 0.4]
        return f"edge {source} -> {target} {{ when {self.formula(3)}; {', '.join(updates)}{';' if updates else ''} }}"

    def predicate(self):
        text = HEADER.format(init="true", many=f"edge start -> start {{ when {self.formula(3)}; }}", one="")
        formula = core.parse(text.encode()).templates[0].edges[0].guard
        return formula + (("!",),) if formula[-1] in (("&&",), ("b", False)) else formula


class Obligation:
    """A random program and a proof space whose only obligation is of the kind given."""

    def __init__(self, draw, formulas):
        acting = draw.choice("ts")
        edges = {"many": "", "one": "", "many" if acting == "t" else "one": formulas.edge(acting)}
        self.text = HEADER.format(init=formulas.initial(draw.choice([2, 4, 6])), **edges).encode()
        self.program = core.parse(self.text)
        first, second = formulas.predicate(), formulas.predicate()
        self.predicates = [first, second + (("!",),) if first == second else second]
        self.kind = draw.choice(["basis", "initial", "impossible"])
        self.template = 0 if acting == "t" else 1
        slots = [[0, draw.randrange(3)] for _ in range(draw.randrange(4))] + [[1, draw.randrange(3)]] * draw.randrange(2)
        self.fields = {
            "basis": {"pre": [[2, []]], "edge": 0, "post": 1, "acting": 0, "template": self.template},
            "initial": {"predicate": 1},
            "impossible": {"negated": [[1, []], [2, []]], "threads": slots},
        }[self.kind]

    def form(self):
        """Its clausal form here."""
        listed = [space_schema.Predicate(formula, []) for formula in self.predicates]
        predicates = Predicates(self.program, listed)
        item = record(**self.fields, refutation=[])
        if self.kind == "basis":
            return clausal_form(*triple_obligation(self.program, predicates, space_schema.triple(item)))
        if self.kind == "initial":
            return clausal_form(*initial_obligation(self.program, predicates, 1))
        return clausal_form(*impossible_obligation(self.program, predicates, space_schema.impossible(item)))

    def certificate(self, steps):
        formulas = ([op[0] if len(op) == 1 else Map([(op[0], list(op[1:]) if len(op) > 2 else op[1])]) for op in f] for f in self.predicates)
        space = {"basis": [], "initial": [], "impossible": [], "error_steps": [], "configurations": [], "witness": None}
        space["predicates"] = [record(threads=[], formula=formula) for formula in formulas]
        space[self.kind] = [record(**self.fields, refutation=[encoded(kind, step) for kind, step in steps])]
        proof = Map([("proof-space", record(**space))])
        program = self.program
        return cbor.encode(record(version=schema.VERSION, layers=[], program=program.digest, statement=program.statement, proof=proof))


def array_steps(draw, form):
    """Random array steps: most of them fit their leaves."""
    reads = [k for k, leaf in enumerate(form.leaves.items) if leaf[0] == "read"]
    for _ in range(min(12, 3 * len(reads))):
        leaf = draw.choice(reads)
        written = form.arrays.items[form.leaves.items[leaf][1]][0] == "write"
        alike = [k for k in reads if k > leaf and form.leaves.items[k][1] == form.leaves.items[leaf][1]]
        if written and draw.random() < 0.7:
            yield draw.choice([("h", (draw.randrange(2), leaf)), ("m", (draw.randrange(4), leaf))])
        elif alike:
            yield "r", (draw.randrange(2), leaf, draw.choice(alike))


def restate(kernel, number):
    return "u", (list(kernel.clauses[number]), [number])


def add_step(kernel, kind, step):
    rules = {"h": kernel.hit, "m": kernel.miss, "r": kernel.congruence, "u": kernel.propagation}
    kernel.clauses.append(rules[kind](step))


def steps_of(draw, form):
    """The step list of this script's first paragraph, and the number of variables after it."""
    kernel = refutation.Kernel(form)
    steps = [restate(kernel, number) for number in range(len(form.clauses))]
    for kind, step in steps:
        add_step(kernel, kind, step)
    for kind, step in list(array_steps(draw, form)):
        tried = copy.deepcopy(kernel)  # a step that is refused may have made variables
        try:
            add_step(tried, kind, step)
        except Refused:
            continue
        kernel = tried
        steps += [(kind, step), restate(kernel, len(kernel.clauses) - 1)]
        add_step(kernel, *steps[-1])
    variables = len(kernel.form.variables.items) - 1
    steps.append(("u", (sorted({1, variables}), [0])))
    return steps, variables


def name_atom(draw, form, steps):
    """A step first that names an atom of the form, or one that has another constant."""
    atoms = [item[1] for item in form.variables.items[1:] if item[0] == "atom"]
    leaves = form.leaves.items
    counting = [f for f in atoms if any(leaves[k][0] == "variable" and leaves[k][1][0] == "n" for k, _ in f[1])]
    if not atoms:
        return steps
    number, terms = draw.choice(counting if counting and draw.random() < 0.7 else atoms)
    return [("a", (number + draw.choice([0, 0, 1, -1]), terms)), *steps]


def encoded(kind, step):
    if kind == "a":
        return Map([("a", record(c=step[0], t=[list(term) for term in step[1]]))])
    if kind == "u":
        return Map([("u", record(l=step[0], h=step[1]))])
    names = ("c", "l") if kind != "r" else ("c", "l", "r")
    return Map([(kind, record(**dict(zip(names, step))))])


def change(draw, steps):
    """One hint or literal of one `u` step is changed."""
    at = draw.choice([k for k, (kind, _) in enumerate(steps) if kind == "u"])
    literals, hints = list(steps[at][1][0]), list(steps[at][1][1])
    kind = draw.randrange(4)
    if kind == 0:
        hints[0] += draw.choice([-1, 1, 2]) if hints[0] else 1
    elif kind == 1 and literals:
        del literals[draw.randrange(len(literals))]
    elif literals:
        k = draw.randrange(len(literals))
        literals[k] = literals[k] + draw.choice([-1, 1]) if kind == 2 else -literals[k]
        literals.sort()
    return [*steps[:at], ("u", (literals, hints)), *steps[at + 1 :]]


def ends(verdict):
    """Whether all steps are valid, the end apart."""
    return verdict.get("category") == "refutation" and (OWN_END in verdict["reason"] or BINARY_END in verdict["reason"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200, help="obligations (200)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the obligations (0)")
    parser.add_argument("--keep", type=pathlib.Path, help="where pairs that differ are written")
    parser.add_argument("binary")
    options = parser.parse_args()
    draw = random.Random(options.seed)
    formulas = Formulas(draw)
    agree = valid = differ = clauses = 0
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.count):
            obligation = Obligation(draw, formulas)
            form, text = obligation.form(), obligation.text
            clauses += len(form.clauses)
            steps, variables = steps_of(draw, form)
            one_more = [*steps[:-1], ("u", ([1, variables + 1], [0]))]
            changed = [change(draw, steps) for _ in range(3)] + [name_atom(draw, form, steps) for _ in range(3)]
            for tried in [steps, one_more, *changed]:
                data = obligation.certificate(tried)
                own, other = check(text, data), run_binary(options.binary, pathlib.Path(folder), text, data)
                valid += ends(own)
                assert ends(own) or tried is not steps, own
                if own.get("category") == other.get("category") and ends(own) == ends(other):
                    agree += 1
                    continue
                differ += 1
                print(f"{own.get('category')}: {own.get('reason')} / binary: {other.get('category')}: {other.get('reason')}")
                if options.keep:
                    options.keep.mkdir(parents=True, exist_ok=True)
                    (options.keep / f"clauses_{differ:04}.core").write_bytes(text)
                    (options.keep / f"clauses_{differ:04}.cert").write_bytes(data)
    print(f"{options.count} obligations, {clauses} clauses; {agree} step lists agree ({valid} valid), {differ} differ")
    return 1 if differ or not valid else 0


if __name__ == "__main__":
    sys.exit(main())
