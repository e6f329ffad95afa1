# SPDX-License-Identifier: Apache-2.0
# CPython's own tests of threads, sockets, processes and asyncio: each test's verdict as natively.
import xml.etree.ElementTree as xml

from harness import Failure, Outcome, Row, run, version_of

PYTHON = "/usr/bin/python3.11"
TITLE = "CPython"
NEEDS = {PYTHON: "python3.11",
         "/usr/lib/python3.11/test/test_threading.py": "libpython3.11-testsuite"}
QUICK = ("test_threading", "test_thread", "test_queue")
SLOW = ("test_socket", "test_subprocess", "test_asyncio", "test_concurrent_futures",
        "test_multiprocessing_fork", "test_multiprocessing_spawn",
        "test_multiprocessing_forkserver", "test_multiprocessing_main_handling",
        "test_threadsignals", "test_threading_local", "test_selectors", "test_signal",
        "test_socketserver", "test_wait4", "test_fork1", "test_threadedtempfile")

# Waits for ever where the machine's own hypervisor has no such sockets, natively too.
IGNORED = ("test.test_socket.ThreadedVSOCKSocketStreamTest.*",)
native_verdicts = {}  # by module: they do not depend on the number of workers


def version():
    return version_of([PYTHON, "--version"], r"Python (\S+)")


# One test module, by the runner of CPython's own; returns the verdict of each test.
def verdicts(place, folder, module):
    if not place.under_weft and module in native_verdicts:
        return native_verdicts[module]
    report = folder / "report.xml"
    report.unlink(missing_ok=True)
    ignored = [word for pattern in IGNORED for word in ("--ignore", pattern)]
    finished = run(place.command([PYTHON, "-m", "test", "-v", "-u", "none", *ignored,
                                  "--junit-xml", report, module]),
                   seconds=1200, folder=folder, check=False)
    if not report.exists():
        raise Failure(f"{module} ended with {finished.status}\n"
                    f"{(finished.output + finished.errors)[-3000:]}")
    told = {}
    for case in xml.parse(report).getroot().iter("testcase"):
        problem = next((child.tag for child in case if child.tag in ("failure", "error")), None)
        told[case.get("name")] = problem or case.get("result", "completed")
    if not place.under_weft:
        native_verdicts[module] = Outcome(told)
    return Outcome(told)


def rows(folder, _short):
    for module in (*QUICK, *SLOW):
        yield Row(module, lambda place, module=module: verdicts(place, folder, module),
                  pinned=False, quick=module in QUICK)
