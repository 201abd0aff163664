"""Layers (SPEC.md, section 12.1): each gives a program that abstracts the one before, thread by thread."""

from dataclasses import replace

import counterexample
import program as core
from conformance import Conformance
from errors import require
from logic import substitute


def thread(program, number):
    """The thread of a template: the template without its name, with its locals at position 0."""
    template = program.templates[number]
    own = {("g", k): (("l", 0, local),) for local, k in enumerate(template.own)}

    def edge_of_thread(edge):
        updates = {own.get(variable, (variable,))[0]: substitute(value, own) for variable, value in edge.updates.items()}
        return replace(edge, guard=substitute(edge.guard, own), updates=updates)

    return replace(
        template,
        name="",
        own=range(0),
        locals=template.locals + [program.globals[k] for k in template.own],
        init=substitute(template.init, own),
        edges=[edge_of_thread(edge) for edge in template.edges],
    )


def are_same(one, other):
    """Whether two threads are the same, the order of their updates included."""
    in_order = [[list(edge.updates) for edge in thread.edges] for thread in (one, other)]
    return one == other and in_order[0] == in_order[1]


def counted_templates(program):
    """The templates whose counters occur in a guard or an update."""
    edges = (edge for template in program.templates for edge in template.edges)
    expressions = (e for edge in edges for e in (edge.guard, *edge.updates.values()))
    return {op[1] for expression in expressions for op in expression if op[0] == "n"}


def check_alike(concrete, abstract, parts):
    """What the two programs must have in common."""
    shared = [program.globals[: program.shared] for program in (concrete, abstract)]
    require(shared[0] == shared[1], "abstraction", "the shared globals differ")
    require(concrete.init == abstract.init, "abstraction", "the programs' inits differ")
    counts = {len(concrete.templates), len(abstract.templates), len(parts)}
    require(len(counts) == 1, "abstraction", "another number of templates than of parts")
    many = [[template.many for template in program.templates] for program in (concrete, abstract)]
    require(many[0] == many[1], "abstraction", "the multiplicities of templates differ")
    counted = counted_templates(concrete) | counted_templates(abstract)
    require(all(parts[number] is None for number in counted), "abstraction", "a template that is counted is not kept")
    require(any(part is not None for part in parts), "unused", "a layer keeps every template")


def check_layer(concrete, layer):
    """The layer's abstract program, which the concrete one conforms to."""
    abstract = core.parse(layer.statement.encode())
    require(layer.program == abstract.digest, "digest", "a layer's digest is another program's")
    require(layer.statement == abstract.statement, "digest", "a layer's statement is not what its digest is over")
    check_alike(concrete, abstract, layer.parts)
    for number, part in enumerate(layer.parts):
        threads = thread(concrete, number), thread(abstract, number)
        if part is None:
            require(are_same(*threads), "abstraction", "a template that is kept differs")
        else:
            Conformance(concrete, *threads, part).check()
    if layer.witness is not None:
        counterexample.check_witness(concrete, layer.witness)
    return abstract


def check(program, layers):
    """The last layer's abstract program, or without layers the program; and what is said of each layer."""
    said, names = [], [template.name for template in program.templates]
    for layer in layers:
        program = check_layer(program, layer)
        abstracted = [name for name, part in zip(names, layer.parts) if part is not None]
        said.append(f"abstract threads of {', '.join(abstracted)} (program sha256:{program.digest.hex()}), then ")
    return program, said
