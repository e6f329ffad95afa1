#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Runs the test programs natively and under `weft run`, and tells where the two differ.
#
# A program passes where standard output, standard error and the exit status or signal are the same;
# what a program promises in its head (README.md) is held for the native run too. Exit codes: 0 all
# passed, 1 a failure, 2 bad use, 77 where this weft has no `run` to test.
import argparse
import concurrent.futures
import contextlib
import difflib
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from fnmatch import fnmatch
from pathlib import Path

SKIPPED = 77
SOURCES = Path(__file__).resolve().parent
sys.path.insert(0, str(SOURCES.parent / "support"))
import hangs  # noqa: E402
import quota  # noqa: E402

# What a program sees is decided here, so that a child's environment can be compared whole.
ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": "/", "LANG": "C"}

printing = threading.Lock()


# What one run showed, as far as it can be compared.
class Outcome:
    def __init__(self, output, errors, status):
        self.output, self.errors, self.status = output, errors, status

    def lines(self):
        return ([f"stdout: {line}" for line in self.output.splitlines()] +
                [f"stderr: {line}" for line in self.errors.splitlines()] + [f"ended: {self.status}"])


# A compiled program with what the head of its source promises.
class Program:
    def __init__(self, path, folder):
        self.path = path
        self.name = path.relative_to(folder).as_posix()
        self.needs, self.exits = set(), None
        for suffix in (".c", ".cc"):
            source = SOURCES / (self.name + suffix)
            if source.is_file():
                self.read_head(source)

    def read_head(self, source):
        for line in source.read_text().splitlines():
            if not line.startswith("//"):
                break
            needs = re.match(r"// needs: (.*)", line)
            exits = re.match(r"// exits: (\S+)", line)
            self.needs |= set(needs[1].replace(",", " ").split()) if needs else set()
            self.exits = exits[1] if exits else self.exits

    # Why the program cannot run here, or none.
    def obstacle(self):
        for need in sorted(self.needs):
            if need == "root" and os.geteuid() != 0:
                return "needs root"
            if need == "two-cpus" and len(os.sched_getaffinity(0)) < 2:
                return "needs two CPUs"
            if need not in ("root", "two-cpus") and shutil.which(need) is None:
                return f"needs {need}"
        return None

    # What is wrong with a native run by itself, or none.
    def broken_promise(self, outcome):
        if "FAILED" in outcome.output:
            return "the program found a fault"
        if self.exits is not None and outcome.status != self.exits:
            return f"ended with {outcome.status}, and its head says {self.exits}"
        if self.exits is None and outcome.status == "1":
            return "exit code 1 is a failure"
        return None


class Runner:
    def __init__(self, options):
        self.options = options

    # Runs a command to its end in a folder of its own, with all CPUs or half of one.
    def run(self, command, half=False):
        group_for_it = quota.group_of(quota.HALF_A_CPU) if half else contextlib.nullcontext()
        with tempfile.TemporaryDirectory(prefix="weft-program-") as scratch, group_for_it as group:
            finished = hangs.run(quota.command_in(group, command) if half else command,
                                 self.options.timeout, folder=scratch, environment=ENVIRONMENT,
                                 check=False)
        return Outcome(finished.output, finished.errors, finished.status)

    # Runs one program every way that was asked for; returns the number of (passed, failed, skipped).
    def examine(self, program):
        obstacle = self.options.not_yet.get(program.name) or program.obstacle()
        if obstacle is not None:
            say(f"SKIP {program.name}: {obstacle}")
            return 0, 0, 1
        try:
            native = self.run([str(program.path)])
        except hangs.Hang as hang:
            return self.failed(program, "native", f"hangs\n{hang}")
        if native.status == str(SKIPPED):
            say(f"SKIP {program.name}: {native.output.strip() or 'it says so'}")
            return 0, 0, 1
        fault = program.broken_promise(native)
        if fault is not None:
            return self.failed(program, "native", fault + "\n" + "\n".join(native.lines()))
        passed = failed = 0
        for mode, command, half in self.ways(program):
            for _ in range(self.options.repeat):
                one_passed, one_failed, _ = self.compare(program, native, mode, command, half)
                passed, failed = passed + one_passed, failed + one_failed
                if one_failed:
                    break
        return passed, failed, 0

    def ways(self, program):
        native = [str(program.path)]
        if self.options.native_only:
            yield "native", native, False
            if self.options.quota:
                yield "native, half a core", native, True
            return
        for workers in self.options.workers:
            command = [self.options.weft, "run", "--workers", workers, "--", *native]
            yield f"{workers} workers", command, False
            if self.options.quota:
                yield f"{workers} workers, half a core", command, True

    def compare(self, program, native, mode, command, half):
        began = time.monotonic()
        try:
            outcome = self.run(command, half)
        except hangs.Hang as hang:
            return self.failed(program, mode, f"hangs\n{hang}")
        if outcome.lines() != native.lines():
            difference = difflib.unified_diff(native.lines(), outcome.lines(), "native", mode,
                                              lineterm="")
            return self.failed(program, mode, "differs\n" + "\n".join(difference))
        if self.options.verbose:
            say(f"ok   {program.name} [{mode}] {time.monotonic() - began:.2f} s")
        return 1, 0, 0

    def failed(self, program, mode, why):
        what, _, details = why.partition("\n")
        say(f"FAIL {program.name} [{mode}]: {what}\n" +
            "\n".join(f"    {line}" for line in details.splitlines()))
        return 0, 1, 0


