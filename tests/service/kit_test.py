#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# A service with HTTP and gRPC (kit_service.cc), from its first port to its exit status.
#
# ROUNDS, of the environment: how often it is ended under load, over HTTP and over gRPC each.
import http.client
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

from process import PATIENCE_SECONDS, Service

SERVICE = ""
CLIENT = ""
KEEPER = ""
ROUNDS = int(os.environ.get("ROUNDS", "3"))


class Client:
    """kit_client, while it runs."""

    def __init__(self, service, *words):
        self.process = subprocess.Popen(
            [CLIENT, f"127.0.0.1:{service.grpc_port}", *words], stdout=subprocess.PIPE, text=True)

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

    def test_serves_both_at_once(self):
        service = self.start()
        self.assertEqual(service.ask("POST", "/visits/ada")[0], 204)
        visits = self.client(service, "visit", "ada", "2")
        self.assertEqual(visits.line(), "busy")
        self.assertGreaterEqual(int(service.ask("GET", "/visits/ada")[1]), 51)
        self.assertEqual(service.end(), 0)
        visits.rest()

    def test_either_can_be_left_out(self):
        service = self.start(http="")
        self.assertIsNone(service.http_port)
        self.assertEqual(self.asks(service, "health", ""), ["SERVING"])
        self.assertEqual(service.ask("GET", "/readyz", port=service.admin_port)[0], 200)
        self.assertIn("weft_grpc_workers", service.metrics())
        self.assertEqual(service.end(), 0)
        service = self.start(grpc="")
        self.assertIsNone(service.grpc_port)
        self.assertEqual(service.ask("POST", "/visits/ada")[0], 204)
        self.assertEqual(service.end(), 0)

    def test_has_health_and_reflection(self):
        service = self.start()
        for name in "", "liveness", "weft.kit.Kit":
            self.assertEqual(self.asks(service, "health", name), ["SERVING"], name)
        self.assertEqual(self.asks(service, "health", "other")[0].split()[:2], ["code", "5"])
        self.assertIn("weft.kit.Kit", self.asks(service, "services"))

    def test_logs_what_handlers_throw_and_tells_nobody(self):
        service = self.start()
        self.assertEqual(self.asks(service, "throw", "plans"), ["code 13 the handler has failed"])
        service.wait_for_line("/weft.kit.Kit/Throw: a handler failed: secret plans")
        self.assertEqual(service.end(), 0)

    def test_tells_all_its_numbers(self):
        service = self.start()
        service.ask("POST", "/visits/ada")
        self.asks(service, "throw", "x")
        numbers = service.metrics()
        self.assertEqual(numbers['weft_grpc_calls_total{method="/weft.kit.Kit/Throw",code="INTERNAL"}'], 1)
        self.assertEqual(numbers["weft_grpc_handlers_failed_total"], 1)
        self.assertEqual(numbers['weft_responses_total{code="2xx"}'], 1)
        self.assertEqual(numbers['weft_admission_admitted_total{priority="normal"}'], 2)
        self.assertEqual(numbers['weft_admission_state{state="open"}'], 1)
        self.assertEqual(numbers['weft_admission_refused_total{priority="low",reason="queue-delay"}'], 0)
        self.assertEqual(numbers["weft_admission_in_flight"], 0)
        self.assertGreaterEqual(numbers["weft_grpc_call_seconds_count"], 1)
        self.assertGreaterEqual(numbers["weft_database_leases_total"], 2)
        self.assertEqual(numbers["weft_database_open_failures_total"], 0)
        self.assertEqual(numbers['weft_context_guard_misuses_total{kind="on_another_strand"}'], 0)
        for name in ("weft_grpc_calls_in_flight", "weft_blocking_pool_threads", "weft_pool_threads",
                     "weft_database_waiting", "weft_database_lease_wait_seconds_count"):
            self.assertIn(name, numbers)

    # Each family once, described before its samples, and no sample twice.
    def test_its_numbers_are_well_formed(self):
        service = self.start()
        self.asks(service, "throw", "x")
        described, samples = set(), set()
        for line in service.ask("GET", "/metrics", port=service.admin_port)[1].splitlines():
            words = line.split(" ")
            if words[:2] == ["#", "TYPE"]:
                self.assertNotIn(words[2], described)
                described.add(words[2])
            elif words[0] != "#":
                name, value = line.rsplit(" ", 1)
                float(value)
                self.assertNotIn(name, samples)
                samples.add(name)
                family = name.split("{")[0]
                stem = family.removesuffix("_bucket").removesuffix("_sum").removesuffix("_count")
                self.assertTrue(family in described or stem in described, name)

    def test_keeps_to_the_time_of_the_client(self):
        service = self.start("--request-deadline-ms", "20000")
        status, left, _ = service.ask("GET", "/remaining", {"grpc-timeout": "10S"})
        self.assertEqual(status, 200)
        self.assertRegex(left, r"^\d+u$")
        self.assertLessEqual(int(left[:-2]), 10_000_000)
        # Never more than the service allows.
        for wish in {"Grpc-Timeout": "5H"}, {}:
            left = service.ask("GET", "/remaining", wish)[1]
            self.assertLessEqual(int(left[:-2]), 20_000_000)
        self.assertEqual(service.ask("GET", "/sleep/60000", {"Grpc-Timeout": "50m"})[0], 504)
        service.wait_for_line("sleeps")
        # Too late when it comes: the handler is not called.
        self.assertEqual(service.ask("GET", "/sleep/1", {"Grpc-Timeout": "1n"})[0], 504)
        self.assertEqual(service.ask("GET", "/sleep/1", {"Grpc-Timeout": "0m"})[0], 504)
        for wrong in "10s", "10", "m", "-1m", "1.5S", "123456789m", "250 m":
            status, text, _ = service.ask("GET", "/sleep/1", {"Grpc-Timeout": wrong})
            self.assertEqual(status, 400, wrong)
            self.assertIn("up to 8 digits", text)
        twice = [("Grpc-Timeout", "1S"), ("Grpc-Timeout", "2S")]
        self.assertEqual(service.ask("GET", "/sleep/1", twice)[0], 400)
        self.assertEqual(service.end(), 0)
        self.assertEqual(service.log().count("sleeps"), 1)

    # Not ready at once, serving on for a while, alive to the end.
    def test_health_while_it_leaves(self):
        service = self.start("--leaving-ms", "3000")
        watcher = self.client(service, "watch", "")
        self.assertEqual(watcher.line(), "SERVING")
        live = self.client(service, "watch", "liveness")
        self.assertEqual(live.line(), "SERVING")
        service.process.send_signal(signal.SIGTERM)
        self.assertEqual(watcher.line(), "NOT_SERVING")
        self.assertEqual(self.asks(service, "health", "liveness"), ["SERVING"])
        self.assertEqual(self.asks(service, "health", "weft.kit.Kit"), ["NOT_SERVING"])
        self.assertEqual(service.ask("GET", "/readyz", port=service.admin_port)[0], 503)
        self.assertEqual(service.ask("GET", "/healthz", port=service.admin_port)[0], 200)
        self.assertEqual(service.ask("POST", "/visits/late")[0], 204)
        self.assertEqual(service.wait(), 0)
        self.assertEqual(live.rest()[0].split()[:2], ["code", "14"])

    # Requests under way, on both, are waited for; the admin port answers meanwhile.
    def test_waits_for_what_is_under_way(self):
        service = self.start()
        call = self.client(service, "sleep", "2000")
        statuses = []
        asking = threading.Thread(
            target=lambda: statuses.append(service.ask("GET", "/sleep/2000")[0]))
        asking.start()
        service.wait_for_line("sleeps", 2)
        service.process.send_signal(signal.SIGTERM)
        service.wait_for_line("SIGTERM: ending")
        self.assertEqual(service.ask("GET", "/healthz", port=service.admin_port)[0], 200)
        self.assertEqual(service.metrics()["weft_grpc_calls_in_flight"], 1)
        self.assertEqual(service.wait(), 0)
        asking.join(PATIENCE_SECONDS)
        self.assertEqual(statuses, [200])
        self.assertEqual(call.rest(), ["code 0"])

    # What takes too long is told so, and the client hears of it.
    def test_cancels_what_takes_too_long(self):
        service = self.start("--grace-ms", "1500")
        call = self.client(service, "sleep", "3600000")
        ticks = self.client(service, "tick")
        self.assertEqual(ticks.line(), "tick 1")
        service.wait_for_line("sleeps")
        self.assertEqual(service.end(), 1)
        self.assertEqual(call.rest(), ["code 14 the server shuts down"])
        self.assertEqual(ticks.rest()[-1], "code 14 the server shuts down")

    def test_ends_in_time_whatever_handlers_do(self):
        for kind in "gRPC", "HTTP":
            service = self.start("--grace-ms", "1000")
            if kind == "gRPC":
                call = self.client(service, "sleep", "-1")
                service.wait_for_line("sleeps")
            else:
                threading.Thread(target=self.ask_in_vain, args=(service,), daemon=True).start()
                service.wait_for_line("is stuck")
            self.assertEqual(service.end(), 1, kind)
            self.assertIn("servers did not end well: not all was done in time", service.log())
            if kind == "gRPC":
                self.assertEqual(call.rest()[0].split()[:2], ["code", "14"])

    def ask_in_vain(self, service):
        try:
            service.ask("GET", "/stuck")
        except (http.client.RemoteDisconnected, ConnectionError):
            pass

    def test_ends_at_once_when_it_is_told_twice(self):
        service = self.start("--leaving-ms", "3600000", "--grace-ms", "3600000")
        service.process.send_signal(signal.SIGTERM)
        service.wait_for_line("SIGTERM: ending")
        deadline = threading.Event()
        for _ in range(PATIENCE_SECONDS * 10):  # the second comes when the first was seen to
            service.process.send_signal(signal.SIGTERM)
            if service.process.poll() is not None:
                break
            deadline.wait(0.1)
        self.assertEqual(service.wait(), -signal.SIGTERM)

    def test_loses_nothing_over_grpc(self):
        for round_number in range(ROUNDS):
            name = f"grpc-{round_number}"
            service = self.start()
            load = self.client(service, "visit", name, "4")
            self.assertEqual(load.line(), "busy")
            self.assertEqual(service.end(), 0, service.log())
            said = load.rest()
            acknowledged = int(said[0].removeprefix("acknowledged "))
            # UNAVAILABLE; or CANCELLED, as gRPC 1.51 says to who comes in the moment of the end.
            self.assertLessEqual({line.split()[1] for line in said[1:]}, {"14", "1"}, said)
            self.check_visits(name, acknowledged)

    def test_loses_nothing_over_http(self):
        for round_number in range(ROUNDS):
            name = f"http-{round_number}"
            service = self.start()
            answered = self.load_http(service, name, 50)
            self.check_visits(name, answered)

    # Until it ends; after so many it is told to. 0: somebody else does.
    def load_http(self, service, name, ends_after):
        lock = threading.Lock()
        answered = 0
        statuses = set()
        is_busy = threading.Event()

        def visit():
            nonlocal answered
            connection = http.client.HTTPConnection("127.0.0.1", service.http_port,
                                                    timeout=PATIENCE_SECONDS)
            try:
                while True:
                    connection.request("POST", f"/visits/{name}")
                    response = connection.getresponse()
                    response.read()
                    with lock:
                        statuses.add(response.status)
                        answered += response.status == 204
                        if answered >= ends_after:
                            is_busy.set()
            except (http.client.RemoteDisconnected, ConnectionError):
                pass  # refused, or the end of a connection that was idle
            finally:
                connection.close()

        clients = [threading.Thread(target=visit) for _ in range(4)]
        for client in clients:
            client.start()
        if ends_after != 0:
            self.assertTrue(is_busy.wait(PATIENCE_SECONDS))
            self.assertEqual(service.end(), 0, service.log())
        for client in clients:
            client.join()
        self.assertLessEqual(statuses, {204, 503})
        return answered

    # In a real cgroup, under load: sizes follow the quota, and nothing is lost.
    def test_follows_its_quota(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("one CPU cannot become two")
        keeper = subprocess.Popen([KEEPER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(keeper.communicate)  # the cgroup goes when nobody speaks to it any more

        def tell(*words):
            keeper.stdin.write(" ".join(words) + "\n")
            keeper.stdin.flush()
            return keeper.stdout.readline().strip()

        answer = tell("quota", "0.5")
        if answer != "done":
            self.skipTest(answer)
        service = self.start(before=lambda pid: self.assertEqual(tell("enter", str(pid)), "done"))
        sizes = ("weft_grpc_workers", "weft_pool_cpus", "weft_blocking_pool_cpus",
                 "weft_admission_cpus")
        self.assertEqual([service.metrics()[name] for name in sizes], [1, 1, 1, 1])
        load = self.client(service, "visit", "grpc", "4")
        answered = []
        asking = threading.Thread(target=lambda: answered.append(self.load_http(service, "http", 0)))
        asking.start()
        for cores, size in ("2", 2), ("0.5", 1), ("2", 2), ("0.5", 1):
            self.assertEqual(tell("quota", cores), "done")
            for _ in range(PATIENCE_SECONDS * 20):
                if all(service.metrics()[name] == size for name in sizes):
                    break
                threading.Event().wait(0.05)
            self.assertEqual([service.metrics()[name] for name in sizes], [size] * 4, cores)
            before = service.metrics()
            for _ in range(PATIENCE_SECONDS * 20):  # it goes on serving, both
                now = service.metrics()
                if all(now[name] >= before[name] + 20 for name in (
                        'weft_responses_total{code="2xx"}', "weft_blocking_pool_jobs_total")):
                    break
                threading.Event().wait(0.05)
            else:
                self.fail(f"it does not serve with {cores} cores")
        tell("quota", "2")
        self.assertEqual(service.end(), 0, service.log())
        asking.join(PATIENCE_SECONDS)
        acknowledged = int([line for line in load.rest() if line.startswith("acknowledged")][0]
                           .removeprefix("acknowledged "))
        again = self.start()
        self.assertEqual(int(again.ask("GET", "/visits/grpc")[1]), acknowledged)
        self.assertEqual(int(again.ask("GET", "/visits/http")[1]), answered[0])

    # What was acknowledged was done, and what was done was acknowledged.
    def check_visits(self, name, acknowledged):
        again = self.start()
        self.assertEqual(int(again.ask("GET", f"/visits/{name}")[1]), acknowledged)
        self.assertEqual(again.end(), 0)

    def refuses(self, *words, environment=None):
        done = subprocess.run([SERVICE, *words], capture_output=True, text=True,
                              timeout=PATIENCE_SECONDS, env={**os.environ, **(environment or {})})
        self.assertEqual(done.returncode, 2, done.stderr)
        return done.stderr

    def test_says_what_is_wrong_and_does_not_start(self):
        def refused(environment=None, **changed):
            options = {"--http": "127.0.0.1:0", "--admin": "127.0.0.1:0",
                       "--database": self.database, "--grpc": "127.0.0.1:0"}
            options |= {f"--{name}": value for name, value in changed.items()}
            words = [word for pair in options.items() if pair[1] is not None for word in pair]
            return self.refuses(*words, environment=environment)

        self.assertIn("nowhere", refused(grpc="nowhere"))
        self.assertIn("65535", refused(grpc="127.0.0.1:99999"))
        self.assertIn("nothing is served", refused(http="", grpc=""))
        self.assertIn("nowhere", refused(grpc=None, environment={"GRPC_LISTEN": "nowhere"}))
        self.assertIn("--grcp", refused(grcp="127.0.0.1:0"))
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            place = f"127.0.0.1:{taken.getsockname()[1]}"
            for option in "grpc", "admin", "http":
                self.assertIn(place, refused(**{option: place}))

    def test_does_not_share_a_port_with_another(self):
        service = self.start()
        place = f"127.0.0.1:{service.grpc_port}"
        said = self.refuses("--http", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--grpc", place,
                            "--database", self.database)
        self.assertIn(f"cannot listen on one of {place}", said)


if __name__ == "__main__":
    SERVICE, CLIENT, KEEPER = (sys.argv.pop(1) for _ in range(3))
    unittest.main()
