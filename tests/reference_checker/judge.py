"""Verdicts on many pairs: each line of the input is a program and a certificate, in hexadecimal digits.

For each line one is printed: `accepted`, or the category of SPEC.md, section 10.
"""

import functools
import sys

import check
import program as core


def main():
    # Many lines are about one program.
    core.parse = functools.lru_cache(64)(core.parse)
    for line in sys.stdin:
        program, certificate = (bytes.fromhex(word) for word in line.split(" "))
        verdict = check.check(program, certificate)
        print(verdict.get("category", verdict["verdict"]))


if __name__ == "__main__":
    main()