def say(text):
    with printing:
        print(text, flush=True)


def programs_in(folder, patterns):
    found = [Program(path, folder) for path in sorted(folder.glob("*/*"))
             if path.is_file() and os.access(path, os.X_OK) and path.suffix == "" and
             path.parent.name != "CMakeFiles"]
    return [program for program in found
            if not patterns or any(fnmatch(program.name, pattern) for pattern in patterns)]


# What weft cannot do yet, by program; the lines of a file.
def read_not_yet(path):
    lines = [line.split("#")[0].strip() for line in Path(path).read_text().splitlines()]
    pairs = (line.split(":", 1) for line in lines if line)
    return {name.strip(): f"not yet: {why.strip()}" for name, why in pairs}


def read_options():
    parser = argparse.ArgumentParser(description="Runs the test programs natively and under weft.")
    parser.add_argument("--weft", metavar="FILE", help="the command line tool to test")
    parser.add_argument("--programs", metavar="DIR", type=Path, required=True,
                        help="where the compiled programs are, in one folder for each family")
    parser.add_argument("--workers", metavar="LIST", default="1,2",
                        help="numbers of workers, by commas; 0 stands for auto")
    parser.add_argument("--quota", action="store_true",
                        help="run each also in a cgroup of half a core")
    parser.add_argument("--only", metavar="PATTERN", action="append", default=[],
                        help="FAMILY/NAME, with * and ?; may be repeated")
    parser.add_argument("--repeat", metavar="N", type=int, default=1, help="run each so many times")
    parser.add_argument("--jobs", metavar="N", type=int, default=2, help="run so many at once")
    parser.add_argument("--seed", metavar="N", type=int, help="shuffle the order by this number")
    parser.add_argument("--timeout", metavar="S", type=float, default=30,
                        help="take a run for a hang after so many seconds")
    parser.add_argument("--native-only", action="store_true",
                        help="compare native runs with each other")
    parser.add_argument("--not-yet", metavar="FILE", type=read_not_yet, default={},
                        help="do not run those that it names, line by line: FAMILY/NAME: why")
    parser.add_argument("--verbose", action="store_true", help="also name what passed")
    options = parser.parse_args()
    if options.weft is None and not options.native_only:
        parser.error("name the tool by --weft, or say --native-only")
    options.workers = ["auto" if workers == "0" else workers
                       for workers in options.workers.split(",")]
    options.programs = options.programs.resolve()
    return options


def has_run_command(weft):
    try:
        return subprocess.run([weft, "help", "run"], capture_output=True, timeout=30).returncode == 0
    except OSError as error:
        sys.exit(f"run_programs.py: cannot run {weft}: {error.strerror}")


def main():
    options = read_options()
    if not options.native_only:
        options.weft = str(Path(options.weft).resolve())
        if not has_run_command(options.weft):
            print(f"SKIP: {options.weft} has no command 'run'")
            sys.exit(SKIPPED)
    programs = programs_in(options.programs, options.only)
    if not programs:
        print(f"run_programs.py: no program in {options.programs} is called {options.only}; "
              "build the target programs", file=sys.stderr)
        sys.exit(2)
    if options.quota and quota.obstacle() is not None:
        print(f"SKIP half a core: {quota.obstacle()}")
        options.quota = False
    if options.seed is not None:
        random.Random(options.seed).shuffle(programs)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # some die on purpose
    runner = Runner(options)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(runner.examine, programs))
    passed, failed, skipped = (sum(column) for column in zip(*results))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
