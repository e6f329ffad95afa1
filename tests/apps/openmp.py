# SPDX-License-Identifier: Apache-2.0
# An OpenMP program (libgomp) with loops of every schedule, tasks and locks: the same sums.
from harness import Row, compiled, compiler_version, outcome_of, run

TITLE = "OpenMP (libgomp)"
NEEDS = {"g++": "g++"}
version = compiler_version


def rows(folder, short):
    program = compiled(folder, "openmp_program.cc", "-fopenmp")

    def with_threads(place, threads, policy):
        environment = {"PATH": "/usr/bin:/bin", "OMP_NUM_THREADS": str(threads)}
        if policy:
            environment["OMP_WAIT_POLICY"] = policy
        finished = run(place.command([program, 1 if short else 4]), environment=environment)
        return outcome_of(finished, finished.output)

    yield Row("loops, tasks, locks; 4 threads", lambda place: with_threads(place, 4, ""))
    yield Row("the same; 16 threads, passive waits",
              lambda place: with_threads(place, 16, "passive"))
    yield Row("the same; 2 threads, active waits",
              lambda place: with_threads(place, 2, "active"), quick=False)
