#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Two replicas behind HAProxy, on one PostgreSQL: one ends by SIGTERM, again and again, and no client notices; one is
# killed, and only what was in flight on it fails.
#
#   replicas_test.py LINKS GRPC_CLIENT [SUITE]...
#
# LINKS_REPLICA_ROUNDS says how often each is done; 2 unless it is set.
import contextlib
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

import harness

PROGRAM = CLIENT = ""
ROUNDS = int(os.environ.get("LINKS_REPLICA_ROUNDS", "2"))
CLIENTS = 4
# How long a replica that is told to end serves on: HAProxy has to ask it once in that time.
LEAVING_MS = 1500
CHECK_MS = 50

CONFIGURATION = """
global
  maxconn 200
defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  timeout check 20s
  retries 3
  option redispatch 1
  # What could not be sent to a replica, or was refused by one that has too much to do, goes to the other; what was
  # begun is the client's to send again.
  retry-on conn-failure 503
frontend clients
  bind 127.0.0.1:{port}
  default_backend replicas
backend replicas
  balance roundrobin
  option httpchk GET /readyz
"""


class Replica:
    def __init__(self, database):
        self.database = database
        self.http, self.admin = harness.free_port(), harness.free_port()
        self.service = None

    def start(self):
        self.service = harness.Service(PROGRAM, self.database, "--leaving-ms", str(LEAVING_MS),
                                       http_port=self.http, admin_port=self.admin)


class Replicas(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.proxy_program = harness.find_program("haproxy")
        cls.database = harness.start_database("postgresql")
        if cls.proxy_program is None or cls.database is None:
            raise unittest.SkipTest("haproxy or postgresql is not installed")
        cls.addClassCleanup(cls.database.close)

    def setUp(self):
        self.replicas = [Replica(self.database.url) for _ in range(2)]
        for replica in self.replicas:
            replica.start()
            self.addCleanup(lambda own=replica: own.service.kill())
        folder = pathlib.Path(tempfile.mkdtemp(prefix="weft-links-"))
        self.addCleanup(shutil.rmtree, folder)
        self.port = harness.free_port()
        self.stats = folder / "stats"
        text = CONFIGURATION.format(port=self.port).replace(
            "global\n", f"global\n  stats socket {self.stats}\n")
        for number, replica in enumerate(self.replicas):
            text += (f"  server replica{number} 127.0.0.1:{replica.http} check port {replica.admin}"
                     f" inter {CHECK_MS}ms fall 1 rise 1\n")
        (folder / "haproxy.cfg").write_text(text)
        self.proxy = subprocess.Popen([self.proxy_program, "-db", "-f", folder / "haproxy.cfg"],
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(self.proxy.wait)
        self.addCleanup(self.proxy.kill)
        harness.until(lambda: self.serving() == 2, "HAProxy finds both")

    # How many replicas HAProxy sends requests to.
    def serving(self):
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as asked:
            asked.connect(str(self.stats))
            asked.sendall(b"show stat\n")
            said = b""
            while piece := asked.recv(65536):
                said += piece
            rows = [row.split(",") for row in said.decode().splitlines()]
            return sum(row[17] == "UP" for row in rows if len(row) > 17 and row[1].startswith("replica"))
        return 0

    def check(self, load):
        there = harness.all_links(self.port)
        for key, url in load.made.items():
            self.assertEqual(there.get(key), url, "an acknowledged link is lost")
        own = [url for url in there.values() if f"/{load.prefix}-" in url]
        self.assertEqual(len(set(own)), len(own), "a creation was done twice")
        return set(own)

    def test_nobody_notices_that_replicas_end(self):
        load = harness.Load(self.port, clients=CLIENTS, pause_seconds=0.02, prefix="ended")
        for round in range(ROUNDS):
            replica = self.replicas[round % 2]
            load.wait_for(20)
            self.assertEqual(replica.service.end(), 0)
            load.wait_for(20)
            replica.start()
            harness.until(lambda: self.serving() == 2, "it is back")
        load.end()
        self.assertEqual((load.refused, load.unanswered), ([], []), load.told)
        self.assertEqual(self.check(load), set(load.made.values()))

    def test_of_a_killed_replica_only_what_was_in_flight_fails(self):
        load = harness.Load(self.port, clients=CLIENTS, retries=True, pause_seconds=0.02, prefix="killed")
        for round in range(ROUNDS):
            replica = self.replicas[round % 2]
            load.wait_for(20)
            before = len(load.refused) + len(load.unanswered)
            replica.service.kill()
            load.wait_for(20)
            harness.until(lambda: self.serving() == 1, "HAProxy notices")
            failed = len(load.refused) + len(load.unanswered) - before
            self.assertLessEqual(failed, CLIENTS, load.told)
            replica.start()
            harness.until(lambda: self.serving() == 2, "it is back")
        load.end()
        # Each that failed was asked again, under the same idempotency key.
        self.assertEqual(self.check(load), set(load.made.values()))


if __name__ == "__main__":
    PROGRAM, CLIENT = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
