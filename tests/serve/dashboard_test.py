#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# The dashboard of `weft serve --admin` in a real browser, under load.
#
#   dashboard_test.py WEFT FOLDER [TEST]
#
# Leaves pictures of the page in FOLDER. Exit: 0, 1, or 77 where there is no Chromium.
import contextlib
import http.client
import os
import socket
import subprocess
import sys
import time
import unittest

import browser
import metrics_format
import serving

WEFT = os.path.abspath(sys.argv[1])
FOLDER = os.path.abspath(sys.argv[2])
PROGRAM = browser.find_program()

PLOTS = ("workers", "latency", "requests", "rejects", "delay", "depth", "cpu", "connections",
         "memory")
# Lines with something in them, of a plot.
DRAWN = """[...document.querySelectorAll('#plot-%s .plot .line')]
    .filter((line) => line.getAttribute('d').split(/[LH]/).length > %d).length"""
# What the table says of a series: now, least, mean, most.
ROW = """[...document.querySelectorAll('tr[data-series=%s] td')].map((cell) => cell.textContent)"""


@contextlib.contextmanager
def load(server, *words):
    process = subprocess.Popen(
        [WEFT, "load", "--duration", "300s", *words], stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.kill()
        process.wait()


def url(server):
    return f"http://127.0.0.1:{server.admin_port}/"


def metrics(server):
    connection = http.client.HTTPConnection("127.0.0.1", server.admin_port,
                                            timeout=serving.PATIENCE_SECONDS)
    with contextlib.closing(connection):
        connection.request("GET", "/metrics")
        return metrics_format.parse(connection.getresponse().read().decode())[0]


# "1,234/s", "12.3 k/s", "7".
def number(text):
    scale = {"k/s": 1e3, "M/s": 1e6}
    digits, _, unit = text.replace("\u00a0", " ").partition(" ")
    return float(digits.removesuffix("/s").replace(",", "")) * scale.get(unit, 1)


class Dashboard(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.makedirs(FOLDER, exist_ok=True)
        cls.browser = browser.Browser(PROGRAM)
        cls.addClassCleanup(cls.browser.close)

    def serve(self, *words):
        return serving.Server(WEFT, "--test-handlers", "--admin", "127.0.0.1:0", *words,
                              is_admin_first=True)

    def open(self, server, width=1440, height=900, scheme="light"):
        page = self.browser.open()
        page.show_as(width, height, scheme)
        page.go(url(server))
        return page

    def assert_quiet(self, page, server):
        self.assertEqual(page.complaints(), [])
        for address in page.requests():
            self.assertTrue(address.startswith((url(server), "about:blank")), address)

    # Both sides count the same requests.
    def assert_rate_is_that_of_metrics(self, page, server):
        name = ("weft_responses_total", '{code="2xx"}')
        began, before = time.monotonic(), metrics(server)[name]
        seen = []
        while time.monotonic() < began + 6:
            seen.append(number(page.evaluate(ROW % "answered_2xx")[0]))
            time.sleep(0.5)
        rate = (metrics(server)[name] - before) / (time.monotonic() - began)
        self.assertGreater(rate, 20)
        mean = sum(seen) / len(seen)
        self.assertTrue(0.5 * rate < mean < 2 * rate, f"{seen}, and the counter says {rate}")

    def test_plots_show_what_the_server_does(self):
        with self.serve() as server, load(server, "--rate", "150", "--burst", "6x:500ms/4s",
                                          f"http://127.0.0.1:{server.port}/_/sleep/20"):
            page = self.open(server)
            page.wait_for("document.getElementById('state').textContent === 'serving'")
            for plot in PLOTS:
                page.wait_for(DRAWN % (plot, 5))
            page.wait_for("document.querySelector('#plot-workers b[data-series=busy]').textContent !== '0'")
            self.assertEqual(page.evaluate("document.getElementById('policy').textContent"), "adaptive")
            self.assertIn(f"127.0.0.1:{server.port}",
                          page.evaluate("document.getElementById('listens').textContent"))
            self.assert_rate_is_that_of_metrics(page, server)
            p50 = page.evaluate(ROW % "took_p50")[0].replace("\u00a0", " ").split(" ")
            self.assertEqual(p50[1], "ms")
            self.assertGreaterEqual(float(p50[0]), 19)
            self.assert_rest_of_the_page(page, server)
            self.assert_quiet(page, server)

    def assert_rest_of_the_page(self, page, server):
        # A time that is pointed at: a cross in every plot, and values of then.
        page.evaluate("document.querySelector('input[value=\"60\"]').click()")
        page.evaluate("document.querySelector('#plot-latency .plot').focus()")
        for key in ("ArrowLeft", "ArrowLeft", "ArrowLeft"):
            page.call("Input.dispatchKeyEvent", type="keyDown", key=key)
        self.assertGreater(page.evaluate("document.querySelectorAll('.cross').length"), 5)
        page.screenshot(os.path.join(FOLDER, "light.png"))
        page.call("Input.dispatchKeyEvent", type="keyDown", key="Escape")
        self.assertEqual(page.evaluate("document.querySelectorAll('.cross').length"), 0)
        # Paused: nothing moves until it is asked to.
        page.evaluate("document.getElementById('pause').click()")
        self.assertEqual(page.evaluate("document.getElementById('state').textContent"), "paused")
        frozen = page.evaluate("document.querySelector('#values tbody').textContent")
        time.sleep(2.5)
        self.assertEqual(page.evaluate("document.querySelector('#values tbody').textContent"), frozen)
        page.evaluate("document.getElementById('pause').click()")
        page.wait_for("document.getElementById('state').textContent === 'serving'")
        # What a screen reader says.
        self.assertIn("P99", page.evaluate(
            "document.querySelector('#plot-latency .plot').getAttribute('aria-label')"))
        self.assertGreater(page.evaluate("document.querySelectorAll('#values tbody tr').length"), 25)
        light = page.evaluate("getComputedStyle(document.body).backgroundColor")
        page.show_as(1440, 900, "dark")
        dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
        brightness = [sum(map(int, colour[4:-1].split(","))) for colour in (light, dark)]
        self.assertGreater(brightness[0], 600)
        self.assertLess(brightness[1], 150)
        page.screenshot(os.path.join(FOLDER, "dark.png"))
        for scheme in ("light", "dark"):
            page.show_as(360, 740, scheme, is_phone=True)
            time.sleep(1.5)
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 360)
            # Nothing is drawn, or written, beyond the edge.
            self.assertEqual(page.evaluate(
                """[...document.querySelectorAll('body *')].filter((part) =>
                     part.getBoundingClientRect().right > 361 && !part.closest('legend, #range input'))
                   .map((part) => part.outerHTML.slice(0, 80))"""), [])
            page.screenshot(os.path.join(FOLDER, f"phone_{scheme}.png"), whole=True)
        page.show_as(1440, 900, "light")
        page.screenshot(os.path.join(FOLDER, "whole.png"), whole=True)

    def test_overload_is_seen_and_named(self):
        with self.serve("--policy", "fixed", "--workers", "2", "--max-workers", "2") as server:
            with load(server, "--rate", "400", f"http://127.0.0.1:{server.port}/_/sleep/20"):
                page = self.open(server)
                page.wait_for("document.getElementById('verdict').textContent.startsWith('Overloaded')")
                page.wait_for("document.querySelector('.tile.raised') !== null")
                page.wait_for(DRAWN % ("rejects", 3))
                self.assertGreater(metrics(server)["weft_overloaded_total", ""], 0)
                page.screenshot(os.path.join(FOLDER, "overload.png"))
                self.assert_quiet(page, server)

    def test_policies_without_a_pool_say_so(self):
        for policy in ("fibers", "thread-per-connection"):
            with self.subTest(policy), self.serve("--policy", policy) as server:
                with load(server, "--rate", "50", f"http://127.0.0.1:{server.port}/_/sleep/5"):
                    page = self.open(server)
                    page.wait_for(DRAWN % ("latency", 2))
                    for plot in ("workers", "delay", "depth"):
                        self.assertIn("no pool", page.evaluate(
                            f"document.querySelector('#plot-{plot} .missing').textContent"))
                    page.screenshot(os.path.join(FOLDER, f"{policy}.png"))
                    self.assert_quiet(page, server)

    # And whoever tries is told of: a quiet page is one that did not try.
    def test_the_page_may_load_and_run_nothing_else(self):
        with self.serve() as server, socket.create_server(("127.0.0.1", 0)) as other:
            page = self.open(server)
            page.wait_for("document.getElementById('state').textContent === 'serving'")
            self.assert_quiet(page, server)
            self.assertTrue(page.evaluate("""(() => {
                const script = document.createElement('script');
                script.textContent = 'window.hasRun = true';
                document.body.append(script);
                return window.hasRun === undefined;
            })()"""))
            place = f"http://127.0.0.1:{other.getsockname()[1]}/"
            self.assertEqual(page.evaluate(
                f"fetch('{place}').then(() => 'loaded', () => 'refused')"), "refused")
            other.settimeout(1)
            with self.assertRaises(TimeoutError):
                other.accept()
            self.assertGreaterEqual(len(page.complaints()), 2)

    def test_a_server_that_is_gone_is_waited_for(self):
        with self.serve() as server:
            page = self.open(server)
            page.wait_for("document.getElementById('state').textContent === 'serving'")
            page.wait_for("document.querySelectorAll('#values tbody tr').length")
            port = server.admin_port
            self.assertEqual(server.end(), 0)
            page.wait_for("document.getElementById('state').textContent === 'connection lost, retrying'")
        with serving.Server(WEFT, "--test-handlers", "--policy", "fixed", "--admin",
                            f"127.0.0.1:{port}", is_admin_first=True):
            page.wait_for("document.getElementById('state').textContent === 'serving'")
            page.wait_for("document.getElementById('policy').textContent === 'fixed'")


if __name__ == "__main__":
    if PROGRAM is None:
        print("there is no Chromium: scripts/deps test")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
