#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# `weft serve --admin` as programs meet it: who may ask what, the numbers, and while all is stuck.
#
#   admin_test.py WEFT [SUITE]
import contextlib
import http.client
import json
import os
import re
import resource
import socket
import sys
import time
import unittest

import metrics_format
import serving

WEFT = os.path.abspath(sys.argv[1])
POLICIES = ("fixed", "adaptive-inline", "adaptive-monitor", "adaptive", "fibers", "coroutines",
            "thread-per-connection")


def serve(*words):
    return serving.Server(WEFT, "--test-handlers", "--admin", "127.0.0.1:0", *words,
                          is_admin_first=True)


def ask(port, path, method="GET", **fields):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=serving.PATIENCE_SECONDS)
    with contextlib.closing(connection):
        connection.request(method, path, headers=fields)
        response = connection.getresponse()
        return response.status, response.read().decode(), response.headers


def metrics(server):
    status, text, _ = ask(server.admin_port, "/metrics")
    assert status == 200, text
    return metrics_format.parse(text)


def history(server, since=0):
    return json.loads(ask(server.admin_port, f"/history.json?since={since}")[1])


# Until it is true; answers what it gave.
def wait_for(condition):
    deadline = time.monotonic() + serving.PATIENCE_SECONDS
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise AssertionError("never came true")
        time.sleep(0.05)
    return value


class Safety(unittest.TestCase):
    PATHS = ("/", "/style.css", "/script.js", "/icon.svg", "/history.json", "/metrics", "/healthz",
             "/readyz", "/no/such")

    def test_it_is_only_looked_at(self):
        with serve() as server:
            for path in self.PATHS:
                for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH"):
                    status, _, headers = ask(server.admin_port, path, method)
                    self.assertEqual((status, headers["Allow"]), (405, "GET, HEAD"))
                status, text, _ = ask(server.admin_port, path, "HEAD")
                self.assertEqual((status, text), (404 if path == "/no/such" else 200, ""))

    def test_every_answer_says_what_a_browser_may_do_with_it(self):
        with serve() as server:
            for path in self.PATHS:
                _, _, headers = ask(server.admin_port, path)
                self.assertEqual(headers["X-Frame-Options"], "DENY")
                self.assertEqual(headers["Cache-Control"], "no-store")
                self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
                policy = headers["Content-Security-Policy"]
                self.assertIn("default-src 'none'", policy)
                self.assertIn("frame-ancestors 'none'", policy)
                self.assertNotIn("unsafe", policy)
                self.assertIsNone(headers["Access-Control-Allow-Origin"])

    # A page elsewhere can have its name lead to 127.0.0.1; then it is asked by that name.
    def test_on_loopback_only_addresses_are_answered(self):
        with serve() as server:
            for host in ("evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil"):
                self.assertEqual(ask(server.admin_port, "/metrics", Host=host)[0], 421, host)
            for host in ("127.0.0.1", f"127.0.0.1:{server.admin_port}", "LOCALHOST:1", "[::1]:80"):
                self.assertEqual(ask(server.admin_port, "/metrics", Host=host)[0], 200, host)

    def test_a_port_for_everybody_is_warned_of(self):
        with serve() as server:
            self.assertEqual(server.warnings, [])
        with serving.Server(WEFT, "--test-handlers", "--admin", "0.0.0.0:0",
                            is_admin_first=True) as server:
            self.assertEqual(len(server.warnings), 1)
            self.assertIn("0.0.0.0", server.warnings[0])
            self.assertEqual(ask(server.admin_port, "/healthz", Host="name.example")[0], 200)

    def test_no_file_of_the_page_names_another_place(self):
        with serve() as server:
            page = ask(server.admin_port, "/")[1]
            names = re.findall(r'(?:src|href)="([^"]*)"', page)
            self.assertIn("script.js", names)
            for name in names:
                self.assertNotRegex(name, r"^(//|[a-z]+:|data)")
                self.assertEqual(ask(server.admin_port, "/" + name)[0], 200, name)


