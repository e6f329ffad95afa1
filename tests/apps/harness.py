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
sys.path.insert(0, str(FOLDER.parent / "programs"))
from run_programs import (describe_threads, ends_within, kill_session, processes_of,  # noqa: E402
                          status_name, text_of)

# One thing to run. `run(place)` returns an Outcome; `bar` is the least ratio of speeds, or none;
# `pinned` asks for the CPUs of a place, `quick` says that the short form has it too.
Row = namedtuple("Row", "title run bar pinned quick", defaults=(None, True, True))
# `result` must be the same natively and under weft; `speed` is in work per second, `thrift` in work
# per second of CPU time, which other programs on the machine hardly change; or none.
Outcome = namedtuple("Outcome", "result speed thrift", defaults=(None, None))
Finished = namedtuple("Finished", "output errors status seconds cpu_seconds")


# A result that is false by itself, whatever the native run says.
class Wrong(Exception):
    pass


# A process that did not end in time; the text says where its threads stood.
class Hang(Exception):
    pass


class Place:
    def __init__(self, weft, workers, under_weft, quick):
        cpus = sorted(os.sched_getaffinity(0))
        self.under_weft, self.workers, self.quick = under_weft, workers, quick
        self.prefix = [weft, "run", "--workers", str(workers), "--"] if under_weft else []
        self.cpus = cpus[:1] if workers == 1 else cpus
        self.client_cpus = cpus[1:2] or cpus if workers == 1 else cpus
        self.pinned = True

    def __str__(self):
        return f"weft, {self.workers} workers" if self.under_weft else "native"

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


# Runs a command to its end; a Hang tells what every thread was doing.
def run(command, seconds=120, cwd=None, environment=None, output=None, check=True, stdin=None):
    with contextlib.ExitStack() as files:
        out = output or files.enter_context(tempfile.TemporaryFile())
        errors = files.enter_context(tempfile.TemporaryFile())
        began = time.monotonic()
        process = subprocess.Popen([str(word) for word in command], cwd=cwd, env=environment,
                                   stdin=stdin or subprocess.DEVNULL, stdout=out, stderr=errors,
                                   start_new_session=True)
        if not ends_within(process, seconds):
            told = describe_threads(process.pid)
            kill_session(process)
            raise Hang(f"{command_name(command)} hangs after {seconds} s\n{told}\n"
                       f"{text_of(errors)[-2000:]}")
        _, code, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(code)  # so that nobody waits again
        status = status_name(process.returncode)
        finished = Finished(text_of(out) if output is None else "", text_of(errors), status,
                            time.monotonic() - began, usage.ru_utime + usage.ru_stime)
    if check and status != "0":
        raise Wrong(f"{command_name(command)} ended with {status}\n"
                    f"{(finished.output + finished.errors)[-2000:]}")
    return finished


def command_name(command):
    words = [str(word) for word in command]
    return " ".join(words if len(words) < 12 else [*words[:11], "..."])


# Starts a server, waits until it listens, and stops it by `stop(process)` (SIGTERM unless told).
@contextlib.contextmanager
def serve(command, port, stop=None, status="0", seconds=30, cwd=None):
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen([str(word) for word in command], cwd=cwd,
                                   stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                   start_new_session=True)
        try:
            wait_until_listening(process, command, port, seconds, log)
            yield process
            (stop or subprocess.Popen.terminate)(process)
            if not ends_within(process, seconds):
                raise Hang(f"{command_name(command)} does not stop within {seconds} s\n"
                           f"{describe_threads(process.pid)}\n{text_of(log)[-2000:]}")
            ended = status_name(process.wait())
            if ended != status:
                raise Wrong(f"{command_name(command)} ended with {ended}\n{text_of(log)[-2000:]}")
        except (Wrong, Hang):
            raise
        except (OSError, EOFError) as error:
            # A client that gets no answer: the server's threads say why.
            raise Hang(f"client of {command_name(command)}: {error!r}\n"
                       f"{describe_threads(process.pid)}\n{text_of(log)[-2000:]}") from error
        finally:
            kill_session(process)


def wait_until_listening(process, command, port, seconds, log):
    until = time.monotonic() + seconds
    while True:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        if process.poll() is not None:
            raise Wrong(f"{command_name(command)} ended with {status_name(process.poll())} "
                        f"before it listened\n{text_of(log)[-2000:]}")
        if time.monotonic() > until:
            raise Hang(f"{command_name(command)} does not listen after {seconds} s\n"
                       f"{describe_threads(process.pid)}\n{text_of(log)[-2000:]}")
        time.sleep(0.05)


# Runs a client of a server; where it hangs, the server's threads are told as well.
def run_client(server, command, seconds=90, check=True):
    try:
        return run(command, seconds, check=check)
    except Hang as hang:
        raise Hang(f"{hang}\nthe server:\n{describe_threads(server.pid)}") from hang


# CPU time of a server and its children so far.
def cpu_seconds_of(server):
    ticks = 0
    for pid in processes_of(server.pid):
        with contextlib.suppress(OSError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def version_of(command, pattern):
    shown = subprocess.run(command, capture_output=True, text=True, timeout=30)
    found = re.search(pattern, shown.stdout + shown.stderr)
    return found[1] if found else "?"


# What a pattern finds in a text, or Wrong.
def found_in(pattern, text):
    found = re.search(pattern, text, re.MULTILINE)
    if found is None:
        raise Wrong(f"nothing like '{pattern}' in\n{text[-2000:]}")
    return found[1]


# The median of the ratios of each round: what slowed a whole round slowed both of its halves.
def ratio_of(pairs):
    ratios = [theirs / ours for ours, theirs in pairs if ours and theirs]
    return statistics.median(ratios) if ratios else None


# A folder that is gone at the end, and that a server which gives up root can read.
@contextlib.contextmanager
def scratch():
    with tempfile.TemporaryDirectory(prefix="weft-app-") as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)
