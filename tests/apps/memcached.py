# SPDX-License-Identifier: Apache-2.0
# memcached with its own threads: answers checked from many connections, and load.
import os

from clients import Line, all_at_once
from harness import Failure, Outcome, Row, found_in, free_port, run, serve, served, version_of

TITLE = "memcached"
NEEDS = {"memcached": "memcached", "memcaslap": "libmemcached-tools"}
BAR = 0.95
LOAD = "key\n16 16 1\nvalue\n100 100 1\ncmd\n0 0.1\n1 0.9\n"


def version():
    return version_of(["memcached", "-V"], r"memcached (\S+)")


def start(place, port):
    user = ["-u", "root"] if os.geteuid() == 0 else []
    return serve(place.command(["memcached", *user, "-l", "127.0.0.1", "-p", port, "-t", "4",
                                "-c", "2048", "-m", "128"]), port)


# Sets, gets, appends, counts and deletes; what each connection wrote it must read again.
def talk(port, number, repeats):
    with Line(port) as line:
        for index in range(repeats):
            key = b"k%d-%d" % (number, index)
            value = b"v%d" % index * (1 + index * 37 % 900)
            line.ask(b"set %s 7 0 %d\r\n%s\r\n" % (key, len(value), value), b"STORED")
            line.ask(b"get %s\r\n" % key, b"VALUE %s 7 %d" % (key, len(value)))
            line.expect(value)
            line.expect(b"END")
            line.ask(b"append %s 0 0 1\r\n!\r\n" % key, b"STORED")
            line.send(b"incr shared 1\r\nget %s\r\n" % key)
            line.line()
            line.expect(b"VALUE %s 7 %d" % (key, len(value) + 1))
            line.expect(value + b"!")
            line.expect(b"END")
            line.ask(b"delete %s\r\n" % key, b"DELETED")
            line.ask(b"get %s\r\n" % key, b"END")


def rows(folder, short):
    connections, repeats = (16, 20) if short else (64, 50)
    load = folder / "load"
    load.write_text(LOAD)

    def check(place):
        port = free_port()
        with start(place, port):
            with Line(port) as line:
                line.ask(b"set shared 0 0 1\r\n0\r\n", b"STORED")
            all_at_once(connections, lambda number: talk(port, number, repeats))
            with Line(port) as line:
                line.ask(b"get shared\r\n", b"VALUE shared 0 %d" % len(str(connections * repeats)))
                return Outcome(line.line())

    def bench(place, concurrency):
        port = free_port()
        with start(place, port) as server:
            finished = run(place.client(
                ["memcaslap", "-s", f"127.0.0.1:{port}", "-T", "1", "-c", concurrency, "-v", "1",
                 "-F", load, "-x", 20_000 if short else 200_000]), watched=server.pid)
            counts = {name: found_in(rf"{name}: (\d+)", finished.output)
                      for name in ("get_misses", "verify_misses", "verify_failed")}
            if set(counts.values()) != {"0"}:
                raise Failure(f"memcaslap found other values than it had set: {counts}")
            return served(server, finished, int(found_in(r"Ops: (\d+)", finished.output)),
                          float(found_in(r"TPS: (\d+)", finished.output)), counts)

    yield Row(f"set, get, append, incr, delete from {connections} connections", check,
              pinned=False)
    yield Row("memcaslap, 64 connections", lambda place: bench(place, 64), BAR)
    yield Row("memcaslap, 512 connections", lambda place: bench(place, 512), BAR, quick=False)
