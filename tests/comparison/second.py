"""The second checker, with what a comparison needs: where a check ends, which of its blocks were run, and faults on purpose.

Its modules are loaded from here, so this module is imported before any of them.
"""

import ast
import importlib
import importlib.abc
import importlib.machinery
import pathlib
import signal
import sys
import traceback

FOLDER = pathlib.Path(__file__).parent.parent / "reference_checker"
# The modules with rules: they are listed below, since the list itself is loaded from here.
MODULES = []
RULES = ("require", "expect", "require_category")
SECONDS = 20

# The blocks that were run since this was emptied.
blocks = set()
# Changes of the modules' syntax trees: name of the module to a function.
faults = {}


class Blocks(ast.NodeTransformer):
    """Each block of statements in a function notes that it is run."""

    def __init__(self, name):
        self.name = name

    def noted(self, body):
        line = body[0].lineno
        call = ast.parse(f"__blocks__.add(({self.name!r}, {line}))").body
        for node in ast.walk(call[0]):
            if hasattr(node, "lineno"):
                ast.copy_location(node, body[0])
        return call + body

    def generic_visit(self, node):
        super().generic_visit(node)
        if isinstance(node, (ast.FunctionDef, ast.If, ast.For, ast.While)):
            for part in ("body", "orelse"):
                if getattr(node, part, None):
                    setattr(node, part, self.noted(getattr(node, part)))
        return node


class Loader(importlib.machinery.SourceFileLoader):
    def get_code(self, name):
        tree = ast.parse(self.get_data(self.path))
        if name in faults:
            tree = faults[name](tree)
        if name in MODULES:
            tree = Blocks(name).visit(tree)
        return compile(ast.fix_missing_locations(tree), self.path, "exec")

    def exec_module(self, module):
        module.__dict__["__blocks__"] = blocks
        super().exec_module(module)


class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        place = FOLDER / f"{name}.py"
        if not place.exists():
            return None
        return importlib.machinery.ModuleSpec(name, Loader(name, str(place)), origin=str(place))


sys.meta_path.insert(0, Finder())
MODULES += importlib.import_module("kinds").RULES


def place(error):
    """The rule that was not met: the lines of the innermost two functions that are no `require`."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.name not in RULES and "<" not in f.name]
    named = [f"{pathlib.Path(f.filename).stem}.{f.name}:{f.lineno}" for f in frames[-2:]]
    return " ".join(reversed(named))


class Late(Exception):
    pass


def late(*_):
    raise Late


def judge(program, certificate):
    """Where the check ends, and the verdict; the verdict is None if it takes too long."""
    import check
    from errors import Refused

    signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        verdict = check.establish(program, certificate)
        return f"accepted with {len(verdict['notes'])} notes", verdict
    except Refused as error:
        return place(error), {"verdict": error.verdict, "category": error.category, "reason": error.reason}
    except Late:
        return "late", None
    except Exception as error:  # a crash of this checker is a finding like any other
        return "crash " + place(error), {"verdict": "crash", "category": "none", "reason": repr(error)}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
