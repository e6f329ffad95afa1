#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Runs real programs natively and under `weft run`, side by side, and tells where the two differ.
#
# What is right is judged apart from what is fast: a row is wrong where a result differs or something
# hangs, and slow where its bar is missed. Exit codes: 0 neither, 1 something is wrong, 2 bad use,
# 3 nothing is wrong and a bar is missed, 77 nothing could be run.
import argparse
import contextlib
import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import harness
import quota

PROGRAMS = ("xz", "zstd", "pigz", "sysbench", "cxx", "openmp", "git", "curl", "memcached", "redis",
            "rocksdb", "apache", "cpython")
WRONG, SLOW, NOTHING_RUN = 1, 3, 77


# A run of one side that went wrong.
class Trouble(Exception):
    def __init__(self, side, text):
        super().__init__(text)
        self.side = side


# The first program that a script needs and the machine does not have, with its package, or none.
def missing(module):
    return next(((program, package) for program, package in module.NEEDS.items()
                 if shutil.which(program) is None and not Path(program).exists()), None)


def run_side(side, row, workers, options):
    try:
        return row.run(harness.Place(options.weft, workers, side == "weft", row.pinned))
    except harness.Failure as failure:
        raise Trouble(side, str(failure)) from None


# Yields pairs of outcomes. For a ratio both sides take turns, and in who begins; where only the
# results count, the native one is asked for once.
def pairs_of(row, workers, options):
    if options.correctness_only:
        native = run_side("native", row, workers, options)
        for _ in range(options.repeat):
            yield native, run_side("weft", row, workers, options)
        return
    for number in range(options.rounds):
        sides = ("native", "weft") if number % 2 == 0 else ("weft", "native")
        outcomes = {side: run_side(side, row, workers, options) for side in sides}
        yield outcomes["native"], outcomes["weft"]
        if row.bar is None and outcomes["native"].speed is None:
            return  # nothing to be measured


# One row with one number of workers; returns what the report holds of it.
def examine(row, workers, options):
    told = {"row": row.title, "workers": workers, "native": "ok", "weft": "ok", "runs": 0,
            "bar": row.bar, "ratio": None, "cpu_ratio": None, "speed": None}
    pairs = []
    try:
        for native, weft in pairs_of(row, workers, options):
            if weft.result != native.result:
                raise Trouble("weft", f"differs\n{difference(native.result, weft.result)}")
            pairs.append((native, weft))
            told["runs"] += 1
    except Trouble as trouble:
        what, _, told["details"] = str(trouble).partition("\n")
        told[trouble.side] = f"{what}, in run {told['runs'] + 1}"
        return told
    if not options.correctness_only:
        told["ratio"] = harness.ratio_of([(native.speed, weft.speed) for native, weft in pairs])
        told["cpu_ratio"] = harness.ratio_of([(native.thrift, weft.thrift)
                                              for native, weft in pairs])
        told["speed"] = speed_verdict(told["ratio"], row.bar)
        if weft.busy:
            told["busy"] = {"native": native.busy, "weft": weft.busy}
    return told


def difference(native, weft):
    if isinstance(native, dict) and isinstance(weft, dict):
        return "\n".join(f"{key}: native {native.get(key)}, weft {weft.get(key)}"
                         for key in sorted({*native, *weft}) if native.get(key) != weft.get(key))
    return f"native: {str(native)[:2000]}\nweft:   {str(weft)[:2000]}"


# A bar that nothing was measured for is not met.
def speed_verdict(ratio, bar):
    if bar is None:
        return None
    if ratio is None:
        return f"missed: nothing measured of {bar}"
    return f"{'met' if ratio.median >= bar else 'missed'} {ratio.median:.3g} of {bar}"


def is_wrong(told):
    return (told["native"], told["weft"]) != ("ok", "ok")


def is_slow(told):
    return (told["speed"] or "").startswith("missed")


