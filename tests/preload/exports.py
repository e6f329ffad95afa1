#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Checks that the preload library exports what symbols.def says and nothing else, has no versions of
# its own (a definition without one satisfies every version), and needs nothing but libc.
#
# Usage: exports.py LIBRARY SYMBOLS_DEF
import re
import subprocess
import sys


def output_of(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def main(library, table):
    with open(table, encoding="utf-8") as lines:
        listed = [match[1] for line in lines if (match := re.match(r"WEFT_SYMBOL\((\w+),", line))]
    exported = {line.split()[-1] for line in output_of("nm", "-D", "--defined-only", library).splitlines()}
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "-d", library)))
    faults = [f"symbols.def lists {name} twice" for name in listed if listed.count(name) > 1]
    faults += [f"symbols.def lists {name}, which is not exported: write its hook" for name in listed
               if name not in exported]
    faults += [f"{name} is exported, and symbols.def does not list it" for name in sorted(exported)
               if name not in listed]
    # libm and the loader are libc's own.
    faults += [f"the library needs {name}" for name in sorted(needed)
               if not re.match(r"(libc|libm|ld-linux.*)\.so", name)]
    print("\n".join(sorted(set(faults))) if faults else f"{len(exported)} symbols, as listed")
    return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: exports.py LIBRARY SYMBOLS_DEF")
    sys.exit(main(sys.argv[1], sys.argv[2]))
