"""The kinds of proofs (SPEC.md, sections 2.4 and 7.3), and the conclusions that they have.

The first module of a kind has `read` (the proof that a CBOR item is), `conclusion` (of a proof) and `check` (what is
told of a proof about a program; Refused if it is none). Layers (section 12) are no kind of proof: they stand around one.
"""

from dataclasses import dataclass
from importlib import import_module

# The modules of each kind, by its name in the schema. They are imported when they are needed: they import this one.
MODULES = {
    "proof-space": ["proof_space", "space_schema", "configurations"],
    "counterexample": ["counterexample"],
}
# All modules with rules: those that the kinds share come first.
RULES = ["cbor", "schema", "logic", "program", "counters", "clausal", "refutation", "check", "execution", "abstraction", "conformance"]
RULES += [name for names in MODULES.values() for name in names]

SAFE = "safe"
SAFE_WITHIN = "safe-within"
ERROR_REACHABLE = "error-reachable"


@dataclass
class Told:
    """What is printed of a proof; the witness of an initial state, and what happens in an execution, if it has one."""

    proof: str
    witness: object
    execution: object


def module(kind):
    return import_module(MODULES[kind][0])
