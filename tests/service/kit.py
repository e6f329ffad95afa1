# SPDX-License-Identifier: Apache-2.0
# kit_service.cc as a process, and kit_client.cc, which asks it.
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from service import PATIENCE_SECONDS, Service  # noqa: E402

SERVICE, CLIENT, KEEPER = sys.argv[1:4]


class Client:
    """kit_client, while it runs."""

    def __init__(self, service, *words):
        self.process = subprocess.Popen(
            [CLIENT, f"127.0.0.1:{service.grpc}", *words], stdout=subprocess.PIPE, text=True)

    def line(self):
        return self.process.stdout.readline().strip()

    def rest(self):
        text = self.process.communicate(timeout=PATIENCE_SECONDS)[0]
        return [line.strip() for line in text.splitlines()]


class KitTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="weft-kit-")
        self.addCleanup(folder.cleanup)
        self.database = f"sqlite:{folder.name}/kit.db"

    def start(self, *options, http="127.0.0.1:0", grpc="127.0.0.1:0", **arguments):
        service = Service(SERVICE, "--http", http, "--grpc", grpc, "--admin", "127.0.0.1:0",
                          "--database", self.database, *options, **arguments)
        self.addCleanup(service.kill)
        return service

    def client(self, service, *words):
        client = Client(service, *words)
        self.addCleanup(client.process.stdout.close)
        self.addCleanup(client.process.wait)
        self.addCleanup(client.process.kill)
        return client

    def asks(self, service, *words):
        return self.client(service, *words).rest()

    # What was acknowledged was done, and what was done was acknowledged.
    def check_visits(self, acknowledged):
        again = self.start()
        for name, number in acknowledged.items():
            self.assertEqual(int(again.ask("GET", f"/visits/{name}").text), number, name)
        self.assertEqual(again.end(), 0)


def main():
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
