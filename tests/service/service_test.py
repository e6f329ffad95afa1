#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# A service of few lines (examples/hello_service.cc), as its users and those who run it meet it.
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from process import PATIENCE_SECONDS, Service

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

    def test_answers_and_keeps_its_state_elsewhere(self):
        service = self.start()
        self.assertEqual(service.ask("GET", "/visits/ada")[:2], (200, "0\n"))
        for _ in range(3):
            self.assertEqual(service.ask("POST", "/visits/ada")[0], 204)
        self.assertEqual(service.ask("GET", "/visits/ada")[:2], (200, "3\n"))
        self.assertEqual(service.end(), 0)
        again = self.start()
        self.assertEqual(again.ask("GET", "/visits/ada")[:2], (200, "3\n"))
        self.assertEqual(again.end(signal.SIGINT), 0)

    def test_names_each_request_in_its_log(self):
        service = self.start()
        headers = service.ask("POST", "/visits/ada", {"X-Request-Id": "order-17"})[2]
        self.assertEqual(headers["X-Request-Id"], "order-17")
        evil = service.ask("POST", "/visits/grace%e2%80%a8fake", {"X-Request-Id": "a b"})[2]["X-Request-Id"]
        self.assertRegex(evil, r"^[0-9a-f]{32}$")
        service.end()
        self.assertRegex(service.log(), r"\[order-17\] ada was here\n")
        self.assertIn(f"[{evil}] grace\\xe2\\x80\\xa8fake was here\n", service.log())

    def test_logs_json_where_it_is_asked_to(self):
        service = self.start("--log", "json")
        service.ask("POST", "/visits/ada", {"X-Request-Id": "order-17"})
        service.end()
        lines = [json.loads(line) for line in service.lines]
        self.assertEqual([line["message"] for line in lines if line.get("correlation") == "order-17"],
                         ["ada was here"])

    def test_takes_what_it_is_given_as_data(self):
        service = self.start()
        name = "x'%3B%20DROP%20TABLE%20visits%3B--"
        self.assertEqual(service.ask("POST", f"/visits/{name}")[0], 204)
        self.assertEqual(service.ask("GET", f"/visits/{name}")[:2], (200, "1\n"))
        self.assertEqual(service.ask("POST", "/visits/" + "n" * 101)[:2],
                         (400, "a name has at most 100 bytes\n"))
        self.assertEqual(service.ask("POST", "/visits/%ff")[0], 500)  # no UTF-8: the database says so
        self.assertEqual(service.ask("DELETE", "/visits/ada")[0], 405)
        self.assertEqual(service.ask("GET", "/nothing")[0], 404)

    def test_says_how_it_does(self):
        service = self.start()
        self.assertEqual(service.ask("GET", "/healthz", port=service.admin_port)[0], 200)
        self.assertEqual(service.ask("GET", "/readyz", port=service.admin_port)[0], 200)
        self.assertIn("weft_", service.ask("GET", "/metrics", port=service.admin_port)[1])

    # Not ready at once, serving on for a while, then gone.
    def test_leaves_before_it_ends(self):
        service = self.start("--leaving-ms", "1500")
        service.process.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while service.ask("GET", "/readyz", port=service.admin_port)[0] != 503:
            self.assertLess(time.monotonic(), deadline)
        self.assertEqual(service.ask("GET", "/healthz", port=service.admin_port)[0], 200)
        self.assertEqual(service.ask("POST", "/visits/late")[0], 204)
        self.assertEqual(service.process.wait(PATIENCE_SECONDS), 0)

    def test_loses_nothing_when_it_ends_under_load(self):
        service = self.start()
        answered = 0
        lock = threading.Lock()

        def visit():
            nonlocal answered
            connection = http.client.HTTPConnection("127.0.0.1", service.http_port,
                                                    timeout=PATIENCE_SECONDS)
            try:
                while True:
                    connection.request("POST", "/visits/ada")
                    response = connection.getresponse()
                    response.read()
                    with lock:
                        answered += response.status == 204
            except (http.client.RemoteDisconnected, ConnectionError):
                pass  # refused, or the end of a connection that was idle

        clients = [threading.Thread(target=visit) for _ in range(8)]
        for client in clients:
            client.start()
        while answered < 50:
            time.sleep(0.01)
        self.assertEqual(service.end(), 0)
        for client in clients:
            client.join(PATIENCE_SECONDS)
        again = self.start()
        # What was acknowledged was done, and what was done was acknowledged.
        self.assertEqual(int(again.ask("GET", "/visits/ada")[1]), answered)

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
