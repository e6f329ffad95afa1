# SPDX-License-Identifier: Apache-2.0
# `weft bench` as its users meet it: in a folder of its own, in which nothing may be left.
import os
import signal
import subprocess
import sys
import tempfile
import unittest

from service import PATIENCE_SECONDS, until

WEFT = os.path.abspath(sys.argv.pop(1))


# Processes whose command line or environment (`file`) names this folder.
def processes_of(folder, file):
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/{file}", "rb") as text:
                if folder.encode() in text.read():
                    found.append(int(entry))
        except OSError:
            pass
    return found


@unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "needs two CPUs")
class BenchTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.folder = directory.name
        self.environment = {**os.environ, "TMPDIR": self.folder}

    def weft(self, *arguments):
        return subprocess.run([WEFT, "bench", *arguments], capture_output=True, text=True,
                              env=self.environment, timeout=100, check=False)

    # Ctrl-C, when `file` of so many processes names the folder. Answers what was said.
    def interrupt(self, *arguments, file, processes):
        process = subprocess.Popen([WEFT, "bench", *arguments], env=self.environment,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            until(lambda: len(processes_of(self.folder, file)) >= processes, f"{processes} processes")
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=PATIENCE_SECONDS)
        finally:
            process.kill()
            process.wait()
        self.assertEqual(process.returncode, 128 + signal.SIGINT)
        self.assertEqual(processes_of(self.folder, file), [])
        self.assertEqual(os.listdir(self.folder), [])
        return errors
