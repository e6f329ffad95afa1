#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Checks that nothing in the tree names a particular machine, a package host, or how it was made.
import re
from fnmatch import fnmatch

from tree import Check

# Each string is written in two pieces, so that this file does not hold what it looks for.
HOSTS = (
    "deb." "debian.org", "security." "debian.org", "snapshot." "debian.org",
    "archive." "ubuntu.com", "deb." "nodesource.com", "registry." "npmjs", "registry." "yarnpkg",
    "pypi." "org", "files." "pythonhosted.org", "proxy." "golang.org", "sum." "golang.org",
    "repo." "maven.apache.org", "repo1." "maven.org", "static." "crates.io", "index." "crates.io",
)
MAKING = (
    r"\bsub-?" r"agents?\b", r"\b(?-i:C" r"EO)\b", r"\bDEVEL" r"OPERS\.md\b",
    r"\.\./" r"shared\b", r"\bthis " r"session\b", r"\bChat" r"GPT\b", r"\b(?-i:Clau" r"de)\b",
    r"\bAI" r"[- ]generated\b", r"\blanguage " r"models?\b",
)

# A path begins where no other path or name goes on: /proc/self/root/ is not meant.
PATH_BEGINS = r"(?<![\w.>)}*/-])"

PATTERNS = (
    (re.compile(PATH_BEGINS + r"/(?:" r"work|root)/[\w.]|" + PATH_BEGINS + r"/home/" r"[\w.]+"),
     "is a path of one particular machine",
     "write it relative to the tree, or take it from the environment"),
    (re.compile("|".join(map(re.escape, HOSTS)), re.IGNORECASE),
     "is the host of a package registry",
     "name the package, and let the machine's own configuration say where it comes from"),
    (re.compile("|".join(MAKING), re.IGNORECASE),
     "is about how the tree was made, not about what it is",
     "say it in words that make sense to a reader of the tree alone"),
)

# Where one of these is meant: (path pattern, text as it is found, why).
ALLOWED = ()


def main():
    check = Check("Nothing names a particular machine, a package host, or how the tree was made.")
    for path in check.tree.files:
        for number, line in enumerate(check.tree.lines(path), 1):
            for pattern, what, what_to_do in PATTERNS:
                for found in pattern.finditer(line):
                    if any(fnmatch(path, where) and found[0] == text for where, text, _ in ALLOWED):
                        continue
                    check.fault(path, number, f"'{found[0]}' {what}", what_to_do)
    check.finish(f"words: {len(check.tree.files)} files name no machine, package host or maker")


if __name__ == "__main__":
    main()
