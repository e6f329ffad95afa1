#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# A service with HTTP and gRPC ends: what it says meanwhile, whom it waits for and how long, and that it loses nothing.
#
# ROUNDS, of the environment: how often it is ended under load, over HTTP and over gRPC each.
import http.client
import os
import signal
import threading
import time

import kit
from clients import Clients
from service import PATIENCE_SECONDS

ROUNDS = int(os.environ.get("ROUNDS", "3"))
# As a client may see the end: UNAVAILABLE; or CANCELLED, as gRPC 1.51 says to who comes in its very moment.
CODES_OF_THE_END = {"14", "1"}


class Ending(kit.KitTest):
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
        self.assertEqual(service.ask("GET", "/readyz", port=service.admin).status, 503)
        self.assertEqual(service.ask("GET", "/healthz", port=service.admin).status, 200)
        self.assertEqual(service.ask("POST", "/visits/late").status, 204)
        self.assertEqual(service.wait(), 0)
        self.assertEqual(live.rest()[0].split()[:2], ["code", "14"])

    # Requests under way, on both, are waited for; the admin port answers meanwhile.
    def test_waits_for_what_is_under_way(self):
        service = self.start()
        call = self.client(service, "sleep", "2000")
        statuses = []
        asking = threading.Thread(
            target=lambda: statuses.append(service.ask("GET", "/sleep/2000").status))
        asking.start()
        service.wait_for_line("sleeps", 2)
        service.process.send_signal(signal.SIGTERM)
        service.wait_for_line("SIGTERM: ending")
        self.assertEqual(service.ask("GET", "/healthz", port=service.admin).status, 200)
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
            told = time.monotonic()
            self.assertEqual(service.end(), 0, service.log())
            said = load.rest()
            with self.subTest(round=round_number, sigterm_at=told, said=said):
                acknowledged = int(said[0].removeprefix("acknowledged "))
                self.assertLessEqual({line.split()[1] for line in said[2:]}, CODES_OF_THE_END)
                self.check_visits({name: acknowledged})

    def test_loses_nothing_over_http(self):
        for round_number in range(ROUNDS):
            with self.subTest(round=round_number):
                self.end_under_load(f"kept-{round_number}", {}, 4)

    # A listener that is closed while somebody waits in its queue would reset him.
    def test_resets_nobody_who_has_just_come(self):
        for round_number in range(ROUNDS):
            with self.subTest(round=round_number):
                self.end_under_load(f"new-{round_number}", {"Connection": "close"}, 8)

    def end_under_load(self, name, headers, clients):
        service = self.start()
        load = Clients(service.http, lambda client, number: (
            f"{name}, {client}, {number}", "POST", f"/visits/{name}", None, headers), clients)
        self.addCleanup(load.ends.set)
        load.wait_for(50)
        load.mark("SIGTERM")
        self.assertEqual(service.end(), 0, service.log())
        load.mark("its end")
        load.end()
        wrong = load.wrong_at_the_end()
        self.assertEqual(wrong, [], load.tell(wrong))
        self.check_visits({name: len(load.succeeded)})


if __name__ == "__main__":
    kit.main()
