# SPDX-License-Identifier: Apache-2.0
# A C++20 program on std::async, jthread, latch, barrier, semaphore and atomic::wait: the same sums.
from harness import Row, compiled, compiler_version, outcome_of, run

TITLE = "C++20 threads (libstdc++)"
NEEDS = {"g++": "g++"}
version = compiler_version


def rows(folder, short):
    program = compiled(folder, "cxx_program.cc", "-pthread")

    def all_of_it(place):
        finished = run(place.command([program, 1 if short else 4]))
        return outcome_of(finished, finished.output)

    yield Row("async, jthread, latch, barrier, semaphore, atomic wait", all_of_it)
