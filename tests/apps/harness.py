# SPDX-License-Identifier: Apache-2.0
# What the scripts of all programs share: places to run in, servers, watchdogs, ratios.
#
# A place is where and how a program runs: natively or under weft, on which CPUs. With one worker
# both runs of a pair have one CPU for the program (and the other for its client), with more they have
# all: so that a ratio compares equal shares of the machine.
import contextlib
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import namedtuple
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "support"))
import hangs  # noqa: E402
from hangs import Failure, Hang, describe, ends_within, name_of, status_name, text_of  # noqa: E402

# One thing to run. `run(place)` returns an Outcome; `bar` is the least ratio of speeds, or none;
# `pinned` asks for the CPUs of a place, `quick` says that the quick form has it too.
Row = namedtuple("Row", "title run bar pinned quick", defaults=(None, True, True))
# `result` must be the same natively and under weft; `speed` is in work per second, `thrift` in work
# per second of CPU time, which other programs on the machine hardly change; `busy` are the CPUs that
# a server and its client had, and tells which of them was the limit; or none.
Outcome = namedtuple("Outcome", "result speed thrift busy", defaults=(None, None, None))
Ratio = namedtuple("Ratio", "median lowest highest")


class Place:
    def __init__(self, weft, workers, under_weft, pinned):
        cpus = sorted(os.sched_getaffinity(0))
        self.under_weft, self.pinned = under_weft, pinned
        self.prefix = [weft, "run", "--workers", workers, "--"] if under_weft else []
        alone = workers == "1"
        self.cpus = cpus[:1] if alone else cpus
        self.client_cpus = cpus[1:2] or cpus if alone else cpus

    # The command that runs the program here.
    def command(self, arguments):
        return self.on(self.cpus, [*self.prefix, *arguments])

    # The command that runs a client of the program, natively, on what CPUs the program leaves.
    def client(self, arguments):
        return self.on(self.client_cpus, arguments)

    def on(self, cpus, command):
        if not self.pinned or not shutil.which("taskset"):
            return [str(word) for word in command]
        return ["taskset", "-c", ",".join(map(str, cpus)), *(str(word) for word in command)]


# Runs a command to its end, as hangs.run does, for two minutes at most unless told.
def run(command, seconds=120, **how):
    return hangs.run(command, seconds, **how)


# The outcome of a run whose whole time counts.
def outcome_of(finished, result):
    return Outcome(result, 1 / finished.seconds, 1 / max(finished.cpu_seconds, 0.001))


# Starts a server, waits until it listens, and ends it by SIGTERM. Whatever goes wrong meanwhile is
# told with its state and its log.
@contextlib.contextmanager
def serve(command, port, seconds=60, folder=None):
    name = name_of(command)
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen([str(word) for word in command], cwd=folder,
                                   stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                   start_new_session=True)
        try:
            wait_until_listening(process, name, port, seconds)
            yield process
            process.terminate()
            if not ends_within(process, seconds):
                raise Hang(f"{name} does not end within {seconds} s\n{describe(process.pid)}")
            if process.wait() != 0:
                raise Failure(f"{name} does not end well")
        except Failure as failure:
            raise type(failure)(f"{failure}\n{last_words(process, log)}") from None
        except (OSError, EOFError) as error:  # a client gets no answer: the threads say why
            raise Hang(f"client of {name}: {error!r}\n{describe(process.pid)}\n"
                       f"{last_words(process, log)}") from error
        finally:
            hangs.kill_session(process)


def last_words(server, log):
    ended = server.poll()
    state = "still runs" if ended is None else f"ended with {status_name(ended)}"
    return f"the server {state}, its log:\n{text_of(log)[-2000:]}"


def wait_until_listening(process, name, port, seconds):
    until = time.monotonic() + seconds
    while True:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        if process.poll() is not None:
            raise Failure(f"{name} ends before it listens")
        if time.monotonic() > until:
            raise Hang(f"{name} does not listen after {seconds} s\n{describe(process.pid)}")
        time.sleep(0.05)


# CPU time of a server and its children so far.
def cpu_seconds_of(server):
    ticks = 0
    for pid in hangs.processes_of(server.pid):
        with contextlib.suppress(OSError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


# The outcome of so much work that a client asked of a server, which must still be running.
def served(server, client, work, speed, result):
    server_seconds = cpu_seconds_of(server)
    busy = (server_seconds / client.seconds, client.cpu_seconds / client.seconds)
    return Outcome(result, speed, work / max(server_seconds, 0.001), busy)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def version_of(command, pattern):
    shown = subprocess.run(command, capture_output=True, text=True, timeout=30)
    found = re.search(pattern, shown.stdout + shown.stderr)
    return found[1] if found else "?"


# What a pattern finds in a text, or a Failure.
def found_in(pattern, text):
    found = re.search(pattern, text, re.MULTILINE)
    if found is None:
        raise Failure(f"nothing like '{pattern}' in\n{text[-2000:]}")
    return found[1]


# The ratios of each round: what slowed a whole round slowed both of its halves.
def ratio_of(pairs):
    ratios = [theirs / ours for ours, theirs in pairs if ours and theirs]
    return Ratio(statistics.median(ratios), min(ratios), max(ratios)) if ratios else None


# Compiles one of the programs beside this file, and returns where it is.
def compiled(folder, source, *options):
    program = folder / Path(source).stem
    run(["g++", "-std=c++20", "-O2", *options, FOLDER / source, "-o", program])
    return program


def compiler_version():
    return version_of(["g++", "--version"], r"\) (\S+)")


# A folder that is gone at the end, and that a server which gives up root can read.
@contextlib.contextmanager
def scratch():
    with tempfile.TemporaryDirectory(prefix="weft-app-") as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)
