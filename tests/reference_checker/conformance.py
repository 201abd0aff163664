"""Conformance of a thread to an abstract thread (SPEC.md, sections 12.2 and 12.3)."""

from dataclasses import replace

import limits
import program as core
import refutation
from clausal import clausal_form
from errors import require
from logic import BOOL, BOOL_ARRAY, FALSE, INT_ARRAY, TRUE, Scope, check_sort, negation, rename, sorts, substitute

CANDIDATE, COPY, NEXT = 1, 2, 3
AND, OR, EQUAL = (("&&",),), (("||",),), (("c", "=="),)


class PositionScope(Scope):
    """The program's globals and counters, and at each position the variables of these sorts (None: there is none)."""

    def __init__(self, program, positions, inputs=()):
        super().__init__(program, (), inputs)
        self.locals = positions


def bounded(formula):
    require(len(formula) <= limits.OPERATORS, "limit", "a formula has too many operators")
    return formula


def new_value(edge, variable):
    """The expression of a variable's value after the edge is taken."""
    return edge.updates.get(variable, (variable,))


def variable(position, number):
    return (("l", position, number),)


class Conformance:
    """The obligations of one abstracted part."""

    def __init__(self, program, concrete, abstract, part):
        self.program = program
        self.shared = [("g", k) for k in range(program.shared)]
        self.concrete = concrete
        self.abstract = abstract
        self.part = part
        self.nodes = [k for k, error in enumerate(abstract.errors) if not error]
        self.locations = [k for k, error in enumerate(concrete.errors) if not error]
        candidates = [None if error else BOOL for error in abstract.errors]
        self.positions = [sorts(concrete.locals), candidates, sorts(abstract.locals), candidates]

    def check(self):
        self.check_copies()
        self.check_edges()
        self.check_invariants()
        self.invariants = dict(zip(self.locations, self.part.invariants))
        self.split_edges()
        steps = iter(self.part.refutations)
        for formulas, inputs in self.obligations():
            proof = next(steps, None)
            require(proof is not None, "abstraction", "an obligation without a refutation")
            scope = PositionScope(self.program, self.positions, inputs)
            refutation.check(clausal_form(map(bounded, formulas), scope), proof)
        require(next(steps, None) is None, "unused", "a refutation without an obligation")

    # Section 12.2

    def check_copies(self):
        require(len(self.part.copies) == len(self.abstract.locals), "abstraction", "another number of copies than of locals")
        for copied, (_, sort) in zip(self.part.copies, self.abstract.locals):
            require(copied < len(self.shared), "index", "a copy of an unknown shared global")
            require(self.program.globals[copied][1] == sort, "abstraction", "a copy of a global of another sort")

    def check_edges(self):
        for edge in self.abstract.edges:
            if self.abstract.errors[edge.source]:
                continue
            if self.abstract.errors[edge.target]:
                require(not edge.inputs, "abstraction", "an error edge has an input")
                continue
            for number in range(len(edge.inputs)):
                require(self.global_of_input(edge, number) is not None, "abstraction", "an input is not a shared global's next value")
            for local, copied in enumerate(self.part.copies):
                same = edge.updates.get(("l", 0, local)) == new_value(edge, self.shared[copied])
                require(same, "abstraction", "an edge does not update a local like the global that it copies")

    def global_of_input(self, edge, number):
        """The first shared global that the edge updates with this input alone."""
        return next((g for g in self.shared if edge.updates.get(g) == (("u", number),)), None)

    def check_invariants(self):
        invariants = self.part.invariants
        require(len(invariants) == len(self.locations), "abstraction", "another number of invariants than of locations")
        scope = PositionScope(core.Program(), self.positions[:NEXT])
        for invariant in invariants:
            check_sort(invariant, scope, BOOL)

    # Section 12.3

    def split_edges(self):
        """The abstract thread's error edges and edges between nodes, with its locals at position 2."""
        self.no_error, self.between = [], []
        for edge in self.abstract.edges:
            if self.abstract.errors[edge.source]:
                continue
            guard = rename(edge.guard, [COPY])
            if self.abstract.errors[edge.target]:
                self.no_error.append(negation(variable(CANDIDATE, edge.source) + guard + AND))
            else:
                updates = {g: rename(new_value(edge, g), [COPY]) for g in self.shared}
                self.between.append(replace(edge, guard=guard, updates=updates))

    def obligations(self):
        """Each obligation in order: its formulas, and the sorts of the inputs in them."""
        yield self.start(), ()
        for location in self.locations:
            nobody = [negation(variable(CANDIDATE, node)) for node in self.nodes]
            yield [self.invariants[location], *nobody], ()
        for edge in self.concrete.edges:
            if self.concrete.errors[edge.source]:
                continue
            if self.concrete.errors[edge.target]:
                yield [self.invariants[edge.source], edge.guard, *self.no_error], sorts(edge.inputs)
            else:
                yield self.consecution(edge), sorts(edge.inputs)

    def start(self):
        holds = self.invariants[0] + rename(self.abstract.init, [COPY]) + AND
        values = {("l", CANDIDATE, node): TRUE if node == 0 else FALSE for node in self.nodes}
        values |= self.copied(lambda g: (g,))
        return [self.program.init, self.concrete.init, negation(substitute(holds, values))]

    def copied(self, value):
        """The values of the abstract thread's locals, from those of the globals that they copy."""
        return {("l", COPY, local): value(self.shared[copied]) for local, copied in enumerate(self.part.copies)}

    def consecution(self, edge):
        target = self.invariants[edge.target]
        mentioned = sorted({op[2] for op in target if op[:2] == ("l", CANDIDATE)})
        defined = [self.candidates(edge, node) + variable(NEXT, node) + EQUAL for node in mentioned]
        after = {("l", CANDIDATE, node): variable(NEXT, node) for node in mentioned}
        after |= self.copied(lambda g: new_value(edge, g))
        after |= {v: value for v, value in edge.updates.items() if v[0] == "l"}
        return [self.invariants[edge.source], *self.no_error, edge.guard, *defined, negation(substitute(target, after))]

    def candidates(self, edge, node):
        """Whether a node is a candidate after the edge."""
        found = FALSE
        for step in self.between:
            related = self.relation(step, edge) if step.target == node else None
            if related is not None:
                found += related + OR
        return found

    def relation(self, step, edge):
        """Whether the abstract step can do what the edge does; None if there is no relation."""
        inputs = {("u", k): new_value(edge, self.global_of_input(step, k)) for k in range(len(step.inputs))}
        values = {g: (substitute(step.updates[g], inputs), new_value(edge, g)) for g in self.shared}
        other = {g: (a, b) for g, (a, b) in values.items() if a != b}
        if any(self.program.globals[g[1]][1] in (INT_ARRAY, BOOL_ARRAY) for g in other):
            return None
        found = variable(CANDIDATE, step.source) + substitute(step.guard, inputs) + AND
        for a, b in other.values():
            found += a + b + EQUAL + AND
        return found
