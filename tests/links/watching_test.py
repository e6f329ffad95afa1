#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# What watches the service in production (deploy/links) asks for numbers that the service has.
#
#   watching_test.py LINKS GRPC_CLIENT [SUITE]...
import json
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

import harness

PROGRAM = CLIENT = ""
DEPLOY = pathlib.Path(__file__).resolve().parents[2] / "deploy" / "links"
NAME = re.compile(r"\b(?:weft|process)_[a-z0-9_]+\b")
# Of a kernel or a cgroup that counts them: not everywhere.
OF_THE_MACHINE = {"weft_cpu_throttled_seconds_total", "weft_pressure_stalled_seconds_total",
                  "weft_memory_budget_bytes"}


def names_in(expressions):
    return {name for expression in expressions for name in NAME.findall(expression)}


class Watching(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.mkdtemp(prefix="weft-links-")
        cls.addClassCleanup(shutil.rmtree, folder)
        service = harness.Service(PROGRAM, f"sqlite:{folder}/links.db")
        cls.addClassCleanup(service.kill)
        grpc = harness.GrpcClient(CLIENT, service.grpc)
        cls.addClassCleanup(grpc.close)
        service.ask("POST", "/links", {"url": "https://example.org/", "key": "one"})
        grpc.call("Get", {"key": "one"})
        # A call is counted when it is over, which may be later than its answer.
        harness.until(lambda: any(name.startswith("weft_grpc_calls_total{") for name in service.metrics()),
                      "the call is counted")
        cls.has = {name.partition("{")[0] for name in service.metrics()}

    def expect(self, wanted):
        self.assertTrue(wanted)
        self.assertEqual(wanted - self.has - OF_THE_MACHINE, set())

    def test_the_dashboard_asks_for_what_there_is(self):
        panels = json.loads((DEPLOY / "dashboard.json").read_text())["panels"]
        self.expect(names_in(target["expr"] for panel in panels for target in panel["targets"]))

    def test_the_alerts_ask_for_what_there_is(self):
        self.expect(names_in([(DEPLOY / "alerts.yaml").read_text()]))


if __name__ == "__main__":
    PROGRAM, CLIENT = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
