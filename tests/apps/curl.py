# SPDX-License-Identifier: Apache-2.0
# curl, whose names are resolved by threads, against a server on this machine: the same bytes.
import contextlib
import hashlib
import http.server
import threading
from pathlib import Path

from harness import Outcome, Row, free_port, run, version_of

TITLE = "curl"
NEEDS = {"curl": "curl"}
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}


def version():
    return version_of(["curl", "--version"], r"curl (\S+)")


class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = f"answer to {self.path}\n".encode() * (1 + len(self.path) * 97)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server:
    def __init__(self, address):
        self.address = address

    def __enter__(self):
        self.server = http.server.ThreadingHTTPServer((self.address, 0), Answer)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self.server.server_address[1]

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


# A name of this machine that curl has to ask a thread for, since it knows localhost by itself, and
# its address.
def name_and_address():
    with contextlib.suppress(OSError):
        for line in Path("/etc/hosts").read_text().splitlines():
            address, *names = line.split("#")[0].split() or [""]
            for name in names:
                if address.startswith("127.") and "localhost" not in name:
                    return name, address
    return "localhost", "127.0.0.1"


def rows(folder, short):
    count = 20 if short else 100
    host, address = name_and_address()
    resolver = "no name but localhost" if host == "localhost" else "names asked of threads"

    def fetch(place, *options):
        got = folder / "got"
        got.mkdir(exist_ok=True)
        for old in got.iterdir():
            old.unlink()
        with Server(address) as port:
            finished = run(place.command(
                ["curl", "-sS", "-4", *options, f"http://{host}:{port}/file[1-{count}]",
                 "-o", got / "#1"]), environment=ENVIRONMENT)
        files = {path.name: hashlib.sha256(path.read_bytes()).hexdigest()
                 for path in got.iterdir()}
        return Outcome(files, count / finished.seconds, count / max(finished.cpu_seconds, 0.001))

    # Names that do not resolve, and a port where nobody listens.
    def refuse(place):
        refused = run(place.command(["curl", "-sS", "-4", f"http://{host}:{free_port()}/"]),
                      environment=ENVIRONMENT, check=False)
        bad_name = run(place.command(["curl", "-sS", "http://a..b/"]), environment=ENVIRONMENT,
                       check=False)
        return Outcome((refused.status, bad_name.status, bad_name.errors))

    yield Row(f"one after the other, {resolver}", fetch)
    yield Row(f"--parallel, 16 at once, {resolver}",
              lambda place: fetch(place, "--parallel", "--parallel-max", "16"))
    yield Row("a name that does not resolve, a port where nobody listens", refuse)
