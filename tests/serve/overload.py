#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Four times as much as the server can do, in an open loop: it goes on doing what it can, those whom it
# accepts do not wait long, all others hear 503 with Retry-After at once, and its memory stays flat.
#
#   overload.py WEFT [--seconds N] [--capacity-seconds N] [--policy NAME] [--no-times]
#
# Capacity is what a closed loop gets. With two CPUs or more the server has the first and the generator the
# second. What the accepted waited is the pool's own P99 (weft_request_wait_seconds): the generator's,
# which is printed beside it, has its own lateness in it. --no-times: for a machine that does other
# things as well; goodput and waits are printed, and not judged.
# Exit: 0; 1 something of this does not hold.
import argparse
import http.client
import os
import sys

import serving
import watching

FACTOR = 4
WORKERS = 8
QUEUE_TARGET_SECONDS = 0.005  # Overload::for_servers(); shed is what waits for twice as long
MOST_WAIT_SECONDS = 4 * QUEUE_TARGET_SECONDS  # but for the first moment, in which all are let in
LEAST_GOODPUT = 0.9
FLAT_BYTES = 8 << 20
# And the most that it can do a second, by arithmetic.
HANDLERS = {"2 ms of CPU": ("/_/cpu/2000", 500), "5 ms of sleep": ("/_/sleep/5", WORKERS * 200)}
FAULTS = ("client_error", "server_error", "timeout", "refused", "reset", "cut", "malformed",
          "no_connection", "tls_failed", "unfinished")


# A request of our own, seen from its status to its fields.
def look(server, path):
    connection = http.client.HTTPConnection("127.0.0.1", server.port,
                                            timeout=serving.PATIENCE_SECONDS)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        response.read()
        return response.status, response.getheader("Retry-After")
    finally:
        connection.close()


def run(arguments, name, path, most, failures):
    cpus = sorted(os.sched_getaffinity(0))
    words = ("--test-handlers", "--policy", arguments.policy, "--workers", "1", "--max-workers",
             str(WORKERS), "--admin", "127.0.0.1:0")
    apart = {"preexec_fn": lambda: os.sched_setaffinity(0, cpus[:1])} if len(cpus) > 1 else {}
    cpu = cpus[1] if len(cpus) > 1 else None
    with serving.Server(arguments.weft, *words, is_admin_first=True, **apart) as server:
        url = f"http://127.0.0.1:{server.port}{path}"
        watching.load(arguments.weft, url, "--closed", "--connections", str(WORKERS), seconds=1,
                      cpu=cpu)
        capacity = watching.load(arguments.weft, url, "--closed", "--connections", str(WORKERS),
                                 seconds=arguments.capacity_seconds, cpu=cpu)["rate"]["good"]
        # What was measured while others had the CPU would be no overload when they have not.
        rate = FACTOR * (most if arguments.no_times else capacity)
        before = watching.metrics(server)
        with watching.samples_of(lambda: (watching.resident_bytes(server.process),
                                          look(server, path)), 0.1) as samples:
            report = watching.load(arguments.weft, url, "--rate", str(round(rate)),
                                   seconds=arguments.seconds, cpu=cpu)
        wait = watching.quantile(before, watching.metrics(server), "weft_request_wait_seconds",
                                 0.99)
        if server.end() != 0:
            failures.append(f"{name}: did not end well: {server.last_words}")
    judge(arguments, name, capacity, report, samples, wait, failures)


def judge(arguments, name, capacity, report, samples, wait, failures):
    goodput = report["rate"]["good"] / capacity
    served = report["latency"]["served"]["p99"]
    memory = [sample[0] for sample in samples]
    third = max(1, len(memory) // 3)
    growth = max(memory[-third:]) - max(memory[:third])
    rejects = [after for _, (status, after) in samples if status == 503]
    print(f"{name}: capacity {capacity:.0f}/s, offered {report['rate']['offered']:.0f}/s for "
          f"{arguments.seconds} s{' (void: the generator was late)' if report['void'] else ''}\n"
          f"  goodput {goodput:.2f} of capacity; {report['counts']['good']} served, "
          f"{report['counts']['unavailable']} got 503\n"
          f"  P99 of the accepted: waited {wait * 1e3:.1f} ms in the queue, {served * 1e3:.1f} ms in "
          f"all from the intended start\n"
          f"  memory {max(memory) / 2**20:.1f} MiB, {growth / 2**20:+.1f} MiB from the first third "
          f"to the last; {len(rejects)} rejects looked at", flush=True)
    faults = {fault: report["counts"][fault] for fault in FAULTS if report["counts"][fault]}
    judges_times = not arguments.no_times
    for is_wrong, what in ((judges_times and goodput < LEAST_GOODPUT, f"goodput {goodput:.2f}"),
                           (judges_times and wait > MOST_WAIT_SECONDS,
                            f"waits of {wait * 1e3:.1f} ms"),
                           (growth > FLAT_BYTES, f"memory grew by {growth} bytes"),
                           (faults, f"not served, and no 503: {faults}"),
                           (report["counts"]["unavailable"] == 0, "nothing was rejected"),
                           (not rejects or None in rejects, f"no Retry-After: {rejects[:5]}")):
        if is_wrong:
            failures.append(f"{name}: {what}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weft", type=os.path.abspath)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--capacity-seconds", type=int, default=5)
    parser.add_argument("--policy", default="adaptive")
    parser.add_argument("--no-times", action="store_true")
    arguments = parser.parse_args()
    failures = []
    for name, (path, most) in HANDLERS.items():
        run(arguments, name, path, most, failures)
    for failure in failures:
        print("FAILED: " + failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
