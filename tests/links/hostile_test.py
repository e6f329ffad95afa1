#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Input that is wrong, or means harm: the right status, nothing of it raw in the log, and everything still there.
#
#   hostile_test.py LINKS GRPC_CLIENT [SUITE]...
import json
import random
import shutil
import socket
import sys
import tempfile
import unittest

import harness

PROGRAM = CLIENT = ""
JSON = {"Content-Type": "application/json"}
URL = "https://example.org/"


class Hostile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.mkdtemp(prefix="weft-links-")
        cls.addClassCleanup(shutil.rmtree, folder)
        cls.service = harness.Service(PROGRAM, f"sqlite:{folder}/links.db")
        cls.addClassCleanup(cls.service.kill)
        cls.grpc = harness.GrpcClient(CLIENT, cls.service.grpc)
        cls.addClassCleanup(cls.grpc.close)
        cls.made = cls.service.ask("POST", "/links", {"url": URL, "key": "kept"}).json()

    # Whatever was asked before: it serves, has what it had, and its log is lines of text.
    def tearDown(self):
        self.assertEqual(self.service.ask("GET", "/links/kept").json(), self.made)
        self.assertIsNone(self.service.process.poll())
        for line in list(self.service.lines):
            self.assertTrue(line.endswith(b"\n") and line[:-1].isascii() and line[:-1].decode().isprintable(),
                            line)

    def expect(self, status, body, headers=JSON, path="/links", method="POST"):
        answer = self.service.ask(method, path, body, headers)
        self.assertEqual(answer.status, status, (body[:80] if body else body, answer.body))
        if answer.headers["Content-Type"] == "application/json":
            self.assertIn("error", answer.json())
        return answer

    def test_what_is_not_json(self):
        for body in (b"", b"{", b"nonsense", b"[]", b"null", b'"x"', b'{"url":}', b"\x00", b"\xff\xfe",
                     b'{"url":"\xff"}', b'{"url":"\xed\xa0\x80"}', b'{"url":"\xc0\xaf"}',
                     b'{"url":"\\ud800"}', b'{"url":"a\nb"}', b'{"url":"a"}{"url":"b"}', b"[" * 16000,
                     b'{"a":' * 3000, b'{"url":1e999}',
                     # Some who read it take the first, and others the last.
                     b'{"url":"http://a","url":"http://b"}', b'{"url":"http://a","\\u0075rl":"http://b"}'):
            self.expect(400, body)

    def test_other_types_and_values(self):
        for body in ({}, {"url": 1}, {"url": None}, {"url": ["http://a"]}, {"url": {"url": URL}},
                     {"url": URL, "key": 7}, {"url": URL, "expires_in_s": "60"},
                     {"url": URL, "expires_in_s": 1.5}, {"url": URL, "expires_in_s": True},
                     {"url": URL, "expires_in_s": 0}, {"url": URL, "expires_in_s": -1},
                     {"url": URL, "expires_in_s": 2 ** 63}, {"url": URL, "expires_in_s": 2 ** 62},
                     {"url": URL, "expire": 1}, {"url": "javascript:alert(1)"}, {"url": ""},
                     {"url": "http://a/\r\nSet-Cookie: x=y"}, {"url": "http://a/\u0000"},
                     {"url": "http://bank.example@evil.example/"}, {"url": "http://a/" + "x" * 2040},
                     {"url": URL, "key": ""}, {"url": URL, "key": "a/b"}, {"url": URL, "key": "k" * 65},
                     {"url": URL, "key": "é"}, {"url": URL, "key": "'; DROP TABLE links;--"}):
            self.expect(422, json.dumps(body).encode())

    def test_what_is_too_large(self):
        self.expect(413, b'{"url":"' + b"x" * 16384 + b'"}')
        # More than the server takes at all: it may hang up while the body is still on its way.
        head = ("POST /links HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                f"Content-Length: {2 ** 40}\r\n\r\n").encode()
        self.assertTrue(self.raw(head).startswith(b"HTTP/1.1 413 "))

    def test_other_content_types(self):
        for kind in ("text/plain", "application/x-www-form-urlencoded", "application/jsonp", "", "json",
                     "application/json2; charset=utf-8", "\x80", "application\x09/json"):
            body = json.dumps({"url": URL}).encode()
            self.expect(415, body, {"Content-Type": kind.encode("latin-1")})
        self.expect(415, b'{"url":"http://a"}', {"Content-Type": "text/plain; a=application/json"})
        for kind in ("application/json", "Application/JSON ; charset=utf-8"):
            answer = self.service.ask("POST", "/links", json.dumps({"url": URL}).encode(),
                                      {"Content-Type": kind})
            self.assertEqual(answer.status, 201)

    def test_keys_that_are_none(self):
        for path in ("/links/%00", "/links/%ff", "/links/'%20OR%20'1'='1", "/%27;DROP%20TABLE%20links",
                     "/links/" + "k" * 4000, "/%e2%80%a8", "/links/%0d%0aSet-Cookie:%20x"):
            answer = self.service.ask("GET", path)
            self.assertIn(answer.status, (400, 404), path)
            self.assertNotIn("Set-Cookie", answer.headers)
        self.expect(404, None, path="/links/%25", method="DELETE")

    def test_idempotency_keys_that_are_none(self):
        for key in ("", "a b", "k" * 129, "\xe9"):
            self.expect(422, json.dumps({"url": URL}).encode(),
                        {**JSON, "Idempotency-Key": key.encode("latin-1")})

    # Fields that are no lists, and there twice: nobody can tell which one is meant.
    def test_fields_that_are_there_twice(self):
        body = b'{"url":"http://a"}'
        for status, field in ((422, b"Idempotency-Key: one\r\nidempotency-key: two"),
                              (422, b"Idempotency-Key: one\r\nIdempotency-Key: one"),
                              (415, b"Content-Type: text/plain"), (400, b"Grpc-Timeout: 1S\r\nGrpc-Timeout: 2S")):
            answer = self.raw(b"POST /links HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
                              b"Content-Type: application/json\r\n" + field +
                              b"\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
            self.assertTrue(answer.startswith(b"HTTP/1.1 %d " % status), (field, answer))

    # Who came too late hears of which request that is said.
    def test_times_that_are_over(self):
        for method, path, body in (("GET", "/links/kept", None), ("DELETE", "/links/kept", None),
                                   ("POST", "/links", b'{"url":"http://a","key":"late"}')):
            answer = self.service.ask(method, path, body,
                                      {**JSON, "Grpc-Timeout": "0n", "X-Request-Id": "late-17"})
            self.assertEqual((answer.status, answer.headers["X-Request-Id"]), (504, "late-17"))
        self.assertEqual(self.service.ask("GET", "/links/late").status, 404)

    # A client that has said all it will say counts as one that has gone.
    def raw(self, text, goes=False):
        with socket.create_connection(("127.0.0.1", self.service.http), harness.PATIENCE_SECONDS) as out:
            out.sendall(text)
            if goes:
                out.shutdown(socket.SHUT_WR)
            answer = b""
            while piece := out.recv(65536):
                answer += piece
            return answer

    def test_fields_that_mean_harm(self):
        body = b'{"url":"http://a"}'
        for field in (b"X-Request-Id: \x1b[31mred", b"X-Request-Id: a\x00b", b"X-Request-Id: " + b"x" * 300,
                      b"traceparent: 00-\xff", b"Cookie: " + b"c" * 4000, b"X-Request-Id: ../../etc"):
            answer = self.raw(b"POST /links HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
                              b"Content-Type: application/json\r\n" + field +
                              b"\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
            self.assertRegex(answer, rb"^HTTP/1.1 (201|400) ")
            self.assertNotIn(b"\x1b", answer)
        for text in (b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                     b"GET /\x00 HTTP/1.1\r\nHost: a\r\n\r\n", b"\x16\x03\x01\x02\x00\x01",
                     b"GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n"):
            self.assertTrue(self.raw(text, goes=True).startswith(b"HTTP/1.1 400 "), text)

    def test_calls_that_mean_harm(self):
        for message in ({"url": "http://a/\x1b[31m"}, {"url": "x" * 100_000}, {"url": URL, "key": "\u2028"},
                        {"url": URL, "expires_in": "315576000000s"}, {"url": URL, "idempotency_key": ""}):
            self.assertEqual(self.grpc.call("Create", message)[0], "INVALID_ARGUMENT", message)
        self.assertEqual(self.grpc.call("Create", {"url": "x" * (5 << 20)})[0], "RESOURCE_EXHAUSTED")
        self.assertEqual(self.grpc.call("Get", {"key": "kept"}, deadline_ms=-1000)[0], "DEADLINE_EXCEEDED")
        for value in ("x" * 300, "a b", "; DROP TABLE links", "'%s%n"):
            self.assertEqual(self.grpc.call("Get", {"key": "kept"}, metadata={"x-request-id": value})[0],
                             "OK")

    # Metadata that no client of gRPC would send, as HTTP/2 has it on the wire: it is served, or the stream or
    # the connection ends, and others notice nothing of it.
    def test_metadata_that_means_harm(self):
        for name, value in ((b"x-request-id", b"a\r\nb: c"), (b"x-request-id", b"\x1b[31m\x00\xff"),
                            (b"traceparent", b"00-\xff\n"), (b"tracestate", b"a=\x00,\xe2\x80\xa8=1"),
                            (b"X-Upper", b"a"), (b"x y", b"a"), (b"", b"a"), (b"x-bin", b"\xff not base64"),
                            (b"x-bin", b"%%%"), (b"grpc-timeout", b"1x"), (b"grpc-timeout", b"-1S"),
                            (b"grpc-encoding", b"\xff"), (b"x-long", b"v" * 6000), (b"x-long", b"v" * 60000)):
            ended = harness.call_raw(self.service.grpc, b"/weft.links.v1.Links/Get", b"\x0a\x04kept",
                                     [(name, value)])
            self.assertTrue(ended, (name, value))
            self.assertEqual(self.grpc.call("Get", {"key": "kept"})[0], "OK", (name, value))

    # Messages that are none: they are refused before a handler is called, and as many calls are taken as before.
    # The header's name may be in Huffman's code.
    def test_messages_that_are_none(self):
        for message in (b"\x0a\x05kept", b"\x0a\x01\xff", b"\xff" * 11, b"\x0b", b"\x0a\x7f") * 8:
            ended = harness.call_raw(self.service.grpc, b"/weft.links.v1.Links/Get", message)
            self.assertRegex(ended, rb"(grpc-status|\x9a\xca\xc8\xb2\x124\xda\x8f)\x0213", message)
        self.assertEqual(self.grpc.call("Get", {"key": "kept"})[0], "OK")

    # JSON that was right, with a few bytes of it changed: an answer of ours to each, and never a 500.
    def test_changed_bytes(self):
        seed = random.randrange(2 ** 32)
        chance = random.Random(seed)
        right = json.dumps({"url": URL, "key": None, "expires_in_s": 60}).encode()
        for _ in range(300):
            body = bytearray(right)
            for _ in range(chance.randrange(1, 4)):
                at = chance.randrange(len(body))
                change = chance.randrange(3)
                if change == 0:
                    body[at] = chance.randrange(256)
                elif change == 1:
                    del body[at]
                else:
                    body[at:at] = chance.choice([b'"', b"{", b"\\u0000", b"\xf0\x9f", b"1e9", b"null", b"'"])
            answer = self.service.ask("POST", "/links", bytes(body), JSON)
            self.assertIn(answer.status, (201, 400, 422), (seed, bytes(body), answer.body))


if __name__ == "__main__":
    PROGRAM, CLIENT = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
