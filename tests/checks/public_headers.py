#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Checks that each public header compiles alone, twice in a row, without a warning.
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from tree import Check

FLAGS = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wconversion", "-Wundef", "-Werror",
         "-Iinclude", "-x", "c++", "-"]
COMPLAINT = re.compile(r"^(?P<path>[^:]+):(?P<line>\d+)(?::\d+)?: (?:fatal )?error: (?P<what>.*)")


# What stands in for a library that a header is about, and that Debian 12 does not have.
STAND_INS = {"include/weft/otel.h": "tests/otel/stand_in"}
# clang 14 has the coroutines of C++20, and does not say so.
CLANG_FLAGS = ["-D__cpp_impl_coroutine=201902L"]


# Where and why a compiler refuses a program that is this header and nothing else, or none.
def refusal(root, compiler, path):
    name = path.removeprefix("include/")
    # As the user's program includes it: given to the compiler as its main file, a header would be
    # warned about its `#pragma once`. Twice, so that a missing one is found.
    program = f"#include <{name}>\n#include <{name}>\n"
    flags = [f"-I{STAND_INS[path]}"] if path in STAND_INS else []
    flags += CLANG_FLAGS if compiler == "clang++" else []
    done = subprocess.run([compiler, *flags, *FLAGS], cwd=root, input=program, capture_output=True,
                          text=True, errors="replace", env={**os.environ, "LC_ALL": "C"})
    if done.returncode == 0:
        return None
    for line in done.stderr.splitlines():
        complaint = COMPLAINT.match(line)
        if complaint and complaint["path"].startswith("include/"):
            return complaint["path"], complaint["line"], complaint["what"]
    return path, 1, done.stderr.strip().replace("\n", " | ")


def main():
    check = Check("Each public header compiles alone.")
    headers = [path for path in check.tree.files
               if path.startswith("include/") and path.endswith(".h")]
    if shutil.which("g++") is None:
        sys.exit("scripts/deps:1: g++ is not installed; run scripts/deps build")
    compilers = [name for name in ("g++", "clang++") if shutil.which(name)]
    jobs = [(compiler, path) for path in headers for compiler in compilers]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        refusals = pool.map(lambda job: refusal(check.tree.root, *job), jobs)
        for (compiler, path), refused in zip(jobs, refusals):
            if refused:
                where, line, what = refused
                check.fault(where, line, f"{compiler}, given only {path}, says: {what}",
                            "include what the header uses, with #pragma once, in the header itself")
    check.finish(f"public_headers: {len(headers)} headers compile alone with "
                 f"{' and '.join(compilers)}")


if __name__ == "__main__":
    main()
