#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# What the reference service promises, on each database and on each model.
#
#   contract_test.py LINKS GRPC_CLIENT [SUITE]...
import contextlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

import harness

PROGRAM = CLIENT = ""
URL = "https://example.org/?q='%20OR%201=1;--&x=€"


class Contract(unittest.TestCase):
    options = ()

    @classmethod
    def setUpClass(cls):
        if cls is Contract:
            raise unittest.SkipTest("only its children run")
        cls.stack = contextlib.ExitStack()
        cls.addClassCleanup(cls.stack.close)
        cls.service = harness.Service(PROGRAM, cls.database(), *cls.options)
        cls.stack.callback(cls.service.kill)
        cls.grpc = harness.GrpcClient(CLIENT, cls.service.grpc)
        cls.stack.callback(cls.grpc.close)

    def make(self, **wanted):
        headers = {"Idempotency-Key": wanted.pop("idempotency")} if "idempotency" in wanted else {}
        answer = self.service.ask("POST", "/links", {"url": URL, **wanted}, headers)
        self.assertEqual(answer.status, 201, answer.body)
        return answer.json()

    def expect(self, status, error, method, path, *arguments):
        answer = self.service.ask(method, path, *arguments)
        self.assertEqual((answer.status, answer.error()), (status, error), answer.body)
        return answer

    def test_a_link_from_its_creation_to_its_end(self):
        answer = self.service.ask("POST", "/links", {"url": URL})
        made = answer.json()
        self.assertEqual(answer.status, 201)
        self.assertEqual(answer.headers["Location"], f"/links/{made['key']}")
        self.assertRegex(made["key"], r"^[\w-]{8}$")
        for visits in range(1, 4):
            followed = self.service.ask("GET", f"/{made['key']}")
            self.assertEqual(followed.status, 302)
            self.assertEqual(followed.headers["Location"], URL.replace("€", "%E2%82%AC"))
        seen = self.service.ask("GET", answer.headers["Location"]).json()
        self.assertEqual(seen, {**made, "visits": visits})
        self.assertEqual(seen["url"], URL)
        self.assertIsNone(seen["expires"])
        self.assertEqual(self.service.ask("DELETE", f"/links/{made['key']}").status, 204)
        for method, path in (("GET", "/"), ("GET", "/links/"), ("DELETE", "/links/")):
            self.expect(404, "not_found", method, path + made["key"])

    def test_chosen_keys(self):
        self.make(key="Chosen")
        self.make(key="chosen")  # another one
        self.expect(409, "taken", "POST", "/links", {"url": URL, "key": "chosen"})
        self.expect(422, "invalid", "POST", "/links", {"url": URL, "key": "links"})

    def test_expired_links_lead_nowhere(self):
        self.make(key="brief", expires_in_s=1)
        self.make(key="lasting", expires_in_s=3600)
        harness.until(lambda: self.service.ask("GET", "/brief").status == 410, "it expires")
        self.expect(410, "expired", "GET", "/brief")
        self.assertEqual(self.service.ask("GET", "/links/brief").status, 200)
        self.assertEqual(self.service.ask("GET", "/lasting").status, 302)
        self.assertRegex(self.service.ask("GET", "/links/lasting").json()["expires"],
                         r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")

    def test_pages(self):
        keys = sorted((f"page{letter}" for letter in "azAZ09_-"), key=str.encode)
        for key in keys:
            self.make(key=key)
        seen, after = [], ""
        while after is not None:
            page = self.service.ask("GET", f"/links?prefix=page&limit=3&after={after}").json()
            self.assertLessEqual(len(page["links"]), 3)
            seen += [link["key"] for link in page["links"]]
            after = page["next"]
        self.assertEqual(seen, keys)
        for query in ("limit=0", "limit=x", "limit=1001", "prefix=%25", "after=%27", "limit=9e9"):
            self.expect(422, "invalid", "GET", f"/links?{query}")

    def test_the_same_creation_again_makes_no_second_link(self):
        made = self.make(idempotency="order-17", expires_in_s=60)
        self.assertEqual(self.make(idempotency="order-17", expires_in_s=60), made)
        self.expect(422, "reused", "POST", "/links", {"url": URL}, {"Idempotency-Key": "order-17"})
        status, told = self.grpc.call("Create", {"url": URL, "idempotency_key": "order-17",
                                                 "expires_in": "60s"})
        self.assertEqual((status, told[0]["key"]), ("OK", made["key"]))

    # Whoever is first: one link, and all are told the same.
    def test_the_same_creation_at_the_same_time_makes_one_link(self):
        for round in range(5):
            keys = []
            name = f"race-{round}"
            threads = [threading.Thread(target=lambda: keys.append(self.make(idempotency=name)["key"]))
                       for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual((len(keys), len(set(keys))), (8, 1))

    def test_visits_at_the_same_time_are_all_counted(self):
        self.make(key="busy")

        def visit():
            for _ in range(10):
                self.assertEqual(self.service.ask("GET", "/busy").status, 302)
        threads = [threading.Thread(target=visit) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(self.service.ask("GET", "/links/busy").json()["visits"], 80)

    def test_both_faces_show_the_same_links(self):
        status, (made,) = self.grpc.call("Create", {"url": URL, "key": "both", "expires_in": "60s"})
        self.assertEqual((status, made["key"], made["url"], made["visits"]), ("OK", "both", URL, "0"))
        seen = self.service.ask("GET", "/links/both").json()
        self.assertEqual(seen["url"], URL)
        self.assertEqual(seen["created"][:19], made["created"][:19])
        self.assertEqual(self.service.ask("GET", "/both").status, 302)
        self.assertEqual(self.grpc.call("Resolve", {"key": "both"})[1][0]["visits"], "2")
        self.assertEqual(self.grpc.call("Get", {"key": "both"})[1][0]["visits"], "2")
        self.assertEqual(self.grpc.call("Delete", {"key": "both"}), ("OK", [{}]))
        self.expect(404, "not_found", "GET", "/links/both")

    def test_failures_over_grpc(self):
        self.make(key="mine")
        self.make(key="over", expires_in_s=1)
        for wanted, method, message in (
                ("ALREADY_EXISTS", "Create", {"url": URL, "key": "mine"}),
                ("INVALID_ARGUMENT", "Create", {"url": "javascript:x"}),
                ("INVALID_ARGUMENT", "Create", {"url": URL, "key": ""}),
                ("INVALID_ARGUMENT", "Create", {"url": URL, "expires_in": "1.5s"}),
                ("INVALID_ARGUMENT", "Create", {"url": URL, "idempotency_key": "a b"}),
                ("INVALID_ARGUMENT", "List", {"prefix": "%"}),
                ("INVALID_ARGUMENT", "List", {"limit": -1}),
                ("NOT_FOUND", "Get", {"key": "nobody"}),
                ("NOT_FOUND", "Resolve", {"key": "'; DROP TABLE links;--"}),
                ("NOT_FOUND", "Delete", {})):
            status, text = self.grpc.call(method, message)
            self.assertEqual(status, wanted, (method, message, text))
            self.assertNotEqual(text, "")
        harness.until(lambda: self.grpc.call("Resolve", {"key": "over"})[0] == "FAILED_PRECONDITION",
                      "it expires")

    def test_lists_stream(self):
        for number in range(250):
            self.make(key=f"stream{number:03}")
        for limit, count in ((0, 250), (1, 1), (100, 100), (101, 101), (1000, 250)):
            status, links = self.grpc.call("List", {"prefix": "stream", "limit": limit})
            self.assertEqual((status, len(links)), ("OK", count))
            self.assertEqual([link["key"] for link in links],
                             [f"stream{number:03}" for number in range(count)])
        status, links = self.grpc.call("List", {"prefix": "stream", "after": "stream247"})
        self.assertEqual([link["key"] for link in links], ["stream248", "stream249"])

    def test_requests_have_names(self):
        made = self.service.ask("POST", "/links", {"url": URL}, {"X-Request-Id": "order-18"})
        self.assertEqual(made.headers["X-Request-Id"], "order-18")
        key = self.grpc.call("Create", {"url": URL}, metadata={"x-request-id": "order-19"})[1][0]["key"]
        for name, key in (("order-18", made.json()["key"]), ("order-19", key)):
            harness.until(lambda: f"[{name}] created {key}\n" in self.service.log(), "it is logged")

    def test_other_methods_and_paths(self):
        for status, method, path in ((405, "PUT", "/links/a"), (405, "POST", "/a"), (404, "GET", "/"),
                                     (404, "GET", "/a/b"), (404, "GET", "/links/a/b")):
            self.assertEqual(self.service.ask(method, path).status, status, path)
        self.make(key="headless")
        self.assertEqual(self.service.ask("HEAD", "/links/headless").status, 200)


class Sqlite(Contract):
    @classmethod
    def database(cls):
        folder = tempfile.mkdtemp(prefix="weft-links-")
        cls.stack.callback(shutil.rmtree, folder)
        return f"sqlite:{folder}/links.db"


def on_server(name):
    def database(cls):
        server = harness.start_database(name)
        if server is None:
            raise unittest.SkipTest(f"{name} is not installed")
        cls.stack.callback(server.close)
        return server.url
    return classmethod(database)


class Postgresql(Contract):
    database = on_server("postgresql")


class Mariadb(Contract):
    database = on_server("mariadb")


# The other models, on SQLite; what is not of the model is not asked again.
class Coroutines(Sqlite):
    options = ("--model", "coroutines")


class Fibers(Sqlite):
    options = ("--model", "fibers")


class BoostFiber(Sqlite):
    options = ("--model", "boost-fiber")

    @classmethod
    def setUpClass(cls):
        if "boost-fiber" not in subprocess.run([PROGRAM, "--help"], capture_output=True,
                                               text=True).stdout:
            raise unittest.SkipTest("built without Boost.Fiber")
        super().setUpClass()


class BadUse(unittest.TestCase):
    def refused(self, *words, http="127.0.0.1:0"):
        done = subprocess.run([PROGRAM, "--http", http, "--grpc", "127.0.0.1:0", "--admin",
                               "127.0.0.1:0", *words], capture_output=True, text=True,
                              timeout=harness.PATIENCE_SECONDS)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertNotIn(harness.SECRET, done.stderr)
        return done.stderr

    def test_says_what_is_wrong_and_does_not_start(self):
        self.assertIn("--model", self.refused("--model", "magic"))
        self.assertIn("sqlite:", self.refused("--database", "nonsense:x"))
        self.assertIn("/nowhere/links.db", self.refused("--database", "sqlite:/nowhere/links.db"))
        nobody = f"127.0.0.1:{harness.free_port()}"
        self.assertIn(nobody, self.refused(
            "--database", f"postgresql://weft:{harness.ENCODED_SECRET}@{nobody}/x"))
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            place = f"127.0.0.1:{taken.getsockname()[1]}"
            self.assertIn(place, self.refused("--database", "sqlite::memory:", http=place))

    def test_help_names_the_models(self):
        said = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True)
        self.assertEqual(said.returncode, 0)
        for word in ("--model", "coroutines", "fibers", "--grpc", "--database"):
            self.assertIn(word, said.stdout)


if __name__ == "__main__":
    PROGRAM, CLIENT = sys.argv[1:3]
    names = sys.argv[3:]
    if names == ["Models"]:
        names = ["Coroutines", "Fibers", "BoostFiber"]
    unittest.main(argv=[sys.argv[0], *names])
