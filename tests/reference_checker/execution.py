"""States and executions (SPEC.md, sections 4.2, 8.7 and 9)."""

from collections import Counter

import limits
from errors import require
from logic import BOOL, BOOL_ARRAY, INT, INT_ARRAY, sorts

SORT = {"i": INT, "b": BOOL, "ia": INT_ARRAY, "ba": BOOL_ARRAY}
COMPARE = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def read_value(value, sort):
    """A value of the sort; an array as (default, entries)."""
    kind, content = value
    require(SORT[kind] == sort, "sort", "a value has another sort")
    if kind in ("i", "b"):
        return content
    default, entries = content
    indexes = [index for index, _ in entries]
    require(all(a < b for a, b in zip(indexes, indexes[1:])), "order", "an array's entries are not ascending")
    require(all(element != default for _, element in entries), "order", "an array's entry is its default")
    return default, dict(entries)


def read_values(values, sorts):
    require(len(values) == len(sorts), "replay", "another number of values than of variables")
    return [read_value(value, sort) for value, sort in zip(values, sorts)]


def bounded(result):
    require(result.bit_length() <= limits.BITS, "limit", "an integer has too many bits")
    return result


def write(array, index, value):
    default, entries = array
    entries = {k: v for k, v in entries.items() if k != index}
    if value != default:
        entries[index] = value
    return default, entries


def evaluate(expression, globals_, locals_=(), inputs=(), counters=None):
    """The value of an expression; every local is of position 0. The counters are a count of (template, location)."""
    stack = []
    for op in expression:
        kind = op[0]
        if kind in ("i", "b"):
            stack.append(op[1])
        elif kind == "g":
            stack.append(globals_[op[1]])
        elif kind == "l":
            stack.append(locals_[op[2]])
        elif kind == "u":
            stack.append(inputs[op[1]])
        elif kind == "n":
            stack.append(counters[op[1:]])
        elif kind == "*":
            stack.append(bounded(op[1] * stack.pop()))
        elif kind == "/":
            stack.append(stack.pop() // op[1])
        elif kind == "%":
            stack.append(stack.pop() % op[1])
        elif kind == "!":
            stack.append(not stack.pop())
        elif kind == "[:=]":
            value, index, array = stack.pop(), stack.pop(), stack.pop()
            stack.append(write(array, index, value))
        else:
            b, a = stack.pop(), stack.pop()
            stack.append(binary(op, a, b))
    return stack.pop()


def binary(op, a, b):
    kind = op[0]
    if kind == "+":
        return bounded(a + b)
    if kind == "-":
        return bounded(a - b)
    if kind == "[]":
        return a[1].get(b, a[0])
    if kind == "c":
        return COMPARE[op[1]](a, b)
    return (a and b) if kind == "&&" else (a or b)


class Execution:
    """A state with the threads' locations."""

    def __init__(self, program, state):
        self.program = program
        self.globals = read_values(state.globals, sorts(program.globals))
        self.templates, self.locals = [], []
        for number, values in state.threads:
            self._list_thread(number, values)
        self.locations = [0] * len(self.templates)
        single = (number for number, template in enumerate(program.templates) if not template.many)
        self.unlisted = [(number, 0) for number in single if number not in self.templates]
        self.moved = [False] * len(self.templates)
        for template in program.templates:
            if not template.many:
                require(evaluate(template.init, self.globals), "replay", "a template's init does not hold")
        require(evaluate(program.init, self.globals), "replay", "the program's init does not hold")

    def _list_thread(self, number, values):
        require(number < len(self.program.templates), "index", "an unknown template")
        template = self.program.templates[number]
        if self.templates:
            last = self.templates[-1]
            require(last < number or (last == number and template.many), "order", "threads are not ascending by template")
        locals_ = read_values(values, sorts(template.locals))
        if template.many:
            require(evaluate(template.init, self.globals, locals_), "replay", "a thread's init does not hold")
        self.templates.append(number)
        self.locals.append(locals_)

    def counters(self):
        """How many threads are where, those of templates `one` that are not listed included."""
        return Counter([*zip(self.templates, self.locations), *self.unlisted])

    def move(self, thread, number, inputs):
        """One move; whether it ends at an error location."""
        require(thread < len(self.templates), "index", "an unknown thread")
        template = self.program.templates[self.templates[thread]]
        require(number < len(template.edges), "index", "an unknown edge")
        edge = template.edges[number]
        require(self.locations[thread] == edge.source, "replay", "the thread is not at the edge's source")
        inputs = read_values(inputs, sorts(edge.inputs))
        locals_ = self.locals[thread]
        state = self.globals, locals_, inputs, self.counters()
        require(evaluate(edge.guard, *state), "replay", "a guard does not hold")
        new = {variable: evaluate(e, *state) for variable, e in edge.updates.items()}
        for variable, value in new.items():
            if variable[0] == "g":
                self.globals[variable[1]] = value
            else:
                locals_[variable[2]] = value
        self.locations[thread] = edge.target
        self.moved[thread] = True
        return template.errors[edge.target]


def check_witness(program, state):
    """Section 8.7."""
    execution = Execution(program, state)
    wanted = [number for number, template in enumerate(program.templates) if template.many]
    require(execution.templates == wanted, "replay", "not exactly one thread of each template many")
