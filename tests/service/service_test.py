#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# A service of few lines (examples/hello_service.cc), as its users and those who run it meet it.
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from clients import Clients  # noqa: E402
from service import PATIENCE_SECONDS, Service, until  # noqa: E402

PROGRAM = ""


class ServiceTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="weft-service-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def start(self, *options, **arguments):
        service = Service(PROGRAM, "--http", "127.0.0.1:0", "--admin", "127.0.0.1:0",
                          "--database", f"sqlite:{self.folder}/hello.db", *options, **arguments)
        self.addCleanup(service.kill)
        return service

    def told(self, service, path, method="GET"):
        answer = service.ask(method, path)
        return answer.status, answer.text

    def test_answers_and_keeps_its_state_elsewhere(self):
        service = self.start()
        self.assertEqual(self.told(service, "/visits/ada"), (200, "0\n"))
        for _ in range(3):
            self.assertEqual(service.ask("POST", "/visits/ada").status, 204)
        self.assertEqual(self.told(service, "/visits/ada"), (200, "3\n"))
        self.assertEqual(service.end(), 0)
        again = self.start()
        self.assertEqual(self.told(again, "/visits/ada"), (200, "3\n"))
        self.assertEqual(again.end(signal.SIGINT), 0)

    def test_names_each_request_in_its_log(self):
        service = self.start()
        headers = service.ask("POST", "/visits/ada", headers={"X-Request-Id": "order-17"}).headers
        self.assertEqual(headers["X-Request-Id"], "order-17")
        evil = service.ask("POST", "/visits/grace%e2%80%a8fake", headers={"X-Request-Id": "a b"}).headers["X-Request-Id"]
        self.assertRegex(evil, r"^[0-9a-f]{32}$")
        service.end()
        self.assertRegex(service.log(), r"\[order-17\] ada was here\n")
        self.assertIn(f"[{evil}] grace\\xe2\\x80\\xa8fake was here\n", service.log())

    def test_logs_json_where_it_is_asked_to(self):
        service = self.start("--log", "json")
        service.ask("POST", "/visits/ada", headers={"X-Request-Id": "order-17"})
        service.end()
        lines = [json.loads(line) for line in service.lines]
        self.assertEqual([line["message"] for line in lines if line.get("correlation") == "order-17"],
                         ["ada was here"])

    def test_takes_what_it_is_given_as_data(self):
        service = self.start()
        name = "x'%3B%20DROP%20TABLE%20visits%3B--"
        self.assertEqual(service.ask("POST", f"/visits/{name}").status, 204)
        self.assertEqual(self.told(service, f"/visits/{name}"), (200, "1\n"))
        self.assertEqual(self.told(service, "/visits/" + "n" * 101, "POST"),
                         (400, "a name has at most 100 bytes\n"))
        self.assertEqual(service.ask("POST", "/visits/%ff").status, 500)  # no UTF-8: the database says so
        self.assertEqual(service.ask("DELETE", "/visits/ada").status, 405)
        self.assertEqual(service.ask("GET", "/nothing").status, 404)

    def test_says_how_it_does(self):
        service = self.start()
        self.assertEqual(service.ask("GET", "/healthz", port=service.admin).status, 200)
        self.assertEqual(service.ask("GET", "/readyz", port=service.admin).status, 200)
        self.assertIn("weft_", service.ask("GET", "/metrics", port=service.admin).text)

    # Not ready at once, serving on for a while, then gone.
    def test_leaves_before_it_ends(self):
        service = self.start("--leaving-ms", "1500")
        service.process.send_signal(signal.SIGTERM)
        until(lambda: service.ask("GET", "/readyz", port=service.admin).status == 503, "it is not ready")
        self.assertEqual(service.ask("GET", "/healthz", port=service.admin).status, 200)
        self.assertEqual(service.ask("POST", "/visits/late").status, 204)
        self.assertEqual(service.process.wait(PATIENCE_SECONDS), 0)

    def test_loses_nothing_when_it_ends_under_load(self):
        service = self.start()
        load = Clients(service.http, lambda client, number: (
            f"{client}, {number}", "POST", "/visits/ada"), clients=8)
        self.addCleanup(load.ends.set)
        load.wait_for(50)
        load.mark("SIGTERM")
        self.assertEqual(service.end(), 0)
        load.end()
        self.assertEqual(load.wrong_at_the_end(), [], load.tell(load.failed))
        again = self.start()
        # What was acknowledged was done, and what was done was acknowledged.
        self.assertEqual(int(again.ask("GET", "/visits/ada").text), len(load.succeeded))

    def refuses(self, *words, environment=None):
        done = subprocess.run([PROGRAM, *words], capture_output=True, text=True,
                              timeout=PATIENCE_SECONDS, env={**os.environ, **(environment or {})})
        self.assertEqual(done.returncode, 2, done.stderr)
        return done.stderr

    def test_says_what_is_wrong_and_does_not_start(self):
        database = f"sqlite:{self.folder}/hello.db"
        self.assertIn("say --database URL", self.refuses("--http", "127.0.0.1:0"))
        self.assertIn("--grace-ms", self.refuses("--grace-ms", "soon"))
        self.assertIn("--log", self.refuses("--log", "xml"))
        self.assertIn("does not begin with sqlite:", self.refuses("--database", "nonsense:x"))
        self.assertIn("nowhere", self.refuses("--http", "nowhere", "--database", database))
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            place = f"127.0.0.1:{taken.getsockname()[1]}"
            self.assertIn(place, self.refuses("--http", place, "--database", database))

    def test_takes_options_from_the_environment(self):
        service = self.start(environment={"LOG_FORMAT": "json"})
        service.end()
        json.loads(service.lines[0])


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
