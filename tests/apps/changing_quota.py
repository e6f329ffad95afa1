# SPDX-License-Identifier: Apache-2.0
# A cgroup for this process and its children, whose quota goes from half a CPU to two and back.
import contextlib
import os
import threading
from pathlib import Path

GROUPS = Path("/sys/fs/cgroup/cpu")
PERIOD_MICROSECONDS = 100_000
QUOTAS_MICROSECONDS = (50_000, 200_000)
SECONDS_EACH = 3


def change_until(group, over):
    number = 0
    while not over.wait(SECONDS_EACH):
        number += 1
        quota = QUOTAS_MICROSECONDS[number % len(QUOTAS_MICROSECONDS)]
        (group / "cpu.cfs_quota_us").write_text(str(quota))


# Needs cgroup v1 and root; complains where they are not there.
@contextlib.contextmanager
def changing_quota(wanted):
    if not wanted:
        yield
        return
    group = GROUPS / f"weft-apps-{os.getpid()}"
    group.mkdir()
    (group / "cpu.cfs_period_us").write_text(str(PERIOD_MICROSECONDS))
    (group / "cpu.cfs_quota_us").write_text(str(QUOTAS_MICROSECONDS[0]))
    before = Path("/proc/self/cgroup").read_text()
    old = next(line.split(":")[2] for line in before.splitlines()
               if "cpu" in line.split(":")[1].split(","))
    (group / "cgroup.procs").write_text("0")
    over = threading.Event()
    changer = threading.Thread(target=change_until, args=(group, over))
    changer.start()
    try:
        yield
    finally:
        over.set()
        changer.join()
        (GROUPS / old.lstrip("/") / "cgroup.procs").write_text(str(os.getpid()))
        with contextlib.suppress(OSError):
            group.rmdir()
