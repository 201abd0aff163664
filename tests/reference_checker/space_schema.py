"""The schema of proof spaces (SPEC.md, section 2.4)."""

from dataclasses import dataclass

from schema import array, expect, expression, fields, numbers, optional_state, refutation, tuple_of, u32, variant


@dataclass
class Triple:
    template: int
    edge: int
    acting: int
    pre: list
    post: int
    refutation: list


@dataclass
class Predicate:
    formula: tuple
    threads: list


@dataclass
class Configuration:
    threads: list
    negated: list
    steps: list


@dataclass
class Impossible:
    threads: list
    negated: list
    refutation: list


@dataclass
class ProofSpace:
    predicates: list
    basis: list
    initial: list
    error_steps: list
    configurations: list
    impossible: list
    witness: object


def instance(item):
    predicate, threads = tuple_of(item, u32, numbers)
    return predicate, tuple(threads)


def triple(item):
    pre, edge, post, acting, template, steps = fields(item, "pre", "edge", "post", "acting", "template", "refutation")
    return Triple(u32(template), u32(edge), u32(acting), array(pre, instance), u32(post), refutation(steps))


def predicate(item):
    formula, threads = fields(item, "formula", "threads")
    return Predicate(expression(formula), numbers(threads))


def initial(item):
    number, steps = fields(item, "predicate", "refutation")
    return u32(number), refutation(steps)


def hint(item):
    name, value = variant(item)
    expect(name in ("e", "s"), "an unknown hint")
    return name, instance(value)


def steps(item):
    return array(item, lambda hints: array(hints, hint))


def location(item):
    return None if item is None else u32(item)


def slots(item):
    return array(item, lambda slot: tuple_of(slot, u32, location))


def configuration(item):
    entries, negated, threads = fields(item, "steps", "negated", "threads")
    return Configuration(slots(threads), array(negated, instance), steps(entries))


def impossible(item):
    negated, threads, entries = fields(item, "negated", "threads", "refutation")
    return Impossible(slots(threads), array(negated, instance), refutation(entries))


def read(item):
    basis, first, witness, excluded, predicates, error_steps, configurations = fields(
        item, "basis", "initial", "witness", "impossible", "predicates", "error_steps", "configurations"
    )
    return ProofSpace(
        array(predicates, predicate),
        array(basis, triple),
        array(first, initial),
        steps(error_steps),
        array(configurations, configuration),
        array(excluded, impossible),
        optional_state(witness),
    )
