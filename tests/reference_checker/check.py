"""A second checker of Threadproof certificates, written from SPEC.md alone.

usage: check.py [--json] PROGRAM CERTIFICATE
Exit codes: 0 accepted, 1 rejected, 2 declined, 3 bad input, usage, or input and output, 4 accepted but vacuous.
"""

import hashlib
import json
import sys

import abstraction
import cbor
import counterexample
import program as core
import proof_space
import schema
from errors import Refused, require

EXIT = {"accepted": 0, "rejected": 1, "declined": 2, "bad-input": 3}
VACUOUS = 4
SAFE = "safe: in every execution, no thread is ever at an error location"
WHY = {
    "no-error-location": "the program has no error location",
    "no-error-path": "no path leads to an error location",
    "no-initial-state": "no initial state is shown, so there may be none",
}


def plural(number, noun):
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


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


def claim(program, statement, safe, proof, has_witness):
    """Section 7: what is printed of an accepted certificate."""
    errors = list(error_locations(program))
    many = lambda template: "any number of threads" if template.many else "exactly one thread"
    return {
        "verdict": "accepted",
        "safe": safe,
        "vacuous": vacuous(errors, has_witness) if safe else None,
        "statement": statement,
        "program": program.digest.hex(),
        "threads": [f"{template.name}: {many(template)}" for template in program.templates],
        "error_locations": [name for name, _ in errors],
        "assumptions": program.assumptions,
        "notes": [f"no path of its template's control-flow graph leads to {name}" for name, reachable in errors if not reachable],
        "proof": proof,
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
    if certificate.kind == "counterexample":
        require(not certificate.layers, "unused", "a counterexample with layers")
        threads, moves = counterexample.check(program, *certificate.proof)
        statement = f"unsafe: an execution of {plural(threads, 'thread')} leads a thread to an error location in {plural(moves, 'step')}"
        found = claim(program, statement, False, "counterexample, replayed", True)
    else:
        proof = certificate.proof
        proof_space.check(last, proof)
        sizes = f"{len(proof.predicates)} predicates, {len(proof.basis)} triples, {len(proof.configurations)} configurations"
        witness = certificate.layers[0].witness if certificate.layers else proof.witness
        found = claim(program, SAFE, True, "".join(layers) + f"proof space: {sizes}", witness is not None)
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
    return VACUOUS if verdict.get("vacuous") else EXIT.get(verdict["verdict"])


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
