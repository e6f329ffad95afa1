# SPDX-License-Identifier: Apache-2.0
# A `weft serve` seen from outside: its metrics, its memory, and `weft load` against it.
import contextlib
import http.client
import json
import subprocess
import threading
import time

import serving


# {name: value} of /metrics; labels are part of the name.
def metrics(server):
    connection = http.client.HTTPConnection("127.0.0.1", server.admin_port,
                                            timeout=serving.PATIENCE_SECONDS)
    with contextlib.closing(connection):
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
    return {name: float(value) for name, _, value in
            (line.rpartition(" ") for line in text.splitlines() if line[:1] != "#")}


# The upper end of the bucket that holds this part of what came between two looks at a histogram.
def quantile(before, after, name, part):
    prefix = name + '_bucket{le="'
    counts = sorted((float(key[len(prefix):-2]), value - before.get(key, 0))
                    for key, value in after.items() if key.startswith(prefix))
    wanted = part * counts[-1][1]
    return next(end for end, count in counts if count >= wanted)


def resident_bytes(process):
    with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
        for line in file:
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
    return 0


# Calls `look` again and again, on a thread of its own, until the end of the block.
@contextlib.contextmanager
def samples_of(look, period_seconds):
    samples, is_over = [], threading.Event()

    def run():
        while not is_over.wait(period_seconds):
            samples.append(look())

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield samples
    finally:
        is_over.set()
        thread.join()


# The report of `weft load`. A void run is one, too: who asks looks at report["void"].
def load(weft, url, *words, seconds, cpu=None):
    command = [weft, "load", url, *words, "--duration", f"{seconds}s", "--json", "-"]
    command += ["--cpu", str(cpu)] if cpu is not None else []
    done = subprocess.run(command, capture_output=True, text=True,
                          timeout=seconds + 4 * serving.PATIENCE_SECONDS)
    if done.returncode not in (0, 3):
        raise AssertionError(f"weft load: exit {done.returncode}: {done.stderr}{done.stdout}")
    return json.loads(done.stdout)


def wait_until(is_so, what, seconds=serving.PATIENCE_SECONDS):
    deadline = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > deadline:
            raise AssertionError(f"waited in vain for {what}")
        time.sleep(0.05)
