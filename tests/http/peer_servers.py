# SPDX-License-Identifier: Apache-2.0
# Other people's servers with the resources of the cases: nginx, Apache httpd (event), Node and Go.
import contextlib
import os
import pathlib
import re
import socket
import subprocess
import time

HERE = pathlib.Path(__file__).parent / "peers"
MODULES = "/usr/lib/apache2/modules"
PATIENCE_SECONDS = 60
# What only who serves files can do; Node's http serves none.
OF_FILES = {"conditionals", "ranges", "paths"}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def configuration(name, folder, port, user):
    text = (HERE / name).read_text()
    for word, value in (("FOLDER", folder), ("PORT", port), ("MODULES", MODULES),
                        ("USER", user if os.geteuid() == 0 else "")):
        text = text.replace(f"@{word}@", str(value))
    path = folder / name
    path.write_text(text)
    return path


def start_nginx(folder, port):
    return ["nginx", "-e", folder / "errors", "-c",
            configuration("nginx.conf", folder, port, "user root;")]


def start_apache(folder, port):
    return ["/usr/sbin/apache2", "-DFOREGROUND", "-f",
            configuration("apache.conf", folder, port, "User www-data\nGroup www-data")]


def start_node(_, port):
    return ["node", HERE / "echo.js", str(port)]


def start_go(folder, port):
    program = folder / "echo"
    subprocess.run(["go", "build", "-o", program, HERE / "echo.go"], check=True,
                   env={**os.environ, "GOCACHE": str(folder / "cache"), "GO111MODULE": "off"})
    return [program, str(port), folder / "documents"]


PEERS = {"nginx": start_nginx, "Apache": start_apache, "Node": start_node, "Go": start_go}
VERSIONS = {"nginx": (["nginx", "-v"], r"nginx/(\S+)"),
            "Apache": (["/usr/sbin/apache2", "-v"], r"Apache/(\S+)"),
            "Node": (["node", "--version"], r"v(\S+)"), "Go": (["go", "version"], r"go(\d\S+)")}


def version_of(name):
    command, pattern = VERSIONS[name]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return re.search(pattern, done.stdout + done.stderr)[1]


@contextlib.contextmanager
def running(name, folder):
    port = free_port()
    with open(folder / "words", "wb") as words:
        process = subprocess.Popen(PEERS[name](folder, port), stdout=words, stderr=words)
        try:
            deadline = time.monotonic() + PATIENCE_SECONDS
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except OSError:
                    if process.poll() is not None or time.monotonic() > deadline:
                        raise RuntimeError(f"{name} did not start:\n"
                                           + (folder / "words").read_text()) from None
                    time.sleep(0.05)
            yield port
        finally:
            process.terminate()
            process.wait(PATIENCE_SECONDS)
