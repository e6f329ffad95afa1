# SPDX-License-Identifier: Apache-2.0
# Many conversations over TCP at once, in one thread: each sends its pieces one by one, with all the
# others in between, and notes what comes back and how it ends.
import selectors
import socket
import time

import responses

QUIET_SECONDS = 0.5  # so long after the last byte either way a connection counts as kept
PATIENCE_SECONDS = 20  # for what is still expected


class Conversation:
    # `expected`: so many statuses are waited for, and the end if `closes`; nothing: neither is
    # known, and quiet decides.
    def __init__(self, pieces, is_head=False, expected=None, closes=None):
        self.pieces = list(reversed(pieces))
        self.expected = expected
        self.closes = closes
        self.is_closed = False
        self.is_reset = False
        self.problem = ""
        self.reader = responses.Reader(is_head)

    @property
    def statuses(self):
        return self.reader.statuses

    def is_satisfied(self, quiet_seconds):
        if self.pieces:
            return False
        if self.expected is None:
            return quiet_seconds >= 2 * QUIET_SECONDS
        enough = len(self.statuses) >= self.expected and not self.closes
        return quiet_seconds >= (QUIET_SECONDS if enough else PATIENCE_SECONDS)

    def begin(self, address):
        self.socket = socket.create_connection(address, timeout=PATIENCE_SECONDS)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(False)
        self.last_time = time.monotonic()

    def send(self):
        try:
            sent = self.socket.send(self.pieces[-1])
        except BlockingIOError:
            return
        except OSError:  # it has closed; what it said is still read
            self.pieces.clear()
            return
        rest = self.pieces.pop()[sent:]
        if rest:
            self.pieces.append(rest)
        self.last_time = time.monotonic()

    # False: it is over.
    def receive(self):
        try:
            piece = self.socket.recv(1 << 16)
            self.last_time = time.monotonic()
            if piece:
                self.reader.feed(piece)
                return True
            self.reader.end()
        except BlockingIOError:
            return True
        except ConnectionError:
            self.is_reset = True
        except (responses.Malformed, ValueError) as error:
            self.problem = str(error)
        self.is_closed = True
        return False


def hold(address, conversations):
    selector = selectors.DefaultSelector()
    going = {}
    for conversation in conversations:
        conversation.begin(address)
        selector.register(conversation.socket, selectors.EVENT_READ, conversation)
        going[conversation.socket] = conversation

    def finish(conversation):
        selector.unregister(conversation.socket)
        del going[conversation.socket]
        conversation.socket.close()

    while going:
        is_sending = False
        for conversation in going.values():
            if conversation.pieces:
                conversation.send()
                is_sending = True
        for key, _ in selector.select(0 if is_sending else 0.05):
            if not key.data.receive():
                finish(key.data)
        now = time.monotonic()
        for conversation in list(going.values()):
            if conversation.is_satisfied(now - conversation.last_time):
                finish(conversation)
    selector.close()
