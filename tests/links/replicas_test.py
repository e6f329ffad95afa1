#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Two replicas behind HAProxy, on one PostgreSQL: one ends by SIGTERM, again and again, and no client notices; one is
# killed, and only what was in flight on it fails.
#
#   replicas_test.py LINKS GRPC_CLIENT [SUITE]...
#
# LINKS_REPLICA_ROUNDS says how often each is done; 2 unless it is set.
import os
import sys
import time
import unittest

import harness
from proxy import Proxy

PROGRAM = CLIENT = ""
ROUNDS = int(os.environ.get("LINKS_REPLICA_ROUNDS", "2"))
CLIENTS = 4
# How long a replica that is told to end serves on: HAProxy has to ask it once in that time.
LEAVING_MS = 1500


class Replica:
    def __init__(self, database, number):
        self.database = database
        self.name = f"replica{number}"
        self.http, self.admin = harness.free_port(), harness.free_port()
        self.service = None

    def start(self):
        self.service = harness.Service(PROGRAM, self.database, "--leaving-ms", str(LEAVING_MS),
                                       http_port=self.http, admin_port=self.admin)

    def in_flight(self):
        return int(self.service.metrics()["weft_admission_in_flight"])


class Replicas(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.database = Proxy.program and harness.start_database("postgresql")
        if cls.database is None:
            raise unittest.SkipTest("haproxy or postgresql is not installed")
        cls.addClassCleanup(cls.database.close)

    def setUp(self):
        self.replicas = [Replica(self.database.url, number) for number in range(2)]
        for replica in self.replicas:
            replica.start()
            self.addCleanup(lambda own=replica: own.service.kill())
        self.proxy = Proxy([(replica.http, replica.admin) for replica in self.replicas])
        self.addCleanup(self.proxy.close)

    def load(self, prefix, **options):
        load = harness.Load(self.proxy.port, clients=CLIENTS, pause_seconds=0.02, prefix=prefix, **options)
        self.addCleanup(load.ends.set)
        return load

    def start_again(self, replica):
        replica.start()
        harness.until(lambda: self.proxy.serving() == 2, "it is back")

    # What was acknowledged is there, what is there was acknowledged, and once.
    def check(self, load):
        there = harness.all_links(self.proxy.port)
        made = load.made
        for key, url in made.items():
            self.assertEqual(there.get(key), url, "an acknowledged link is lost")
        own = [url for url in there.values() if f"/{load.prefix}-" in url]
        self.assertEqual(len(set(own)), len(own), "a creation was done twice")
        self.assertEqual(set(own), set(made.values()))

    def test_nobody_notices_that_replicas_end(self):
        load = self.load("ended")
        for round in range(ROUNDS):
            replica = self.replicas[round % 2]
            load.wait_for(20)
            load.mark(f"SIGTERM {round} to {replica.name}")
            self.assertEqual(replica.service.end(), 0, replica.service.log())
            load.mark(f"the end of {replica.name}")
            load.wait_for(20)
            self.start_again(replica)
            load.mark(f"the start of {replica.name}")
        load.end()
        self.assertEqual(load.failed_apart_from_load(), [], load.tell(load.failed))
        self.check(load)

    # Nothing holds them up: what is in flight is what chance puts there. A client has a connection for each request:
    # on one that it keeps HAProxy would say nothing of who failed.
    def test_of_a_killed_replica_only_what_was_in_flight_fails(self):
        load = self.load("killed", retries=True, keeps=False)
        killed = []  # (replica, before, after): it was killed between these
        for round in range(ROUNDS):
            replica = self.replicas[round % 2]
            load.wait_for(20)
            load.mark(f"SIGKILL {round} to {replica.name}")
            before = time.monotonic()
            replica.service.kill()
            killed.append((replica.name, before, time.monotonic()))
            load.mark(f"the end of {replica.name}")
            load.wait_for(20)
            harness.until(lambda: self.proxy.serving() == 1, "HAProxy notices")
            self.start_again(replica)
        load.end()
        wrong = [attempt for attempt in load.failed_apart_from_load()
                 if attempt.status != 502 or
                 not any(attempt.answer.headers["Replica"] == name and attempt.begun <= after
                         and attempt.ended >= before for name, before, after in killed)]
        self.assertEqual(wrong, [], load.tell(wrong))
        self.check(load)  # each that failed was asked again, under the same idempotency key

    # All that is in flight waits for a lock in the database: it is known what that is, and exactly that fails.
    def test_of_a_killed_replica_all_that_was_in_flight_fails(self):
        load = self.load("held", retries=True)
        for round in range(ROUNDS):
            load.wait_for(20)
            with self.database.hold("links"):
                harness.until(lambda: len(self.proxy.in_flight()) == CLIENTS ==
                              sum(own.in_flight() for own in self.replicas), "all wait")
                places = self.proxy.in_flight()
                in_flight = {attempt.name: places[attempt.port] for attempt in load.under_way.values()}
                # The one that has more of them, so that there are some.
                replica = max(self.replicas, key=Replica.in_flight)
                theirs = {name for name, place in in_flight.items() if place == replica.name}
                self.assertEqual(len(theirs), replica.in_flight())
                other = self.replicas[1 - self.replicas.index(replica)]
                load.mark(f"SIGKILL {round} to {replica.name}")
                failed_before = len(load.failed)
                before = time.monotonic()
                replica.service.kill()
                after = time.monotonic()
                # These are asked again, and wait with the others, while the database still has what was left behind.
                harness.until(lambda: other.in_flight() == CLIENTS, "all wait at the other")
            load.wait_for(20)
            failed = [attempt for attempt in load.failed[failed_before:] if not attempt.is_shed()]
            self.assertEqual(sorted(attempt.name for attempt in failed if attempt.begun < before), sorted(theirs),
                             load.tell(failed))
            # While it dies, and the kernel closes one socket after another, somebody may still come to it.
            late = [attempt for attempt in failed if attempt.begun > after]
            self.assertEqual(late, [], load.tell(failed))
            harness.until(lambda: self.proxy.serving() == 1, "HAProxy notices")
            self.start_again(replica)
        load.end()
        self.check(load)


if __name__ == "__main__":
    PROGRAM, CLIENT = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
