# SPDX-License-Identifier: Apache-2.0
# HAProxy before some replicas: who of them is sent requests, and which request is with whom. A response says by
# `Replica` who answered, or failed to.
import contextlib
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile

from databases import find_program
from service import free_port, until

CHECK_MS = 50

CONFIGURATION = """
global
  maxconn 200
  stats socket {folder}/stats
defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  timeout check 20s
  retries 3
  option redispatch 1
  # What could not be sent to a replica goes to the other. What was sent, and what a replica refuses, is the client's
  # to send again: nothing that a replica does wrong is hidden here.
  retry-on conn-failure
frontend clients
  bind 127.0.0.1:{port}
  http-after-response set-header Replica %s
  default_backend replicas
backend replicas
  balance roundrobin
  option httpchk GET /readyz
"""

class Proxy:
    # None, where it is not installed.
    program = find_program("haproxy")

    # replicas: (HTTP port, admin port) of each.
    def __init__(self, replicas):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="weft-links-"))
        self.port = free_port()
        text = CONFIGURATION.format(folder=self.folder, port=self.port)
        for number, (http, admin) in enumerate(replicas):
            text += (f"  server replica{number} 127.0.0.1:{http} check port {admin}"
                     f" inter {CHECK_MS}ms fall 1 rise 1\n")
        (self.folder / "haproxy.cfg").write_text(text)
        self.process = subprocess.Popen([self.program, "-db", "-f", self.folder / "haproxy.cfg"],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            until(lambda: self.serving() == len(replicas), "HAProxy finds all replicas")
        except BaseException:
            self.close()
            raise

    def close(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder)

    def ask(self, command):
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as asked:
            asked.connect(str(self.folder / "stats"))
            asked.sendall(command.encode() + b"\n")
            said = b""
            while piece := asked.recv(65536):
                said += piece
            return said.decode()
        return ""  # it does not listen yet

    # How many replicas it sends requests to.
    def serving(self):
        rows = [row.split(",") for row in self.ask("show stat").splitlines()]
        return sum(row[17] == "UP" for row in rows if len(row) > 17 and row[1].startswith("replica"))

    # Who has the request of whom: the clients' ports, and the names of replicas.
    def in_flight(self):
        return {int(port): replica for port, replica
                in re.findall(r" src=127\.0\.0\.1:(\d+) .* srv=(replica\d+) ", self.ask("show sess"))}
