# SPDX-License-Identifier: Apache-2.0
# What the tests of the reference service use: the service itself, the databases it speaks to, and clients.
import json
import pathlib
import socket
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import service  # noqa: E402
from databases import ENCODED_SECRET, SECRET, find_program, start_database  # noqa: E402,F401
from load import Load  # noqa: E402,F401
from service import PATIENCE_SECONDS, ask, free_port, until  # noqa: E402,F401


class Service(service.Service):
    def __init__(self, program, database, *options, environment=None, http_port=0, admin_port=0):
        super().__init__(program, "--http", f"127.0.0.1:{http_port}", "--grpc", "127.0.0.1:0",
                         "--admin", f"127.0.0.1:{admin_port}", "--database", database, *options,
                         environment=environment)


# tests/links/grpc_client.cc: a call for each line.
class GrpcClient:
    def __init__(self, program, port):
        self.process = subprocess.Popen([program, f"127.0.0.1:{port}"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, bufsize=1)

    # The name of the status, and the messages; or the text, where it is not OK.
    def call(self, method, message=None, deadline_ms=PATIENCE_SECONDS * 1000, metadata=None):
        self.process.stdin.write(json.dumps({"method": method, "message": json.dumps(message or {}),
                                             "deadline_ms": deadline_ms,
                                             "metadata": metadata or {}}) + "\n")
        said = json.loads(self.process.stdout.readline())
        return said["status"], said["messages"] if said["status"] == "OK" else said["text"]

    def close(self):
        self.process.stdin.close()
        self.process.wait(PATIENCE_SECONDS)
        self.process.stdout.close()


# One call of gRPC as bytes of HTTP/2, with whatever in its metadata. What ended it: its trailers, as they
# were encoded, or the name of what came instead; nothing, if that did not come in time.
def call_raw(port, path, message, metadata=(), seconds=PATIENCE_SECONDS):
    def frame(kind, flags, stream, payload):
        return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload

    def text(value):  # of HPACK, without Huffman's code
        rest, length = len(value) - 127, bytes([min(len(value), 127)])
        while rest >= 128:
            length, rest = length + bytes([rest % 128 + 128]), rest // 128
        return length + (bytes([rest]) if rest >= 0 else b"") + value

    fields = [(b":method", b"POST"), (b":scheme", b"http"), (b":path", path), (b":authority", b"a"),
              (b"content-type", b"application/grpc"), (b"te", b"trailers"), *metadata]
    block = b"".join(b"\0" + text(name) + text(value) for name, value in fields)
    pieces = [block[at:at + 16384] for at in range(0, len(block), 16384)]
    sent = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, b"")
    for index, piece in enumerate(pieces):
        sent += frame(9 if index else 1, 4 if index == len(pieces) - 1 else 0, 1, piece)
    sent += frame(0, 1, 1, b"\0" + len(message).to_bytes(4, "big") + message)
    with socket.create_connection(("127.0.0.1", port), seconds) as connection:
        data = b""
        try:
            connection.sendall(sent)
            while piece := connection.recv(65536):
                data += piece
                while len(data) >= 9 + (size := int.from_bytes(data[:3], "big")):
                    kind, flags, payload = data[3], data[4], data[9:9 + size]
                    stream, data = int.from_bytes(data[5:9], "big"), data[9 + size:]
                    if stream == 1 and (kind == 3 or (kind == 1 and flags & 1)):
                        return payload
            return b"closed"
        except ConnectionError:
            return b"closed"
        except TimeoutError:
            return b""


# All links, by their keys.
def all_links(port):
    found = {}
    after = ""
    while after is not None:
        page = ask(port, "GET", f"/links?limit=1000&after={after}").json()
        found.update((link["key"], link["url"]) for link in page["links"])
        after = page["next"]
    return found
