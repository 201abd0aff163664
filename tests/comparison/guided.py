"""Comparison that is guided by what both checkers do: a mutant that ends at a new pair of rules, or that runs a new block
of the second checker or takes the first one to another depth, is kept and mutated further.
"""

import collections
import random

import pairs
import second
from bases import all_pairs
from comparison import say
from edits import in_all_texts, is_space, of_encoding, of_parts, of_place, of_token, places, WORDS
from pairs import Text, applied

# Edits of one pair at most, so that mutants stay near what they were made of.
EDITS = 12
# An edit: the producer makes the refutations and hints anew, so that a certificate about a changed program can be right.
FILL = ("fill",)


class Kept:
    def __init__(self, base, edits, pair, rules):
        self.base = base
        self.edits = edits
        self.pair = pair
        self.rules = rules


class Guided:
    def __init__(self, comparison, seeds, seed):
        self.comparison = comparison
        self.random = random.Random(seed)
        self.kept = []
        self.of_base = collections.defaultdict(list)
        self.chosen = collections.Counter()
        self.features = set()
        self.bank = collections.defaultdict(list)
        for pair in seeds:
            self.judge(pair, [], pair)
            made = self.filled(pair)
            if made:
                self.judge(pair, [FILL], made)
            for place in places(pair):
                if not isinstance(place.item, Text) and len(self.bank[place.shape]) < 200:
                    self.bank[place.shape].append(place.item)

    def judge(self, base, edits, pair):
        program, certificate = pair.bytes()
        second.blocks.clear()
        answer = self.comparison.compare(
            base.name, program, certificate, lambda differs: self.smallest(base, edits, differs)
        )
        if answer.skipped:
            return
        own = {("rules", *answer.rules)} | {("block", *block) for block in second.blocks}
        own.add(("depth", answer.rules[0], answer.depth))
        if not own <= self.features:
            self.features |= own
            kept = Kept(base, edits, pair, answer.rules)
            self.kept.append(kept)
            self.of_base[base.name].append(kept)

    def run(self, mutants):
        for number in range(mutants):
            if number % 5000 == 0:
                self.report(number)
            kept = self.choose()
            self.chosen[kept.rules] += 1
            edits, pair = list(kept.edits), kept.pair
            if self.random.random() < 0.2:
                edits, pair = self.crossed(kept)
            for _ in range(self.random.choice([1, 1, 1, 2, 3])):
                edit = self.edit(pair)
                made = edit and applied(pair, edit)
                if made:
                    edits, pair = edits + [edit], made
            if self.random.random() < 0.15:
                made = self.filled(pair)
                if made:
                    edits, pair = edits + [FILL], made
            if len(edits) <= EDITS:
                self.judge(kept.base, edits, pair)

    def report(self, mutants):
        blocks = sum(feature[0] == "block" for feature in self.features)
        say(f"{mutants} mutants, {len(self.kept)} kept, {len(self.comparison.pairs)} pairs of rules, {len(self.features)} features, {blocks} blocks of the second checker")

    def choose(self):
        """Of a few, the one whose rules were chosen most seldom."""
        return min(self.random.choices(self.kept, k=4), key=lambda kept: self.chosen[kept.rules])

    def crossed(self, kept):
        """The edits of two mutants of one base, as far as they go together."""
        other = self.random.choice(self.of_base[kept.base.name])
        edits, pair = list(kept.edits), kept.pair
        for edit in other.edits:
            made = self.made(pair, edit)
            if made:
                edits, pair = edits + [edit], made
        return edits, pair

    def filled(self, pair):
        """The pair with the producer's refutations and hints; None if there is nothing to refute."""
        program, certificate = pair.bytes()
        certificate = self.comparison.fill(program, certificate)
        made = certificate and pairs.read(pair.name, program, certificate)
        return made or None

    def made(self, pair, edit):
        return self.filled(pair) if edit == FILL else applied(pair, edit)

    def built(self, base, edits):
        pair = base
        for edit in edits:
            pair = self.made(pair, edit)
            if pair is None:
                return None
        return pair

    def smallest(self, base, edits, differs):
        """The mutant without the edits that the difference does not need: name, program, certificate."""
        edits = list(edits)
        for k in reversed(range(len(edits))):
            fewer = edits[:k] + edits[k + 1 :]
            made = self.built(base, fewer)
            if made and differs(*made.bytes()):
                edits = fewer
        made = self.built(base, edits)
        return f"{base.name}, {len(edits)} edits {[shown(e) for e in edits]}", *made.bytes()

    def edit(self, pair):
        draw = self.random
        kind = draw.random()
        if kind < 0.03:
            return in_all_texts(pair, draw)
        everywhere = places(pair)
        if kind < 0.15:
            place = draw.choice([p for p in everywhere if isinstance(p.item, Text)] or everywhere)
        else:
            shape = draw.choice(sorted({p.shape for p in everywhere}))
            place = draw.choice([p for p in everywhere if p.shape == shape])
        if isinstance(place.item, Text):
            return self.edit_of_text(place)
        if draw.random() < 0.01:
            return draw.choice(of_encoding(place))
        alike = [p.item for p in everywhere if p.shape == place.shape][:50] + self.bank[place.shape]
        if alike and draw.random() < 0.4:
            return (("set", place.path, draw.choice(alike)),)
        alike = draw.sample(alike, min(len(alike), 2))
        return draw.choice(of_place(place, alike))

    def edit_of_text(self, place):
        draw = self.random
        if draw.random() < 0.4:
            found = of_parts(place.path, place.item)
            if found:
                return draw.choice(found)
        at = [k for k, token in enumerate(place.item) if not is_space(token)]
        if not at:
            return None
        k = draw.choice(at)
        same = [t for t in place.item if t.isidentifier() == place.item[k].isidentifier() and not is_space(t)]
        word = draw.choice(same if draw.random() < 0.7 else WORDS)
        return draw.choice(of_token(place.path, place.item, k, [word]))


def shown(edit):
    return "fill" if edit == FILL else "; ".join(f"{c[0]} {'/'.join(map(str, c[1]))} {str(c[2:])[:80]}" for c in edit)


def seeds():
    """The bases, and the arena's bad cases that can be looked into."""
    bad = (pairs.read(case.name, case.program, case.certificate) for case in pairs.arena() if case.folder != "good")
    return all_pairs() + [pair for pair in bad if pair]
