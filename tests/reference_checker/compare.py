"""Differential test: check.py against another checker's binary, on mutants of certificates and programs.

usage: compare.py [--mutants N] [--seed S] [--keep DIRECTORY] BINARY CORE...

Beside each CORE (name.core) stands its certificate (name.cert). Each pair itself and N mutants of it are given to both
checkers; verdict and category have to agree, where SPEC.md promises the order of checks, and of an accepted certificate
the whole claim. Pairs on which the checkers differ are written to DIRECTORY. Exit code 1 if there is one.
"""

import argparse
import collections
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import check
import mutate


def run_binary(binary, folder, program, certificate):
    """The other checker's verdict, as check.check gives it."""
    paths = [folder / "mutant.core", folder / "mutant.cert"]
    for path, data in zip(paths, (program, certificate)):
        path.write_bytes(data)
    try:
        run = subprocess.run([binary, "--json", *paths], capture_output=True, timeout=120)
    except subprocess.TimeoutExpired as error:
        return {"verdict": "crash", "category": "timeout", "reason": str(error)}
    try:
        verdict = json.loads(run.stdout)
    except ValueError:
        verdict = {"verdict": "crash", "category": "none", "reason": run.stderr.decode(errors="replace")[-300:]}
    if check.exit_code(verdict) != run.returncode:
        verdict = {"verdict": "crash", "category": f"exit code {run.returncode}", "reason": run.stderr.decode(errors="replace")[-300:]}
    return verdict


def run_own(program, certificate):
    try:
        return check.check(program, certificate)
    except Exception as error:  # a crash of this checker is a finding like any other
        return {"verdict": "crash", "category": "none", "reason": repr(error)}


def outcome(verdict):
    """What has to agree. The wording of the statement and of notes is not specified, but for the numbers of threads and
    of steps."""
    if verdict["verdict"] == "accepted":
        sizes = re.findall(r"(\d+) (?:thread|step)", verdict["statement"])
        return verdict | {"notes": len(verdict["notes"]), "statement": sizes}
    return {"verdict": verdict["verdict"], "category": verdict["category"]}


# The groups of SPEC.md (1.4: 2.6, 4.1.16 and 11.2, which says the same of limits): either category may be given.
EITHER = [{"encoding", "schema"}, {"encoding", "limit"}, {"schema", "limit"}, {"syntax", "limit"}]


def agree(one, other):
    """Whether two verdicts may be given of one pair."""
    if "accepted" in (one["verdict"], other["verdict"]) or "crash" in (one["verdict"], other["verdict"]):
        return outcome(one) == outcome(other)
    return outcome(one) == outcome(other) or {one["category"], other["category"]} in EITHER


def short(verdict):
    return verdict["verdict"] if verdict["verdict"] == "accepted" else f"{verdict['verdict']} ({verdict['category']})"


class Comparison:
    def __init__(self, binary, keep):
        self.binary = binary
        self.keep = keep
        self.counts = collections.Counter()
        self.differences = 0

    def compare(self, folder, name, kind, program, certificate):
        own = run_own(program, certificate)
        other = run_binary(self.binary, folder, program, certificate)
        if agree(own, other):
            self.counts[short(own)] += 1
            return
        self.differences += 1
        print(f"{name}, {kind}: {short(own)}: {own.get('reason')} / binary: {short(other)}: {other.get('reason')}", flush=True)
        if self.keep:
            self.keep.mkdir(parents=True, exist_ok=True)
            stem = self.keep / f"{self.differences:04}"
            stem.with_suffix(".core").write_bytes(program)
            stem.with_suffix(".cert").write_bytes(certificate)

    def report(self):
        for verdict, count in sorted(self.counts.items()):
            print(f"{count:8} {verdict}")
        print(f"{sum(self.counts.values())} agree, {self.differences} differ")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutants", type=int, default=100, help="mutants of each pair (100)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the mutants (0)")
    parser.add_argument("--keep", type=pathlib.Path, help="where pairs that differ are written")
    parser.add_argument("binary")
    parser.add_argument("cores", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    comparison = Comparison(options.binary, options.keep)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for path in options.cores:
            program, certificate = path.read_bytes(), path.with_suffix(".cert").read_bytes()
            comparison.compare(folder, path.stem, "unchanged", program, certificate)
            draw = random.Random(f"{options.seed} {path.stem}")
            for _ in range(options.mutants):
                comparison.compare(folder, path.stem, *mutate.mutant(draw, program, certificate))
    comparison.report()
    return 1 if comparison.differences else 0


if __name__ == "__main__":
    sys.exit(main())
