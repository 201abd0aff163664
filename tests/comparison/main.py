"""Compares the two checkers. Started by tests/comparison.rs, which is the other one.

usage: main.py guided --mutants N [--seed S] [--keep DIRECTORY]
       main.py faults [--each N] [--part K/N] [--keep DIRECTORY]
       main.py unusual [--full] [--keep DIRECTORY]
"""

import argparse
import sys

sys.setrecursionlimit(100_000)

import second  # before any module of the second checker
from comparison import Comparison, say


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["guided", "faults", "unusual"])
    parser.add_argument("--mutants", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--each", type=int, default=2)
    parser.add_argument("--part", default="0/1")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--keep")
    options = parser.parse_args()
    comparison = Comparison(options.keep)
    if options.kind == "guided":
        import guided

        run = guided.Guided(comparison, guided.seeds(), options.seed)
        say(f"{len(run.kept)} kept of the seeds")
        run.run(options.mutants)
        say(f"{len(run.kept)} kept, {len(run.features)} features, {len([f for f in run.features if f[0] == 'block'])} blocks")
    elif options.kind == "faults":
        import faults

        part, parts = map(int, options.part.split("/"))
        run = faults.Faults(comparison, options.each)
        run.run(part, parts)
        run.report()
    else:
        import unusual

        unusual.run(comparison, options.full)
    comparison.report()


if __name__ == "__main__":
    main()