class Numbers(unittest.TestCase):
    def test_metrics_are_strict_and_counters_grow(self):
        for policy in POLICIES:
            with self.subTest(policy), serve("--policy", policy) as server:
                before = metrics(server)
                for path, status in (("/_/hello", 200), ("/_/sleep/2", 200), ("/none", 404)):
                    for _ in range(5):
                        self.assertEqual(server.get(path)[0], status)
                # Times are counted when the client has its answer already.
                wait_for(lambda: metrics(server)[0]["weft_request_seconds_count", ""] >= 15)
                now = metrics(server)
                metrics_format.check_growth(before, now)
                samples, types = now
                self.assertEqual(samples["weft_responses_total", '{code="2xx"}'], 10)
                self.assertEqual(samples["weft_responses_total", '{code="4xx"}'], 5)
                self.assertEqual(samples["weft_connections_total", ""], 15)
                self.assertEqual(samples["weft_request_seconds_count", ""], 15)
                self.assertGreaterEqual(samples["weft_request_seconds_sum", ""], 5 * 0.002)
                slow = samples["weft_request_seconds_count", ""] - samples[
                    "weft_request_seconds_bucket", '{le="0.001"}']
                self.assertGreaterEqual(slow, 5)
                for name in ("process_cpu_seconds_total", "process_resident_memory_bytes",
                             "process_open_fds", "process_max_fds", "weft_cpu_budget"):
                    self.assertGreater(samples[name, ""], 0, name)
                self.assertLess(abs(samples["process_start_time_seconds", ""] - time.time()), 600)
                has_pool = "weft_pool_threads" in types
                self.assertEqual(has_pool, policy not in ("fibers", "thread-per-connection"))

    def test_the_history_adds_up_to_the_counters(self):
        for policy in ("adaptive", "thread-per-connection"):
            with self.subTest(policy), serve("--policy", policy) as server:
                for _ in range(40):
                    self.assertEqual(server.get("/_/sleep/1")[0], 200)
                told = wait_for(lambda: (answer := history(server))["newest"] >= 2 and answer)
                self.assertEqual((told["policy"], told["state"]), (policy, "serving"))
                self.assertEqual(told["listens"], [f"127.0.0.1:{server.port}"])
                column = {name: i + 1 for i, name in enumerate(told["series"])}

                def answered():
                    rows = history(server)["rows"]
                    times = [0] + [row[0] for row in rows]
                    return sum(row[column["answered_2xx"]] * (row[0] - before)
                               for row, before in zip(rows, times))

                # The first interval begins a little after the server did.
                wait_for(lambda: abs(answered() - 40) < 4)
                for row in told["rows"]:
                    self.assertEqual(len(row), len(told["series"]) + 1)
                    has_pool = policy == "adaptive"
                    self.assertEqual(row[column["threads"]] is not None, has_pool)
                self.assertEqual("pool" in told["missing"], policy != "adaptive")
                later = history(server, told["newest"])
                self.assertTrue(all(row[0] > told["rows"][-1][0] for row in later["rows"]))
                self.assertEqual(history(server, 10**9)["rows"], [])
                self.assertEqual(ask(server.admin_port, "/history.json?since=x")[0], 400)


class Saturated(unittest.TestCase):
    QUEUE = 4096

    # Every worker is stuck, the queue is full, and requests are turned away.
    def test_all_pages_answer_while_nothing_else_does(self):
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        with serve("--policy", "fixed", "--workers", "1", "--max-workers", "1") as server:
            with contextlib.ExitStack() as stuck:
                for _ in range(self.QUEUE + 100):
                    client = stuck.enter_context(
                        socket.create_connection(("127.0.0.1", server.port)))
                    client.sendall(b"GET /_/sleep/60000 HTTP/1.1\r\nHost: x\r\n\r\n")
                wait_for(lambda: metrics(server)[0]["weft_overloaded_total", ""] >= 50)
                samples = metrics(server)[0]
                self.assertEqual(samples["weft_pool_busy", ""], 1)
                self.assertEqual(samples["weft_pool_queued", ""], self.QUEUE)
                began = time.monotonic()
                for _ in range(20):
                    for path in ("/", "/history.json", "/metrics", "/healthz", "/readyz"):
                        self.assertEqual(ask(server.admin_port, path)[0], 200)
                self.assertLess(time.monotonic() - began, 30)  # half of what the handler takes
                newest = history(server)["newest"]
                told = wait_for(lambda: (answer := history(server))["newest"] > newest and answer)
                row = dict(zip(told["series"], told["rows"][-1][1:]))
                self.assertEqual((row["busy"], row["threads"], row["queued"]), (1, 1, self.QUEUE))
            server.process.kill()  # a handler that sleeps is no matter of this test


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
