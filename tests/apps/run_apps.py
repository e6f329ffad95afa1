#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Runs real programs natively and under `weft run`, side by side, and tells where the two differ.
#
# A row fails where a result differs or something hangs; a missed bar for speed is shown, and is no
# failure: that is for a quiet machine to judge. Exit codes: 0 all passed, 1 a failure, 2 bad use.
import argparse
import importlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import harness
from changing_quota import changing_quota

PROGRAMS = ("xz", "zstd", "pigz", "sysbench", "cxx", "openmp", "git", "curl", "memcached", "redis",
            "rocksdb", "apache", "cpython")


# The first program that a script needs and the machine does not have, with its package, or none.
def missing(module):
    return next(((program, package) for program, package in module.NEEDS.items()
                 if shutil.which(program) is None and not Path(program).exists()), None)


# One row with one number of workers: as many rounds of native and weft as asked for, in turns.
def examine(row, workers, options):
    told = {"workers": workers, "native": "ok", "weft": "ok", "ratio": None, "cpu_ratio": None}
    speeds, thrifts = [], []
    for number in range(options.rounds):
        outcomes = {}
        for under_weft in (number % 2 == 1, number % 2 == 0):
            place = harness.Place(options.weft, workers, under_weft, options.quick)
            place.pinned = row.pinned
            side = "weft" if under_weft else "native"
            try:
                outcomes[side] = row.run(place)
            except (harness.Wrong, harness.Hang) as trouble:
                told[side], _, told["details"] = str(trouble).partition("\n")
                return told
        native, weft = outcomes["native"], outcomes["weft"]
        if weft.result != native.result:
            told["weft"] = "differs"
            told["details"] = difference(native.result, weft.result)
            return told
        speeds.append((native.speed, weft.speed))
        thrifts.append((native.thrift, weft.thrift))
    told["ratio"], told["cpu_ratio"] = harness.ratio_of(speeds), harness.ratio_of(thrifts)
    return told


def difference(native, weft):
    if isinstance(native, dict) and isinstance(weft, dict):
        return "\n".join(f"{key}: native {native.get(key)}, weft {weft.get(key)}"
                         for key in sorted({*native, *weft}) if native.get(key) != weft.get(key))
    return f"native: {str(native)[:2000]}\nweft:   {str(weft)[:2000]}"


def verdict_of(told):
    return "FAIL" if (told["native"], told["weft"]) != ("ok", "ok") else "ok"


def speed_of(told, bar):
    if told["ratio"] is None:
        return ""
    met = "" if bar is None else f" (bar {bar}x {'met' if told['ratio'] >= bar else 'missed'})"
    cpu = "" if told["cpu_ratio"] is None else f", {told['cpu_ratio']:.2f}x for the same CPU time"
    return f", {told['ratio']:.2f}x native{met}{cpu}"


def say(told, name, row):
    sides = "" if verdict_of(told) == "ok" else f": native {told['native']}, weft {told['weft']}"
    print(f"{verdict_of(told):<4} {name}: {row.title} [{told['workers']} workers]{sides}"
          f"{speed_of(told, row.bar)}", flush=True)
    for line in told.get("details", "").splitlines():
        print(f"     {line}", flush=True)


# All rows of one program; returns what the report holds of them.
def examine_program(name, options):
    module = importlib.import_module(name)
    lacking = missing(module)
    if lacking is not None:
        print(f"SKIP {name}: {lacking[0]} is not installed, package {lacking[1]}", flush=True)
        return [{"program": name, "skipped": f"package {lacking[1]} is not installed"}]
    version = module.version()
    report = []
    with harness.scratch() as folder:
        for row in module.rows(folder, options.quick):
            if options.quick and not row.quick:
                continue
            for workers in options.workers:
                began = time.monotonic()
                told = examine(row, workers, options)
                told |= {"program": module.TITLE, "version": version, "row": row.title,
                         "bar": row.bar, "rounds": options.rounds, "quick": options.quick,
                         "load": round(os.getloadavg()[0], 1),
                         "seconds": round(time.monotonic() - began, 1)}
                say(told, name, row)
                report.append(told)
    return report


def read_options():
    parser = argparse.ArgumentParser(description="Runs real programs natively and under weft.")
    parser.add_argument("--weft", metavar="FILE", required=True,
                        help="the command line tool to test")
    parser.add_argument("--only", metavar="NAME", nargs="+", choices=PROGRAMS, default=PROGRAMS,
                        help=f"some of: {' '.join(PROGRAMS)}")
    parser.add_argument("--workers", metavar="LIST", default="1,2",
                        help="numbers of workers, by commas; 1,2 by default")
    parser.add_argument("--rounds", metavar="N", type=int,
                        help="rounds of native and weft for each row; 5, or 1 with --quick")
    parser.add_argument("--quick", action="store_true", help="the short form, a few minutes")
    parser.add_argument("--quota", action="store_true",
                        help="everything under a quota that goes from 0.5 CPUs to 2 and back")
    parser.add_argument("--report", metavar="FILE", type=Path, help="write all of it as JSON")
    options = parser.parse_args()
    options.workers = [int(workers) for workers in options.workers.split(",")]
    options.rounds = options.rounds or (1 if options.quick else 5)
    options.weft = str(Path(options.weft).resolve())
    if subprocess.run([options.weft, "help", "run"], capture_output=True).returncode != 0:
        parser.error(f"{options.weft} has no command 'run'")
    return options


def main():
    options = read_options()
    report = []
    with changing_quota(options.quota):
        for name in options.only:
            report += examine_program(name, options)
            if options.report:  # after each: what stops half-way has told what it knew
                options.report.write_text(json.dumps(report, indent=1) + "\n")
    skipped = sum("skipped" in told for told in report)
    failed = sum("skipped" not in told and verdict_of(told) == "FAIL" for told in report)
    print(f"{len(report) - skipped - failed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
