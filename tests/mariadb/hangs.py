# SPDX-License-Identifier: Apache-2.0
# Commands with a time limit that, when it passes, tell where every thread of the server stands.
import contextlib
import os
import shutil
import subprocess
from pathlib import Path

GDB_SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "gdb" / "weft.py"
GDB_SECONDS = 120
TASKS_SHOWN = 60


class Failure(Exception):
    pass


class Hang(Failure):
    pass


# Runs a command to its end and returns what it printed. One that takes longer than `seconds` is a
# Hang, with the state of the process `watched`; one that fails is a Failure.
def run(command, seconds, watched=None, text=None, folder=None, environment=None):
    try:
        done = subprocess.run(command, input=text or "", capture_output=True, text=True,
                              errors="replace", timeout=seconds, cwd=folder, env=environment)
    except subprocess.TimeoutExpired as expired:
        so_far = (expired.stdout or b"").decode(errors="replace")
        raise Hang(f"{' '.join(command)}\ndid not end in {seconds} s\n{so_far[-2000:]}\n"
                   f"{describe(watched)}") from None
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)}\nended with {done.returncode}\n"
                      f"{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


# What each thread of a process does: by the kernel, then by gdb with weft's own commands.
def describe(pid):
    if pid is None or not Path(f"/proc/{pid}").exists():
        return f"process {pid} is gone"
    told = [f"process {pid}: {read(f'/proc/{pid}/cmdline')[:300]}"]
    tasks = sorted(Path(f"/proc/{pid}/task").glob("*"), key=lambda path: int(path.name))
    for task in tasks[:TASKS_SHOWN]:
        name, channel, call = (read(task / what).strip() for what in ("comm", "wchan", "syscall"))
        told.append(f"  {task.name} {name}: in {channel}, call {call}")
    if len(tasks) > TASKS_SHOWN:
        told.append(f"  and {len(tasks) - TASKS_SHOWN} more")
    if shutil.which("gdb"):
        told.append(ask_gdb(pid))
    return "\n".join(told)


def ask_gdb(pid):
    command = ["gdb", "-batch", "-p", str(pid), "-ex", "set pagination off",
               "-ex", f"source {GDB_SCRIPT}", "-ex", "weft fibers", "-ex", "weft bt all",
               "-ex", "thread apply all bt 25"]
    with contextlib.suppress(subprocess.TimeoutExpired, OSError):
        shown = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                               errors="replace", timeout=GDB_SECONDS)
        return shown.stdout
    return "(gdb did not answer)"


def read(path):
    try:
        return Path(path).read_text(errors="replace").replace("\0", " ")
    except OSError as error:
        return f"({os.strerror(error.errno)})"
