# SPDX-License-Identifier: Apache-2.0
# Clients that ask a service one thing after another over connections that they keep, and can say of everything that
# went wrong what it was, when, and on which connection.
import http.client
import threading
import time
from dataclasses import dataclass, field

from service import PATIENCE_SECONDS, Answer, answer_on, send_on, until

# A server that ends waits for the next request of a connection for 250 ms (ReactorLimits::drain_idle).
WAITED_FOR_SECONDS = 0.2


# One request that was sent, or could not be.
@dataclass
class Attempt:
    name: str
    begun: float  # by time.monotonic()
    requests_before: int  # on this connection
    connection_seconds: float  # since it was opened
    silent_since: float  # since then at most the connection was: the request before, or its opening, was begun
    port: int = 0  # of the client
    sent: float = None  # to its end
    ended: float = 0
    answer: Answer = None  # none: it was not answered
    error: Exception = None
    marks: list = field(default_factory=list, repr=False)

    @property
    def status(self):
        return self.answer and self.answer.status

    # Why the service refused it.
    @property
    def reason(self):
        return self.answer and self.answer.headers.get("Weft-Reason")

    # Nobody was there any more; or the service, which had been told to end, had waited for this request long enough.
    def is_explained_by_the_end(self):
        if isinstance(self.error, ConnectionRefusedError):
            return True
        is_closed = isinstance(self.error, (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError))
        return is_closed and (self.sent or self.ended) - self.silent_since >= WAITED_FOR_SECONDS

    # It was refused because there was too much to do, and not for any other reason.
    def is_shed(self):
        return self.status == 503 and self.reason not in (None, "draining")

    # When it was sent, and when it ended, each by the last mark before.
    def __str__(self):
        if self.answer is None:
            what = repr(self.error)
        else:
            fields = ", ".join(f"{name}: {value}" for name, value in self.answer.headers.items())
            what = f"{self.status} {self.answer.body!r} ({fields})"
        sent = "not sent" if self.sent is None else f"sent {self.since_mark(self.sent)}"
        return (f"{self.name}: {what}; begun {self.since_mark(self.begun)}, {sent}, "
                f"ended {self.since_mark(self.ended)}, after {self.requests_before} others on a connection of {self.connection_seconds:.3f} s")

    def since_mark(self, moment):
        before = [mark for mark in self.marks if mark[0] <= moment]
        if not before:
            return "before all marks"
        return f"{moment - before[-1][0]:.3f} s after {before[-1][1]}"


# Each client is a thread; request(client, number) says what it asks: name, method, path, body and headers.
class Clients:
    def __init__(self, port, request, clients, retries=False, pause_seconds=0):
        self.port, self.request = port, request
        self.retries = retries  # the same again, until it succeeds
        self.pause_seconds = pause_seconds
        self.lock = threading.Lock()
        self.succeeded = []
        self.failed = []
        self.under_way = {}  # client -> attempt
        self.marks = []  # (when, what)
        self.ends = threading.Event()
        self.threads = [threading.Thread(target=self.run, args=(client,), daemon=True)
                        for client in range(clients)]
        for thread in self.threads:
            thread.start()

    # Something happens that failures are told by.
    def mark(self, what):
        self.marks.append((time.monotonic(), what))

    def run(self, client):
        line = Line(self.port, self.marks, lambda attempt: self.under_way.update({client: attempt}))
        number = 0
        while not self.ends.wait(self.pause_seconds):
            number += 1
            request = self.request(client, number)
            while True:
                attempt = line.ask(*request)
                is_success = attempt.status is not None and attempt.status < 400
                self.under_way.pop(client)
                with self.lock:
                    (self.succeeded if is_success else self.failed).append(attempt)
                if is_success:
                    break
                if isinstance(attempt.error, ConnectionRefusedError) and not self.retries:
                    return  # there is nobody any more
                time.sleep(0.005)
                if not self.retries or self.ends.is_set():
                    break
        line.close()

    def wait_for(self, count):
        goal = len(self.succeeded) + count
        until(lambda: len(self.succeeded) >= goal, f"{count} successes more")

    def end(self):
        self.ends.set()
        for thread in self.threads:
            thread.join(PATIENCE_SECONDS)
            if thread.is_alive():
                raise AssertionError("a client waits for an answer that does not come")

    # Failures; but not what was refused as there was too much to do on a machine that others use as well, which is
    # only told. A service that ends must not be among the reasons.
    def failed_apart_from_load(self):
        shed = [attempt for attempt in self.failed if attempt.is_shed()]
        if shed:
            print(f"note: {len(shed)} of {len(shed) + len(self.succeeded)} were too many here, as:{self.tell(shed, 3)}")
        return [attempt for attempt in self.failed if not attempt.is_shed()]

    # What went wrong when a service has ended, and is not explained by that.
    def wrong_at_the_end(self):
        return [attempt for attempt in self.failed_apart_from_load() if not attempt.is_explained_by_the_end()]

    # Of some attempts, for people; of many the first.
    @staticmethod
    def tell(attempts, most=20):
        more = len(attempts) - most
        return "".join(f"\n  {attempt}" for attempt in attempts[:most]) + (f"\n  and {more} more" if more > 0 else "")


# A connection that is opened when it is needed, and again when it was closed. on_begin(attempt) is told of each.
class Line:
    def __init__(self, port, marks, on_begin):
        self.port, self.marks, self.on_begin = port, marks, on_begin
        self.connection = None
        self.opened = self.silent_since = 0
        self.requests = 0

    def ask(self, name, method, path, body=None, headers=None):
        now = time.monotonic()
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)
            self.opened, self.silent_since, self.requests = now, now, 0
        attempt = Attempt(name, now, self.requests, now - self.opened, self.silent_since, marks=self.marks)
        self.silent_since = now
        self.requests += 1
        self.on_begin(attempt)
        try:
            if self.connection.sock is None:
                self.connection.connect()
            attempt.port = self.connection.sock.getsockname()[1]
            send_on(self.connection, method, path, body, headers)
            attempt.sent = time.monotonic()
            attempt.answer = answer_on(self.connection)
        except (http.client.HTTPException, OSError) as error:
            attempt.error = error
            self.close()
        else:
            if attempt.answer.headers.get("Connection") == "close":
                self.close()
        attempt.ended = time.monotonic()
        return attempt

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None
