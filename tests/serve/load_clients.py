# SPDX-License-Identifier: Apache-2.0
# Clients that load a server and keep account of every request: which were sent whole, which were
# answered whole and rightly, and how each connection ended. Many in one thread.
#
# What a request is worth when its connection has ended, in this order:
#   answered  its response came whole, with the right body or 503 (that is an answer, too)
#   wrong     its response came whole, and is not the right one
#   declined  a response before it said "Connection: close": RFC 9112 9.6 has the client send it anew
#   unsent    none of its bytes left before the server had ended the connection
#   broken    some of its bytes left, and the server did not wait for the rest
#   cut       a part of its response came
#   crossed   nothing came of it: it met the end of a connection that the server, told to end, had waited on in vain
#             for as long as it does (RFC 9112 9.5: the client sends it anew)
#   lost      nothing came of it, and that is no reason
# Before each send the client looks whether the server has said something that it has not read, perhaps the
# end, and then reads that first. But both may be under way at the same time, on a busy machine perhaps for milliseconds.
import collections
import errno
import random
import selectors
import socket
import ssl
import time

import responses
from clients import WAITED_FOR_SECONDS

PATIENCE_SECONDS = 60
READ_BYTES = 1 << 16
BUSY = (errno.EINPROGRESS, errno.EAGAIN)
FAILURES = ("lost", "cut", "broken", "wrong", "stuck")


class Ask:
    def __init__(self, path, method="GET", body=b"", right=b"", closes=False):
        head = [f"{method} {path} HTTP/1.1", "Host: localhost"]
        if body:
            head.append(f"Content-Length: {len(body)}")
        if closes:
            head.append("Connection: close")
        self.bytes = "\r\n".join(head).encode() + b"\r\n\r\n" + body
        self.right = right
        self.path = path


