#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# `weft serve --access-log`: a line for each response, whoever answers and whatever the disk does.
#
#   access_log_test.py WEFT [SUITE]
import datetime
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest

import serving

WEFT = os.path.abspath(sys.argv[1])
POLICIES = ("fixed", "adaptive-inline", "adaptive-monitor", "adaptive", "fibers", "coroutines",
            "thread-per-connection")
COMBINED = re.compile(r'127\.0\.0\.1 - - \[\d\d/[A-Z][a-z]{2}/\d{4}(:\d\d){3} [+-]\d{4}\] '
                      r'"([^"\\]|\\.)*" \d{3} \d+ "([^"\\]|\\.)*" "([^"\\]|\\.)*" \d+\.\d{6}\n')


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return file.readlines()


def ask_raw(server, text):
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        client.settimeout(serving.PATIENCE_SECONDS)
        client.sendall(text)
        answer = b""
        while piece := client.recv(65536):
            answer += piece
        return answer


# Asks until told to stop, or for the last time by the server; appends how often it was answered.
def keep_asking(server, stop, answered):
    count = 0
    connection = server.connect()
    while not stop.is_set():
        connection.request("GET", f"/_/hello?{threading.get_ident()}-{count}")
        if connection.getresponse().read() != b"hello\n":
            break
        count += 1
    connection.close()
    answered.append(count)


