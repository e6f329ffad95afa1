# SPDX-License-Identifier: Apache-2.0
# A `weft serve` that runs for a test.
import contextlib
import http.client
import os
import re
import signal
import subprocess
import tempfile

PATIENCE_SECONDS = 30


class Server:
    # `around`: words of a command that runs it, such as setpriv.
    def __init__(self, weft, *words, around=(), is_admin_first=False, **options):
        self.process = subprocess.Popen([*around, weft, "serve", "--listen", "127.0.0.1:0", *words],
                                        stderr=subprocess.PIPE, text=True, **options)
        if is_admin_first:
            self.admin_port = int(self.process.stderr.readline().rsplit(":", 1)[1])
        self.warnings = []
        self.first_line = self.process.stderr.readline()
        while "warning:" in self.first_line:
            self.warnings.append(self.first_line)
            self.first_line = self.process.stderr.readline()
        found = re.search(r"listening on 127\.0\.0\.1:(\d+)", self.first_line)
        if found is None:
            self.process.kill()
            raise AssertionError(f"did not start: {self.first_line}")
        self.port = int(found[1])

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)

    def get(self, path, method="GET", body=None, **headers):
        connection = self.connect()
        with contextlib.closing(connection):
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            return response.status, response.read(), response.headers

    # Answers the exit code.
    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        code = self.process.wait(PATIENCE_SECONDS)
        self.last_words = self.process.stderr.read()
        self.process.stderr.close()
        return code

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process.stderr.close()


@contextlib.contextmanager
def folder_of(**files):
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            with open(os.path.join(folder, name.replace("__", ".")), "wb") as file:
                file.write(content)
        yield folder


def make_certificate(folder, name):
    paths = [os.path.join(folder, f"{name}.{ending}") for ending in ("crt", "key")]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", f"/CN={name}",
                    "-addext", "subjectAltName=IP:127.0.0.1", "-out", paths[0], "-keyout",
                    paths[1]], check=True, capture_output=True)
    return paths
