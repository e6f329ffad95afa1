#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# `weft serve --test-handlers`: bodies that are streamed, in and out, by each policy, plain and by TLS.
#
#   streaming_test.py WEFT [SUITE]
import os
import random
import socket
import ssl
import sys
import threading
import time
import unittest
import zlib

import serving

WEFT = os.path.abspath(sys.argv[1])
POLICIES = ("adaptive", "fixed", "fibers", "coroutines", "thread-per-connection")


def alphabet(size):
    return (b"abcdefghijklmnopqrstuvwxyz" * (size // 26 + 1))[:size]


def counted(body):
    return f"{len(body)} bytes, adler32 {zlib.adler32(body)}\n".encode()


def serve(policy, *words):
    return serving.Server(WEFT, "--test-handlers", "--policy", policy, "--workers", "2", *words)


def memory_of(server):
    with open(f"/proc/{server.process.pid}/status") as file:
        return int(file.read().split("VmRSS:")[1].split()[0]) * 1024


class Out(unittest.TestCase):
    def test_a_stream_is_chunked_and_whole(self):
        for policy in POLICIES:
            with self.subTest(policy), serve(policy) as server:
                connection = server.connect()
                for size in (0, 1, 100, 32768, 5_000_000):
                    connection.request("GET", f"/_/stream/{size}")
                    response = connection.getresponse()
                    self.assertEqual(response.headers["Transfer-Encoding"], "chunked")
                    self.assertTrue(response.read() == alphabet(size), size)
                connection.request("HEAD", "/_/stream/1000")
                self.assertEqual(connection.getresponse().read(), b"")
                connection.request("GET", "/_/stream/some")
                self.assertEqual(connection.getresponse().status, 400)
                connection.close()
                self.assertEqual(server.end(), 0)

    def test_http_1_0_reads_up_to_the_end(self):
        for policy in POLICIES:
            with self.subTest(policy), serve(policy) as server:
                with socket.create_connection(("127.0.0.1", server.port)) as connection:
                    connection.sendall(b"GET /_/stream/300000 HTTP/1.0\r\n\r\n")
                    text = b""
                    while piece := connection.recv(65536):
                        text += piece
                head, body = text.split(b"\r\n\r\n", 1)
                self.assertNotIn(b"Transfer-Encoding", head)
                self.assertTrue(body == alphabet(300_000))

    # Streams without an end that nobody reads: no memory to speak of, and no worker.
    def test_who_does_not_read_costs_little(self):
        for policy in POLICIES:
            with self.subTest(policy), serve(policy, "--max-workers", "2") as server:
                self.assertEqual(server.get("/_/hello")[0], 200)
                before = memory_of(server)
                readers = []
                for _ in range(100):
                    reader = socket.create_connection(("127.0.0.1", server.port))
                    reader.sendall(b"GET /_/stream/1000000000000 HTTP/1.1\r\nHost: x\r\n\r\n")
                    readers.append(reader)
                for reader in readers:
                    self.assertTrue(reader.recv(1).startswith(b"H"))
                while server.get("/_/sleep/1")[0] != 200:  # so many at once may be overload
                    time.sleep(0.05)
                self.assertLess(memory_of(server) - before, 100 * 512 * 1024)
                for reader in readers:
                    reader.close()


class In(unittest.TestCase):
    def test_a_body_is_counted_however_it_comes(self):
        seed = random.randrange(1 << 32)
        print("seed", seed)
        for policy in POLICIES:
            chance = random.Random(seed)
            with self.subTest(policy), serve(policy) as server:
                connection = server.connect()
                for size in (0, 1, 20_000, 5_000_000):
                    body = chance.randbytes(size)
                    connection.request("POST", "/_/count", body)
                    self.assertEqual(connection.getresponse().read(), counted(body))
                    pieces = [body[at:at + 70_000] for at in range(0, size, 70_000)]
                    connection.request("PUT", "/_/count", iter(pieces), encode_chunked=True)
                    self.assertEqual(connection.getresponse().read(), counted(body))
                connection.close()
                self.assertEqual(server.end(), 0)

    def test_memory_does_not_grow_with_the_body(self):
        for policy in POLICIES:
            with self.subTest(policy), serve(policy) as server:
                self.assertEqual(server.get("/_/count", "POST", b"x")[0], 200)
                before = memory_of(server)
                body = bytes(200_000_000)
                self.assertEqual(server.get("/_/count", "POST", body)[1], counted(body))
                self.assertLess(memory_of(server) - before, 20_000_000)

    def test_leave_is_given_when_the_body_is_read(self):
        for policy in POLICIES:
            with self.subTest(policy), serve(policy) as server:
                for path, answer in (("count", b"HTTP/1.1 100 "), ("early", b"HTTP/1.1 200 ")):
                    with socket.create_connection(("127.0.0.1", server.port)) as connection:
                        connection.sendall(f"POST /_/{path} HTTP/1.1\r\nHost: x\r\nContent-Length: "
                                           "3\r\nExpect: 100-continue\r\n\r\n".encode())
                        self.assertEqual(connection.recv(len(answer)), answer)

    def test_an_early_answer_comes_while_the_body_is_sent(self):
        for policy in POLICIES:
            with self.subTest(policy), serve(policy) as server:
                connection = server.connect()
                connection.request("POST", "/_/early", b"x" * 1000)  # drained
                self.assertEqual(connection.getresponse().read(), b"early\n")
                connection.putrequest("POST", "/_/early")
                connection.putheader("Content-Length", "500000000")
                connection.endheaders(b"the rest never comes")
                response = connection.getresponse()
                self.assertEqual((response.read(), response.headers["Connection"]),
                                 (b"early\n", "close"))
                connection.close()


class Both(unittest.TestCase):
    def test_by_tls(self):
        with serving.folder_of() as folder:
            certificate, key = serving.make_certificate(folder, "one")
            context = ssl.create_default_context(cafile=certificate)
            for policy in POLICIES:
                with self.subTest(policy), serve(policy, "--tls-cert", certificate, "--tls-key",
                                                 key) as server:
                    body = os.urandom(3_000_000)
                    with socket.create_connection(("127.0.0.1", server.port)) as plain:
                        with context.wrap_socket(plain, server_hostname="127.0.0.1") as connection:
                            connection.sendall(b"POST /_/count HTTP/1.1\r\nHost: x\r\nContent-Length:"
                                               b" 3000000\r\n\r\n" + body +
                                               b"GET /_/stream/2000000 HTTP/1.0\r\n\r\n")
                            text = b""
                            while piece := connection.recv(65536):
                                text += piece
                    self.assertIn(counted(body), text[:500])
                    self.assertTrue(text.endswith(b"\r\n\r\n" + alphabet(2_000_000)))

    # What was begun before the signal is finished.
    def test_nothing_is_cut_at_the_end(self):
        for policy in POLICIES:
            with self.subTest(policy), serve(policy) as server:
                body = os.urandom(400_000)
                sender = server.connect()
                sender.putrequest("POST", "/_/count")
                sender.putheader("Content-Length", str(len(body)))
                sender.endheaders(body[:1000])
                reader = server.connect()
                reader.request("GET", "/_/stream/20000000")
                response = reader.getresponse()
                codes = []
                ending = threading.Thread(target=lambda: codes.append(server.end()))
                time.sleep(0.1)  # both are under way
                ending.start()
                time.sleep(1)
                sender.send(body[1000:])
                self.assertEqual(sender.getresponse().read(), counted(body))
                self.assertTrue(response.read() == alphabet(20_000_000))
                ending.join()
                self.assertEqual(codes, [0])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
