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
import re
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


# Creates links by gRPC without a pause, until one is not created for another reason than load.
class GrpcLoad:
    def __init__(self, port, prefix):
        self.client = harness.GrpcClient(CLIENT, port)
        self.prefix = prefix
        self.made = {}
        self.last = None  # why it ended
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        number = 0
        while self.last is None:
            number += 1
            url = f"https://example.org/{self.prefix}-{number}"
            began = time.monotonic()
            status, told = self.client.call("Create", {"url": url})
            if status == "OK":
                self.made[told[0]["key"]] = url
            elif status != "RESOURCE_EXHAUSTED":
                self.last = {"status": status, "told": told, "url": url, "began": began,
                             "ended": time.monotonic()}

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

    # Some clients keep their connections, and some have one for each request.
    def end_under_load(self, round, model, chance):
        service = self.start("--model", model)
        loads = [harness.Load(service.http, clients=3, prefix=f"{kind}-{round}", keeps=kind == "kept")
                 for kind in ("kept", "new")]
        calls = [GrpcLoad(service.grpc, f"grpc-{round}-{client}") for client in range(2)]
        for load in loads:
            self.addCleanup(load.ends.set)
            load.wait_for(10)
        harness.until(lambda: all(call.made for call in calls), "calls are answered")
        time.sleep(chance.random() * 0.2)
        told = time.monotonic()
        for load in loads:
            load.mark(f"SIGTERM (to the model {model})")
        self.assertEqual(service.end(), 0, service.log())
        made = {}
        for load in loads:
            load.end()
            made.update(load.made)
            wrong = load.wrong_at_the_end()
            self.assertEqual(wrong, [], load.tell(wrong))
        # gRPC cancels what reaches a server that has begun to shut down, before anybody has seen it.
        for call in calls:
            call.end()
            made.update(call.made)
            self.assertIn(call.last["status"], ("UNAVAILABLE", "CANCELLED"), (model, told, call.last))
        again = self.start()
        there = harness.all_links(again.http)
        for key, url in made.items():
            self.assertEqual(there.get(key), url, f"{model}: an acknowledged link is lost")
        # And what was done was acknowledged: nothing was begun whose answer could not be sent.
        own = {url for url in there.values() if re.search(f"/(kept|new|grpc)-{round}-", url)}
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

    # What a client is told while there is no database: what is wrong, and whether to come again.
    def assert_clear(self, load):
        for attempt in load.failed:
            if attempt.is_shed():
                continue
            self.assertIn(attempt.status, (503, 504), str(attempt))
            if attempt.status == 503:
                self.assertEqual(attempt.answer.error(), "unavailable", str(attempt))
                self.assertEqual(attempt.answer.headers["Retry-After"], "1", str(attempt))

    # By gRPC, too.
    def assert_clear_by_grpc(self, method, message):
        grpc = harness.GrpcClient(CLIENT, self.service.grpc)
        self.addCleanup(grpc.close)
        status, told = grpc.call(method, message, deadline_ms=1000)
        self.assertIn(status, ("UNAVAILABLE", "DEADLINE_EXCEEDED"), told)

    def assert_kept(self, load):
        there = harness.all_links(self.service.http)
        for key, url in load.made.items():
            self.assertEqual(there.get(key), url, "an acknowledged link is lost")
        self.assertEqual(len(set(there.values())), len(there), "a creation was done twice")

    def load(self, prefix):
        load = harness.Load(self.service.http, clients=4, retries=True, prefix=prefix)
        self.addCleanup(load.ends.set)
        return load

    def test_a_database_that_goes_and_comes(self):
        load = self.load("restarted")
        for _ in range(max(1, ROUNDS // 3)):
            load.wait_for(50)
            before = len(load.failed)
            load.mark("its stop")
            self.database.stop()
            harness.until(lambda: len(load.failed) >= before + 20, "it says so")
            for method in "Get", "Resolve":
                self.assert_clear_by_grpc(method, {"key": "a"})
            self.assert_clear_by_grpc("Create", {"url": "http://a"})
            self.assertEqual(self.service.ask("GET", "/healthz", port=self.service.admin).status, 200)
            load.mark("its start")
            self.database.start()
        load.wait_for(50)
        load.end()
        self.assert_clear(load)
        self.assertIn(503, {attempt.status for attempt in load.failed})
        self.assert_kept(load)
        self.assertNotIn(harness.SECRET, self.service.log())
        self.assertEqual(self.service.end(), 0)

    # Deadlines hold: all of it is answered while nothing of the database moves, again and again.
    def test_a_database_that_stands_still(self):
        self.assertEqual(self.service.ask("POST", "/links", {"url": "http://a", "key": "a"}).status, 201)
        load = self.load("frozen")
        load.wait_for(20)
        for _ in range(max(1, ROUNDS // 3)):
            load.mark("it stands still")
            self.database.freeze(signal.SIGSTOP)
            try:
                before = len(load.failed)
                answers = []
                threads = [threading.Thread(target=lambda: answers.append(
                    self.service.ask("GET", "/a").status)) for _ in range(8)]
                for thread in threads:
                    thread.start()
                self.assert_clear_by_grpc("Resolve", {"key": "a"})
                for thread in threads:
                    thread.join(harness.PATIENCE_SECONDS)
                self.assertEqual(len(answers), 8)
                self.assertEqual(set(answers) - {503, 504}, set())
                harness.until(lambda: len(load.failed) >= before + 8, "twice as many as there are clients")
            finally:
                self.database.freeze(signal.SIGCONT)
                load.mark("it moves")
            load.wait_for(20)
        load.end()
        self.assert_clear(load)
        self.assertIn(504, {attempt.status for attempt in load.failed})
        self.assertEqual(self.service.ask("GET", "/a").status, 302)
        self.assert_kept(load)


class PostgresqlRestarts(Restarts):
    name = "postgresql"


class MariadbRestarts(Restarts):
    name = "mariadb"


if __name__ == "__main__":
    PROGRAM, CLIENT = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
