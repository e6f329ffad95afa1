#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# `weft serve`: files, handlers, how it ends, TLS, systemd, and what it says to bad use.
#
#   serve_test.py WEFT [SUITE]
import http.client
import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
import unittest

import serving

WEFT = os.path.abspath(sys.argv[1])


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as file:
        ticks = sum(map(int, file.read().rsplit(")", 1)[1].split()[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


class Files(unittest.TestCase):
    def test_a_folder_is_served_and_nothing_else(self):
        with serving.folder_of(index__html=b"<h1>hi</h1>", __hidden=b"x") as folder:
            os.symlink("/etc/passwd", os.path.join(folder, "out"))
            with serving.Server(WEFT, folder) as server:
                status, body, headers = server.get("/")
                self.assertEqual((status, body), (200, b"<h1>hi</h1>"))
                self.assertEqual(headers["Content-Type"], "text/html; charset=utf-8")
                self.assertEqual(server.get("/.hidden")[0], 404)
                self.assertEqual(server.get("/out")[0], 403)
                self.assertEqual(server.get("/_/hello")[0], 404)
                self.assertEqual(server.get("/", method="DELETE")[0], 405)

    def test_a_large_file_is_whole(self):
        content = os.urandom(8_000_000)
        with serving.folder_of(large=content) as folder:
            for policy in ("adaptive", "fibers", "coroutines", "thread-per-connection"):
                with self.subTest(policy), serving.Server(WEFT, folder, "--policy",
                                                          policy) as server:
                    self.assertEqual(server.get("/large")[1], content)
                    status, body, _ = server.get("/large", Range="bytes=7999990-")
                    self.assertEqual((status, body), (206, content[-10:]))
                    status, body, headers = server.get("/large", method="HEAD")
                    self.assertEqual((status, body, headers["Content-Length"]),
                                     (200, b"", "8000000"))

    def test_many_files_at_once(self):
        files = {f"f{i}": os.urandom(i * 997) for i in range(100)}
        with serving.folder_of(**files) as folder, serving.Server(WEFT, folder) as server:
            def fetch_all(wrong):
                connection = server.connect()
                for name, content in files.items():
                    connection.request("GET", "/" + name)
                    if connection.getresponse().read() != content:
                        wrong.append(name)
                connection.close()

            wrong = []
            threads = [threading.Thread(target=fetch_all, args=(wrong,)) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(wrong, [])


class Handlers(unittest.TestCase):
    def test_each_policy_answers_each_handler(self):
        for policy in ("fixed", "adaptive-inline", "adaptive-monitor", "adaptive", "fibers",
                       "coroutines", "thread-per-connection"):
            with self.subTest(policy), serving.Server(WEFT, "--test-handlers", "--policy", policy,
                                                      "--workers", "2") as server:
                self.assertEqual(server.get("/_/hello")[:2], (200, b"hello\n"))
                self.assertEqual(server.get("/_/sleep/1")[:2], (200, b"slept\n"))
                self.assertEqual(server.get("/_/cpu/100")[:2], (200, b"computed\n"))
                body = os.urandom(100_000)
                self.assertEqual(server.get("/_/echo", "POST", body)[:2], (200, body))
                self.assertEqual(server.get("/_/sleep/soon")[0], 400)
                self.assertEqual(server.get("/_/sleep/1", "POST")[0], 405)
                self.assertEqual(server.end(), 0)

    def test_a_body_that_is_too_large_is_refused(self):
        with serving.Server(WEFT, "--test-handlers") as server:
            connection = server.connect()
            connection.putrequest("POST", "/_/echo")
            connection.putheader("Content-Length", str(1 << 40))
            connection.endheaders()
            self.assertEqual(connection.getresponse().status, 413)
            connection.close()


class Ending(unittest.TestCase):
    # What was asked before the signal is answered, whole.
    def test_nothing_is_cut(self):
        for policy in ("adaptive", "fixed", "fibers", "coroutines", "thread-per-connection"):
            with self.subTest(policy), serving.Server(WEFT, "--test-handlers", "--policy",
                                                      policy) as server:
                outcomes, begun = [], threading.Semaphore(0)

                def ask():
                    connection = server.connect()
                    connection.request("GET", "/_/sleep/300")
                    begun.release()
                    try:
                        response = connection.getresponse()
                        outcomes.append((response.status, response.read()))
                    except OSError as error:
                        outcomes.append(error)
                    connection.close()

                threads = [threading.Thread(target=ask) for _ in range(20)]
                for thread in threads:
                    thread.start()
                for _ in threads:
                    begun.acquire()
                time.sleep(0.1)  # they are read by now
                self.assertEqual(server.end(), 0)
                for thread in threads:
                    thread.join()
                self.assertEqual(outcomes, [(200, b"slept\n")] * 20)

    def test_what_takes_too_long_is_told(self):
        with serving.Server(WEFT, "--test-handlers", "--grace", "1") as server:
            connection = server.connect()
            connection.request("GET", "/_/sleep/2500")
            time.sleep(0.2)
            self.assertEqual(server.end(), 1)
            self.assertIn("within 1 s", server.last_words)
            connection.close()

    def test_nobody_there_is_no_reason_to_wait(self):
        for policy in ("adaptive", "fibers", "coroutines", "thread-per-connection"):
            with self.subTest(policy), serving.Server(WEFT, "--test-handlers", "--policy",
                                                      policy) as server:
                idle = server.connect()
                idle.request("GET", "/_/hello")
                self.assertEqual(idle.getresponse().read(), b"hello\n")
                self.assertEqual(server.end(signal.SIGINT), 0)
                idle.close()


class Admin(unittest.TestCase):
    def ask(self, port, path):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=serving.PATIENCE_SECONDS)
        connection.request("GET", path)
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        return response.status, text

    def test_a_saturated_server_says_how_it_is_and_that_it_ends(self):
        with serving.Server(WEFT, "--test-handlers", "--policy", "fixed", "--workers", "1",
                            "--max-workers", "1", "--admin", "127.0.0.1:0",
                            is_admin_first=True) as server:
            self.assertEqual(self.ask(server.admin_port, "/healthz")[0], 200)
            self.assertEqual(self.ask(server.admin_port, "/readyz"), (200, "ready\n"))
            self.assertEqual(server.get("/_/sleep/1")[0], 200)
            busy = [server.connect() for _ in range(3)]
            for connection in busy:
                connection.request("GET", "/_/sleep/700")
            deadline = time.monotonic() + serving.PATIENCE_SECONDS
            metrics = ""
            while "weft_pool_busy 1\n" not in metrics:
                self.assertLess(time.monotonic(), deadline)
                status, metrics = self.ask(server.admin_port, "/metrics")
                self.assertEqual(status, 200)
            for line in ('weft_responses_total{code="2xx"} 1', "weft_pool_threads 1",
                         "weft_connections_total 4", "weft_request_wait_seconds_count "):
                self.assertIn(line, metrics)
            server.process.send_signal(signal.SIGTERM)
            while self.ask(server.admin_port, "/readyz")[0] == 200:
                self.assertLess(time.monotonic(), deadline)
            self.assertEqual(self.ask(server.admin_port, "/healthz")[0], 200)
            for connection in busy:
                self.assertIn(connection.getresponse().status, (200, 503))
                connection.close()
            self.assertEqual(server.process.wait(serving.PATIENCE_SECONDS), 0)


class Tls(unittest.TestCase):
    def shown(self, server, trusted):
        context = ssl.create_default_context(cafile=trusted)
        with socket.create_connection(("127.0.0.1", server.port)) as plain:
            with context.wrap_socket(plain, server_hostname="127.0.0.1") as connection:
                connection.sendall(b"GET /_/echo HTTP/1.1\r\nHost: x\r\n\r\n"
                                   b"GET /_/hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                text = b""
                while piece := connection.recv(65536):
                    text += piece
                self.assertTrue(text.startswith(b"HTTP/1.1 405"), text)
                self.assertTrue(text.endswith(b"\r\n\r\nhello\n"), text)
                return connection.getpeercert()["subject"][0][0][1]

    # A record that never comes whole costs nothing, and is not waited for at the end.
    def test_half_a_record_holds_nobody_up(self):
        with serving.folder_of() as folder:
            certificate, key = serving.make_certificate(folder, "one")
            for policy in ("adaptive", "fibers", "coroutines", "thread-per-connection"):
                with self.subTest(policy):
                    self.see_half_a_record(policy, certificate, key)

    def see_half_a_record(self, policy, certificate, key):
        with serving.Server(WEFT, "--test-handlers", "--tls-cert", certificate, "--tls-key", key,
                            "--policy", policy) as server, socket.socket() as half:
            half.connect(("127.0.0.1", server.port))
            half.sendall(b"\x16")
            self.assertEqual(self.shown(server, certificate), "one")
            began, used_before = time.monotonic(), cpu_seconds(server.process.pid)
            time.sleep(0.5)
            used = cpu_seconds(server.process.pid) - used_before
            self.assertLess(used / (time.monotonic() - began), 0.5)  # who looks again and again takes all of a CPU
            self.assertEqual(server.end(), 0)

    # Who has begun to shake hands when the server ends is not idle.
    def test_a_handshake_that_is_under_way_is_finished(self):
        with serving.folder_of() as folder:
            certificate, key = serving.make_certificate(folder, "one")
            context = ssl.create_default_context(cafile=certificate)
            for policy in ("adaptive", "fibers", "coroutines", "thread-per-connection"):
                with self.subTest(policy), serving.Server(
                        WEFT, "--test-handlers", "--policy", policy, "--tls-cert", certificate,
                        "--tls-key", key) as server, socket.socket() as plain:
                    plain.settimeout(serving.PATIENCE_SECONDS)
                    plain.connect(("127.0.0.1", server.port))
                    received, to_send = ssl.MemoryBIO(), ssl.MemoryBIO()
                    connection = context.wrap_bio(received, to_send, server_hostname="127.0.0.1")
                    with self.assertRaises(ssl.SSLWantReadError):
                        connection.do_handshake()
                    hello = to_send.read()
                    plain.sendall(hello[:100])
                    self.assertEqual(self.shown(server, certificate), "one")  # it is accepted
                    codes = []
                    ending = threading.Thread(target=lambda: codes.append(server.end()))
                    ending.start()
                    time.sleep(0.6)  # an idle one would be closed by now
                    plain.sendall(hello[100:])

                    def until_done(call):
                        while True:
                            try:
                                return call()
                            except ssl.SSLWantReadError:
                                plain.sendall(to_send.read())
                                received.write(plain.recv(65536))

                    until_done(connection.do_handshake)
                    connection.write(b"GET /_/hello HTTP/1.1\r\nHost: x\r\n\r\n")
                    plain.sendall(to_send.read())
                    answer = until_done(lambda: connection.read(65536))
                    self.assertTrue(answer.startswith(b"HTTP/1.1 200"), answer)
                    self.assertIn(b"Connection: close", answer)
                    plain.close()
                    ending.join()
                    self.assertEqual(codes, [0])

    def test_a_renewed_certificate_is_shown_after_a_signal(self):
        with serving.folder_of() as folder:
            certificate, key = serving.make_certificate(folder, "first")
            with serving.Server(WEFT, "--test-handlers", "--tls-cert", certificate, "--tls-key",
                                key) as server:
                self.assertEqual(self.shown(server, certificate), "first")
                for place, made in zip((certificate, key),
                                       serving.make_certificate(folder, "second")):
                    os.replace(made, place)
                server.process.send_signal(signal.SIGHUP)
                deadline = time.monotonic() + serving.PATIENCE_SECONDS
                while True:
                    try:
                        self.assertEqual(self.shown(server, certificate), "second")
                        break
                    except ssl.SSLCertVerificationError:
                        self.assertLess(time.monotonic(), deadline)
                with open(key, "w") as file:
                    file.write("no key\n")
                server.process.send_signal(signal.SIGHUP)
                self.assertIn("kept the old one", server.process.stderr.readline())
                self.assertEqual(self.shown(server, certificate), "second")
                self.assertEqual(server.end(), 0)


class Manager(unittest.TestCase):
    def test_a_socket_that_was_handed_over_is_used_and_the_manager_hears(self):
        with socket.socket() as listener, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as hears:
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            name = f"\0weft-serve-{os.getpid()}"
            hears.bind(name)
            hears.settimeout(serving.PATIENCE_SECONDS)
            script = f'exec 3<&{listener.fileno()}; export LISTEN_PID=$$; exec "$@"'
            environment = {**os.environ, "LISTEN_FDS": "1", "NOTIFY_SOCKET": "@" + name[1:]}
            process = subprocess.Popen(["sh", "-c", script, "sh", WEFT, "serve", "--test-handlers"],
                                       env=environment, pass_fds=[listener.fileno()],
                                       stderr=subprocess.DEVNULL)
            self.assertTrue(hears.recv(1024).startswith(b"READY=1"))
            with socket.create_connection(listener.getsockname()) as client:
                client.sendall(b"GET /_/hello HTTP/1.0\r\n\r\n")
                self.assertTrue(client.recv(1024).startswith(b"HTTP/1.1 200"))
            process.terminate()
            self.assertEqual(hears.recv(1024), b"STOPPING=1")
            self.assertEqual(process.wait(serving.PATIENCE_SECONDS), 0)


class BadUse(unittest.TestCase):
    def refused(self, *words):
        result = subprocess.run([WEFT, "serve", *words], capture_output=True, text=True,
                                timeout=serving.PATIENCE_SECONDS)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        return result.stderr

    def test_what_is_wrong_is_named(self):
        with serving.folder_of(text=b"no certificate") as folder, socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            text = os.path.join(folder, "text")
            certificate, key = serving.make_certificate(folder, "one")
            _, other_key = serving.make_certificate(folder, "other")
            self.assertIn("nothing to serve", self.refused())
            self.assertIn("/no/such", self.refused("/no/such/folder"))
            self.assertIn("text", self.refused(text))
            self.assertIn("taken", self.refused(folder, "--listen",
                                                f"127.0.0.1:{taken.getsockname()[1]}"))
            self.assertIn("127.0.0.1:8080", self.refused(folder, "--listen", "8080"))
            self.assertIn("did you mean", self.refused(folder, "--policy", "adaptiv").lower())
            self.assertIn("--tls-key", self.refused(folder, "--tls-cert", certificate))
            listen = ("--listen", "127.0.0.1:0")
            self.assertIn("mismatch", self.refused(folder, *listen, "--tls-cert", certificate,
                                                   "--tls-key", other_key))
            self.assertIn("certificate", self.refused(folder, *listen, "--tls-cert", text,
                                                      "--tls-key", key))
            self.refused(folder, "--workers", "0")
            self.assertIn("No such file", self.refused(folder, *listen, "--tls-cert", "/no/such",
                                                       "--tls-key", key))
            self.assertIn("65535", self.refused(folder, "--listen", "127.0.0.1:70000"))
            self.assertIn("/no/such", self.refused(folder, "--listen", "unix:/no/such/socket"))
            self.assertIn("taken", self.refused(folder, *listen, "--admin",
                                                f"127.0.0.1:{taken.getsockname()[1]}"))

    # Root may read everything, unless it has given that up.
    def test_what_may_not_be_read_is_named(self):
        humble = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"]
        humble = humble if os.geteuid() == 0 else []
        with serving.folder_of(private=b"not for you") as folder:
            certificate, key = serving.make_certificate(folder, "one")
            locked = os.path.join(folder, "locked")
            os.mkdir(locked, 0)
            os.chmod(key, 0)
            os.chmod(os.path.join(folder, "private"), 0)
            for words, name in (((locked,), "locked"),
                                ((folder, "--tls-cert", certificate, "--tls-key", key), "one.key")):
                result = subprocess.run([*humble, WEFT, "serve", "--listen", "127.0.0.1:0", *words],
                                        capture_output=True, text=True,
                                        timeout=serving.PATIENCE_SECONDS)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(name, result.stderr)
                self.assertIn("Permission denied", result.stderr)
            with serving.Server(WEFT, folder, around=humble) as server:
                self.assertEqual(server.get("/private")[0], 403)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