def say(told, name):
    verdict = "FAIL" if is_wrong(told) else "SLOW" if is_slow(told) else "ok"
    words = [f"native {told['native']}", f"weft {told['weft']}"] if is_wrong(told) else []
    if told["speed"]:
        words.append(told["speed"])
    if told["ratio"]:
        words.append("{:.2f}x native, {:.2f} to {:.2f}".format(*told["ratio"]))
    if told["cpu_ratio"]:
        words.append(f"{told['cpu_ratio'].median:.2f}x for the same CPU time")
    words += ["{}: server {:.2f} CPUs, client {:.2f}".format(side, *busy)
              for side, busy in told.get("busy", {}).items()]
    print(f"{verdict:<4} {name}: {told['row']} [{told['workers']} workers] "
          f"({told['seconds']:.0f} s): {'; '.join(words) or 'same'}", flush=True)
    for line in told.get("details", "").splitlines():
        print(f"     {line}", flush=True)


# All rows of one program; returns what the report holds of them.
def examine_program(name, options):
    module = importlib.import_module(name)
    lacking = missing(module)
    if lacking is not None:
        print(f"SKIP {name}: {lacking[0]} is not installed, package {lacking[1]}", flush=True)
        return [{"program": name, "skipped": f"package {lacking[1]} is not installed"}]
    common = {"program": module.TITLE, "version": module.version(),
              "short": options.correctness_only}
    report = []
    with harness.scratch() as folder:
        for row in module.rows(folder, options.correctness_only):
            if options.quick and not row.quick:
                continue
            for workers in options.workers:
                began = time.monotonic()
                told = common | examine(row, workers, options)
                told |= {"load": round(os.getloadavg()[0], 1),
                         "seconds": round(time.monotonic() - began, 1)}
                say(told, name)
                report.append(told)
    return report


def read_options():
    parser = argparse.ArgumentParser(description="Runs real programs natively and under weft.")
    parser.add_argument("--weft", metavar="FILE", required=True,
                        help="the command line tool to test")
    parser.add_argument("--only", metavar="NAME", nargs="+", choices=PROGRAMS, default=PROGRAMS,
                        help=f"some of: {' '.join(PROGRAMS)}")
    parser.add_argument("--workers", metavar="LIST",
                        help="numbers of workers, or auto, by commas; 1,2 by default, and auto "
                        "where the quota changes")
    parser.add_argument("--rounds", metavar="N", type=int, default=5,
                        help="rounds of native and weft in turns that a ratio stands on")
    parser.add_argument("--correctness-only", action="store_true",
                        help="short loads, results alone, no ratios")
    parser.add_argument("--repeat", metavar="N", type=int, default=1,
                        help="once natively and so many times under weft; only for correctness")
    parser.add_argument("--quota", action="store_true",
                        help="under a quota that goes from 0.5 CPUs to 2 and back; only for "
                        "correctness")
    parser.add_argument("--quick", action="store_true",
                        help="a few minutes: only for correctness, without what takes long")
    parser.add_argument("--report", metavar="FILE", type=Path, help="write all of it as JSON")
    options = parser.parse_args()
    options.workers = (options.workers or ("1,2,auto" if options.quota else "1,2")).split(",")
    if min(options.rounds, options.repeat) < 1:
        parser.error("rounds and repeats are at least 1")
    options.correctness_only |= options.quick or options.quota or options.repeat > 1
    options.weft = str(Path(options.weft).resolve())
    try:
        subprocess.run([options.weft, "help", "run"], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        parser.error(f"--weft: {error}")
    if options.quota and quota.obstacle() is not None:
        parser.error(f"--quota: {quota.obstacle()}")
    return options


def summarise(report):
    ran = [told for told in report if "skipped" not in told]
    wrong, slow = sum(map(is_wrong, ran)), sum(map(is_slow, ran))
    bars = sum(told["speed"] is not None for told in ran)
    if bars:
        print(f"bars: {bars - slow} met, {slow} missed")
    print(f"{len(ran) - wrong} passed, {wrong} failed, {len(report) - len(ran)} skipped")
    return WRONG if wrong else SLOW if slow else 0 if ran else NOTHING_RUN


def main():
    options = read_options()
    for number in (signal.SIGTERM, signal.SIGHUP):  # the servers must not stay behind
        signal.signal(number, lambda *_: sys.exit(WRONG))
    report = []
    with quota.changing() if options.quota else contextlib.nullcontext():
        for name in options.only:
            report += examine_program(name, options)
            if options.report:  # after each: what stops half-way has told what it knew
                options.report.write_text(json.dumps(report, indent=1) + "\n")
    sys.exit(summarise(report))


if __name__ == "__main__":
    main()
