#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Runs MariaDB's server under `weft run` (or natively), loads it, kills it, and checks its tables.
#
# Exit codes: 0 all passed, 1 a failure, 2 bad use, 77 where MariaDB or sysbench is not installed.
import argparse
import itertools
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import encrypted  # noqa: E402
import hangs  # noqa: E402
import oltp  # noqa: E402
import server as servers  # noqa: E402
import sudden_death  # noqa: E402
import unrest  # noqa: E402

SKIPPED = 77
PROGRAMS = ("mariadbd", "mariadb-install-db", "mariadb-admin", "mariadb", "mariadb-slap",
            "sysbench")
NATIVE_AIO_OFF = "--innodb-use-native-aio=0"
THREAD_POOL = "--thread-handling=pool-of-threads"


class Results:
    def __init__(self):
        self.passed, self.failed = 0, 0

    # Runs one check; a Failure is told and counted, anything else is a fault of the test itself.
    def check(self, name, action):
        began = time.monotonic()
        try:
            result = action()
        except hangs.Failure as failure:
            self.failed += 1
            print(f"FAIL {name}\n" + "\n".join(f"    {line}" for line in str(failure).splitlines()),
                  flush=True)
            return False
        self.passed += 1
        print(f"ok   {name}{f': {result}' if result is not None else ''} "
              f"({time.monotonic() - began:.1f} s)", flush=True)
        return True


# What all checks need: where, with which words, how long.
class Setting:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.data = servers.make_data(folder)
        self.certificates = None if encrypted.obstacle() else encrypted.make_certificates(folder)
        weft = [options.weft, "run", "--workers", options.workers, "--"]
        self.launcher = [] if options.native else weft
        self.client_launcher = weft if options.weft_client else []

    def server(self, *settings):
        encryption = encrypted.settings(self.certificates) if self.certificates else []
        return servers.running(self.folder, self.data, self.launcher, [*encryption, *settings])


def told(count, what="events"):
    return f"{count} {what}"


def load_combinations(setting, results, tests, connections, transports, settings):
    with setting.server(*settings) as server:
        for count, transport in itertools.product(connections, transports):
            oltp.prepare(server, count)
            for test in tests:
                name = " ".join([test, str(count), transport, *settings])
                results.check(name, lambda: told(oltp.load(
                    server, test, transport, count, setting.options.seconds,
                    setting.client_launcher)))
                server.must_run()
            results.check(f"tables after {count} {transport} {' '.join(settings)}".strip(),
                          lambda: server.check_tables("sbtest"))


def starts_and_stops(setting, results, times):
    def once():
        with setting.server() as server:
            server.query("SELECT 1")

    for number in range(times):
        results.check(f"start and stop {number + 1}", once)


def encrypted_connections(setting, results, connections, long_form):
    if setting.certificates is None:
        print(f"skip TLS: {encrypted.obstacle()}")
        return
    with setting.server() as server:
        results.check("a TLS connection", lambda: encrypted.connect_once(
            server, setting.certificates))
        if not long_form:
            return
        for count in connections:
            oltp.prepare(server, 1)
            results.check(f"TLS, read-write, {count} connections", lambda: told(
                encrypted.load(server, setting.certificates, count, setting.options.seconds)))


def disturbances(setting, results):
    seconds = setting.options.seconds
    for settings in ((), (THREAD_POOL,)):
        with setting.server(*settings) as server:
            oltp.prepare(server, 1)
            for transport in setting.options.transports:
                results.check(" ".join(["reconnections", transport, *settings]),
                              lambda: unrest.reconnect(server, transport, 64, 4000))
            results.check(" ".join(["read-write, 64", *settings]), lambda: told(oltp.load(
                server, "oltp_read_write", "socket", 64, seconds)))
            results.check(" ".join(["waits that are killed", *settings]),
                          lambda: unrest.kill_those_who_wait(server))
            results.check(" ".join(["idle connections", *settings]),
                          lambda: unrest.time_out_the_idle(server))
            results.check(" ".join(["shutdown under load", *settings]),
                          lambda: unrest.shut_down_under_load(server))
        with setting.server(*settings) as server:
            results.check(" ".join(["SIGTERM under load", *settings]),
                          lambda: unrest.terminate_under_load(server))


