#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SIGTERM at full load, at a moment by chance (but not before all have begun): every request that reached the server before it said
# that it reads no more is answered, whole; then it exits 0 within its grace.
#
#   terminate_under_load.py WEFT [--rounds N] [--seed N] [--policy NAME]... [--connections N]
#
# A round has connections that are kept and ones that are new, requests one by one and pipelined,
# to handlers that answer at once, sleep, compute and echo, to small files and large ones; every third
# round has TLS. load_clients.py says what counts as lost.
import argparse
import os
import pathlib
import random
import signal
import ssl
import sys
import time

import serving

for neighbour in ("http", "support"):
    sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / neighbour))
import load_clients  # noqa: E402
from load_clients import Ask  # noqa: E402

POLICIES = ["adaptive", "fixed", "adaptive-inline", "adaptive-monitor", "fibers", "coroutines",
            "thread-per-connection"]
GRACE_SECONDS = 30
LARGE = bytes(range(256)) * 2000
SMALL = b"small\n" * 100


def an_ask(chance, closes=False):
    kind = chance.randrange(7)
    if kind == 0:
        return Ask(f"/_/sleep/{chance.randrange(1, 40)}", right=b"slept\n", closes=closes)
    if kind == 1:
        return Ask(f"/_/cpu/{chance.randrange(200, 3000)}", right=b"computed\n", closes=closes)
    if kind == 2:
        body = chance.randbytes(chance.randrange(1, 20_000))
        return Ask("/_/echo", "POST", body, body, closes)
    if kind == 3:
        return Ask("/large", right=LARGE, closes=closes)
    if kind == 4:
        return Ask("/small", right=SMALL, closes=closes)
    return Ask("/_/hello", right=b"hello\n", closes=closes)


# A connection is for one request, for a few, or for all that come; it pipelines or it does not.
def start(chance):
    kind = chance.randrange(4)
    left = [chance.choice((1, 1, 3, 10)) if kind < 2 else 1 << 30]
    width = chance.choice((1, 1, 2, 4, 8))

    def take():
        count = min(left[0], width)
        left[0] -= count
        return [an_ask(chance, kind == 0 and left[0] == 0 and i == count - 1)
                for i in range(count)]
    return take


def round_of(weft, policy, folder, certificate, key, seed, connections):
    chance = random.Random(seed)
    is_tls = seed % 3 == 0
    moment_seconds = chance.uniform(0.3, 1.2)
    tls = None
    words = [folder, "--test-handlers", "--policy", policy, "--grace", str(GRACE_SECONDS)]
    if is_tls:
        words += ["--tls-cert", certificate, "--tls-key", key]
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        tls.check_hostname, tls.verify_mode = False, ssl.CERT_NONE
    tally = load_clients.Tally()
    with serving.Server(weft, *words) as server:
        told = []
        ended = []

        def between(seconds):
            if not told and seconds >= moment_seconds and tally["answered"] >= connections:
                tally.is_ending = True
                server.process.send_signal(signal.SIGTERM)
                told.append(time.monotonic())
                tally["before the signal"] = tally["answered"]
            if told and not ended and server.process.poll() is not None:
                ended.append(time.monotonic())

        load_clients.keep_busy(("127.0.0.1", server.port), connections, start, tls, tally, between,
                               seed)
        code = server.process.wait(GRACE_SECONDS + serving.PATIENCE_SECONDS)
        seconds = (ended[0] if ended else time.monotonic()) - told[0]
        words = server.process.stderr.read().strip()
    bad = [f"{name} {tally[name]}" for name in load_clients.FAILURES if tally[name]]
    bad += ["nothing was answered"] if tally["answered"] == 0 else []
    bad += [f"exit {code}: {words}"] if code != 0 else []
    bad += [f"{seconds:.1f} s"] if seconds > GRACE_SECONDS else []
    print(f"{policy}{', TLS' if is_tls else ''}, seed {seed}: {tally['before the signal']} answered, "
          f"SIGTERM, {tally['answered'] - tally['before the signal']} answered, "
          f"{tally['shed']} shed, {tally['declined']} declined, {tally['unsent']} unsent, {tally['crossed']} crossed, "
          f"ended in {seconds:.2f} s{': ' if bad else ''}{', '.join(bad)}", flush=True)
    for line in tally.notes[:20]:
        print("  " + line)
    return bool(bad)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weft")
    parser.add_argument("--rounds", type=int, default=50, help="for each policy")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--policy", action="append")
    parser.add_argument("--connections", type=int, default=100)
    arguments = parser.parse_args()
    failures = 0
    with serving.folder_of(small=SMALL, large=LARGE) as folder:
        certificate, key = serving.make_certificate(folder, "one")
        for number in range(arguments.rounds):
            for policy in arguments.policy or POLICIES:
                failures += round_of(os.path.abspath(arguments.weft), policy, folder, certificate,
                                     key, arguments.seed + number, arguments.connections)
    print(f"{failures} rounds failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
