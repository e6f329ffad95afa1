#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# `weft load` against servers that misbehave in known ways. argv[1]: the program.
import csv
import json
import os
import pty
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

from server import Server, refused_port

WEFT = os.path.abspath(sys.argv.pop(1))
VOID = 3  # a busy machine makes a run void; what was counted is right all the same


def weft(*arguments, timeout=60):
    return subprocess.run([WEFT, "load", *arguments], capture_output=True, text=True,
                          timeout=timeout, check=False)


class LoadTest(unittest.TestCase):
    def server(self, **options):
        server = Server(**options)
        self.addCleanup(server.close)
        return server

    def folder(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        return directory.name

    # The report and the samples of a run that was not refused.
    def load(self, *arguments, codes=(0, VOID)):
        path = os.path.join(self.folder(), "samples.csv")
        done = weft(*arguments, "--json", "-", "--samples", path)
        self.assertIn(done.returncode, codes, done.stderr)
        with open(path, newline="", encoding="utf-8") as file:
            samples = list(csv.DictReader(file))
        return json.loads(done.stdout), samples


def latencies(samples):
    return [float(sample["end"]) - float(sample["intended"]) for sample in samples]


class OpenLoop(LoadTest):
    def test_every_request_of_the_schedule_is_answered_and_kept(self):
        server = self.server()
        report, samples = self.load(server.url("/hello"), "--rate", "300", "--uniform",
                                    "--duration", "1s")
        self.assertEqual(len(samples), 300)
        self.assertEqual(report["counts"]["good"], 300)
        self.assertEqual(report["statuses"], {"200": 300})
        self.assertEqual(len(server.requests), 300)
        for number, sample in enumerate(samples):
            self.assertAlmostEqual(float(sample["intended"]), number / 300, places=6)
            times = [float(sample[key]) for key in
                     ("intended", "begun", "sent", "first_byte", "end")]
            self.assertEqual(times, sorted(times))
            self.assertEqual((sample["status"], sample["outcome"], sample["phase"]),
                             ("200", "good", "quiet"))
        self.assertEqual(report["latency"]["served"]["max"], round(max(latencies(samples)), 9))

    def test_every_hundredth_that_takes_50_ms_is_in_the_tail(self):
        server = self.server()
        report, samples = self.load(server.url("/sometimes"), "--rate", "500", "--uniform",
                                    "--duration", "4s")
        slow = [latency for latency in latencies(samples) if latency >= 0.05]
        self.assertGreaterEqual(len(slow), 20)
        served = report["latency"]["served"]
        self.assertGreaterEqual(served["p99.9"], 0.05)
        self.assertLess(served["p50"], served["p99.9"])

    def test_a_stall_is_charged_to_everybody_who_came_meanwhile(self):
        opened = self.server()
        opened.stall_at = 500
        _, samples = self.load(opened.url("/hello"), "--rate", "500", "--uniform",
                               "--duration", "2s")
        slow = sum(latency > 0.1 for latency in latencies(samples))
        closed = self.server()
        closed.stall_at = 500
        _, samples = self.load(closed.url("/hello"), "--closed", "--connections", "4",
                               "--requests", "1000", "--duration", "30s")
        omitted = sum(latency > 0.1 for latency in latencies(samples))
        # 300 ms at 500 a second are 150 requests, of which 100 wait for 100 ms and more.
        self.assertGreaterEqual(slow, 90)
        self.assertLess(omitted, slow / 4)

    def test_bursts_are_reported_apart(self):
        server = self.server()
        report, samples = self.load(server.url("/hello"), "--rate", "50", "--burst",
                                    "10x:100ms/500ms", "--duration", "1s", "--seed", "7")
        self.assertEqual([burst["name"] for burst in report["bursts"]], ["burst 1", "burst 2"])
        inside = [sample for sample in samples if sample["phase"].startswith("burst")]
        self.assertEqual(report["latency"]["in_bursts"]["count"], len(inside))
        self.assertEqual(report["latency"]["between"]["count"], len(samples) - len(inside))
        self.assertEqual(sum(burst["served"]["count"] for burst in report["bursts"]), len(inside))
        self.assertEqual([phase["name"] for phase in report["phases"]],
                         ["quiet", "burst 1", "recovery 1", "quiet", "burst 2", "recovery 2"])

    def test_the_same_seed_gives_the_same_schedule(self):
        server = self.server()
        starts = []
        for seed in "334":
            _, samples = self.load(server.url("/hello"), "--rate", "200", "--duration", "200ms",
                                   "--seed", seed)
            starts.append([sample["intended"] for sample in samples])
        self.assertEqual(starts[0], starts[1])
        self.assertNotEqual(starts[0], starts[2])

    def test_a_mix_keeps_its_weights(self):
        server = self.server()
        report, samples = self.load("90=" + server.url("/hello"), "10=" + server.url("/404"),
                                    "--rate", "500", "--duration", "1s")
        asked = [path for _, path, _, _ in server.requests]
        self.assertEqual(asked.count("/404"), report["statuses"]["404"])
        self.assertEqual(asked.count("/404"), sum(s["request"] == "1" for s in samples))
        self.assertGreater(asked.count("/404"), 0)
        self.assertGreater(asked.count("/hello"), 4 * asked.count("/404"))

    def test_method_headers_and_body_are_sent(self):
        server = self.server()
        self.load(server.url("/hello"), "--rate", "20", "--uniform", "--duration", "100ms",
                  "--method", "PUT", "--header", "X-One: 1", "--header", "X-Two: 2",
                  "--body", "text")
        method, path, headers, body = server.requests[0]
        self.assertEqual((method, path, body), ("PUT", "/hello", b"text"))
        self.assertEqual((headers["X-One"], headers["X-Two"]), ("1", "2"))
        self.assertEqual(headers["Host"], f"127.0.0.1:{server.port}")

    def test_connections_are_kept_or_made_anew(self):
        kept = self.server()
        self.load(kept.url("/hello"), "--rate", "20", "--uniform", "--duration", "1s")
        anew = self.server()
        report, _ = self.load(anew.url("/hello"), "--rate", "20", "--uniform", "--duration", "1s",
                              "--new-connections")
        self.assertLess(kept.connections, 20)
        self.assertEqual(anew.connections, 20)
        self.assertEqual(report["latency"]["connect"]["count"], 20)

    def test_ready_connections_are_there_before_the_start(self):
        server = self.server()
        report, _ = self.load(server.url("/hello"), "--rate", "20", "--uniform", "--duration",
                              "500ms", "--ready", "30")
        self.assertEqual(server.connections, 30)
        self.assertEqual(report["latency"]["connect"]["count"], 0)

    def test_waiting_for_a_connection_is_latency(self):
        server = self.server()
        server.slow_every, server.slow_seconds = 1, 0.02
        report, samples = self.load(server.url("/sometimes"), "--rate", "100", "--uniform",
                                    "--duration", "1s", "--connections", "1")
        # One connection does at most 50 a second: the last of 100 waits for a second.
        self.assertEqual(report["counts"]["good"], 100)
        self.assertGreater(report["generator"]["waited_for_connection"], 0)
        self.assertGreater(max(latencies(samples)), 0.9)
        self.assertEqual(server.connections, 1)

    def test_many_threads_do_the_same_work(self):
        server = self.server()
        report, samples = self.load(server.url("/hello"), "--rate", "400", "--uniform",
                                    "--duration", "1s", "--threads", "3", "--spin")
        self.assertEqual(report["counts"]["good"], 400)
        self.assertEqual([float(s["intended"]) for s in samples],
                         sorted(float(s["intended"]) for s in samples))

    def test_a_schedule_comes_out_of_a_file(self):
        path = os.path.join(self.folder(), "schedule.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump([{"rate": 100, "length": "200ms", "uniform": True},
                       {"rate": 500, "length": "100ms", "uniform": True, "phase": "burst",
                        "together": 25},
                       {"rate": 0, "to": 100, "length": "200ms", "phase": "recovery"}], file)
        server = self.server()
        report, samples = self.load(server.url("/hello"), "--schedule", path)
        self.assertEqual(sum(s["phase"] == "quiet" for s in samples), 20)
        burst = [s["intended"] for s in samples if s["phase"] == "burst 1"]
        self.assertEqual(burst, ["0.200000000"] * 25 + ["0.250000000"] * 25)
        self.assertEqual(report["length"], 0.5)


