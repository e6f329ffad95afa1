# SPDX-License-Identifier: Apache-2.0
# A service as a process: where it listens, what it answers and logs, and how it ends.
import http.client
import os
import re
import signal
import subprocess
import threading

PATIENCE_SECONDS = 60


class Service:
    # before(pid) is called when there is a process, and the program has not begun.
    def __init__(self, program, *options, environment=None, before=lambda pid: None):
        self.process = subprocess.Popen(
            ["sh", "-c", 'read line && exec "$@"', "sh", program, *options],
            stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, **(environment or {})})
        before(self.process.pid)
        self.process.stdin.write("begin\n")
        self.process.stdin.close()
        self.lines = []
        self.ports = {}
        self.told = threading.Event()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        if not self.told.wait(PATIENCE_SECONDS) or not self.ports:
            self.process.kill()
            raise AssertionError("it does not serve:\n" + self.log())
        self.http_port = self.ports.get("HTTP")
        self.admin_port = self.ports.get("admin")
        self.grpc_port = self.ports.get("gRPC")

    def read(self):
        for line in self.process.stderr:
            self.lines.append(line)
            if "serving: " in line:
                self.ports = {name: int(port) for name, port
                              in re.findall(r"(\w+) on 127\.0\.0\.1:(\d+)", line)}
                self.told.set()
        self.told.set()

    def ask(self, method, path, headers=None, port=None):
        connection = http.client.HTTPConnection("127.0.0.1", port or self.http_port,
                                                timeout=PATIENCE_SECONDS)
        try:
            connection.putrequest(method, path)
            for name, value in (headers.items() if isinstance(headers, dict) else headers or ()):
                connection.putheader(name, value)
            connection.endheaders()
            response = connection.getresponse()
            return response.status, response.read().decode(), response.headers
        finally:
            connection.close()

    def metrics(self):
        text = self.ask("GET", "/metrics", port=self.admin_port)[1]
        return {name: float(value) for name, value
                in (line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))}

    def wait_for_line(self, text, times=1):
        for _ in range(PATIENCE_SECONDS * 100):
            if self.log().count(text) >= times:
                return
            if self.process.poll() is not None:
                break
            threading.Event().wait(0.01)
        raise AssertionError(f"{text!r} was not said {times} times:\n{self.log()}")

    def wait(self):
        code = self.process.wait(PATIENCE_SECONDS)
        self.reader.join(PATIENCE_SECONDS)
        return code

    def end(self, sent=signal.SIGTERM):
        self.process.send_signal(sent)
        return self.wait()

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.reader.join(PATIENCE_SECONDS)
        self.process.stderr.close()

    def log(self):
        return "".join(self.lines)
