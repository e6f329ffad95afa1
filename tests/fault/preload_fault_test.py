#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Programs under weft while the system refuses what the runtime asks for: they do what they do
# natively, or end with a line that says why; they do not crash, and do not hang.
#
#   preload_fault_test.py WEFT FOLDER [--call NAME] [--program NAME] [--all] [--workers N]
#
# FOLDER: where locks, echo and children are. Without --all a sample of the refusals, for every day.
import argparse
import re
import sys
import time
from pathlib import Path

import preload_refusals

EXPECTED = {"locks": "1200\n", "echo": "200 answers\n", "children": "done\n"}
# What libc, or weft, says before it ends the process; and what a program may say.
LAST_WORDS = r"(weft|Fatal glibc error): [^\n]+\n|libgcc_s[^\n]+\n"
TOLD = re.compile(rf"\A((program|child|weft run): [^\n]+\n|{LAST_WORDS})+\Z")
MOST = 400


# Why this is no end that a user may meet, or none.
def fault_of(program, outcome):
    if outcome.status is None:
        return "hangs"
    if outcome.status == 0:
        return None if outcome.output == EXPECTED[program] else "ends well, with another output"
    if TOLD.match(outcome.errors) is None:
        return "ends without a line that says why"
    if outcome.status < 0 and re.search(LAST_WORDS, outcome.errors) is None:
        return "dies of a signal"
    return None


class Examination:
    def __init__(self, options):
        self.options = options
        self.runs = self.refusals = 0
        self.faults = []

    def run(self, program, call, how, is_refused):
        command = [str(self.options.weft), "run", "--workers", self.options.workers, "--",
                   str(self.options.folder / program)]
        outcome = preload_refusals.run(command, call, is_refused)
        self.runs += 1
        self.refusals += outcome.refused > 0
        fault = fault_of(program, outcome)
        if fault is not None:
            self.faults.append(f"{program}, {call} {how}: {fault}: {outcome}")
            print(self.faults[-1], flush=True)
        elif self.options.verbose:
            print(f"{program}, {call} {how}: {outcome}", flush=True)
        return outcome

    # Every N until none is hit any more; for every day the first ones, and then ever fewer.
    def examine(self, program, call):
        number = 1
        while number < MOST:
            once = self.run(program, call, f"{number}", lambda count: count == number)
            self.run(program, call, f"from {number} on", lambda count: count >= number)
            if once.seen < number:
                return
            number = number + 1 if self.options.all or number < 4 else number * 2
        print(f"{program}, {call}: more than {MOST} calls")


def read_options():
    parser = argparse.ArgumentParser(description="Programs under weft while the system refuses.")
    parser.add_argument("weft", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--call", action="append", choices=list(preload_refusals.CALLS))
    parser.add_argument("--program", action="append", choices=list(EXPECTED))
    parser.add_argument("--workers", default="2")
    parser.add_argument("--all", action="store_true", help="every N, not a sample")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    options.weft, options.folder = options.weft.resolve(), options.folder.resolve()
    return options


def main():
    options = read_options()
    if preload_refusals.obstacle() is not None:
        print(f"SKIP: {preload_refusals.obstacle()}")
        sys.exit(77)
    began = time.monotonic()
    examination = Examination(options)
    for call in options.call or preload_refusals.CALLS:
        for program in options.program or EXPECTED:
            examination.examine(program, call)
    print(f"{examination.runs} runs, {examination.refusals} with a refusal, "
          f"{len(examination.faults)} faults, {time.monotonic() - began:.0f} s")
    sys.exit(1 if examination.faults else 0)


if __name__ == "__main__":
    main()