class Answers(LoadTest):
    def test_every_form_of_an_answer_is_whole(self):
        server = self.server()
        for path in ("/hello", "/chunked", "/close", "/until-close", "/204", "/interim"):
            report, samples = self.load(server.url(path), "--rate", "50", "--uniform",
                                        "--duration", "200ms")
            self.assertEqual(report["counts"]["good"], 10, path)
            self.assertEqual(len(samples), 10, path)

    def test_the_answer_to_head_has_no_body(self):
        server = self.server()
        report, _ = self.load(server.url("/hello"), "--rate", "50", "--uniform", "--duration",
                              "200ms", "--method", "HEAD")
        self.assertEqual(report["counts"]["good"], 10)


class Failures(LoadTest):
    # So many of each kind, and none that is not named; nothing is lost.
    def expect(self, url, counts, *more, code=1):
        report, samples = self.load(url, "--rate", "50", "--uniform", "--duration", "200ms", *more,
                                    codes=(code, VOID))
        found = {kind: count for kind, count in report["counts"].items() if count}
        self.assertEqual(found, counts)
        self.assertEqual(len(samples), 10)
        return report

    def test_statuses_are_counted_by_kind(self):
        server = self.server()
        report = self.expect(server.url("/503"), {"unavailable": 10})
        self.assertEqual(report["latency"]["rejected"]["count"], 10)
        self.assertEqual(report["latency"]["served"]["count"], 0)
        self.assertEqual(report["rate"]["good"], 0)
        self.expect(server.url("/404"), {"client_error": 10})
        self.expect(server.url("/500"), {"server_error": 10})

    def test_refused_connections_are_counted_with_the_time_out(self):
        report = self.expect(f"http://127.0.0.1:{refused_port()}/", {"refused": 10})
        self.assertEqual(report["latency"]["served"]["p50"], 10)

    def test_a_time_out_counts_with_its_time(self):
        server = self.server()
        report = self.expect(server.url("/never"), {"timeout": 10}, "--timeout", "300ms")
        self.assertEqual(report["latency"]["served"]["p50"], 0.3)
        self.assertEqual(report["latency"]["served"]["count"], 10)

    def test_a_time_out_in_the_line_counts_too(self):
        server = self.server()
        self.expect(server.url("/never"), {"timeout": 10}, "--timeout", "300ms",
                    "--connections", "1")

    def test_cut_answers_are_noticed(self):
        server = self.server()
        for path in ("/cut", "/cut-chunk"):
            self.expect(server.url(path), {"cut": 10})

    def test_resets_and_silent_ends_are_noticed(self):
        server = self.server()
        for path in ("/reset", "/nothing"):
            self.expect(server.url(path), {"reset": 10})

    def test_what_is_not_http_is_noticed(self):
        server = self.server()
        for path in ("/garbage", "/longer"):
            self.expect(server.url(path), {"malformed": 10})

    def test_a_server_that_goes_away_is_counted_to_the_end(self):
        server = self.server()
        with subprocess.Popen([WEFT, "load", server.url("/hello"), "--rate", "200", "--duration",
                               "2s", "--timeout", "1s", "--json", "-"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            while not server.requests:
                time.sleep(0.01)
            server.close()
            output, _ = process.communicate(timeout=30)
        report = json.loads(output)
        self.assertGreater(report["counts"]["good"], 0)
        self.assertGreater(sum(report["counts"].values()) - report["counts"]["good"], 0)
        self.assertEqual(report["counts"]["unfinished"], 0)


class SelfCheck(LoadTest):
    def test_a_generator_that_was_stopped_calls_the_run_void(self):
        server = self.server()
        with subprocess.Popen([WEFT, "load", server.url("/hello"), "--rate", "200", "--duration",
                               "1s", "--json", "-"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            while len(server.requests) < 20:
                time.sleep(0.01)
            process.send_signal(signal.SIGSTOP)
            time.sleep(0.4)
            process.send_signal(signal.SIGCONT)
            output, errors = process.communicate(timeout=30)
        self.assertEqual(process.returncode, VOID)
        self.assertIn("void", errors)
        report = json.loads(output)
        self.assertTrue(report["void"])
        self.assertIn("slip", report["void_because"][0])
        self.assertGreater(report["slip"]["max"], 0.3)
        # It is late, and charges itself for it.
        self.assertGreater(report["latency"]["served"]["max"], 0.3)

    def test_an_interrupted_run_reports_what_it_has(self):
        server = self.server()
        with subprocess.Popen([WEFT, "load", server.url("/hello"), "--rate", "100", "--duration",
                               "60s", "--json", "-"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            while len(server.requests) < 20:
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 128 + signal.SIGINT)
        self.assertIn("stopped by signal 2", errors)
        report = json.loads(output)
        self.assertTrue(report["stopped"])
        self.assertGreater(report["counts"]["good"], 0)
        self.assertGreater(report["counts"]["unfinished"], 0)


class Closed(LoadTest):
    def test_so_many_requests_are_made(self):
        server = self.server()
        report, samples = self.load(server.url("/hello"), "--closed", "--connections", "5",
                                    "--requests", "500", "--duration", "30s")
        self.assertEqual(report["counts"]["good"], 500)
        self.assertEqual(len(samples), 500)
        self.assertEqual(len(server.requests), 500)
        self.assertEqual(server.connections, 5)

    def test_it_ends_with_its_duration(self):
        server = self.server()
        report, _ = self.load(server.url("/hello"), "--closed", "--connections", "4", "--duration",
                              "300ms", "--threads", "2")
        self.assertGreater(report["counts"]["good"], 0)
        self.assertGreater(report["rate"]["answered"], 0)

    def test_connections_that_the_server_ends_are_made_anew(self):
        server = self.server()
        report, _ = self.load(server.url("/close"), "--closed", "--connections", "3", "--requests",
                              "60", "--duration", "30s")
        self.assertEqual(report["counts"]["good"], 60)
        self.assertEqual(server.connections, 60)

    def test_failures_are_counted(self):
        server = self.server()
        report, _ = self.load(server.url("/cut"), "--closed", "--connections", "3", "--requests",
                              "9", "--duration", "30s", codes=(1,))
        self.assertEqual(report["counts"]["cut"], 9)
        report, _ = self.load(f"http://127.0.0.1:{refused_port()}/", "--closed", "--connections",
                              "3", "--requests", "9", "--duration", "30s", codes=(1,))
        self.assertEqual(report["counts"]["refused"], 9)

    def test_time_outs_are_counted(self):
        server = self.server()
        report, _ = self.load(server.url("/never"), "--closed", "--connections", "3", "--requests",
                              "3", "--timeout", "200ms", "--duration", "30s", codes=(1,))
        self.assertEqual(report["counts"]["timeout"], 3)
        self.assertEqual(len(server.requests), 3)


class Tls(LoadTest):
    def secure(self):
        folder = self.folder()
        key, certificate = os.path.join(folder, "key.pem"), os.path.join(folder, "cert.pem")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key,
                        "-out", certificate, "-days", "2", "-subj", "/CN=localhost", "-addext",
                        "subjectAltName=DNS:localhost,IP:127.0.0.1"],
                       check=True, capture_output=True)
        return self.server(certificate=certificate, key=key), certificate

    def test_a_trusted_server_is_loaded_in_both_loops(self):
        server, certificate = self.secure()
        for arguments in (("--rate", "50", "--uniform", "--duration", "200ms"),
                          ("--closed", "--connections", "2", "--requests", "10"),
                          ("--rate", "50", "--uniform", "--duration", "200ms",
                           "--new-connections")):
            for trust in (("--ca", certificate), ("--insecure",)):
                report, _ = self.load(server.url("/hello"), *arguments, *trust)
                self.assertEqual(report["counts"]["good"], 10)

    def test_a_stranger_is_not_trusted(self):
        server, _ = self.secure()
        report, _ = self.load(server.url("/hello"), "--rate", "50", "--uniform", "--duration",
                              "200ms", codes=(1, VOID))
        self.assertEqual(report["counts"]["tls_failed"], 10)

    def test_another_name_is_not_trusted(self):
        server, certificate = self.secure()
        report, _ = self.load(server.url("/hello", host="127.1"), "--rate", "50", "--uniform",
                              "--duration", "200ms", "--ca", certificate, codes=(1, VOID))
        self.assertEqual(report["counts"]["tls_failed"], 10)

    def test_a_plain_server_is_no_secure_one(self):
        server = self.server()
        url = server.url("/hello").replace("http:", "https:")
        report, _ = self.load(url, "--rate", "50", "--uniform", "--duration", "200ms", "--timeout",
                              "1s", codes=(1, VOID))
        self.assertEqual(report["counts"]["good"], 0)
        self.assertEqual(sum(report["counts"].values()), 10)


class Forms(LoadTest):
    def test_the_table_has_it_all(self):
        server = self.server()
        done = weft(server.url("/hello"), "--rate", "200", "--burst", "5x:100ms/500ms",
                    "--duration", "1s")
        self.assertIn(done.returncode, (0, VOID))
        for text in ("seed 1", "P99.99", "in bursts", "between bursts", "burst 2", "recovered in",
                     "slip", " good", "x 200", "at work"):
            self.assertIn(text, done.stdout)
        self.assertNotIn("\033", done.stdout + done.stderr)
        self.assertEqual("VOID" in done.stdout, done.returncode == VOID)

    def test_the_picture_is_xml_with_nothing_from_outside(self):
        server = self.server()
        folder = self.folder()
        overlay = os.path.join(folder, "workers.csv")
        with open(overlay, "w", encoding="utf-8") as file:
            file.write("seconds,workers\n0,2\n0.5,8\n0.9,3\n")
        svg = os.path.join(folder, "picture.svg")
        done = weft(server.url("/hello"), "--rate", "200", "--burst", "5x:100ms/500ms",
                    "--duration", "1s", "--svg", svg, "--overlay", "workers & queue=" + overlay)
        self.assertIn(done.returncode, (0, VOID))
        with open(svg, encoding="utf-8") as file:
            text = file.read()
        xml.etree.ElementTree.fromstring(text)
        self.assertIn("workers &amp; queue", text)
        self.assertNotRegex(text, r"href|url\(|@import")

    def test_json_goes_to_a_file_beside_the_table(self):
        server = self.server()
        path = os.path.join(self.folder(), "report.json")
        done = weft(server.url("/hello"), "--rate", "50", "--duration", "200ms", "--json", path)
        self.assertIn("P99", done.stdout)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(json.load(file)["loop"], "open")

    def test_progress_is_for_terminals(self):
        server = self.server()
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        subprocess.run([WEFT, "load", server.url("/hello"), "--rate", "50", "--duration", "1s"],
                       stdout=subprocess.DEVNULL, stderr=slave, timeout=60, check=False)
        os.close(slave)
        shown = os.read(master, 65536).decode()
        self.assertRegex(shown, re.compile(r"of 1\.0 s.*answered"))


class BadUse(LoadTest):
    def refuse(self, *arguments, text):
        done = weft(*arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertIn(text, done.stderr)

    def test_schedules_that_cannot_be_kept(self):
        url = "http://127.0.0.1:1/"
        self.refuse(url, "--rate", "0", text="--rate: '0' is no rate")
        self.refuse(url, "--rate", "many", text="--rate")
        self.refuse(url, "--duration", "10", text="--duration: '10' is no duration")
        self.refuse(url, "--burst", "2000:3s/2s", text="cannot be kept")
        self.refuse(url, "--burst", "2000:1s/20s", text="longer than the whole run")
        self.refuse(url, "--burst", "fast", text="RATE:LENGTH/PERIOD")
        self.refuse(url, "--on-off", "1s", text="--on-off")
        self.refuse(url, "--rate", "1000000000", "--duration", "1h", text="room for the samples")
        self.refuse(url, "--ramp", "5", "--burst", "9:1ms/1s", text="excludes")
        self.refuse(url, "--closed", "--rate", "5", text="excludes")
        self.refuse(url, "--requests", "5", text="requires")

    def test_files_that_are_none(self):
        url = "http://127.0.0.1:1/"
        self.refuse(url, "--schedule", "/nonexistent", text="/nonexistent")
        self.refuse(url, "--json", "/nonexistent/x", text="cannot write to /nonexistent/x")
        self.refuse(url, "--svg", os.path.join(self.folder(), "x"), "--overlay", "no",
                    text="NAME=FILE")
        path = os.path.join(self.folder(), "schedule.json")
        for content, text in (("{", "no JSON array"), ("[{}]", "no length"),
                              ('[{"length": "1s", "speed": 1}]', "segment 1: 'speed'"),
                              ('[{"length": "1s", "rate": -1}]', "negative"),
                              ('[{"length": 5, "rate": 1}]', "'length'")):
            with open(path, "w", encoding="utf-8") as file:
                file.write(content)
            self.refuse(url, "--schedule", path, text=text)

    def test_targets_that_are_none(self):
        self.refuse(text="give a URL")
        self.refuse("127.0.0.1:80", text="neither http:// nor https://")
        self.refuse("http://host.invalid/", text="cannot find the host host.invalid")
        self.refuse("x=http://127.0.0.1:1/", text="weight")
        self.refuse("http://127.0.0.1:1/", "--header", "none", text="no header")
        self.refuse("https://127.0.0.1:1/", "--ca", "/nonexistent", text="/nonexistent")

    def test_machines_that_are_none(self):
        url = "http://127.0.0.1:1/"
        self.refuse(url, "--cpu", "4095", text="CPU 4095")
        self.refuse(url, "--cpu", "one", text="--cpu")
        self.refuse(url, "--threads", "0", text="--threads")
        self.refuse(url, "--threads", "4", "--connections", "2", text="fewer connections")
        self.refuse(url, "--ready", "5", "--connections", "2", text="--ready")
        self.refuse(url, "--timeout", "0s", text="--timeout")


if __name__ == "__main__":
    unittest.main(verbosity=1)
