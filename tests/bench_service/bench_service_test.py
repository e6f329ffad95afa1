#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# `weft bench grpc` and `weft bench service` as their users meet them: quick cells, bad use, Ctrl-C.
# argv: weft, weft-bench-grpc, weft-bench-service.
import json
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from bench import BenchTest  # noqa: E402

GRPC, SERVICE = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))


class ServiceBench(BenchTest):
    def quick(self, name, only):
        done = self.weft(name, "--quick", "--allow-missing", "--only", only, "--json")
        if done.returncode == 2 and "cgroup" in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        report = json.loads(done.stdout)
        self.notes = " ".join(report["notes"])
        rows = report["rows"]
        self.assertTrue(rows)
        for row in rows:
            self.assertIn(only, row["name"])
            self.assertIsNone(row["bar"], row)
        self.assertEqual(os.listdir(self.folder), [])
        return rows

    def test_unary_calls(self):
        rows = self.quick("grpc", "8 in flight, by gRPC's client")
        self.assertEqual({row["rival_name"] for row in rows},
                         {"queue per thread", "callback API", "weft on gRPC's transport"})
        for row in rows:
            self.assertEqual(row["samples"], 1, row)  # both sides have a run that stands

    def test_streams_to_slow_readers(self):
        rows = self.quick("grpc", "streams")
        self.assertGreater(rows[1]["ours"], 0)

    def test_an_overload(self):
        for only in ("overload, 4", "overload by gRPC, 4"):
            with self.subTest(only):
                rows = self.quick("service", only)
                self.assertEqual(len(rows), 4)
                if rows[0]["ours"] is None:  # on a busy machine the generator is late, and says so
                    self.assertIn("void", self.notes)
                else:
                    self.assertGreater(rows[0]["ours"], 0)

    def test_a_quota(self):
        rows = self.quick("service", "quota of 1 cores")
        self.assertEqual({row["rival_name"] for row in rows}, {"sizes as of 64 CPUs"})

    def test_nothing_of_that_name(self):
        for name, known in [("grpc", "unary, 8 in flight"), ("service", "overload, 10 times")]:
            done = self.weft(name, "--only", "nonsense")
            self.assertEqual(done.returncode, 2)
            self.assertIn(known, done.stderr)

    def test_programs_that_are_none(self):
        for program, complaint in [("/nowhere/links", "no program"), ("/bin/true", "links")]:
            done = self.weft("service", "--program", program)
            self.assertEqual(done.returncode, 2)
            self.assertIn(complaint, done.stderr)
        done = self.weft("grpc", "--program", SERVICE)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--program", done.stderr)

    def test_h2load_that_is_missing(self):
        self.environment["PATH"] = self.folder
        done = self.weft("grpc", "--quick", "--only", "64 in flight, by h2load")
        self.assertEqual(done.returncode, 2)
        self.assertIn("h2load", done.stderr)

    def test_servers_refuse_what_they_do_not_know(self):
        for words in [[], ["serve"], ["weft", "127.0.0.1:0"], ["load", "127.0.0.1:1", "1"]]:
            done = subprocess.run([GRPC, *words], capture_output=True, text=True, timeout=20,
                                  check=False)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn("usage", done.stderr)

    def test_ctrl_c_leaves_nothing_behind(self):
        errors = self.interrupt("service", "--only", "overload, 2", file="environ",
                                processes=3)  # itself, service, load
        self.assertIn("interrupted", errors)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]], verbosity=2)
