#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Checks that no source file is longer than 700 lines, and names those to think about.
import statistics

from tree import Check

LONGEST = 700
THINK_AT = 400


def main():
    check = Check("No source file is too long.")
    lengths = {path: len(check.tree.lines(path)) for path in check.tree.sources()}
    for path, length in sorted(lengths.items(), key=lambda item: -item[1]):
        if length > LONGEST:
            check.fault(path, LONGEST + 1, f"{length} lines, and {LONGEST} is the longest allowed",
                        "split the file by what its parts are about")
        elif length > THINK_AT:
            print(f"note: {path} has {length} lines; think about splitting it")
    median = statistics.median(lengths.values()) if lengths else 0
    check.finish(f"length: {len(lengths)} files, median {median:g} lines, "
                 f"longest {max(lengths.values(), default=0)}")


if __name__ == "__main__":
    main()
