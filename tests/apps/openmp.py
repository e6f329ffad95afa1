# SPDX-License-Identifier: Apache-2.0
# An OpenMP program (libgomp) with loops of every schedule, tasks and locks: the same sums.
from harness import FOLDER, Outcome, Row, run, version_of

TITLE = "OpenMP (libgomp)"
NEEDS = {"g++": "g++"}


def version():
    return version_of(["g++", "--version"], r"\) (\S+)")


def rows(folder, quick):
    program = folder / "openmp_program"
    run(["g++", "-std=c++20", "-O2", "-fopenmp", FOLDER / "openmp_program.cc", "-o", program])

    def with_threads(place, threads, policy):
        environment = {"PATH": "/usr/bin:/bin", "OMP_NUM_THREADS": str(threads)}
        if policy:
            environment["OMP_WAIT_POLICY"] = policy
        finished = run(place.command([program, 1 if quick else 4]), environment=environment)
        return Outcome(finished.output, 1 / finished.seconds, 1 / max(finished.cpu_seconds, 0.001))

    yield Row("loops, tasks, locks; 4 threads", lambda place: with_threads(place, 4, ""))
    yield Row("the same; 16 threads, passive waits",
              lambda place: with_threads(place, 16, "passive"))
    yield Row("the same; 2 threads, active waits",
              lambda place: with_threads(place, 2, "active"), quick=False)
