# SPDX-License-Identifier: Apache-2.0
# Cgroups with a quota of CPU time, for one command or for this process, and one that changes.
import contextlib
import itertools
import os
import signal
import threading
import time
from pathlib import Path

GROUPS = Path("/sys/fs/cgroup/cpu")
PERIOD_MICROSECONDS = 100_000
HALF_A_CPU, TWO_CPUS = 0.5, 2
SECONDS_EACH = 1
# The shell puts itself into the group, then becomes the program.
ENTER_GROUP = 'echo 0 > "$0/cgroup.procs" && exec env -u PWD -u OLDPWD "$@"'

numbers = itertools.count()


# Why no cgroup with a quota can be made here, or none.
def obstacle():
    if not GROUPS.is_dir():
        return f"{GROUPS} is not there"
    return None if os.access(GROUPS, os.W_OK) else f"{GROUPS} is not writable"


def set_quota(group, cpus):
    (group / "cpu.cfs_quota_us").write_text(str(int(cpus * PERIOD_MICROSECONDS)))


# A cgroup with so many CPUs; what still runs in it at the end is killed.
@contextlib.contextmanager
def group_of(cpus):
    group = GROUPS / f"weft-test-{os.getpid()}-{next(numbers)}"
    group.mkdir()
    try:
        (group / "cpu.cfs_period_us").write_text(str(PERIOD_MICROSECONDS))
        set_quota(group, cpus)
        yield group
    finally:
        remove(group)


def remove(group):
    until = time.monotonic() + 5
    while True:
        with contextlib.suppress(OSError):
            for pid in (group / "cgroup.procs").read_text().split():
                os.kill(int(pid), signal.SIGKILL)
        try:
            group.rmdir()
            return
        except OSError:
            if time.monotonic() > until:
                print(f"note: {group} cannot be removed", flush=True)
                return
            time.sleep(0.02)


def command_in(group, command):
    return ["/bin/sh", "-c", ENTER_GROUP, str(group), *command]


# Puts this process, and the children it will have, under a quota that goes from half a CPU to two
# and back, again and again.
@contextlib.contextmanager
def changing():
    lines = [line.split(":") for line in Path("/proc/self/cgroup").read_text().splitlines()]
    old = next(path for _, controllers, path in lines if "cpu" in controllers.split(","))
    over = threading.Event()
    with group_of(HALF_A_CPU) as group:
        changer = threading.Thread(target=change_until, args=(over, group))
        changer.start()
        (group / "cgroup.procs").write_text("0")
        try:
            yield
        finally:
            (GROUPS / old.lstrip("/") / "cgroup.procs").write_text(str(os.getpid()))
            over.set()
            changer.join()


def change_until(over, group):
    for cpus in itertools.cycle((TWO_CPUS, HALF_A_CPU)):
        if over.wait(SECONDS_EACH):
            return
        set_quota(group, cpus)