def deaths(setting, results, times):
    lots = random.Random(setting.options.seed)
    notes = setting.folder / "acknowledged.txt"
    with setting.server() as server:
        sudden_death.prepare(server)
        oltp.prepare(server, 1)
        for number in range(times):
            seconds = lots.uniform(0, 3)
            if not results.check(f"kill -9 and restart {number + 1}, after {seconds:.2f} s",
                                 lambda: told(sudden_death.die_once(server, seconds, notes),
                                              "commits")):
                return


def quick_form(setting, results):
    load_combinations(setting, results, ("oltp_point_select", "oltp_read_write"), (64,),
                      ("socket",), ())
    encrypted_connections(setting, results, (), long_form=False)
    deaths(setting, results, 1)


def long_form(setting, results):
    options = setting.options
    parts = {
        "oltp": lambda: [
            load_combinations(setting, results, options.tests, options.connections,
                              options.transports, settings)
            for settings in ((), (NATIVE_AIO_OFF,))],
        "tls": lambda: encrypted_connections(setting, results, options.connections, True),
        "starts": lambda: starts_and_stops(setting, results, 10),
        "unrest": lambda: disturbances(setting, results),
        "deaths": lambda: deaths(setting, results, options.deaths),
    }
    for name, part in parts.items():
        if not options.only or name in options.only:
            part()


def words(text):
    return tuple(text.split(","))


def numbers(text):
    return tuple(int(word) for word in text.split(","))


def read_options():
    parser = argparse.ArgumentParser(description="MariaDB under `weft run`: loads, TLS, death.")
    parser.add_argument("--weft", metavar="FILE", help="the command line tool to test")
    parser.add_argument("--native", action="store_true", help="the server without weft")
    parser.add_argument("--weft-client", action="store_true", help="sysbench under weft as well")
    parser.add_argument("--workers", metavar="N", default="1", help="of the server, or auto")
    parser.add_argument("--quick", action="store_true", help="less than two minutes of it")
    parser.add_argument("--only", metavar="PARTS", type=words,
                        help="of the long form, by commas: oltp, tls, starts, unrest, deaths")
    parser.add_argument("--tests", metavar="LIST", type=words, default=oltp.TESTS)
    parser.add_argument("--connections", metavar="LIST", type=numbers, default=(16, 64, 256, 1024))
    parser.add_argument("--transports", metavar="LIST", type=words, default=("socket", "tcp"))
    parser.add_argument("--deaths", metavar="N", type=int, default=20, help="how many kill -9")
    parser.add_argument("--seconds", metavar="N", type=int, default=2, help="of each load")
    parser.add_argument("--seed", metavar="N", type=int, default=1, help="of the times of death")
    options = parser.parse_args()
    if options.weft is None and not options.native:
        parser.error("name the tool by --weft, or say --native")
    if options.weft is not None:
        options.weft = str(Path(options.weft).resolve())
    return options


def main():
    options = read_options()
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    if missing:
        print(f"SKIP: not installed: {', '.join(missing)}")
        sys.exit(SKIPPED)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    for number in (signal.SIGTERM, signal.SIGHUP):  # the servers must not stay behind
        signal.signal(number, lambda *_: sys.exit(1))
    results = Results()
    with tempfile.TemporaryDirectory(prefix="weft-mariadb-") as folder:
        try:
            setting = Setting(options, Path(folder))
            (quick_form if options.quick else long_form)(setting, results)
        except hangs.Failure as failure:
            print(f"FAIL the server\n{failure}", flush=True)
            results.failed += 1
    print(f"{results.passed} passed, {results.failed} failed, 0 skipped")
    sys.exit(1 if results.failed else 0)


if __name__ == "__main__":
    main()
