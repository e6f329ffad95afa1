#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Checks that C and C++ files are as clang-format would write them.
import re
import shutil
import subprocess
import sys

from tree import Check, git

# Up to this many files all are looked at, which takes a few seconds; above it, those that differ
# from the commit before this one.
ALL_UP_TO = 400
FILES_PER_RUN = 50

COMPLAINT = re.compile(r"^(?P<path>.+?):(?P<line>\d+):\d+: (?:error|warning): (?P<what>.*)")


# What is committed on top of the previous commit, changed since, or new; none where that is not
# known: no git, or no previous commit.
def changed(root):
    differing = git(root, "diff", "-z", "--name-only", "--relative", "HEAD~1")
    new = git(root, "ls-files", "-z", "--others", "--exclude-standard")
    return None if differing is None or new is None else set((differing + new).split("\0"))


def main():
    check = Check("C and C++ files are formatted.")
    root = check.tree.root
    if not (root / ".clang-format").is_file():
        sys.exit(".clang-format:1: is not there; it says how the code is formatted, restore it")
    program = shutil.which("clang-format")
    if program is None:
        sys.exit("scripts/deps:1: clang-format is not installed; run scripts/deps test")

    files = check.tree.cxx_files()
    if len(files) > ALL_UP_TO:
        of_interest = changed(root) if (root / ".git").exists() else None
        files = [path for path in files if of_interest is None or path in of_interest]

    for start in range(0, len(files), FILES_PER_RUN):
        batch = files[start:start + FILES_PER_RUN]
        done = subprocess.run(
            [program, "--dry-run", "-Werror", "--style=file", "--fallback-style=none", *batch],
            cwd=root, capture_output=True, text=True, errors="replace")
        complained_about = set()
        for line in done.stderr.splitlines():
            complaint = COMPLAINT.match(line)
            if complaint and complaint["path"] not in complained_about:
                path = complaint["path"]
                complained_about.add(path)
                check.fault(path, complaint["line"], complaint["what"].split(" [-W")[0],
                            f"run clang-format -i {path}")
        if done.returncode != 0 and not complained_about:
            sys.exit(f"{batch[0]}:1: clang-format failed on this file or one of the "
                     f"{len(batch) - 1} behind it; it said: {done.stderr.strip()}")
    check.finish(f"formatting: {len(files)} files are as clang-format writes them")


if __name__ == "__main__":
    main()
