"""Checks many certificates in one process: lines "PROGRAM<tab>CERTIFICATE" from standard input, a verdict as JSON for each."""

import json
import sys

from compare import run_own


def main():
    for line in sys.stdin:
        contents = []
        for path in line.rstrip("\n").split("\t"):
            with open(path, "rb") as file:
                contents.append(file.read())
        print(json.dumps(run_own(*contents), ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
