# SPDX-License-Identifier: Apache-2.0
# RocksDB's db_bench with many threads: every key is found, and how fast.
import shutil

from harness import Failure, Outcome, Row, found_in, run, version_of

TITLE = "RocksDB db_bench"
NEEDS = {"db_bench": "rocksdb-tools"}
BAR = 0.95


def version():
    return version_of(["db_bench", "--version"], r"version (\S+)")


def rows(folder, short):
    filled = folder / "filled"
    keys = 20_000
    common = [f"--num={keys}", "--value_size=100", "--compression_type=none", "--histogram=0",
              "--stats_interval=1000000000"]
    run(["db_bench", f"--db={filled}", "--benchmarks=fillseq", *common])

    def bench(place, benchmark, threads, database, *options):
        finished = run(place.command(
            ["db_bench", f"--db={database}", f"--benchmarks={benchmark}", f"--threads={threads}",
             *common, *options]), seconds=240)
        line = found_in(rf"^{benchmark} +: (.*)$", finished.output)
        speed = float(found_in(r" (\d+) ops/sec", line))
        done = int(found_in(r" (\d+) operations", line))
        return finished, line, done, speed

    def read(place, threads):
        each = (8_000 if short else 1_200_000) // threads
        finished, line, done, speed = bench(place, "readrandom", threads, filled,
                                            "--use_existing_db=1", f"--reads={each}")
        found = found_in(r"\((\d+ of \d+) found\)", line)  # of one thread: all of its keys
        if (done, found) != (each * threads, f"{each} of {each}"):
            raise Failure(f"{done} of {each * threads} keys were looked for, {found} found")
        return Outcome(found, speed, done / max(finished.cpu_seconds, 0.001))

    # fillsync draws its keys from a thousandth of num, by seeds: the same keys, however they are
    # interleaved. They are counted natively.
    def write(place, threads):
        database = folder / "written"
        shutil.rmtree(database, ignore_errors=True)
        # So many that the beginnings of threads count little.
        each = max(8, 512 // threads) if short else max(40, 4096 // threads)
        finished, _, done, speed = bench(place, "fillsync", threads, database,
                                         "--num=50000000", f"--writes={each}", "--seed=1")
        counted = run(["db_bench", f"--db={database}", "--use_existing_db=1",
                       "--benchmarks=readseq", "--num=50000000"])
        if done != each * threads:
            raise Failure(f"{done} of {each * threads} keys were written")
        read_again = int(found_in(r"readseq .* (\d+) operations", counted.output))
        return Outcome(read_again, speed, done / max(finished.cpu_seconds, 0.001))

    for threads in (8, 64, 512):
        yield Row(f"readrandom, {threads} threads",
                  lambda place, threads=threads: read(place, threads), BAR, quick=threads != 64)
    for threads in (8, 64, 512):
        yield Row(f"fillsync, {threads} threads",
                  lambda place, threads=threads: write(place, threads), BAR, quick=threads != 64)
