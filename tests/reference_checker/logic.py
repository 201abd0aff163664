"""Expressions in postfix order and their sorts (SPEC.md, section 3).

An operator is a tuple: ("i", n), ("b", v), ("g", k), ("l", position, k), ("u", k), ("n", template, location),
("+",), ("-",), ("*", n), ("/", n), ("%", n), ("[]",), ("[:=]",), ("c", comparison), ("!",), ("&&",), ("||",). An expression is a tuple of operators.
"""

import limits
from errors import require

INT, BOOL, INT_ARRAY, BOOL_ARRAY = "int", "bool", "int[]", "bool[]"
ELEMENT = {INT_ARRAY: INT, BOOL_ARRAY: BOOL}
TRUE = (("b", True),)
FALSE = (("b", False),)
VARIABLES = ("g", "l", "u", "n")


class Scope:
    """The variables that an expression may name: section 3.2."""

    def __init__(self, program, positions=(), inputs=()):
        self.program = program
        self.globals = sorts(program.globals)
        self.locals = [sorts(program.templates[t].locals) if t is not None else [] for t in positions]
        self.inputs = list(inputs)

    def sort(self, op):
        """The sort of a variable or counter, or None if it is not in scope."""
        if op[0] == "n":
            return INT if self.program.is_counter(*op[1:]) else None
        if op[0] == "g":
            return _at(self.globals, op[1])
        if op[0] == "u":
            return _at(self.inputs, op[1])
        return _at(self.locals[op[1]], op[2]) if op[1] < len(self.locals) else None


def sorts(variables):
    """The sorts of variables that are listed with their names."""
    return [sort for _, sort in variables]


def _at(items, index):
    return items[index] if index < len(items) else None


def _pop(stack, *sorts):
    """Take operands of these sorts off the stack (the last on top)."""
    require(len(stack) >= len(sorts), "sort", "an operator lacks an operand")
    for sort in reversed(sorts):
        require(stack.pop() == sort, "sort", "an operand has another sort")


def _pop_comparison(stack, comparison):
    require(len(stack) >= 2, "sort", "an operator lacks an operand")
    right, left = stack.pop(), stack.pop()
    allowed = (INT, BOOL) if comparison in ("==", "!=") else (INT,)
    require(left == right and left in allowed, "sort", "an operand has another sort")


def _pop_array(stack, operands):
    """The sort of the array under the other operands of a read or a write; only the array is looked at."""
    require(len(stack) >= operands, "sort", "an operator lacks an operand")
    array = stack[-operands]
    require(array in ELEMENT, "sort", "an operand has another sort")
    return array


def check_sort(expression, scope, wanted):
    """Section 3.2: the expression is well sorted in the scope, and of the sort wanted."""
    require(len(expression) <= limits.OPERATORS, "limit", "a formula has too many operators")
    stack = []
    for op in expression:
        kind = op[0]
        if kind in VARIABLES:
            sort = scope.sort(op)
            require(sort is not None, "index", "a variable is not in scope")
            stack.append(sort)
        elif kind in ("i", "b"):
            stack.append(INT if kind == "i" else BOOL)
        elif kind in ("+", "-"):
            _pop(stack, INT, INT)
            stack.append(INT)
        elif kind in ("*", "/", "%"):
            require(kind == "*" or op[1] > 1, "sort", "a divisor below 2")
            _pop(stack, INT)
            stack.append(INT)
        elif kind == "[]":
            array = _pop_array(stack, 2)
            _pop(stack, array, INT)
            stack.append(ELEMENT[array])
        elif kind == "[:=]":
            array = _pop_array(stack, 3)
            _pop(stack, array, INT, ELEMENT[array])
            stack.append(array)
        elif kind == "c":
            _pop_comparison(stack, op[1])
            stack.append(BOOL)
        else:
            _pop(stack, *([BOOL] if kind == "!" else [BOOL, BOOL]))
            stack.append(BOOL)
    require(len(stack) == 1, "sort", "not exactly one value is left")
    require(stack[0] == wanted, "sort", "the expression has another sort")


def rename(expression, positions):
    """The expression with position k replaced by positions[k]."""
    return tuple(("l", positions[op[1]], op[2]) if op[0] == "l" else op for op in expression)


def substitute(expression, updates):
    """Section 4.3: the expression with each updated variable, and each changed counter, replaced by its new value."""
    out = []
    for op in expression:
        out.extend(updates.get(op, (op,)))
        require(len(out) <= limits.OPERATORS, "limit", "a formula has too many operators after substitution")
    return tuple(out)


def negation(formula):
    return formula + (("!",),)
