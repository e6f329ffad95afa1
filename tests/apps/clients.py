# SPDX-License-Identifier: Apache-2.0
# Many connections at once that check what a server answers.
import socket
import threading

from harness import Failure


# Runs `talk(number)` in as many threads as asked for; the first trouble is raised here.
def all_at_once(count, talk):
    troubles = []

    def guarded(number):
        try:
            talk(number)
        except Exception as trouble:  # whatever it is: it is raised below
            troubles.append(trouble)

    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if troubles:
        raise troubles[0]


# A connection that sends bytes and expects lines or bytes, for a bounded time.
class Line:
    def __init__(self, port, seconds=30):
        self.socket = socket.create_connection(("127.0.0.1", port), seconds)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.answers = self.socket.makefile("rb")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.answers.close()
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def read(self, length):
        return self.answers.read(length)

    def line(self):
        line = self.answers.readline()
        if not line.endswith(b"\r\n"):
            raise Failure(f"the connection ended with {line!r}")
        return line[:-2]

    def ask(self, data, expected):
        self.send(data)
        self.expect(expected)

    def expect(self, expected):
        got = self.line()
        if got != expected:
            raise Failure(f"{expected[:200]!r} was expected, and {got[:200]!r} was answered")
