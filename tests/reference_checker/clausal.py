"""The clausal form of an obligation (SPEC.md, section 5).

A linear form is (constant, ((leaf, coefficient), ...)). A value is a linear form (Int), a literal (Bool) or an
array's number.
"""

from collections import deque
from math import gcd

from errors import require
from logic import BOOL, BOOL_ARRAY, INT, VARIABLES
import limits


def constant(number):
    return (number, ())


def bounded(number):
    """Section 11.3."""
    require(number.bit_length() <= limits.BITS, "limit", "a computed integer has too many bits")
    return number


def scaled_sum(parts):
    """The sum of multiplier times form, added up from left to right."""
    number, coefficients = 0, {}
    for multiplier, form in parts:
        number = bounded(number + multiplier * form[0])
        for leaf, coefficient in form[1]:
            coefficients[leaf] = bounded(coefficients.get(leaf, 0) + multiplier * coefficient)
    return (number, tuple(sorted((k, c) for k, c in coefficients.items() if c)))


def difference(a, b, more=0):
    """a - b + more."""
    number, terms = scaled_sum([(1, a), (-1, b)])
    return (number + more, terms)


def opposite(form):
    """1 - form."""
    return scaled_sum([(1, constant(1)), (-1, form)])


def tighten(form):
    """Section 5.1, rule 1."""
    number, terms = form
    if not terms:
        return form
    divisor = gcd(*(c for _, c in terms))
    return (-(-number // divisor), tuple((leaf, c // divisor) for leaf, c in terms))


def simplify(literals):
    """Section 5.3, rule 3: the clause, or None if it is dropped."""
    clause = set(literals)
    clause.discard(-1)
    if 1 in clause or any(-v in clause for v in clause):
        return None
    return tuple(sorted(clause))


class Numbered:
    """A list without duplicates."""

    def __init__(self):
        self.items = []
        self.numbers = {}

    def number(self, item):
        known = self.numbers.get(item)
        if known is None:
            known = self.numbers[item] = len(self.items)
            self.items.append(item)
        return known


class ClausalForm:
    """Leaves ("variable", op), ("read", array, form) and ("quotient", form, n); arrays ("variable", op) and
    ("write", array, form, value); variables ("true",), ("atom", form), ("truth", leaf), ("and", x, y)."""

    def __init__(self, scope):
        self.scope = scope
        self.leaves, self.leaf_sorts = Numbered(), []
        self.arrays, self.element_sorts = Numbered(), []
        self.variables = Numbered()
        self.variables.items.append(None)
        self.variable(("true",))
        self.clauses = [(1,)]
        self.asserted = set()
        self.defined = set()
        self.defined_both_ways = set()

    # Numbers

    def variable(self, item):
        number = self.variables.number(item)
        require(number <= limits.VARIABLES, "limit", "too many variables")
        return number

    def leaf(self, item, sort):
        number = self.leaves.number(item)
        if number == len(self.leaf_sorts):
            self.leaf_sorts.append(sort)
        return number

    def array(self, item, element):
        number = self.arrays.number(item)
        if number == len(self.element_sorts):
            self.element_sorts.append(element)
        return number

    def variable_of(self, literal):
        return self.variables.items[abs(literal)]

    def conjunction_of(self, literal):
        """(x, y) if the literal's variable is "x and y", else None."""
        variable = self.variable_of(literal)
        return variable[1:] if variable[0] == "and" else None

    # Literals and values

    def atom(self, form):
        """The literal of form <= 0: section 5.1."""
        form = tighten(form)
        if not form[1]:
            return 1 if form[0] <= 0 else -1
        if form[1][0][1] > 0:
            return self.variable(("atom", form))
        return -self.variable(("atom", opposite(form)))

    def less(self, a, b):
        return self.atom(difference(a, b, 1))

    def both(self, a, b):
        if a == -1 or b == -1 or a == -b:
            return -1
        x, y = min(a, b), max(a, b)
        if x == 1 or x == y:
            return y
        if y == 1:
            return x
        return self.variable(("and", x, y))

    def either(self, a, b):
        return -self.both(-a, -b)

    def value_of_leaf(self, leaf):
        if self.leaf_sorts[leaf] == BOOL:
            return self.variable(("truth", leaf))
        return (0, ((leaf, 1),))

    def value_of_variable(self, op):
        sort = self.scope.sort(op)
        if sort in (INT, BOOL):
            return self.value_of_leaf(self.leaf(("variable", op), sort))
        return self.array(("variable", op), BOOL if sort == BOOL_ARRAY else INT)

    def read(self, array, index):
        first = None
        while True:
            item = self.arrays.items[array]
            if item[0] == "write":
                distance = difference(item[2], index)
                if not distance[1]:
                    if distance[0] == 0:
                        return item[3] if first is None else first
                    array = item[1]
                    continue
            value = self.value_of_leaf(self.leaf(("read", array, index), self.element_sorts[array]))
            first = value if first is None else first
            if item[0] == "variable":
                return first
            array = item[1]

    def quotient(self, form, n):
        number, terms = form
        whole = (number // n, tuple((leaf, c // n) for leaf, c in terms if c // n))
        rest = scaled_sum([(1, form), (-n, whole)])
        if not rest[1]:
            return whole
        known = len(self.leaf_sorts)
        leaf = self.leaf(("quotient", rest, n), INT)
        if leaf == known:
            multiple = (0, ((leaf, n),))
            lower = self.atom(difference(multiple, rest))
            upper = self.atom(difference(rest, (n, multiple[1]), 1))
            self.clauses += [(lower,), (upper,)]
        return scaled_sum([(1, whole), (1, self.value_of_leaf(leaf))])

    def write(self, array, index, value):
        if isinstance(value, int):
            self.define_both_ways(value)
        return self.array(("write", array, index, value), self.element_sorts[array])

    def define_both_ways(self, literal):
        todo = [literal]
        while todo:
            v = abs(todo.pop())
            parts = self.conjunction_of(v)
            if parts is None or v in self.defined_both_ways:
                continue
            self.defined_both_ways.add(v)
            self.defined.add(v)
            x, y = parts
            for clause in ((-v, x), (-v, y), (v, -x, -y)):
                clause = simplify(clause)
                if clause is not None:
                    self.clauses.append(clause)
            todo += [x, y]

    def compare(self, comparison, a, b):
        if comparison in ("==", "!="):
            if isinstance(a, tuple):
                first = self.atom(difference(a, b))
                equal = self.both(first, self.atom(difference(b, a)))
            else:
                first = self.either(-a, b)
                equal = self.both(first, self.either(a, -b))
            return equal if comparison == "==" else -equal
        if comparison in (">", ">="):
            a, b = b, a
        return self.atom(difference(a, b, 1 if comparison in ("<", ">") else 0))

    def literal(self, formula):
        """The literal of a formula: section 5.2."""
        stack = []
        for op in formula:
            kind = op[0]
            if kind == "i":
                stack.append(constant(op[1]))
            elif kind == "b":
                stack.append(1 if op[1] else -1)
            elif kind in VARIABLES:
                stack.append(self.value_of_variable(op))
            elif kind == "*":
                stack.append(scaled_sum([(op[1], stack.pop())]))
            elif kind == "/":
                stack.append(self.quotient(stack.pop(), op[1]))
            elif kind == "%":
                form = stack.pop()
                stack.append(scaled_sum([(1, form), (-op[1], self.quotient(form, op[1]))]))
            elif kind == "!":
                stack.append(-stack.pop())
            elif kind == "[:=]":
                value, index, array = stack.pop(), stack.pop(), stack.pop()
                stack.append(self.write(array, index, value))
            else:
                b, a = stack.pop(), stack.pop()
                stack.append(self.binary(op, a, b))
        return stack.pop()

    def binary(self, op, a, b):
        kind = op[0]
        if kind == "+":
            return scaled_sum([(1, a), (1, b)])
        if kind == "-":
            return difference(a, b)
        if kind == "[]":
            return self.read(a, b)
        if kind == "c":
            return self.compare(op[1], a, b)
        return self.both(a, b) if kind == "&&" else self.either(a, b)

    # Clauses

    def parts(self, literal):
        found, seen, todo = [], set(), [literal]
        while todo:
            v = todo.pop()
            if v in seen:
                continue
            seen.add(v)
            inner = self.conjunction_of(v) if v < 0 else None
            if inner is None:
                found.append(v)
            else:
                todo += [-inner[0], -inner[1]]
        return found

    def add_formula(self, formula):
        """Section 5.3."""
        queue = deque([(None, self.literal(formula))])
        while queue:
            condition, literal = queue.popleft()
            if condition is None:
                if literal in self.asserted:
                    continue
                self.asserted.add(literal)
                inner = self.conjunction_of(literal)
                if literal > 0 and inner is not None:
                    queue.extend((None, part) for part in inner)
                    continue
            clause = self.parts(literal) + ([] if condition is None else [condition])
            clause = simplify(clause)
            if clause is None:
                continue
            for v in clause:
                inner = self.conjunction_of(v)
                if v > 0 and inner is not None and v not in self.defined:
                    self.defined.add(v)
                    queue.extend((-v, part) for part in inner)
            self.clauses.append(clause)


def clausal_form(formulas, scope):
    form = ClausalForm(scope)
    for formula in formulas:
        form.add_formula(formula)
    return form
