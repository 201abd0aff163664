"""Refutations of an obligation (SPEC.md, section 6). A fault here has the category `refutation`, or `index` for an unknown leaf."""

from clausal import difference, opposite, scaled_sum, simplify, tighten
from errors import require as require_category
from logic import BOOL, INT


def require(condition, reason):
    require_category(condition, "refutation", reason)


class Kernel:
    def __init__(self, form):
        self.form = form
        self.clauses = form.clauses
        self.first = len(form.clauses)
        self.hinted = set()
        self.named = set()
        self.listed = set()

    def check(self, steps):
        """The steps refute the obligation."""
        rules = {"a": self.atom, "f": self.arithmetic, "h": self.hit, "m": self.miss, "r": self.congruence, "u": self.propagation}
        for kind, step in steps:
            clause = rules[kind](step)
            if clause is not None:
                self.clauses.append(clause)
        require(bool(steps) and steps[-1][0] != "a" and self.clauses[-1] == (), "the last step does not add the empty clause")
        for number in range(self.first, len(self.clauses) - 1):
            require(number in self.hinted, "a step's clause is not used")
        require(self.named <= self.listed, "a named atom is not used")

    def clause_list(self, literals):
        """A clause list of `f` or `u`."""
        require(all(a < b for a, b in zip(literals, literals[1:])), "a clause list is not strictly ascending")
        for v in literals:
            require(v != 0 and abs(v) < len(self.form.variables.items), "a literal of an unknown variable")
        return tuple(literals)

    def atom(self, linear):
        number, terms = linear
        leaves = [leaf for leaf, _ in terms]
        require(bool(terms), "an atom without leaves")
        require(all(a < b for a, b in zip(leaves, leaves[1:])), "leaves are not ascending")
        require(all(leaf < len(self.form.leaf_sorts) and self.form.leaf_sorts[leaf] == INT for leaf in leaves), "a leaf is unknown or no Int")
        require(all(c != 0 for _, c in terms) and terms[0][1] > 0, "the first coefficient is not positive, or one is 0")
        form = (number, tuple(terms))
        require(tighten(form) == form, "the form is not tightened")
        require(("atom", form) not in self.form.variables.numbers, "the atom is a variable already")
        self.named.add(self.form.variable(("atom", form)))

    def arithmetic(self, step):
        literals, sums = step
        clause = self.clause_list(literals)
        constraints = []
        for v in clause:
            variable = self.form.variable_of(v)
            require(variable[0] == "atom", "a literal is no atom")
            constraints.append(opposite(variable[1]) if v > 0 else variable[1])
        used = set()
        for pairs in sums:
            indexes = [index for index, _ in pairs]
            require(all(a < b for a, b in zip(indexes, indexes[1:])), "the constraints of a sum are not strictly ascending")
            require(all(index < len(constraints) for index in indexes), "an unknown constraint")
            require(all(multiplier > 0 for _, multiplier in pairs), "a multiplier is not positive")
            used.update(indexes)
            constraints.append(tighten(scaled_sum([(m, constraints[index]) for index, m in pairs])))
        require(bool(sums), "no sum")
        last = constraints.pop()
        require(not last[1] and last[0] > 0, "the last sum is no contradiction")
        require(used >= set(range(len(constraints))), "a constraint or sum is not used")
        self.listed.update(abs(v) for v in clause)
        return clause

    # Arrays

    def read_leaf(self, leaf):
        """The array and index that a leaf reads."""
        require_category(leaf < len(self.form.leaf_sorts), "index", "an unknown leaf")
        item = self.form.leaves.items[leaf]
        require(item[0] == "read", "a leaf that is no read")
        return item[1], item[2]

    def half(self, leaf, value, case):
        """The half of the equality of a leaf and a value, as literals."""
        a = self.form.value_of_leaf(leaf)
        if self.form.leaf_sorts[leaf] == BOOL:
            return [[-a, value], [a, -value]][case]
        halves = [self.form.atom(difference(a, value)), self.form.atom(difference(value, a))]
        return [halves[case]]

    def written(self, leaf):
        """For a read of "b with v at j" at i: (b, j, v, i)."""
        array, index = self.read_leaf(leaf)
        item = self.form.arrays.items[array]
        require(item[0] == "write", "the array read is not written")
        return item[1], item[2], item[3], index

    def simplified(self, literals):
        clause = simplify(literals)
        require(clause is not None, "the clause always holds")
        return clause

    def hit(self, step):
        case, leaf = step
        require(case <= 1, "an unknown case")
        _, j, value, i = self.written(leaf)
        order = [self.form.less(j, i), self.form.less(i, j)]
        return self.simplified(order + self.half(leaf, value, case))

    def miss(self, step):
        case, leaf = step
        require(case <= 3, "an unknown case")
        array, j, _, i = self.written(leaf)
        order = -self.form.less(j, i) if case < 2 else -self.form.less(i, j)
        value = self.form.read(array, i)
        return self.simplified([order] + self.half(leaf, value, case % 2))

    def congruence(self, step):
        case, left, right = step
        array, i = self.read_leaf(left)
        other, j = self.read_leaf(right)
        require(case <= 1, "an unknown case")
        require(left < right, "the leaves are not ascending")
        require(array == other, "reads of two arrays")
        order = [self.form.less(i, j), self.form.less(j, i)]
        return self.simplified(order + self.half(left, self.form.value_of_leaf(right), case))

    # Propagation

    def propagation(self, step):
        literals, hints = step
        clause = self.clause_list(literals)
        require(len({abs(v) for v in clause}) == len(clause), "a variable occurs twice")
        true = {-v for v in clause}
        conflict = False
        for hint in hints:
            require(not conflict, "a hint after the conflict")
            require(hint < len(self.clauses), "an unknown clause")
            open_literals = []
            for v in self.clauses[hint]:
                require(v not in true, "a hinted clause has a true literal")
                if -v not in true:
                    open_literals.append(v)
            require(len(open_literals) <= 1, "a hinted clause has two unassigned literals")
            true.update(open_literals)
            conflict = not open_literals
            self.hinted.add(hint)
        require(conflict, "no conflict")
        self.listed.update(abs(v) for v in clause)
        return clause


def check(form, steps):
    Kernel(form).check(steps)
