# SPDX-License-Identifier: Apache-2.0
# A C++20 program on std::async, jthread, latch, barrier, semaphore and atomic::wait: the same sums.
from harness import FOLDER, Outcome, Row, run, version_of

TITLE = "C++20 threads (libstdc++)"
NEEDS = {"g++": "g++"}


def version():
    return version_of(["g++", "--version"], r"\) (\S+)")


def rows(folder, quick):
    program = folder / "cxx_program"
    run(["g++", "-std=c++20", "-O2", "-pthread", FOLDER / "cxx_program.cc", "-o", program])
    repeats = 1 if quick else 4

    def all_of_it(place):
        finished = run(place.command([program, repeats]))
        return Outcome(finished.output, 1 / finished.seconds, 1 / max(finished.cpu_seconds, 0.001))

    yield Row("async, jthread, latch, barrier, semaphore, atomic wait", all_of_it)
