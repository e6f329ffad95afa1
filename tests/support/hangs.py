# SPDX-License-Identifier: Apache-2.0
# Commands with a time limit that, when it passes, tell where every thread stands.
#
# Whoever is watched leads a session of its own, so that its children are told of and killed with it.
import contextlib
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from collections import namedtuple
from pathlib import Path

GDB_SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "gdb" / "weft.py"
GDB_SECONDS = 120
PROCESSES_SHOWN = 8
TASKS_SHOWN = 60
TEXT_SHOWN = 3000

Finished = namedtuple("Finished", "output errors status seconds cpu_seconds")


# What was found is not what must be.
class Failure(Exception):
    pass


# Something did not end in time; the text says where its threads stood.
class Hang(Failure):
    pass


# Runs a command to its end. One that takes longer than `seconds` is a Hang, told with the threads of
# the session that `watched` leads, too; one that fails is a Failure where that is to be checked.
def run(command, seconds, watched=None, text=None, folder=None, environment=None, output=None,
        stdin=None, check=True):
    command = [str(word) for word in command]
    with contextlib.ExitStack() as files:
        out = output or files.enter_context(tempfile.TemporaryFile())
        errors = files.enter_context(tempfile.TemporaryFile())
        if text is not None:
            stdin = files.enter_context(tempfile.TemporaryFile())
            stdin.write(text.encode())
            stdin.seek(0)
        began = time.monotonic()
        process = subprocess.Popen(command, cwd=folder, env=environment,
                                   stdin=stdin or subprocess.DEVNULL, stdout=out, stderr=errors,
                                   start_new_session=True)
        try:
            if not ends_within(process, seconds):
                raise Hang(f"{name_of(command)} did not end in {seconds} s\n"
                           f"{describe(process.pid)}\n{describe(watched) if watched else ''}\n"
                           f"{'' if output else text_of(out)[-TEXT_SHOWN:]}"
                           f"{text_of(errors)[-TEXT_SHOWN:]}")
            _, code, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(code)  # so that nobody waits again
        finally:
            if process.returncode is None:
                kill_session(process)
        finished = Finished("" if output else text_of(out), text_of(errors),
                            status_name(process.returncode), time.monotonic() - began,
                            usage.ru_utime + usage.ru_stime)
    if check and finished.status != "0":
        raise Failure(f"{name_of(command)} ended with {finished.status}\n"
                      f"{finished.output[-TEXT_SHOWN:]}{finished.errors[-TEXT_SHOWN:]}")
    return finished


def name_of(command):
    words = [str(word) for word in command]
    return " ".join(words if len(words) < 12 else [*words[:11], "..."])


def text_of(file):
    file.seek(0)
    return file.read().decode("utf-8", errors="backslashreplace")


def status_name(code):
    if code >= 0:
        return str(code)
    try:
        return signal.Signals(-code).name
    except ValueError:  # the real-time signals have no names
        return f"signal {-code}"


def ends_within(process, seconds):
    descriptor = os.pidfd_open(process.pid)
    try:
        waiting = select.poll()
        waiting.register(descriptor, select.POLLIN)
        return bool(waiting.poll(seconds * 1000))
    finally:
        os.close(descriptor)


# Every process of the session that a run leads.
def processes_of(leader):
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, IndexError, ValueError):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                if int(fields[3]) == leader:
                    found.append(int(entry.name))
    return sorted(found)


def kill_session(process):
    for pid in processes_of(process.pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait()


# What each thread of a session does: by the kernel, then by gdb with weft's own commands.
def describe(leader):
    processes = processes_of(leader)
    told = [] if processes else [f"process {leader} is gone"]
    for pid in processes[:PROCESSES_SHOWN]:
        told.append(f"process {pid}: {read(f'/proc/{pid}/cmdline')[:300]}")
        told += tasks_of(pid)
        if shutil.which("gdb"):
            told.append(ask_gdb(pid))
    if len(processes) > PROCESSES_SHOWN:
        told.append(f"and {len(processes) - PROCESSES_SHOWN} processes more")
    return "\n".join(told)


def tasks_of(pid):
    tasks = sorted(Path(f"/proc/{pid}/task").glob("*"), key=lambda path: int(path.name))
    told = []
    for task in tasks[:TASKS_SHOWN]:
        name, channel, call, stack = (
            read(task / what).strip() for what in ("comm", "wchan", "syscall", "stack"))
        told.append(f"  {task.name} {name}: in {channel}, call {call}")
        told += [f"      {line}" for line in stack.splitlines()]
    if len(tasks) > TASKS_SHOWN:
        told.append(f"  and {len(tasks) - TASKS_SHOWN} more")
    return told


def ask_gdb(pid):
    command = ["gdb", "-batch", "-p", str(pid), "-ex", "set pagination off",
               "-ex", f"source {GDB_SCRIPT}", "-ex", "weft fibers", "-ex", "weft bt all",
               "-ex", "thread apply all bt 25"]
    with contextlib.suppress(subprocess.TimeoutExpired, OSError):
        shown = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                               errors="replace", timeout=GDB_SECONDS)
        return "\n".join(f"  {line}" for line in shown.stdout.splitlines()
                         if not line.startswith(("[New LWP", "[Thread debugging", "Using host")))
    return "  (gdb did not answer)"


def read(path):
    try:
        return Path(path).read_text(errors="replace").replace("\0", " ")
    except OSError as error:
        return f"({os.strerror(error.errno)})"
