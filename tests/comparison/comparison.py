"""Asks both checkers. The other one is the process that has started this one: it reads requests from our output."""

import collections
import functools
import json
import pathlib
import sys

import second  # before any module of the second checker
import program as core
from compare import agree, outcome, short  # noqa: F401 (also for others)

SKIPPED = ("work", "held")


def say(text):
    """What is printed by the process that has started this one."""
    print(text.replace("\n", " "), flush=True)


class Answer:
    """What both say of a pair. `rules` are the places at which the checks end."""

    def __init__(self, rules, depth, own, other):
        self.rules = self.of_bytes(own, other) or rules
        self.depth = depth
        self.own = own
        self.other = other
        beyond = other["verdict"] == "declined" and any(word in other["reason"] for word in SKIPPED)
        self.skipped = own is None or beyond
        self.differs = not self.skipped and not agree(own, other)

    @staticmethod
    def of_bytes(own, other):
        """The rules on bytes and schema are not told apart: which one comes first is free (SPEC.md 2.6)."""
        categories = other.get("category"), (own or {}).get("category")
        return categories if all(c in ("encoding", "schema") for c in categories) else None

    def category(self):
        return self.other.get("category", "accepted")


class Comparison:
    """Counts what was compared, and tells each difference once for each pair of rules."""

    def __init__(self, keep=None):
        self.keep = keep
        self.pairs = collections.Counter()
        self.skipped = 0
        self.differences = {}
        sys.set_int_max_str_digits(0)
        core.parse = functools.lru_cache(64)(core.parse)

    def ask(self, program, certificate):
        out = sys.stdout.buffer
        out.write(b"judge %d %d\n" % (len(program), len(certificate)) + program + certificate)
        out.flush()
        rule, own = second.judge(program, certificate)
        other_rule, depth, other = sys.stdin.buffer.readline().decode().split("\t")
        return Answer((other_rule, rule), int(depth), own, json.loads(other))

    def fill(self, program, certificate):
        """The certificate with refutations and hints that the producer finds; None if it has no obligations."""
        out = sys.stdout.buffer
        out.write(b"fill %d %d\n" % (len(program), len(certificate)) + program + certificate)
        out.flush()
        length = int(sys.stdin.buffer.readline())
        return sys.stdin.buffer.read(length) or None

    def compare(self, name, program, certificate, smaller=None):
        """Both verdicts. `smaller` makes smaller pairs of the same kind, to tell a difference with the smallest."""
        answer = self.ask(program, certificate)
        if answer.skipped:
            self.skipped += 1
        else:
            self.pairs[answer.rules] += 1
        if answer.differs and answer.rules not in self.differences:
            self.differences[answer.rules] = name
            if smaller is not None:
                name, program, certificate = smaller(lambda p, c: self.ask(p, c).differs)
            self.tell(name, program, certificate, answer)
        return answer

    def tell(self, name, program, certificate, answer):
        say(f"DIFFERENCE {len(self.differences)}: {name}")
        say(f"  first checker: {short(answer.other)}: {answer.other.get('reason')}  [{answer.rules[0]}]")
        say(f"  second checker: {short(answer.own)}: {answer.own.get('reason')}  [{answer.rules[1]}]")
        if self.keep:
            stem = pathlib.Path(self.keep) / f"{len(self.differences):03}"
            stem.parent.mkdir(parents=True, exist_ok=True)
            stem.with_suffix(".core").write_bytes(program)
            stem.with_suffix(".cert").write_bytes(certificate)

    def report(self):
        rules = {rule for rule, _ in self.pairs}, {rule for _, rule in self.pairs}
        say(
            f"{sum(self.pairs.values())} compared, {self.skipped} skipped, {len(self.pairs)} pairs of {len(rules[0])} and {len(rules[1])} rules,"
            f" {len(self.differences)} differences"
        )
