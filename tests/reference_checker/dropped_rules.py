"""Which rules of this checker the arena (corpus/certificates) would not miss: each `require` is left out, one after the
other, and the arena's cases are judged without it.

usage: dropped_rules.py
Prints for each rule how many cases are judged wrongly without it, and how many of these are accepted. Exit code 1 if
there is a rule that no case needs, that is no limit and that is not listed here.
"""

import ast
import importlib
import json
import os
import pathlib
import sys
import types

import kinds

HERE = pathlib.Path(__file__).parent
ARENA = HERE.parent.parent / "corpus" / "certificates"


# Rules that another rule stands behind.
NEEDLESS = {
    "the item ends too early": "bytes after the item, or before its end",
    "an indefinite length or a reserved head": "its length has no bytes or is not the shortest",
    "a tag": "it is no simple value",
    "more elements are declared than are left": "the item ends too early",
    "more bytes are declared than are left": "the item ends too early",
    "a leaf is unknown or no Int": "its atom cannot be resolved, as nothing else is about the leaf",
    "a variable occurs twice": "the clause always holds, so it is no unit and no conflict, and nothing uses it",
}


def content(place):
    if isinstance(place, str):
        return (ARENA / place).read_bytes()
    pieces = ((bytes.fromhex(piece), range(times)) for piece, times in place)
    return b"".join(piece.replace(b"\0#", b"%d" % number) for piece, times in pieces for number in times)


def cases():
    """The cases that take no time: program, certificate, and what has to be said of them."""
    found = []
    for line in json.loads((ARENA / "manifest.json").read_text()):
        if all(isinstance(line[key], str) for key in ("program", "certificate")):
            found.append((content(line["program"]), content(line["certificate"]), line["verdict"], line.get("category")))
    return found


def is_rule(node):
    """Whether a statement is a call of `require` or `expect`."""
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in ("require", "expect")


class Drop(ast.NodeTransformer):
    def __init__(self, line):
        self.line = line

    def visit_Expr(self, node):
        return ast.copy_location(ast.Pass(), node) if is_rule(node) and node.lineno == self.line else node


def rules():
    for name in kinds.RULES:
        source = (HERE / f"{name}.py").read_text()
        for node in ast.walk(ast.parse(source)):
            if is_rule(node) and not isinstance(node.value.args[0], ast.Name):
                texts = [argument.value for argument in node.value.args if isinstance(argument, ast.Constant)]
                yield name, node.lineno, source.splitlines()[node.lineno - 1].strip(), texts


def judge_without(name, line, judged):
    """How many cases are judged wrongly, and how many wrongly accepted; in a process of its own."""
    tree = Drop(line).visit(ast.parse((HERE / f"{name}.py").read_text()))
    module = types.ModuleType(name)
    sys.modules[name] = module
    exec(compile(ast.fix_missing_locations(tree), f"{name}.py", "exec"), module.__dict__)
    run_own = importlib.import_module("compare").run_own
    agree = importlib.import_module("compare").agree
    wrong = accepted = 0
    for program, certificate, verdict, category in judged:
        said = run_own(program, certificate)
        if said["verdict"] != verdict or verdict != "accepted" and not agree(said, {"verdict": verdict, "category": category}):
            wrong += 1
            accepted += said["verdict"] == "accepted"
    return wrong, accepted


def in_a_process(function, *arguments):
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, json.dumps(function(*arguments)).encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading) as pipe:
        return json.loads(pipe.read())


def main():
    judged = cases()
    missed = 0
    for name, line, text, words in rules():
        wrong, accepted = in_a_process(judge_without, name, line, judged)
        missed += wrong == 0 and "limit" not in words and not any(word in NEEDLESS for word in words)
        print(f"{wrong:4} {accepted:4}  {name}.py:{line}: {text}", flush=True)
    print(f"{missed} rules that no case needs")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