class Lines(unittest.TestCase):
    def test_each_policy_tells_of_each_response(self):
        for policy in POLICIES:
            with self.subTest(policy), serving.folder_of() as folder:
                path = os.path.join(folder, "log")
                began = datetime.datetime.now(datetime.timezone.utc)
                with serving.Server(WEFT, "--test-handlers", "--policy", policy, "--access-log",
                                    path, "--access-log-format", "json") as server:
                    server.get("/_/hello", Referer="http://a/?\"b", **{"User-Agent": "caf\u00e9"})
                    server.get("/_/sleep/20")
                    server.get("/_/echo", "POST", b"x" * 5000)
                    server.get("/none", "HEAD")
                    ask_raw(server, b"GET /\xc3\xa4\x1b\" HTTP/1.1\r\nHost: x\r\n\r\n")
                    self.assertEqual(server.end(), 0)
                lines = [json.loads(line) for line in lines_of(path)]
                # A client may have its answer, and ask another thread, before the line is there.
                order = ("hello", "sleep", "echo", "none", "\x1b")
                lines.sort(key=lambda line: [word in line["request"] for word in order].index(True))
                self.assertEqual([(line["request"], line["status"]) for line in lines],
                                 [("GET /_/hello HTTP/1.1", 200), ("GET /_/sleep/20 HTTP/1.1", 200),
                                  ("POST /_/echo HTTP/1.1", 200), ("HEAD /none HTTP/1.1", 404),
                                  ("GET /\u00e4\x1b\" HTTP/1.1", 400)])
                hello, sleep, echo, none, _ = lines
                self.assertEqual((hello["peer"], hello["body_bytes"], hello["referer"]),
                                 ("127.0.0.1", 6, "http://a/?\"b"))
                self.assertEqual(hello["user_agent"], "caf\ufffd")  # http.client sends Latin-1
                self.assertEqual((echo["body_bytes"], none["body_bytes"]), (5000, 0))
                for line in lines:
                    when = datetime.datetime.fromisoformat(line["time"])
                    self.assertLess(abs((when - began).total_seconds()), 60)
                    self.assertEqual((line["tls"], line["cut"]), (False, False))
                has_loop = policy not in ("fibers", "thread-per-connection")
                self.assertEqual((hello["at_once"], sleep["at_once"]), (has_loop, False))
                self.assertGreaterEqual(sleep["handle_seconds"], 0.02)
                self.assertGreaterEqual(sleep["duration_seconds"], sleep["handle_seconds"])

    def test_combined_is_for_the_tools_there_are(self):
        with serving.folder_of() as folder:
            path = os.path.join(folder, "log")
            with serving.Server(WEFT, "--test-handlers", "--access-log", path) as server:
                server.get("/_/hello", Referer="\" 200 0 \"\\", **{"User-Agent": "agent"})
                ask_raw(server, b"no request\n\r\n")
                self.assertEqual(server.end(), 0)
            hello, refused = lines_of(path)
            self.assertRegex(hello, COMBINED)
            self.assertRegex(refused, COMBINED)
            self.assertIn(r'"GET /_/hello HTTP/1.1" 200 6 "\" 200 0 \"\\" "agent" ', hello)
            self.assertIn('"no request" 400 ', refused)

    def test_a_response_that_was_not_read_is_cut(self):
        for policy in ("adaptive", "fibers", "coroutines"):
            with self.subTest(policy), serving.folder_of(large=b"x" * 30_000_000) as folder:
                path = os.path.join(folder, "log")
                with serving.Server(WEFT, folder, "--policy", policy, "--access-log", path,
                                    "--access-log-format", "json") as server:
                    with socket.create_connection(("127.0.0.1", server.port)) as client:
                        client.sendall(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
                        client.recv(1000)
                    self.assertEqual(server.end(), 0)
                (line,) = map(json.loads, lines_of(path))
                self.assertEqual((line["status"], line["cut"]), (200, True))
                self.assertLess(line["body_bytes"], 30_000_000)

    def test_standard_output_is_a_file_too(self):
        with serving.Server(WEFT, "--test-handlers", "--access-log", "-",
                            stdout=subprocess.PIPE) as server:
            server.get("/_/hello")
            self.assertRegex(server.process.stdout.readline(), COMBINED)
            self.assertEqual(server.end(), 0)
            server.process.stdout.close()


class Files(unittest.TestCase):
    # As logrotate does it.
    def test_renamed_and_reopened_under_load_loses_and_tears_nothing(self):
        for policy in ("adaptive", "coroutines"):
            with self.subTest(policy), serving.folder_of() as folder:
                path = os.path.join(folder, "log")
                with serving.Server(WEFT, "--test-handlers", "--policy", policy, "--access-log",
                                    path) as server:
                    stop, answered = threading.Event(), []
                    threads = [threading.Thread(target=keep_asking, args=(server, stop, answered))
                               for _ in range(4)]
                    for thread in threads:
                        thread.start()
                    for turn in range(5):
                        time.sleep(0.1)
                        os.rename(path, f"{path}.{turn}")
                        server.process.send_signal(signal.SIGHUP)
                        deadline = time.monotonic() + serving.PATIENCE_SECONDS
                        while not os.path.exists(path):
                            self.assertLess(time.monotonic(), deadline)
                            time.sleep(0.01)
                    stop.set()
                    for thread in threads:
                        thread.join()
                    self.assertEqual(server.end(), 0)
                lines = [line for name in os.listdir(folder)
                         for line in lines_of(os.path.join(folder, name))]
                for line in lines:
                    self.assertRegex(line, COMBINED)
                self.assertGreater(sum(answered), 0)
                self.assertEqual(len(lines), sum(answered))
                self.assertEqual(len({line.split('"')[1] for line in lines}), len(lines))

    def metrics(self, server):
        connection = http.client.HTTPConnection("127.0.0.1", server.admin_port,
                                                timeout=serving.PATIENCE_SECONDS)
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        return {name: int(re.search(rf"^weft_access_log_{name}_total (\d+)$", text, re.M)[1])
                for name in ("lines", "dropped")}

    def test_a_full_disk_costs_lines_and_nothing_else(self):
        with serving.Server(WEFT, "--test-handlers", "--access-log", "/dev/full", "--admin",
                            "127.0.0.1:0", is_admin_first=True) as server:
            for _ in range(20):
                self.assertEqual(server.get("/_/hello")[0], 200)
            deadline = time.monotonic() + serving.PATIENCE_SECONDS
            while self.metrics(server)["dropped"] != 20:
                self.assertLess(time.monotonic(), deadline)
            self.assertEqual(self.metrics(server)["lines"], 0)
            self.assertEqual(server.end(), 0)
            self.assertEqual(server.last_words.count("takes no more"), 1)

    # Nobody reads: the server answers as before. Then somebody does, and is told what is missing.
    def test_a_pipe_that_is_not_read_costs_lines_and_nothing_else(self):
        with serving.folder_of() as folder:
            path = os.path.join(folder, "pipe")
            os.mkfifo(path)
            reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
            with serving.Server(WEFT, "--test-handlers", "--access-log", path, "--admin",
                                "127.0.0.1:0", is_admin_first=True) as server:
                agent, asked = "a" * 7000, 0
                connection = server.connect()
                deadline = time.monotonic() + serving.PATIENCE_SECONDS
                while asked % 100 != 0 or self.metrics(server)["dropped"] == 0:
                    self.assertLess(time.monotonic(), deadline)
                    connection.request("GET", "/_/hello", headers={"User-Agent": agent})
                    self.assertEqual(connection.getresponse().read(), b"hello\n")
                    asked += 1
                connection.close()
                os.set_blocking(reader, True)
                with open(reader, encoding="ascii") as file:
                    server.process.send_signal(signal.SIGTERM)
                    lines = file.readlines()
                self.assertEqual(server.process.wait(serving.PATIENCE_SECONDS), 0)
            lost = [int(found[1]) for line in lines
                    if (found := re.search(r"weft: lines lost: (\d+)", line))]
            for line in lines:
                self.assertTrue("lines lost" in line or COMBINED.fullmatch(line), line)
            self.assertGreater(sum(lost), 0)
            self.assertEqual(len(lines) - len(lost) + sum(lost), asked)


class BadUse(unittest.TestCase):
    def test_what_is_wrong_is_named(self):
        for words, said in ((("--access-log", "/no/such/log"), "No such file"),
                            (("--access-log", "-", "--access-log-format", "xml"), "'xml'"),
                            (("--access-log-format", "json"), "--access-log")):
            result = subprocess.run([WEFT, "serve", "--test-handlers", "--listen", "127.0.0.1:0",
                                     *words], capture_output=True, text=True,
                                    timeout=serving.PATIENCE_SECONDS)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn(said, result.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
