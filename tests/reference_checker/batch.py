"""Checks many certificates in one process: each line of the input is a program and a certificate, in hexadecimal
digits; for each line a verdict is printed as JSON. A crash of this checker is a verdict too, which no certificate has.
"""

import functools
import json
import sys

import program as core
from compare import run_own


def main():
    # Many lines are about one program.
    core.parse = functools.lru_cache(64)(core.parse)
    for line in sys.stdin:
        print(json.dumps(run_own(*(bytes.fromhex(word) for word in line.split(" "))), ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
