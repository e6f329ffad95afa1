#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# The service ends under load and nothing that was acknowledged is lost; the database goes and comes under load, and
# errors are clear, deadlines hold, and it recovers by itself.
#
#   ending_test.py LINKS GRPC_CLIENT [SUITE]...
#
# LINKS_ROUNDS says how often it is ended; 3 unless it is set.
import os
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import threading
import time
import unittest

import harness

PROGRAM = CLIENT = ""
ROUNDS = int(os.environ.get("LINKS_ROUNDS", "3"))
MODELS = ("threads", "coroutines", "fibers", "boost-fiber")


# Creates links by gRPC without a pause, until one is not created.
class GrpcLoad:
    def __init__(self, port, prefix):
        self.client = harness.GrpcClient(CLIENT, port)
        self.prefix = prefix
        self.made = {}
        self.refused = None
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        number = 0
        while self.refused is None:
            number += 1
            url = f"https://example.org/{self.prefix}-{number}"
            status, told = self.client.call("Create", {"url": url})
            if status == "OK":
                self.made[told[0]["key"]] = url
            else:
                self.refused = (status, told, url)

    def end(self):
        self.thread.join(harness.PATIENCE_SECONDS)
        self.client.close()


class Sqlite(unittest.TestCase):
    def setUp(self):
        folder = tempfile.mkdtemp(prefix="weft-links-")
        self.addCleanup(shutil.rmtree, folder)
        self.database = f"sqlite:{folder}/links.db"

    def start(self, *options):
        service = harness.Service(PROGRAM, self.database, *options)
        self.addCleanup(service.kill)
        return service

    def test_loses_nothing_when_it_ends_under_load(self):
        seed = random.randrange(2 ** 32)
        chance = random.Random(seed)
        for round in range(ROUNDS):
            with self.subTest(round=round, seed=seed):
                self.end_under_load(round, chance.choice(MODELS), chance)

    def end_under_load(self, round, model, chance):
        service = self.start("--model", model)
        load = harness.Load(service.http, clients=6, prefix=f"http-{round}")
        calls = [GrpcLoad(service.grpc, f"grpc-{round}-{client}") for client in range(2)]
        load.wait_for(20)
        harness.until(lambda: all(call.made for call in calls), "calls are answered")
        time.sleep(chance.random() * 0.2)
        self.assertEqual(service.end(), 0, service.log())
        load.end()
        for call in calls:
            call.end()
        self.assertEqual([status for status in load.refused if status != 503], [], model)
        # gRPC cancels what reaches a server that has begun to shut down, before anybody has seen it.
        for call in calls:
            self.assertIn(call.refused[0], ("UNAVAILABLE", "CANCELLED"), call.refused)
        again = self.start()
        there = harness.all_links(again.http)
        made = {**load.made}
        for call in calls:
            made.update(call.made)
        for key, url in made.items():
            self.assertEqual(there.get(key), url, f"{model}: an acknowledged link is lost")
        # And what was done was acknowledged: nothing was begun whose answer could not be sent.
        own = {url for url in there.values() if f"/http-{round}-" in url or f"/grpc-{round}-" in url}
        self.assertEqual(own, set(made.values()), model)
        self.assertEqual(again.end(), 0)

    # What waits for a lock in the database ends with its deadline, and the next one is served.
    def test_a_deadline_ends_what_waits_for_the_database(self):
        service = self.start("--request-deadline-ms", "300")
        grpc = harness.GrpcClient(CLIENT, service.grpc)
        self.addCleanup(grpc.close)
        with sqlite3.connect(self.database.removeprefix("sqlite:"), isolation_level=None) as holder:
            holder.execute("BEGIN IMMEDIATE")
            answer = service.ask("POST", "/links", {"url": "http://a", "key": "late"})
            self.assertEqual(answer.status, 504, answer.body)
            self.assertEqual(grpc.call("Create", {"url": "http://a", "key": "late"}, deadline_ms=300)[0],
                             "DEADLINE_EXCEEDED")
            self.assertEqual(service.ask("GET", "/links/late").status, 404)  # readers do not wait
            holder.execute("ROLLBACK")
        holder.close()
        harness.until(lambda: service.ask("POST", "/links", {"url": "http://a", "key": "late"}).status == 201,
                      "it is served again")


class Restarts(unittest.TestCase):
    name = None

    @classmethod
    def setUpClass(cls):
        cls.database = cls.name and harness.start_database(cls.name)
        if cls.database is None:
            raise unittest.SkipTest(f"{cls.name} is not installed")
        cls.addClassCleanup(cls.database.close)

    def setUp(self):
        self.service = harness.Service(PROGRAM, self.database.url, "--request-deadline-ms", "1000")
        self.addCleanup(self.service.kill)

    def test_a_database_that_goes_and_comes(self):
        load = harness.Load(self.service.http, clients=4, retries=True)
        for _ in range(max(1, ROUNDS // 3)):
            load.wait_for(50)
            before = len(load.refused)
            self.database.stop()
            harness.until(lambda: len(load.refused) >= before + 20, "it says so")
            grpc = harness.GrpcClient(CLIENT, self.service.grpc)
            self.assertIn(grpc.call("Get", {"key": "a"})[0], ("UNAVAILABLE", "DEADLINE_EXCEEDED"))
            grpc.close()
            self.assertEqual(self.service.ask("GET", "/healthz", port=self.service.admin).status, 200)
            self.database.start()
        load.wait_for(50)
        load.end()
        self.assertEqual(set(load.refused) - {503, 504}, set())
        self.assertEqual(load.headers[503]["Retry-After"], "1")
        self.assertEqual(load.unanswered, [])
        there = harness.all_links(self.service.http)
        for key, url in load.made.items():
            self.assertEqual(there.get(key), url, "an acknowledged link is lost")
        self.assertEqual(len(set(there.values())), len(there), "a creation was done twice")
        self.assertNotIn(harness.SECRET, self.service.log())
        self.assertEqual(self.service.end(), 0)

    # All of it is answered while nothing of the database moves.
    def test_a_database_that_stands_still(self):
        self.assertEqual(self.service.ask("POST", "/links", {"url": "http://a", "key": "a"}).status, 201)
        self.freeze(signal.SIGSTOP)
        try:
            answers = []
            threads = [threading.Thread(target=lambda: answers.append(
                self.service.ask("GET", "/a").status)) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(harness.PATIENCE_SECONDS)
            self.assertEqual(len(answers), 8)
            self.assertEqual(set(answers) - {503, 504}, set())
        finally:
            self.freeze(signal.SIGCONT)
        harness.until(lambda: self.service.ask("GET", "/a").status == 302, "it is served again")

    # The process and its children, which may lead sessions of their own.
    def freeze(self, sent):
        parent = self.database.process.pid
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                try:
                    with open(f"/proc/{entry}/stat") as stat:
                        if int(stat.read().rpartition(")")[2].split()[1]) == parent:
                            os.kill(int(entry), sent)
                except (OSError, IndexError):
                    pass
        os.kill(parent, sent)


class PostgresqlRestarts(Restarts):
    name = "postgresql"


class MariadbRestarts(Restarts):
    name = "mariadb"


if __name__ == "__main__":
    PROGRAM, CLIENT = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
