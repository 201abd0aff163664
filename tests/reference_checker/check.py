"""A second checker of Threadproof certificates, written from SPEC.md alone.

usage: check.py [--json] PROGRAM CERTIFICATE
Exit codes: 0 accepted, 1 rejected, 2 declined, 3 usage or input and output.
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

EXIT = {"accepted": 0, "rejected": 1, "declined": 2}
VERSION = 4
SAFE = "safe: in every execution, no thread is ever at an error location"


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
    for template in program.templates:
        for number, name in enumerate(template.locations):
            if template.errors[number]:
                yield f"{template.name}.{name}", is_reachable(template, number)


def claim(program, statement, safe, proof, has_witness):
    """Section 7: what is printed of an accepted certificate."""
    errors = list(error_locations(program))
    notes = [f"no path of its template's control-flow graph leads to {name}" for name, reachable in errors if not reachable]
    if not errors:
        notes.append("there is no error location at all")
    if safe and not has_witness:
        notes.append("no witness: that initial states exist is not shown")
    many = lambda template: "any number of threads" if template.many else "exactly one thread"
    return {
        "verdict": "accepted",
        "safe": safe,
        "statement": statement,
        "program": program.digest.hex(),
        "threads": [f"{template.name}: {many(template)}" for template in program.templates],
        "error_locations": [name for name, _ in errors],
        "assumptions": program.assumptions,
        "notes": notes,
        "proof": proof,
    }


def establish(program_bytes, certificate_bytes):
    """The claim that the certificate establishes; Refused if it does not."""
    program = core.parse(program_bytes)
    certificate = schema.certificate(cbor.decode(certificate_bytes))
    require(certificate.version == VERSION, "version", f"version {certificate.version} is unknown")
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


def show(verdict):
    """The verdict as text."""
    if verdict["verdict"] != "accepted":
        return f"{verdict['verdict']} ({verdict['category']}): {verdict['reason']}"
    lines = [f"accepted: {verdict['statement']}", f"  program sha256:{verdict['program']}"]
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
        print(error, file=sys.stderr)
        return 3
    verdict = check(*contents)
    print(json.dumps(verdict, ensure_ascii=False) if as_json else show(verdict))
    return EXIT[verdict["verdict"]]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
