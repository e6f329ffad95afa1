#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Runs MariaDB's own regression suite natively and under weft, and lists where the verdicts differ.
#
# Tests are taken in batches, each natively and then under weft, until all are done or the time is
# up, so that what has been run can always be compared. A test that failed on one side alone is run
# again on both: what differs then is a difference. Exit codes: 0 none, or all of them are in the
# list of those that are explained; 1 an unexplained one; 2 bad use; 77 mariadb-test is not there.
import argparse
import os
import pwd
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SKIPPED = 77
SUITES = Path("/usr/share/mysql/mysql-test")
EXPLAINED = Path(__file__).resolve().parent / "mtr_differences.txt"
# "main.select 'innodb'   w1 [ pass ]   12"; a test may have several combinations.
VERDICT = re.compile(r"^(\w[\w-]*\.[\w-]+)((?: '[^']*')?)\s.*"
                     r"\[ (pass|fail|skipped|disabled|retry-\w+) \]", re.MULTILINE)


# Who runs it: many tests refuse root.
def test_user():
    return "mysql" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name


def tests_of(suite):
    folder = SUITES / "main" if suite == "main" else SUITES / "suite" / suite / "t"
    return [f"{suite}.{path.stem}" for path in sorted(folder.glob("*.test"))]


# The words of one run of mtr over some tests.
def command(folder, tests, environment, options):
    return ["perl", "mysql-test-run.pl", f"--vardir={folder / 'var'}", f"--tmpdir={folder / 'tmp'}",
            "--force", "--max-test-fail=0", "--retry=0", "--parallel=1",
            f"--testcase-timeout={options.testcase_minutes}", "--shutdown-timeout=60",
            f"--skip-test-list={SUITES / 'unstable-tests'}",
            *(f"--mysqld-env={setting}" for setting in environment), *tests]


# Runs tests and returns their verdicts by "suite.name 'combination'", and all that mtr printed.
def run_batch(tests, environment, options):
    with tempfile.TemporaryDirectory(prefix="weft-mtr-",
                                     dir="/dev/shm" if options.memory else None) as name:
        folder = Path(name)
        shutil.chown(folder, test_user())
        folder.chmod(0o755)
        (folder / "tmp").mkdir()
        shutil.chown(folder / "tmp", test_user())
        identity = {"user": test_user(), "group": test_user(), "extra_groups": []} \
            if os.geteuid() == 0 else {}
        process = subprocess.Popen(command(folder, tests, environment, options), cwd=SUITES,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, errors="replace",
                                   start_new_session=True, **identity)
        try:
            output, _ = process.communicate(timeout=60 * options.batch_minutes)
        except subprocess.TimeoutExpired:
            process.terminate()  # mtr stops its servers then
            output, _ = process.communicate(timeout=120)
            output += f"\nstopped after {options.batch_minutes} minutes\n"
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait(120)
    verdicts = {test + combination: verdict
                for test, combination, verdict in VERDICT.findall(output)}
    if not verdicts:
        sys.exit(f"mtr.py: mtr ran nothing:\n{output[-1500:]}")
    return verdicts, output


def weft_environment(options):
    library = options.library or str(Path(options.weft).resolve().parents[2] / "src" / "preload" /
                                     "libweft-preload.so")
    if not Path(library).is_file():
        raise SystemExit(f"mtr.py: {library} is not there; name it by --library")
    return [f"LD_PRELOAD={library}", f"WEFT_WORKERS={options.workers}"]


# Tests whose verdicts differ, as {name: (native, weft)}.
def differing(native, weft):
    return {name: (native.get(name, "none"), weft.get(name, "none"))
            for name in sorted(native.keys() | weft.keys()) if native.get(name) != weft.get(name)}


def compare_batch(tests, options, log):
    native, native_output = run_batch(tests, [], options)
    weft, weft_output = run_batch(tests, weft_environment(options), options)
    log.write(f"=== native\n{native_output}\n=== weft\n{weft_output}\n")
    again = sorted({name.split(" ")[0] for name in differing(native, weft)})
    if again:
        for verdicts, environment in ((native, []), (weft, weft_environment(options))):
            second, output = run_batch(again, environment, options)
            log.write(f"=== again, {environment or 'native'}\n{output}\n")
            verdicts.update(second)
    log.flush()
    return native, weft


def explanations():
    if not EXPLAINED.exists():
        return {}
    lines = [line.split("#")[0].strip() for line in EXPLAINED.read_text().splitlines()]
    return dict(line.split(": ", 1) for line in lines if line)


def choose_tests(options):
    tests = options.tests or [test for suite in options.suites.split(",")
                              for test in tests_of(suite)]
    if options.seed is not None:
        random.Random(options.seed).shuffle(tests)
    return tests[options.first:]


def read_options():
    parser = argparse.ArgumentParser(description="Verdicts of MariaDB's suite, native and weft.")
    parser.add_argument("--weft", metavar="FILE", required=True, help="in its build tree")
    parser.add_argument("--library", metavar="FILE", help="libweft-preload.so, where not beside it")
    parser.add_argument("--workers", metavar="N", default="1")
    parser.add_argument("--suites", metavar="LIST", default="main,innodb")
    parser.add_argument("--minutes", metavar="N", type=float, default=120, help="no new batch then")
    parser.add_argument("--batch", metavar="N", type=int, default=25, help="tests in one batch")
    parser.add_argument("--batch-minutes", metavar="N", type=float, default=20)
    parser.add_argument("--testcase-minutes", metavar="N", type=int, default=3)
    parser.add_argument("--first", metavar="N", type=int, default=0, help="leave out so many")
    parser.add_argument("--seed", metavar="N", type=int, help="in this shuffled order")
    parser.add_argument("--memory", action="store_true", help="files in /dev/shm")
    parser.add_argument("--log", metavar="FILE", default="mtr.log", help="all that mtr printed")
    parser.add_argument("tests", nargs="*", metavar="SUITE.TEST")
    return parser.parse_args()


def main():
    options = read_options()
    if not SUITES.is_dir():
        print("SKIP: mariadb-test is not installed")
        sys.exit(SKIPPED)
    for number in (signal.SIGTERM, signal.SIGHUP):  # mtr and its servers must not stay behind
        signal.signal(number, lambda *_: sys.exit(1))
    tests = choose_tests(options)
    until = time.monotonic() + 60 * options.minutes
    native, weft, known = {}, {}, explanations()
    done = 0
    with open(options.log, "w") as log:
        while done < len(tests) and time.monotonic() < until:
            batch = tests[done:done + options.batch]
            done += len(batch)
            some_native, some_weft = compare_batch(batch, options, log)
            native.update(some_native)
            weft.update(some_weft)
            for name, (one, other) in differing(some_native, some_weft).items():
                why = known.get(name, known.get(name.split(" ")[0], "not explained"))
                print(f"differs: {name}: native {one}, weft {other}: {why}", flush=True)
            print(f"{done} of {len(tests)} tests", flush=True)
    report(native, weft, known)


def report(native, weft, known):
    for name, verdicts in (("native", native), ("weft", weft)):
        counts = {verdict: list(verdicts.values()).count(verdict)
                  for verdict in sorted(set(verdicts.values()))}
        print(f"{name}: " + ", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    unexplained = [name for name in differing(native, weft)
                   if name not in known and name.split(" ")[0] not in known]
    print(f"{len(differing(native, weft))} differ, {len(unexplained)} of them not explained")
    sys.exit(1 if unexplained else 0)


if __name__ == "__main__":
    main()
