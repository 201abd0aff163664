"""Compares the two checkers. Started by tests/tests/comparison.rs, which is the other one.

usage: main.py guided [--mutants N] [--seed S] [--keep DIRECTORY]
       main.py faults [--each N] [--bases NAME,...] [--certificates] [--keep DIRECTORY]
       main.py unusual [--every N] [--full] [--keep DIRECTORY]
       main.py altered [--each N] [--bases NAME,...] [--certificates] [--rules WORDS,...]
"""

import argparse
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["guided", "faults", "unusual", "altered"])
    parser.add_argument("--mutants", type=int, default=10_000, help="how many mutants are made (10000)")
    parser.add_argument("--seed", type=int, default=0, help="of the mutants (0)")
    parser.add_argument("--each", type=int, default=2, help="places of one kind, and faults of one rule, in a certificate (2)")
    parser.add_argument("--bases", default="", help="only these certificates")
    parser.add_argument("--certificates", action="store_true", help="no edits of the texts of programs")
    parser.add_argument("--rules", default="", help="only the rules whose lines have one of these words")
    parser.add_argument("--every", type=int, default=1, help="only every so many of the unusual pairs (1)")
    parser.add_argument("--full", action="store_true", help="also what takes minutes")
    parser.add_argument("--keep", help="where pairs that differ are written")
    options = parser.parse_args()
    bases, rules = ([word for word in text.split(",") if word] for text in (options.bases, options.rules))
    if options.kind == "altered":
        import altered

        return altered.run(bases, options.each, not options.certificates, rules, lambda text: print(text, flush=True))
    compare(options, bases)


def compare(options, bases):
    import second  # before any module of the second checker
    import faults
    import guided
    import unusual
    from bases import all_pairs
    from comparison import Comparison, say

    comparison = Comparison(options.keep)
    if options.kind == "guided":
        run = guided.Guided(comparison, guided.seeds(), options.seed)
        run.run(options.mutants)
        run.report(options.mutants)
    elif options.kind == "faults":
        run = faults.Faults(comparison, options.each, not options.certificates)
        run.run([pair for pair in all_pairs() if not bases or pair.name in bases])
        run.report()
    else:
        unusual.run(comparison, options.every, options.full)
    comparison.report()


if __name__ == "__main__":
    sys.exit(main())
