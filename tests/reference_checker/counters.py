"""Counters: how steps change them, and the facts about them (SPEC.md, sections 4.3 and 4.4)."""

from collections import Counter

INITIAL = 0


def changes(program, template, edge):
    """The counters that a step by this edge changes, with their new values' expressions."""
    if edge.source == edge.target:
        return {}
    moved = {("n", template, edge.source): "-", ("n", template, edge.target): "+"}
    return {op: (op, ("i", 1), (sign,)) for op, sign in moved.items() if program.is_counter(*op[1:])}


def _by_template(program, formulas):
    """For each template that has a counter in the formulas: whether it is `many`, and the counters that get a fact."""
    occurring = {op for formula in formulas for op in formula if op[0] == "n"}
    for number, template in enumerate(program.templates):
        own = [("n", number, location) for location in range(len(template.locations))]
        if occurring.isdisjoint(own):
            continue
        yield template.many, [op for op in own if program.is_counter(*op[1:]) and (op in occurring or not template.many)]


def _compared(op, comparison, value):
    return (op, ("i", value), ("c", comparison))


def _sum(counters):
    first, *others = counters
    return (first, *(op for counter in others for op in (counter, ("+",))))


def facts(program, formulas, places):
    """The counter facts of the formulas, for different threads at these places: (template, location) each."""
    found, here = [], Counter(places)
    for many, counters in _by_template(program, formulas):
        found += [_compared(op, ">=", here[op[1:]]) for op in counters]
        if not many:
            found.append((*_sum(counters), ("i", 1), ("c", "==")))
    return found


def initial_facts(program, formulas):
    """The initial counter facts of the formulas."""
    counters = (op for _, counters in _by_template(program, formulas) for op in counters)
    return [_compared(op, "==", 1 if op[2] == INITIAL else 0) for op in counters]
