#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# `weft bench http` as its users meet it: a quick cell, its page, bad use, Ctrl-C. argv[1]: the program.
import html.parser
import json
import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from bench import BenchTest  # noqa: E402

CELL = "steady, 200 us CPU, 2500"  # weft alone: nothing has to be installed or compiled
VOID_ELEMENTS = {"meta", "br", "path", "rect"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = []
        self.seen = []
        self.text = ""
        self.faults = []

    def handle_starttag(self, tag, attributes):
        self.seen.append(tag)
        for name, value in attributes:
            if name in ("src", "href") or (value or "").startswith("javascript:"):
                self.faults.append(f"<{tag} {name}={value}> is from outside")
        if tag not in VOID_ELEMENTS:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.seen.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes something else, at {self.getpos()}")

    def handle_data(self, data):
        self.text += data


class HttpBench(BenchTest):
    def test_a_quick_cell_and_its_page(self):
        page_path = os.path.join(self.folder, "page.html")
        done = self.weft("http", "--quick", "--allow-missing", "--only", CELL, "--json",
                         "--report", page_path)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = json.loads(done.stdout)["rows"]
        self.assertTrue(rows)
        for row in rows:
            self.assertTrue(row["name"].startswith(CELL), row)
            self.assertIsNone(row["bar"], row)
        with open(page_path, encoding="utf-8") as file:
            page = Page()
            page.feed(file.read())
            page.close()
        self.assertEqual((page.faults, page.open), ([], []))
        self.assertNotIn("script", page.seen)
        for text in [CELL, "fixed 8", "adaptive", "weft load", "--schedule", "kernel", "seed"]:
            self.assertIn(text, page.text)
        self.assertEqual(os.listdir(self.folder), ["page.html"])

    def test_plots_of_a_burst(self):
        page_path = os.path.join(self.folder, "page.html")
        done = self.weft("http", "--quick", "--allow-missing", "--only", "burst, as the original",
                         "--report", page_path)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(page_path, encoding="utf-8") as file:
            page = Page()
            page.feed(file.read())
        self.assertEqual((page.faults, page.open), ([], []))
        self.assertIn("svg", page.seen)
        for text in ["Workers of ours over time", "by quantile", "adaptive-monitor"]:
            self.assertIn(text, page.text)

    def test_nothing_of_that_name(self):
        done = self.weft("http", "--only", "nonsense")
        self.assertEqual(done.returncode, 2)
        self.assertIn("burst, 5 ms sleep", done.stderr)

    def test_a_page_that_cannot_be_written(self):
        done = self.weft("http", "--only", CELL, "--report", self.folder + "/none/page.html")
        self.assertEqual(done.returncode, 2)
        self.assertIn("page.html", done.stderr)

    def test_a_page_of_another_benchmark(self):
        done = self.weft("engine", "--report", "page.html")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--report", done.stderr)

    def test_peers_that_are_missing(self):
        empty = os.path.join(self.folder, "empty")
        os.mkdir(empty)
        self.environment["PATH"] = empty
        done = self.weft("http", "--quick", "--only", "latency, one connection, 5 ms")
        self.assertEqual(done.returncode, 2)
        self.assertIn("Go", done.stderr)
        self.assertIn("--allow-missing", done.stderr)

    def test_ctrl_c_leaves_nothing_behind(self):
        errors = self.interrupt("http", "--only", CELL, file="cmdline", processes=1)
        self.assertIn("nothing is left behind", errors)


if __name__ == "__main__":
    unittest.main(verbosity=2)
