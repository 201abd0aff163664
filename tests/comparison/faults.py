"""Two faults in one certificate, for each pair of rules that can meet in one.

Of each good case of the arena: the arena's bad cases that are made of it and the edits of `edits.py` in some places of each
kind. Each edit alone meets a rule: a pair of places at which the two checks end. Of the edits that meet one rule
some are chosen, and for each two rules the chosen edits are made together, where they are about different places.
"""

import collections
import itertools

import pairs
from comparison import say
from edits import of_encoding, of_place, places
from cbor import Map
from pairs import Text, applied, difference, together


# Faults that are kept for one rule and certificate.
FAULTS = 6


class Fault:
    def __init__(self, name, edit, rules):
        self.name = name
        self.edit = edit
        self.rules = rules


def single_edits(pair, cases, each, texts):
    """The edits of a good case, with a name: those of the arena, then those of `each` places of each kind; in the texts of
    programs only if these are wanted."""
    for case in cases:
        bad = case.base == pair.name and pairs.read(case.name, case.program, case.certificate)
        if bad:
            yield case.name, difference(pair, bad)
    of_shape = collections.defaultdict(list)
    for place in places(pair):
        if not texts and isinstance(place.item, Text):
            continue
        of_shape[place.shape].append(place)
    for shape, found in of_shape.items():
        alike = list({repr(p.item): p.item for p in found if not isinstance(p.item, Text)}.values())
        chosen = found[:: -(-len(found) // each)]
        for at, place in enumerate(chosen):
            others = [item for item in alike if item != place.item][:3]
            for edit in of_place(place, others):
                yield shape, edit
            if at == 0:
                for edit in of_encoding(place):
                    yield shape, edit


class Faults:
    def __init__(self, comparison, each, texts=True):
        self.texts = texts
        self.comparison = comparison
        self.each = each
        self.cases = pairs.arena()
        # Pairs of rules, by the rules of the faults alone; and those whose faults were in one certificate.
        self.together = set()
        self.met = {}
        self.rules = set()
        self.mixed = {}
        self.edits = self.twice = 0
        self.seen = collections.Counter()

    def compare(self, name, pair):
        program, certificate = pair.bytes()
        return self.comparison.compare(name, program, certificate)

    def of_base(self, pair):
        """The chosen faults of a good case: some for each rule."""
        chosen = collections.defaultdict(list)
        for name, edit in single_edits(pair, self.cases, self.each, self.texts):
            made = self.is_new(name, pair, edit) and applied(pair, edit)
            if not made:
                continue
            self.edits += 1
            answer = self.compare(f"{pair.name}, {name}", made)
            if answer.own and answer.own["verdict"] != "accepted" and not answer.skipped:
                faults = chosen[answer.rules]
                if len(faults) < FAULTS and all(f.edit[0][1] != edit[0][1] for f in faults):
                    faults.append(Fault(name, edit, answer.rules))
        return chosen

    def is_new(self, shape, pair, edit):
        """Whether an edit was made at few such places before; what goes by the values of the certificate is always new."""
        change = edit[0]
        old = pair.get(change[1])
        if isinstance(old, Text) and change[0] == "splice":
            shown = repr(old[change[2] : change[3]] or old[change[2] - 1 : change[2]]), repr(change[4])
        elif len(edit) > 1 or change[0] == "splice" or isinstance(change[2], (list, Map, type(old))):
            return True
        else:
            shown = repr(change[2])
        self.seen[shape, shown] += 1
        return self.seen[shape, shown] <= self.each

    def run(self, bases):
        for pair in bases:
            if pair.name == "shared_input":
                pair = pairs.read(pair.name, pair.bytes()[0], self.comparison.fill(*pair.bytes()))
            chosen = self.of_base(pair)
            self.rules |= chosen.keys()
            say(f"{pair.name}: {len(chosen)} rules, {self.edits} edits, {self.twice} pairs so far")
            for one, other in itertools.combinations(sorted(chosen), 2):
                self.meet(pair, chosen[one], chosen[other])

    def meet(self, pair, ones, others):
        """Faults of two rules in one certificate: some of those that are nearest to each other, if these are nearer than
        any before."""
        rules = frozenset((ones[0].rules, others[0].rules))
        self.together.add(rules)
        found = [(nearness(one.edit, other.edit), one, other) for one, other in itertools.product(ones, others)]
        found.sort(key=lambda f: -f[0])
        tried = 0
        for near, one, other in found:
            if tried == self.each or near <= self.met.get(rules, -1):
                break
            edit = together(one.edit, other.edit)
            made = edit and applied(pair, edit)
            if made:
                tried += 1
                nearest = near if tried == 1 else nearest
                self.judge_two(pair, made, one, other)
        if tried:
            self.met[rules] = nearest

    def judge_two(self, pair, made, one, other):
        self.twice += 1
        answer = self.compare(f"{pair.name}, {one.name} and {other.name}", made)
        first, second = zip(one.rules, other.rules)
        if answer.rules not in (one.rules, other.rules) and answer.rules[0] in first and answer.rules[1] in second:
            self.mixed.setdefault(answer.rules, (pair.name, one.name, other.name, answer.category()))

    def report(self):
        every = len(self.rules) * (len(self.rules) - 1) // 2
        say(f"{self.edits} edits meet {len(self.rules)} rules; {self.twice} pairs of them, {len(self.met)} pairs of rules met, {len(self.together)} are of one case, of {every} in all")
        say(f"{len(self.mixed)} times the checkers ended at different ones of the two rules, in one category")
        for rules, where in self.mixed.items():
            say(f"  {rules[0]} | {rules[1]} | {', '.join(where)}")


def nearness(one, other):
    """How long a path the places of two edits share."""
    same = lambda p, q: next((k for k, (a, b) in enumerate(zip(p, q)) if a != b), min(len(p), len(q)))
    return max(same(a[1], b[1]) for a in one for b in other)
