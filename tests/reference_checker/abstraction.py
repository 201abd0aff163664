"""Layers (SPEC.md, section 12.1): each gives a program that abstracts the one before, thread by thread."""

from dataclasses import replace

import execution
import program as core
from conformance import Conformance
from errors import require
from logic import substitute


def thread(program, number):
    """The thread of a template: without its name, with its locals at position 0, as one of many."""
    template = program.templates[number]
    own = {("g", k): (("l", 0, local),) for local, k in enumerate(template.own)}

    def edge_of_thread(edge):
        updates = {own.get(variable, (variable,))[0]: substitute(value, own) for variable, value in edge.updates.items()}
        return replace(edge, guard=substitute(edge.guard, own), updates=updates)

    return replace(
        template,
        name="",
        many=True,
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


def check_numbers(concrete, abstract, to):
    """Whether there are threads enough in the abstract program, and none too many of a template `one`."""
    for template, number in zip(concrete.templates, to):
        require(number < len(abstract.templates), "index", "a layer names an unknown template")
        enough = abstract.templates[number].many or not template.many
        require(enough, "abstraction", "any number of threads go to a single template")
    for number, template in enumerate(abstract.templates):
        require(number in to, "abstraction", "no template goes to one of the abstract program")
        require(template.many or to.count(number) == 1, "abstraction", "two templates go to a single one")


def check_alike(concrete, abstract, layer):
    """What the two programs must have in common."""
    shared = [program.globals[: program.shared] for program in (concrete, abstract)]
    require(shared[0] == shared[1], "abstraction", "the shared globals differ")
    require(concrete.init == abstract.init, "abstraction", "the programs' inits differ")
    counts = {len(concrete.templates), len(layer.to), len(layer.parts)}
    require(len(counts) == 1, "abstraction", "another number of templates than of parts")
    check_numbers(concrete, abstract, layer.to)
    counted = counted_templates(concrete) | counted_templates(abstract)
    stay = []
    for number, (to, part) in enumerate(zip(layer.to, layer.parts)):
        alike = concrete.templates[number].many == abstract.templates[to].many
        stay.append(part is None and number == to and alike)
        require(stay[-1] or not {number, to} & counted, "abstraction", "a template that is counted does not stay")
    require(not all(stay), "unused", "a layer changes nothing")


def check_layer(concrete, layer):
    """The layer's abstract program, which the concrete one conforms to."""
    abstract = core.parse(layer.statement.encode())
    require(layer.program == abstract.digest, "digest", "a layer's digest is another program's")
    require(layer.statement == abstract.statement, "digest", "a layer's statement is not what its digest is over")
    check_alike(concrete, abstract, layer)
    for number, (to, part) in enumerate(zip(layer.to, layer.parts)):
        threads = thread(concrete, number), thread(abstract, to)
        if part is None:
            require(are_same(*threads), "abstraction", "a template that is kept differs")
        else:
            Conformance(concrete, *threads, part).check()
    if layer.witness is not None:
        execution.check_witness(concrete, layer.witness)
    return abstract


def said_of(concrete, abstract, layer):
    """What the layer shows, for the claim."""
    conform = [template.name for template, part in zip(concrete.templates, layer.parts) if part is not None]
    single = {to for template, to in zip(concrete.templates, layer.to) if not template.many}
    joined = [template.name for number, template in enumerate(abstract.templates) if template.many and number in single]
    said = [f"abstract threads of {', '.join(conform)}"] if conform else []
    said += [f"any number of threads {', '.join(joined)} for single ones"] if joined else []
    return f"{', '.join(said)} (program sha256:{abstract.digest.hex()}), then "


def check(program, layers):
    """The last layer's abstract program, or without layers the program; and what is said of each layer."""
    said = []
    for layer in layers:
        abstract = check_layer(program, layer)
        said.append(said_of(program, abstract, layer))
        program = abstract
    return program, said
