# SPDX-License-Identifier: Apache-2.0
# Redis with io-threads: answers checked from many connections, snapshots by fork, and load.
import time

from clients import Line, all_at_once
from harness import (Failure, Outcome, Row, found_in, free_port, run, scratch, serve, served,
                     version_of)

TITLE = "Redis"
NEEDS = {"redis-server": "redis-server", "redis-benchmark": "redis-tools"}


def version():
    return version_of(["redis-server", "--version"], r"v=(\S+)")


def start(place, folder, port, io_threads=4, log="no"):
    return serve(place.command(
        ["redis-server", "--port", port, "--bind", "127.0.0.1", "--dir", folder, "--save", "",
         "--io-threads", io_threads, "--io-threads-do-reads", "yes",
         "--appendonly", log]), port)


def talk(port, number, repeats):
    with Line(port) as line:
        for index in range(repeats):
            key = b"k%d-%d" % (number, index)
            value = b"x%d" % index * (1 + index * 37 % 900)
            line.ask(b"SET %s %s\r\n" % (key, value), b"+OK")
            line.ask(b"GET %s\r\n" % key, b"$%d" % len(value))
            line.expect(value)
            line.send(b"INCR shared\r\n")
            line.line()
            line.ask(b"MULTI\r\n", b"+OK")
            line.ask(b"DEL %s\r\n" % key, b"+QUEUED")
            line.ask(b"RPUSH list %d\r\n" % number, b"+QUEUED")
            line.ask(b"EXEC\r\n", b"*2")
            line.expect(b":1")
            line.line()


# Waits for a number in INFO persistence.
def wait_for(line, field, wanted):
    until = time.monotonic() + 30
    while time.monotonic() < until:
        line.send(b"INFO persistence\r\n")
        text = line.read(int(line.line()[1:]) + 2).decode()
        if found_in(rf"^{field}:(\w+)", text) == wanted:
            return
        time.sleep(0.05)
    raise Failure(f"{field} does not become {wanted}\n{text}")


def rows(folder, short):
    connections, repeats = (16, 8) if short else (64, 20)

    def check(place):
        port = free_port()
        with start(place, folder, port):
            all_at_once(connections, lambda number: talk(port, number, repeats))
            with Line(port) as line:
                line.send(b"GET shared\r\n")
                line.line()
                shared = line.line()
                line.send(b"LLEN list\r\n")
                return Outcome((shared, line.line()))

    # Two children by fork beside the threads: the snapshot and the log, rewritten; read again.
    def persist(place):
        with scratch() as data:
            write(place, data)
            for log in ("no", "yes"):
                read_again(place, data, log)
        return Outcome("all numbers, from the snapshot and from the log")

    def write(place, data):
        port = free_port()
        with start(place, data, port), Line(port) as line:
            line.ask(b"SET last word\r\n", b"+OK")
            for number in range(500):
                line.ask(b"RPUSH numbers %d\r\n" % number, b":%d" % (number + 1))
            line.ask(b"BGSAVE\r\n", b"+Background saving started")
            wait_for(line, "rdb_bgsave_in_progress", "0")
            wait_for(line, "rdb_last_bgsave_status", "ok")
            line.ask(b"CONFIG SET appendonly yes\r\n", b"+OK")
            wait_for(line, "aof_rewrite_in_progress", "0")
            wait_for(line, "aof_last_bgrewrite_status", "ok")

    def read_again(place, data, log):
        port = free_port()
        with start(place, data, port, log=log), Line(port) as line:
            wait_for(line, "loading", "0")
            line.ask(b"LLEN numbers\r\n", b":500")

    def bench(place, io_threads, requests):
        port = free_port()
        with start(place, folder, port, io_threads) as server:
            finished = run(place.client(
                ["redis-benchmark", "-p", port, "-c", "50", "-n", requests, "--csv",
                 "-t", "set,get"]), watched=server.pid)
            speed = float(found_in(r'"GET","([\d.]+)"', finished.output))
            kept = run(["redis-cli", "-p", port, "dbsize"]).output
            return served(server, finished, 2 * requests, speed, kept)

    # Its threads spin for each other: with more of them than CPUs it crawls, natively too.
    yield Row(f"set, get, incr, multi from {connections} connections, io-threads 4", check,
              pinned=False)
    yield Row("snapshot and log rewritten by children, read again", persist, pinned=False)
    yield Row("redis-benchmark, 50 connections, io-threads 2",
              lambda place: bench(place, 2, 2_000 if short else 10_000))
    yield Row("redis-benchmark, 50 connections, io-threads 4",
              lambda place: bench(place, 4, 1_000 if short else 4_000))
