#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# A service with HTTP and gRPC, while it serves, and where it does not start.
import os
import socket
import subprocess

import kit
from service import PATIENCE_SECONDS


class Serving(kit.KitTest):
    def test_serves_both_at_once(self):
        service = self.start()
        self.assertEqual(service.ask("POST", "/visits/ada").status, 204)
        visits = self.client(service, "visit", "ada", "2")
        self.assertEqual(visits.line(), "busy")
        self.assertGreaterEqual(int(service.ask("GET", "/visits/ada").text), 51)
        self.assertEqual(service.end(), 0)
        visits.rest()

    def test_either_can_be_left_out(self):
        service = self.start(http="")
        self.assertIsNone(service.http)
        self.assertEqual(self.asks(service, "health", ""), ["SERVING"])
        self.assertEqual(service.ask("GET", "/readyz", port=service.admin).status, 200)
        self.assertIn("weft_grpc_workers", service.metrics())
        self.assertEqual(service.end(), 0)
        service = self.start(grpc="")
        self.assertIsNone(service.grpc)
        self.assertEqual(service.ask("POST", "/visits/ada").status, 204)
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
        for line in service.ask("GET", "/metrics", port=service.admin).text.splitlines():
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
        answer = service.ask("GET", "/remaining", headers={"grpc-timeout": "10S"})
        self.assertEqual(answer.status, 200)
        self.assertRegex(answer.text, r"^\d+u$")
        self.assertLessEqual(int(answer.text[:-2]), 10_000_000)
        # Never more than the service allows.
        for wish in {"Grpc-Timeout": "5H"}, {}:
            left = service.ask("GET", "/remaining", headers=wish).text
            self.assertLessEqual(int(left[:-2]), 20_000_000)
        self.assertEqual(service.ask("GET", "/sleep/60000", headers={"Grpc-Timeout": "50m"}).status, 504)
        service.wait_for_line("sleeps")
        # Too late when it comes: the handler is not called.
        self.assertEqual(service.ask("GET", "/sleep/1", headers={"Grpc-Timeout": "1n"}).status, 504)
        self.assertEqual(service.ask("GET", "/sleep/1", headers={"Grpc-Timeout": "0m"}).status, 504)
        for wrong in "10s", "10", "m", "-1m", "1.5S", "123456789m", "250 m":
            answer = service.ask("GET", "/sleep/1", headers={"Grpc-Timeout": wrong})
            self.assertEqual(answer.status, 400, wrong)
            self.assertIn("up to 8 digits", answer.text)
        twice = [("Grpc-Timeout", "1S"), ("Grpc-Timeout", "2S")]
        self.assertEqual(service.ask("GET", "/sleep/1", headers=twice).status, 400)
        self.assertEqual(service.end(), 0)
        self.assertEqual(service.log().count("sleeps"), 1)

    # A client of gRPC that says nothing of it has the service's own time.
    def test_calls_of_grpc_end_in_time(self):
        service = self.start("--request-deadline-ms", "300")
        self.assertRegex(self.asks(service, "sleep", "60000")[0], "^code 4 ")
        self.assertEqual(service.end(), 0)

    def refuses(self, *words, environment=None):
        done = subprocess.run([kit.SERVICE, *words], capture_output=True, text=True,
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
        place = f"127.0.0.1:{service.grpc}"
        said = self.refuses("--http", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--grpc", place,
                            "--database", self.database)
        self.assertRegex(said, f"cannot listen on (one of )?{place}")


if __name__ == "__main__":
    kit.main()
