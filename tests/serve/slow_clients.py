#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Slow clients at once, of three kinds: heads that never end, bodies that never end, and readers that
# do not read. No worker is held by them, and others are served as when it is calm.
#
#   slow_clients.py WEFT [--connections N] [--own] [--seconds N] [--rate N] [--policy NAME]
#                        [--no-times]
#
# The slow ones are slowhttptest's, or with --own this program's. P99 of the others is measured with
# `weft load` in an open loop: calm, beside the slow ones, and calm again. --no-times: for a machine
# that does other things as well; P99 is printed, and not judged, and 503 is no fault.
# Exit: 0; 1 a worker was held, or somebody was not served, or P99 is more than twice as long.
import argparse
import contextlib
import os
import socket
import subprocess
import sys
import threading
import time

import serving
import watching

LARGE_BYTES = 4 << 20
HELD_LOOKS = 20
MOST_RATIO = 2.0


# One third each: -H never ends its head, -B its body, -X reads five bytes at a time. The server ends them
# after some seconds, and then they are begun anew.
@contextlib.contextmanager
def slowhttptest(port, count, folder):
    url = f"http://127.0.0.1:{port}"
    kinds = (["-H", "-u", url + "/"],
             ["-B", "-u", url + "/_/echo", "-s", "100000"],
             ["-X", "-u", url + "/large", "-w", "512", "-y", "1024", "-n", "5", "-z", "5"])
    share = str(count // len(kinds))
    is_over = threading.Event()

    def attack(kind):
        while not is_over.is_set():
            # Elsewhere they would have CPUs of their own: here they take what the others leave.
            with subprocess.Popen(["nice", "-n", "19", "slowhttptest", *kind, "-c", share, "-r", share, "-i", "2", "-x",
                                   "24", "-l", "120", "-p", "10", "-v", "0"], cwd=folder,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                while process.poll() is None and not is_over.wait(0.05):
                    pass
                process.kill()

    threads = [threading.Thread(target=attack, args=(kind,)) for kind in kinds]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        is_over.set()
        for thread in threads:
            thread.join()


@contextlib.contextmanager
def own_slow_ones(port, count, _):
    begun = (b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
             b"POST /_/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\nsome",
             b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")
    sockets = []
    try:
        for number in range(count):
            slow = socket.socket()
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            slow.connect(("127.0.0.1", port))
            slow.sendall(begun[number % len(begun)])
            sockets.append(slow)
        yield
    finally:
        for slow in sockets:
            slow.close()


def p99_of(report, failures, when, may_shed):
    counts = report["counts"]
    # 503 is what a server says that has no CPU, which is not the doing of slow clients alone.
    fine = ("good", "unavailable") if may_shed else ("good",)
    bad = {name: count for name, count in counts.items() if count and name not in fine}
    if bad or counts["good"] == 0:
        failures.append(f"{when}: not all were served: {counts}")
    if report["void"]:
        print(f"  {when}: the generator was late: {'; '.join(report['void_because'])}")
    served = report["latency"]["served"]
    print(f"  {when}: {counts['good']} served, {counts['unavailable']} got 503, P50 {served['p50'] * 1e3:.2f} ms, "
          f"P99 {served['p99'] * 1e3:.2f} ms", flush=True)
    return served["p99"]


def run(arguments, folder, failures):
    attack = own_slow_ones if arguments.own else slowhttptest
    words = (folder, "--test-handlers", "--policy", arguments.policy, "--admin", "127.0.0.1:0")
    with serving.Server(arguments.weft, *words, is_admin_first=True) as server:
        def measure(when):
            return p99_of(watching.load(arguments.weft,
                                        f"http://127.0.0.1:{server.port}/_/sleep/5", "--rate",
                                        str(arguments.rate), "--ready", "32",
                                        seconds=arguments.seconds), failures, when,
                          arguments.no_times)

        def connections():
            return watching.metrics(server)["weft_connections"]

        measure("to warm up")
        calm = [measure("calm")]
        watching.wait_until(lambda: connections() < 40, "an idle server")
        with attack(server.port, arguments.connections, folder):
            watching.wait_until(lambda: connections() >= 0.9 * arguments.connections,
                                "the slow ones", 4 * serving.PATIENCE_SECONDS)
            held = []
            for _ in range(HELD_LOOKS):
                held.append(watching.metrics(server).get("weft_pool_busy", 0))
                time.sleep(0.02)
            print(f"  {connections():.0f} connections, workers held: {min(held):.0f} to "
                  f"{max(held):.0f}")
            if min(held) > 0:
                failures.append("slow clients hold workers")
            with watching.samples_of(connections, 0.2) as there:
                beside = measure("beside slow clients")
            print(f"  meanwhile {min(there):.0f} to {max(there):.0f} connections")
        watching.wait_until(lambda: connections() < 40, "the end of the slow ones")
        calm.append(measure("calm again"))
        if server.end() != 0:
            failures.append(f"did not end well: {server.last_words}")
    ratio = beside / (sum(calm) / len(calm))
    print(f"P99 beside slow clients / calm: {ratio:.2f}")
    if ratio > MOST_RATIO and not arguments.no_times:
        failures.append(f"the ratio is above {MOST_RATIO}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weft", type=os.path.abspath)
    parser.add_argument("--connections", type=int, default=2000)
    parser.add_argument("--own", action="store_true")
    parser.add_argument("--seconds", type=int, default=6)
    parser.add_argument("--rate", type=int, default=200)
    parser.add_argument("--policy", default="adaptive")
    parser.add_argument("--no-times", action="store_true")
    arguments = parser.parse_args()
    failures = []
    with serving.folder_of(index__html=b"hello", large=bytes(LARGE_BYTES)) as folder:
        run(arguments, folder, failures)
    for failure in failures:
        print("FAILED: " + failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