class Connection:
    # `take` gives the next asks, to be pipelined; none: this one has done enough.
    def __init__(self, address, take, tls, tally):
        self.take, self.tally = take, tally
        self.reader = responses.Reader()
        self.waiting = collections.deque()  # asks and the offset in the stream behind each
        self.output, self.sent, self.queued = b"", 0, 0
        self.is_over = self.has_ended = False
        self.answered = 0
        self.silent_since = time.monotonic()  # at the earliest: the last asks were sent, or it was opened
        self.silent_seconds = 0  # at the most, before the asks that wait
        self.socket = socket.socket()
        self.socket.setblocking(False)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.is_refused = self.socket.connect_ex(address) not in (0, *BUSY)
        self.tls = None
        if tls is not None:
            self.incoming, self.outgoing, self.pending = ssl.MemoryBIO(), ssl.MemoryBIO(), b""
            self.tls = tls.wrap_bio(self.incoming, self.outgoing)
        self.is_secured = tls is None
        self.is_connected = False

    def wants(self):
        writes = self.output or not self.is_connected or (self.tls and (self.pending or self.outgoing.pending))
        return selectors.EVENT_READ | (selectors.EVENT_WRITE if writes else 0)

    def _ask_more(self):
        if self.waiting or self.has_ended or not self.is_secured or self.is_over:
            return
        asks = [] if self.reader.says_close else self.take()
        if not asks:
            self.is_over = True
            return
        now = time.monotonic()
        self.silent_seconds, self.silent_since = now - self.silent_since, now
        for ask in asks:
            self.queued += len(ask.bytes)
            self.waiting.append((ask, self.queued))
        self.output += b"".join(ask.bytes for ask in asks)

    # What the server has said is read first: it may be the end (of TLS, too), or that it is near.
    def _has_heard_all(self):
        try:
            self.socket.recv(1, socket.MSG_PEEK)
            return False
        except BlockingIOError:
            return True
        except OSError:
            return False

    def _send(self):
        if self.tls:
            if self.output and self.is_secured:
                self.output = self.output[self.tls.write(self.output):]
            self.pending += self.outgoing.read()
            if self.pending and self._has_heard_all():
                self.pending = self.pending[self.socket.send(self.pending):]
            if not self.pending and not self.output:
                self.sent = self.queued
        elif self.output and self._has_heard_all():
            count = self.socket.send(self.output)
            self.sent += count
            self.output = self.output[count:]

    # Goes on as far as it can; afterwards `is_over` says whether that was all.
    def step(self):
        try:
            if not self.is_connected:
                problem = self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
                if problem or self.is_refused:
                    self.is_refused = self.is_over = True
                    return
                self.socket.getpeername()
                self.is_connected = True
                if self.tls:
                    self._shake_hands()
            self._receive()
            self._ask_more()
            if not self.is_over:
                self._send()
        except BlockingIOError:
            pass
        except OSError as error:
            if error.errno == errno.ENOTCONN:
                return
            self._end()

    def _receive(self):
        while True:
            try:
                piece = self.socket.recv(READ_BYTES)
            except BlockingIOError:
                return
            if self.tls:
                if piece:
                    self.incoming.write(piece)
                else:
                    self.incoming.write_eof()
                piece = self._decrypt()
            if piece is None:
                if not self.has_ended:
                    continue
            elif piece:
                self.reader.feed(piece)
                self._account()
                self._ask_more()
                continue
            return self._end()

    # What came; nothing for more must come, b"" for the end.
    def _decrypt(self):
        clear = b""
        try:
            if not self._shake_hands():
                return None
            while True:
                piece = self.tls.read(READ_BYTES)
                if not piece:
                    return clear
                clear += piece
        except ssl.SSLWantReadError:
            return clear or None
        except (ssl.SSLEOFError, ssl.SSLZeroReturnError):
            return clear

    def _shake_hands(self):
        try:
            if not self.is_secured:
                self.tls.do_handshake()
            self.is_secured = True
        except ssl.SSLWantReadError:
            pass
        return self.is_secured

    def _account(self):
        while self.answered < len(self.reader.bodies) and self.waiting:
            ask, _ = self.waiting.popleft()
            status = [code for code in self.reader.statuses if code >= 200][self.answered]
            body = self.reader.bodies[self.answered]
            is_right = (status, body) == (200, ask.right)
            self.tally["shed" if status == 503 else "answered" if is_right else "wrong"] += 1
            if status == 503 and b"retry-after" not in self.reader.heads[self.answered]:
                self.tally["wrong"] += 1
            self.answered += 1
        if len(self.reader.bodies) > 64 and not self.waiting:
            self.reader.bodies.clear()
            self.reader.heads.clear()
            self.reader.statuses.clear()
            self.answered = 0

    def _end(self):
        self.has_ended = self.is_over = True
        self.reader.end()
        self._account()
        is_first = True
        for ask, end in self.waiting:
            if self.reader.says_close:
                fate = "declined"
            elif self.sent <= end - len(ask.bytes):
                fate = "unsent"
            elif self.sent < end:
                fate = "broken"
            elif is_first and self.reader.rest:
                fate = "cut"
            else:
                was_waited_for = self.tally.is_ending and self.silent_seconds >= WAITED_FOR_SECONDS
                fate = "crossed" if was_waited_for else "lost"
            self.tally[fate] += 1
            if fate in FAILURES:
                self.tally.note(fate, ask.path, self)
            is_first = False


class Tally(collections.Counter):
    def __init__(self):
        super().__init__()
        self.notes = []
        self.is_ending = False  # the server was told to

    def note(self, fate, path, connection):
        self.notes.append(f"{fate}: {path} after {connection.answered} answers, "
                          f"{'TLS' if connection.tls else 'plain'}, began at {connection.begun:.3f}, "
                          f"{connection.reader.rest[:40]!r}")


# Keeps `count` connections at work until they are refused and the last has ended.
# `between(seconds)` is called now and then. What `start` gives is what a new connection takes from.
def keep_busy(address, count, start, tls_context, tally, between, seed):
    chance = random.Random(seed)
    selector = selectors.DefaultSelector()
    began = time.monotonic()
    is_refused = False

    def open_one():
        connection = Connection(address, start(chance), tls_context, tally)
        connection.begun = time.monotonic() - began
        selector.register(connection.socket, selectors.EVENT_READ | selectors.EVENT_WRITE,
                          connection)

    for _ in range(count):
        open_one()
    last_time = time.monotonic()
    while selector.get_map():
        between(time.monotonic() - began)
        events = selector.select(0.02)
        if events:
            last_time = time.monotonic()
        elif time.monotonic() - last_time > PATIENCE_SECONDS:
            tally["stuck"] += len(selector.get_map())
            break
        for key, _ in events:
            connection = key.data
            connection.step()
            if connection.is_over:
                selector.unregister(connection.socket)
                connection.socket.close()
                is_refused = is_refused or connection.is_refused
                if not is_refused:
                    open_one()
            else:
                selector.modify(connection.socket, connection.wants(), connection)
    for key in list(selector.get_map().values()):
        key.data.socket.close()
    selector.close()
