# SPDX-License-Identifier: Apache-2.0
# A service as a process: where it listens, what it answers and logs, and how it ends.
import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import threading
import time

PATIENCE_SECONDS = 60


# Waits until `holds` is true.
def until(holds, what, seconds=PATIENCE_SECONDS):
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError(f"this did not happen in {seconds} s: {what}")
        time.sleep(0.01)


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


class Answer:
    def __init__(self, status, body, headers):
        self.status, self.body, self.headers = status, body, headers

    @property
    def text(self):
        return self.body.decode()

    def json(self):
        return json.loads(self.body)

    # Of an error in JSON.
    def error(self):
        return self.json()["error"]["code"]


# One request on a connection of its own. Headers: a dictionary, or pairs where one is sent twice.
def ask(port, method, path, body=None, headers=None, seconds=PATIENCE_SECONDS):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
    with contextlib.closing(connection):
        return ask_on(connection, method, path, body, headers)


def ask_on(connection, method, path, body=None, headers=None):
    send_on(connection, method, path, body, headers)
    return answer_on(connection)


def send_on(connection, method, path, body=None, headers=None):
    headers = list(headers.items() if isinstance(headers, dict) else headers or ())
    given = {name.lower() for name, _ in headers}
    if isinstance(body, dict):
        body = json.dumps(body).encode()
        if "content-type" not in given:
            headers.append(("Content-Type", "application/json"))
    if body is not None and "content-length" not in given:
        headers.append(("Content-Length", str(len(body))))
    connection.putrequest(method, path)
    for name, value in headers:
        connection.putheader(name, value)
    connection.endheaders(body)


def answer_on(connection):
    response = connection.getresponse()
    return Answer(response.status, response.read(), response.headers)


class Service:
    # before(pid) is called when there is a process, and the program has not begun.
    def __init__(self, program, *options, environment=None, before=lambda pid: None):
        self.process = subprocess.Popen(
            ["sh", "-c", 'read line && exec "$@"', "sh", program, *options],
            stdin=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, **(environment or {})})
        before(self.process.pid)
        self.process.stdin.write(b"begin\n")
        self.process.stdin.close()
        self.lines = []  # of its log, as they are
        self.ports = {}
        self.told = threading.Event()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        if not self.told.wait(PATIENCE_SECONDS) or not self.ports:
            self.kill()
            raise AssertionError("it does not serve:\n" + self.log())
        self.http, self.grpc, self.admin = (self.ports.get(name) for name in ("HTTP", "gRPC", "admin"))

    def read(self):
        with self.process.stderr as said:
            for line in said:
                self.lines.append(line)
                if b"serving: " in line and not self.ports:
                    found = re.findall(r"(HTTP|gRPC|admin) on 127\.0\.0\.1:(\d+)", line.decode())
                    self.ports = {name: int(port) for name, port in found}
                    self.told.set()
        self.told.set()

    def ask(self, method, path, body=None, headers=None, port=None):
        return ask(port or self.http, method, path, body, headers)

    def metrics(self):
        text = self.ask("GET", "/metrics", port=self.admin).text
        return {name: float(value) for name, value
                in (line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))}

    def wait_for_line(self, text, times=1):
        def is_said():
            # What it has said is complete only when it was read to its end.
            if self.process.poll() is not None:
                self.reader.join(PATIENCE_SECONDS)
            said = self.log().count(text)
            if said < times and self.process.poll() is not None:
                raise AssertionError(f"{text!r} was said {said} times and not {times}:\n{self.log()}")
            return said >= times

        until(is_said, f"{text!r} is said {times} times")

    def wait(self):
        code = self.process.wait(PATIENCE_SECONDS)
        self.reader.join(PATIENCE_SECONDS)
        return code

    def end(self, sent=signal.SIGTERM):
        self.process.send_signal(sent)
        return self.wait()

    def kill(self):
        self.process.kill()
        self.wait()

    def log(self):
        return b"".join(self.lines).decode("utf-8", errors="backslashreplace")
