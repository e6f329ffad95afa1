# SPDX-License-Identifier: Apache-2.0
# sysbench's own tests of the machine: the same amount of work is done, by as many threads.
from harness import Outcome, Row, found_in, run, version_of

TITLE = "sysbench"
NEEDS = {"sysbench": "sysbench"}


def version():
    return version_of(["sysbench", "--version"], r"sysbench (\S+)")


def rows(folder, short):
    share = 4 if short else 1

    def bench(place, test, threads, *options):
        command = ["sysbench", test, f"--threads={threads}", "--time=0", *options]
        finished = run(place.command([*command, "run"]), folder=folder)
        events = int(found_in(r"total number of events: +(\d+)", finished.output))
        seconds = float(found_in(r"total time: +([\d.]+)s", finished.output))
        return Outcome(events, events / seconds, events / max(finished.cpu_seconds, 0.001))

    def files(place):
        layout = ["--file-num=8", "--file-total-size=16M"]
        run(["sysbench", "fileio", *layout, "prepare"], folder=folder)
        try:
            return bench(place, "fileio", 16, *layout, "--file-test-mode=rndrw",
                         f"--events={8000 // share}")
        finally:
            run(["sysbench", "fileio", *layout, "cleanup"], folder=folder)

    yield Row("cpu, 8 threads",
              lambda place: bench(place, "cpu", 8, f"--events={4000 // share}"))
    yield Row("threads, 64 threads, 4 locks",
              lambda place: bench(place, "threads", 64, "--thread-locks=4",
                                  f"--thread-yields={100 if short else 1000}",
                                  f"--events={4000 // share}"))
    yield Row("mutex, 64 threads, 16 locks",
              lambda place: bench(place, "mutex", 64, "--mutex-num=16",
                                  f"--mutex-locks={4000 // share}", "--mutex-loops=500"))
    yield Row("memory, 8 threads",
              lambda place: bench(place, "memory", 8, "--memory-block-size=64K",
                                  f"--memory-total-size={8 // share}G", "--events=0"))
    yield Row("fileio, 16 threads, random reads and writes", files)
