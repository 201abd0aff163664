"""A second checker of Threadproof certificates, written from SPEC.md alone.

usage: check.py [--json] PROGRAM CERTIFICATE
Exit codes: 0 accepted: safe, 1 rejected, 2 declined, 3 bad input, usage, or input and output, 4 accepted but vacuous,
5 accepted, but safe within a number of rounds only, 6 accepted: an error is reachable.
"""

import hashlib
import json
import sys
from dataclasses import replace

import abstraction
import cbor
import kinds
import program as core
import schema
from errors import Refused, require

EXIT = {"rejected": 1, "declined": 2, "bad-input": 3}
VACUOUS = 4
ACCEPTED = {kinds.SAFE: 0, kinds.SAFE_WITHIN: 5, kinds.ERROR_REACHABLE: 6}
WHY = {
    "no-error-location": "the program has no error location",
    "no-error-path": "no path leads to an error location",
    "no-initial-state": "no initial state is shown, so there may be none",
}


def is_reachable(template, location):
    """Whether a path of the control-flow graph leads to the location."""
    reached, todo = {0}, [0]
    while todo:
        source = todo.pop()
        for edge in template.edges:
            if edge.source == source and edge.target not in reached:
                reached.add(edge.target)
                todo.append(edge.target)
    return location in reached


def error_locations(program):
    """The name of each, and whether a path leads to it."""
    for template in program.templates:
        for number, name in enumerate(template.locations):
            if template.errors[number]:
                yield f"{template.name}.{name}", is_reachable(template, number)


def vacuous(errors, has_witness):
    """Section 7.5: why a claim of safety is vacuous, or None."""
    if not errors:
        return "no-error-location"
    if not any(reachable for _, reachable in errors):
        return "no-error-path"
    return None if has_witness else "no-initial-state"


def statement(conclusion, rounds, execution):
    """Section 7.3."""
    if conclusion == kinds.ERROR_REACHABLE:
        return f"unsafe: {execution}"
    executions, words = "every execution", "safe"
    if conclusion == kinds.SAFE_WITHIN:
        executions, words = f"every execution of at most {rounds} rounds", f"safe within {rounds} rounds"
    return f"{words}: in {executions}, no thread is ever at an error location"


def claim(program, conclusion, told, rounds=None):
    """Section 7: what is printed of an accepted certificate. The rounds are those of `safe-within`."""
    errors = list(error_locations(program))
    many = lambda template: "any number of threads" if template.many else "exactly one thread"
    is_safety = conclusion != kinds.ERROR_REACHABLE
    return {
        "verdict": "accepted",
        "conclusion": conclusion,
        **({"rounds": rounds} if conclusion == kinds.SAFE_WITHIN else {}),
        "safe": conclusion == kinds.SAFE,
        "vacuous": vacuous(errors, told.witness is not None) if is_safety else None,
        "statement": statement(conclusion, rounds, told.execution),
        "program": program.digest.hex(),
        "threads": [f"{template.name}: {many(template)}" for template in program.templates],
        "error_locations": [name for name, _ in errors],
        "assumptions": program.assumptions,
        "notes": [f"no path of its template's control-flow graph leads to {name}" for name, reachable in errors if not reachable],
        "proof": told.proof,
    }


def read_program(program_bytes):
    """The program; without one there is nothing to judge (section 10.1)."""
    try:
        return core.parse(program_bytes)
    except Refused as error:
        if error.category == "syntax":
            error.verdict = "bad-input"
        raise


def establish(program_bytes, certificate_bytes):
    """The claim that the certificate establishes; Refused if it does not."""
    program = read_program(program_bytes)
    certificate = schema.certificate(cbor.decode(certificate_bytes))
    require(certificate.program == program.digest, "digest", "the certificate is about another program")
    require(certificate.statement == program.statement, "digest", "the statement is another program's")
    last, layers = abstraction.check(program, certificate.layers)
    kind = kinds.module(certificate.kind)
    conclusion = kind.conclusion(certificate.proof)
    require(not certificate.layers or conclusion == kinds.SAFE, "unused", "a layer around what is no proof of safety")
    told = kind.check(last, certificate.proof)
    if certificate.layers:
        told = replace(told, proof="".join(layers) + told.proof, witness=certificate.layers[0].witness)
    found = claim(program, conclusion, told)
    found["certificate"] = hashlib.sha256(certificate_bytes).hexdigest()
    return found


def check(program_bytes, certificate_bytes):
    """The verdict as a dict: `verdict`, and `category` and `reason` unless it is accepted."""
    sys.set_int_max_str_digits(0)
    try:
        return establish(program_bytes, certificate_bytes)
    except Refused as error:
        return {"verdict": error.verdict, "category": error.category, "reason": error.reason}


def exit_code(verdict):
    """Section 10.3."""
    if verdict["verdict"] != "accepted":
        return EXIT.get(verdict["verdict"])
    return VACUOUS if verdict.get("vacuous") else ACCEPTED.get(verdict.get("conclusion"))


def printable(text):
    """Section 7.9."""
    return "".join(c if " " <= c <= "~" and c != "\\" else f"\\u{{{ord(c):x}}}" for c in text)


def show(verdict):
    """The verdict as text."""
    if verdict["verdict"] != "accepted":
        word = verdict["verdict"].replace("-", " ")
        return f"{word} ({verdict['category']}): {printable(verdict['reason'])}"
    why = WHY.get(verdict["vacuous"])
    lines = [f"accepted, but vacuous: {why}", f"  claim: {verdict['statement']}"] if why else [f"accepted: {verdict['statement']}"]
    lines.append(f"  program sha256:{verdict['program']}")
    for key, word in (("threads", "threads"), ("error_locations", "error location"), ("assumptions", "assumption"), ("notes", "note")):
        lines += [f"  {word}: {item}" for item in verdict[key]]
    lines += [f"  proof: {verdict['proof']}", f"  certificate sha256:{verdict['certificate']}"]
    return "\n".join(lines)


def main(arguments):
    as_json = arguments[:1] == ["--json"]
    paths = arguments[as_json:]
    if len(paths) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 3
    try:
        contents = []
        for path in paths:
            with open(path, "rb") as file:
                contents.append(file.read())
    except OSError as error:
        print(printable(str(error)), file=sys.stderr)
        return 3
    verdict = check(*contents)
    print(json.dumps(verdict) if as_json else show(verdict))
    if verdict["verdict"] == "bad-input" and not as_json:
        print("PROGRAM is a text in the core form: `threadproof lower FILE` writes it", file=sys.stderr)
    return exit_code(verdict)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
