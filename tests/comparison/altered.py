"""Whether a comparison would notice a checker that is wrong: the second checker with one rule left out, or with a rule after
what follows it, is given pairs on which both checkers agree, and has to answer otherwise.
"""

import ast
import os
import pickle
import sys

import second


def is_rule(node):
    """Whether a statement is a call of `require` or `expect`."""
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in ("require", "expect")


def category(node):
    """The category of a rule, as far as it stands there."""
    words = [a.value for a in node.value.args if isinstance(a, ast.Constant)]
    return words[0] if len(words) > 1 else node.value.func.id


class Alteration:
    """A change of the statements of a module: `kind` is `drop` or `swap` (with the next one), of the rule in a line."""

    def __init__(self, module, kind, line, text, alike):
        self.module, self.kind, self.line, self.text, self.alike = module, kind, line, text, alike

    def __call__(self, tree):
        for body in bodies(tree):
            at = next((k for k, node in enumerate(body) if is_rule(node) and node.lineno == self.line), None)
            if at is not None and self.kind == "drop":
                body[at] = ast.copy_location(ast.Pass(), body[at])
            elif at is not None:
                body[at], body[at + 1] = body[at + 1], body[at]
        return tree


def bodies(tree):
    for node in ast.walk(tree):
        for part in ("body", "orelse"):
            if isinstance(getattr(node, part, None), list):
                yield getattr(node, part)


def alterations():
    """Each rule left out, and exchanged with the statement that follows it; `alike` are rules of one category."""
    for module in second.MODULES:
        source = (second.FOLDER / f"{module}.py").read_text()
        for body in bodies(ast.parse(source)):
            for node, following in zip(body, [*body[1:], None]):
                if is_rule(node) and not isinstance(node.value.args[0], ast.Name):
                    text = source.splitlines()[node.lineno - 1].strip()
                    yield Alteration(module, "drop", node.lineno, text, False)
                    if isinstance(following, (ast.Expr, ast.Assign)):
                        alike = is_rule(following) and category(node) == category(following)
                        yield Alteration(module, "swap", node.lineno, text, alike)


def in_a_process(function, *arguments):
    """What a function returns in a process of its own, with modules of its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        with os.fdopen(writing, "wb") as pipe:
            pickle.dump(function(*arguments), pipe)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        made = pickle.load(pipe)
    os.waitpid(child, 0)
    return made


def recorded(bases, each, texts):
    """Pairs that meet different rules, alone and two by two, with what both checkers say of them."""
    from bases import all_pairs
    from comparison import Comparison
    from faults import Faults

    class Recorder(Comparison):
        def compare(self, name, program, certificate, smaller=None):
            answer = super().compare(name, program, certificate, smaller)
            if not answer.skipped and not answer.differs:
                found.append((program, certificate, answer.own))
            return answer

    found = []
    comparison = Recorder()
    for pair in all_pairs():
        if not bases or pair.name in bases:
            comparison.compare(pair.name, *pair.bytes())
    Faults(comparison, each, texts).run([p for p in all_pairs() if not bases or p.name in bases])
    return found


def notices(alteration, pairs):
    """Whether an altered checker says something else of one of the pairs."""
    if alteration is not None:
        second.faults[alteration.module] = alteration
    from comparison import agree

    sys.set_int_max_str_digits(0)
    for program, certificate, said in pairs:
        own = second.judge(program, certificate)[1]
        if own is None or not agree(own, said):
            return True
    return False


def run(bases, each, texts, wanted, say):
    """Prints what is not noticed."""
    pairs = in_a_process(recorded, bases, each, texts)
    say(f"{len(pairs)} pairs recorded")
    assert not in_a_process(notices, None, pairs), "the checker itself is not altered"
    noticed = {"drop": 0, "swap": 0}
    count = {"drop": 0, "swap": 0}
    alike = 0
    for alteration in alterations():
        if wanted and not any(word in alteration.text for word in wanted):
            continue
        if alteration.alike:
            alike += 1
            continue
        count[alteration.kind] += 1
        if in_a_process(notices, alteration, pairs):
            noticed[alteration.kind] += 1
        else:
            say(f"not noticed: {alteration.kind} {alteration.module}.py:{alteration.line}: {alteration.text}")
    say(f"{noticed['drop']} of {count['drop']} dropped rules and {noticed['swap']} of {count['swap']} exchanged ones noticed; {alike} exchanges within one category")
    missed = sum(count.values()) - sum(noticed.values())
    say(f"{sum(count.values())} altered checkers, {missed} unnoticed")
